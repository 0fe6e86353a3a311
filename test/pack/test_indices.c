/* test_indices.c: where maxima stand, found by their bits alone, against a loop that looks at the elements.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "pack/storages.h"
#include "support/test.h"

enum { MOST = 1200, MOST_STRIDE = 3 };

/* A scan of n elements with its results and their indices, in the order of the scan. */
struct scan {
  mms_indices of;
  uint64_t before, after, results[MOST];
  int64_t want[MOST], last;
};

/* The element that stands at place k of a scan, from the lowest address on. */
static size_t place(const mms_indices *of, size_t k) { return of->reverse ? of->n - 1 - k : k; }

static int64_t index_of(const mms_indices *of, size_t k) { return of->at + (int64_t)place(of, k) * of->step; }

/* Maxima, of which one in `rare` elements or so is new. The one that is forced has the value of that before it. */
static void loop(struct scan *s, size_t rare, struct rng *rng) {
  uint64_t most = s->before;
  int64_t index = s->last;
  for (size_t k = 0; k < s->of.n; k++) {
    const bool rises = k != s->of.forced && draw_below(rng, rare) == 0;
    if (s->of.exclusive) s->results[k] = most, s->want[k] = index;
    most += rises;
    if (rises || k == s->of.forced) index = index_of(&s->of, k);
    if (!s->of.exclusive) s->results[k] = most, s->want[k] = index;
  }
  s->after = most;
  s->last = index;
}

/* The results, at a multiple of 4. */
static struct buffer store(const struct scan *s) {
  struct buffer y = buffer_new(s->of.n * s->of.size, 4);
  for (size_t k = 0; k < s->of.n; k++) memcpy(y.data + place(&s->of, k) * s->of.size, &s->results[k], s->of.size);
  return y;
}

/* first: the index of the carry in. */
static void check_write(struct scan *s, const char *isa, mms_write_indices *write, int64_t first) {
  static int64_t to[MOST * MOST_STRIDE];
  const ptrdiff_t stride = s->of.to_stride;
  memset(to, GUARD_BYTE, sizeof to);
  s->of.to = stride < 0 ? to - (ptrdiff_t)(s->of.n - 1) * stride : to;
  const int64_t last = write(&s->of, &s->before, first, &s->after);
  for (size_t k = 0; k < s->of.n; k++) {
    int64_t *at = s->of.to + (ptrdiff_t)place(&s->of, k) * stride;
    if (*at != s->want[k])
      fail_seeded(
          "%s, %zu bytes, n = %zu, reverse %d, exclusive %d, forced %zu, stride %td: result %zu is of %lld, not %lld",
          isa, s->of.size, s->of.n, s->of.reverse, s->of.exclusive, s->of.forced, stride, k, (long long)*at,
          (long long)s->want[k]);
    memset(at, GUARD_BYTE, sizeof *at);
  }
  assert_true(all_guard((unsigned char *)to, (unsigned char *)(to + COUNT(to))));
  if (last != s->last)
    fail_seeded("%s, %zu bytes, n = %zu, reverse %d, exclusive %d, forced %zu: the carry is of %lld, not %lld", isa,
                s->of.size, s->of.n, s->of.reverse, s->of.exclusive, s->of.forced, (long long)last, (long long)s->last);
}

/* By every instruction set, and by the one that is chosen. */
static void check(struct scan *s, size_t rare, struct rng *rng) {
  const int64_t first = s->last;
  const char *isa;
  const mms_storages *all;
  loop(s, rare, rng);
  struct buffer y = store(s);
  s->of.y = y.data;
  check_write(s, "the best", mms_indices_write, first);
  for (size_t k = 0; (all = mms_storages_at(k, &isa)) != NULL; k++)
    check_write(s, isa, s->of.size == 4 ? all->write_4 : all->write_8, first);
  assert_true(buffer_intact(&y));
  buffer_free(&y);
}

static void print_sets(void) {
  const char *isa;
  const mms_storages *all;
  for (size_t k = 0; (all = mms_storages_at(k, &isa)) != NULL; k++)
    print_message("%s: %s\n", isa,
                  all != &mms_storages_portable || strcmp(isa, "portable") == 0 ? "ran"
                                                                                : "skipped, as it does not run");
}

TEST(test_write) {
  static const ptrdiff_t strides[] = {1, 2, -1, -3};
  struct rng rng = rng_of(1);
  print_sets();
  for (size_t n = 1; n <= MOST; n++)
    for (int which = quick() ? (int)n % 3 : 0; which < 64; which += quick() ? 3 : 1) {
      struct scan s = {.before = UINT64_MAX - 5 - draw_below(&rng, 2 * MOST), .last = which & 8 ? -1 : 4};
      s.of = (mms_indices){.size = which & 1 ? 4 : 8,
                           .n = n,
                           .reverse = which & 2,
                           .exclusive = which & 4,
                           .forced = which & 8 ? draw_below(&rng, n) : n,
                           .at = which & 2 ? 1000 : 10,
                           .step = which & 2 ? -7 : 1,
                           .to_stride = strides[which >> 4]};
      check(&s, (size_t)1 << draw_below(&rng, 7), &rng);
    }
}

/* Of equal ones, the first in the order of the scan. */
TEST(test_find) {
  struct rng rng = rng_of(2);
  for (size_t n = 0; n <= MOST; n++)
    for (int which = 0; which < 16; which++) {
      const size_t size = which & 1 ? 4 : 8, values = which & 4 ? 3 : 1000;
      const bool reverse = which & 2;
      const uint64_t value = draw_below(&rng, values) << 60 >> (which & 8 ? 30 : 60);
      struct buffer x = buffer_new(n * size, 4);
      size_t want = n;
      for (size_t k = 0; k < n; k++) {
        const size_t i = reverse ? n - 1 - k : k;
        const uint64_t element = draw_below(&rng, values) << 60 >> (which & 8 ? 30 : 60);
        memcpy(x.data + i * size, &element, size);
        if (want == n && memcmp(&element, &value, size) == 0) want = i;
      }
      assert_int_equal(mms_indices_find(size, n, x.data, reverse, &value), want);
      buffer_free(&x);
    }
}

int main(void) { return run_all_tests(NULL, NULL); }
