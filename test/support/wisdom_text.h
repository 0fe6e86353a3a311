/* wisdom_text.h: wisdom files made by hand, in a temporary folder.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The head, which identifies the library and the machine, is copied from a file that the library wrote. The lines after
 * it, and the checksum over the whole, are made here.
 */
#ifndef WISDOM_TEXT_H
#define WISDOM_TEXT_H

#include <inttypes.h>
#include <sys/stat.h>

#include "scratch.h"

enum { TEXT_SIZE = 4096 };

/* ---- Texts ------------------------------------------------------------------------------------------------------- */

struct text {
  size_t size;
  char data[TEXT_SIZE]; /* null-terminated */
};

static inline void add_text(struct text *text, const char *more) {
  int size = snprintf(text->data + text->size, TEXT_SIZE - text->size, "%s", more);
  if (size < 0 || text->size + (size_t)size >= TEXT_SIZE) fail_msg("a text is too long for the test");
  text->size += (size_t)size;
}

static inline struct text text_read(const char *path) {
  struct text text = {0};
  FILE *file = fopen(path, "rb");
  if (file == NULL) fail_msg("%s: cannot be read", path);
  text.size = fread(text.data, 1, TEXT_SIZE - 1, file);
  fclose(file);
  return text;
}

static inline void write_bytes(const char *path, const void *data, size_t size) {
  FILE *file = fopen(path, "wb");
  if (file == NULL || fwrite(data, 1, size, file) != size || fclose(file) != 0) fail_msg("%s: cannot be written", path);
}

static inline void text_write(const char *path, const struct text *text) { write_bytes(path, text->data, text->size); }

/* ---- Wisdom ------------------------------------------------------------------------------------------------------ */

/* 64-bit FNV-1a. */
static inline uint64_t fnv1a(const char *data, size_t size) {
  uint64_t sum = UINT64_C(14695981039346656037);
  for (size_t i = 0; i < size; i++) sum = (sum ^ (unsigned char)data[i]) * UINT64_C(1099511628211);
  return sum;
}

static inline size_t lines_in(const char *text) {
  size_t lines = 0;
  for (; *text != '\0'; text++) lines += *text == '\n';
  return lines;
}

/* The line of the unit cblas, which a file has where a shape names the unit. */
static inline void add_unit(struct text *head) {
  mmscan_part part = {.struct_size = sizeof part};
  assert_mmscan_ok(mmscan_get_unit(0, &part));
  add_text(head, "unit cblas ");
  add_text(head, text_or(part.version, "unknown"));
  add_text(head, "\n");
}

/* The lines before the first shape: they identify the library, this machine and its BLAS. Written only once, since it
 * goes to disk. */
static inline struct text wisdom_head(void) {
  static const char *const starts[] = {"mmscan-wisdom ", "library ", "cpu ", "isa "};
  static struct text text;
  size_t at = 0;
  if (text.size > 0) return text;
  assert_mmscan_ok(mmscan_wisdom_write(in_scratch("head")));
  text = text_read(in_scratch("head"));
  remove(in_scratch("head"));
  for (size_t i = 0; i < COUNT(starts);)
    if (strncmp(text.data + at, starts[i], strlen(starts[i])) == 0)
      at = (size_t)(strchr(text.data + at, '\n') + 1 - text.data);
    else
      i++;
  text.size = at;
  text.data[at] = '\0';
  if (lines_in(text.data) != COUNT(starts)) fail_msg("this is no head of wisdom: %s", text.data);
  add_unit(&text);
  return text;
}

/* A whole file: its last line is right, whatever the lines before it are. */
static inline struct text wisdom_of(const char *head, const char *lines) {
  struct text text = {0};
  char end[64];
  add_text(&text, head);
  add_text(&text, lines);
  snprintf(end, sizeof end, "end %zu %016" PRIx64 "\n", lines_in(lines), fnv1a(text.data, text.size));
  add_text(&text, end);
  return text;
}

/* Writes a valid file with these lines into the folder. */
static inline const char *wisdom_file(const char *name, const char *lines) {
  struct text head = wisdom_head(), text = wisdom_of(head.data, lines);
  text_write(in_scratch(name), &text);
  return in_scratch(name);
}

#endif /* WISDOM_TEXT_H */
