/* test_strides.c: scans of elements that are not contiguous: the bits of a scan of the same elements, contiguous, and
 * not a byte written between them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <sys/mman.h>

#include "base/tuning.h"
#include "support/shot.h"
#include "support/watch.h"

/* ---- Layouts -------------------------------------------------------------------------------------------------- */

enum { ROWS, COLUMNS, INTERLEAVED, MIXED, LAYOUTS };
static const char *const layouts[] = {"rows", "columns", "interleaved", "mixed"};

static ptrdiff_t draw_sign(struct rng *rng) { return draw(rng) % 2 ? 1 : -1; }

/* An array whose scans are one after the other; whose elements are; or both, with some left over. */
static void draw_array(struct rng *rng, int layout, size_t n, size_t batch, ptrdiff_t *stride, ptrdiff_t *dist) {
  const ptrdiff_t wide = 1 + (ptrdiff_t)(draw(rng) % 5);
  const bool is_row = layout == ROWS || (layout == MIXED && draw(rng) % 2);
  if (is_row) {
    *stride = wide * draw_sign(rng);
    *dist = ((ptrdiff_t)n * wide + (ptrdiff_t)(draw(rng) % 4)) * draw_sign(rng);
  } else {
    const ptrdiff_t each = layout == COLUMNS ? 1 : wide;
    *dist = layout == COLUMNS ? 1 : each * draw_sign(rng);
    *stride = ((ptrdiff_t)batch * each + (ptrdiff_t)(draw(rng) % 4)) * draw_sign(rng);
  }
}

static mmscan_desc draw_desc(struct rng *rng, const struct type *type, int layout, size_t n, size_t batch,
                             bool in_place) {
  mmscan_desc d = plain_desc(type->type, draw(rng) % 2 ? MMSCAN_EXCLUSIVE : MMSCAN_INCLUSIVE, draw(rng) % 2, n);
  d.batch = batch;
  draw_array(rng, layout, n, batch, &d.y_stride, &d.y_dist);
  draw_array(rng, layout, n, batch, &d.x_stride, &d.x_dist);
  if (in_place) d.x_stride = d.y_stride, d.x_dist = d.y_dist;
  if (!in_place && draw(rng) % 8 == 0) d.x_stride = 0;
  if (!in_place && draw(rng) % 8 == 0) d.x_dist = 0;
  return d;
}

static size_t magnitude(ptrdiff_t d) { return (size_t)(d < 0 ? -d : d); }

/* Elements from the lowest to the highest, and where the first scan begins among them. */
struct span {
  size_t count, first;
};

static struct span span_of(size_t n, ptrdiff_t stride, size_t batch, ptrdiff_t dist) {
  const size_t along = (n - 1) * magnitude(stride), across = (batch - 1) * magnitude(dist);
  return (struct span){along + across + 1, (stride < 0 ? along : 0) + (dist < 0 ? across : 0)};
}

/* ---- One scan ------------------------------------------------------------------------------------------------- */

static const char *text_of(const mmscan_desc *d, const mmscan_choice *used, int threads) {
  static char text[256];
  snprintf(text, sizeof text,
           "n %zu, strides %td %td, batch %zu, dists %td %td, kind %d, reverse %d, %s, %d threads, %s", d->n,
           d->x_stride, d->y_stride, d->batch, d->x_dist, d->y_dist, d->kind, d->reverse, used->engine, threads,
           text_or(used->way, "as suits"));
  return text;
}

/* Scan r of the elements, gathered, by the same choice on one thread; *carry as in a block, or NULL. Neighbours that
 * are scanned towards lower addresses are scanned as they are in memory, in the other direction. */
static void scan_gathered(const mmscan_desc *d, mmscan_choice choice, const char *x, size_t r, size_t size, char *to,
                          void *carry) {
  mmscan_desc one = *d;
  choice.threads = 1;
  choice.way = NULL;
  const bool turned = d->x_stride == -1 && d->y_stride == -1;
  one.x_stride = one.y_stride = turned ? -1 : 1;
  one.batch = 1;
  if (turned) to += (d->n - 1) * size;
  for (size_t i = 0; i < d->n; i++)
    memcpy(turned ? to - i * size : to + i * size,
           x + ((ptrdiff_t)i * d->x_stride + (ptrdiff_t)r * d->x_dist) * (ptrdiff_t)size, size);
  if (carry) {
    assert_mmscan_ok(block_with(&one, &choice, to, to, carry));
    return;
  }
  mmscan_choice used;
  mmscan_plan *plan = plan_new(&one, &choice, &used);
  assert_mmscan_ok(mmscan_execute(plan, to, to));
  mmscan_plan_destroy(plan);
}

