/* npy.c: the header of NumPy's file format.
 *
 *   magic "\x93NUMPY", major, minor, length of the dictionary (little endian; 2 bytes in version 1, else 4), and the
 *   dictionary as Python writes it: {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }, padded with spaces
 *   and one newline.
 */
#include "npy.h"
#include "message.h"

#include <ctype.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_HEADER ((size_t)1 << 20) /* far more than ARRAY_MAX_DIMS axes need */
#define ALIGNMENT      64                /* of the data that follows */

/* ---- The dictionary ---------------------------------------------------------------------------------------------- */

/* Turns Python's notation into JSON, from which it differs in quotation marks, in tuples, which are never (3), in truth
 * values, in a comma before a closing bracket, and in the L behind a long integer of Python 2. What is then no JSON was
 * damaged. False if there is a list, as in structured dtypes. */
static bool turn_into_json(char *text, size_t length) {
  char quote = '\0', last = '\0', *comma = NULL; /* the one that came last, if an element came before it */
  bool is_tuple = false;                         /* what is in parentheses has a comma, or is nothing */
  for (char *c = text; c < text + length; c++) {
    const char before = last;
    if (quote == '\0' && isspace((unsigned char)*c)) continue;
    if (quote == '\0' && *c == '[') return false;
    if (quote == '\0' ? *c == '\'' || *c == '"' : *c == quote) {
      quote = quote == '\0' ? *c : '\0';
      *c = '"';
    } else if (quote == '\0') {
      if (comma != NULL && (*c == ')' || *c == '}')) *comma = ' ';
      is_tuple = *c == ',' || (before == '[' ? *c == ')' : is_tuple);
      if (*c == '(') *c = '[';
      if (*c == ')' && is_tuple) *c = ']';
      if (*c == 'T' || *c == 'F') *c = (char)tolower(*c);
      if (*c == 'L' && isdigit((unsigned char)before)) *c = ' ';
    }
    comma = quote == '\0' && *c == ',' && before != '[' && before != '{' ? c : NULL;
    last = *c;
  }
  return true;
}

static bool take_shape(const json_t *shape, array *a) {
  const size_t dims = json_array_size(shape);
  size_t i;
  const json_t *length;
  if (!json_is_array(shape) || dims > ARRAY_MAX_DIMS) return false;
  a->dims = (int)dims;
  json_array_foreach (shape, i, length) {
    if (!json_is_integer(length) || json_integer_value(length) < 0) return false;
    a->shape[i] = (uint64_t)json_integer_value(length);
  }
  return true;
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

/* '<f8': byte order, kind, size. A descr without a byte order means this machine's. Truth values, b1, are 0 and 1. */
static void set_type(array *a, const char *descr) {
  const bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
  const char *kind = descr + (*descr != '\0' && strchr("<>=|", *descr) != NULL);
  a->swapped = *descr == (little ? '>' : '<');
  a->type = NULL;
  if (kind[0] == '\0' || kind[1] < '1' || kind[1] > '9') return;
  const bool is_long = isdigit((unsigned char)kind[2]) != 0;
  const size_t size = (size_t)(is_long ? 10 * (kind[1] - '0') + kind[2] - '0' : kind[1] - '0');
  if (kind[2 + is_long] == '\0') a->type = element_by_kind(kind[0] == 'b' && size == 1 ? 'u' : kind[0], size);
}

/* "f4, f8, i4": the dtypes that there are types for. */
enum { DTYPES = 128 };
static const char *supported(char all[DTYPES]) {
  const element *e;
  size_t length = 0;
  all[0] = '\0';
  for (int i = 0; length < DTYPES && (e = element_at(i)) != NULL; i++)
    if (element_has_dtype(e))
      length += (size_t)snprintf(all + length, DTYPES - length, "%s%c%zu", i > 0 ? ", " : "", e->kind, e->size);
  return all;
}

static int take_dictionary(const input *in, json_t *dictionary, json_error_t *error, array *a) {
  const char *descr;
  int fortran;
  json_t *shape;
  char quote[MESSAGE_QUOTE], all[DTYPES];
  if (dictionary == NULL || json_unpack_ex(dictionary, error, JSON_STRICT, "{s:s, s:b, s:o}", "descr", &descr,
                                           "fortran_order", &fortran, "shape", &shape) != 0)
    return fail("%s: damaged .npy header: %s", in->name, error->text);
  a->fortran = fortran;
  set_type(a, descr);
  if (a->type == NULL)
    return fail("%s: dtype '%s' is not supported: only %s", in->name, quoted(descr, quote), supported(all));
  if (!take_shape(shape, a))
    return fail("%s: damaged .npy header: the shape is not a tuple of at most %d lengths", in->name, ARRAY_MAX_DIMS);
  return set_count(a) ? DONE : fail("%s: damaged .npy header: the shape overflows", in->name);
}

static int parse_dictionary(const input *in, char *text, size_t length, array *a) {
  json_error_t error;
  if (!turn_into_json(text, length)) return fail("%s: structured dtypes are not supported", in->name);
  json_t *dictionary = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
  const int status = take_dictionary(in, dictionary, &error, a);
  json_decref(dictionary);
  return status;
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
