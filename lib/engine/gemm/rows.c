/* rows.c: which instruction set's rows serve which. */
#include "engine/gemm/rows.h"

#include <string.h>

static const struct cell {
  const char *isa;
  const mms_rows *const *rows;
} cells[] = {
#define MMS_ROWS_CELL(isa) {#isa, mms_rows_##isa},
#include "engine/gemm/rows.def"
#undef MMS_ROWS_CELL
};

static const mms_rows *native(const mms_isa *isa, mms_lanes lanes) {
  for (size_t i = 0; isa && i < sizeof cells / sizeof *cells; i++)
    if (strcmp(cells[i].isa, isa->name) == 0) return cells[i].rows[lanes];
  return NULL;
}

const mms_rows *mms_rows_of(const mms_isa *isa, const mms_algebra *algebra, const char **origin) {
  const size_t vector = mms_kernel_of(isa, algebra)->vector;
  const mms_rows *rows = NULL;
  size_t i = 0;
  while (mms_isa_at(i) != isa) i++;
  for (; mms_isa_name(i) && (!rows || rows->vector != vector); i++) {
    rows = native(mms_isa_at(i), algebra->lanes);
    if (origin) *origin = mms_isa_name(i);
  }
  return rows;
}
