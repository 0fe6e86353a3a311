/* gate.c: knows the threads inside by sums, in several places, so that they need not share a cache line. */
#include "unit/gate.h"

#include "base/clock.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LOG2_PLACES = 6, PLACES = 1 << LOG2_PLACES, LINE = 64 };

/* inside: the sum of the numbers of the threads inside. */
struct mms_gate_place {
  _Alignas(LINE) _Atomic uint64_t inside;
  uint64_t when_closed; /* what was inside when the gate had closed: nothing, or the thread that closed it */
};

static mms_gate_place places[PLACES];
static atomic_bool is_closed;

/* The place of this thread while it is inside. */
static _Thread_local mms_gate_place *own;

/* A thread may fork anywhere, in a signal handler, and must not wait for itself then: so it must see in a sum whether
 * it is inside, alone. The low bits of a sum count the threads, of which each adds one; the others differ by thread. */
static uint64_t own_number(void) {
  enum { COUNT = 20, ALIGNED = 3 };
  return (uint64_t)(uintptr_t)&own << (COUNT - ALIGNED) | 1;
}

/* Chosen by the address of the thread's stack, as stacks are mostly at least 64 KiB apart. */
static mms_gate_place *own_place(void) {
  char here;
  const uint64_t stack = (uint64_t)(uintptr_t)&here >> 16;
  return &places[stack * UINT64_C(0x9e3779b97f4a7c15) >> (64 - LOG2_PLACES)];
}

/* A fork takes milliseconds; a large product may take longer. */
static void pause_a_little(void) { mms_clock_sleep(20000); }

/* Either this thread sees that the gate is closed, or the thread that closes it sees this one inside: each first writes
 * and then reads what the other writes, and these operations are sequentially consistent. */
mms_gate_place *mms_gate_enter(void) {
  if (own) return NULL;
  mms_gate_place *place = own_place();
  for (;;) {
    atomic_fetch_add(&place->inside, own_number());
    if (!atomic_load(&is_closed)) return own = place;
    atomic_fetch_sub(&place->inside, own_number());
    while (atomic_load(&is_closed)) pause_a_little();
  }
}

void mms_gate_leave(mms_gate_place *place) {
  if (!place) return;
  own = NULL;
  atomic_fetch_sub_explicit(&place->inside, own_number(), memory_order_release);
}

static void wait_for_others(mms_gate_place *place) {
  while ((place->when_closed = atomic_load(&place->inside)) != 0 && place->when_closed != own_number())
    pause_a_little();
}

void mms_gate_close(void) {
  atomic_store(&is_closed, true);
  for (size_t i = 0; i < PLACES; i++) wait_for_others(&places[i]);
}

void mms_gate_open(void) { atomic_store(&is_closed, false); }

/* A thread that meets the closed gate is counted for a moment. If the fork fell into that moment, the child would count
 * it for ever. */
void mms_gate_open_in_child(void) {
  for (size_t i = 0; i < PLACES; i++) atomic_store(&places[i].inside, places[i].when_closed);
  mms_gate_open();
}
