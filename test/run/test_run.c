/* test_run.c: threads give what one thread gives, to the bit, in whichever way they share a run: for every type and
 * variant, in place too, and with a carry that goes in and comes out.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/tuning.h"
#include "kernel/isa.h"
#include "support/shot.h"
#include "support/watch.h"

enum { MOST_ROWS = 3, MOST_TILES = 5 };

/* Tiles of the usual size; for gemm, such that each BLAS is given a whole one at a time, as a chain needs. */
static size_t tile_for(const char *engine, size_t element) {
  return strcmp(engine, "gemm") == 0 ? 256 : MMS_ENGINE_TILE / element;
}

/* Scans rows of n elements of a sample as one block of a longer scan; gives the results and the carries. */
static void scan(const struct sample *sample, const mmscan_desc *desc, bool in_place, const mmscan_choice *choice,
                 struct buffer *y, struct buffer *carry) {
  const size_t size = sample->oracle.type->size, bytes = desc->n * desc->batch * size;
  *y = buffer_new(bytes, 0);
  *carry = buffer_new(desc->batch * size, 0);
  if (in_place) memcpy(y->data, sample->x, bytes);
  memcpy(carry->data, (const char *)sample->x + bytes - carry->size, carry->size);
  assert_mmscan_ok(block_with(desc, choice, in_place ? y->data : sample->x, y->data, carry->data));
}

static void check(const struct sample *sample, unsigned variant, size_t n, size_t batch, const char *engine,
                  const char *way) {
  const size_t tile = tile_for(engine, sample->oracle.type->size);
  const mmscan_choice alone = {.struct_size = sizeof alone, .engine = engine, .tile = tile, .threads = 1},
                      shared = {.struct_size = sizeof shared, .engine = engine, .tile = tile, .threads = 2, .way = way};
  mmscan_desc desc =
      plain_desc(sample->oracle.type->type, variant & 1 ? MMSCAN_EXCLUSIVE : MMSCAN_INCLUSIVE, (variant & 2) != 0, n);
  desc.batch = batch;
  desc.x_dist = desc.y_dist = (ptrdiff_t)n;
  struct buffer one, many, carry_of_one, carry_of_many;
  scan(sample, &desc, (variant & 4) != 0, &alone, &one, &carry_of_one);
  scan(sample, &desc, (variant & 4) != 0, &shared, &many, &carry_of_many);
  if (memcmp(one.data, many.data, one.size) != 0 ||
      memcmp(carry_of_one.data, carry_of_many.data, carry_of_one.size) != 0)
    fail_seeded("%s, variant %u, n %zu, batch %zu, %s: other bits than one thread's", sample->oracle.type->name,
                variant, n, batch, way);
  buffer_free(&one);
  buffer_free(&many);
  buffer_free(&carry_of_one);
  buffer_free(&carry_of_many);
}

static void check_way(const char *engine, const char *way) {
  struct rng rng = rng_of(1);
  assert_non_null(mms_isa_best());
  mms_tuning_here.half_cache = 2 * MMS_ENGINE_TILE; /* an emulated core may have less */
  for (size_t t = 0; t < TYPES; t++) {
    const size_t tile = tile_for(engine, type_at(t)->size), tiles = sized(MOST_TILES, 2);
    struct sample sample = sample_new(type_at(t), RANDOM, MOST_ROWS * MOST_TILES * tile);
    for (unsigned i = 0; i < VARIANTS * sized(4, 1); i++) {
      const size_t batch = strcmp(way, "scans") == 0 ? MOST_ROWS : 1 + draw(&rng) % sized(MOST_ROWS, 1);
      check(&sample, i % VARIANTS, tile + 1 + draw(&rng) % ((tiles - 1) * tile), batch, engine, way);
    }
    sample_free(&sample);
  }
}

TEST(test_ways) {
  mmscan_part part = {.struct_size = sizeof part};
  const mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, 1000);
  for (size_t i = 0; mmscan_get_way(i, &part) == MMSCAN_OK; i++) {
    const char *engine = strcmp(part.name, "chain") == 0 ? "gemm" : "simd";
    print_message("%s, by %s\n", part.name, engine);
    const mmscan_choice choice = {
        .struct_size = sizeof choice, .engine = engine, .tile = tile_for(engine, sizeof(float))};
    assert_true(has_way(&desc, choice, part.name));
    atomic_store(&watch_parts, 0);
    check_way(engine, part.name);
    const bool is_shared = strcmp(part.name, "alone") != 0 && omp_get_thread_limit() > 1;
    if ((watch_parts > 0) != is_shared) fail_msg("%zu parts of other threads came to %s", watch_parts, part.name);
  }
}

/* A way is known by its name, and refused where an engine cannot be shared so. */
TEST(test_names) {
  const mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, 100000);
  const mmscan_choice no_such = {.struct_size = sizeof no_such, .way = "nowhere"},
                      chain = {.struct_size = sizeof chain, .engine = "simd", .threads = 2, .way = "chain"},
                      shares = {.struct_size = sizeof shares, .engine = "serial", .threads = 2, .way = "shares"},
                      leader = {.struct_size = sizeof leader, .engine = "simd", .threads = 2, .way = "leader"};
  const mmscan_choice *const refused[] = {&no_such, &chain, &shares};
  mmscan_choice used;
  mmscan_plan *plan = NULL;
  for (size_t i = 0; i < COUNT(refused); i++)
    assert_int_equal(mmscan_plan_create_with(&plan, &desc, MMSCAN_ESTIMATE, refused[i]), MMSCAN_EINVAL);
  plan = plan_new(&desc, &leader, &used);
  assert_string_equal(used.way, "leader");
  mmscan_plan_destroy(plan);
  plan = plan_new(&desc, NULL, &used);
  assert_null(used.way);
  mmscan_plan_destroy(plan);
}

int main(void) { return run_all_tests(NULL, NULL); }
