/* test_chain.c: a chain of tiles gives what one thread gives, to the bit: for every type and variant, in place too, and
 * with a carry that goes in and comes out.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <omp.h>

#include "kernel/isa.h"
#include "base/tuning.h"
#include "shot.h"
#include "tiles.h"

/* The Makefile wraps these functions: whatever the BLAS, it is given whole tiles, and threads that share them have a
 * chain. */
static size_t chains;

size_t __wrap_mms_unit_block(const mms_unit *unit);
bool __wrap_mms_shares_suit(const mms_tiles *tiles);
bool __wrap_mms_chain_suits(const mms_tiles *tiles);
bool __wrap_mms_contended(void);
bool __wrap_mms_wake_pays(double saves);

size_t __wrap_mms_unit_block(const mms_unit *unit) { return (void)unit, MMS_ENGINE_TILE; }
bool __wrap_mms_shares_suit(const mms_tiles *tiles) { return (void)tiles, false; }
bool __wrap_mms_chain_suits(const mms_tiles *tiles) {
  if (!mms_tiles_can_prepare(tiles)) fail_msg("its tiles are not prepared");
  return chains++, true;
}
bool __wrap_mms_contended(void) { return false; }
bool __wrap_mms_wake_pays(double saves) { return (void)saves, true; }

enum { MOST_ROWS = 3, MOST_TILES = 5 };

/* Scans rows of n elements of a sample as one block of a longer scan; gives the results and the carries. */
static void scan(const struct sample *sample, const mmscan_desc *desc, bool in_place, int threads, struct buffer *y,
                 struct buffer *carry) {
  const size_t size = sample->oracle.type->size, bytes = desc->n * desc->batch * size;
  *y = buffer_new(bytes, 0);
  *carry = buffer_new(desc->batch * size, 0);
  if (in_place) memcpy(y->data, sample->x, bytes);
  memcpy(carry->data, (const char *)sample->x + bytes - carry->size, carry->size);
  omp_set_num_threads(threads);
  assert_mmscan_ok(mmscan_scan_block(desc, in_place ? y->data : sample->x, y->data, carry->data));
}

static void check(const struct sample *sample, unsigned variant, size_t n, size_t batch) {
  mmscan_desc desc =
      plain_desc(sample->oracle.type->type, variant & 1 ? MMSCAN_EXCLUSIVE : MMSCAN_INCLUSIVE, (variant & 2) != 0, n);
  desc.batch = batch;
  desc.x_dist = desc.y_dist = (ptrdiff_t)n;
  const size_t before = chains;
  struct buffer one, many, carry_of_one, carry_of_many;
  scan(sample, &desc, (variant & 4) != 0, 1, &one, &carry_of_one);
  assert_int_equal(chains, before);
  scan(sample, &desc, (variant & 4) != 0, 2, &many, &carry_of_many);
  if (memcmp(one.data, many.data, one.size) != 0 ||
      memcmp(carry_of_one.data, carry_of_many.data, carry_of_one.size) != 0)
    fail_seeded("%s, variant %u, n %zu, batch %zu: other bits than one thread's", sample->oracle.type->name, variant, n,
                batch);
  buffer_free(&one);
  buffer_free(&many);
  buffer_free(&carry_of_one);
  buffer_free(&carry_of_many);
}

static void test_chains(void **state) {
  (void)state;
  struct rng rng = rng_of(1);
  size_t scans = 0;
  assert_non_null(mms_isa_best());
  mms_tuning_here.half_cache = 2 * MMS_ENGINE_TILE; /* an emulated core may have less */
  for (size_t t = 0; t < TYPES; t++) {
    const size_t tile = MMS_ENGINE_TILE / type_at(t)->size, tiles = sized(MOST_TILES, 2);
    struct sample sample = sample_new(type_at(t), RANDOM, MOST_ROWS * MOST_TILES * tile);
    for (unsigned i = 0; i < VARIANTS * sized(8, 1); i++, scans++) {
      const size_t batch = 1 + draw(&rng) % sized(MOST_ROWS, 1);
      check(&sample, i % VARIANTS, tile + 1 + draw(&rng) % ((tiles - 1) * tile), batch);
    }
    sample_free(&sample);
  }
  print_message("%zu of %zu scans by two threads were chains\n", chains, scans);
  if (omp_get_thread_limit() > 1) assert_true(chains > scans / 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_chains)};
  setenv("MMSCAN_ENGINE", "gemm", 1);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
