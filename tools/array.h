/* array.h: what is known of the numbers in a file.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef ARRAY_H
#define ARRAY_H

#include "element.h"

#include <stdbool.h>
#include <stdint.h>

#define ARRAY_MAX_DIMS 64 /* as NumPy 2 has it */

typedef struct array {
  const element *type;
  bool swapped; /* the bytes of a number are in the other order than this machine's */
  bool fortran; /* the first axis is the one whose neighbours are neighbours in the file */
  int dims;
  uint64_t shape[ARRAY_MAX_DIMS];
  bool count_known; /* false only of raw data from a pipe */
  uint64_t count;   /* of elements */
} array;

/* Sets count from the shape. False where the bytes are more than a file can have. */
bool array_count(array *a);

/* Makes it one row of a->count elements. */
void array_flatten(array *a);

#endif