/* Whether the columns of sums of floats are more accurate than the plain loop, and have other bits: test_accuracy. */
static bool keeps_pairs(const mmscan_desc *d, const mmscan_choice *asked, const mmscan_choice *used) {
  const bool are_floats = d->y_type == MMSCAN_F32 || d->y_type == MMSCAN_F64;
  return are_floats && !asked->engine && strcmp(used->engine, "serial") == 0 && d->x_dist == 1 && d->y_dist == 1;
}

/* By a plan, or with carries as a block. */
static void check(struct rng *rng, const struct sample *sample, const mmscan_desc *d, const mmscan_choice *choice,
                  bool in_place, bool as_block) {
  const size_t size = sample->oracle.type->size;
  const struct span xs = span_of(d->n, d->x_stride, d->batch, d->x_dist),
                    ys = span_of(d->n, d->y_stride, d->batch, d->y_dist);
  if (xs.count + d->batch > sample->oracle.n) fail_msg("the sample is too short");
  struct buffer x = buffer_new(xs.count * size, draw(rng) % 4 * size), y = x;
  memcpy(x.data, sample->x, x.size);
  if (!in_place) y = buffer_new(ys.count * size, draw(rng) % 4 * size);
  if (!in_place) memset(y.data, 0x5a, y.size);
  unsigned char *want = test_memory(y.size);
  memcpy(want, y.data, y.size);
  char *row = (char *)test_memory(d->n * size), *carries = (char *)test_memory(d->batch * size),
       *wanted = (char *)test_memory(d->batch * size);
  memcpy(carries, (const char *)sample->x + xs.count * size, d->batch * size);
  memcpy(wanted, carries, d->batch * size);
  char *from = (char *)x.data + xs.first * size, *to = (char *)y.data + ys.first * size;
  mmscan_choice used;
  mmscan_plan *plan = plan_new(d, choice, &used);
  for (size_t r = 0; r < d->batch; r++) {
    scan_gathered(d, used, from, r, size, row, as_block ? wanted + r * size : NULL);
    for (size_t i = 0; i < d->n; i++)
      memcpy(want + ((ptrdiff_t)ys.first + (ptrdiff_t)i * d->y_stride + (ptrdiff_t)r * d->y_dist) * (ptrdiff_t)size,
             row + (d->x_stride == -1 && d->y_stride == -1 ? d->n - 1 - i : i) * size, size);
  }
  assert_mmscan_ok(as_block ? block_with(d, &used, from, to, carries) : mmscan_execute(plan, from, to));
  const char *what = text_of(d, &used, choice->threads);
  if (!keeps_pairs(d, choice, &used) && memcmp(want, y.data, y.size) != 0)
    fail_seeded("%s, %s: other bits", sample->oracle.type->name, what);
  if (!keeps_pairs(d, choice, &used) && memcmp(wanted, carries, d->batch * size) != 0)
    fail_seeded("%s, %s: other carries", sample->oracle.type->name, what);
  if (!in_place && memcmp(x.data, sample->x, x.size) != 0) fail_seeded("%s: x changed", what);
  if (!buffer_intact(&x) || !buffer_intact(&y)) fail_seeded("%s: wrote outside", what);
  mmscan_plan_destroy(plan);
  free(want);
  free(row);
  free(carries);
  free(wanted);
  if (!in_place) buffer_free(&y);
  buffer_free(&x);
}

/* ---- Many scans ----------------------------------------------------------------------------------------------- */

enum { MOST_BATCH = 40, MOST = 400000 }; /* elements of a sample */

static size_t draw_n(struct rng *rng, size_t tile) {
  const size_t edges[] = {1, 2, 3, tile - 1, tile, tile + 1, 2 * tile + 1, 1 + draw(rng) % (5 * tile)};
  return edges[draw(rng) % COUNT(edges)];
}

