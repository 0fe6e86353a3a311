/* test_scan.c: results are right for every type, engine, unit, kind and direction, in place and not, with every call.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "support/adding.h"
#include "support/shot.h"

/* ---- Lengths ----------------------------------------------------------------------------------------------------- */

/* Integers have no inexact sums, so full-range values are enough for them. */
static enum data first_data(const struct type *type) { return is_float(type) ? EXACT : RANDOM; }

enum { EVERY = 1000 }; /* up to this length, which is several blocks, each length is scanned */
enum { FULLY = 300 };  /* up to this one in every variant */

/* Longer ones have half of the variants, in turn; of those beyond EVERY each third has one. */
static void all_lengths_of(const struct sample *sample, const mmscan_choice *choice, size_t most) {
  struct shot shot = {.sample = sample, .via = BY_PLAN, .choice = choice};
  for (size_t n = 0; n <= most; n += n < EVERY ? 1 : 3)
    for (unsigned variant = 0; variant < VARIANTS; variant++) {
      if (n > EVERY && variant != (n + n / VARIANTS) % VARIANTS) continue;
      if (n > FULLY && n <= EVERY && !is_turn_of(variant, n)) continue;
      shot_set(&shot, variant, n);
      shoot(&shot);
    }
}

TEST(test_all_lengths) {
  const struct forced *forced = forced_all();
  const size_t most = sized(5000, 70);
  for (size_t t = 0; t < TYPES; t++)
    for (enum data data = first_data(type_at(t)); data <= RANDOM; data++) {
      struct sample sample = sample_new(type_at(t), data, most + 1);
      for (size_t c = 0; c < forced->count; c++)
        all_lengths_of(&sample, &forced->choice[c], is_slow(&forced->choice[c]) ? most / 8 : most);
      sample_free(&sample);
    }
}

/* Many tiles, each of several levels with a remainder, in short arrays. */
TEST(test_all_lengths_in_small_tiles) {
  const struct forced *forced = forced_all();
  const size_t most = sized(700, 45);
  for (size_t t = 0; t < TYPES; t++)
    for (enum data data = first_data(type_at(t)); data <= RANDOM; data++) {
      struct sample sample = sample_new(type_at(t), data, most + 1);
      for (size_t c = 0; c < forced->count; c++) {
        mmscan_choice choice = forced->choice[c];
        if (!cuts_tiles(&choice)) continue;
        if (is_gemm(&choice)) choice.s = 3;
        choice.tile = 20;
        all_lengths_of(&sample, &choice, most);
      }
      sample_free(&sample);
    }
}

/* The lengths of one test, each with the next variant. */
static void shoot_lengths(const struct sample *sample, const mmscan_choice *choice, const size_t *n, size_t count) {
  static unsigned variant;
  struct shot shot = {.sample = sample, .via = BY_PLAN, .choice = choice};
  for (size_t i = 0; i < count; i++) {
    if (n[i] >= sample->oracle.n) continue;
    shot_set(&shot, variant++ % VARIANTS, n[i]);
    shoot(&shot);
  }
}

/* Without matrices s is only a length: powers of 2 have those of 4, 8, 16 and 32. */
static void powers_of(const struct sample *sample, mmscan_choice choice, size_t s, size_t most) {
  if (is_gemm(&choice))
    choice.s = s;
  else if (s > 2 && s % 2 == 0)
    return;
  for (size_t power = s; power <= most; power *= s) {
    const size_t n[] = {power - 1, power, power + 1};
    shoot_lengths(sample, &choice, n, COUNT(n));
  }
}

TEST(test_powers) {
  static const size_t sizes[] = {2, 3, 4, 5, 7, 8, 16, 32};
  const struct forced *forced = forced_all();
  const size_t most = sized((size_t)1 << 18, (size_t)1 << 10);
  for (size_t t = 0; t < TYPES; t++)
    for (enum data data = first_data(type_at(t)); data <= RANDOM; data++) {
      struct sample sample = sample_new(type_at(t), data, most + 2);
      for (size_t c = 0; c < forced->count; c++)
        for (size_t i = 0; i < COUNT(sizes); i++)
          powers_of(&sample, forced->choice[c], sizes[i], is_slow(&forced->choice[c]) ? most >> 7 : most);
      sample_free(&sample);
    }
}

/* The tile that a plan for n elements reports; 0 where its engine cuts none. */
static size_t tile_used(const struct type *type, const mmscan_choice *choice, size_t n) {
  mmscan_desc desc = plain_desc(type->type, MMSCAN_INCLUSIVE, 0, n);
  mmscan_choice used;
  mmscan_plan_destroy(plan_new(&desc, choice, &used));
  return used.tile;
}

