/* standing.c: where each unit stands in a contest. */
#include "standing.h"

#include <math.h>
#include <stdlib.h>

/* ---- The best of a unit ------------------------------------------------------------------------------------------ */

static double operations(const contender *c) { return c != NULL && c->refusal[0] == '\0' ? contender_flops(c) : 0; }

static const contender *faster(const contender *a, const contender *b) {
  if (contest_elements(b) > contest_elements(a)) return b;
  return contest_elements(a) > 0 ? a : NULL;
}

/* The product with the most operations a second. Only plain and chunked gemm count: trmm leaves out half of the
 * operations, and bfloat16 has half the precision. */
static const contender *busier(const race *r, const bench_unit *unit, const contender *best) {
  for (int kind = 0; kind < PRODUCTS; kind++) {
    const contender *p = contest_product(r, unit, kind);
    const bool counts = products[kind].form == MMSCAN_PRODUCT_CHUNKED || products[kind].form == MMSCAN_PRODUCT_GEMM;
    if (counts && operations(p) > operations(best)) best = p;
  }
  return best;
}

/* The s, from `least` on, of the fastest long scan on the most threads. 0: there is none. */
static size_t fastest_s(const contest *c, const bench_unit *unit, size_t least) {
  const contender *best = NULL;
  for (int k = 0; k < CONTEST_SIZES; k++)
    if (contest_sizes[k] >= least)
      best = faster(best, contest_scan(&c->races[CONTEST_SCANS], unit, contest_sizes[k], contest_threads(c)));
  return best != NULL ? best->s : 0;
}

static placing placing_of(const contest *c, const bench_unit *unit, size_t least) {
  const race *scans = &c->races[CONTEST_SCANS];
  placing p = {.s = fastest_s(c, unit, least)};
  for (int i = 0; i < CONTEST_SIZES; i++) {
    if (contest_sizes[i] < least) continue;
    p.product = faster(p.product, contest_product(&c->races[i], unit, PRODUCT_TILES));
    p.product = faster(p.product, contest_product(&c->races[i], unit, PRODUCT_TILES_BY_ROWS));
  }
  if (p.s == 0) return p;
  p.most = faster(NULL, contest_scan(scans, unit, p.s, contest_threads(c)));
  p.one = faster(NULL, contest_scan(scans, unit, p.s, c->request->threads[0]));
  return p;
}

static standing standing_of(const contest *c, const bench_unit *unit) {
  standing s = {.unit = unit};
  if (unit->failure[0] != '\0') return s;
  s.all = placing_of(c, unit, 0);
  s.multiplied = placing_of(c, unit, LEAST_MULTIPLIED);
  for (int i = 0; i <= CONTEST_PEAK; i++) s.peak = busier(&c->races[i], unit, s.peak);
  return s;
}

/* ---- Ranks ------------------------------------------------------------------------------------------------------- */

/* A unit that failed ranks behind one that was merely not timed. */
static double merit(const standing *s) { return s->unit->failure[0] != '\0' ? -1 : contest_elements(s->all.most); }

static int better_first(const void *a, const void *b) {
  const double x = merit(a), y = merit(b);
  return (x < y) - (x > y);
}

static int faster_first(const void *a, const void *b) {
  const placing *const *p = a, *const *q = b;
  const double x = contest_elements((*p)->most), y = contest_elements((*q)->most);
  return (x < y) - (x > y);
}

/* The seconds below which no spread of these reaches. */
static double least_seconds(placing *const list[], size_t count) {
  double least = INFINITY;
  for (size_t i = 0; i < count; i++)
    if (list[i]->most != NULL) least = fmin(least, list[i]->most->quartile[0]);
  return least;
}

/* Sorts the list. A rank ends where all after it are slower than all before it, which the next of them alone does not
 * tell: one that is slower at the median may spread further. */
static void set_ranks(placing *list[], size_t count) {
  double slowest = 0;
  size_t rank = 0;
  qsort(list, count, sizeof *list, faster_first);
  for (size_t i = 0; i < count && list[i]->most != NULL; i++) {
    if (least_seconds(list + i, count - i) > slowest) rank = i + 1;
    list[i]->rank = rank;
    slowest = fmax(slowest, list[i]->most->quartile[1]);
  }
}

void standing_rank(const contest *c, standing rows[MOST_UNITS]) {
  placing *all[MOST_UNITS] = {NULL}, *multiplied[MOST_UNITS] = {NULL};
  const size_t count = c->list.count;
  for (size_t i = 0; i < count; i++) rows[i] = standing_of(c, &c->list.units[i]);
  qsort(rows, count, sizeof *rows, better_first);
  for (size_t i = 0; i < count; i++) {
    all[i] = &rows[i].all;
    multiplied[i] = &rows[i].multiplied;
  }
  set_ranks(all, count);
  set_ranks(multiplied, count);
}
