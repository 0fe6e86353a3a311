/* test_isa.c: the instruction set that was asked for is the one that ran.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The name that a plan reports proves nothing. But kernels with vectors of different widths add floats in different
 * orders, and the plain loop in yet another: on random elements each gives bits of its own. Kernels with equally wide
 * vectors give the same bits; there the test looks at which kernels a plan has.
 */
#include "plan/plan.h"
#include "plan/short.h"
#include "support/child.h"
#include "support/kernels.h"
#include "support/shot.h"

/* ---- Which run here ---------------------------------------------------------------------------------------------- */

/* Bytes of a vector. */
static const struct width {
  const char *isa;
  size_t bytes;
} widths[] = {{"avx512", 64}, {"avx512vl", 32}, {"avx2", 32}, {"neon", 16}, {"portable", 16}};

static size_t width_of(const char *isa) {
  for (size_t i = 0; i < COUNT(widths); i++)
    if (strcmp(widths[i].isa, isa) == 0) return widths[i].bytes;
  fail_msg("%s: how wide are its vectors?", isa);
  return 0;
}

/* The choices of forced_all() whose float sums differ from those of all others: one for each width, and the plain
 * loop. */
static struct forced all_apart(void) {
  struct forced apart = {0};
  const struct forced *all = forced_all();
  for (size_t c = 0; c < all->count; c++) {
    bool seen = false;
    if (is_gemm(&all->choice[c])) continue;
    for (size_t i = 0; i < apart.count; i++)
      seen = seen || (all->choice[c].isa && apart.choice[i].isa &&
                      width_of(apart.choice[i].isa) == width_of(all->choice[c].isa));
    if (!seen) apart.choice[apart.count++] = all->choice[c];
    print_message("%s %s\n", seen ? "as wide:" : "apart:  ", part_of(&all->choice[c]));
  }
  return apart;
}

/* ---- Each has bits of its own ------------------------------------------------------------------------------------ */

/* The bits of one scan by one choice. */
static void *scan_by(const struct sample *sample, const mmscan_desc *desc, const mmscan_choice *choice, bool in_place) {
  const size_t size = desc->n * sample->oracle.type->size;
  struct buffer y = buffer_new(size, 0); /* aligned for non-temporal stores */
  memcpy(y.data, sample->x, size);
  scan_with(desc, choice, in_place ? (const void *)y.data : sample->x, y.data);
  void *bits = test_memory(size);
  memcpy(bits, y.data, size);
  buffer_free(&y);
  return bits;
}

static void check_apart(const struct sample *sample, const struct forced *apart, unsigned variant, size_t n) {
  struct shot shot = {.sample = sample};
  void *bits[MAX_FORCED];
  shot_set(&shot, variant, n);
  for (size_t i = 0; i < apart->count; i++) {
    bits[i] = scan_by(sample, &shot.desc, &apart->choice[i], shot.in_place);
    for (size_t k = 0; k < i; k++)
      if (memcmp(bits[i], bits[k], n * sample->oracle.type->size) == 0)
        fail_seeded("%s, variant %u, n %zu: %s has the bits of %s", sample->oracle.type->name, variant, n,
                    part_of(&apart->choice[i]), part_of(&apart->choice[k]));
  }
  for (size_t i = 0; i < apart->count; i++) free(bits[i]);
}

/* A short scan, one of several tiles, and one that is written past the caches. */
TEST(test_bits_differ) {
  const struct forced apart = all_apart();
  const size_t lengths[] = {1000, 100000, sized(2200000, 50000)};
  assert_true(apart.count >= 2);
  for (size_t t = 0; t < FLOAT_TYPES; t++) {
    struct sample sample = sample_new(type_at(t), RANDOM, lengths[2] + 100001);
    for (size_t i = 0; i < COUNT(lengths); i++)
      for (unsigned variant = 0; variant < VARIANTS; variant++) check_apart(&sample, &apart, variant, lengths[i]);
    sample_free(&sample);
  }
}

/* Separate kernels compute the totals of tiles. At the start of a tile, an exclusive scan has the sum of the tiles
 * before, and nothing else. */
enum { TILE = 1000, TILE_COUNT = 50, TILES_LENGTH = TILE * TILE_COUNT };

