/* test_logaddexp.c: MMSCAN_LOGADDEXP: infinities and NaN, accuracy at every size of number, and results whose bits
 * depend on nothing but the elements and the length of vectors.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "support/kernels.h"
#include "support/shot.h"

enum { LONG = 9001 };

static mmscan_desc lse_desc(const struct type *type, mmscan_kind kind, bool reverse, size_t n) {
  mmscan_desc desc = plain_desc(type->type, kind, reverse, n);
  desc.op = MMSCAN_LOGADDEXP;
  return desc;
}

/* ---- Public reports of other libraries --------------------------------------------------------------------------- */

enum { MOST = 7, REPEATS = 40 };
#define INF INFINITY

static const struct report {
  mmscan_kind kind;
  size_t n;
  double x[MOST], y[MOST];
} reports[] = {
    {MMSCAN_INCLUSIVE,
     7,
     {2, -INF, -INF, 1, -INF, -INF, 3},
     {2, 2, 2, 2.3132616875182228, 2.3132616875182228, 2.3132616875182228, 3.4076059644443804}},
    {MMSCAN_INCLUSIVE, 3, {1, NAN, 2}, {1, NAN, NAN}},
    {MMSCAN_INCLUSIVE, 3, {INF, INF, 1}, {INF, INF, INF}},
    {MMSCAN_INCLUSIVE, 3, {-INF, INF, -INF}, {-INF, INF, INF}},
    {MMSCAN_INCLUSIVE, 3, {INF, NAN, 1}, {INF, NAN, NAN}},
    {MMSCAN_INCLUSIVE, 3, {-INF, NAN, INF}, {-INF, NAN, NAN}},
    {MMSCAN_INCLUSIVE, 3, {0, 1, 1000}, {0, 1.3132616875182228, 1000}},
    {MMSCAN_INCLUSIVE, 3, {1000, 1, 0}, {1000, 1000, 1000}},
    {MMSCAN_INCLUSIVE, 2, {-0.69314718055994531, -0.69314718055994531}, {-0.69314718055994531, 0}},
    {MMSCAN_EXCLUSIVE, 2, {1, 2}, {-INF, 1}},
};

/* By every engine and instruction set: alone, and after so many -Inf that kernels have it, at other places of theirs.
 */
static void check_report(const struct report *r, const struct type *type, const mmscan_choice *choice, size_t before) {
  double x[MOST * REPEATS] = {0}, y[MOST * REPEATS];
  const size_t n = before + r->n;
  const mmscan_desc desc = lse_desc(type, r->kind, false, n);
  for (size_t i = 0; i < n; i++) put_float(type->type, x, i, i < before ? -INFINITY : r->x[i - before]);
  scan_with(&desc, choice, x, y);
  for (size_t i = 0; i < n; i++) {
    const double got = float_of(type->type, (char *)y + i * type->size),
                 want = i < before ? -INFINITY : r->y[i - before];
    if (isnan(want) ? !isnan(got) : got != want && !(fabs(got - want) <= 4 * type->eps * fmax(1, fabs(want))))
      fail_seeded("report %zu of %s by %s after %zu: y[%zu] is %.17g, not %.17g", (size_t)(r - reports), type->name,
                  part_of(choice), before, i, got, want);
  }
}

TEST(test_reports) {
  static const size_t before[] = {0, 1, 9, 15, 62, 128, 255};
  const struct forced *all = forced_all();
  for (size_t c = 0; c < all->count; c++)
    for (size_t t = 0; t < FLOAT_TYPES && !is_gemm(&all->choice[c]); t++)
      for (size_t i = 0; i < COUNT(reports); i++)
        for (size_t k = 0; k < COUNT(before); k++) check_report(&reports[i], type_at(t), &all->choice[c], before[k]);
}

/* ---- Every size of number ---------------------------------------------------------------------------------------- */

/* Numbers that all count; ones of which the largest so far hides the others; and ones that stay near what came before,
 * so that each adds to it. */
static void fill_scale(const struct type *type, double scale, bool rises, size_t n, void *x) {
  struct rng rng = rng_of((uint64_t)(scale * 64) + rises);
  for (size_t i = 0; i < n; i++)
    put_float(type->type, x, i, scale * draw_unit(&rng) + (rises ? (double)i * 0.37 - 900 : 0));
}

static void check_all_ways(const struct oracle *o, const char *what) {
  const size_t bytes = o->n * o->type->size;
  const struct forced *all = forced_all();
  void *y = test_memory(bytes), *alone = test_memory(bytes);
  for (size_t c = 0; c < all->count; c++)
    for (int way = 0; way < 4 && !is_gemm(&all->choice[c]); way++) {
      mmscan_choice choice = all->choice[c];
      const mmscan_kind kind = way < 2 ? MMSCAN_INCLUSIVE : MMSCAN_EXCLUSIVE;
      const struct window w = {0, o->n, kind, way % 2, NULL, MMSCAN_LOGADDEXP};
      const mmscan_desc desc = lse_desc(o->type, kind, way % 2, o->n);
      choice.threads = 1;
      if (cuts_tiles(&choice)) choice.tile = 2500;
      scan_with(&desc, &choice, o->x, alone);
      assert_scan(o, &w, 0, alone, what);
      for (choice.threads = 2; choice.threads <= (quick() ? 2 : 4); choice.threads++) {
        scan_with(&desc, &choice, o->x, y);
        if (memcmp(y, alone, bytes) != 0)
          fail_seeded("%s, %s, way %d: other bits with %d threads", what, part_of(&choice), way, choice.threads);
      }
    }
  free(y);
  free(alone);
}

