/* test_fuzz.c: descriptions of which some fields, or bytes, are anything. mmscan_desc_check() must tell what is wrong,
 * and touch nothing; what it takes must be scanned within the arrays that the description spans, and what it refuses
 * must be refused by all calls.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MMSCAN_TEST_SECONDS=N is how long it takes (2), if there is no MMSCAN_TEST_COUNT.
 */
#include <time.h>

#include "support/area.h"
#include "support/reference.h"
#include "support/repeat.h"
#include "support/segments.h"

enum { MOST_OUTER = 40, PAGE_SIZE = 65536, LONGEST_STRUCT = 1024, MOST_BYTES = 1 << 20 };

/* Ends before a page that may not be touched; the description, and what is wrong with it, are the last bytes in it. */
static unsigned char *desc_end, *why_end, *forbidden;

static int make_pages(void **state) {
  (void)state;
  const area desc = area_new(ENDS_PAGE, PAGE_SIZE, 0), why = area_new(ENDS_PAGE, PAGE_SIZE, 0),
             none = area_new(ENDS_PAGE, 0, 0);
  desc_end = desc.data + desc.size;
  why_end = why.data + why.size;
  forbidden = none.data;
  return 0;
}

/* ---- Nasty values ------------------------------------------------------------------------------------------------ */

static mmscan_dim outer[MOST_OUTER];
static double some_memory[4] = {1, 2, 3, 4};

static uint64_t draw_word(struct rng *rng) {
  static const uint64_t nasty[] = {0,
                                   1,
                                   2,
                                   3,
                                   5,
                                   8,
                                   100,
                                   1000,
                                   SIZE_MAX,
                                   SIZE_MAX - 1,
                                   SIZE_MAX / 2,
                                   SIZE_MAX / 2 + 1,
                                   SIZE_MAX / 4,
                                   SIZE_MAX / 8,
                                   SIZE_MAX / 8 + 1,
                                   UINT64_C(1) << 32,
                                   UINT32_MAX,
                                   UINT64_C(1) << 61,
                                   UINT64_C(3037000500)};
  const uint64_t word = nasty[draw_below(rng, COUNT(nasty))];
  return draw_below(rng, 8) == 0 ? draw(rng) >> draw_below(rng, 64) : draw_below(rng, 3) == 0 ? -word : word;
}

/* Small ones, by which most arrays are small. */
static ptrdiff_t draw_stride(struct rng *rng) {
  return draw_below(rng, 12) == 0 ? (ptrdiff_t)draw_word(rng) : (ptrdiff_t)draw_below(rng, 140) - 50;
}

static size_t draw_count(struct rng *rng) { return draw_below(rng, 12) == 0 ? draw_word(rng) : draw_below(rng, 12); }

static void draw_outer(struct rng *rng, mmscan_desc *d) {
  d->outer = outer;
  for (size_t k = 0; k < MOST_OUTER; k++)
    outer[k] =
        (mmscan_dim){draw_below(rng, 3) ? 1 + draw_below(rng, 3) : draw_count(rng), draw_stride(rng), draw_stride(rng)};
  d->outer_rank = draw_below(rng, 8) == 0 ? draw_below(rng, MOST_OUTER + 1) : 1 + draw_below(rng, 3);
  if (draw_below(rng, 8) == 0) d->outer_rank = draw_word(rng);
}

static mmscan_desc draw_valid(struct rng *rng) {
  const ref_type *type = &ref_types[draw_below(rng, draw_below(rng, 2) ? 6 : COUNT(ref_types))];
  const mmscan_op op = (mmscan_op)(1 + draw_below(rng, draw_below(rng, 2) ? 3 : 8));
  mmscan_desc d = MMSCAN_DESC(type->type, op, (mmscan_kind)(1 + draw_below(rng, 2)), draw_below(rng, 200));
  d.batch = draw_below(rng, 12);
  d.x_stride = draw_stride(rng);
  d.y_stride = draw_stride(rng);
  d.x_dist = draw_stride(rng);
  d.y_dist = draw_stride(rng);
  d.reverse = (int)draw_below(rng, 2);
  if (draw_below(rng, 2)) d.init = some_memory;
  return d;
}

static void put_number(struct rng *rng, mmscan_desc *d) {
  static const size_t at[] = {offsetof(mmscan_desc, x_type), offsetof(mmscan_desc, y_type), offsetof(mmscan_desc, op),
                              offsetof(mmscan_desc, kind), offsetof(mmscan_desc, reverse)};
  const int number = draw_below(rng, 2) ? (int)draw_below(rng, 20) : (int)draw_word(rng);
  memcpy((char *)d + at[draw_below(rng, COUNT(at))], &number, sizeof number);
}

