/* timing.c: rounds and medians. */
#include "timing.h"
#include "statistics.h"
#include "suspect.h"
#include "threads.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double SHORTEST = 1e-3; /* seconds: long against the resolution of the clock */
static const double BRIEF = 0.1e-3;  /* the same, but so short that another program disturbs few */
static const double LONG = 10e-3;    /* long against warming up and waking threads */
static const double PATIENCE = 20e-3;
static const double SPAN = 0.75;  /* of a duel whose rounds are not given */
static const double PAUSE = 5e-3; /* longer than OpenMP's threads spin after a run */
enum { SLICES = 64, LEAST_ROUNDS = 10, MOST_ROUNDS = 10000 };

double timing_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double share = 1;

void timing_be_brief(void) { share = 1.0 / 20; }

double timing_shortened(double seconds) { return share * seconds; }

/* ---- Results that are right -------------------------------------------------------------------------------------- */

static void check(contender *c) {
  const size_t n = c->race->n;
  if (c->verify == NULL || c->refusal[0] != '\0') return;
  suspect(c->name);
  const size_t place = c->verify(c);
  suspect(NULL);
  if (place == n) return;
  c->is_wrong = true;
  snprintf(c->refusal, sizeof c->refusal, "WRONG result, first at element %zu of %zu", place, n);
}

void timing_check(race *r) {
  for (size_t i = 0; i < r->count; i++) check(&r->contenders[i]);
}

/* ---- Rounds ------------------------------------------------------------------------------------------------------ */

/* After a run, OpenMP's threads spin for some milliseconds, on cores that other threads need. */
static void settle(void) { nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * timing_shortened(PAUSE))}, NULL); }

static void make_ready(const contender *c) {
  if (c->settle)
    settle();
  else if (c->threads > 1)
    threads_spread(c->threads);
}

/* Mean seconds of a run, over up to `runs` runs. Where another program takes a core away, threads that wait for each
 * other are a thousand times slower: the remaining runs are then skipped. */
static double time_runs(const contender *c, long runs) {
  const long slice = (runs + SLICES - 1) / SLICES;
  double seconds = 0;
  long done = 0;
  do {
    seconds += c->run(c, slice);
    done += slice;
  } while (done < runs && seconds < timing_shortened(PATIENCE));
  return seconds / (double)done;
}

/* How a contender is timed: so many runs a round; if they are short, after one that warms the caches and wakes the
 * threads. */
typedef struct manner {
  long runs;
  bool warms;
} manner;

static manner manner_of(const contender *c, double shortest) {
  make_ready(c);
  manner m = {.runs = 1, .warms = c->run(c, 1) < timing_shortened(LONG)};
  while (m.warms && time_runs(c, m.runs) * (double)m.runs < shortest) m.runs *= 2;
  return m;
}

/* The runs that the manner was found by may have been held up: a round that was too short changes it for the rounds
 * after. */
static double time_once(const contender *c, manner *m) {
  make_ready(c);
  if (m->warms) c->run(c, 1);
  const double seconds = time_runs(c, m->runs);
  m->warms = m->warms || seconds < timing_shortened(LONG);
  while (seconds > 0 && seconds * (double)m->runs < timing_shortened(SHORTEST)) m->runs *= 2;
  return seconds;
}

/* Of sorted values, a quarter of which lie below the first quartile, and a quarter above the third; between two values
 * it is interpolated. */
static double quartile(const double *sorted, int count, int which) {
  const double place = 0.25 * which * (count - 1);
  const int below = (int)place, above = below + 1 < count ? below + 1 : below;
  return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
}

static bool has_threads(const race *r) {
  for (size_t i = 0; i < r->count; i++)
    if (contender_is_timed(&r->contenders[i]) && r->contenders[i].threads > 1) return true;
  return false;
}

static void shuffle(size_t *order, size_t count, unsigned short state[3]) {
  for (size_t left = count; left > 1; left--) {
    const size_t other = (size_t)nrand48(state) % left, last = order[left - 1];
    order[left - 1] = order[other];
    order[other] = last;
  }
}

/* A row of seconds for each contender, and one for handoffs. Each round has another order, since a contender finds in
 * the caches what the one before it wrote. */
static void time_rounds(race *r, int rounds, double *seconds) {
  const bool threads = has_threads(r);
  unsigned short state[3] = {0}; /* of the random numbers: the same orders in each race */
  size_t order[MOST_CONTENDERS], count = 0;
  manner manners[MOST_CONTENDERS];
  for (size_t i = 0; i < r->count; i++)
    if (contender_is_timed(&r->contenders[i])) order[count++] = i;
  for (size_t i = 0; i < count; i++)
    manners[order[i]] = manner_of(&r->contenders[order[i]], timing_shortened(SHORTEST));
  for (int round = 0; round < rounds; round++) {
    shuffle(order, count, state);
    for (size_t i = 0; i < count; i++)
      seconds[order[i] * (size_t)rounds + (size_t)round] = time_once(&r->contenders[order[i]], &manners[order[i]]);
    seconds[r->count * (size_t)rounds + (size_t)round] = threads ? threads_handoff() : 0;
  }
}

