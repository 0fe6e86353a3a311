/* result.h: where the results go: as bytes or as text, in order or not. */
#ifndef RESULT_H
#define RESULT_H

#include "element.h"
#include "output.h"

#include <stdbool.h>

typedef struct result {
  output out;
  const element *type;
  bool text;
  int spool;      /* the file of results that come out of order but have to be written in order; else -1 */
  uint64_t count; /* of results in the spool */
} result;

/* Opens to->out. The caller must call result_close(), even if this fails. */
int result_open(result *to, const char *path);

/* Sets the type and form of the results, before the first. They come in order. */
void result_expect(result *to, const element *type, bool text);

/* From now on the results may come in any order. */
int result_unorder(result *to);

/* Puts count results in their place, from element `first` on. */
int result_put(result *to, uint64_t first, const void *data, size_t count);

/* Completes the output if status is DONE, else removes it. Returns status, or FAILED with a message. */
int result_close(result *to, int status);

#endif