static void put_stride(struct rng *rng, mmscan_desc *d) {
  ptrdiff_t *const strides[] = {&d->x_stride, &d->y_stride, &d->x_dist, &d->y_dist};
  *strides[draw_below(rng, COUNT(strides))] = (ptrdiff_t)draw_word(rng);
}

static size_t draw_struct_size(struct rng *rng) {
  return draw_below(rng, 2) ? draw_word(rng) : sizeof(mmscan_desc) + draw_below(rng, 1000) - 40;
}

static void spoil_field(struct rng *rng, mmscan_desc *d) {
  const size_t which = draw_below(rng, 16);
  if (which < 5) put_number(rng, d);
  if (which >= 5 && which < 9) put_stride(rng, d);
  if (which == 9) d->struct_size = draw_struct_size(rng);
  if (which == 10) d->n = draw_count(rng);
  if (which == 11) d->batch = draw_count(rng);
  if (which == 12) d->totals = some_memory;
  if (which == 13) d->indices = some_memory;
  if (which == 14) d->flags = draw_below(rng, 2) ? (unsigned)draw_word(rng) : 1u << draw_below(rng, 6);
  if (which == 15) draw_outer(rng, d);
}

/* Pointers are right, as whoever gives a wrong one has no claim. More outer dimensions than there are: none at all. */
static void spoil_bytes(struct rng *rng, mmscan_desc *d) {
  const void *const init = d->init;
  const size_t at = draw_below(rng, sizeof *d), most = sizeof *d - at, count = 1 + draw_below(rng, smaller(most, 12));
  for (size_t i = 0; i < smaller(count, most); i++) ((unsigned char *)d)[at + i] = (unsigned char)draw(rng);
  d->init = init;
  d->totals = d->totals ? some_memory : NULL;
  d->indices = d->indices ? some_memory : NULL;
  if (d->outer) draw_outer(rng, d);
}

static mmscan_desc draw_desc(struct rng *rng) {
  mmscan_desc d = draw_valid(rng);
  for (size_t i = draw_below(rng, 4); i > 0; i--) spoil_field(rng, &d);
  if (draw_below(rng, 8) == 0) spoil_bytes(rng, &d);
  if (d.outer_rank > MOST_OUTER || draw_below(rng, 20) == 0) d.outer = NULL;
  return d;
}

/* ---- What it spans ----------------------------------------------------------------------------------------------- */

typedef struct span {
  wide below, above; /* elements, from element 0 on */
} span;

/* What is no memory's need not be exact. */
static void extend(span *s, size_t count, ptrdiff_t stride) {
  const wide most = (wide)1 << 100, reach = count > 1 ? (wide)(count - 1) * stride : 0;
  *(reach < 0 ? &s->below : &s->above) += reach > most ? most : reach < -most ? -most : reach;
}

/* What a legal description spans. */
typedef struct shape {
  wide scans;
  span x, y;
  bool has_x, has_y;
} shape;

static shape shape_of(const mmscan_desc *d) {
  const size_t results = d->n + (d->kind == MMSCAN_OFFSETS);
  shape s = {.scans = (wide)d->batch};
  extend(&s.x, d->n, d->x_stride);
  extend(&s.y, results, d->y_stride);
  extend(&s.x, d->batch, d->x_dist);
  extend(&s.y, d->batch, d->y_dist);
  for (size_t k = 0; k < d->outer_rank; k++) {
    extend(&s.x, d->outer[k].n, d->outer[k].x_stride);
    extend(&s.y, d->outer[k].n, d->outer[k].y_stride);
    if (s.scans <= MOST_BYTES || d->outer[k].n == 0) s.scans *= (wide)d->outer[k].n;
  }
  s.has_x = s.scans > 0 && d->n > 0;
  s.has_y = s.scans > 0 && results > 0;
  return s;
}

static wide count_of(const span *s) { return s->above - s->below + 1; }

static bool is_small(const shape *s) {
  const wide most = MOST_BYTES / 16;
  return s->scans <= most && (!s->has_x || count_of(&s->x) <= most) && (!s->has_y || count_of(&s->y) <= most);
}

static char *first_of(area *a, const span *s, bool has, size_t size) {
  return (char *)a->data - (has ? (ptrdiff_t)s->below * (ptrdiff_t)size : 0);
}

