/* flatten.c: an array in Fortran order, put into C order.
 *
 * Transposes a file that need not fit in memory. The array is cut into boxes that do; each is read, transposed in
 * memory and written. A box is long along the first axes, so that it is read in runs of about RUN contiguous elements,
 * and along the last axes, so that it is written in such runs, too. */
#include "flatten.h"
#include "message.h"
#include "progress.h"
#include "temporary.h"

#include <stdlib.h>
#include <string.h>

#define RUN 1024 /* elements; a box is at most RUN * RUN of them */

/* A box within an array. Axis 0 is contiguous in the file, the last axis is the slowest. */
typedef struct box {
  int dims;
  uint64_t shape[ARRAY_MAX_DIMS]; /* of the array */
  uint64_t first[ARRAY_MAX_DIMS]; /* the box's corner in the array */
  uint64_t size[ARRAY_MAX_DIMS];  /* of the box */
} box;

static uint64_t smaller(uint64_t a, uint64_t b) { return a < b ? a : b; }

static uint64_t box_count(const box *b) {
  uint64_t count = 1;
  for (int i = 0; i < b->dims; i++) count *= b->size[i];
  return count;
}

/* The same box with its axes in reverse order. */
static box turned(const box *b) {
  box t = {.dims = b->dims};
  for (int i = 0; i < b->dims; i++) {
    t.shape[i] = b->shape[b->dims - 1 - i];
    t.first[i] = b->first[b->dims - 1 - i];
    t.size[i] = b->size[b->dims - 1 - i];
  }
  return t;
}

/* ---- Runs -------------------------------------------------------------------------------------------------------- */

typedef int run_action(void *context, uint64_t offset, char *data, size_t size);

/* The number of leading axes that a contiguous run spans: it extends into the next axis where the box has the whole of
 * those before. */
static int run_axes(const box *b) {
  int axes = 1;
  while (axes < b->dims && b->size[axes - 1] == b->shape[axes - 1]) axes++;
  return axes;
}

/* Steps index[from..dims-1] through a shape, the first fastest; false after the last. */
static bool step(uint64_t *index, const uint64_t *shape, int from, int dims) {
  for (int i = from; i < dims; i++) {
    if (++index[i] < shape[i]) return true;
    index[i] = 0;
  }
  return false;
}

/* Calls act for each run of the box, with its offset in the file and its place in the packed box at data. */
static int for_each_run(const box *b, size_t element_size, char *data, run_action *act, void *context) {
  const int axes = run_axes(b);
  uint64_t index[ARRAY_MAX_DIMS] = {0}, run = element_size;
  for (int i = 0; i < axes; i++) run *= b->size[i];
  do {
    uint64_t offset = 0;
    for (int i = b->dims; i-- > 0;) offset = offset * b->shape[i] + b->first[i] + index[i];
    if (act(context, offset * element_size, data, (size_t)run) != DONE) return FAILED;
    data += run;
  } while (step(index, b->size, axes, b->dims));
  return DONE;
}

static int read_run(void *context, uint64_t offset, char *data, size_t size) {
  return input_read_at(context, offset, data, size);
}

static int write_run(void *context, uint64_t offset, char *data, size_t size) {
  return temporary_write_at(*(const int *)context, data, size, offset);
}

/* ---- In memory --------------------------------------------------------------------------------------------------- */

static void copy_strided(const char *from, size_t stride, char *to, size_t count, size_t element_size) {
  if (element_size == 4)
    for (size_t i = 0; i < count; i++) memcpy(to + 4 * i, from + 4 * stride * i, 4);
  else if (element_size == 8)
    for (size_t i = 0; i < count; i++) memcpy(to + 8 * i, from + 8 * stride * i, 8);
  else
    for (size_t i = 0; i < count; i++) memcpy(to + element_size * i, from + element_size * stride * i, element_size);
}

/* Copies a packed box to the same box packed with its axes in reverse order. */
static void transpose_box(const box *b, size_t element_size, const char *from, char *to) {
  const box t = turned(b);
  uint64_t stride[ARRAY_MAX_DIMS] = {0}, index[ARRAY_MAX_DIMS] = {0}, next = 1;
  for (int i = 0; i < b->dims; i++) {
    stride[b->dims - 1 - i] = next;
    next *= b->size[i];
  }
  do {
    uint64_t offset = 0;
    for (int i = 1; i < t.dims; i++) offset += index[i] * stride[i];
    copy_strided(from + offset * element_size, stride[0], to, t.size[0], element_size);
    to += t.size[0] * element_size;
  } while (step(index, t.size, 1, t.dims));
}

/* ---- The whole array --------------------------------------------------------------------------------------------- */

/* Leaves out axes of length 1, which do not affect the order. */
static void set_shape(box *b, const array *a) {
  b->dims = 0;
  for (int i = 0; i < a->dims; i++)
    if (a->shape[i] != 1) b->shape[b->dims++] = a->shape[i];
}

/* The size of the largest box: RUN elements along the first axes, for reading, and RUN along the last, for writing. */
static void set_largest(const box *b, uint64_t largest[ARRAY_MAX_DIMS]) {
  uint64_t left = RUN;
  for (int i = 0; i < b->dims; i++) {
    largest[i] = smaller(b->shape[i], left);
    left /= largest[i];
  }
  left = RUN;
  for (int i = b->dims; i-- > 0;) {
    const uint64_t wanted = smaller(b->shape[i], left);
    if (wanted > largest[i]) largest[i] = wanted;
    left /= wanted;
  }
}

/* The next box in the order of the file; false after the last. */
static bool next_box(box *b, const uint64_t *largest) {
  for (int i = 0; i < b->dims; i++) {
    b->first[i] += b->size[i];
    const bool within = b->first[i] < b->shape[i];
    if (!within) b->first[i] = 0;
    b->size[i] = smaller(largest[i], b->shape[i] - b->first[i]);
    if (within) return true;
  }
  return false;
}

static int move_box(const box *b, size_t element_size, input *in, int fd, char *buffer, char *turned_buffer) {
  const box t = turned(b);
  if (for_each_run(b, element_size, buffer, read_run, in) != DONE) return FAILED;
  transpose_box(b, element_size, buffer, turned_buffer);
  return for_each_run(&t, element_size, turned_buffer, write_run, &fd);
}

static int move_boxes(const array *a, input *in, int fd) {
  box b = {.dims = 0};
  uint64_t largest[ARRAY_MAX_DIMS] = {0};
  set_shape(&b, a);
  set_largest(&b, largest);
  memcpy(b.size, largest, sizeof b.size);
  const size_t bytes = (size_t)box_count(&b) * a->type->size;
  char *buffer = malloc(2 * bytes);
  if (buffer == NULL) return fail_memory();
  int status;
  do status = move_box(&b, a->type->size, in, fd, buffer, buffer + bytes);
  while (status == DONE && next_box(&b, largest));
  free(buffer);
  return status;
}

int flatten(input *in, array *a) {
  int fd;
  if (temporary_spool(&fd) != DONE) return FAILED;
  progress_start("transposing", a->count * a->type->size);
  const int status = a->count == 0 ? DONE : move_boxes(a, in, fd);
  input_replace(in, fd, a->count * a->type->size);
  array_flatten(a);
  return status;
}