static void check_choice(struct rng *rng, const struct sample *sample, mmscan_choice choice, int layout) {
  static const char *const ways[] = {NULL, "scans", "shares", "chain", "leader"};
  const size_t tile = 256, n = draw_n(rng, cuts_tiles(&choice) ? tile : 500);
  const size_t batch = draw(rng) % 3 == 0 ? 1 : 1 + draw(rng) % (n > 300 ? 5 : MOST_BATCH);
  const bool in_place = draw(rng) % 3 == 0;
  mmscan_desc d = draw_desc(rng, sample->oracle.type, layout, n, batch, in_place);
  const bool as_block = draw(rng) % 3 == 0;
  if (!as_block && draw(rng) % 2 == 0)
    d.init = (const char *)sample->x + (sample->oracle.n - 1) * sample->oracle.type->size;
  if (!is_gemm(&choice) && draw(rng) % 3 == 0) d.op = draw(rng) % 2 ? MMSCAN_MAX : MMSCAN_MIN;
  if (cuts_tiles(&choice) && draw(rng) % 4 != 0) choice.tile = tile;
  choice.threads = 1 + (int)(draw(rng) % 3);
  choice.way = ways[draw(rng) % COUNT(ways)];
  if (choice.way && !has_way(&d, choice, choice.way)) choice.way = NULL;
  const mms_tuning here = mms_tuning_here;
  if (!choice.unit && draw(rng) % 3 == 0) /* so small that results go past the caches; a unit would have other blocks */
    mms_tuning_here.stream_from = mms_tuning_here.cluster = mms_tuning_here.clusters = mms_tuning_here.half_cache = 256;
  check(rng, sample, &d, &choice, in_place, as_block);
  mms_tuning_here = here;
}

TEST(test_all_choices) {
  struct rng rng = rng_of(1);
  const struct forced *forced = forced_all();
  const mmscan_choice none = {.struct_size = sizeof none};
  for (size_t t = 0; t < TYPES; t++) {
    struct sample sample = sample_new(type_at(t), RANDOM, MOST);
    for (size_t c = 0; c <= forced->count; c++)
      for (int layout = 0; layout < LAYOUTS; layout++)
        for (size_t i = 0; i < sized(24, c == forced->count ? 24 : 6); i++)
          check_choice(&rng, &sample, c == forced->count ? none : forced->choice[c], layout);
    sample_free(&sample);
  }
  for (int layout = 0; layout < LAYOUTS; layout++) print_message("checked: %s\n", layouts[layout]);
}

/* Inf, NaN and elements that may not be regrouped: each engine packs them and meets them as in the contiguous scan. */
TEST(test_special_elements) {
  struct rng rng = rng_of(2);
  const struct forced *forced = forced_all();
  for (size_t t = 0; t < FLOAT_TYPES; t++) {
    struct sample sample = sample_new(type_at(t), RANDOM, MOST);
    for (size_t i = 0; i < MOST; i += 1 + draw(&rng) % 3000) {
      static const double special[] = {INFINITY, -INFINITY, NAN, 3e38, -3e38, -0.0};
      const double value = special[draw(&rng) % COUNT(special)];
      put_float(type_at(t)->type, sample.x, i, t > 0 && value == 3e38 ? 1.7e308 : value);
    }
    for (size_t c = 0; c < forced->count; c++)
      for (int layout = 0; layout < LAYOUTS; layout++)
        for (size_t i = 0; i < sized(10, 3); i++) check_choice(&rng, &sample, forced->choice[c], layout);
    sample_free(&sample);
  }
}

/* ---- Columns -------------------------------------------------------------------------------------------------- */

