/* order.c: scans data of any size block by block, in the order of the scan.
 *
 * The data is outer * length * inner elements, scanned along `length`: each of `outer` slabs is a matrix of `length`
 * lines of `inner` elements. A block is `lines` lines by `columns` columns of one slab or, where slabs are small,
 * several whole slabs. With inner == 1 scans are contiguous; otherwise they are the columns of a slab. Along `length`,
 * each block passes on a carry for each of its scans to the next block. */
#include "order.h"
#include "message.h"
#include "progress.h"

#include <stdlib.h>
#include <string.h>

#define ROW_BLOCK                                                                                                      \
  ((uint64_t)MMSCAN_MAX_TILE * 32) /* elements; whole tiles, so that a long row gets the same bits as from one call */
#define MATRIX_BLOCK ((uint64_t)MMSCAN_MAX_TILE * 8)
#define MOST_COLUMNS ((uint64_t)8192) /* of a block: reads of 32 KiB or more, columns of 128 or more */

/* The size of a block, or the largest size. */
typedef struct block_shape {
  uint64_t slabs, lines, columns;
} block_shape;

/* A block: its place, its size, its elements and the carries of its scans. */
typedef struct block {
  uint64_t slab, line, column;
  block_shape size;
  char *data, *carry;
} block;

static uint64_t smaller(uint64_t a, uint64_t b) { return a < b ? a : b; }

static block_shape choose_block(const order *o) {
  const uint64_t elements = o->inner == 1 ? ROW_BLOCK : MATRIX_BLOCK;
  block_shape b = {.slabs = 1, .columns = smaller(o->inner, MOST_COLUMNS)};
  b.lines = smaller(o->length, elements / b.columns);
  if (b.lines == o->length && b.columns == o->inner) b.slabs = smaller(o->outer, elements / (b.lines * b.columns));
  return b;
}

static bool is_empty(const order *o) { return o->outer == 0 || o->length == 0 || o->inner == 0; }

bool order_is_sequential(const order *o) {
  if (is_empty(o)) return true;
  const block_shape b = choose_block(o);
  return b.columns == o->inner && (b.lines == o->length || !o->reverse);
}

/* ---- One block --------------------------------------------------------------------------------------------------- */

static uint64_t slab_elements(const block *b) { return b->size.lines * b->size.columns; }

/* A block that is narrower than its slab is one contiguous piece of the file for each line; any other is one piece. */
static uint64_t pieces(const order *o, const block *b) { return b->size.columns == o->inner ? 1 : b->size.lines; }

static uint64_t piece_first(const order *o, const block *b, uint64_t piece) {
  return (b->slab * o->length + b->line + piece) * o->inner + b->column;
}

static size_t piece_elements(const order *o, const block *b) {
  return (size_t)(b->size.slabs * slab_elements(b) / pieces(o, b));
}

static int read_block(const order *o, const block *b, input *in) {
  const size_t count = piece_elements(o, b), bytes = count * o->type->size;
  for (uint64_t p = 0; p < pieces(o, b); p++) {
    char *data = b->data + p * bytes;
    if (input_read_at(in, piece_first(o, b, p) * o->type->size, data, bytes) != DONE) return FAILED;
    if (o->swapped) element_swap(data, count, o->type->size);
  }
  return DONE;
}

static int write_block(const order *o, const block *b, result *to) {
  const size_t count = piece_elements(o, b);
  for (uint64_t p = 0; p < pieces(o, b); p++)
    if (result_put(to, piece_first(o, b, p), b->data + p * count * o->type->size, count) != DONE) return FAILED;
  return DONE;
}

/* ---- The library ------------------------------------------------------------------------------------------------- */

/* `count` scans of n elements, in place: with their elements `stride` apart, and themselves `dist`. */
static mmscan_status scan_some(const order *o, void *data, size_t n, size_t stride, size_t count, size_t dist,
                               void *carry) {
  const mmscan_desc desc = {.struct_size = sizeof desc,
                            .x_type = o->type->type,
                            .y_type = o->type->type,
                            .op = o->op,
                            .kind = o->kind,
                            .reverse = o->reverse,
                            .n = n,
                            .x_stride = (ptrdiff_t)stride,
                            .y_stride = (ptrdiff_t)stride,
                            .batch = count,
                            .x_dist = (ptrdiff_t)dist,
                            .y_dist = (ptrdiff_t)dist};
  return mmscan_scan_block(&desc, data, data, carry);
}

static mmscan_status scan_rows(const order *o, void *data, size_t n, size_t rows, void *carry) {
  return scan_some(o, data, n, 1, rows, n, carry);
}

