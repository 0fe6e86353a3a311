/* test_rows.c: batches of many scans, most of them short, of which kernels do several at a time.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <sys/mman.h>
#include <unistd.h>

#include "support/float_mode.h"
#include "support/kernels.h"
#include "support/shot.h"

/* ---- As one after the other -------------------------------------------------------------------------------------- */

enum { MOST_ROWS = 60, LONGEST = 140, GAP = 3, ROOM = MOST_ROWS * (LONGEST + GAP) };

/* Bits of `way`: how rows lie, and how they are scanned. */
enum { IS_EXCLUSIVE = 1, IS_REVERSE = 2, IS_IN_PLACE = 4, X_HAS_GAPS = 8, Y_HAS_GAPS = 16, GOES_BACK = 32, WAYS = 64 };

typedef unsigned char array[ROOM * sizeof(double)];

struct rows {
  const struct type *type;
  mmscan_op op;
  size_t n, count;
  unsigned way;
  mms_value first;
  array x, together, alone;
};

/* What scans rows together, and one row alone. */
struct scanner {
  const char *name;
  const mms_algebra *algebra;
  const mms_kernel *kernel; /* NULL: the loop */
  mmscan_kind kind;
  bool reverse;
};

static struct scanner scanner_of(const struct rows *r, const mms_isa *isa) {
  return (struct scanner){.name = isa ? isa->name : "loop",
                          .algebra = mms_algebra_of(r->op, r->type->type),
                          .kernel = isa ? kernel_of(isa, r->op, r->type->type) : NULL,
                          .kind = r->way & IS_EXCLUSIVE ? MMSCAN_EXCLUSIVE : MMSCAN_INCLUSIVE,
                          .reverse = r->way & IS_REVERSE};
}

static void scan_together(const struct scanner *s, const mms_batch *rows) {
  if (s->kernel)
    s->kernel->batch[s->kind][s->reverse](s->kernel, rows);
  else
    mms_algebra_batch(s->algebra, rows, s->kind, s->reverse);
}

static ptrdiff_t apart(const struct rows *r, unsigned has_gaps) {
  return (ptrdiff_t)(r->n + (r->way & has_gaps ? GAP : 0));
}

/* With GOES_BACK the first row is the last one in memory. */
static mms_batch layout_of(const struct rows *r, unsigned char *y) {
  const bool back = r->way & GOES_BACK, in_place = r->way & IS_IN_PLACE;
  const ptrdiff_t x_dist = apart(r, X_HAS_GAPS), y_dist = in_place ? x_dist : apart(r, Y_HAS_GAPS);
  const ptrdiff_t last = back ? (ptrdiff_t)((r->count - 1) * r->type->size) : 0;
  const unsigned char *x = in_place ? y : r->x;
  return (mms_batch){.n = r->n,
                     .count = r->count,
                     .x_dist = back ? -x_dist : x_dist,
                     .y_dist = back ? -y_dist : y_dist,
                     .x = x + last * x_dist,
                     .y = y + last * y_dist,
                     .first = r->first,
                     .prefetches = r->count % 2 != 0};
}

static void scan_alone(const struct scanner *s, const mms_batch *rows, size_t size) {
  for (size_t k = 0; k < rows->count; k++) {
    const char *x = (const char *)rows->x + (ptrdiff_t)(k * size) * rows->x_dist;
    char *y = (char *)rows->y + (ptrdiff_t)(k * size) * rows->y_dist;
    mms_value carry = rows->first;
    if (s->kernel)
      s->kernel->scan[s->kind][s->reverse](s->kernel, rows->n, x, y, &carry, NULL);
    else
      s->algebra->loop.scan[s->kind][s->reverse](rows->n, x, y, &carry);
  }
}

static bool is_nan(const struct type *type, const unsigned char *element) {
  float f = 0;
  double d = 0;
  if (type->type == MMSCAN_F32) memcpy(&f, element, sizeof f);
  if (type->type == MMSCAN_F64) memcpy(&d, element, sizeof d);
  return isnan(f) || isnan(d);
}

