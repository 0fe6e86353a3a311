/* input.h: the file that is read: in order from a pipe, in any order from a file.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef INPUT_H
#define INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INPUT_PEEK         4096
#define INPUT_SIZE_UNKNOWN UINT64_MAX

typedef struct input {
  const char *name; /* for messages */
  int fd;
  bool seekable;     /* any byte can be read at any time */
  uint64_t origin;   /* where in a seekable file byte 0 of the input is */
  uint64_t size;     /* bytes from byte 0, or INPUT_SIZE_UNKNOWN */
  uint64_t position; /* the byte that input_read() gives next */
  unsigned char peeked[INPUT_PEEK];
  size_t peek_start, peek_end; /* bytes taken from a pipe and not read yet */
} input;

/* path "-" is standard input. The input is to be given to input_close(), also where this fails. */
int input_open(input *in, const char *path);
void input_close(input *in);

/* Looks at the first INPUT_PEEK bytes, however they arrive, or at the first line from a terminal:
 * in->peeked[0..*size-1], until the next read. */
int input_peek(input *in, size_t *size);

/* The next bytes; *got < size only at the end. */
int input_read(input *in, void *data, size_t size, size_t *got);

/* Bytes from `offset` on; fewer than size is an error. A pipe gives only the bytes that come next. */
int input_read_at(input *in, uint64_t offset, void *data, size_t size);

/* From now on, byte 0 is the one that comes next. */
void input_set_origin(input *in);

/* An error unless the input ends after `size` bytes from byte 0, as far as can be told without reading ahead of
 * in->position in a pipe. */
int input_check_end(input *in, uint64_t size);

/* Copies what is left of a pipe to a temporary file, so that it is seekable and its size known. */
int input_spool(input *in);

/* The input is now the file fd, of `size` bytes, which becomes the input's to close. */
void input_replace(input *in, int fd, uint64_t size);

#endif