static void carries_by(const struct sample *sample, mmscan_choice choice, bool reverse, unsigned char *carries) {
  const size_t size = sample->oracle.type->size;
  mmscan_desc desc = plain_desc(sample->oracle.type->type, MMSCAN_EXCLUSIVE, reverse, TILES_LENGTH);
  if (choice.isa) choice.tile = TILE;
  char *y = scan_by(sample, &desc, &choice, false);
  for (size_t k = 0; k < TILE_COUNT; k++)
    memcpy(carries + k * size, y + (reverse ? TILES_LENGTH - 1 - k * TILE : k * TILE) * size, size);
  free(y);
}

TEST(test_totals_differ) {
  const struct forced apart = all_apart();
  unsigned char carries[MAX_FORCED][TILE_COUNT * sizeof(double)];
  for (size_t t = 0; t < FLOAT_TYPES; t++)
    for (int reverse = 0; reverse < 2; reverse++) {
      struct sample sample = sample_new(type_at(t), RANDOM, TILES_LENGTH);
      for (size_t i = 0; i < apart.count; i++) {
        carries_by(&sample, apart.choice[i], reverse, carries[i]);
        for (size_t k = 0; k < i; k++)
          if (memcmp(carries[i], carries[k], TILE_COUNT * type_at(t)->size) == 0)
            fail_seeded("%s: %s has the totals of %s", type_at(t)->name, part_of(&apart.choice[i]),
                        part_of(&apart.choice[k]));
      }
      sample_free(&sample);
    }
}

/* ---- Each has kernels of its own --------------------------------------------------------------------------------- */

/* test_kernel.c checks that no two rows share a kernel. */
static const mms_isa *row_of(const char *name) {
  const mms_isa *isa;
  assert_true(mms_isa_find(name, &isa));
  assert_non_null(isa);
  assert_string_equal(isa->name, name);
  return isa;
}

static void check_kernel(const mmscan_choice *choice, const struct type *type) {
  const mms_isa *isa = row_of(choice->isa);
  mmscan_choice used;
  mmscan_desc desc = plain_desc(type->type, MMSCAN_INCLUSIVE, 0, 1000);
  mmscan_plan *plan = plan_new(&desc, choice, &used);
  if (plan->job.isa != isa || plan->job.kernel != plus_kernel(isa, type->type))
    fail_msg("%s x %s, %s: a plan has the kernels of another", choice->engine, part_of(choice), type->name);
  mmscan_plan_destroy(plan);
}

TEST(test_kernels_of_plans) {
  const struct forced *all = forced_all();
  for (size_t c = 0; c < all->count; c++)
    for (size_t t = 0; all->choice[c].isa && t < TYPES; t++) check_kernel(&all->choice[c], type_at(t));
}

/* ---- The environment is obeyed ----------------------------------------------------------------------------------- */

/* One-shot calls of short scans have their own path, in which the first call reads the environment. */
static const size_t lengths[] = {1,  8,  9,  16,  17,   30,    31,    32,    33,    35,    36,
                                 51, 52, 64, 100, 1000, 16384, 16385, 32768, 32769, 100000};
enum { CALLS = 3, LONGEST = 100000 };

static mmscan_status call_simply(const struct type *type, const mmscan_desc *desc, const void *x, void *y) {
  return desc->kind == MMSCAN_INCLUSIVE ? type->inclusive(desc->n, x, y) : type->exclusive(desc->n, NULL, x, y);
}

/* Simple calls, and a general one. */
static bool same_as(const void *want, const struct sample *sample, const mmscan_desc *desc) {
  const struct type *type = sample->oracle.type;
  const size_t bytes = desc->n * type->size;
  bool same = true;
  char *y = malloc(bytes);
  for (int call = 0; y != NULL && same && call < CALLS; call++)
    same = call_simply(type, desc, sample->x, y) == MMSCAN_OK && memcmp(y, want, bytes) == 0;
  if (y != NULL && same) {
    memset(y, 0x55, bytes);
    same = mmscan_scan(desc, sample->x, y) == MMSCAN_OK && memcmp(y, want, bytes) == 0;
  }
  free(y);
  return same && y != NULL;
}

