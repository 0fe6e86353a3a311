/* new_pairs.c: a program that checks scans of the type b8, which doc/ADDING_A_TYPE.md has added to the library, into
 * every other type that it names. It sees the public header only.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <mmscan.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 100003, FAR = 3, ROOM = FAR * (N + 1) };

static unsigned char x[ROOM], y[ROOM * sizeof(int64_t)];

static const struct y_type {
  mmscan_type type;
  const char *name;
  size_t size;
} y_types[] = {{MMSCAN_I32, "i32", 4}, {MMSCAN_U32, "u32", 4}, {MMSCAN_F32, "f32", 4},
               {MMSCAN_I64, "i64", 8}, {MMSCAN_U64, "u64", 8}, {MMSCAN_F64, "f64", 8}};

/* ---- The plain loop ---------------------------------------------------------------------------------------------- */

static int64_t get(const struct y_type *type, const void *at) {
  float f32;
  double f64;
  int32_t i32;
  int64_t i64;
  memcpy(&i64, at, type->size);
  memcpy(&i32, at, sizeof i32), memcpy(&f32, at, sizeof f32), memcpy(&f64, &i64, sizeof f64);
  if (type->name[0] == 'f') return type->size == 4 ? (int64_t)f32 : (int64_t)f64;
  return type->size == 4 ? i32 : i64;
}

static void put(const struct y_type *type, void *at, int64_t value) {
  const float f32 = (float)value;
  const double f64 = (double)value;
  if (type->name[0] == 'f')
    memcpy(at, type->size == 4 ? (const void *)&f32 : &f64, type->size);
  else
    memcpy(at, &value, type->size);
}

static int64_t combine(mmscan_op op, int64_t a, int64_t b) {
  if (op == MMSCAN_PLUS) return a + b;
  return (op == MMSCAN_MAX) == (a > b) ? a : b;
}

/* Whether the scan whose first elements are so far into x and y is right; `first`: what comes before. */
static int is_scan(const mmscan_desc *d, const struct y_type *type, ptrdiff_t from, ptrdiff_t to, int64_t first) {
  const ptrdiff_t n = (ptrdiff_t)d->n, begin = d->reverse ? n - 1 : 0, turn = d->reverse ? -1 : 1;
  const int is_inclusive = d->kind == MMSCAN_INCLUSIVE, shift = d->kind == MMSCAN_OFFSETS && !d->reverse;
  const unsigned char *edge = y + (to + (d->reverse ? n : 0) * d->y_stride) * (ptrdiff_t)type->size;
  int64_t value = first;
  if (d->kind == MMSCAN_OFFSETS && get(type, edge) != first) return 0;
  for (ptrdiff_t k = 0, i = begin; k < n; k++, i += turn) {
    const int64_t next = combine(d->op, value, x[from + i * d->x_stride] != 0);
    const unsigned char *at = y + (to + (i + shift) * d->y_stride) * (ptrdiff_t)type->size;
    if (get(type, at) != (is_inclusive || d->kind == MMSCAN_OFFSETS ? next : value)) return 0;
    value = next;
  }
  return 1;
}

/* ---- Ways to scan ------------------------------------------------------------------------------------------------ */

static int fails(const char *how, const mmscan_desc *d, const struct y_type *type) {
  printf("b8 to %s, %s, %s: op %d, kind %d, reverse %d, n = %zu, strides %td and %td: wrong\n", type->name,
         mmscan_isa(), how, (int)d->op, (int)d->kind, d->reverse, d->n, d->x_stride, d->y_stride);
  return 1;
}

/* Scans start where a negative stride has room. */
static ptrdiff_t start_of(ptrdiff_t stride, size_t n) { return stride < 0 ? -stride * (ptrdiff_t)n : 0; }

/* Elements of y up to the last that a scan from there writes, or some more. */
static size_t reach_of(const mmscan_desc *d, const mmscan_dim *outer) {
  const size_t reach = FAR * (d->n + 1) + d->batch * (size_t)d->y_dist + outer->n * (size_t)outer->y_stride;
  return reach < ROOM ? reach : ROOM;
}