/* Rows, gaps and what follows, as much as another row, have the same bits either way, except that NaNs may differ. */
static void compare(struct rows *r, const mms_isa *isa) {
  const size_t size = r->type->size, count = smaller((r->count + 1) * (r->n + GAP), ROOM);
  const struct scanner s = scanner_of(r, isa);
  memcpy(r->together, r->x, count * size);
  memcpy(r->alone, r->x, count * size);
  const mms_batch together = layout_of(r, r->together), alone = layout_of(r, r->alone);
  scan_together(&s, &together);
  scan_alone(&s, &alone, size);
  if (memcmp(r->together, r->alone, count * size) == 0) return;
  for (size_t i = 0; i < count; i++) {
    const unsigned char *a = r->together + i * size, *b = r->alone + i * size;
    if (memcmp(a, b, size) != 0 && !(is_nan(r->type, a) && is_nan(r->type, b)))
      fail_seeded("%s, %s %s, %zu rows of %zu, way %u: element %zu is another than alone", s.name, s.algebra->op_name,
                  r->type->name, r->count, r->n, r->way, i);
  }
}

/* By +, and every fifth time, in a quick run every 17th, by every operator, by that which takes longest a third as
 * often, so that each has all ways, whose number is a power of two: with the loop, then with each instruction set that
 * runs here. */
static void compare_all(struct rows *r) {
  static size_t calls;
  const size_t every = quick() ? 17 : 5, call = calls++;
  const bool by_all = call % every == 0;
  for (r->op = MMSCAN_PLUS; r->op; r->op = by_all ? next_op(r->op, r->type->type) : (mmscan_op)0) {
    if (r->op == MMSCAN_LOGADDEXP && call % (3 * every) != 0) continue;
    compare(r, NULL);
    for (size_t i = 0; mms_isa_name(i) != NULL; i++)
      if (mms_isa_at(i) != NULL) compare(r, mms_isa_at(i));
  }
}

static struct rows *rows_new(const struct type *type, enum data data) {
  struct rows *r = test_memory(sizeof *r);
  struct rng rng = rng_of((size_t)type->type);
  *r = (struct rows){.type = type, .first = {.u64 = 0}};
  type->fill(&rng, data, ROOM, r->x);
  memcpy(&r->first, r->x, type->size);
  return r;
}

static void say_which(void) {
  for (size_t i = 0; mms_isa_name(i) != NULL; i++)
    print_message("%s%s\n", mms_isa_name(i), mms_isa_at(i) ? "" : ": skipped, as it does not run here");
}

enum { EVERY_WAY = 40 }; /* longer rows are scanned in half of the ways, by turns */

TEST(test_all_lengths) {
  say_which();
  for (size_t t = 0; t < TYPES; t++) {
    struct rows *r = rows_new(type_at(t), RANDOM);
    struct rng rng = rng_of(t);
    for (r->n = 1; r->n <= LONGEST; r->n += quick() && r->n > 40 ? 7 : 1)
      for (r->way = quick() ? r->n % 3 : 0; r->way < WAYS; r->way += quick() ? 3 : 1) {
        if (!quick() && r->n > EVERY_WAY && (r->way + r->way / 2 + r->n) % 2) continue;
        r->count = 1 + draw_below(&rng, MOST_ROWS);
        compare_all(r);
      }
    free(r);
  }
}

/* A few elements in every number of rows, so for every remainder after as many rows as possible are packed. */
TEST(test_all_counts) {
  for (size_t t = 0; t < TYPES; t++) {
    struct rows *r = rows_new(type_at(t), RANDOM);
    for (r->n = 1; r->n <= MMS_KERNEL_IN_ORDER + 1; r->n++)
      for (r->count = 1; r->count <= MOST_ROWS; r->count += quick() ? 3 : 1)
        for (r->way = 0; r->way < X_HAS_GAPS; r->way++) compare_all(r);
    free(r);
  }
}

/* ---- What may not be regrouped ----------------------------------------------------------------------------------- */

static double largest(const struct rows *r) { return r->type->type == MMSCAN_F32 ? FLT_MAX : DBL_MAX; }

/* Largest numbers, infinities, NaNs and zeros of either sign, here and there. */
static void spoil(struct rows *r, struct rng *rng) {
  static const double odd[] = {1, -1, INFINITY, -INFINITY, NAN, 0.0, -0.0, 0.75, -0.75};
  for (size_t i = draw_below(rng, 9); i < ROOM; i += 1 + draw_below(rng, 40)) {
    const double picked = odd[draw_below(rng, COUNT(odd))];
    put_float(r->type->type, r->x, i, picked != 0 && fabs(picked) <= 1 ? picked * largest(r) : picked);
  }
}

