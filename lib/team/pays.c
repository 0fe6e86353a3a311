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
 * hour. */
static const double SLICE = 1e6, LONGEST = 100e6;

/* After such a wait, one thread does all runs for so many times as long, so that whatever holds runs up does so for a
 * small part of the time. */
enum { HOLDS = 10 };

static _Atomic uint64_t held_until;  /* 0: never held up */
static _Atomic uint64_t debt, since; /* nanoseconds that teams were held up, less what was forgotten until then */

bool mms_pays_contended(void) {
  const uint64_t end = atomic_load_explicit(&held_until, memory_order_relaxed);
  return end != 0 && mms_clock() < (double)end;
}

/* Half of it is forgotten each second. */
static uint64_t debt_at(uint64_t now) {
  const uint64_t all = atomic_load_explicit(&debt, memory_order_relaxed);
  const uint64_t seconds = all ? (now - atomic_load_explicit(&since, memory_order_relaxed)) / 1000000000 : 0;
  return seconds < 64 ? all >> seconds : 0;
}

double mms_pays_debt(void) {
  return atomic_load_explicit(&debt, memory_order_relaxed) ? (double)debt_at((uint64_t)mms_clock()) : 0;
}

/* A wait that is no longer than the work besides is none for a time slice. */
void mms_pays_record(double took, double waited) {
  if (waited <= took / 2 || waited <= SLICE) return;
  const double held_up = waited < LONGEST ? waited : LONGEST, now = mms_clock();
  const uint64_t owed = debt_at((uint64_t)now) + (uint64_t)held_up;
  atomic_store_explicit(&held_until, (uint64_t)(now + HOLDS * held_up), memory_order_relaxed);
  atomic_store_explicit(&since, (uint64_t)now, memory_order_relaxed);
  atomic_store_explicit(&debt, owed, memory_order_relaxed);
}

/* ---- Experience ----------------------------------------------------------------------------------------------- */

/* FEW: runs of each kind before they are compared. RECENT: a run counts for one in so many. SELDOM: of two ways that
 * are equally fast, the one not taken is tried once in so many runs, or less than one in a hundred would take longer. */
enum { FEW = 4, RECENT = 8, SELDOM = 128, CLASSES = 40 };

/* What runs took over what a team was estimated to save, which is not the same in all runs of a class: a mean. In one
 * word, as threads may write it at once: then one of the two runs is lost. */
typedef struct mean {
  float ratio;
  uint32_t runs;
} mean;

/* Runs that would save from 2^k to 2^(k + 1) nanoseconds. */
typedef struct experience {
  _Atomic uint64_t by_team, by_one; /* a mean each */
  atomic_int left;                  /* runs until the slower way is tried */
} experience;

static experience known[2][CLASSES];

static experience *of(double saves, bool rested) {
  const int k = ilogb(saves);
  return &known[rested][k < 0 ? 0 : k < CLASSES ? k : CLASSES - 1];
}

static mean get(_Atomic uint64_t *from) {
  const uint64_t word = atomic_load_explicit(from, memory_order_relaxed);
  mean m;
  memcpy(&m, &word, sizeof m);
  return m;
}

static void put(_Atomic uint64_t *to, mean m) {
  uint64_t word;
  memcpy(&word, &m, sizeof word);
  atomic_store_explicit(to, word, memory_order_relaxed);
}

/* The loss by a try grows with the ratio of the two, and a try is the less likely to change anything. */
static int runs_until_next_try(float slower, float faster) {
  const double times = (double)slower / (double)faster;
  return times < 1000 ? (int)(SELDOM * times * times) : SELDOM * 1000 * 1000;
}

static bool team_is_faster(experience *e) {
  const mean team = get(&e->by_team), one = get(&e->by_one);
  if (team.runs < FEW) return true;
  if (one.runs < FEW) return false;
  const bool is = team.ratio < one.ratio;
  if (atomic_fetch_sub_explicit(&e->left, 1, memory_order_relaxed) > 0) return is;
  const int next = is ? runs_until_next_try(one.ratio, team.ratio) : runs_until_next_try(team.ratio, one.ratio);
  atomic_store_explicit(&e->left, next, memory_order_relaxed);
  return !is;
}

bool mms_pays(double saves, bool rested) {
  if (mms_pays_contended()) return false;
  return isinf(saves) || (saves >= mms_pays_debt() && team_is_faster(of(saves, rested)));
}

/* What was held up is left out: that is what the debt is for. */
void mms_pays_learn(double saves, bool rested, bool by_team, double took) {
  experience *e = of(saves, rested);
  _Atomic uint64_t *to = by_team ? &e->by_team : &e->by_one;
  mean m = get(to);
  if (by_team && mms_pays_contended()) return;
  m.runs += m.runs < RECENT;
  m.ratio += ((float)(took / saves) - m.ratio) / (float)m.runs;
  put(to, m);
}