/* A run that failed gives NaN. One such round is enough to refuse the contender. */
static bool has_failed(const double *seconds, int rounds) {
  for (int i = 0; i < rounds; i++)
    if (!(seconds[i] > 0)) return true;
  return false;
}

static void keep_rounds(contender *c, double *seconds, int rounds) {
  if (has_failed(seconds, rounds)) {
    snprintf(c->refusal, sizeof c->refusal, "failed while it was timed");
    return;
  }
  c->seconds = statistics_median(seconds, rounds);
  c->fastest = seconds[0];
  c->quartile[0] = quartile(seconds, rounds, 1);
  c->quartile[1] = quartile(seconds, rounds, 3);
}

/* The fastest copy on at most as many threads as the bound has: at small n, fewer threads copy faster. */
static void find_bound(const race *r, contender *bound) {
  bound->seconds = INFINITY;
  for (size_t i = 0; i < r->count; i++) {
    const contender *c = &r->contenders[i];
    if (c->role != ROLE_COPY || c->threads > bound->threads || c->seconds >= bound->seconds) continue;
    bound->seconds = c->seconds;
    bound->fastest = c->fastest;
    memcpy(bound->quartile, c->quartile, sizeof bound->quartile);
  }
}

bool timing_race(race *r, int rounds) {
  double *seconds = malloc((r->count + 1) * (size_t)rounds * sizeof *seconds);
  if (seconds == NULL) return false;
  if (r->in_place) memset(r->y, 0, r->n * r->to->size); /* scans of scans of anything else would overflow */
  time_rounds(r, rounds, seconds);
  for (size_t i = 0; i < r->count; i++)
    if (contender_is_timed(&r->contenders[i])) keep_rounds(&r->contenders[i], seconds + i * (size_t)rounds, rounds);
  r->handoff = statistics_median(seconds + r->count * (size_t)rounds, rounds);
  for (size_t i = 0; i < r->count; i++)
    if (r->contenders[i].role == ROLE_BOUND) find_bound(r, &r->contenders[i]);
  free(seconds);
  return true;
}

/* ---- Duels ------------------------------------------------------------------------------------------------------- */

/* What is kept of a round. Rounds in which the first leads come before the others, so that each can be sorted. */
enum { FIRST, SECOND, RATIO, KEPT };

/* The manner of the one that needs more runs. */
static manner common_manner(const contender *first, const contender *second) {
  const manner a = manner_of(first, timing_shortened(BRIEF)), b = manner_of(second, timing_shortened(BRIEF));
  return (manner){.runs = a.runs > b.runs ? a.runs : b.runs, .warms = a.warms || b.warms};
}

static double time_in_manner(const contender *c, const manner *m) {
  make_ready(c);
  if (m->warms) c->run(c, 1);
  return time_runs(c, m->runs);
}

static void time_round(const contender *const pair[2], int leader, const manner *m, double kept[KEPT]) {
  kept[leader] = time_in_manner(pair[leader], m);
  kept[1 - leader] = time_in_manner(pair[1 - leader], m);
  kept[RATIO] = kept[SECOND] / kept[FIRST];
}

/* rounds[leader][what][i]. It may matter who leads: the ratios are then in two heaps, and their common median would be
 * in either. So each heap has its own median, and what counts is the geometric mean of the two. */
static void judge(duel *d, double *rounds[2][KEPT]) {
  double medians[2][KEPT];
  for (int leader = 0; leader < 2; leader++)
    for (int i = 0; i < KEPT; i++) medians[leader][i] = statistics_median(rounds[leader][i], d->rounds / 2);
  for (int who = FIRST; who <= SECOND; who++) {
    d->seconds[who] = sqrt(medians[0][who] * medians[1][who]);
    d->fastest[who] = fmin(rounds[0][who][0], rounds[1][who][0]);
  }
  d->ratio = sqrt(medians[0][RATIO] * medians[1][RATIO]);
}

bool timing_duel(const contender *first, const contender *second, int rounds, duel *d) {
  const contender *const pair[] = {first, second};
  const int most = rounds > 0 ? rounds + rounds % 2 : MOST_ROUNDS, least = rounds > 0 ? most : LEAST_ROUNDS;
  double *all = malloc((size_t)most * KEPT * sizeof *all), *kept[2][KEPT], round[KEPT];
  if (all == NULL) return false;
  for (int i = 0; i < 2 * KEPT; i++) kept[i / KEPT][i % KEPT] = all + i * (most / 2);
  const manner m = common_manner(first, second);
  const double end = timing_now() + timing_shortened(SPAN);
  *d = (duel){.runs = m.runs};
  while (d->rounds < least || d->rounds % 2 == 1 || (d->rounds < most && timing_now() < end)) {
    const int leader = d->rounds % 2;
    time_round(pair, leader, &m, round);
    for (int i = 0; i < KEPT; i++) kept[leader][i][d->rounds / 2] = round[i];
    d->rounds++;
  }
  judge(d, kept);
  free(all);
  return true;
}