TEST(test_odd_numbers) {
  for (size_t t = 0; t < FLOAT_TYPES; t++) {
    struct rows *r = rows_new(type_at(t), RANDOM);
    struct rng rng = rng_of(t);
    for (size_t turn = 0; turn < sized(20, 2); turn++) {
      spoil(r, &rng);
      memcpy(&r->first, r->x + draw_below(&rng, ROOM) * r->type->size, r->type->size);
      for (r->n = 1; r->n <= LONGEST; r->n += r->n > 40 ? 7 : 1) {
        r->count = 1 + draw_below(&rng, MOST_ROWS);
        r->way = (unsigned)draw_below(&rng, WAYS);
        compare_all(r);
      }
    }
    free(r);
  }
}

/* Elements that may be regrouped by themselves, but might overflow on a carry of more than half the largest number. */
TEST(test_heavy_carries) {
  for (size_t t = 0; t < FLOAT_TYPES; t++) {
    struct rows *r = rows_new(type_at(t), RANDOM);
    struct rng rng = rng_of(t);
    put_float(r->type->type, &r->first, 0, -0.75 * largest(r));
    for (size_t i = 0; i < ROOM; i++) put_float(r->type->type, r->x, i, draw_unit(&rng) * largest(r) * 0x1p-21);
    for (r->n = 1; r->n <= LONGEST; r->n++)
      for (r->way = 0; r->way < IS_IN_PLACE; r->way++) {
        r->count = 1 + draw_below(&rng, MOST_ROWS);
        compare_all(r);
      }
    free(r);
  }
}

/* ---- In every floating-point mode -------------------------------------------------------------------------------- */

/* Rounding decides the sign of 0.0 + -0.0, and tiny operands may count as zeros: a first result that is a copy in one
 * way of scanning a row must not be a sum in another. */
TEST(test_all_modes) {
  static const double firsts[] = {0.0, -0.0, 0x1p-140, -0x1p-1060, 1};
  for (size_t t = 0; t < FLOAT_TYPES; t++) {
    struct rows *r = rows_new(type_at(t), RANDOM);
    struct rng rng = rng_of(t);
    for (size_t turn = 0; turn < FLOAT_MODES * COUNT(firsts); turn++) {
      put_float(r->type->type, &r->first, 0, firsts[turn % COUNT(firsts)]);
      for (size_t i = 0; i < ROOM; i++) put_float(r->type->type, r->x, i, firsts[draw_below(&rng, COUNT(firsts))]);
      for (r->n = 1 + (quick() ? turn % 2 : 0); r->n <= 2 * MMS_KERNEL_IN_ORDER; r->n += quick() ? 2 : 1)
        for (r->way = quick() ? r->n % 3 : 0; r->way < WAYS; r->way += quick() ? 3 : 1) {
          r->count = MOST_ROWS / 2 + draw_below(&rng, MOST_ROWS / 2);
          const struct float_mode before = float_mode_set(turn / COUNT(firsts));
          compare_all(r);
          float_mode_restore(before);
        }
    }
    free(r);
  }
}

/* ---- The ends of memory ------------------------------------------------------------------------------------------ */

enum { PAGES = 4 };

