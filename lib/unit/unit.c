/* unit.c: the table of units, and what is common to them. */
#include "unit/unit.h"

#include "unit/model.h"
#include <string.h>

static const mms_unit *const table[] = {&mms_unit_cblas, &mms_unit_model};

const mms_unit *mms_unit_at(size_t index) { return index < sizeof table / sizeof *table ? table[index] : NULL; }

const mms_unit *mms_unit_find(const char *name) {
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (strcmp(table[i]->name, name) == 0) return table[i];
  return NULL;
}

void mms_unit_multiply(const mms_unit *unit, const mms_product *product) {
  unit->multiply(product);
  if (!product->counts) return;
  mms_model_count_product(product);
  if (!unit->counts) mms_model_count_additions(product);
}

double mms_unit_entry(mmscan_type type, const void *a, size_t index) {
  return type == MMSCAN_F32 ? (double)((const float *)a)[index] : ((const double *)a)[index];
}

static void set_entry(mmscan_type type, void *a, size_t index, double value) {
  if (type == MMSCAN_F32)
    ((float *)a)[index] = (float)value;
  else
    ((double *)a)[index] = value;
}

void mms_matrix_l(mmscan_type type, size_t s, void *a) {
  for (size_t column = 0; column < s; column++)
    for (size_t row = 0; row < s; row++) set_entry(type, a, column * s + row, row >= column);
}

void mms_matrix_b(mmscan_type type, size_t s, void *a) {
  for (size_t column = 0; column < s; column++)
    for (size_t row = 0; row < s; row++) set_entry(type, a, column * s + row, column == 0 || row == column);
}
