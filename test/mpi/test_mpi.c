/* test_mpi.c: scans over ranks give what one process gives: to the bit where the operator is exact or the order is
 * given, and otherwise within the bound. Every rank draws the same cases, and looks at its own results.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MMSCAN_TEST_SECONDS=N: how long random cases are tried (default 2).
 *
 * test_mpi [VARIABLE VALUE STATUS | threads]: on one rank the variable has this value, and every rank gets the status;
 * or several threads call. Started by run.sh.
 */
#include "mmscan_mpi.h"

#include "support/mixed.h"
#include <errno.h>
#include <pthread.h>

enum {
  LEAST_CASES = 30,
  MOST_RANKS = 64,
  MOST_SCANS = 500,
  MOST = 60000,
  MOST_IN_ALL = 12 * MOST,
  ELEMENT = 16,
  STATE = 1024
};

static int rank, ranks, failures;

/* One case: the whole, scan after scan without gaps; and this rank's part of it. */
struct whole {
  mmscan_desc desc;
  const mmscan_algebra *row;
  size_t n, scans, starts[MOST_RANKS + 1];
  mmscan_dim outer;
  bool is_wild, is_in_place, are_many;
  _Alignas(ELEMENT) unsigned char init[ELEMENT], totals[MOST_SCANS * ELEMENT];
  unsigned char *x, *y;
  int64_t *indices;
};

struct part {
  mmscan_desc desc;
  mmscan_dim outer;
  _Alignas(ELEMENT) unsigned char totals[MOST_SCANS * ELEMENT];
  unsigned char *x_base, *y_base, *x, *y;
  int64_t *indices_base;
};

static void *room(size_t bytes) {
  void *memory = calloc(1, bytes + 1);
  if (!memory) MPI_Abort(MPI_COMM_WORLD, 1);
  return memory;
}

__attribute__((format(printf, 2, 3))) static void complain(const struct whole *w, const char *format, ...) {
  va_list arguments;
  char line[200];
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  if (++failures > 5) return;
  fprintf(stderr,
          "rank %d of %d: %s %s from type %d, kind %d, reverse %d, flags %u, n %zu, %zu scans, init %d, totals %d, "
          "indices %d: %s\n",
          rank, ranks, w->row->op_name, w->row->type_name, (int)w->desc.x_type, (int)w->desc.kind, w->desc.reverse,
          w->desc.flags, w->n, w->scans, w->desc.init != NULL, w->desc.totals != NULL, w->desc.indices != NULL, line);
}

/* ---- Cases ------------------------------------------------------------------------------------------------------- */

/* Of all sizes, from parts of no elements to tiles that several ranks have. */
static void draw_cuts(struct whole *w, struct rng *rng) {
  const size_t most = w->are_many ? 4 * MOST / w->scans : w->scans > 1 ? MOST / 6 : MOST;
  w->n = draw_below(rng, 20) == 0 ? 0 : draw_below(rng, draw_below(rng, 3) && most > 2000 ? 2000 : most);
  w->starts[0] = 0;
  for (int r = 0; r < ranks; r++) {
    const size_t left = w->n - w->starts[r], some = draw_below(rng, 2 * w->n / (size_t)ranks + 2);
    const size_t n = draw_below(rng, 4) == 0 ? draw_below(rng, 3) : some;
    w->starts[r + 1] = r == ranks - 1 ? w->n : w->starts[r] + (n < left ? n : left);
  }
}

/* Many scans are cut into chunks of them, for want of room or to fit in a cache. */
static void draw_shape(struct whole *w, struct rng *rng) {
  const size_t some = draw_below(rng, 2) ? 1 : 1 + draw_below(rng, 3), many = 40 + draw_below(rng, 85);
  w->outer.n = 1 + draw_below(rng, 4);
  w->desc.outer_rank = draw_below(rng, 4) == 0;
  w->desc.batch = !w->are_many ? some : w->desc.outer_rank ? many : 4 * many;
  w->scans = w->desc.batch * (w->desc.outer_rank ? w->outer.n : 1);
  draw_cuts(w, rng);
}