/* Each result is in a place of its own: counts how often each element is one. */
static bool shares_results(const mmscan_desc *d, const shape *s) {
  const size_t count = s->has_y ? (size_t)count_of(&s->y) : 0, results = d->n + (d->kind == MMSCAN_OFFSETS);
  unsigned char *seen = calloc(count + 1, 1);
  bool shares = false;
  for (size_t scan = 0; seen && !shares && scan < (size_t)s->scans; scan++) {
    size_t rest = scan / d->batch;
    wide at = -s->y.below;
    if (d->batch > 1) at += (wide)(scan % d->batch) * d->y_dist;
    for (size_t k = d->outer_rank; k-- > 0; rest /= d->outer[k].n)
      if (d->outer[k].n > 1) at += (wide)(rest % d->outer[k].n) * d->outer[k].y_stride;
    for (size_t i = 0; i < results && !shares; i++, at += results > 1 ? d->y_stride : 0) shares |= seen[at]++ != 0;
  }
  free(seen);
  return shares;
}

/* ---- One description --------------------------------------------------------------------------------------------- */

static size_t counts[MMSCAN_EOVERFLOW + 1], scanned, with_outer, by_segments;

__attribute__((noreturn)) static void fail_desc(const mmscan_desc *d, const char *what, int status) {
  print_error(
      "%.*s: n %zu, strides %td %td, batch %zu, dists %td %td, kind %d, op %d, types %d %d, outer rank %zu, flags %u, "
      "struct_size %zu: %s, status %d\n",
      (int)strcspn(repeat_line, ":"), repeat_line, d->n, d->x_stride, d->y_stride, d->batch, d->x_dist, d->y_dist,
      (int)d->kind, (int)d->op, (int)d->x_type, (int)d->y_type, d->outer_rank, d->flags, d->struct_size, what, status);
  fail();
  abort(); /* fail() does not return, which compilers do not know */
}

/* Copies it to where no byte may be read that it has not. Of a size that is no struct's only the size is there. */
static const mmscan_desc *placed(struct rng *rng, const mmscan_desc *d) {
  const size_t given = d->struct_size <= LONGEST_STRUCT ? d->struct_size : 0;
  const size_t size = (given > sizeof given ? given + 7 : sizeof given) / 8 * 8;
  unsigned char *at = desc_end - size;
  memset(at, 0, size);
  if (draw_below(rng, 4) == 0) at[size - 1] = (unsigned char)draw(rng);
  return (const mmscan_desc *)(void *)memcpy(at, d, smaller(size, sizeof *d));
}

/* The text ends where it has to, and is empty if all is right. */
static mmscan_status check_text(struct rng *rng, const mmscan_desc *d, const mmscan_desc *at) {
  const size_t size = draw_below(rng, 3) == 0 ? draw_below(rng, 30) : 300;
  char *why = (char *)why_end - size;
  memset(why, 'x', size);
  const mmscan_status status = mmscan_desc_check(at, why, size);
  if (status > MMSCAN_EOVERFLOW) fail_desc(d, "no status", status);
  if (mmscan_desc_check(at, NULL, size) != status) fail_desc(d, "another status without a text", status);
  if (size == 0) return status;
  if (memchr(why, '\0', size) == NULL) fail_desc(d, "the text does not end", status);
  const bool is_nothing = status == MMSCAN_OK && (d->n == 0 || shape_of(d).scans == 0);
  if (status != MMSCAN_OK && size > 1 && why[0] == '\0') fail_desc(d, "there is no text", status);
  if (status == MMSCAN_OK && !is_nothing && why[0] != '\0') fail_desc(d, why, status);
  const bool has_ends = d->kind == MMSCAN_OFFSETS || d->totals || d->outer_rank;
  if (status == MMSCAN_OK && is_nothing && !has_ends && size > 1 && why[0] == '\0')
    fail_desc(d, "nothing is scanned, which the text does not say", status);
  return status;
}

/* What is refused is refused before any array is touched. */
static void check_refused(const mmscan_desc *d, const mmscan_desc *at, mmscan_status status) {
  mmscan_plan *plan = NULL;
  const mmscan_status of_scan = mmscan_scan(at, forbidden, forbidden),
                      of_plan = mmscan_plan_create(&plan, at, MMSCAN_ESTIMATE);
  if (of_scan != status) fail_desc(d, "mmscan_scan() differs from mmscan_desc_check()", of_scan);
  if (of_plan != status || plan) fail_desc(d, "mmscan_plan_create() differs from mmscan_desc_check()", of_plan);
}

static area draw_area(struct rng *rng, wide count, bool has, size_t size) {
  return area_new(draw_below(rng, 2) ? ENDS_PAGE : BEGINS_PAGE, has ? (size_t)count * size : 0, 0);
}

