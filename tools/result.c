/* result.c: where the results go: as bytes or as text, in order or not. */
#include "result.h"
#include "message.h"
#include "progress.h"
#include "temporary.h"
#include "transfer.h"

#include <string.h>
#include <unistd.h>

#define TEXT_BYTES   ((size_t)1 << 16)
#define REPLAY_BYTES ((size_t)1 << 20)

int result_open(result *to, const char *path) {
  *to = (result){.spool = -1};
  return output_open(&to->out, path);
}

void result_expect(result *to, const element *type, bool text) {
  to->type = type;
  to->text = text;
}

int result_unorder(result *to) { return to->out.seekable && !to->text ? DONE : temporary_spool(&to->spool); }

/* One number a line. */
static int write_text(result *to, const char *data, size_t count) {
  static char text[TEXT_BYTES + ELEMENT_TEXT + 1];
  size_t size = 0;
  for (size_t i = 0; i < count; i++) {
    size += (size_t)element_print(to->type, data + i * to->type->size, text + size);
    text[size++] = '\n';
    if (size < TEXT_BYTES) continue;
    if (output_write(&to->out, text, size) != DONE) return FAILED;
    size = 0;
  }
  return output_write(&to->out, text, size);
}

int result_put(result *to, uint64_t first, const void *data, size_t count) {
  const uint64_t offset = first * to->type->size;
  const size_t size = count * to->type->size;
  if (to->spool >= 0) {
    if (first + count > to->count) to->count = first + count;
    return temporary_write_at(to->spool, data, size, offset);
  }
  return to->text ? write_text(to, data, count) : output_write_at(&to->out, offset, data, size);
}

/* Writes the spool to the output, in order. */
static int replay(result *to) {
  static char buffer[REPLAY_BYTES];
  const uint64_t total = to->count * to->type->size;
  size_t got = REPLAY_BYTES;
  progress_start("writing", total);
  for (uint64_t done = 0; done < total; done += got) {
    if (!transfer_read_at(to->spool, buffer, REPLAY_BYTES, done, &got)) return fail_file("temporary file");
    if (got == 0) return fail("temporary file: it is truncated");
    if (to->text ? write_text(to, buffer, got / to->type->size) : output_write(&to->out, buffer, got)) return FAILED;
  }
  return DONE;
}

int result_close(result *to, int status) {
  if (to->spool >= 0) {
    if (status == DONE) status = replay(to);
    close(to->spool);
  }
  return output_close(&to->out, status);
}