static bool draw_whole(struct whole *w, struct rng *rng) {
  w->row = &mixed_rows[draw_below(rng, mixed_count)];
  w->desc = (mmscan_desc)MMSCAN_DESC(w->row->type, w->row->op, 1 + (mmscan_kind)draw_below(rng, 3), 0);
  if (draw_below(rng, 3) == 0) w->desc.x_type = 1 + (mmscan_type)draw_below(rng, MMSCAN_BF16);
  w->desc.reverse = (int)draw_below(rng, 2);
  w->desc.flags = mixed_flags(rng);
  draw_shape(w, rng);
  w->is_wild = draw_below(rng, 4) == 0;
  w->is_in_place = draw_below(rng, 3) == 0 && w->desc.x_type == w->desc.y_type;
  mixed_put(w->desc.y_type, w->init, 0, rng, false);
  w->desc.init = draw_below(rng, 2) ? w->init : NULL;
  w->desc.totals = draw_below(rng, 2) ? w->totals : NULL;
  const bool is_order = w->desc.op == MMSCAN_MAX || w->desc.op == MMSCAN_MIN;
  w->desc.indices = is_order && draw_below(rng, 2) ? w->indices : NULL;
  return mmscan_desc_check(&w->desc, NULL, 0) == MMSCAN_OK;
}

static size_t results(const struct whole *w, size_t n) { return n + (w->desc.kind == MMSCAN_OFFSETS); }

static mmscan_status scan_whole(struct whole *w, struct rng *rng) {
  mmscan_desc d = w->desc;
  const size_t size = mixed_size(d.x_type);
  for (size_t i = 0; i < w->n * w->scans; i++) mixed_put(d.x_type, w->x, i, rng, w->is_wild);
  if (draw_below(rng, 8) == 0) memset(w->x, 0, w->n * w->scans * size); /* zeros keep their signs */
  for (size_t i = 0; i < w->n * w->scans && draw_below(rng, 2); i++)
    if (d.x_type == MMSCAN_F32) ((float *)(void *)w->x)[i] *= -1;
  d.n = w->n;
  d.batch = w->scans;
  d.outer_rank = 0;
  d.x_dist = (ptrdiff_t)w->n;
  d.y_dist = (ptrdiff_t)results(w, w->n);
  return mmscan_scan(&d, w->x, w->y);
}

/* ---- A part ------------------------------------------------------------------------------------------------------ */

static size_t first_of(const struct whole *w) { /* by index, of the part of this rank */
  return w->starts[rank];
}

static ptrdiff_t y_at(const struct whole *w, const struct part *p, size_t scan, size_t i) {
  const ptrdiff_t r = (ptrdiff_t)(scan % w->desc.batch), o = (ptrdiff_t)(scan / w->desc.batch);
  return r * p->desc.y_dist + o * p->outer.y_stride + (ptrdiff_t)i * p->desc.y_stride;
}

static ptrdiff_t x_at(const struct whole *w, const struct part *p, size_t scan, size_t i) {
  const ptrdiff_t r = (ptrdiff_t)(scan % w->desc.batch), o = (ptrdiff_t)(scan / w->desc.batch);
  return r * p->desc.x_dist + o * p->outer.x_stride + (ptrdiff_t)i * p->desc.x_stride;
}

static void set_strides(const struct whole *w, struct part *p, size_t n, struct rng *rng) {
  static const ptrdiff_t strides[] = {1, 1, 1, 2, -1, -3};
  const ptrdiff_t m = (ptrdiff_t)(n + 1), batch = (ptrdiff_t)w->desc.batch;
  p->desc.y_stride = strides[draw_below(rng, COUNT(strides))];
  p->desc.x_stride = w->is_in_place ? p->desc.y_stride : strides[draw_below(rng, COUNT(strides))];
  p->desc.y_dist = 3 * m, p->desc.x_dist = 3 * m;
  p->outer = (mmscan_dim){w->outer.n, 3 * m * batch, 3 * m * batch};
  if (w->desc.batch > 1 && draw_below(rng, 4) == 0) {
    p->desc.x_stride = p->desc.y_stride = batch;
    p->desc.x_dist = p->desc.y_dist = 1;
  }
}