/* Isolated pages: between any two lies one that may not be touched. */
static unsigned char *pages_new(size_t page) {
  unsigned char *all = mmap(NULL, (2 * PAGES + 1) * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(all != MAP_FAILED);
  for (size_t i = 0; i < PAGES; i++)
    assert_int_equal(mprotect(all + (2 * i + 1) * page, page, PROT_READ | PROT_WRITE), 0);
  return all + page;
}

static void pages_free(unsigned char *pages, size_t page) { munmap(pages - page, (2 * PAGES + 1) * page); }

/* Rows that end where a page ends, or start where one starts: each in its own page, or all in one, side by side. */
static void scan_in_pages(const struct type *type, size_t n, unsigned way, const mms_isa *isa, unsigned char *x,
                          unsigned char *y, size_t page) {
  const bool own = way & X_HAS_GAPS, at_end = way & Y_HAS_GAPS;
  const size_t count = own ? PAGES : page / (n * type->size), dist = own ? 2 * page / type->size : n;
  const size_t first = at_end ? page - (own ? 1 : count) * n * type->size : 0;
  const mms_batch rows = {.n = n,
                          .count = count,
                          .x_dist = (ptrdiff_t)dist,
                          .y_dist = (ptrdiff_t)dist,
                          .x = (way & IS_IN_PLACE ? y : x) + first,
                          .y = y + first};
  const mmscan_kind kind = way & IS_EXCLUSIVE ? MMSCAN_EXCLUSIVE : MMSCAN_INCLUSIVE;
  for (mmscan_op op = MMSCAN_PLUS; op; op = next_op(op, type->type)) {
    const mms_kernel *kernel = kernel_of(isa, op, type->type);
    kernel->batch[kind][(way & IS_REVERSE) != 0](kernel, &rows);
  }
}

/* Not a single byte beside the rows is read or written. */
TEST(test_ends_of_pages) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  unsigned char *x = pages_new(page), *y = pages_new(page);
  for (size_t i = 0; mms_isa_name(i) != NULL; i++)
    for (size_t t = 0; mms_isa_at(i) != NULL && t < TYPES; t++)
      for (size_t n = 1; n <= LONGEST; n += quick() && n > 40 ? 7 : 1)
        for (unsigned way = 0; way < GOES_BACK; way++) scan_in_pages(type_at(t), n, way, mms_isa_at(i), x, y, page);
  pages_free(x, page);
  pages_free(y, page);
}

/* ---- By calls ---------------------------------------------------------------------------------------------------- */

static void shoot_rows(const struct sample *sample, const mmscan_choice *choice, struct rng *rng) {
  for (size_t n = 1; n <= 70; n++)
    for (unsigned variant = 0; variant < VARIANTS; variant++) {
      struct shot shot = {.sample = sample, .via = choice ? BY_PLAN : BY_SCAN, .choice = choice};
      const size_t gap = draw_below(rng, 2) * draw_below(rng, 9);
      shot_set(&shot, variant, n);
      shot.desc.batch = 1 + draw_below(rng, (sample->oracle.n - 1) / (n + gap) - 1);
      shot.desc.x_dist = (ptrdiff_t)(n + gap);
      shot.desc.y_dist = (ptrdiff_t)(n + (shot.in_place ? gap : draw_below(rng, 2) * gap));
      shot.x_offset = draw_below(rng, 3);
      shot.y_offset = draw_below(rng, 3);
      shoot(&shot);
    }
}

/* Results are right with the default choice and with every engine, and nothing beside the rows is written. */
TEST(test_calls) {
  const struct forced *forced = forced_all();
  struct rng rng = rng_of(0);
  for (size_t t = 0; t < TYPES; t++) {
    struct sample sample = sample_new(type_at(t), RANDOM, sized(4000, 1000));
    shoot_rows(&sample, NULL, &rng);
    for (size_t c = 0; c < forced->count; c++)
      if (!is_gemm(&forced->choice[c])) shoot_rows(&sample, &forced->choice[c], &rng);
    sample_free(&sample);
  }
}

/* Scans of few elements add in the order of the plain loop, whatever computes them. */
TEST(test_few_are_as_by_the_loop) {
  for (size_t t = 0; t < FLOAT_TYPES; t++)
    for (size_t n = 1; n < MMS_KERNEL_IN_ORDER; n++) {
      const size_t batch = 1000, bytes = n * batch * type_at(t)->size;
      struct sample sample = sample_new(type_at(t), RANDOM, n * batch);
      void *many = test_memory(bytes), *each = test_memory(bytes);
      mmscan_desc desc = plain_desc(type_at(t)->type, MMSCAN_INCLUSIVE, 0, n);
      desc.batch = batch;
      desc.x_dist = desc.y_dist = (ptrdiff_t)n;
      assert_mmscan_ok(mmscan_scan(&desc, sample.x, many));
      for (size_t at = 0; at < bytes; at += n * type_at(t)->size)
        assert_mmscan_ok(type_at(t)->inclusive(n, (char *)sample.x + at, (char *)each + at));
      assert_memory_equal(many, each, bytes);
      free(many);
      free(each);
      sample_free(&sample);
    }
}

int main(void) { return run_all_tests(NULL, NULL); }
