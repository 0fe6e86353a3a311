/* types.c: sizes, identities and units, read off types.def. */
#include "types.h"

#include <string.h>

static const struct row {
  const char *name;
  size_t size;
  mms_value identity;
  mmscan_type unit;
  int planes;
} rows[MMS_OPS][MMS_TYPES] = {
#define MMS_TYPE(ENUM, suffix, element, arithmetic, op, id, unit, planes)                                              \
  [MMSCAN_##op][MMSCAN_##ENUM] = {#suffix, sizeof(element), {.suffix = id}, MMSCAN_##unit, planes},
#include "types.def"
#undef MMS_TYPE
};

static const struct row *row_of(mmscan_type type) { return &rows[MMSCAN_PLUS][type]; }

size_t mms_type_size(mmscan_type type) { return (unsigned)type < MMS_TYPES ? row_of(type)->size : 0; }

const char *mms_type_name(mmscan_type type) { return row_of(type)->name; }

bool mms_type_find(const char *name, mmscan_type *type) {
  for (int t = 0; t < MMS_TYPES; t++)
    if (row_of(t)->name && strcmp(row_of(t)->name, name) == 0) return *type = (mmscan_type)t, true;
  return false;
}

bool mms_type_is_scanned(mmscan_op op, mmscan_type type) { return rows[op][type].size > 0; }

mms_value mms_type_identity(mmscan_op op, mmscan_type type) { return rows[op][type].identity; }

mmscan_type mms_type_unit(mmscan_type type) { return row_of(type)->unit; }

int mms_type_planes(mmscan_op op, mmscan_type type) { return rows[op][type].planes; }
