/* test_modes.c: batches of short rows, in every mode in which floats are computed: their bits are those of one thread,
 * and of the rows scanned one by one.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "support/float_mode.h"
#include "support/oracle.h"

/* ROOM: elements of a batch, a few times what a thread takes at a time. */
enum { ROOM = 70000, LONGEST = 16, MOST_THREADS = 8 };

struct rows {
  const struct type *type;
  mmscan_desc desc;
  size_t mode;
  void *x, *one, *other;
};

static const double odd[] = {0.0, -0.0, 0x1p-140, -0x1p-1060, 1, -1};

static void put(const struct type *type, void *x, size_t i, double value) {
  if (type->type == MMSCAN_F32)
    ((float *)x)[i] = (float)value;
  else if (type->type == MMSCAN_F64)
    ((double *)x)[i] = value;
}

/* ---- One batch --------------------------------------------------------------------------------------------------- */

/* Executes a plan for so many rows, as often as the batch has them. */
static void execute(const struct rows *r, mmscan_choice choice, size_t batch, int threads, void *y) {
  mmscan_choice used;
  mmscan_desc desc = r->desc;
  desc.batch = batch;
  choice.threads = threads;
  choice.way = threads > 1 ? "scans" : NULL;
  mmscan_plan *plan = plan_new(&desc, &choice, &used);
  const size_t step = desc.n * batch * r->type->size;
  mmscan_status status = MMSCAN_OK;
  const struct float_mode before = float_mode_set(r->mode);
  for (size_t at = 0; at < r->desc.n * r->desc.batch * r->type->size && !status; at += step)
    status = mmscan_execute(plan, (const char *)r->x + at, (char *)y + at);
  float_mode_restore(before);
  mmscan_plan_destroy(plan);
  assert_mmscan_ok(status);
}

static void compare(const struct rows *r, const mmscan_choice *choice, int threads) {
  const size_t size = r->type->size, count = r->desc.n * r->desc.batch;
  if (memcmp(r->one, r->other, count * size) == 0) return;
  size_t i = 0;
  while (memcmp((char *)r->one + i * size, (char *)r->other + i * size, size) == 0) i++;
  fail_seeded(
      "%s, op %d, rows of %zu, kind %d, reverse %d, %s, %s x %s: element %zu by %d threads (0: row by row) has other "
      "bits than by one",
      r->type->name, r->desc.op, r->desc.n, r->desc.kind, r->desc.reverse, float_mode_name(r->mode),
      text_or(choice->engine, "any"), part_of(choice), i, threads);
}

/* By each number of threads in turn. An engine that is left to the library may be another for a
 * single row. */
static void check(const struct rows *r, const mmscan_choice *choice) {
  static unsigned turn;
  execute(r, *choice, r->desc.batch, 1, r->one);
  const int threads = 2 + (int)(turn++ % (MOST_THREADS - 1));
  execute(r, *choice, r->desc.batch, threads, r->other);
  compare(r, choice, threads);
  if (!choice->engine) return;
  execute(r, *choice, 1, 1, r->other);
  compare(r, choice, 0);
}

/* ---- All of them ------------------------------------------------------------------------------------------------- */

/* By the library's choice, and by the plain loop and each instruction set in turn: two of them at a time, in a quick
 * run one. */
static void check_choices(const struct rows *r) {
  static size_t calls;
  const struct forced *forced = forced_all();
  check(r, &(mmscan_choice){.struct_size = sizeof(mmscan_choice)});
  const size_t turn = calls++ % forced->count, next = (turn + forced->count / 2) % forced->count;
  for (size_t c = 0; c < forced->count; c++)
    if (!is_gemm(&forced->choice[c]) && (c == turn || (!quick() && c == next))) check(r, &forced->choice[c]);
}

/* By +, and by max and min in turn. Exclusive ones start from each odd number in turn. */
static void check_lengths(struct rows *r, size_t turn) {
  double init[1] = {0}; /* room for any type */
  for (size_t n = 1; n <= LONGEST; n += quick() ? 1 + turn % 2 : 1)
    for (unsigned way = (n / 2 + turn) % 2; way < 4; way += 2) {
      r->desc = plain_desc(r->type->type, way & 1 ? MMSCAN_EXCLUSIVE : MMSCAN_INCLUSIVE, way >> 1, n);
      r->desc.batch = ROOM / n;
      r->desc.x_dist = r->desc.y_dist = (ptrdiff_t)n;
      put(r->type, init, 0, odd[n % COUNT(odd)]);
      if (way & 1 && n % 4) r->desc.init = init; /* else that of the operator */
      check_choices(r);
      r->desc.op = n / 4 % 2 ? MMSCAN_MAX : MMSCAN_MIN;
      if (quick() || turn % 2) check_choices(r);
    }
}

/* Zeros alone, and odd numbers. Integers have no modes. */
static void check_type(const struct type *type) {
  struct rows r = {.type = type};
  struct rng rng = rng_of((size_t)type->type);
  r.x = test_memory(ROOM * type->size);
  r.one = test_memory(ROOM * type->size);
  r.other = test_memory(ROOM * type->size);
  for (r.mode = 0; r.mode < (is_float(type) ? FLOAT_MODES : 1); r.mode++)
    for (size_t turn = 0; turn < (is_float(type) ? 2 : 1); turn++) {
      type->fill(&rng, RANDOM, ROOM, r.x);
      for (size_t i = 0; i < ROOM; i++) put(type, r.x, i, turn == 0 ? 0 : odd[draw_below(&rng, COUNT(odd))]);
      check_lengths(&r, turn + r.mode);
    }
  free(r.x);
  free(r.one);
  free(r.other);
}

static void test_short_rows(void **state) {
  (void)state;
  for (size_t t = 0; t < TYPES; t++) check_type(type_at(t));
}

int main(int argc, char **argv) {
  (void)argc;
  wait_passively(argv);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_short_rows)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