static struct part take_part(struct whole *w, struct rng *rng) {
  struct part p = {.desc = w->desc};
  const size_t n = w->starts[rank + 1] - w->starts[rank], most = 3 * w->desc.batch * (n + 2) * (w->outer.n + 1);
  const size_t x_size = mixed_size(w->desc.x_type), y_size = w->row->size;
  struct rng own = rng_of(draw(rng) + (uint64_t)rank);
  p.desc.n = n;
  set_strides(w, &p, n, &own);
  p.y_base = room(2 * most * y_size), p.x_base = room(2 * most * x_size), p.indices_base = room(2 * most * 8);
  p.y = p.y_base + most * y_size;
  p.x = w->is_in_place ? p.y + (w->desc.kind == MMSCAN_OFFSETS && n > 0 ? p.desc.y_stride * (ptrdiff_t)y_size : 0)
                       : p.x_base + most * x_size;
  p.desc.indices = w->desc.indices ? p.indices_base + most : NULL;
  for (size_t scan = 0; scan < w->scans; scan++)
    for (size_t i = 0; i < n; i++)
      memcpy(p.x + x_at(w, &p, scan, i) * (ptrdiff_t)x_size, w->x + (scan * w->n + first_of(w) + i) * x_size, x_size);
  return p;
}

static void part_free(struct part *p) {
  free(p->x_base);
  free(p->y_base);
  free(p->indices_base);
}

/* ---- Comparing --------------------------------------------------------------------------------------------------- */

static bool is_exact(const struct whole *w) {
  const bool rounds = w->row->kind == 'f' || w->row->kind == 'c';
  return !rounds || w->desc.op == MMSCAN_MAX || w->desc.op == MMSCAN_MIN || w->desc.flags & MMSCAN_REPRODUCIBLE;
}

static double number(mmscan_type type, const unsigned char *y) {
  float f32;
  double f64;
  uint16_t half;
  if (type == MMSCAN_F64 || type == MMSCAN_C64) return memcpy(&f64, y, sizeof f64), f64;
  if (type == MMSCAN_F32 || type == MMSCAN_C32) return memcpy(&f32, y, sizeof f32), (double)f32;
  memcpy(&half, y, sizeof half);
  mmscan_desc d = MMSCAN_DESC(MMSCAN_F32, MMSCAN_PLUS, MMSCAN_INCLUSIVE, 1);
  d.x_type = type;
  return mmscan_scan(&d, &half, &f32) == MMSCAN_OK ? (double)f32 : 0;
}

/* In units of the type: roundings of an element, and of the result. */
static double tolerance(const struct whole *w, double want) {
  const mmscan_type type = w->row->type;
  const double n = (double)w->n + 64, unit = type == MMSCAN_F64 || type == MMSCAN_C64 ? 0x1p-52 : 0x1p-23;
  const double half = type == MMSCAN_F16 ? 0x1p-9 : type == MMSCAN_BF16 ? 0x1p-6 : 0;
  const double magnitudes = w->desc.op == MMSCAN_PLUS ? n * mixed_largest(w->desc.x_type, w->is_wild) : fabs(want) + 30;
  return 2 * n * unit * magnitudes + half * fabs(want);
}

static bool is_same_number(const struct whole *w, const unsigned char *want, const unsigned char *got) {
  const double x = number(w->row->type, want), y = number(w->row->type, got);
  if (isnan(x) || isnan(y)) return isnan(x) && isnan(y);
  if (is_exact(w) || isinf(x) || isinf(y)) return memcmp(want, got, w->row->size / (w->row->kind == 'c' ? 2 : 1)) == 0;
  return fabs(x - y) <= tolerance(w, x);
}

static bool is_same(const struct whole *w, const unsigned char *want, const unsigned char *got) {
  const size_t size = w->row->size;
  if (w->row->kind != 'f' && w->row->kind != 'c') return memcmp(want, got, size) == 0;
  if (w->row->kind == 'f') return is_same_number(w, want, got);
  return is_same_number(w, want, got) && is_same_number(w, want + size / 2, got + size / 2);
}

