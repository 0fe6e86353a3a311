/* adding.h: replaces mms_unit_adds(), so that the linked BLAS in turn adds products to W and overwrites W, whichever is
 * faster here. Any BLAS can do both.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef ADDING_H
#define ADDING_H

#include <stdatomic.h>

#include "unit/unit.h"

bool __wrap_mms_unit_adds(const mms_unit *unit);

bool __wrap_mms_unit_adds(const mms_unit *unit) {
  static atomic_uint turn;
  return unit == &mms_unit_cblas && atomic_fetch_add(&turn, 1) % 2 == 1;
}

#endif
