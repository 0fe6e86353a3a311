/* output.h: the file that is written: in order to a pipe, in any order to a file.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A file is written beside its name and renamed when it is complete, so that a failure leaves what was there. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct output {
  const char *name; /* for messages */
  int fd;
  bool seekable;     /* bytes can be written in any order */
  char *target;      /* the file to be replaced; NULL for standard output and whatever is no regular file */
  char *temporary;   /* the file beside it; NULL as above */
  uint64_t position; /* the byte that output_write() writes next */
  uint64_t origin;   /* where byte 0 of output_write_at() is */
} output;

/* One that is not open: closing it does nothing. */
#define OUTPUT_CLOSED                                                                                                  \
  { .fd = -1 }

/* Whether a path names a descriptor of this process, as /dev/stdout. */
bool output_is_descriptor(const char *path);

/* path "-" is standard output. The output is to be given to output_close(), also where this fails. */
int output_open(output *out, const char *path);

/* Puts the file in its place if status is DONE, else takes it away. Returns status, or FAILED with a message. */
int output_close(output *out, int status);

/* Writes what comes next. */
int output_write(output *out, const void *data, size_t size);

/* Writes at `offset` from the origin. A pipe takes only what comes next. */
int output_write_at(output *out, uint64_t offset, const void *data, size_t size);

/* From now on, byte 0 of output_write_at() is the one that comes next. */
void output_set_origin(output *out);

#endif