static size_t segments_bytes(const mmscan_segments *s, size_t n) {
  return s->form == MMSCAN_FLAGS    ? n
         : s->form == MMSCAN_STARTS ? (s->count + 1) * ref_type_of(s->type)->size
                                    : n * ref_type_of(s->type)->size;
}

/* By segments, where that may be; of what says where they begin not a byte more is there either. */
static mmscan_status scan_somehow(struct rng *rng, const mmscan_desc *d, const void *x, void *y) {
  if (d->kind == MMSCAN_OFFSETS || d->totals || d->n > MOST_BYTES || draw_below(rng, 2)) return mmscan_scan(d, x, y);
  segments all = segments_draw(rng, d->n);
  area data = draw_area(rng, (wide)segments_bytes(&all.s, d->n), true, 1);
  memcpy(data.data, all.data, data.size);
  area_keep(&data, true);
  all.s.data = data.data;
  const mmscan_status status = mmscan_scan_segments(d, &all.s, x, y);
  area_free(&data);
  segments_free(&all);
  by_segments++;
  return status;
}

/* Scans arrays that are as large as they must be, and not a byte larger. */
static void check_taken(struct rng *rng, const mmscan_desc *at, const shape *s) {
  mmscan_desc d = *at;
  const size_t x_size = ref_type_of(d.x_type)->size, y_size = ref_type_of(d.y_type)->size;
  area x = draw_area(rng, count_of(&s->x), s->has_x, x_size), y = draw_area(rng, count_of(&s->y), s->has_y, y_size);
  area totals = draw_area(rng, s->scans, d.totals != NULL, y_size),
       indices = draw_area(rng, count_of(&s->y), d.indices && s->has_y, sizeof(int64_t));
  area_keep(&x, true);
  if (d.totals) d.totals = totals.data;
  if (d.indices) d.indices = first_of(&indices, &s->y, s->has_y, sizeof(int64_t));
  d.struct_size = sizeof d;
  const mmscan_status status =
      scan_somehow(rng, &d, first_of(&x, &s->x, s->has_x, x_size), first_of(&y, &s->y, s->has_y, y_size));
  if (status != MMSCAN_OK && (status != MMSCAN_EOVERFLOW || !(d.flags & MMSCAN_CHECKED)))
    fail_desc(&d, "mmscan_scan() differs from mmscan_desc_check()", status);
  area *const all[] = {&x, &y, &totals, &indices};
  for (size_t i = 0; i < COUNT(all); i++) area_free(all[i]);
  scanned++;
  with_outer += d.outer_rank > 0;
}

static void check_desc(uint64_t case_seed) {
  struct rng rng = repeat_begin(case_seed);
  const mmscan_desc d = draw_desc(&rng), *at = placed(&rng, &d);
  const mmscan_status status = check_text(&rng, &d, at);
  counts[status]++;
  if (status == MMSCAN_EOVERLAP && d.outer_rank == 0) {
    const shape s = shape_of(&d);
    if (is_small(&s) && !shares_results(&d, &s)) fail_desc(&d, "no two results are in one place", status);
  }
  if (status != MMSCAN_OK) {
    check_refused(&d, at, status);
    return;
  }
  const shape s = shape_of(&d);
  if (!is_small(&s)) return;
  if (shares_results(&d, &s)) fail_desc(&d, "two results are in one place", status);
  check_taken(&rng, &d, &s);
}

/* ---- Many -------------------------------------------------------------------------------------------------------- */

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void print_counts(size_t tried) {
  print_message("%zu descriptions, of which %zu were scanned, %zu with outer dimensions, %zu by segments\n", tried,
                scanned, with_outer, by_segments);
  for (int status = 0; status <= MMSCAN_EOVERFLOW; status++)
    if (counts[status]) print_message("%zu: %s\n", counts[status], mmscan_strerror((mmscan_status)status));
}

TEST(test_any_descriptions) {
  const char *asked = getenv("MMSCAN_TEST_SECONDS");
  const size_t most = repeat_count(SIZE_MAX);
  const double end = seconds() + (asked ? strtod(asked, NULL) : quick() ? 1 : 2);
  size_t k = 0;
  while (k < most && (most < SIZE_MAX || k % 64 != 0 || seconds() < end)) check_desc(seed() + k++);
  print_counts(k);
  if (k < 10000) return; /* a slow machine */
  assert_true(scanned > 0 && by_segments > 0 && counts[MMSCAN_EINVAL] > 0 && counts[MMSCAN_ENOTSUP] > 0 &&
              counts[MMSCAN_EOVERLAP] > 0);
}

int main(void) { return run_all_tests(make_pages, NULL); }