static void check_results(const struct whole *w, const struct part *p) {
  const size_t size = w->row->size;
  for (size_t scan = 0; scan < w->scans; scan++)
    for (size_t i = 0; i < results(w, p->desc.n); i++) {
      const size_t at = scan * results(w, w->n) + first_of(w) + i;
      const ptrdiff_t y = y_at(w, p, scan, i);
      if (!is_same(w, w->y + at * size, p->y + y * (ptrdiff_t)size)) {
        complain(w, "scan %zu, result %zu (%zu of %zu): %.17g, not %.17g", scan, first_of(w) + i, i, p->desc.n,
                 number(w->row->type, p->y + y * (ptrdiff_t)size), number(w->row->type, w->y + at * size));
        return;
      }
      const int64_t *index = p->desc.indices;
      if (index && index[y] != w->indices[at]) {
        complain(w, "scan %zu, index %zu: %lld, not %lld", scan, first_of(w) + i, (long long)index[y],
                 (long long)w->indices[at]);
        return;
      }
    }
}

static void check_totals(const struct whole *w, const struct part *p) {
  for (size_t scan = 0; scan < w->scans && w->desc.totals; scan++)
    if (!is_same(w, w->totals + scan * w->row->size, p->totals + scan * w->row->size)) {
      complain(w, "the total of scan %zu: %.17g, not %.17g", scan,
               number(w->row->type, p->totals + scan * w->row->size),
               number(w->row->type, w->totals + scan * w->row->size));
      return;
    }
}

static void check_case(struct whole *w, struct rng *rng) {
  if (!draw_whole(w, rng)) return;
  const mmscan_status want = scan_whole(w, rng);
  struct part p = take_part(w, rng);
  p.desc.outer = &p.outer;
  p.desc.totals = w->desc.totals ? p.totals : NULL;
  const mmscan_status got = mmscan_mpi_scan(&p.desc, p.x, p.y, MPI_COMM_WORLD);
  if (want != got) complain(w, "status %d, not %d", (int)got, (int)want);
  if (want == MMSCAN_OK && got == MMSCAN_OK) {
    check_results(w, &p);
    check_totals(w, &p);
  }
  part_free(&p);
}

/* ---- Blocks ------------------------------------------------------------------------------------------------------ */

/* What comes before everything, as a carry. */
static void put_first(const struct whole *w, unsigned char *carry) {
  const mmscan_type type = w->row->type == MMSCAN_F16 || w->row->type == MMSCAN_BF16 ? MMSCAN_F32 : w->row->type;
  const mmscan_algebra *row = mixed_row(w->desc.op, type);
  const unsigned char *own = w->desc.kind == MMSCAN_EXCLUSIVE ? row->start : row->identity;
  mmscan_desc d = MMSCAN_DESC(type, MMSCAN_PLUS, MMSCAN_INCLUSIVE, 1);
  d.x_type = w->row->type;
  for (size_t scan = 0; scan < w->scans; scan++) {
    memcpy(carry + scan * row->size, w->desc.init && type == w->row->type ? w->desc.init : own, row->size);
    if (w->desc.init && type != w->row->type) mmscan_scan(&d, w->desc.init, carry + scan * row->size);
  }
}

/* Positions from..to - 1 of the scan, over all ranks. */
static void check_block(struct whole *w, struct rng *rng, size_t from, size_t to, unsigned char *carry, void *state) {
  w->starts[0] = w->desc.reverse ? w->n - to : from;
  for (int r = 1; r < ranks; r++)
    w->starts[r] = w->starts[r - 1] + draw_below(rng, w->starts[0] + to - from - w->starts[r - 1] + 1);
  w->starts[ranks] = w->starts[0] + to - from;
  struct part p = take_part(w, rng);
  p.desc.totals = w->desc.totals ? p.totals : NULL;
  p.desc.init = NULL;
  p.desc.state = state;
  const mmscan_status status = mmscan_mpi_scan_block(&p.desc, p.x, p.y, carry, MPI_COMM_WORLD);
  if (status) complain(w, "a block from %zu to %zu: status %d", from, to, (int)status);
  if (status == MMSCAN_OK) check_results(w, &p);
  if (status == MMSCAN_OK && to == w->n && w->n > 0) check_totals(w, &p); /* of nothing they are the carries */
  part_free(&p);
}

