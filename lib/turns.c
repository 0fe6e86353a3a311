/* turns.c: a chain of tiles, from hand to hand. */
#include "turns.h"

/* The carry into a tile, once every tile before it has handed on its own. Returns it; hands on the carry out. */
static mms_value pass_carry(mms_turns *turns, size_t index, const mms_place *at, void *work) {
  mms_bell_wait(&turns->bell, &turns->done, index);
  mms_value carry = turns->carry;
  mms_tiles_begin(turns->tiles, at, &carry);
  mms_value before = carry;
  mms_tiles_advance(turns->tiles, at, work, &carry);
  turns->carry = carry;
  mms_bell_set(&turns->bell, &turns->done, index + 1);
  return before;
}

void mms_turns_take_part(void *given, void *work) {
  mms_turns *turns = given;
  size_t index;
  while ((index = atomic_fetch_add_explicit(&turns->next, 1, memory_order_relaxed)) < turns->tiles->count) {
    mms_place at = mms_tiles_at(turns->tiles, index);
    mms_tiles_look(turns->tiles, &at, work);
    mms_value carry = pass_carry(turns, index, &at, work);
    mms_tiles_finish(turns->tiles, &at, work, &carry);
  }
}
