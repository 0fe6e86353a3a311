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
