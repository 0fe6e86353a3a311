/* product.h: times one product W = L_s X by a unit, the first level of a scan.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef PRODUCT_H
#define PRODUCT_H

#include "contender.h"
#include "units.h"

#include <mmscan_paper.h>

/* How the unit is asked for the product of n elements. */
typedef enum product_kind {
  PRODUCT_TILES,
  PRODUCT_TILES_BY_ROWS,
  PRODUCT_WHOLE,
  PRODUCT_WHOLE_ONE_THREAD,
  PRODUCT_TRMM,
  PRODUCT_BATCH,
  PRODUCT_BATCH_STRIDED,
  PRODUCT_BF16,
  PRODUCTS
} product_kind;

typedef struct product {
  const char *name, *description;
  mmscan_product_form form;
  bool tiles;      /* one call per tile; else one for all */
  bool by_rows;    /* X and W are row-major, as the engine has them; else column-major, as the paper has them */
  bool one_thread; /* the unit's own threads are set to one while it runs */
} product;

extern const product products[PRODUCTS];

/* Adds a unit's product with L_s in one form; s = r->s, and r->n is a multiple of s. It gets a refusal if the unit
 * cannot do it. */
void product_add(race *r, const bench_unit *unit, product_kind kind);

#endif
