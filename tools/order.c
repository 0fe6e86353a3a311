/* order.c: scans data of any size block by block, in the order of the scan.
 *
 * The data is outer * length * inner elements, scanned along `length`: each of `outer` slabs is a matrix of `length`
 * lines of `inner` elements. A block is `lines` lines by `columns` columns of one slab or, where slabs are small,
 * several whole slabs. With inner == 1 scans are contiguous; otherwise they are the columns of a slab. Along `length`,
 * each block passes on a carry for each of its scans to the next block. Processes that share a scan do one block each
 * at a time: of different slabs or columns, or of lines that follow each other, whose carries are those behind all of
 * them. */
#include "order.h"
#include "message.h"
#include "progress.h"

#include <stdlib.h>
#include <string.h>

#define ROW_BLOCK                                                                                                      \
  ((uint64_t)MMSCAN_MAX_TILE * 32) /* elements; whole tiles, so that a long row gets the same bits as from one call */
#define MATRIX_BLOCK   ((uint64_t)MMSCAN_MAX_TILE * 8)
#define MOST_COLUMNS   ((uint64_t)8192) /* of a block: reads of 32 KiB or more, columns of 128 or more */
#define FEWEST_COLUMNS ((uint64_t)1024) /* that a process is to have where columns are shared */

/* The size of a block, or the largest size. */
typedef struct block_shape {
  uint64_t slabs, lines, columns;
} block_shape;

/* A block: its place, its size, its elements, its results, which may take their place, the carries of its scans
 * and what is kept besides, their totals, and as many of what comes before the first result of each. */
typedef struct block {
  uint64_t slab, line, column;
  block_shape size;
  bool ends; /* its scans end in it */
  char *data, *results, *carry, *state, *totals, *first;
} block;

static uint64_t smaller(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* ---- Who does what ----------------------------------------------------------------------------------------------- */

static int agree_alone(int status) { return status; }

static const order_team alone = {0, 1, input_read_at, result_put, mmscan_scan_block, agree_alone};

static const order_team *team_of(const order *o) { return o->team != NULL ? o->team : &alone; }

/* Where there is a slab for each process, or columns, none needs a carry of another. */
typedef enum shared { SLABS, COLUMNS, LINES } shared;

static shared shared_by(const order *o) {
  const uint64_t ranks = (uint64_t)team_of(o)->ranks;
  return o->outer >= ranks ? SLABS : o->inner / ranks >= FEWEST_COLUMNS ? COLUMNS : LINES;
}

/* Of slabs, of columns, or of lines in the order of the scan, those that are done at once: all of them, and this
 * process's. */
typedef struct share {
  uint64_t all, first, count;
} share;

/* `most`: of one process. Those of each but the last are a multiple of `unit`. */
static share share_out(uint64_t done, uint64_t whole, uint64_t ranks, uint64_t place, uint64_t most, uint64_t unit) {
  const uint64_t left = whole - done, even = left / ranks + (left % ranks > 0);
  const uint64_t each = smaller(most, (even + unit - 1) / unit * unit), all = smaller(left, each * ranks);
  const uint64_t before = smaller(all, each * place);
  return (share){.all = all, .first = done + before, .count = smaller(each, all - before)};
}

static share next_share(const order *o, shared what, uint64_t done, uint64_t whole, uint64_t most, uint64_t unit) {
  const int ranks = team_of(o)->ranks, rank = team_of(o)->rank;
  const int place = what == LINES && o->reverse ? ranks - 1 - rank : rank;
  if (what != shared_by(o)) return share_out(done, whole, 1, 0, most, unit);
  return share_out(done, whole, (uint64_t)ranks, (uint64_t)place, most, unit);
}

/* ---- The size of blocks ------------------------------------------------------------------------------------------ */

/* Lines, of which a block is a multiple. */
static uint64_t unit_of(const order *o) { return o->flags & MMSCAN_REPRODUCIBLE ? MMSCAN_BLOCK : 1; }

static block_shape choose_block(const order *o) {
  const uint64_t elements = o->inner == 1 ? ROW_BLOCK : MATRIX_BLOCK, unit = smaller(unit_of(o), o->length);
  block_shape b = {.slabs = 1, .columns = smaller(o->inner, smaller(MOST_COLUMNS, elements / unit))};
  b.lines = smaller(o->length, elements / b.columns / unit * unit);
  if (b.lines == o->length && b.columns == o->inner && shared_by(o) == SLABS)
    b.slabs = smaller(o->outer, elements / (b.lines * b.columns));
  return b;
}

static bool is_empty(const order *o) { return o->outer == 0 || o->length == 0 || o->inner == 0; }

bool order_is_sequential(const order *o) {
  if (is_empty(o) || o->segments != NULL) return true;
  const block_shape b = choose_block(o);
  return b.columns == o->inner && (b.lines == o->length || !o->reverse);
}

/* ---- One block --------------------------------------------------------------------------------------------------- */

/* Of processes that share a scan some may have nothing to do at the end. */
static bool has_none(const block *b) { return b->size.slabs == 0 || b->size.lines == 0 || b->size.columns == 0; }

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
  if (has_none(b)) return DONE;
  const size_t count = piece_elements(o, b), bytes = count * o->type->size;
  for (uint64_t p = 0; p < pieces(o, b); p++) {
    char *data = b->data + p * bytes;
    if (team_of(o)->read(in, piece_first(o, b, p) * o->type->size, data, bytes) != DONE) return FAILED;
    if (o->swapped) element_swap(o->type, data, count);
  }
  return DONE;
}

