/* new_rows.c: a program that checks every scan by an operator or of a type that a document has added to the library:
 * new_rows ENGINE NAME [WISDOM]. It sees the public header only.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <mmscan.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 100003, WIDEST = 8 };

static char x[N * WIDEST], y[N * WIDEST];
static mmscan_algebra row;
static const char *engine; /* NULL: the library chooses */

/* ---- The plain loop ---------------------------------------------------------------------------------------------- */

typedef struct number {
  double real;
  uint64_t whole; /* wraps around; signs are extended */
} number;

static number get(const char *at) {
  number v = {0, 0};
  float single;
  if (row.kind != 'f') {
    memcpy(&v.whole, at, row.size);
    const int unused = 64 - 8 * (int)row.size;
    v.whole <<= unused;
    v.whole = row.kind == 'i' ? (uint64_t)((int64_t)v.whole >> unused) : v.whole >> unused;
  } else if (row.size == sizeof single) {
    memcpy(&single, at, sizeof single);
    v.real = (double)single;
  } else {
    memcpy(&v.real, at, sizeof v.real);
  }
  return v;
}

static void put(char *at, number v) {
  const float single = (float)v.real;
  if (row.kind != 'f')
    memcpy(at, &v.whole, row.size);
  else
    memcpy(at, row.size == sizeof single ? (const void *)&single : &v.real, row.size);
}

static int is_less(number a, number b) {
  return row.kind == 'u' ? a.whole < b.whole : (int64_t)a.whole < (int64_t)b.whole;
}

/* The operator that a document adds: it has no name in the header of other copies. */
static int saturates(void) { return strcmp(row.op_name, "saturate") == 0; }

static uint64_t saturated(uint64_t a, uint64_t b) {
  const uint64_t most = UINT64_MAX >> (64 - 8 * row.size);
  return a > most - b ? most : a + b;
}

/* Sums and products of two f32 are rounded to f64 and then to f32 as if only once. Others: of integers. */
static number combine(number a, number b) {
  if (saturates()) return (number){0, saturated(a.whole, b.whole)};
  switch (row.op) {
  case MMSCAN_MAX:
    return is_less(a, b) ? b : a;
  case MMSCAN_MIN:
    return is_less(b, a) ? b : a;
  case MMSCAN_MUL:
    return (number){a.real * b.real, a.whole * b.whole};
  case MMSCAN_AND:
    return (number){0, a.whole & b.whole};
  case MMSCAN_OR:
    return (number){0, a.whole | b.whole};
  case MMSCAN_XOR:
    return (number){0, a.whole ^ b.whole};
  default:
    return (number){a.real + b.real, a.whole + b.whole};
  }
}

static int is_same(const char *got, const char *want) {
  return memcmp(got, want, row.size) == 0 || (row.kind == 'f' && isnan(get(got).real) && isnan(get(want).real));
}

/* Whether y, at `to`, is the scan of x, at `from`; `first` is what it starts from. */
static int is_scan(const mmscan_desc *d, const char *from, const char *to, const char *first) {
  char running[WIDEST], next[WIDEST];
  memcpy(running, first, row.size);
  for (size_t i = 0; i < d->n; i++) {
    const size_t at = (d->reverse ? d->n - 1 - i : i) * row.size;
    put(next, combine(get(running), get(from + at)));
    if (!is_same(to + at, d->kind == MMSCAN_EXCLUSIVE ? running : next)) return 0;
    memcpy(running, next, row.size);
  }
  return 1;
}

/* ---- What is scanned --------------------------------------------------------------------------------------------- */

/* Integers of both signs, odd, so that products do not vanish. The products of floats leave the range of the type: the
 * longer they are, the larger where n is even, and the smaller where it is odd. Floats meet an infinity, and later a
 * zero. Saturating sums reach the end of the range halfway through the longest. */
static number element(size_t i, size_t n) {
  const double reals[] = {1.5, n % 2 ? -0.6 : -0.7, 1e20, 1e-20};
  number v = {reals[i % 4], (uint64_t)(2 * (int64_t)(i * 7919 % 1009) - 1009)};
  if (saturates()) v.whole = i * 7919 % 1009 * (row.size == 4 ? 150 : UINT64_C(150) << 32);
  if (n > 40 && i == n / 4 * 3) v.real = INFINITY;
  if (n > 40 && i == n / 8 * 7) v.real = 0;
  return v;
}

/* Each row, with the gap after it: in x, and in y for a scan in place. */
static void fill(const mmscan_desc *d) {
  const size_t each = d->batch > 1 ? (size_t)d->x_dist : d->n;
  for (size_t i = 0; i < each * d->batch; i++) put(x + i * row.size, element(i % each, d->n));
  memcpy(y, x, each * d->batch * row.size);
}

static mmscan_desc describe(size_t n, mmscan_kind kind, int reverse) {
  return (mmscan_desc){.struct_size = sizeof(mmscan_desc),
                       .x_type = row.type,
                       .y_type = row.type,
                       .op = row.op,
                       .kind = kind,
                       .reverse = reverse,
                       .n = n,
                       .x_stride = 1,
                       .y_stride = 1,
                       .batch = 1};
}