static void around_tile(const struct sample *sample, const mmscan_choice *choice, size_t tile) {
  const size_t n[] = {tile - 1, tile, tile + 1, 2 * tile - 1, 2 * tile, 2 * tile + 1, 3 * tile + tile / 2};
  for (unsigned twice = 0; twice < 2; twice++) shoot_lengths(sample, choice, n, COUNT(n));
}

TEST(test_tiles) {
  static const size_t tiles[] = {64, 100, 1000, 4097};
  const struct forced *forced = forced_all();
  const size_t most = sized((size_t)1 << 20, 20000);
  for (size_t t = 0; t < TYPES; t++) {
    struct sample sample = sample_new(type_at(t), first_data(type_at(t)), most);
    for (size_t c = 0; c < forced->count; c++) {
      mmscan_choice choice = forced->choice[c];
      size_t tile = tile_used(type_at(t), &choice, most);
      if (tile > 0) around_tile(&sample, &choice, tile);
      for (size_t i = 0; tile > 0 && i < COUNT(tiles); i++) {
        choice.tile = tiles[i];
        around_tile(&sample, &choice, choice.tile);
      }
    }
    sample_free(&sample);
  }
}

TEST(test_sizes_of_matrices) {
  static const size_t sizes[] = {2, 3, 4, 5, 8, 16, 31, 32, 64, 512};
  const struct forced *forced = forced_all();
  const size_t most = sized(40000, 1100);
  for (size_t t = 0; t < TYPES; t++) {
    struct sample sample = sample_new(type_at(t), first_data(type_at(t)), most);
    for (size_t c = 0; c < forced->count; c++)
      for (size_t i = 0; is_gemm(&forced->choice[c]) && i < COUNT(sizes); i++) {
        mmscan_choice choice = forced->choice[c];
        const size_t s = choice.s = sizes[i];
        const size_t n[] = {1, s - 1, s, s + 1, 2 * s, s * s - 1, s * s, s * s + 1, 3 * s * s + s + 1, most - 1};
        shoot_lengths(&sample, &choice, n, COUNT(n) - is_model(&choice) * 2);
      }
    sample_free(&sample);
  }
}

/* Arrays that fit in no cache may be written in another way: in one row and in several, at any alignment. */
static void large_of(const struct sample *sample, const mmscan_choice *choice, size_t n, size_t turn) {
  for (unsigned variant = 0; variant < 2 * VARIANTS; variant++) {
    if ((variant + turn) % 4 != 0) continue;
    struct shot shot = {.sample = sample, .via = BY_PLAN, .choice = choice, .x_offset = 1, .y_offset = variant / 3};
    shot_set(&shot, variant % VARIANTS, n);
    if (variant >= VARIANTS) {
      shot.desc.n = n / 3 - 5;
      shot.desc.batch = 3;
      shot.desc.x_dist = shot.desc.y_dist = (ptrdiff_t)(n / 3) - 3;
    }
    shoot(&shot);
  }
}

/* Out of place and longer than the caches, with y on a 64-byte boundary where the scan starts; a reverse scan starts at
 * the end of y. */
static void streamed_of(const struct sample *sample, const mmscan_choice *choice, size_t n, size_t turn) {
  const size_t line = 64 / sample->oracle.type->size;
  for (unsigned variant = 0; variant < VARIANTS / 2; variant++) {
    if (!is_turn_of(variant, turn)) continue;
    struct shot shot = {.sample = sample, .via = BY_PLAN, .choice = choice, .x_offset = 3};
    shot_set(&shot, variant, n);
    shot.y_offset = shot.desc.reverse ? (line - n % line) % line : 0;
    shoot(&shot);
  }
}

TEST(test_large) {
  const struct forced *forced = forced_all();
  const size_t n = sized((size_t)1 << 20, (size_t)1 << 15) + 1001;
  for (size_t t = 0; t < TYPES; t++) {
    struct sample sample = sample_new(type_at(t), first_data(type_at(t)), n + 1);
    for (size_t c = 0; c < forced->count; c++)
      if (!is_model(&forced->choice[c])) {
        large_of(&sample, &forced->choice[c], n, t + c);
        streamed_of(&sample, &forced->choice[c], smaller(n, ((size_t)8 << 20) / type_at(t)->size + 1003), t + c);
      }
    sample_free(&sample);
  }
}