/* The result of a line of the block, or what comes before all results, in the output. */
static uint64_t result_first(const order *o, const block *b, uint64_t slab, uint64_t line) {
  return ((b->slab + slab) * order_results(o) + line) * o->inner + b->column;
}

/* Where there is one result more than elements, slabs do not follow each other. */
static uint64_t result_pieces(const order *o, const block *b) {
  if (b->size.columns != o->inner) return b->size.lines;
  return o->kind == MMSCAN_OFFSETS ? b->size.slabs : 1;
}

static int write_piece(const order *o, const block *b, uint64_t piece, result *to) {
  const bool is_narrow = b->size.columns != o->inner, is_shifted = o->kind == MMSCAN_OFFSETS && !o->reverse;
  const size_t count = (size_t)(b->size.slabs * slab_elements(b) / result_pieces(o, b));
  const uint64_t line = b->line + is_shifted + (is_narrow ? piece : 0);
  return team_of(o)->put(to, result_first(o, b, is_narrow ? 0 : piece, line), b->results + piece * count * o->to->size,
                         count);
}

static int write_first(const order *o, const block *b, uint64_t slab, result *to) {
  return team_of(o)->put(to, result_first(o, b, slab, o->reverse ? o->length : 0), b->first, (size_t)b->size.columns);
}

/* In the order of the output, if the block has whole slabs: what comes before the first result is in front of them, or
 * behind them in reverse. */
static int write_block(const order *o, const block *b, result *to) {
  if (has_none(b)) return DONE;
  const bool starts = o->reverse ? b->line + b->size.lines == o->length : b->line == 0;
  const bool has_first = o->kind == MMSCAN_OFFSETS && starts, is_narrow = b->size.columns != o->inner;
  int status = has_first && is_narrow ? write_first(o, b, 0, to) : DONE;
  for (uint64_t p = 0; p < result_pieces(o, b) && status == DONE; p++) {
    const bool is_edge = has_first && !is_narrow;
    if (is_edge && !o->reverse) status = write_first(o, b, p, to);
    if (status == DONE) status = write_piece(o, b, p, to);
    if (status == DONE && is_edge && o->reverse) status = write_first(o, b, p, to);
  }
  return status;
}

/* ---- The library ------------------------------------------------------------------------------------------------- */

/* The library has no offsets in blocks: they are what is before the first element, and then the inclusive results. */
static mmscan_kind block_kind(const order *o) { return o->kind == MMSCAN_OFFSETS ? MMSCAN_INCLUSIVE : o->kind; }