/* Any number of columns, by as many threads as there are, with what is prefetched and streamed: the sums of a loop. */
TEST(test_columns) {
  static const size_t counts[] = {1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 100, 513, 2048, 2049, 5000};
  const mms_tuning here = mms_tuning_here;
  for (size_t k = 0; k < 2 * COUNT(counts); k++) {
    const size_t columns = counts[k / 2], rows = sized(3000000, 600000) / columns, count = rows * columns;
    if (k % 2) mms_tuning_here.half_cache = mms_tuning_here.cluster = mms_tuning_here.stream_from = 1 << 16;
    uint32_t *x = malloc(count * sizeof *x), *y = malloc(count * sizeof *y);
    assert_true(x != NULL && y != NULL);
    for (size_t i = 0; i < count; i++) x[i] = (uint32_t)(i * i + 7 * i);
    mmscan_desc d = plain_desc(MMSCAN_U32, k % 3 ? MMSCAN_INCLUSIVE : MMSCAN_EXCLUSIVE, k % 4 > 1, rows);
    d.x_stride = d.y_stride = (ptrdiff_t)columns;
    d.batch = columns;
    d.x_dist = d.y_dist = 1;
    assert_mmscan_ok(mmscan_scan(&d, x, y));
    for (size_t c = 0; c < columns; c++) {
      uint32_t sum = 0;
      for (size_t i = 0; i < rows; i++) {
        const size_t at = (d.reverse ? rows - 1 - i : i) * columns + c;
        const uint32_t next = sum + x[at];
        if (y[at] != (d.kind == MMSCAN_EXCLUSIVE ? sum : next))
          fail_msg("%zu columns, kind %d, reverse %d: wrong in row %zu, column %zu", columns, d.kind, d.reverse, i, c);
        sum = next;
      }
    }
    free(x);
    free(y);
    mms_tuning_here = here;
  }
}

/* ---- Memory --------------------------------------------------------------------------------------------------- */

/* x ends and y begins at the edges of pages that may not be touched; x may not be written. */
TEST(test_edges_of_pages) {
  enum { PAGE = 4096, PAGES = 8, BYTES = PAGE * PAGES };
  char *x = mmap(NULL, BYTES + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
       *y = mmap(NULL, BYTES + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(x != MAP_FAILED && y != MAP_FAILED);
  x += PAGE, y += PAGE;
  assert_int_equal(mprotect(y, BYTES, PROT_READ | PROT_WRITE), 0);
  assert_int_equal(mprotect(x, BYTES, PROT_READ | PROT_WRITE), 0);
  memset(x, 1, BYTES);
  assert_int_equal(mprotect(x, BYTES, PROT_READ), 0);
  for (ptrdiff_t stride = 1; stride <= 9; stride++)
    for (int columns = 0; columns < 2; columns++) {
      const size_t all = BYTES / sizeof(int32_t), n = (all - 1) / (size_t)stride + 1,
                   skip = all - 1 - (n - 1) * (size_t)stride;
      mmscan_desc d = plain_desc(MMSCAN_I32, MMSCAN_INCLUSIVE, 0, n);
      d.x_stride = d.y_stride = stride;
      if (columns) {
        d.n = all / (size_t)stride;
        d.batch = (size_t)stride;
        d.x_dist = d.y_dist = 1;
      }
      const size_t from = columns ? all - d.n * (size_t)stride : skip; /* the last element is the last of a page */
      assert_mmscan_ok(mmscan_scan(&d, (int32_t *)(void *)x + from, (int32_t *)(void *)y + from));
      assert_mmscan_ok(mmscan_scan(&d, (int32_t *)(void *)x, (int32_t *)(void *)y)); /* the first is the first of one */
      assert_int_equal(((int32_t *)(void *)y)[stride], 2 * 0x01010101);
    }
  munmap(x - PAGE, BYTES + 2 * PAGE);
  munmap(y - PAGE, BYTES + 2 * PAGE);
}

/* Arrays that share elements otherwise than in place, and arrays that lie between each other's elements. */
TEST(test_overlap) {
  float a[200] = {0};
  mmscan_desc d = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, 20);
  d.x_stride = d.y_stride = 2;
  assert_mmscan_ok(mmscan_scan(&d, a, a));
  assert_mmscan_ok(mmscan_scan(&d, a, a + 1)); /* real and imaginary parts, say */
  assert_int_equal(mmscan_scan(&d, a, a + 2), MMSCAN_EOVERLAP);
  assert_int_equal(mmscan_scan(&d, a, a + 38), MMSCAN_EOVERLAP);
  assert_mmscan_ok(mmscan_scan(&d, a, a + 40));
  assert_int_equal(mmscan_scan(&d, a, (char *)a + 4 * 38 - 1), MMSCAN_EINVAL);
  d.x_stride = -2;
  assert_int_equal(mmscan_scan(&d, a + 38, a), MMSCAN_EOVERLAP); /* the same elements, but not in place */
  d.y_stride = -2;
  assert_mmscan_ok(mmscan_scan(&d, a + 38, a + 38));
  d.y_stride = 0;
  assert_int_equal(mmscan_scan(&d, a + 38, a + 38), MMSCAN_EINVAL);
  d.x_stride = d.y_stride = 4; /* columns: 0 and 1 to 2 and 3 */
  d.batch = 2;
  d.x_dist = d.y_dist = 1;
  assert_mmscan_ok(mmscan_scan(&d, a, a + 2));
  assert_int_equal(mmscan_scan(&d, a, a + 1), MMSCAN_EOVERLAP);
  d.y_stride = 1;
  assert_int_equal(mmscan_scan(&d, a + 100, a), MMSCAN_EOVERLAP); /* results share elements */
  d.y_stride = 3, d.y_dist = 2;
  assert_mmscan_ok(mmscan_scan(&d, a + 100, a)); /* 0, 3, 6, ... and 2, 5, 8, ... */
  d.y_dist = 6;
  assert_int_equal(mmscan_scan(&d, a + 100, a), MMSCAN_EOVERLAP); /* 0, 3, 6, ... and 6, 9, 12, ... */
}

/* Shapes that no memory holds. */
TEST(test_too_large) {
  float a[4] = {0};
  mmscan_desc d = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, 3);
  d.y_stride = PTRDIFF_MAX / 8 + 1;
  assert_int_equal(mmscan_scan(&d, a, a), MMSCAN_EINVAL);
  d.y_stride = PTRDIFF_MIN;
  assert_int_equal(mmscan_scan(&d, a, a), MMSCAN_EINVAL);
  d.y_stride = 1;
  d.x_stride = PTRDIFF_MAX;
  assert_int_equal(mmscan_scan(&d, a, a), MMSCAN_EINVAL);
  d.x_stride = 1 << 20;
  d.batch = 1 << 30;
  d.x_dist = PTRDIFF_MAX >> 31;
  d.y_dist = 3;
  assert_int_equal(mmscan_scan(&d, a, a), MMSCAN_EINVAL);
}

