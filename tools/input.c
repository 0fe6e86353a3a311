/* input.c: the file that is read: in order from a pipe, in any order from a file. */
#include "input.h"
#include "message.h"
#include "progress.h"
#include "temporary.h"
#include "transfer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COPY_BYTES ((size_t)1 << 20)

int input_open(input *in, const char *path) {
  const bool standard = strcmp(path, "-") == 0;
  *in = (input){.name = standard ? "standard input" : path, .size = INPUT_SIZE_UNKNOWN};
  in->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
  struct stat file;
  if (in->fd < 0 || fstat(in->fd, &file) != 0) return fail_file(in->name);
  if (S_ISDIR(file.st_mode)) return fail("%s: %s", in->name, strerror(EISDIR));
  /* Files in /proc and the like have a size of 0, whatever they hold. */
  if (!S_ISREG(file.st_mode) || file.st_size == 0) return DONE;
  /* Standard input may be anywhere in its file. */
  const off_t origin = lseek(in->fd, 0, SEEK_CUR);
  if (origin < 0) return fail_file(in->name);
  in->seekable = true;
  in->origin = (uint64_t)origin;
  in->size = origin < file.st_size ? (uint64_t)(file.st_size - origin) : 0;
  return DONE;
}

void input_close(input *in) {
  if (in->fd > STDIN_FILENO) close(in->fd);
  in->fd = -1;
}

int input_peek(input *in, size_t *size) {
  const bool by_lines = isatty(in->fd) != 0;
  size_t got = 1;
  if (in->seekable) {
    if (!transfer_read_at(in->fd, in->peeked, INPUT_PEEK, in->origin + in->position, size)) return fail_file(in->name);
    return DONE;
  }
  while (got > 0 && in->peek_end < INPUT_PEEK && !(by_lines && memchr(in->peeked, '\n', in->peek_end) != NULL)) {
    if (!transfer_read_some(in->fd, in->peeked + in->peek_end, INPUT_PEEK - in->peek_end, &got))
      return fail_file(in->name);
    in->peek_end += got;
  }
  in->ended = got == 0;
  *size = in->peek_end;
  return DONE;
}

/* Hands out bytes that input_peek() has read from a pipe. */
static size_t take_peeked(input *in, void *data, size_t size) {
  const size_t left = in->peek_end - in->peek_start;
  const size_t taken = left < size ? left : size;
  memcpy(data, in->peeked + in->peek_start, taken);
  in->peek_start += taken;
  return taken;
}

static bool read_rest(input *in, void *data, size_t size, size_t *got) {
  if (in->seekable) return transfer_read_at(in->fd, data, size, in->origin + in->position, got);
  *got = 0;
  return in->ended || transfer_read(in->fd, data, size, got);
}

int input_read(input *in, void *data, size_t size, size_t *got) {
  const size_t taken = take_peeked(in, data, size);
  const bool good = read_rest(in, (char *)data + taken, size - taken, got);
  *got += taken;
  in->position += *got;
  return good ? DONE : fail_file(in->name);
}

int input_fail_early(const input *in, uint64_t end) {
  return fail("%s: the data ends early, after %" PRIu64 " bytes", in->name, end);
}

int input_read_at(input *in, uint64_t offset, void *data, size_t size) {
  size_t got;
  if (in->seekable || offset != in->position) {
    if (!transfer_read_at(in->fd, data, size, in->origin + offset, &got)) return fail_file(in->name);
  } else if (input_read(in, data, size, &got) != DONE) {
    return FAILED;
  }
  return got == size ? DONE : input_fail_early(in, offset + got);
}

void input_set_origin(input *in) {
  in->origin += in->position;
  if (in->size != INPUT_SIZE_UNKNOWN) in->size = in->position < in->size ? in->size - in->position : 0;
  in->position = 0;
}

int input_check_end(input *in, uint64_t size) {
  char next;
  size_t got = 0;
  if (in->size == INPUT_SIZE_UNKNOWN && in->position == size) {
    if (input_read(in, &next, 1, &got) != DONE) return FAILED;
    in->size = size + got;
  }
  if (in->size == INPUT_SIZE_UNKNOWN || in->size == size) return DONE;
  if (in->size > size) return fail("%s: there are extra bytes after the %" PRIu64 " bytes of data", in->name, size);
  return fail("%s: %" PRIu64 " bytes of data instead of %" PRIu64, in->name, in->size, size);
}

static int copy_rest(input *in, int fd, uint64_t *size) {
  static char buffer[COPY_BYTES];
  size_t got = COPY_BYTES;
  for (*size = 0; got == COPY_BYTES; *size += got) {
    if (input_read(in, buffer, COPY_BYTES, &got) != DONE) return FAILED;
    if (temporary_write_at(fd, buffer, got, *size) != DONE) return FAILED;
  }
  return DONE;
}

int input_spool(input *in) {
  int fd;
  uint64_t size = 0;
  if (in->seekable) return DONE;
  if (temporary_spool(&fd) != DONE) return FAILED;
  progress_start("reading", 0);
  const int status = copy_rest(in, fd, &size);
  input_replace(in, fd, size);
  return status;
}

void input_replace(input *in, int fd, uint64_t size) {
  input_close(in);
  *in = (input){.name = in->name, .fd = fd, .seekable = true, .size = size};
}