/* Three blocks, the first of which may have no elements. */
static void check_blocks(struct whole *w, struct rng *rng) {
  static _Alignas(ELEMENT) unsigned char carry[MOST_SCANS * ELEMENT], state[MOST_SCANS * STATE];
  if (!draw_whole(w, rng) || w->desc.kind == MMSCAN_OFFSETS || w->desc.outer_rank > 0) return;
  w->desc.flags &= ~MMSCAN_CHECKED;
  w->desc.indices = NULL;
  if (scan_whole(w, rng) != MMSCAN_OK) return complain(w, "the whole of a scan in blocks fails");
  const bool is_bare = draw_below(rng, 4) == 0 && !(w->desc.flags & (MMSCAN_REPRODUCIBLE | MMSCAN_ACCURATE));
  size_t cut = draw_below(rng, w->n + 1), next = cut + draw_below(rng, w->n - cut + 1);
  cut = cut / MMSCAN_BLOCK * MMSCAN_BLOCK, next = next / MMSCAN_BLOCK * MMSCAN_BLOCK;
  if (!(w->desc.flags & MMSCAN_REPRODUCIBLE)) next += draw_below(rng, w->n - next + 1);
  put_first(w, carry);
  memset(state, 0, sizeof state);
  check_block(w, rng, 0, cut, carry, is_bare ? NULL : state);
  check_block(w, rng, cut, next, carry, is_bare ? NULL : state);
  check_block(w, rng, next, w->n, carry, is_bare ? NULL : state);
}

