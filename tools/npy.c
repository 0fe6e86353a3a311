/* npy.c: the header of NumPy's file format.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *   magic "\x93NUMPY", major, minor, length of the dictionary (little endian; 2 bytes in version 1, else 4), and the
 *   dictionary as Python writes it: {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }, padded with spaces
 *   and one newline.
 *
 * The dictionary is not trusted: the parser says what is wrong with it and never looks past its end.
 */
#include "npy.h"
#include "message.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_HEADER ((size_t)1 << 20) /* far more than ARRAY_MAX_DIMS axes need */
#define LONGEST_STRING 32
#define ALIGNMENT      64 /* of the data that follows */

/* ---- The dictionary ---------------------------------------------------------------------------------------------- */

/* The text that is left, and the first error that was found. */
typedef struct cursor {
  const char *at, *end;
  const char *error;
} cursor;

static bool refuse(cursor *c, const char *error) {
  if (c->error == NULL) c->error = error;
  return false;
}

static void skip_space(cursor *c) {
  while (c->at < c->end && memchr(" \t\n\r\f\v", *c->at, 6) != NULL) c->at++;
}

/* Takes one character if it comes next. */
static bool take(cursor *c, char wanted) {
  skip_space(c);
  if (c->at == c->end || *c->at != wanted) return false;
  c->at++;
  return true;
}

static bool take_word(cursor *c, const char *word) {
  const size_t length = strlen(word);
  skip_space(c);
  if ((size_t)(c->end - c->at) < length || memcmp(c->at, word, length) != 0) return false;
  c->at += length;
  return true;
}

static bool take_string(cursor *c, char text[LONGEST_STRING]) {
  skip_space(c);
  if (c->at == c->end || (*c->at != '\'' && *c->at != '"')) return refuse(c, "a string is missing");
  const char quote = *c->at++;
  const char *close = memchr(c->at, quote, (size_t)(c->end - c->at));
  if (close == NULL) return refuse(c, "an unterminated string");
  const size_t length = (size_t)(close - c->at);
  if (length >= LONGEST_STRING) return refuse(c, "a string is too long");
  memcpy(text, c->at, length);
  text[length] = '\0';
  c->at = close + 1;
  return strlen(text) == length || refuse(c, "a string holds a zero byte");
}

static bool take_bool(cursor *c, bool *value) {
  *value = take_word(c, "True");
  return *value || take_word(c, "False") || refuse(c, "fortran_order is neither True nor False");
}

static bool is_digit(const cursor *c) { return c->at < c->end && *c->at >= '0' && *c->at <= '9'; }

/* Python 2 wrote long integers as 3L. */
static bool take_length(cursor *c, uint64_t *value) {
  skip_space(c);
  if (c->at < c->end && *c->at == '-') return refuse(c, "a negative length in the shape");
  if (!is_digit(c)) return refuse(c, "the shape is not a tuple of integers");
  const char *first = c->at;
  for (*value = 0; is_digit(c); c->at++) {
    const uint64_t digit = (uint64_t)(*c->at - '0');
    if (*value > ((uint64_t)INT64_MAX - digit) / 10) return refuse(c, "the shape overflows");
    *value = 10 * *value + digit;
  }
  if (*first == '0' && c->at - first > 1) return refuse(c, "the shape is not a tuple of integers");
  if (c->at < c->end && *c->at == 'L') c->at++;
  return true;
}

/* (), (3,), (3, 4) or (3, 4,); (3) is no tuple. */
static bool take_shape(cursor *c, array *a) {
  bool comma = true;
  if (!take(c, '(')) return refuse(c, "the shape is not a tuple");
  for (a->dims = 0; !take(c, ')'); a->dims++) {
    if (!comma) return refuse(c, "the shape is not a tuple of integers");
    if (a->dims == ARRAY_MAX_DIMS) return refuse(c, "too many dimensions");
    if (!take_length(c, &a->shape[a->dims])) return false;
    comma = take(c, ',');
  }
  return a->dims != 1 || comma || refuse(c, "the shape is not a tuple");
}

typedef struct header {
  char descr[LONGEST_STRING];
  bool structured;
  bool seen[3]; /* descr, fortran_order, shape */
} header;

/* A dtype that is a list, tuple or dictionary is structured: note that, and read no further. */
static bool take_descr(cursor *c, header *h) {
  skip_space(c);
  h->structured = c->at < c->end && (*c->at == '[' || *c->at == '(' || *c->at == '{');
  return !h->structured && take_string(c, h->descr);
}

static bool take_item(cursor *c, header *h, array *a) {
  static const char *const keys[] = {"descr", "fortran_order", "shape"};
  char key[LONGEST_STRING];
  int which = 0;
  if (!take_string(c, key)) return false;
  while (which < 3 && strcmp(key, keys[which]) != 0) which++;
  if (which == 3) return refuse(c, "an unknown key");
  if (h->seen[which]) return refuse(c, "a duplicate key");
  h->seen[which] = true;
  if (!take(c, ':')) return refuse(c, "a colon is missing");
  return which == 0 ? take_descr(c, h) : which == 1 ? take_bool(c, &a->fortran) : take_shape(c, a);
}

static bool take_dictionary(cursor *c, header *h, array *a) {
  bool comma = true;
  if (!take(c, '{')) return refuse(c, "no dictionary");
  while (!take(c, '}')) {
    if (!comma) return refuse(c, "a comma or the closing brace is missing");
    if (!take_item(c, h, a)) return false;
    comma = take(c, ',');
  }
  skip_space(c);
  if (c->at != c->end) return refuse(c, "there is more after the dictionary");
  return (h->seen[0] && h->seen[1] && h->seen[2]) || refuse(c, "descr, fortran_order or shape is missing");
}