/* `count` scans of n elements, with their elements `stride` apart, and themselves `dist`. */
static mmscan_desc describe(const order *o, size_t n, size_t stride, size_t count, size_t dist) {
  return (mmscan_desc){.struct_size = sizeof(mmscan_desc),
                       .x_type = o->type->type,
                       .y_type = o->to->type,
                       .op = o->op,
                       .kind = block_kind(o),
                       .reverse = o->reverse,
                       .n = n,
                       .x_stride = (ptrdiff_t)stride,
                       .y_stride = (ptrdiff_t)stride,
                       .batch = count,
                       .x_dist = (ptrdiff_t)dist,
                       .y_dist = (ptrdiff_t)dist,
                       .flags = o->flags};
}

static const element *carry_of(const order *o) { return element_of_carry(o->to); }

static size_t state_size(const order *o) {
  const mmscan_desc desc = describe(o, 1, 1, 1, 1);
  return mmscan_state_size(&desc);
}

/* Where a carry becomes a result only in the next block, the library is to look at it, too. */
static bool needs_totals(const order *o) {
  return o->has_totals || (o->flags & MMSCAN_CHECKED && o->kind == MMSCAN_EXCLUSIVE);
}

/* The results of a recurrence with a constant factor; what is carried is the last one of each. */
static mmscan_status recur(const order *o, const mmscan_desc *desc, const void *x, void *y, void *carry) {
  const mmscan_recurrence_desc recurrence = {.struct_size = sizeof recurrence,
                                             .type = desc->y_type,
                                             .reverse = desc->reverse,
                                             .n = desc->n,
                                             .x_stride = desc->x_stride,
                                             .y_stride = desc->y_stride,
                                             .batch = desc->batch,
                                             .x_dist = desc->x_dist,
                                             .y_dist = desc->y_dist,
                                             .init = carry,
                                             .last = carry};
  return mmscan_recurrence(&recurrence, &o->decay, x, y);
}

/* Those from scan `first` of the block on, whose elements begin at element `at`. */
static mmscan_status scan_some(const order *o, const block *b, mmscan_desc desc, size_t at, size_t first) {
  if (o->has_totals || (b->totals != NULL && !b->ends)) desc.totals = b->totals + first * o->to->size;
  desc.state = b->state + first * state_size(o);
  const void *x = b->data + at * o->type->size;
  void *y = b->results + at * o->to->size, *carry = b->carry + first * carry_of(o)->size;
  if (o->has_decay) return recur(o, &desc, x, y, carry);
  return (shared_by(o) == LINES ? team_of(o)->scan : mmscan_scan_block)(&desc, x, y, carry);
}

static mmscan_status scan_rows(const order *o, const block *b, size_t n, size_t rows) {
  return scan_some(o, b, describe(o, n, 1, rows, n), 0, 0);
}

/* The rows of a block, or the columns of each of its slabs. */
static mmscan_status scan_slabs(const order *o, const block *b) {
  const size_t lines = (size_t)b->size.lines, columns = (size_t)b->size.columns;
  if (o->inner == 1) return scan_rows(o, b, lines, (size_t)b->size.slabs);
  mmscan_status status = MMSCAN_OK;
  for (size_t s = 0; s < b->size.slabs && status == MMSCAN_OK; s++)
    status = scan_some(o, b, describe(o, lines, columns, columns, 1), s * lines * columns, s * columns);
  return status;
}

int order_fail_library(const char *name, mmscan_status status) {
  const char *environment = mmscan_environment_error();
  return environment != NULL ? fail("%s", environment) : fail("%s: %s", name, mmscan_strerror(status));
}

/* What scans of a kind start from, `count` times. */
static void fill_start(const order *o, const element *type, mmscan_kind kind, char *to, size_t count) {
  scalar start = o->init;
  if (!o->has_init)
    element_fill(type, o->op, kind, &start, 1);
  else if (type != o->to)
    element_to_carry(o->to, &o->init, type, &start);
  for (size_t i = 0; i < count; i++) memcpy(to + i * type->size, &start, type->size);
}

static void fill_carry(const order *o, block *b, size_t count) {
  fill_start(o, carry_of(o), block_kind(o), b->carry, count);
  memset(b->state, 0, count * state_size(o));
}