static bool obeys_at(const struct sample *sample, const mmscan_choice *like, size_t n, mmscan_kind kind) {
  mmscan_desc desc = plain_desc(sample->oracle.type->type, kind, 0, n);
  mmscan_plan *plan = NULL;
  void *want = malloc(n * sample->oracle.type->size);
  bool right = want != NULL && mmscan_plan_create_with(&plan, &desc, MMSCAN_ESTIMATE, like) == MMSCAN_OK &&
               mmscan_execute(plan, sample->x, want) == MMSCAN_OK && same_as(want, sample, &desc);
  mmscan_plan_destroy(plan);
  free(want);
  return right;
}

/* Checks a plan that asks for nothing, and simple calls, which have no plan unless an engine is named. */
static bool has_kernels_of(const char *isa, bool is_auto) {
  const mms_kernel *kernel = plus_kernel(row_of(isa), MMSCAN_F32);
  mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, 1000);
  mmscan_plan *plan = NULL;
  bool right = mms_short_fill() == is_auto && (mms_short_most(MMSCAN_F32) != 0) == is_auto &&
               mms_short_kernel(MMSCAN_F32) == (is_auto ? kernel : NULL) &&
               mmscan_plan_create(&plan, &desc, MMSCAN_ESTIMATE) == MMSCAN_OK && plan->job.kernel == kernel;
  mmscan_plan_destroy(plan);
  return right;
}

/* What a child saw: the first call with other bits, if any. */
struct obeyed {
  bool all;
  size_t type, n;
  mmscan_kind kind;
};

/* With the argument "ENGINE ISA" ("-": none): one-shot calls give the bits of a plan for just that, with its
 * kernels. */
static int child_obeys(const char *argument) {
  char engine[16], isa[16];
  struct obeyed o = {.all = true};
  if (sscanf(argument, "%15s %15s", engine, isa) != 2) return 2;
  mmscan_choice like = {.struct_size = sizeof like};
  bool is_auto = strcmp(engine, "auto") == 0;
  if (strcmp(isa, "-") != 0 && !has_kernels_of(isa, is_auto)) return 3;
  for (size_t t = 0; t < FLOAT_TYPES; t++) {
    struct sample sample = sample_new(type_at(t), RANDOM, LONGEST);
    for (size_t i = 0; i < COUNT(lengths); i++)
      for (mmscan_kind kind = MMSCAN_INCLUSIVE; kind <= MMSCAN_EXCLUSIVE && o.all; kind++) {
        bool is_loop = is_auto && lengths[i] <= plus_kernel(row_of(isa), sample.oracle.type->type)->few;
        like.engine = is_loop ? "serial" : is_auto ? "simd" : engine;
        like.isa = is_loop || strcmp(isa, "-") == 0 ? NULL : isa;
        o = (struct obeyed){obeys_at(&sample, &like, lengths[i], kind), t, lengths[i], kind};
      }
    sample_free(&sample);
  }
  return report_to_parent(&o, sizeof o);
}

static void check_obeys(const char *engine, const char *isa) {
  char argument[40];
  struct setting settings[] = {{"MMSCAN_ENGINE", engine}, {isa ? "MMSCAN_ISA" : NULL, isa}};
  struct obeyed obeyed;
  snprintf(argument, sizeof argument, "%s %s", engine, isa ? isa : "-");
  ask_report(argument, settings, COUNT(settings), &obeyed, sizeof obeyed);
  if (!obeyed.all)
    fail_seeded("MMSCAN_ENGINE=%s MMSCAN_ISA=%s: %s, n %zu, kind %d: other bits", engine, text_or(isa, ""),
                type_at(obeyed.type)->name, obeyed.n, (int)obeyed.kind);
}

TEST(test_environment_is_obeyed) {
  const struct forced *all = forced_all();
  check_obeys("serial", NULL);
  check_obeys("gemm", NULL);
  for (size_t c = 0; c < all->count; c++) {
    if (!all->choice[c].isa) continue;
    check_obeys("auto", all->choice[c].isa);
    check_obeys("simd", all->choice[c].isa);
  }
}

int main(int argc, char **argv) {
  if (argc > 1) return child_obeys(argv[1]);
  return run_all_tests(NULL, NULL);
}
