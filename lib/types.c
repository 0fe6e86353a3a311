/* types.c: sizes, identities and units, read off types.def. */
#include "types.h"

static const struct {
  size_t size;
  mms_value identity;
  mmscan_type unit;
  int planes;
} rows[MMS_TYPES] = {
#define MMS_TYPE(ENUM, suffix, element, arithmetic, op, id, unit, planes)                                              \
  [MMSCAN_##ENUM] = {sizeof(element), {.suffix = id}, MMSCAN_##unit, planes},
#include "types.def"
#undef MMS_TYPE
};

size_t mms_type_size(mmscan_type type) { return (unsigned)type < MMS_TYPES ? rows[type].size : 0; }

mms_value mms_type_identity(mmscan_type type) { return rows[type].identity; }

mmscan_type mms_type_unit(mmscan_type type) { return rows[type].unit; }

int mms_type_planes(mmscan_type type) { return rows[type].planes; }