/* As the first rank says. */
static bool go_on(bool so) {
  int all = so;
  MPI_Bcast(&all, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return all;
}

static void test_cases(void) {
  struct rng rng = rng_of(1);
  struct whole w = {.x = room(MOST_IN_ALL * ELEMENT), .y = room((MOST_IN_ALL + MOST_SCANS) * ELEMENT)};
  w.indices = room((MOST_IN_ALL + MOST_SCANS) * sizeof *w.indices);
  const char *given = getenv("MMSCAN_TEST_SECONDS");
  const double end = MPI_Wtime() + (given ? atof(given) : 2);
  int cases = 0;
  for (; go_on(cases < LEAST_CASES || MPI_Wtime() < end); cases++) {
    w.are_many = cases % 8 >= 6;
    if (cases % 3 == 2)
      check_blocks(&w, &rng);
    else
      check_case(&w, &rng);
  }
  if (rank == 0) printf("%d cases by %d ranks\n", cases, ranks);
  free(w.x);
  free(w.y);
  free(w.indices);
}

/* ---- Failures ---------------------------------------------------------------------------------------------------- */

static void expect(bool so, const char *what) {
  if (!so) fprintf(stderr, "rank %d of %d: %s\n", rank, ranks, what);
  failures += !so;
}

/* Whether every rank has the same. */
static bool is_everywhere(mmscan_status status) {
  int all[2] = {(int)status, -(int)status}, most[2];
  MPI_Allreduce(all, most, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return most[0] == -most[1];
}

/* One rank does something wrong. */
static void expect_refused(const mmscan_desc *desc, const void *x, float *y, mmscan_status want, const char *what) {
  float before[8];
  memcpy(before, y ? y : before, sizeof before);
  const mmscan_status status = mmscan_mpi_scan(desc, x, y, MPI_COMM_WORLD);
  expect(is_everywhere(status), "ranks return different statuses");
  expect(status == want, what);
  expect(!y || memcmp(before, y, sizeof before) == 0, "y is not untouched");
}

static void test_failures(void) {
  float x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, y[8] = {0};
  const float init = rank == ranks - 1 ? 1 : 2;
  const mmscan_desc right = MMSCAN_DESC(MMSCAN_F32, MMSCAN_PLUS, MMSCAN_INCLUSIVE, COUNT(x));
  const bool is_wrong = rank == ranks - 1;
  mmscan_desc d = right;
  expect_refused(is_wrong ? NULL : &right, x, y, MMSCAN_EINVAL, "desc NULL");
  expect_refused(&right, x, is_wrong ? NULL : y, MMSCAN_EINVAL, "y NULL");
  expect_refused(&right, is_wrong ? NULL : x, y, MMSCAN_EINVAL, "x NULL");
  expect_refused(&right, is_wrong ? y + 1 : x, y, MMSCAN_EOVERLAP, "overlap");
  if (is_wrong) d.struct_size = 8;
  expect_refused(&d, x, y, MMSCAN_EINVAL, "struct_size");
  d = right;
  if (is_wrong) d.x_type = MMSCAN_F64;
  expect_refused(&d, x, y, MMSCAN_ENOTSUP, "no such pair");
  if (ranks == 1) return;
  d = right;
  if (is_wrong) d.op = MMSCAN_MAX;
  expect_refused(&d, x, y, MMSCAN_EINVAL, "another op");
  d = right;
  if (is_wrong) d.reverse = 1;
  expect_refused(&d, x, y, MMSCAN_EINVAL, "another direction");
  d = right;
  if (is_wrong) d.batch = 0;
  expect_refused(&d, x, y, MMSCAN_EINVAL, "another batch");
  d = right;
  d.init = &init;
  expect_refused(&d, x, y, MMSCAN_EINVAL, "another init");
}

/* A result that does not fit on one rank; and sums of a part that do not, where those of the whole do. */
static void test_overflow(void) {
  int8_t x[4] = {100, 0, 0, 0}, y[4];
  mmscan_desc d = MMSCAN_DESC(MMSCAN_I8, MMSCAN_PLUS, MMSCAN_INCLUSIVE, COUNT(x));
  for (int kind = MMSCAN_INCLUSIVE; kind <= MMSCAN_OFFSETS; kind++) {
    int8_t z[5];
    d.kind = (mmscan_kind)kind;
    d.flags = MMSCAN_CHECKED;
    const mmscan_status status = mmscan_mpi_scan(&d, x, z, MPI_COMM_WORLD);
    expect(is_everywhere(status), "ranks return different statuses");
    expect(status == (ranks > 1 ? MMSCAN_EOVERFLOW : MMSCAN_OK), "a sum of 200 fits into an int8_t");
  }
  d.kind = MMSCAN_EXCLUSIVE; /* the sum that does not fit is the first result of the third rank, and nobody's last */
  x[0] = 0, x[3] = rank < 2 ? 100 : 0;
  mmscan_status status = mmscan_mpi_scan(&d, x, y, MPI_COMM_WORLD);
  expect(status == (ranks > 2 ? MMSCAN_EOVERFLOW : MMSCAN_OK), "a carry of 200 fits into an int8_t");
  x[3] = 0;
  const int8_t init = -128;
  x[1] = rank == 0 && ranks > 1 ? 100 : 0, x[0] = rank == 0 || ranks == 1 ? 50 : rank == 1 ? 100 : 0;
  d.kind = MMSCAN_INCLUSIVE;
  d.init = &init;
  status = mmscan_mpi_scan(&d, x, y, MPI_COMM_WORLD);
  expect(status == MMSCAN_OK, "a sum that fits is refused");
}

/* Where results never fall in a part, they do not fall from part to part; and 0 leaves them as they were. */
static void check_monotone(uint64_t stream) {
  enum { N = 5000 };
  static float x[N], y[N];
  struct rng rng = rng_of(stream * MOST_RANKS + (uint64_t)rank);
  float last, before;
  mmscan_desc d = MMSCAN_DESC(MMSCAN_F32, MMSCAN_PLUS, MMSCAN_INCLUSIVE, N);
  d.flags = MMSCAN_MONOTONE;
  for (size_t i = 0; i < N; i++) x[i] = draw_below(&rng, 3) ? (float)fabs(draw_unit(&rng)) : 0;
  x[0] = 0;
  expect(mmscan_mpi_scan(&d, x, y, MPI_COMM_WORLD) == MMSCAN_OK, "a monotone scan");
  last = y[N - 1];
  MPI_Exscan(&last, &before, 1, MPI_FLOAT, MPI_MAX, MPI_COMM_WORLD);
  for (size_t i = 1; i < N; i++) expect(y[i] >= y[i - 1], "a result falls");
  expect(rank == 0 || y[0] == before, "a 0 changes a result from rank to rank");
}

static void test_monotone(void) {
  for (uint64_t i = 1; i <= 10; i++) check_monotone(i);
}

static void test_communicators(void) {
  float x = 1, y = 0;
  const mmscan_desc d = MMSCAN_DESC(MMSCAN_F32, MMSCAN_PLUS, MMSCAN_INCLUSIVE, 1);
  expect(mmscan_mpi_scan(&d, &x, &y, MPI_COMM_SELF) == MMSCAN_OK && y == 1, "MPI_COMM_SELF");
  expect(mmscan_mpi_scan(&d, &x, &y, MPI_COMM_NULL) == MMSCAN_EINVAL, "MPI_COMM_NULL");
  if (ranks == 1) return;
  MPI_Comm half, both;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &both);
  expect(mmscan_mpi_scan(&d, &x, &y, both) == MMSCAN_EINVAL, "an inter-communicator");
  expect(mmscan_mpi_scan(&d, &x, &y, half) == MMSCAN_OK && y == (float)(rank / 2 + 1), "half of the ranks");
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
}

/* What is kept with a communicator goes with it: more of them than MPI has at once. */
static void test_many_communicators(void) {
  float x = 1, y = 0;
  mmscan_desc d = MMSCAN_DESC(MMSCAN_F32, MMSCAN_PLUS, MMSCAN_INCLUSIVE, 1);
  for (int i = 0; i < 1500 && ranks == 2; i++) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    d.reverse = i % 2;
    expect(mmscan_mpi_scan(&d, &x, &y, comm) == MMSCAN_OK && y == (float)(d.reverse ? ranks - rank : rank + 1),
           "one of many communicators");
    MPI_Comm_free(&comm);
  }
}

