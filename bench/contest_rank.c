/* contest_rank.c: ranks the units by speed.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "contest.h"

#include <stdlib.h>
#include <string.h>

/* ---- Looking up -------------------------------------------------------------------------------------------------- */

const contender *contest_product(const race *r, const bench_unit *unit, product_kind kind) {
  for (size_t i = 0; i < r->count; i++)
    if (r->contenders[i].unit == unit && r->contenders[i].form == (int)kind) return &r->contenders[i];
  return NULL;
}

const contender *contest_scan(const race *r, const bench_unit *unit, size_t s, int threads) {
  for (size_t i = 0; i < r->count; i++) {
    const contender *c = &r->contenders[i];
    if (c->unit == unit && c->threads == threads && c->s == s) return c;
  }
  return NULL;
}

double contest_elements(const contender *c) { return c != NULL && c->refusal[0] == '\0' ? contender_speed(c) : 0; }

double contest_operations(const contender *c) { return c != NULL && c->refusal[0] == '\0' ? contender_flops(c) : 0; }

const char *contest_refusal(const contest *c, const bench_unit *unit, product_kind kind) {
  const contender *p = contest_product(&c->races[0], unit, kind);
  for (int i = 1; i < CONTEST_SIZES && contest_elements(p) == 0; i++) p = contest_product(&c->races[i], unit, kind);
  return p != NULL ? p->refusal : NULL;
}

int contest_threads(const contest *c) { return c->request->threads[c->request->thread_counts - 1]; }

/* ---- The ranking ------------------------------------------------------------------------------------------------- */

static const contender *faster(const contender *a, const contender *b) {
  if (contest_elements(b) > contest_elements(a)) return b;
  return contest_elements(a) > 0 ? a : NULL;
}

/* Whether it certainly has one thread: a library whose threads cannot be set may have more. */
static bool is_on_one_thread(const contender *p) {
  return products[p->form].tiles || products[p->form].one_thread || p->unit->threads == 1;
}

/* The product with the most operations a second. Only plain and chunked gemm count: trmm leaves out half of the
 * operations, and bfloat16 has half the precision. */
static const contender *busiest(const race *r, const bench_unit *unit, bool one_thread, const contender *best) {
  for (int kind = 0; kind < PRODUCTS; kind++) {
    const contender *p = contest_product(r, unit, kind);
    const bool counts = products[kind].form == MMSCAN_PRODUCT_CHUNKED || products[kind].form == MMSCAN_PRODUCT_GEMM;
    if (counts && contest_operations(p) > contest_operations(best) && (!one_thread || is_on_one_thread(p))) best = p;
  }
  return best;
}

const contender *contest_peak(const contest *c, const bench_unit *unit, bool one_thread) {
  const contender *best = NULL;
  for (int i = 0; i <= CONTEST_PEAK; i++) best = busiest(&c->races[i], unit, one_thread, best);
  return best;
}

/* Measured on the largest products, which give threads the most to do. */
static double gain_of_threads(const contest *c, const bench_unit *unit) {
  const race *r = &c->races[CONTEST_PEAK];
  const double alone = contest_elements(contest_product(r, unit, PRODUCT_WHOLE_ONE_THREAD));
  return alone > 0 ? contest_elements(contest_product(r, unit, PRODUCT_WHOLE)) / alone : 0;
}

/* The s of the fastest long scan on the most threads. 0: there is none. */
static size_t fastest_s(const contest *c, const bench_unit *unit) {
  const contender *best = NULL;
  for (int k = 0; k < CONTEST_SIZES; k++)
    best = faster(best, contest_scan(&c->races[CONTEST_SCANS], unit, contest_sizes[k], contest_threads(c)));
  return best != NULL ? best->s : 0;
}

static const char *scan_refusal(const contest *c, const bench_unit *unit) {
  for (int race_index = CONTEST_SCANS; race_index >= CONTEST_CHOICE; race_index--) {
    const race *r = &c->races[race_index];
    for (size_t i = 0; i < r->count; i++)
      if (r->contenders[i].unit == unit && r->contenders[i].refusal[0] != '\0') return r->contenders[i].refusal;
  }
  return "not timed";
}

static standing standing_of(const contest *c, const bench_unit *unit) {
  standing s = {.unit = unit};
  if (unit->failure[0] != '\0') return s;
  for (int i = 0; i < CONTEST_SIZES; i++) {
    s.product = faster(s.product, contest_product(&c->races[i], unit, PRODUCT_TILES));
    s.product = faster(s.product, contest_product(&c->races[i], unit, PRODUCT_TILES_BY_ROWS));
  }
  s.peak = contest_peak(c, unit, false);
  s.gain = gain_of_threads(c, unit);
  s.s = fastest_s(c, unit);
  if (s.s == 0) s.refusal = scan_refusal(c, unit);
  for (size_t i = 0; i < c->request->thread_counts && s.s != 0; i++)
    s.scans[i] = faster(NULL, contest_scan(&c->races[CONTEST_SCANS], unit, s.s, c->request->threads[i]));
  return s;
}

/* The speed on the most threads. A unit that failed ranks behind one that was merely not timed. */
static double merit(const standing *s) {
  double best = s->unit->failure[0] != '\0' ? -1 : 0;
  for (int i = 0; i < MOST_THREAD_COUNTS; i++)
    if (s->scans[i] != NULL) best = contest_elements(s->scans[i]);
  return best;
}

static int faster_first(const void *a, const void *b) {
  const double x = merit(a), y = merit(b);
  return (x < y) - (x > y);
}

void contest_rank(contest *c) {
  for (size_t i = 0; i < c->list.count; i++) c->ranking[i] = standing_of(c, &c->list.units[i]);
  qsort(c->ranking, c->list.count, sizeof *c->ranking, faster_first);
}
