/* custom.h: the engine of operators of the caller's, for mmscan_scan_with(). It takes strides, and is not in the table,
 * as it does none of the library's operators.
 *
 * A carry is the address of an element (mms_value.element), which is not written as long as any thread has the carry.
 * There is a slot for each tile: reduce() takes one for the total, and advance() puts the carry out of the tile in its
 * place; at_once() takes one for the carry. */
#ifndef MMS_CUSTOM_H
#define MMS_CUSTOM_H

#include "engine/engine.h"

/* An operator of the caller's in one call. */
typedef struct mms_custom {
  const mmscan_operator *op;
  mms_algebra algebra; /* its row, and how its elements are stored: sizes alone */
  mms_storage storage;
  mms_own own;
  char *slots; /* NULL: each scan is one tile */
  atomic_size_t taken;
} mms_custom;

enum { MMS_CUSTOM_LARGEST = 65536 }; /* bytes of an element */

/* Fills it in; its rows point to it. */
void mms_custom_begin(mms_custom *custom, const mmscan_operator *op);

/* Has elements combined in the order of the plain loop: each scan is one tile. */
void mms_custom_keep_order(mms_custom *custom);

#endif
