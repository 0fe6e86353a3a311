/* input.h: the file that is read: in order from a pipe, in any order from a file. */
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
  uint64_t origin;   /* offset of byte 0 of the input in a seekable file */
  uint64_t size;     /* bytes from byte 0, or INPUT_SIZE_UNKNOWN */
  uint64_t position; /* the byte that input_read() gives next */
  unsigned char peeked[INPUT_PEEK];
  size_t peek_start, peek_end; /* bytes taken from a pipe and not read yet */
  bool ended;                  /* they are the last: a terminal tells its end only once */
} input;

/* path "-" is standard input. The caller must call input_close(), even if this fails. */
int input_open(input *in, const char *path);
void input_close(input *in);

/* Looks at the first INPUT_PEEK bytes, however they arrive, or at the first line from a terminal. They are in
 * in->peeked[0..*size-1] until the next read. */
int input_peek(input *in, size_t *size);

/* Reads the next bytes; *got < size only at the end. */
int input_read(input *in, void *data, size_t size, size_t *got);

/* Reads bytes from `offset` on; fewer than size is an error. From a pipe, `offset` must be that of the next byte. */
int input_read_at(input *in, uint64_t offset, void *data, size_t size);

/* The message where the data ends at a byte before its time; returns FAILED. */
int input_fail_early(const input *in, uint64_t end);

/* From now on, byte 0 is the one that comes next. */
void input_set_origin(input *in);

/* An error unless the input ends after `size` bytes from byte 0. In a pipe this is checked only once all of them have
 * been read. */
int input_check_end(input *in, uint64_t size);

/* Copies the rest of a pipe to a temporary file, so that the input is seekable and its size known. */
int input_spool(input *in);

/* Makes the file fd, of `size` bytes, the input, which will close it. */
void input_replace(input *in, int fd, uint64_t size);

#endif