/* A plan that is measured has the tile of one that is not, and so its bits. */
TEST(test_tile_of_measured) {
  mmscan_desc d = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, 1 << 17);
  const mmscan_choice simd = {.struct_size = sizeof simd, .engine = "simd"};
  mmscan_choice used[2] = {{.struct_size = sizeof used[0]}, {.struct_size = sizeof used[1]}};
  d.x_stride = d.y_stride = 2;
  for (unsigned flag = MMSCAN_ESTIMATE; flag <= MMSCAN_MEASURE; flag++) {
    mmscan_plan *plan;
    assert_mmscan_ok(mmscan_plan_create_with(&plan, &d, flag, &simd));
    assert_mmscan_ok(mmscan_plan_get_choice(plan, &used[flag]));
    mmscan_plan_destroy(plan);
  }
  assert_int_equal(used[0].tile, used[1].tile);
}

/* A plan that is measured holds for strides, too; so do columns, which are not measured. */
TEST(test_measured) {
  enum { N = 300 };
  static int64_t x[3 * N], y[3 * N];
  for (int columns = 0; columns < 2; columns++) {
    mmscan_desc d = plain_desc(MMSCAN_I64, MMSCAN_INCLUSIVE, 0, N);
    d.x_stride = d.y_stride = 3;
    d.batch = columns ? 3 : 1;
    d.x_dist = d.y_dist = 1;
    mmscan_plan *plan;
    assert_mmscan_ok(mmscan_plan_create(&plan, &d, MMSCAN_MEASURE));
    for (size_t i = 0; i < COUNT(x); i++) x[i] = 1;
    assert_mmscan_ok(mmscan_execute(plan, x, y));
    assert_int_equal(y[3 * (N - 1)], N);
    assert_int_equal(y[3 * N - 1], columns ? N : 0);
    mmscan_plan_destroy(plan);
    memset(y, 0, sizeof y);
  }
}

int main(int argc, char **argv) {
  (void)argc;
  wait_passively(argv);
  return run_all_tests(NULL, NULL);
}