static void *scan_on(void *given) {
  enum { N = 3000, SCANS = 100, TIMES = 2 };
  const MPI_Comm *comm = given;
  float *x = malloc(N * SCANS * sizeof *x), *y = malloc(N * SCANS * sizeof *y);
  mmscan_desc d = MMSCAN_DESC(MMSCAN_F32, MMSCAN_PLUS, MMSCAN_INCLUSIVE, N);
  size_t right = 0;
  d.batch = SCANS;
  d.x_dist = d.y_dist = N;
  for (size_t i = 0; x && y && i < N * SCANS; i++) x[i] = 1;
  for (int i = 0; x && y && i < TIMES; i++) {
    d.flags = i % 2 ? MMSCAN_REPRODUCIBLE : 0;
    right += mmscan_mpi_scan(&d, x, y, *comm) == MMSCAN_OK && y[N * SCANS - 1] == (float)(N * (rank + 1));
  }
  free(x);
  free(y);
  return right == TIMES ? given : NULL;
}

/* Threads call on different communicators at once. */
static void test_threads(void) {
  enum { THREADS = 2 };
  pthread_t threads[THREADS];
  MPI_Comm comms[THREADS];
  void *is_right;
  for (int i = 0; i < THREADS; i++) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, scan_on, &comms[i]);
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], &is_right);
    expect(is_right, "one of several threads");
    MPI_Comm_free(&comms[i]);
  }
}

/* What one rank cannot do, or may not: the environment is read once. */
static void test_environment(const char *variable, const char *value, mmscan_status want) {
  float x[8] = {1}, y[8] = {0};
  const mmscan_desc d = MMSCAN_DESC(MMSCAN_F32, MMSCAN_MAX, MMSCAN_INCLUSIVE, COUNT(x));
  if (rank == ranks - 1) setenv(variable, value, 1);
  expect_refused(&d, x, y, want, "an environment that is illegal on one rank");
}

