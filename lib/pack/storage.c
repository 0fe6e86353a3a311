/* storage.c: the types, and which instruction set's conversions serve. */
#include "pack/storage.h"

#include "base/cpu.h"
#include "pack/storages.h"
#include <stdatomic.h>
#include <string.h>

static const mms_type types[] = {
#define MMS_TYPE(name, type, kind, size) [type] = {#name, kind, size},
#include "pack/types.def"
#undef MMS_TYPE
};

const mms_type *mms_type_of(mmscan_type type) { return &types[type]; }

/* ---- Planes --------------------------------------------------------------------------------------------------- */

mms_value mms_storage_plane(const mms_storage *storage, const mms_value *carry, size_t plane) {
  const size_t size = storage->size, planes = storage->planes;
  mms_value value = *carry;
  if (planes == 1) return value;
  memcpy(value.bytes, carry->bytes + plane * size, size);
  memcpy(value.bytes + size, carry->bytes + (planes + plane) * size, size);
  return value;
}

void mms_storage_put_plane(const mms_storage *storage, mms_value *carry, size_t plane, const mms_value *value) {
  const size_t size = storage->size, planes = storage->planes;
  if (planes == 1) {
    *carry = *value;
    return;
  }
  memcpy(carry->bytes + plane * size, value->bytes, size);
  memcpy(carry->bytes + (planes + plane) * size, value->bytes + size, size);
}

double mms_storage_number(const mms_storage *storage, const void *element) {
  float f32;
  double f64;
  if (storage->size == sizeof f32) return memcpy(&f32, element, sizeof f32), (double)f32;
  return memcpy(&f64, element, sizeof f64), f64;
}

/* ---- Instruction sets ----------------------------------------------------------------------------------------- */

static const struct cell {
  const char *isa;
  const mms_storages *storages;
} cells[] = {
#define MMS_STORAGE_CELL(isa) {#isa, &mms_storages_##isa},
#include "pack/storage.def"
#undef MMS_STORAGE_CELL
};

static bool runs(const struct cell *cell) {
  if (!cell->storages->is_built) return false;
  if (strcmp(cell->isa, "avx512") == 0) return mms_cpu_runs_avx512() && mms_cpu_runs_f16c();
  return strcmp(cell->isa, "avx2") != 0 || (mms_cpu_runs_avx2() && mms_cpu_runs_f16c());
}

const mms_storages *mms_storages_at(size_t index, const char **isa) {
  if (index >= sizeof cells / sizeof *cells) return NULL;
  *isa = cells[index].isa;
  return runs(&cells[index]) ? cells[index].storages : &mms_storages_portable;
}

/* The first that runs; the last one does everywhere. All give the same bits. */
const mms_storages *mms_storages_best(void) {
  static _Atomic(const mms_storages *) known;
  const mms_storages *found = atomic_load_explicit(&known, memory_order_relaxed);
  if (found) return found;
  size_t i = 0;
  while (!runs(&cells[i])) i++;
  atomic_store_explicit(&known, cells[i].storages, memory_order_relaxed);
  return cells[i].storages;
}

bool mms_bounds_bind(size_t size, const mms_bounds *bounds) {
  const mms_storages *best = mms_storages_best();
  return (size == sizeof(float) ? best->bind_f32 : best->bind_f64)(bounds);
}

mms_add_rows *mms_storage_adder(mms_lanes lanes) {
  mms_add_rows *const *adders = mms_storages_best()->add_rows;
  return adders[lanes];
}

static const mms_storage *row(const mms_storage *s) { return s->arithmetic ? s : NULL; }

const mms_storage *mms_storage_of(mmscan_type x_type, mmscan_type y_type) {
  return row(&mms_storages_best()->pairs[x_type][y_type]);
}

const mms_storage *mms_storage_in_planes(mmscan_type x_type, mmscan_type y_type) {
  return row(&mms_storages_best()->planes[x_type][y_type]);
}

const mms_storage *mms_storage_wide(mmscan_type x_type, mmscan_type y_type) {
  return row(&mms_storages_best()->wide[x_type][y_type]);
}

const mms_storage *mms_storage_wide_in_planes(mmscan_type x_type, mmscan_type y_type) {
  return y_type == MMSCAN_C32 ? row(&mms_storages_best()->wide_planes[x_type]) : NULL;
}
