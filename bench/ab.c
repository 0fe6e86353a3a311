/* ab.c: what one call of `mmscan bench --ab` does: it times two builds of the library in turns.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "ab.h"
#include "arrays.h"
#include "message.h"
#include "stdout.h"
#include "suspect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Results that have the same bits ----------------------------------------------------------------------------- */

static size_t bytes_of(const race *r) { return r->n * r->number->size; }

/* A hash of the result in y: the sum of a hash of each element and its index, in any order. */
static uint64_t hash_of(const race *r) {
  const size_t size = r->number->size;
  const char *y = r->y;
  uint64_t sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (size_t i = 0; i < r->n; i++) {
    uint64_t h = 0;
    memcpy(&h, y + i * size, size);
    h = (h ^ (i + 1) * 0x9E3779B97F4A7C15u) * 0xBF58476D1CE4E5B9u;
    sum += (h ^ h >> 32) * 0x94D049BB133111EBu;
  }
  return sum;
}

/* Has the contender scan the data once; false, with a refusal in the cell, if it does not. */
static bool try_once(const ab *a, ab_cell *cell, const contender *c, uint64_t *hash) {
  const race *r = c->race;
  const char *name = c->library == &a->libraries[AB_THIS] ? "this" : "other";
  if (r->in_place)
    memcpy(r->y, r->data, bytes_of(r));
  else
    memset(r->y, 0x80, bytes_of(r)); /* so that no earlier result can pass for this one's */
  suspect(c->library->path);
  const mmscan_status status = c->refusal[0] == '\0' ? lineup_call_once(c) : MMSCAN_OK;
  suspect(NULL);
  if (c->refusal[0] != '\0')
    snprintf(cell->refusal, sizeof cell->refusal, "%s: %s", name, c->refusal);
  else if (status != MMSCAN_OK)
    snprintf(cell->refusal, sizeof cell->refusal, "%s: %s", name, mmscan_strerror(status));
  *hash = hash_of(r);
  return cell->refusal[0] == '\0';
}

/* ---- Cells ------------------------------------------------------------------------------------------------------- */

/* The one-shot call of a library. Two operators are compared by the same call, mmscan_scan(). */
static contender *add_call(const ab *a, race *r, int which, int threads) {
  const mmscan_op against = a->request->against;
  contender *c = lineup_add_call(r, &a->libraries[which], threads);
  if (against == 0) return c;
  c->simple = NULL;
  if (which == AB_OTHER) c->op = against;
  return c;
}

static int fill_cell(ab *a, race *r, int threads) {
  const contender *pair[AB_LIBRARIES];
  uint64_t hashes[AB_LIBRARIES];
  ab_cell *cell = &a->cells[a->count++];
  *cell = (ab_cell){
      .number = r->number, .op = r->op, .n = r->n, .row = r->row, .in_place = r->in_place, .threads = threads};
  for (int i = 0; i < AB_LIBRARIES; i++) {
    pair[i] = add_call(a, r, i, threads);
    if (!try_once(a, cell, pair[i], &hashes[i])) return DONE;
  }
  cell->differs = a->request->against == 0 && hashes[AB_THIS] != hashes[AB_OTHER];
  if (r->in_place) memset(r->y, 0, bytes_of(r)); /* scans of scans of anything else would overflow */
  return timing_duel(pair[AB_THIS], pair[AB_OTHER], a->request->rounds, &cell->duel) ? DONE : fail_memory();
}

static int fill_length(ab *a, const number *type, size_t n, const arrays *arr) {
  const bench_request *request = a->request;
  const size_t first = a->count;
  int status = DONE;
  race *r = malloc(sizeof *r);
  if (r == NULL) return fail_memory();
  for (size_t i = 0; i < request->place_count; i++)
    for (size_t k = 0; k < request->thread_counts && status == DONE; k++) {
      session_set_race(r, request, type, n, request->in_place[i], arr);
      status = fill_cell(a, r, request->threads[k]);
    }
  free(r);
  if (status == DONE && !request->json) ab_print_line(a->cells + first, a->count - first);
  return status == DONE && ferror(stdout) ? fail_stdout() : status;
}

static int fill_type(ab *a, const number *type) {
  const bench_request *request = a->request;
  const size_t lengths = session_lengths_that_fit(request, type);
  arrays arr;
  if (lengths == 0) return DONE;
  int status = arrays_make(&arr, type, request->op, request->lengths[lengths - 1]) ? DONE : fail_memory();
  if (!request->json) ab_print_heading(a, type);
  if (status == DONE && request->op == MMSCAN_PLUS) type->fill_inexact(request->lengths[lengths - 1], arr.data);
  for (size_t i = 0; i < lengths && status == DONE; i++) status = fill_length(a, type, request->lengths[i], &arr);
  arrays_free(&arr);
  return status;
}

/* ---- The libraries ----------------------------------------------------------------------------------------------- */

static int open_this(ab *a) {
  char *beside = a->request->this == NULL ? libmmscan_beside_command() : NULL;
  const char *path = beside != NULL ? beside : a->request->this;
  int status = DONE;
  if (path != NULL)
    status = libmmscan_open(&a->libraries[AB_THIS], path);
  else
    a->libraries[AB_THIS] = libmmscan_built_in;
  free(beside);
  return status;
}

static int open_libraries(ab *a) {
  int status = session_check_environment();
  if (status == DONE) status = open_this(a);
  return status == DONE ? libmmscan_open(&a->libraries[AB_OTHER], a->request->other) : status;
}

/* ---- All of it --------------------------------------------------------------------------------------------------- */

/* Whether results do not depend on how elements are grouped. */
static bool is_exact(const ab_cell *c) { return c->number->kind != 'f' || c->op == MMSCAN_MAX || c->op == MMSCAN_MIN; }

static int status_of(const ab *a) {
  int status = DONE;
  for (const ab_cell *c = a->cells; c < a->cells + a->count; c++)
    if (c->differs && is_exact(c))
      status = fail("%s, n = %zu: the two results differ, so that one is wrong", c->number->name, c->n);
  return status;
}

static int run(ab *a) {
  const bench_request *request = a->request;
  int status = DONE;
  if (!request->json) ab_print_head(a);
  for (size_t i = 0; i < request->type_count && status == DONE; i++) status = fill_type(a, request->types[i]);
  if (status != DONE) return status;
  if (a->count == 0) return fail("nothing was timed");
  if (request->json) return ab_json(a);
  ab_print_tail(a);
  return DONE;
}

int ab_run(const bench_request *request) {
  const size_t most = request->type_count * request->length_count * request->place_count * request->thread_counts;
  ab a = {.request = request, .cells = malloc(most * sizeof *a.cells)};
  int status = a.cells != NULL ? open_libraries(&a) : fail_memory();
  if (status == DONE) status = run(&a);
  if (status == DONE) status = status_of(&a);
  for (int i = 0; i < AB_LIBRARIES; i++) libmmscan_close(&a.libraries[i]);
  free(a.cells);
  return status;
}
