/* types.c: sizes, identities and units, read off types.def. */
#include "types.h"

#include <string.h>

static const struct {
  const char *name;
  size_t size;
  mms_value identity;
  mmscan_type unit;
  int planes;
} rows[MMS_TYPES] = {
#define MMS_TYPE(ENUM, suffix, element, arithmetic, op, id, unit, planes)                                              \
  [MMSCAN_##ENUM] = {#suffix, sizeof(element), {.suffix = id}, MMSCAN_##unit, planes},
#include "types.def"
#undef MMS_TYPE
};

size_t mms_type_size(mmscan_type type) { return (unsigned)type < MMS_TYPES ? rows[type].size : 0; }

const char *mms_type_name(mmscan_type type) { return rows[type].name; }

bool mms_type_find(const char *name, mmscan_type *type) {
  for (int t = 0; t < MMS_TYPES; t++)
    if (rows[t].name && strcmp(rows[t].name, name) == 0) return *type = (mmscan_type)t, true;
  return false;
}

mms_value mms_type_identity(mmscan_type type) { return rows[type].identity; }

mmscan_type mms_type_unit(mmscan_type type) { return rows[type].unit; }

int mms_type_planes(mmscan_type type) { return rows[type].planes; }