/* The rows of a block, or the columns of each of its slabs. */
static mmscan_status scan_slabs(const order *o, const block *b) {
  const size_t lines = (size_t)b->size.lines, columns = (size_t)b->size.columns, size = o->type->size;
  if (o->inner == 1) return scan_rows(o, b->data, lines, (size_t)b->size.slabs, b->carry);
  mmscan_status status = MMSCAN_OK;
  for (size_t s = 0; s < b->size.slabs && status == MMSCAN_OK; s++)
    status =
        scan_some(o, b->data + s * lines * columns * size, lines, columns, columns, 1, b->carry + s * columns * size);
  return status;
}

static int fail_library(const char *name, mmscan_status status) {
  const char *environment = mmscan_environment_error();
  return environment != NULL ? fail("%s", environment) : fail("%s: %s", name, mmscan_strerror(status));
}

/* The same as in one call. */
static void fill_carry(const order *o, void *carry, size_t count) {
  const size_t size = o->type->size;
  element_fill(o->type, o->op, o->kind, carry, count);
  for (size_t i = 0; o->has_init && i < count; i++) memcpy((char *)carry + i * size, &o->init, size);
}

int order_check(const order *o, const char *name) {
  scalar one = {.u64 = 0}, carry;
  if (!element_fill(o->type, o->op, o->kind, &carry, 1)) return fail("%s: --op does not scan %s", name, o->type->name);
  const mmscan_status status = scan_rows(o, &one, 1, 1, &carry);
  if (status == MMSCAN_OK) return DONE;
  return fail_library(name, status);
}

static int scan_block(const order *o, const block *b, input *in, result *to) {
  if (read_block(o, b, in) != DONE) return FAILED;
  const mmscan_status status = scan_slabs(o, b);
  if (status != MMSCAN_OK) return fail_library(in->name, status);
  return write_block(o, b, to);
}

/* ---- All blocks -------------------------------------------------------------------------------------------------- */

/* Scans the blocks along `length`. A reverse scan starts with the last block, and counts lines from the end, so that
 * the incomplete block comes last. */
static int scan_lines(const order *o, const block_shape *largest, block *b, input *in, result *to) {
  fill_carry(o, b->carry, (size_t)(b->size.slabs * b->size.columns));
  for (uint64_t done = 0; done < o->length; done += b->size.lines) {
    b->size.lines = smaller(largest->lines, o->length - done);
    b->line = o->reverse ? o->length - done - b->size.lines : done;
    if (scan_block(o, b, in, to) != DONE) return FAILED;
  }
  return DONE;
}

static int scan_blocks(const order *o, const block_shape *largest, block *b, input *in, result *to) {
  for (b->slab = 0; b->slab < o->outer; b->slab += b->size.slabs) {
    b->size.slabs = smaller(largest->slabs, o->outer - b->slab);
    for (b->column = 0; b->column < o->inner; b->column += b->size.columns) {
      b->size.columns = smaller(largest->columns, o->inner - b->column);
      if (scan_lines(o, largest, b, in, to) != DONE) return FAILED;
    }
  }
  return DONE;
}

/* Buffers for a block, as one allocation at b->data. */
static bool allocate(const order *o, const block_shape *largest, block *b) {
  const size_t carries = (size_t)(largest->slabs * largest->columns) * o->type->size;
  const size_t bytes = carries * (size_t)largest->lines;
  b->data = malloc(bytes + carries);
  if (b->data == NULL) return false;
  b->carry = b->data + bytes;
  return true;
}

int order_scan(const order *o, input *in, result *to) {
  block b = {.data = NULL};
  progress_start("scanning", o->outer * o->length * o->inner * o->type->size);
  if (is_empty(o)) return DONE;
  const block_shape largest = choose_block(o);
  if (!allocate(o, &largest, &b)) return fail_memory();
  const int status = scan_blocks(o, &largest, &b, in, to);
  free(b.data);
  return status;
}

/* ---- A row without an end ---------------------------------------------------------------------------------------- */

int order_fail_size(const char *name, const element *type) {
  return fail("%s: its size is not a multiple of the %zu bytes of %s; if it is not raw, --format says what it is", name,
              type->size, type->name);
}

static int scan_stream_with(const order *o, input *in, result *to, char *data) {
  const size_t size = o->type->size, most = (size_t)ROW_BLOCK * size;
  size_t got = most;
  scalar carry;
  fill_carry(o, &carry, 1);
  for (uint64_t done = 0; got == most; done += got / size) {
    if (input_read(in, data, most, &got) != DONE) return FAILED;
    if (got % size != 0) return order_fail_size(in->name, o->type);
    const mmscan_status status = scan_rows(o, data, got / size, 1, &carry);
    if (status != MMSCAN_OK) return fail_library(in->name, status);
    if (result_put(to, done, data, got / size) != DONE) return FAILED;
  }
  return DONE;
}

int order_scan_stream(const order *o, input *in, result *to) {
  char *data = malloc((size_t)ROW_BLOCK * o->type->size);
  if (data == NULL) return fail_memory();
  progress_start("scanning", 0);
  const int status = scan_stream_with(o, in, to, data);
  free(data);
  return status;
}
