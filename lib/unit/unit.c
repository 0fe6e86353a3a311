/* unit.c: the table of units, and what is common to them. */
#include "unit/unit.h"

#include "unit/loaded.h"
#include <string.h>

#define MMS_UNIT(name) &mms_unit_##name,
static const mms_unit *const table[] = {
#include "unit/units.def"
};
#undef MMS_UNIT
enum { BUILTIN = sizeof table / sizeof *table };

const mms_unit *mms_unit_builtin(size_t index) { return index < BUILTIN ? table[index] : NULL; }

static const mms_unit *find_builtin(const char *name) {
  for (size_t i = 0; i < BUILTIN; i++)
    if (strcmp(table[i]->name, name) == 0) return table[i];
  return NULL;
}

bool mms_unit_is_builtin(const char *name) { return find_builtin(name) != NULL; }

const mms_unit *mms_unit_at(size_t index) { return index < BUILTIN ? table[index] : mms_loaded_at(index - BUILTIN); }

const mms_unit *mms_unit_find(const char *name) {
  const mms_unit *builtin = find_builtin(name);
  return builtin ? builtin : mms_loaded_find(name);
}

bool mms_unit_has(const mms_unit *unit, mmscan_type type, mmscan_product_form form) {
  if (unit->has) return unit->has(unit, type, form);
  return mms_product_is_of_scans(type, form);
}

/* The default is a quarter of an L1 cache, or half of it for 32-bit integers, whose products are twice as large: what
 * is read next then arrives while products are computed, with no wait for it. */
size_t mms_unit_block(const mms_unit *unit) {
  size_t own = unit->block ? unit->block(unit) : 0;
  return own ? own : MMS_UNIT_SMALL;
}

bool mms_unit_adds(const mms_unit *unit) { return unit->adds && unit->adds(unit); }

bool mms_unit_hold(const mms_unit *unit) { return !unit || !unit->hold || unit->hold(unit); }

bool mms_unit_is_closed(const mms_unit *unit) { return unit->is_closed && unit->is_closed(unit); }

mmscan_status mms_unit_fault(const mms_unit *unit) {
  return unit->lacks_memory && unit->lacks_memory(unit) ? MMSCAN_ENOMEM : MMSCAN_EBLAS;
}

const char *mms_unit_absent(const mms_unit *unit) {
  return unit->absent ? unit->absent(unit) : "no library of it is found, or works, here";
}

void mms_unit_drop(const mms_unit *unit) {
  if (unit && unit->drop) unit->drop(unit);
}

mmscan_status mms_unit_hold_sound(const mms_unit *unit, mmscan_type type) {
  if (!unit) return MMSCAN_OK;
  if (!mms_unit_hold(unit)) return mms_unit_fault(unit);
  if (mms_unit_has(unit, type, MMSCAN_PRODUCT_CHUNKED)) return MMSCAN_OK;
  mms_unit_drop(unit);
  return MMSCAN_EBLAS;
}

void mms_unit_multiply(const mms_unit *unit, const mms_product *product) { unit->multiply(unit, product); }
