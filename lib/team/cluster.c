/* cluster.c: times a ball that two threads throw to and fro. */
#include "team/cluster.h"

#include "base/clock.h"
#include "base/tuning.h"
#include <stdint.h>

/* Nanoseconds. FAR: more than a handoff takes on one die, less than between two. HOLDS: for how long a result is not
 * measured again. COUNTS: for how long it counts if it is not. PATIENCE: how long one thread waits for the other. */
static const double FAR = 90, HOLDS = 10e6, COUNTS = 1e9, PATIENCE = 50e3;

/* The trips of a block are timed together, as reading the clock takes time; a thread that waits reads it after so many
 * looks at the ball. */
enum { TRIPS = 4, BLOCKS = 4, LOOKS = 256, LEFT = -1 };

/* When to measure again; and when it was found out last: positive if threads were apart, negative if they were near; 0
 * if nothing is known. */
static _Atomic uint64_t due;
static _Atomic int64_t found;

static int64_t last_found(void) { return atomic_load_explicit(&found, memory_order_relaxed); }

bool mms_cluster_apart(void) { return mms_tuning_here.has_dies && last_found() >= 0; }

bool mms_cluster_apart_of_late(void) {
  const int64_t at = last_found();
  return mms_tuning_here.has_dies && at > 0 && mms_clock() < (double)at + COUNTS;
}

bool mms_cluster_near_of_late(void) {
  const int64_t at = last_found();
  return mms_tuning_here.has_dies && at < 0 && mms_clock() < COUNTS - (double)at;
}

/* Two threads may both be told that it is due, which does no harm. */
bool mms_cluster_is_due(double now) {
  if (!mms_tuning_here.has_dies || now < (double)atomic_load_explicit(&due, memory_order_relaxed)) return false;
  atomic_store_explicit(&due, (uint64_t)(now + HOLDS), memory_order_relaxed);
  return true;
}

void mms_cluster_record(double nanoseconds) {
  const int64_t now = (int64_t)mms_clock();
  atomic_store_explicit(&found, nanoseconds < FAR ? -now : now, memory_order_relaxed);
}

/* False: the other thread has left, or does not come. */
static bool await(mms_meeting *meeting, int number) {
  double end = 0, now = 0;
  do {
    for (int i = 0; i < LOOKS; i++) {
      const int ball = atomic_load(&meeting->ball);
      if (ball == number) return true;
      if (ball == LEFT) return false;
    }
    now = mms_clock();
    if (end == 0) end = now + PATIENCE;
  } while (now < end);
  atomic_store(&meeting->ball, LEFT);
  return false;
}

/* Throws the ball as the next number, unless the other thread has left. */
static bool toss(mms_meeting *meeting, int number) {
  int before = number - 1;
  return atomic_compare_exchange_strong(&meeting->ball, &before, number);
}

/* In the first block the other thread may not have arrived yet, so the fastest block counts. */
static void throw_first(mms_meeting *meeting) {
  double fastest = PATIENCE, before = mms_clock();
  for (int block = 0, ball = 0; block < BLOCKS; block++) {
    for (int trip = 0; trip < TRIPS; trip++, ball += 2)
      if (!toss(meeting, ball + 1) || !await(meeting, ball + 2)) return;
    const double now = mms_clock();
    if (now - before < fastest) fastest = now - before;
    before = now;
  }
  mms_cluster_record(fastest / (2 * TRIPS));
}

static void throw_back(mms_meeting *meeting) {
  for (int ball = 0; ball < 2 * TRIPS * BLOCKS; ball += 2)
    if (!await(meeting, ball + 1) || !toss(meeting, ball + 2)) return;
}

void mms_cluster_meet(mms_meeting *meeting, int self, int threads) {
  const int last = threads - 1;
  if (last == 0) return;
  if (self == 0)
    throw_first(meeting);
  else if (self == last)
    throw_back(meeting);
}