/* Each scan of the batch and of one outer dimension, or none; by a call, or by a plan of so many threads. */
static int by_desc(const mmscan_desc *d, const struct y_type *type, int threads, int64_t first) {
  const mmscan_choice choice = {.struct_size = sizeof choice, .threads = threads};
  const mmscan_dim one = {1, 0, 0}, *outer = d->outer_rank ? d->outer : &one;
  const ptrdiff_t from = start_of(d->x_stride, d->n), to = start_of(d->y_stride, d->n);
  mmscan_plan *plan = NULL;
  memset(y, 0x80, reach_of(d, outer) * type->size);
  mmscan_status status = threads ? mmscan_plan_create_with(&plan, d, MMSCAN_ESTIMATE, &choice) : MMSCAN_OK;
  unsigned char *results = y + to * (ptrdiff_t)type->size;
  if (!status) status = threads ? mmscan_execute(plan, x + from, results) : mmscan_scan(d, x + from, results);
  mmscan_plan_destroy(plan);
  if (status) return fails(mmscan_strerror(status), d, type);
  for (ptrdiff_t k = 0; k < (ptrdiff_t)outer->n; k++)
    for (ptrdiff_t r = 0; r < (ptrdiff_t)d->batch; r++)
      if (!is_scan(d, type, from + k * outer->x_stride + r * d->x_dist, to + k * outer->y_stride + r * d->y_dist,
                   first))
        return fails(threads ? "plan" : "call", d, type);
  return 0;
}

/* The longest, of several tiles, with no stride and with both. */
static int by_strides(mmscan_desc d, const struct y_type *type, int64_t first) {
  static const ptrdiff_t strides[][2] = {{1, 1}, {3, 2}, {-1, 1}, {2, -3}};
  static const size_t lengths[] = {0, 1, 2, 33, 1000, 4097, N};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
    for (size_t s = 0; s < sizeof strides / sizeof *strides; s += lengths[i] < N ? 1 : 3)
      for (int threads = 0; threads < 4; threads += 3) {
        d.n = lengths[i], d.x_stride = strides[s][0], d.y_stride = strides[s][1];
        if (by_desc(&d, type, threads, first)) return 1;
      }
  return 0;
}

/* 5 times 7 scans of 100 elements, with room between them. */
static int by_outer(mmscan_desc d, const struct y_type *type, int64_t first) {
  const mmscan_dim outer = {5, 800, 900};
  d.n = 100, d.batch = 7, d.x_dist = 101, d.y_dist = 103;
  d.outer_rank = 1, d.outer = &outer;
  return by_desc(&d, type, 0, first) || by_desc(&d, type, 3, first);
}

static int by_blocks(mmscan_desc d, const struct y_type *type, int64_t first) {
  const mmscan_desc whole = d;
  char carry[sizeof(int64_t)];
  if (d.kind == MMSCAN_OFFSETS) return 0;
  put(type, carry, first);
  d.init = NULL;
  for (size_t done = 0; done < N; done += d.n) {
    d.n = N - done < N / 3 + 1 ? N - done : N / 3 + 1;
    const size_t at = d.reverse ? N - done - d.n : done;
    if (mmscan_scan_block(&d, x + at, y + at * type->size, carry)) return fails("block", &d, type);
  }
  return !is_scan(&whole, type, 0, 0, first) && fails("blocks", &whole, type);
}

static int check(const struct y_type *type) {
  for (mmscan_op op = MMSCAN_PLUS; op <= MMSCAN_MIN; op++)
    for (mmscan_kind kind = MMSCAN_INCLUSIVE; kind <= MMSCAN_OFFSETS; kind++)
      for (int reverse = 0; reverse < 2; reverse++) {
        const int64_t first = op == MMSCAN_MAX ? 0 : op == MMSCAN_MIN ? 1 : 5;
        char init[sizeof(int64_t)];
        mmscan_desc d = MMSCAN_DESC(type->type, op, kind, N);
        put(type, init, first);
        d.x_type = MMSCAN_B8, d.reverse = reverse, d.init = init;
        if (by_strides(d, type, first) || by_outer(d, type, first) || by_blocks(d, type, first)) return 1;
      }
  return 0;
}

static int is_refused(mmscan_type x_type, mmscan_type y_type) {
  mmscan_desc d = MMSCAN_DESC(y_type, MMSCAN_PLUS, MMSCAN_INCLUSIVE, 1);
  d.x_type = x_type;
  return mmscan_scan(&d, x, y) == MMSCAN_ENOTSUP;
}

int main(void) {
  if (mmscan_environment_error()) return 77;
  for (size_t i = 0; i < ROOM; i++) x[i] = (unsigned char)(i % 5 == 0 || i % 7 == 0 ? i % 255 + 1 : 0);
  for (size_t i = 0; i < sizeof y_types / sizeof *y_types; i++)
    if (check(&y_types[i])) return 1;
  if (!is_refused(MMSCAN_B8, MMSCAN_B8) || !is_refused(MMSCAN_U8, MMSCAN_B8) || !is_refused(MMSCAN_B8, MMSCAN_U8)) {
    puts("a pair that is not there is not refused");
    return 1;
  }
  printf("b8 is scanned, %s\n", mmscan_isa());
  return 0;
}
