/* test_bits.c: the bits do not depend on threads, nor on whether a run is left to one of them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "crowd.h"
#include "each_openblas.h"
#include "kernel/isa.h"
#include "shot.h"

/* ---- The same bits ----------------------------------------------------------------------------------------------- */

/* Rows, tiles in a row, and both. */
struct shape {
  size_t n, batch, tile; /* tile 0: the library's */
};

static const struct shape shapes[] = {{50000, 1, 1024}, {3000, 37, 0}, {2500, 7, 256}, {1 << 20, 1, 0}, {100001, 3, 0}};

/* Of more than 2 MiB of any type, the engine simd looks at a tile while it writes another, with the kernels of some
 * instruction sets. Here it is longer than the one that is written, or shorter, and neither ends between blocks. A
 * quick run has it as long, but for those instruction sets alone. */
static const struct shape looked_ahead = {349000, 3, 6481};

static void execute_with(const mmscan_desc *desc, mmscan_choice choice, int threads, const void *x, void *y) {
  mmscan_choice used;
  choice.threads = threads;
  mmscan_plan *plan = plan_new(desc, &choice, &used);
  assert_mmscan_ok(mmscan_execute(plan, x, y));
  mmscan_plan_destroy(plan);
}

static void check_bits(const struct sample *sample, const mmscan_desc *desc, const mmscan_choice *choice) {
  static const int threads[] = {2, 3, 4, 7, 16};
  const size_t size = desc->n * desc->batch * sample->oracle.type->size;
  struct buffer one = buffer_new(size, 0), many = buffer_new(size, 0);
  execute_with(desc, *choice, 1, sample->x, one.data);
  for (size_t i = 0; i < COUNT(threads); i++) {
    execute_with(desc, *choice, threads[i], sample->x, many.data);
    if (memcmp(one.data, many.data, size) != 0)
      fail_seeded("%s, n %zu, batch %zu, %s x %s, tile %zu: %d threads give other bits than one",
                  sample->oracle.type->name, desc->n, desc->batch, choice->engine, part_of(choice), choice->tile,
                  threads[i]);
  }
  buffer_free(&one);
  buffer_free(&many);
}

static void check_bits_of_variant(const struct sample *sample, struct shape shape, const mmscan_choice *choice,
                                  unsigned variant) {
  struct shot shot = {.sample = sample};
  shot_set(&shot, variant, shape.n);
  shot.desc.batch = shape.batch;
  shot.desc.x_dist = shot.desc.y_dist = (ptrdiff_t)shape.n;
  check_bits(sample, &shot.desc, choice);
}

static void check_bits_of_shape(const struct sample *sample, struct shape shape, mmscan_choice choice) {
  if (is_model(&choice)) shape.n /= 8;
  if (cuts_tiles(&choice)) choice.tile = shape.tile;
  shape.n = sized(shape.n, shape.n / 16);
  for (unsigned variant = 0; variant < VARIANTS / 2; variant++) check_bits_of_variant(sample, shape, &choice, variant);
}

/* A run that was held up leaves those after it to one thread for a while: lets that pass, unless it takes long. */
static void wait_for_cores(void) {
  for (int turn = 0; turn < 100 && mms_crowd_is_here(); turn++) usleep(1000);
}

static bool looks_ahead(const mmscan_choice *choice) {
  size_t index;
  return mms_isa_find(choice->isa, &index) && mms_isa_at(index)->looks_ahead;
}

static void check_bits_looking_ahead(const struct sample *sample, mmscan_choice choice) {
  choice.tile = looked_ahead.tile;
  for (unsigned variant = 0; variant < VARIANTS / 2; variant++) {
    wait_for_cores();
    check_bits_of_variant(sample, looked_ahead, &choice, variant);
  }
}

static void check_bits_of_choice(const struct sample *sample, const mmscan_choice *choice) {
  for (size_t i = 0; i < COUNT(shapes); i++) check_bits_of_shape(sample, shapes[i], *choice);
  if (same_text(choice->engine, "simd") && (!quick() || looks_ahead(choice))) check_bits_looking_ahead(sample, *choice);
}

static void test_same_bits(void **state) {
  (void)state;
  const struct forced *forced = forced_all();
  for (size_t t = 0; t < TYPES; t++) {
    struct sample sample = sample_new(type_at(t), RANDOM, ((size_t)1 << 20) + 1);
    for (size_t c = 0; c < forced->count; c++) check_bits_of_choice(&sample, &forced->choice[c]);
    sample_free(&sample);
  }
}

/* ---- Other processes --------------------------------------------------------------------------------------------- */

/* A wait that is short, or no longer than the work before it, is none; a long one leaves runs to one thread, and their
 * bits are those of two. It passes. */
static void test_held_up(void **state) {
  (void)state;
  const double MILLISECOND = 1e6;
  struct sample sample = sample_new(type_at(0), RANDOM, 200000);
  mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, 200000);
  const mmscan_choice choice = {.struct_size = sizeof choice, .engine = "simd", .tile = 1000};
  struct buffer alone = buffer_new(800000, 0), held_up = buffer_new(800000, 0);
  execute_with(&desc, choice, 1, sample.x, alone.data);
  while (mms_crowd_is_here()) continue;
  mms_crowd_saw(0, 0, MILLISECOND / 2);
  mms_crowd_saw(0, 3 * MILLISECOND, 5 * MILLISECOND);
  assert_false(mms_crowd_is_here());
  bool seen = false; /* again, should this very thread be held up in between */
  for (int tries = 0; tries < 100 && !seen; tries++) {
    mms_crowd_saw(0, MILLISECOND, 5 * MILLISECOND);
    seen = mms_crowd_is_here();
  }
  assert_true(seen);
  execute_with(&desc, choice, 2, sample.x, held_up.data);
  assert_memory_equal(alone.data, held_up.data, 800000);
  while (mms_crowd_is_here()) continue;
  buffer_free(&alone);
  buffer_free(&held_up);
  sample_free(&sample);
}

/* ---- All of them ------------------------------------------------------------------------------------------------- */

static int run_all(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_same_bits),
      cmocka_unit_test(test_held_up),
  };
  print_message("the unit cblas is %s\n", unit_library());
  return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv) {
  static const struct child children[] = {{"tests", run_all}};
  int status;
  if (run_child(argc, argv, children, COUNT(children), &status)) return status;
  int failed = run_all();
  return failed + run_with_each_openblas();
}