/* Sets count from the shape. False if that is more bytes than a file can have: like NumPy, refuses a shape that would
 * be too large without its zeros, although the array is empty. */
static bool set_count(array *a) {
  uint64_t left = (uint64_t)INT64_MAX / a->type->size;
  bool empty = false;
  a->count = 1;
  a->count_known = true;
  for (int i = 0; i < a->dims; i++) {
    empty |= a->shape[i] == 0;
    if (a->shape[i] == 0) continue;
    if (a->shape[i] > left) return false;
    left /= a->shape[i];
    a->count *= a->shape[i];
  }
  if (empty) a->count = 0;
  return true;
}

/* '<f8': byte order, kind, size. A descr without a byte order means this machine's. */
static void set_type(array *a, const char *descr) {
  const bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
  const char *kind = descr + (*descr != '\0' && strchr("<>=|", *descr) != NULL);
  a->swapped = *descr == (little ? '>' : '<');
  a->type = NULL;
  if (kind[0] != '\0' && kind[1] >= '1' && kind[1] <= '9' && kind[2] == '\0')
    a->type = element_by_kind(kind[0], (size_t)(kind[1] - '0'));
}

/* "f4, f8, i4": the dtypes that there are types for. */
enum { DTYPES = 128 };
static const char *supported(char all[DTYPES]) {
  const element *e;
  size_t length = 0;
  all[0] = '\0';
  for (int i = 0; length < DTYPES && (e = element_at(i)) != NULL; i++)
    length += (size_t)snprintf(all + length, DTYPES - length, "%s%c%zu", i > 0 ? ", " : "", e->kind, e->size);
  return all;
}

static int parse_dictionary(const input *in, const char *text, size_t length, array *a) {
  cursor c = {.at = text, .end = text + length};
  header h = {.structured = false};
  char quote[MESSAGE_QUOTE], all[DTYPES];
  const bool good = take_dictionary(&c, &h, a);
  if (h.structured) return fail("%s: structured dtypes are not supported", in->name);
  if (!good) return fail("%s: damaged .npy header: %s", in->name, c.error);
  set_type(a, h.descr);
  if (a->type == NULL)
    return fail("%s: dtype '%s' is not supported: only %s", in->name, quoted(h.descr, quote), supported(all));
  return set_count(a) ? DONE : fail("%s: damaged .npy header: the shape overflows", in->name);
}

/* ---- Headers ----------------------------------------------------------------------------------------------------- */

static int read_exactly(input *in, void *data, size_t size) {
  size_t got;
  if (input_read(in, data, size, &got) != DONE) return FAILED;
  return got == size ? DONE : fail("%s: the .npy header is truncated", in->name);
}

static int read_length(input *in, size_t *length) {
  unsigned char start[NPY_MAGIC_SIZE + 2], size[4] = {0, 0, 0, 0};
  size_t got;
  if (input_read(in, start, NPY_MAGIC_SIZE, &got) != DONE) return FAILED;
  if (got < NPY_MAGIC_SIZE || memcmp(start, NPY_MAGIC, NPY_MAGIC_SIZE) != 0)
    return fail("%s: not a .npy file: it does not start with its magic", in->name);
  if (read_exactly(in, start + NPY_MAGIC_SIZE, 2) != DONE) return FAILED;
  const int major = start[NPY_MAGIC_SIZE], minor = start[NPY_MAGIC_SIZE + 1];
  if (major < 1 || major > 3 || minor != 0)
    return fail("%s: .npy version %d.%d is not supported: 1.0, 2.0 and 3.0 are", in->name, major, minor);
  if (read_exactly(in, size, major == 1 ? 2 : 4) != DONE) return FAILED;
  *length = size[0] | (size_t)size[1] << 8 | (size_t)size[2] << 16 | (size_t)size[3] << 24;
  return *length <= LONGEST_HEADER ? DONE : fail("%s: damaged .npy header: its length is %zu", in->name, *length);
}

int npy_read_header(input *in, array *a) {
  size_t length = 0;
  *a = (array){.type = NULL};
  if (read_length(in, &length) != DONE) return FAILED;
  char *text = malloc(length + 1);
  if (text == NULL) return fail_memory();
  int status = read_exactly(in, text, length);
  if (status == DONE) status = parse_dictionary(in, text, length, a);
  free(text);
  input_set_origin(in);
  return status;
}

/* ARRAY_MAX_DIMS lengths of 20 digits stay far below the 65,535 bytes of version 1. */
int npy_write_header(output *out, const array *a) {
  char text[10 + 128 + ARRAY_MAX_DIMS * 22 + ALIGNMENT] = NPY_MAGIC "\x01";
  const char order = a->type->size == 1 ? '|' : __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '<' : '>';
  const size_t room = sizeof text - ALIGNMENT;
  size_t end = 10;
  end += (size_t)snprintf(text + end, room - end, "{'descr': '%c%c%zu', 'fortran_order': %s, 'shape': (", order,
                          a->type->kind, a->type->size, a->fortran ? "True" : "False");
  for (int i = 0; i < a->dims; i++)
    end += (size_t)snprintf(text + end, room - end, "%s%" PRIu64, i > 0 ? ", " : "", a->shape[i]);
  end += (size_t)snprintf(text + end, room - end, "%s), }", a->dims == 1 ? "," : "");
  while ((end + 1) % ALIGNMENT != 0) text[end++] = ' ';
  text[end++] = '\n';
  text[8] = (char)((end - 10) & 0xff);
  text[9] = (char)((end - 10) >> 8);
  if (output_write(out, text, end) != DONE) return FAILED;
  output_set_origin(out);
  return DONE;
}
