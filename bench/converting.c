/* converting.c: runs of races into another type. */
#include "converting.h"
#include "bound.h"
#include "peer_pairs.h"
#include "timing.h"

#include <omp.h>

enum { PIECE = 4096, LINE = 64, MOST_THREADS = 1024, WIDEST = 16 };

static const peer_pair *pair_of(const race *r) { return peer_pair_of(r->number->name, r->to->name); }

const char *converting_refusal(const number *x, const number *y) {
  if (peer_pair_of(x->name, y->name) == NULL) return "there is no loop to compare it with";
  return peers_refusal(&peer_pairs_built);
}

/* ---- Elements of a thread ---------------------------------------------------------------------------------------- */

typedef struct share {
  size_t n;
  const char *x;
  char *y;
} share;

/* Whole lines of x and y, but for the last one. */
static share share_of(const race *r, size_t index, size_t count) {
  const size_t lines = (r->n + LINE - 1) / LINE, first = lines * index / count * LINE,
               last = lines * (index + 1) / count * LINE;
  return (share){(last < r->n ? last : r->n) - first, (const char *)r->x + first * r->number->size,
                 (char *)r->y + first * r->to->size};
}

/* Calls a function for the share of each thread. */
static void share_out(const contender *c, void (*work)(const race *, share)) {
  if (c->threads == 1)
    work(c->race, share_of(c->race, 0, 1));
  else
#pragma omp parallel num_threads(c->threads)
    work(c->race, share_of(c->race, (size_t)omp_get_thread_num(), (size_t)omp_get_num_threads()));
}

/* ---- Copying ----------------------------------------------------------------------------------------------------- */

static void copy(const race *r, share s) { pair_of(r)->copy(s.n, s.x, s.y); }

/* By way of a piece that stays in the nearest cache. */
static void stream(const race *r, share s) {
  const peer_pair *pair = pair_of(r);
  _Alignas(LINE) char piece[PIECE];
  const size_t most = PIECE / r->to->size;
  for (size_t done = 0, m; done < s.n; done += m) {
    m = s.n - done < most ? s.n - done : most;
    pair->copy(m, s.x + done * r->number->size, piece);
    bound_stream(m * r->to->size, piece, s.y + done * r->to->size, 1);
  }
}

void converting_copy(const contender *c) { share_out(c, copy); }

void converting_stream(const contender *c) { share_out(c, stream); }

/* ---- Scans ------------------------------------------------------------------------------------------------------- */

static double run_rows(const contender *c, long runs, peer_pair_scan *scan) {
  static const _Alignas(LINE) char zero[WIDEST];
  const race *r = c->race;
  const size_t row = race_row(r);
  const double start = timing_now();
  for (long i = 0; i < runs; i++)
    for (size_t at = 0; at < r->n; at += row)
      scan(row, (const char *)r->x + at * r->number->size, (char *)r->y + at * r->to->size, zero);
  return timing_now() - start;
}

double converting_loop(const contender *c, long runs) { return run_rows(c, runs, pair_of(c->race)->loop); }

double converting_simd(const contender *c, long runs) { return run_rows(c, runs, pair_of(c->race)->simd); }

typedef struct line {
  _Alignas(LINE) char sum[WIDEST];
} line;

/* From the sum of each share to that of all before it. */
static void add_up(const peer_pair *pair, int shares, line *sums) {
  line before = {{0}};
  for (int i = 0; i < shares; i++) {
    const line own = sums[i];
    sums[i] = before;
    pair->add(before.sum, own.sum);
  }
}

/* Each thread sums its share, and then scans it, from the sum of those before. */
static void scan_shares(const race *r, int threads) {
  static line sums[MOST_THREADS];
  const peer_pair *pair = pair_of(r);
#pragma omp parallel num_threads(threads < MOST_THREADS ? threads : MOST_THREADS)
  {
    const int own = omp_get_thread_num(), all = omp_get_num_threads();
    const share s = share_of(r, (size_t)own, (size_t)all);
    pair->sum(s.n, s.x, sums[own].sum);
#pragma omp barrier
#pragma omp single
    add_up(pair, all, sums);
    pair->simd(s.n, s.x, s.y, sums[own].sum);
  }
}

double converting_two_pass(const contender *c, long runs) {
  const double start = timing_now();
  for (long i = 0; i < runs; i++) scan_shares(c->race, c->threads);
  return timing_now() - start;
}