TEST(test_scales) {
  for (size_t t = 0; t < FLOAT_TYPES; t++)
    for (int rises = 0; rises < 2; rises++)
      for (double scale = 0.001; scale < 2000; scale *= quick() ? 900 : 30) {
        void *x = test_memory(LONG * type_at(t)->size);
        const struct oracle o = {.type = type_at(t), .n = LONG, .x = x};
        fill_scale(type_at(t), scale, rises, LONG, x);
        check_all_ways(&o, rises ? "rising" : "not rising");
        free(x);
      }
}

/* A NaN or an infinity at any place of a run: what comes before is as it was. */
TEST(test_nothing_travels_backwards) {
  static const double values[] = {NAN, INFINITY, -INFINITY};
  static const size_t places[] = {0, 9, 63, 64, 2047, 2499, 2500, 5000, LONG - 1};
  for (size_t t = 0; t < FLOAT_TYPES; t++)
    for (size_t v = 0; v < COUNT(values); v++)
      for (size_t p = quick() ? v : 0; p < COUNT(places); p += quick() ? 6 : 2) {
        void *x = test_memory(LONG * type_at(t)->size);
        const struct oracle o = {.type = type_at(t), .n = LONG, .x = x};
        fill_scale(type_at(t), 3, false, LONG, x);
        put_float(type_at(t)->type, x, places[p], values[v]);
        check_all_ways(&o, "no number");
        free(x);
      }
}

/* ---- One step ---------------------------------------------------------------------------------------------------- */

/* Pairs: within two units in the last place of the largest of both, of the result, and of log 2. */
static void check_pairs(const mms_isa *isa, const struct type *type, double scale) {
  enum { WIDTH = 40 };
  const mms_kernel *kernel = kernel_of(isa, MMSCAN_LOGADDEXP, type->type);
  struct rng rng = rng_of((uint64_t)(scale * 1024));
  for (size_t i = 0; i < sized(400, 80); i++) {
    double x[WIDTH] = {0}, y[WIDTH];
    mms_value carry = mms_algebra_value(kernel->algebra, kernel->algebra->identity);
    for (size_t k = 0; k < WIDTH; k++) put_float(type->type, x, k, -INFINITY);
    put_float(type->type, x, i % WIDTH, scale * draw_unit(&rng));
    put_float(type->type, x, WIDTH - 1 - i % WIDTH, scale * draw_unit(&rng));
    const double a = float_of(type->type, (char *)x + i % WIDTH * type->size);
    const double b = float_of(type->type, (char *)x + (WIDTH - 1 - i % WIDTH) * type->size);
    kernel->scan[MMSCAN_INCLUSIVE][0](kernel, WIDTH, x, y, &carry, NULL);
    const struct rounded want = logaddexp(type->type, (struct rounded){a, 0}, b);
    if (!is_near(type->type, want, float_of(type->type, &carry)))
      fail_seeded("%s, %s: logaddexp(%.17g, %.17g) is %.17g", isa->name, type->name, a, b,
                  float_of(type->type, &carry));
  }
}

TEST(test_pairs) {
  for (size_t i = 0; mms_isa_name(i) != NULL; i++)
    for (size_t t = 0; mms_isa_at(i) != NULL && t < FLOAT_TYPES; t++)
      for (double scale = 1.0 / 1024; scale < 4096; scale *= 2) check_pairs(mms_isa_at(i), type_at(t), scale);
}

/* The first result of an inclusive scan is the first element, bit for bit. */
TEST(test_first_is_itself) {
  static const double firsts[] = {-0.0, 0.0, 0x1p-149, -3, 1e30, INFINITY, -INFINITY};
  const struct forced *all = forced_all();
  double x[100] = {0}, y[100];
  for (size_t c = 0; c < all->count; c++)
    for (size_t t = 0; t < FLOAT_TYPES && !is_gemm(&all->choice[c]); t++)
      for (size_t i = 0; i < COUNT(firsts); i++) {
        const mmscan_desc desc = lse_desc(type_at(t), MMSCAN_INCLUSIVE, false, 100);
        fill_scale(type_at(t), 1, false, 100, x);
        put_float(type_at(t)->type, x, 0, firsts[i]);
        scan_with(&desc, &all->choice[c], x, y);
        assert_memory_equal(y, x, type_at(t)->size);
      }
}

int main(void) { return run_all_tests(NULL, NULL); }
