/* adding.h: replaces mms_unit_adds(), so that the unit cblas in turn adds products to W and overwrites W, whichever is
 * faster here. Any BLAS can do both.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef ADDING_H
#define ADDING_H

#include <stdatomic.h>

#include "unit/unit.h"

/* How often the unit cblas was asked about: a test that never sees it tests only one of the ways. */
static atomic_uint adding_turns;

bool __wrap_mms_unit_adds(const mms_unit *unit);

bool __wrap_mms_unit_adds(const mms_unit *unit) {
  return unit == &mms_unit_cblas && atomic_fetch_add(&adding_turns, 1) % 2 == 1;
}

#endif