/* The option behind a field of a description, and what to do without it; or else what the library says. */
static const char *way_out(const char *why) {
  static const struct {
    const char *field, *way;
  } known[] = {{"x_type", "their type is not scanned; take another --type, if they are raw data or text"},
               {"y_type", "--to does not have such results of such numbers; leave it out, or take a wider type"},
               {"op", "--op does not combine such results; take another operator, or --to another type"},
               {"flags", "an option such as --accurate or --reproducible is not done here; leave it out"},
               {"totals", "--total is not done here; --kind offsets has it as the number at the end"}};
  const size_t length = strcspn(why, " ");
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if (strlen(known[i].field) == length && memcmp(known[i].field, why, length) == 0) return known[i].way;
  return why;
}

static int fail_refused(const order *o, const char *name, const char *why) {
  return fail("%s: %s on %s with results of %s is refused: %s", name, element_operator_name(o->op), o->type->name,
              o->to->name, way_out(why));
}

int order_check(const order *o, const char *name) {
  scalar one = {.u64 = 0}, to, carry, total;
  char why[200], state[1024] = {0};
  const block b = {.data = (char *)&one,
                   .results = (char *)(o->to == o->type ? &one : &to),
                   .carry = (char *)&carry,
                   .state = state,
                   .totals = needs_totals(o) ? (char *)&total : NULL};
  mmscan_desc desc = describe(o, 1, 1, 1, 1);
  desc.totals = b.totals;
  const bool is_known = element_fill(carry_of(o), o->op, block_kind(o), &carry, 1);
  if (mmscan_desc_check(&desc, why, sizeof why) != MMSCAN_OK) return fail_refused(o, name, why);
  if (!is_known) return fail("%s: --op does not scan %s", name, o->to->name);
  const mmscan_status status = scan_rows(o, &b, 1, 1);
  return status == MMSCAN_OK ? DONE : order_fail_library(name, status);
}

/* No process goes on where another one has failed. */
static int scan_block(const order *o, const block *b, input *in, result *to) {
  if (team_of(o)->agree(read_block(o, b, in)) != DONE) return FAILED;
  const mmscan_status status = scan_slabs(o, b);
  return team_of(o)->agree(status == MMSCAN_OK ? write_block(o, b, to) : order_fail_library(in->name, status));
}

/* ---- All blocks -------------------------------------------------------------------------------------------------- */

/* Scans the blocks along `length`. A reverse scan starts with the last block, and counts lines from the end, so that
 * the incomplete block comes last. */
static int scan_lines(const order *o, const block_shape *largest, block *b, input *in, result *to) {
  share lines;
  fill_carry(o, b, (size_t)(b->size.slabs * b->size.columns));
  for (uint64_t done = 0; done < o->length; done += lines.all) {
    lines = next_share(o, LINES, done, o->length, largest->lines, unit_of(o));
    b->size.lines = lines.count;
    b->ends = done + lines.all == o->length;
    b->line = o->reverse ? o->length - lines.first - lines.count : lines.first;
    if (scan_block(o, b, in, to) != DONE) return FAILED;
  }
  return DONE;
}

/* Puts the totals of a block in their places. */
static void keep_totals(const order *o, const block *b) {
  const size_t size = o->to->size, bytes = (size_t)b->size.columns * size;
  for (uint64_t s = 0; o->has_totals && s < b->size.slabs; s++)
    memcpy(o->totals + ((b->slab + s) * o->inner + b->column) * size, b->totals + s * bytes, bytes);
}

static int scan_blocks(const order *o, const block_shape *largest, block *b, input *in, result *to) {
  share slabs, columns;
  for (uint64_t done = 0; done < o->outer; done += slabs.all) {
    slabs = next_share(o, SLABS, done, o->outer, largest->slabs, 1);
    b->slab = slabs.first;
    b->size.slabs = slabs.count;
    for (uint64_t from = 0; from < o->inner; from += columns.all) {
      columns = next_share(o, COLUMNS, from, o->inner, largest->columns, 1);
      b->column = columns.first;
      b->size.columns = columns.count;
      if (scan_lines(o, largest, b, in, to) != DONE) return FAILED;
      keep_totals(o, b);
    }
  }
  return DONE;
}

/* The next part of a buffer, with an alignment for any type. */
static char *take_part(char **from, size_t bytes) {
  char *part = *from;
  *from += (bytes + 15) / 16 * 16;
  return part;
}