/* Which allocation of the library from now on fails, counted from 1; the Makefile has the linker wrap them. */
static int failing;

static bool is_failing(void) { return failing > 0 && --failing == 0; }

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t n, size_t bytes);
int __real_posix_memalign(void **memory, size_t alignment, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t n, size_t bytes);
int __wrap_posix_memalign(void **memory, size_t alignment, size_t bytes);

void *__wrap_malloc(size_t bytes) { return is_failing() ? NULL : __real_malloc(bytes); }
void *__wrap_calloc(size_t n, size_t bytes) { return is_failing() ? NULL : __real_calloc(n, bytes); }
int __wrap_posix_memalign(void **memory, size_t alignment, size_t bytes) {
  return is_failing() ? ENOMEM : __real_posix_memalign(memory, alignment, bytes);
}

enum { PART = 2100, MANY = 150 };

/* Every allocation fails in turn, on one rank. Returns how many fail the scan: an MPI may combine what nobody asks for,
 * so that some do not. */
static int try_allocations(const mmscan_desc *desc, MPI_Comm comm, int failing_rank) {
  static float x[PART * MANY], y[PART * MANY];
  const float ranks_before = (float)(desc->reverse ? ranks - 1 - rank : rank);
  int count = 0, is_over = 0;
  for (size_t i = 0; i < COUNT(x); i++) x[i] = 1;
  for (int number = 1; !is_over; number++) {
    memset(y, 0, sizeof y);
    failing = rank == failing_rank ? number : 0;
    const mmscan_status status = mmscan_mpi_scan(desc, x, y, comm);
    is_over = failing > 0;
    failing = 0;
    MPI_Bcast(&is_over, 1, MPI_INT, failing_rank, MPI_COMM_WORLD);
    expect(is_everywhere(status), "ranks return different statuses");
    expect(status == MMSCAN_ENOMEM || status == MMSCAN_OK, "an allocation fails");
    expect(!is_over || status == MMSCAN_OK, "no allocation fails");
    const float first = PART * ranks_before + (desc->reverse ? PART : 1),
                last = PART * ranks_before + (desc->reverse ? 1 : PART);
    expect(status || (y[0] == first && y[PART * desc->batch - 1] == last), "y is wrong");
    expect(!status || desc->batch > 1 || y[0] == 0, "y is not untouched");
    count += status == MMSCAN_ENOMEM;
  }
  return count;
}

/* With a new communicator; with a known one; in a reverse scan; and in several chunks of scans, with cut tiles. */
static void test_memory(void) {
  mmscan_desc d = MMSCAN_DESC(MMSCAN_F32, MMSCAN_PLUS, MMSCAN_INCLUSIVE, PART), many = d;
  many.batch = MANY;
  many.x_dist = many.y_dist = PART;
  many.flags = MMSCAN_REPRODUCIBLE;
  MPI_Comm comm;
  for (int failing_rank = ranks - 1; ranks > 1 && failing_rank >= 0; failing_rank -= (ranks + 1) / 2) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    const int first = try_allocations(&d, comm, failing_rank), later = try_allocations(&d, comm, failing_rank);
    expect(first > later && later > 0, "allocations do not fail the scan");
    d.reverse = !d.reverse;
    try_allocations(&d, comm, failing_rank);
    expect(try_allocations(&many, comm, failing_rank) > 0, "allocations do not fail many scans");
    MPI_Comm_free(&comm);
  }
}

int main(int argc, char **argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc > 3) {
    test_environment(argv[1], argv[2], (mmscan_status)atoi(argv[3]));
  } else if (argc > 1) {
    if (provided == MPI_THREAD_MULTIPLE) test_threads();
  } else {
    mixed_find_rows();
    test_cases();
    test_failures();
    test_overflow();
    test_monotone();
    test_communicators();
    test_many_communicators();
    test_memory();
  }
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return all > 0;
}
