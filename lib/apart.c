/* apart.c: a ball that goes to and fro. */
#include "apart.h"

#include "clock.h"
#include "kernel/kernel.h"
#include <omp.h>
#include <stdint.h>

/* Nanoseconds: more than on one die, less than between two; for how long that holds; and for how long one waits for the
 * other. */
static const double FAR = 90, HOLDS = 10e6, PATIENCE = 50e3;

enum { TRIPS = 8, LOOKS = 64, LEFT = -1 };

static _Atomic uint64_t due;
static atomic_bool near;

bool mms_apart(void) { return mms_habits_here.has_dies && !atomic_load_explicit(&near, memory_order_relaxed); }

/* Two may come at once, and do no harm. */
bool mms_apart_is_due(double now) {
  if (!mms_habits_here.has_dies || now < (double)atomic_load_explicit(&due, memory_order_relaxed)) return false;
  atomic_store_explicit(&due, (uint64_t)(now + HOLDS), memory_order_relaxed);
  return true;
}

void mms_apart_found(double nanoseconds) { atomic_store_explicit(&near, nanoseconds < FAR, memory_order_relaxed); }

/* False: the other has left, or does not come. */
static bool await(mms_meeting *meeting, int number) {
  for (const double end = mms_clock() + PATIENCE; mms_clock() < end;)
    for (int i = 0; i < LOOKS; i++) {
      const int ball = atomic_load(&meeting->ball);
      if (ball == number) return true;
      if (ball == LEFT) return false;
    }
  atomic_store(&meeting->ball, LEFT);
  return false;
}

/* The first trip waits for the other to come, so the fastest counts. */
static void throw_first(mms_meeting *meeting) {
  double fastest = PATIENCE;
  for (int trip = 0; trip < TRIPS; trip++) {
    const double start = mms_clock();
    atomic_store(&meeting->ball, 2 * trip + 1);
    if (!await(meeting, 2 * trip + 2)) return;
    const double took = mms_clock() - start;
    if (took < fastest) fastest = took;
  }
  mms_apart_found(fastest / 2);
}

static void throw_back(mms_meeting *meeting) {
  for (int trip = 0; trip < TRIPS && await(meeting, 2 * trip + 1); trip++) atomic_store(&meeting->ball, 2 * trip + 2);
}

void mms_apart_meet(mms_meeting *meeting) {
  const int self = omp_get_thread_num(), last = omp_get_num_threads() - 1;
  if (last == 0) return;
  if (self == 0)
    throw_first(meeting);
  else if (self == last)
    throw_back(meeting);
}