/* Buffers for a block of so many elements and scans, as one allocation at b->data. */
static bool allocate(const order *o, size_t count, size_t scans, size_t columns, block *b) {
  const size_t reads = count * o->type->size, writes = o->to == o->type ? 0 : count * o->to->size,
               carries = scans * carry_of(o)->size, states = scans * state_size(o), totals = scans * o->to->size;
  char *next = malloc(reads + writes + carries + states + totals + columns * o->to->size + 6 * 16);
  if (next == NULL) return false;
  b->data = take_part(&next, reads);
  b->results = writes > 0 ? take_part(&next, writes) : b->data;
  b->carry = take_part(&next, carries);
  b->state = take_part(&next, states);
  b->totals = needs_totals(o) ? take_part(&next, totals) : NULL;
  b->first = next;
  fill_start(o, o->to, MMSCAN_EXCLUSIVE, b->first, columns);
  return true;
}

/* Scans without elements have totals, and may have a result. */
static int put_starts(const order *o, result *to) {
  enum { AT_ONCE = 4096 };
  const uint64_t scans = o->length == 0 && team_of(o)->rank == 0 ? o->outer * o->inner : 0;
  scalar starts[AT_ONCE];
  fill_start(o, o->to, MMSCAN_EXCLUSIVE, (char *)starts, AT_ONCE);
  for (uint64_t done = 0; done < scans; done += AT_ONCE) {
    const size_t count = (size_t)smaller(AT_ONCE, scans - done);
    if (o->has_totals) memcpy(o->totals + done * o->to->size, starts, count * o->to->size);
    if (o->kind == MMSCAN_OFFSETS && team_of(o)->put(to, done, starts, count) != DONE) return FAILED;
  }
  return DONE;
}

int order_scan(const order *o, input *in, result *to) {
  block b = {.data = NULL};
  progress_start("scanning", o->outer * o->length * o->inner * o->type->size);
  if (is_empty(o)) return put_starts(o, to);
  const block_shape largest = choose_block(o);
  const size_t scans = (size_t)(largest.slabs * largest.columns);
  const bool is_ready = allocate(o, scans * (size_t)largest.lines, scans, (size_t)largest.columns, &b);
  int status = team_of(o)->agree(is_ready ? DONE : fail_memory());
  if (status == DONE) status = scan_blocks(o, &largest, &b, in, to);
  free(b.data);
  return status;
}

/* ---- A row without an end ---------------------------------------------------------------------------------------- */

int order_fail_size(const char *name, const element *type) {
  return fail("%s: its size is not a multiple of the %zu bytes of %s; if it is not raw, --format says what it is", name,
              type->size, type->name);
}

static int scan_stream_with(const order *o, input *in, result *to, block *b) {
  const size_t size = o->type->size, most = (size_t)ROW_BLOCK * size, before = o->kind == MMSCAN_OFFSETS;
  size_t got = most;
  fill_carry(o, b, 1);
  if (o->has_totals) fill_start(o, o->to, MMSCAN_EXCLUSIVE, o->totals, 1);
  if (result_put(to, 0, b->first, before) != DONE) return FAILED;
  for (uint64_t done = 0; got == most; done += got / size) {
    if (input_read(in, b->data, most, &got) != DONE) return FAILED;
    if (got % size != 0) return order_fail_size(in->name, o->type);
    b->ends = got < most; /* full ones are not known to: their totals are checked, too */
    const mmscan_status status = scan_rows(o, b, got / size, 1);
    if (status != MMSCAN_OK) return order_fail_library(in->name, status);
    if (o->has_totals && got > 0) memcpy(o->totals, b->totals, o->to->size);
    if (result_put(to, done + before, b->results, got / size) != DONE) return FAILED;
  }
  return DONE;
}

int order_scan_stream(const order *o, input *in, result *to) {
  block b = {.data = NULL};
  if (!allocate(o, (size_t)ROW_BLOCK, 1, 1, &b)) return fail_memory();
  progress_start("scanning", 0);
  const int status = scan_stream_with(o, in, to, &b);
  free(b.data);
  return status;
}
