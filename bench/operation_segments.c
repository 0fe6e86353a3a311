/* operation_segments.c: sums of segments, by flags and by starts. */
#include "operation.h"
#include "peer_loops.h"
#include "timing.h"

#include <stdlib.h>
#include <string.h>

static size_t segments_of(const race *r) { return r->shape->sizes[0]; }

static const char *refusal(const number_pair *pair, const race_shape *shape) {
  if (shape->rank != 2) return "their number, and the mean of their lengths: --shape SEGMENTS,MEAN";
  if (pair->x != pair->y) return "sums are of the type of x here";
  return peer_loops_of(pair->x->name) != NULL ? NULL : "there is no loop to compare it with";
}

/* ---- Segments ---------------------------------------------------------------------------------------------------- */

/* Where each begins, and where the last ends. Their lengths are from 1 to 2 MEAN - 1, each as often as any other; two
 * neighbours have 2 MEAN together. */
static int64_t *make_starts(const race *r) {
  const size_t count = segments_of(r);
  const long mean = (long)r->shape->sizes[1];
  unsigned short state[3] = {1};
  long off = 0;
  int64_t *starts = array_make((count + 1) * sizeof *starts);
  if (starts == NULL) return NULL;
  starts[0] = 0;
  for (size_t k = 0; k < count; k++) {
    const bool leads = k % 2 == 0;
    off = !leads ? -off : k + 1 == count ? 0 : nrand48(state) % (2 * mean - 1) - (mean - 1);
    starts[k + 1] = starts[k] + mean + off;
  }
  return starts;
}

static void *beside_starts(const race *r, size_t *bytes) {
  *bytes = (segments_of(r) + 1) * sizeof(int64_t);
  return make_starts(r);
}

static void *beside_flags(const race *r, size_t *bytes) {
  int64_t *starts = make_starts(r);
  uint8_t *flags = array_make(r->n);
  *bytes = r->n;
  if (flags != NULL) memset(flags, 0, r->n);
  for (size_t k = 0; starts != NULL && flags != NULL && k < segments_of(r); k++) flags[starts[k]] = 1;
  if (starts == NULL) free(flags);
  free(starts);
  return starts != NULL ? flags : NULL;
}

/* ---- Runs -------------------------------------------------------------------------------------------------------- */

static mmscan_status call(const contender *c, const mmscan_segments *segments) {
  const race *r = c->race;
  const mmscan_desc d = MMSCAN_DESC(r->number->type, MMSCAN_PLUS, MMSCAN_INCLUSIVE, r->n);
  return mmscan_scan_segments(&d, segments, r->x, r->y);
}

static mmscan_status call_flags(const contender *c) {
  const mmscan_segments s = {.struct_size = sizeof s, .form = MMSCAN_FLAGS, .data = c->race->beside};
  return call(c, &s);
}

static mmscan_status call_starts(const contender *c) {
  const mmscan_segments s = {.struct_size = sizeof s,
                             .form = MMSCAN_STARTS,
                             .type = MMSCAN_I64,
                             .count = segments_of(c->race),
                             .data = c->race->beside};
  return call(c, &s);
}

/* A simple call for each. */
static mmscan_status call_each(const contender *c) {
  const race *r = c->race;
  const int64_t *starts = r->beside;
  const size_t size = r->number->size;
  mmscan_status status = MMSCAN_OK;
  for (size_t k = 0; k < segments_of(r) && status == MMSCAN_OK; k++) {
    const size_t from = (size_t)starts[k], length = (size_t)starts[k + 1] - from;
    status = r->number->calls(c->simple, length, (const char *)r->x + from * size, (char *)r->y + from * size, 1);
  }
  return status;
}

static double run_flags(const contender *c, long runs) { return operation_time(c, runs, call_flags); }
static double run_starts(const contender *c, long runs) { return operation_time(c, runs, call_starts); }
static double run_each(const contender *c, long runs) { return operation_time(c, runs, call_each); }

static double run_loop_of_flags(const contender *c, long runs) {
  const race *r = c->race;
  const peer_loops *loops = peer_loops_of(r->number->name);
  const double start = timing_now();
  for (long i = 0; i < runs; i++) loops->flags(r->n, r->beside, r->x, r->y);
  return timing_now() - start;
}

static double run_loop_of_starts(const contender *c, long runs) {
  const race *r = c->race;
  const peer_loops *loops = peer_loops_of(r->number->name);
  const double start = timing_now();
  for (long i = 0; i < runs; i++) loops->starts(segments_of(r), r->beside, r->x, r->y);
  return timing_now() - start;
}

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

/* Of the results of one segment, all of which are exact: the first that is not right; `to`, if there is none. */
static size_t check_segment(const race *r, size_t from, size_t to) {
  enum { PIECE = 256 };
  const size_t size = r->number->size;
  int64_t sums[PIECE], sum = 0;
  char want[PIECE * sizeof(int64_t)];
  for (size_t at = from, count; at < to; at += count) {
    const char *y = (const char *)r->y + at * size;
    count = to - at < PIECE ? to - at : PIECE;
    r->number->read(count, (const char *)r->data + at * size, sums);
    for (size_t i = 0; i < count; i++) sums[i] = sum += sums[i];
    r->number->write(count, sums, want);
    for (size_t i = 0; i < count; i++)
      if (memcmp(want + i * size, y + i * size, size) != 0) return at + i;
  }
  return to;
}

static size_t verify(contender *c) {
  const race *r = c->race;
  memset(r->y, 0x80, race_y_bytes(r));
  c->run(c, 1);
  int64_t *starts = make_starts(r);
  size_t at = 0, k = 0;
  for (; starts != NULL && k < segments_of(r) && at == (size_t)starts[k]; k++)
    at = check_segment(r, at, (size_t)starts[k + 1]);
  free(starts);
  return at;
}

/* ---- The rows ---------------------------------------------------------------------------------------------------- */

static void add_flags_alone(race *r, lineup_filter *filter) {
  operation_add_loop(r, filter, "plain loop", run_loop_of_flags, verify);
}

static void add_starts_alone(race *r, lineup_filter *filter) {
  operation_add_loop(r, filter, "plain loop", run_loop_of_starts, verify);
  contender *c = lineup_add_run(r, filter, ROLE_PEER, "a simple call for each", 1, run_each, verify);
  if (c != NULL) c->simple = libmmscan_inclusive(&libmmscan_built_in, r->number->type);
}

static void add_flags(race *r, lineup_filter *filter, int threads) {
  operation_add_call(r, filter, "mmscan_scan_segments", threads, run_flags, verify);
  operation_add_sums(r, filter, threads);
}

static void add_starts(race *r, lineup_filter *filter, int threads) {
  operation_add_call(r, filter, "mmscan_scan_segments", threads, run_starts, verify);
  operation_add_sums(r, filter, threads);
}

const operation operation_segments = {.name = "segments",
                                      .what = "sums of segments, by flags of a byte for each element",
                                      .type = "f32",
                                      .sizes = {1 << 20, 16},
                                      .rank = 2,
                                      .refusal = refusal,
                                      .beside = beside_flags,
                                      .add_alone = add_flags_alone,
                                      .add = add_flags};

const operation operation_starts = {.name = "starts",
                                    .what = "sums of segments, by where they start",
                                    .type = "f32",
                                    .sizes = {1 << 20, 16},
                                    .rank = 2,
                                    .refusal = refusal,
                                    .beside = beside_starts,
                                    .add_alone = add_starts_alone,
                                    .add = add_starts};
