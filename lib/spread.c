/* spread.c: moves threads by what CPUs they are allowed, for a moment. */
#include "spread.h"

#include "clock.h"

/* Nanoseconds: for how long a thread waits for others to come. It gives way to those that are queued behind it. */
static const double PATIENCE = 1e6;

/* From one CPU to another that is not taken; returns where it is then. */
static int move(int from, const cpu_set_t *taken) {
  cpu_set_t allowed, both, others;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return from;
  CPU_AND(&both, &allowed, taken);
  CPU_XOR(&others, &allowed, &both);
  if (CPU_COUNT(&others) == 0 || sched_setaffinity(0, sizeof others, &others) != 0) return from;
  const int to = sched_getcpu();
  sched_setaffinity(0, sizeof allowed, &allowed);
  return to;
}

static void take_cpu(cpu_set_t *taken) {
  int at = sched_getcpu();
  if (at >= 0 && CPU_ISSET((size_t)at, taken)) at = move(at, taken);
  if (at >= 0) CPU_SET((size_t)at, taken);
}

void mms_spread_out(mms_spread *spread, int threads) {
  pthread_mutex_lock(&spread->lock);
  take_cpu(&spread->taken);
  pthread_mutex_unlock(&spread->lock);
  atomic_fetch_add(&spread->here, 1);
  for (const double end = mms_clock() + PATIENCE; atomic_load(&spread->here) < threads && mms_clock() < end;)
    sched_yield();
}
