/* lone.c: four numbers and a count that all threads share. */
#include "lone.h"

#include <stdatomic.h>
#include <stdint.h>

/* AGAIN: one scan of so many is done the slower way; at first, when little is known, also the 4th (SOON), the 8th, the
 * 16th, ... LEAVES: one thread may take longer by one part in so many, as it leaves cores to other work. */
enum { AGAIN = 64, SOON = 4, LEAVES = 16 };

/* Nanoseconds for a byte of x: a core that takes longer is slow. */
static const double SLOW = 1.0 / 22;

/* The last two scans of one way, in picoseconds for 1024 bytes; 0: not known. */
typedef struct times {
  _Atomic uint64_t last, before;
} times;

static times of_shared, of_lone;
static atomic_uint scans;

/* The shorter of the two: a scan may have been held up. */
static uint64_t shorter(times *t) {
  const uint64_t last = atomic_load_explicit(&t->last, memory_order_relaxed);
  const uint64_t before = atomic_load_explicit(&t->before, memory_order_relaxed);
  return before > 0 && before < last ? before : last;
}

static void keep(times *t, uint64_t took) {
  atomic_store_explicit(&t->before, atomic_exchange_explicit(&t->last, took, memory_order_relaxed),
                        memory_order_relaxed);
}

bool mms_lone_is_slow(size_t bytes, double took) { return took > SLOW * (double)bytes; }

static bool is_tried_again(unsigned scan) {
  const bool is_power = (scan & (scan - 1)) == 0;
  return scan % AGAIN == 0 || (is_power && scan >= SOON);
}

bool mms_lone_pays(void) {
  const uint64_t lone = shorter(&of_lone), shared = shorter(&of_shared);
  if (lone == 0 || shared == 0) return shared != 0;
  const unsigned scan = atomic_fetch_add_explicit(&scans, 1, memory_order_relaxed) + 1;
  return (lone <= shared + shared / LEAVES) != is_tried_again(scan);
}

void mms_lone_record(bool alone, size_t bytes, double took) {
  const double each = 1000 * took * 1024 / (double)bytes;
  keep(alone ? &of_lone : &of_shared, each < 1 ? 1 : (uint64_t)each);
}