static int fails(const char *how, const mmscan_desc *d) {
  printf("%s %s, %s, %s: kind %d, reverse %d, n = %zu, %zu times: wrong\n", row.op_name, row.type_name, mmscan_isa(),
         how, (int)d->kind, d->reverse, d->n, d->batch);
  return 1;
}

/* ---- Ways to scan ------------------------------------------------------------------------------------------------ */

/* By a plan, in place where n is even. */
static int by_plan(const mmscan_desc *d, unsigned flags, int threads) {
  const mmscan_choice choice = {.struct_size = sizeof choice, .engine = engine, .threads = threads};
  const char *first = d->init ? d->init : d->kind == MMSCAN_EXCLUSIVE ? row.start : row.identity;
  const size_t row_bytes = (size_t)d->x_dist * row.size;
  mmscan_plan *plan;
  fill(d);
  if (mmscan_plan_create_with(&plan, d, flags, flags == MMSCAN_MEASURE ? NULL : &choice)) return fails("plan", d);
  const mmscan_status status = mmscan_execute(plan, d->n % 2 ? x : y, y);
  mmscan_plan_destroy(plan);
  if (status) return fails("execute", d);
  for (size_t k = 0; k < d->batch; k++)
    if (!is_scan(d, x + k * row_bytes, y + k * row_bytes, first)) return fails("scan", d);
  return 0;
}

static int by_plans(mmscan_kind kind, int reverse, int threads) {
  static const size_t lengths[] = {1, 2, 8, 33, 64, 1000, 4097, N - 3, N};
  char init[WIDEST];
  put(init, (number){3, 3});
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    mmscan_desc d = describe(lengths[i], kind, reverse);
    if (kind == MMSCAN_EXCLUSIVE && i % 2) d.init = init;
    if (by_plan(&d, MMSCAN_ESTIMATE, threads)) return 1;
  }
  for (size_t n = 1; n < 150; n += n < 8 ? 1 : 13)
    for (size_t gap = 0; gap < 2; gap++) {
      mmscan_desc d = describe(n, kind, reverse);
      d.batch = 70, d.x_dist = d.y_dist = (ptrdiff_t)(n + gap);
      if (by_plan(&d, MMSCAN_ESTIMATE, threads)) return 1;
    }
  return 0;
}

/* By the general call in blocks, which come from the last to the first where the scan is reverse. */
static int by_blocks(mmscan_kind kind, int reverse) {
  const size_t block = N / 3 + 1;
  const mmscan_desc whole = describe(N, kind, reverse);
  const void *first = kind == MMSCAN_EXCLUSIVE ? row.start : row.identity;
  char carry[WIDEST];
  memcpy(carry, first, row.size);
  fill(&whole);
  for (size_t done = 0, n; done < N; done += n) {
    n = N - done < block ? N - done : block;
    const mmscan_desc d = describe(n, kind, reverse);
    const size_t at = (reverse ? N - done - n : done) * row.size;
    if (mmscan_scan_block(&d, x + at, y + at, carry)) return fails("block", &d);
  }
  if (!is_scan(&whole, x, y, first)) return fails("blocks", &whole);
  if (mmscan_scan(&whole, x, y)) return fails("call", &whole);
  return !is_scan(&whole, x, y, first) && fails("call", &whole);
}

static int is_refused_by_gemm(void) {
  const mmscan_choice gemm = {.struct_size = sizeof gemm, .engine = "gemm"};
  const mmscan_desc d = describe(N, MMSCAN_INCLUSIVE, 0);
  mmscan_plan *plan;
  return mmscan_plan_create_with(&plan, &d, MMSCAN_ESTIMATE, &gemm) == MMSCAN_ENOTSUP;
}

static int check_row(void) {
  for (mmscan_kind kind = MMSCAN_INCLUSIVE; kind <= MMSCAN_EXCLUSIVE; kind++)
    for (int reverse = 0; reverse < 2; reverse++)
      if (by_plans(kind, reverse, 1) || by_plans(kind, reverse, 3) || by_blocks(kind, reverse)) return 1;
  const mmscan_desc d = describe(N, MMSCAN_INCLUSIVE, 0);
  return engine ? 0 : by_plan(&d, MMSCAN_MEASURE, 0);
}

/* WISDOM: the file to which is written what was measured. */
int main(int argc, char **argv) {
  size_t rows = 0;
  if (argc < 3) return 2;
  engine = strcmp(argv[1], "auto") == 0 ? NULL : argv[1];
  if (mmscan_environment_error()) return 77;
  row.struct_size = sizeof row;
  for (size_t i = 0; mmscan_get_algebra(i, &row) == MMSCAN_OK; i++) {
    if (strcmp(row.op_name, argv[2]) != 0 && strcmp(row.type_name, argv[2]) != 0) continue;
    if (check_row() || !is_refused_by_gemm()) return 1;
    rows++;
  }
  printf("%s by %s, %s: %zu rows are right\n", argv[2], argv[1], mmscan_isa(), rows);
  if (argc > 3 && (mmscan_wisdom_count() < rows || mmscan_wisdom_write(argv[3]))) return 1;
  return rows == 0;
}