/* ---- Places of x and y ------------------------------------------------------------------------------------------- */

TEST(test_alignment) {
  const struct forced *forced = forced_all();
  const size_t n = sized(1500, 150);
  for (size_t t = 0; t < TYPES; t++) {
    struct sample sample = sample_new(type_at(t), first_data(type_at(t)), n + 1);
    for (size_t c = 0; c < forced->count; c++)
      for (size_t offsets = 0; offsets < 17 * 17; offsets++) {
        struct shot shot = {.sample = &sample, .via = BY_PLAN, .choice = &forced->choice[c]};
        shot.x_offset = offsets / 17;
        shot.y_offset = offsets % 17;
        shot_set(&shot, (unsigned)(offsets / 2) % VARIANTS, n - offsets % 2);
        shoot(&shot);
      }
    sample_free(&sample);
  }
}

TEST(test_batches) {
  static const struct {
    size_t n, batch;
    ptrdiff_t x_dist, y_dist; /* times n, plus the gap */
    ptrdiff_t x_gap, y_gap;
  } rows[] = {
      {1000, 7, 1, 1, 0, 0},    {1000, 7, 1, 1, 3, 5},  {1000, 7, -1, 1, 0, 0},  {1000, 7, 1, -1, 0, -2},
      {1000, 7, -2, -1, 1, -1}, {1000, 7, 0, 1, 0, 0},  {1000, 7, 0, 1, 1, 0},   {1000, 7, 0, -1, -13, 0},
      {1, 100000, 1, 1, 0, 0},  {3, 20000, 1, 1, 1, 0}, {5, 20000, 1, 1, 0, 0},  {2, 1000, 0, 1, 0, 3},
      {1, 9, 0, -1, 0, 0},      {70001, 4, 1, 1, 0, 0}, {70001, 5, 1, 1, 9, 17}, {300001, 2, -1, -1, 0, 0},
      {0, 1000, 1, 1, 0, 0},    {1000, 0, 1, 1, 0, 0},  {17, 333, 2, 3, 0, 0},   {131073, 3, 0, 1, 0, 1},
  };
  const struct forced *forced = forced_all();
  for (size_t t = 0; t < TYPES; t++) {
    const size_t most = sized(800000, 10000);
    struct sample sample = sample_new(type_at(t), first_data(type_at(t)), most);
    for (size_t i = 0; i < COUNT(rows); i++)
      for (size_t c = 0; c < forced->count; c++)
        for (unsigned variant = 0; variant < VARIANTS; variant++) {
          if (rows[i].n * rows[i].batch > 50000 && (variant + t + c + i) % 4 != 0) continue;
          struct shot shot = {.sample = &sample, .via = BY_PLAN, .choice = &forced->choice[c]};
          size_t cut = sized(1, 50) * (is_model(&forced->choice[c]) && rows[i].n > 10000 ? 10 : 1);
          size_t n = rows[i].n > 100 ? rows[i].n / cut : rows[i].n;
          shot_set(&shot, variant, n);
          shot.desc.batch = rows[i].batch > 100 ? rows[i].batch / sized(1, 50) : rows[i].batch;
          shot.desc.x_dist = rows[i].x_dist * (ptrdiff_t)n + rows[i].x_gap;
          shot.desc.y_dist = shot.in_place ? shot.desc.x_dist : rows[i].y_dist * (ptrdiff_t)n + rows[i].y_gap;
          if (shot_is_legal(&shot)) shoot(&shot);
        }
    sample_free(&sample);
  }
}

/* ---- Every call -------------------------------------------------------------------------------------------------- */

TEST(test_calls_agree) {
  const size_t lengths[] = {0, 1, 2, 3, 7, 16, 31, 100, 1000, 4096, 5000, 65537, sized(1000003, 5003)};
  for (size_t t = 0; t < TYPES; t++)
    for (enum data data = first_data(type_at(t)); data <= RANDOM; data++) {
      struct sample sample = sample_new(type_at(t), data, sized(1000004, 5004));
      for (size_t i = 0; i < COUNT(lengths); i++)
        for (unsigned variant = 0; lengths[i] < sample.oracle.n && variant < VARIANTS; variant++)
          for (enum via via = BY_SIMPLE; via <= BY_PLAN; via++) {
            struct shot shot = {.sample = &sample, .via = via};
            if (lengths[i] > 100000 && !is_turn_of(variant, t + data + via)) continue;
            shot_set(&shot, variant, lengths[i]);
            if (via != BY_SIMPLE || !shot.desc.reverse) shoot(&shot);
          }
      sample_free(&sample);
    }
}

