/* pays.c: a few numbers that all threads share: what waits were like of late, and what runs took. */
#include "team/pays.h"

#include "base/clock.h"
#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

/* ---- Other work ----------------------------------------------------------------------------------------------- */

/* Nanoseconds. SLICE: longer than any wait for threads to be woken, and for their last tiles. LONGEST: no wait for the
 * time slices of others is longer, so no more is counted; a process that was stopped for an hour was not held up for an
 * hour. USUAL: a time slice. */
static const double SLICE = 1e6, LONGEST = 100e6, USUAL = 5e6;

/* HOLDS: after such a wait, one thread does all runs for so many times as long, so that whatever holds runs up does so
 * for a small part of the time. REPAYS: and runs that would have saved so many times as much, for the same reason where
 * there are pauses between runs. */
enum { HOLDS = 10, REPAYS = 4 };

static _Atomic uint64_t held_until; /* 0: never held up */
static _Atomic int64_t debt;        /* nanoseconds that are still to be forgone */

bool mms_pays_contended(void) {
  const uint64_t end = atomic_load_explicit(&held_until, memory_order_relaxed);
  return end != 0 && mms_clock() < (double)end;
}

bool mms_pays_owes(void) { return atomic_load_explicit(&debt, memory_order_relaxed) > 0; }

/* Whether one thread does a run that would save so much, and some of the debt is paid by that. */
static bool repays(double saves) {
  if (!mms_pays_owes()) return false;
  atomic_fetch_sub_explicit(&debt, (int64_t)saves, memory_order_relaxed);
  return true;
}

/* A wait that is no longer than the work besides is none for a time slice. */
void mms_pays_record(double took, double waited) {
  if (waited <= took / 2 || waited <= SLICE) return;
  const double held_up = waited < LONGEST ? waited : LONGEST, now = mms_clock();
  atomic_store_explicit(&held_until, (uint64_t)(now + HOLDS * held_up), memory_order_relaxed);
  atomic_store_explicit(&debt, (int64_t)(REPAYS * (held_up < USUAL ? held_up : USUAL)), memory_order_relaxed);
}

/* ---- Experience ----------------------------------------------------------------------------------------------- */

/* Runs in succession in which a way shows what it takes: after pauses; and without, where the first ones move data
 * between caches. Of two ways that are equally fast, the one not taken is tried after SELDOM times as many: so tries
 * cost a hundredth of the time, and less than one run in a hundred takes more than twice as long. */
static const int row[2] = {64, 8};
enum { SELDOM = 32 };

/* A try ends early with a run that takes twice as long as the other way, after so many for caches. */
enum { HOPELESS = 2, PATIENCE = 4 };

/* Only runs that save less than 2^CLASSES nanoseconds: to wake a team takes nothing beside a longer one. */
enum { CLASSES = 18 };

/* What runs took over what a team was estimated to save, which is not the same in all runs of a class: what the faster
 * ones took, as what holds up the others has little to do with the way. In one word, as threads may write it at once:
 * then one of the two runs is lost. */
typedef struct seen {
  float ratio;
  int32_t runs;
} seen;

/* Runs that would save from 2^k to 2^(k + 1) nanoseconds. */
typedef struct experience {
  _Atomic uint64_t by_team, by_one; /* seen */
  atomic_int left;                  /* runs until the slower way is tried; not above 0: it is being tried, */
  atomic_bool tries_team;           /* and is this one */
} experience;

enum { SORTS = 16 };
static experience known[SORTS][CLASSES];

static size_t index_of(mms_pays_sort s) {
  return (size_t)s.rested | (size_t)s.in_place << 1 | (size_t)s.streams << 2 | (size_t)s.are_many << 3;
}

/* NULL: there is nothing to learn. */
static experience *of(double saves, mms_pays_sort sort) {
  const int k = ilogb(saves);
  return k < CLASSES ? &known[index_of(sort)][k < 0 ? 0 : k] : NULL;
}

