/* output.h: the file that is written: in order to a pipe, in any order to a file.
 *
 * A file is written beside its name, and renamed to it when complete, so that a failure leaves the old file. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct output {
  const char *name; /* for messages */
  int fd;
  bool seekable;     /* bytes can be written in any order */
  char *target;      /* the file to replace; NULL for standard output and anything but a regular file */
  char *temporary;   /* the file beside the target; NULL as above */
  uint64_t position; /* the byte that output_write() writes next */
  uint64_t origin;   /* where byte 0 of output_write_at() is */
} output;

/* An output that is not open: closing it does nothing. */
#define OUTPUT_CLOSED                                                                                                  \
  { .fd = -1 }

/* Whether a path names a descriptor of this process, such as /dev/stdout. */
bool output_is_descriptor(const char *path);

/* path "-", or one that names its descriptor, is standard output. The caller must call output_close(), even if this
 * fails. */
int output_open(output *out, const char *path);

/* Renames the file to its own name if status is DONE, else removes it. Returns status, or FAILED with a message. */
int output_close(output *out, int status);

/* Writes the next bytes. */
int output_write(output *out, const void *data, size_t size);

/* Writes at `offset` from the origin. To a pipe, `offset` must be that of the next byte. */
int output_write_at(output *out, uint64_t offset, const void *data, size_t size);

/* From now on, byte 0 of output_write_at() is the one that output_write() would write next. */
void output_set_origin(output *out);

#endif
