/* result.h: where the results go: as bytes or as text, in order or not.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RESULT_H
#define RESULT_H

#include "element.h"
#include "output.h"

#include <stdbool.h>

typedef struct result {
  output out;
  const element *type;
  bool text;
  int spool;      /* results that come out of order and have to be written in order wait here; else -1 */
  uint64_t count; /* of those in the spool */
} result;

/* Sets to->out going. To be given to result_close(), also where this fails. */
int result_open(result *to, const char *path);

/* What the results are, before the first: they come in order. */
void result_expect(result *to, const element *type, bool text);

/* From now on the results may come in any order. */
int result_unorder(result *to);

/* Puts count results in their place, `first` elements from the beginning. */
int result_put(result *to, uint64_t first, const void *data, size_t count);

/* Completes the output if status is DONE, else takes it away. Returns status, or FAILED with a message. */
int result_close(result *to, int status);

#endif