static seen get(_Atomic uint64_t *from) {
  const uint64_t word = atomic_load_explicit(from, memory_order_relaxed);
  seen s;
  memcpy(&s, &word, sizeof s);
  return s;
}

static void put(_Atomic uint64_t *to, seen s) {
  uint64_t word;
  memcpy(&word, &s, sizeof word);
  atomic_store_explicit(to, word, memory_order_relaxed);
}

/* The loss by a try grows with the ratio of the two, and a try is the less likely to change anything. */
static int runs_until_next_try(float a, float b, bool rested) {
  if (!(a > 0 && b > 0)) return SELDOM * row[rested];
  const double times = a > b ? (double)a / (double)b : (double)b / (double)a;
  return (int)(SELDOM * row[rested] * (times < 100 ? times * times : 100 * 100));
}

static bool team_is_faster(experience *e, bool rested) {
  const seen team = get(&e->by_team), one = get(&e->by_one);
  if (team.runs < row[rested]) return true;
  const bool is = one.runs == 0 || team.ratio < one.ratio;
  const int left = atomic_fetch_sub_explicit(&e->left, 1, memory_order_relaxed);
  if (left > 0) return is;
  if (left == 0) atomic_store_explicit(&e->tries_team, !is, memory_order_relaxed);
  if (left > -row[rested]) return atomic_load_explicit(&e->tries_team, memory_order_relaxed);
  atomic_store_explicit(&e->left, runs_until_next_try(team.ratio, one.ratio, rested), memory_order_relaxed);
  return is;
}

bool mms_pays(double saves, mms_pays_sort sort) {
  if (mms_pays_contended()) return false;
  if (isinf(saves)) return true;
  experience *e = of(saves, sort);
  return !repays(saves) && (!e || team_is_faster(e, sort.rested));
}

/* Follows faster runs at once, and slower ones slowly: a single slow one says little. */
static seen after(seen s, float ratio, int32_t most_runs) {
  const float most = 1.5f * s.ratio;
  if (s.runs == 0)
    s.ratio = ratio;
  else if (ratio < s.ratio)
    s.ratio += (ratio - s.ratio) / 2;
  else
    s.ratio += ((ratio < most ? ratio : most) - s.ratio) / 8;
  s.runs += s.runs < most_runs;
  return s;
}

/* Whether the way that is being tried is not worth more runs. */
static bool is_hopeless(experience *e, bool by_team, float ratio, const seen *other) {
  const int left = atomic_load_explicit(&e->left, memory_order_relaxed);
  const bool is_tried = left <= -PATIENCE && by_team == atomic_load_explicit(&e->tries_team, memory_order_relaxed);
  return is_tried && other->runs > 0 && ratio > HOPELESS * other->ratio;
}

/* Nanoseconds of a pause, in which OpenMP's threads may fall asleep. It is a pause of the program's calls, not of
 * teams: by one thread, call after call, a run would else be taken to be rested for ever. */
static const double PAUSE = 1e6;
static _Thread_local double last_end;

bool mms_pays_rested(void) { return mms_clock() - last_end > PAUSE; }

/* What was held up is left out: that is what the debt is for. */
void mms_pays_learn(double saves, mms_pays_sort sort, bool by_team, double start, double end) {
  experience *e = of(saves, sort);
  const bool rested = sort.rested;
  last_end = end;
  if (!e || (by_team && mms_pays_contended())) return;
  _Atomic uint64_t *to = by_team ? &e->by_team : &e->by_one;
  const seen other = get(by_team ? &e->by_one : &e->by_team);
  const float ratio = (float)((end - start) / saves);
  const seen s = after(get(to), ratio, row[rested]);
  put(to, s);
  if (is_hopeless(e, by_team, ratio, &other))
    atomic_store_explicit(&e->left, runs_until_next_try(s.ratio, other.ratio, rested), memory_order_relaxed);
}
