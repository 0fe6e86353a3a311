/* storages.h: all pairs of types, with the conversions of one instruction set. */
#ifndef MMS_STORAGES_H
#define MMS_STORAGES_H

#include "pack/bounds.h"
#include "pack/indices.h"
#include "pack/storage.h"

enum {
  MMS_STORAGE_TYPES = 1
#define MMS_TYPE(name, type, kind, size) +1
#include "pack/types.def"
#undef MMS_TYPE
};

/* As mms_indices_write(), for results of one size. */
typedef int64_t mms_write_indices(const mms_indices *, const void *before, int64_t index, const void *after);

/* Marks the keys that are unlike the key before them, which is there of the first one, too, by 1, others by 0. And a
 * bit for each byte that is not 0; the bits after them in their words become 0. */
typedef void mms_mark(size_t m, const void *keys, uint8_t *marks);
typedef void mms_to_bits(size_t m, const uint8_t *bytes, uint64_t *bits);

/* As mms_bounds_bind(), for elements of one size. */
typedef bool mms_bind(const mms_bounds *bounds);

typedef struct mms_storages {
  bool is_built; /* the compiler has the instructions */
  mms_write_indices *write_4, *write_8;
  mms_bind *bind_f32, *bind_f64;
  mms_add_rows *add_rows[MMS_LANES];
  mms_mark *mark[MMS_STORAGE_TYPES];
  mms_to_bits *to_bits;
  mms_storage pairs[MMS_STORAGE_TYPES][MMS_STORAGE_TYPES], planes[MMS_STORAGE_TYPES][MMS_STORAGE_TYPES];
  mms_storage wide[MMS_STORAGE_TYPES][MMS_STORAGE_TYPES]; /* combined in more digits than results have */
  mms_storage wide_planes[MMS_STORAGE_TYPES];             /* so are these, into C32 */
} mms_storages;

#define MMS_STORAGE_CELL(isa) extern const mms_storages mms_storages_##isa;
#include "pack/storage.def"
#undef MMS_STORAGE_CELL

/* For each set of changed places in a row of results, the last of them up to each place, from 1; 0: none is. Of a
 * reverse scan: [1]. */
enum { MMS_INDICES_ROW = 8 };
extern const int8_t mms_indices_last[2][1 << MMS_INDICES_ROW][MMS_INDICES_ROW];

/* The best that runs here. */
const mms_storages *mms_storages_best(void);

/* Row `index` of storage.def, or, where its instructions do not run, the portable one; NULL past the last. */
const mms_storages *mms_storages_at(size_t index, const char **isa);

#endif
