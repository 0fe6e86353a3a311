/* threads.c: where OpenMP's threads are: gives them a core each, and measures how far apart two of them are. */
#include "threads.h"
#include "timing.h"

#include <math.h>
#include <omp.h>
#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>

/* ---- A core each ------------------------------------------------------------------------------------------------- */

/* Tests how soon threads meet at barriers, and moves those that share a core. */
enum { MEETINGS = 64 };
static const double SOON = 20e-6, PATIENCE = 20e-3; /* seconds for one meeting, and for all attempts */

static bool meet_soon(int threads) {
  const double start = timing_now();
#pragma omp parallel num_threads(threads)
  for (int i = 0; i < MEETINGS; i++) {
#pragma omp barrier
  }
  return timing_now() - start < MEETINGS * SOON;
}

/* Moves the calling thread to a core that is not taken, if it is allowed on one. */
static void move(const cpu_set_t *taken) {
  cpu_set_t allowed, both, others;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  CPU_AND(&both, &allowed, taken);
  CPU_XOR(&others, &allowed, &both);
  if (CPU_COUNT(&others) > 0 && sched_setaffinity(0, sizeof others, &others) == 0)
    sched_setaffinity(0, sizeof allowed, &allowed);
}

/* The threads move in the order of their numbers, so that the calling thread, the first, stays where it is. */
static void move_apart(int threads) {
  cpu_set_t taken;
  CPU_ZERO(&taken);
#pragma omp parallel for ordered schedule(static, 1) num_threads(threads)
  for (int i = 0; i < threads; i++) {
#pragma omp ordered
    {
      const int cpu = sched_getcpu();
      if (cpu >= 0 && CPU_ISSET((size_t)cpu, &taken)) move(&taken);
      CPU_SET((size_t)sched_getcpu(), &taken);
    }
  }
}

void threads_spread(int threads) {
  const double end = timing_now() + timing_shortened(PATIENCE);
  while (!meet_soon(threads) && timing_now() < end) move_apart(threads);
}

/* ---- A number that two threads send back and forth ------------------------------------------------------------ */

enum { TRIPS = 16, BLOCKS = 64, LOOKS = 4096, OVER = -1 };
static const double TIME = 10e-3; /* seconds: threads that share a core are a thousand times slower */

static alignas(128) atomic_long ball;

/* The other thread: sends each odd number back, one larger, unless OVER has replaced it by then. */
static void answer(void) {
  long seen;
  while ((seen = ball) != OVER)
    if (seen % 2 == 1) atomic_compare_exchange_strong(&ball, &seen, seen + 1);
}

/* Sends an odd number, and waits until it is back or time is up. */
static void send_once(long odd, double end) {
  ball = odd;
  for (unsigned looks = 1; ball != odd + 1; looks++)
    if (looks % LOOKS == 0 && timing_now() > end) return;
}

/* Seconds of the fastest block that there is time for. Where time runs out in the first block, the result is too short
 * for a whole block, but long enough to show that the threads share a core. */
static double send(void) {
  const double start = timing_now(), end = start + timing_shortened(TIME);
  double fastest = INFINITY, before = start;
  for (int block = 0; block < BLOCKS && before < end; block++) {
    for (long trip = 0; trip < TRIPS; trip++) send_once(2 * trip + 1, end);
    const double now = timing_now();
    fastest = fmin(fastest, now - before);
    before = now;
  }
  ball = OVER;
  return fastest;
}

double threads_handoff(void) {
  double block = 0;
  ball = 0;
#pragma omp parallel num_threads(2)
  {
    const bool both = omp_get_num_threads() == 2;
    if (both && omp_get_thread_num() == 1) answer();
    if (both && omp_get_thread_num() == 0) block = send();
  }
  return block / (2 * TRIPS);
}