TEST(test_init_is_zero_when_null) {
  for (size_t t = 0; t < TYPES; t++) {
    struct sample sample = sample_new(type_at(t), first_data(type_at(t)), 3001);
    for (unsigned variant = 0; variant < VARIANTS; variant++)
      for (enum via via = BY_SCAN; via <= BY_PLAN; via++) {
        struct shot shot = {.sample = &sample, .via = via};
        shot_set(&shot, variant, variant % 2 ? 3000 : 3);
        shot.desc.init = NULL;
        shoot(&shot);
      }
    sample_free(&sample);
  }
}

/* A distance or a stride that must not be read. */
static const ptrdiff_t nonsense = 0x5a5a5a5a;

TEST(test_fields_not_looked_at) {
  struct sample sample = sample_new(type_at(0), EXACT, 100);
  for (unsigned variant = 0; variant < VARIANTS; variant++)
    for (size_t n = 1; n <= 50; n += 49)
      for (enum via via = BY_SCAN; via <= BY_PLAN; via++) {
        struct shot shot = {.sample = &sample, .via = via};
        shot_set(&shot, variant, n);
        shot.desc.x_dist = nonsense;
        shot.desc.y_dist = -nonsense;
        if (n == 1) shot.desc.x_stride = shot.desc.y_stride = nonsense;
        shoot(&shot);
      }
  sample_free(&sample);
}

/* ---- Anything legal ---------------------------------------------------------------------------------------------- */

/* Sizes of all magnitudes: the limit starts at 2, and is doubled with probability 7/8 while it is below `most`. */
static size_t draw_size(struct rng *rng, size_t most) {
  size_t limit = 2;
  while (limit < most && draw_below(rng, 8) != 0) limit *= 2;
  return draw_below(rng, smaller(limit, most) + 1);
}

static ptrdiff_t draw_dist(struct rng *rng, size_t n) {
  ptrdiff_t dist = (ptrdiff_t)(draw_below(rng, 2) ? n + draw_below(rng, 4) : draw_below(rng, 2 * n + 2));
  return draw_below(rng, 2) ? dist : -dist;
}

static void draw_shot(struct rng *rng, const struct forced *forced, struct shot *shot, mmscan_choice *choice) {
  *choice = forced->choice[draw_below(rng, forced->count)];
  shot->via = draw_below(rng, 4) == 0 ? BY_SCAN : BY_PLAN;
  shot->choice = draw_below(rng, 8) == 0 ? NULL : choice;
  if (is_gemm(choice) && draw_below(rng, 2)) {
    choice->s = 2 + draw_size(rng, 62);
    choice->tile = choice->s + draw_size(rng, 2000);
    choice->threads = 1 + (int)draw_below(rng, 4);
  }
  size_t n = draw_size(rng, is_model(choice) ? 500 : 4000);
  shot_set(shot, (unsigned)draw_below(rng, VARIANTS), n);
  shot->desc.batch = draw_below(rng, 2) ? 1 : draw_size(rng, 20);
  shot->desc.x_dist = draw_dist(rng, n);
  shot->desc.y_dist = shot->in_place ? shot->desc.x_dist : draw_dist(rng, n);
  shot->x_offset = draw_below(rng, 17);
  shot->y_offset = draw_below(rng, 17);
}

TEST(test_anything_legal) {
  const struct forced *forced = forced_all();
  struct rng rng = rng_of(1);
  for (size_t t = 0; t < TYPES; t++)
    for (enum data data = first_data(type_at(t)); data <= RANDOM; data++) {
      struct sample sample = sample_new(type_at(t), data, 180000);
      for (size_t i = 0; i < sized(4000, 100); i++) {
        mmscan_choice choice;
        struct shot shot = {.sample = &sample};
        draw_shot(&rng, forced, &shot, &choice);
        if (shot_is_legal(&shot)) shoot(&shot);
      }
      sample_free(&sample);
    }
}

/* The tests so far had the unit cblas add products to W, and overwrite W. */
TEST(test_both_ways_of_adding) {
  const struct forced *forced = forced_all();
  bool is_forced = false;
  for (size_t c = 0; c < forced->count; c++) is_forced |= same_text(forced->choice[c].unit, "cblas");
  assert_true(!is_forced || atomic_load(&adding_turns) > 1);
}

int main(void) { return run_all_tests(NULL, NULL); }
