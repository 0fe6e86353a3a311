/* sample.c: draws items by weight from prefix sums, which must not fall.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *   cc sample.c $(pkg-config --cflags --libs mmscan) -o sample && ./sample
 *
 * Item i has weight w[i] and the interval from the prefix sum before it up to its own. A random number below the total
 * lies in the interval of the item that is drawn, which binary search finds: the first item whose prefix sum is above
 * the number. Floats are rounded, and a scan that groups them may give a prefix sum that is below the one before it, on
 * which binary search may go astray, or one that rises by an item of weight 0, which may then be drawn.
 * MMSCAN_MONOTONE rules out both. Here 10^6 items are drawn from 10^7, half of which have weight 0, by a plain scan and
 * by a monotone one. The exit status is 0 if nothing is wrong by the latter.
 */
#include <mmscan.h>
#include <stdio.h>
#include <stdlib.h>

enum { ITEMS = 10000000, DRAWS = 1000000 };

/* What goes wrong. */
struct wrong {
  size_t falls;  /* prefix sums that are below the one before */
  size_t nobody; /* draws of an item of weight 0 */
};

/* A random number from 0 to 1, without 1: the next of a sequence that is the same in each run (xorshift64*). */
static double next_random(uint64_t *state) {
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return (double)(*state * UINT64_C(0x2545F4914F6CDD1D) >> 11) / 9007199254740992.0; /* 2^53 */
}

static void set_weights(float *w) {
  uint64_t state = 1;
  for (size_t i = 0; i < ITEMS; i++) {
    const double random = next_random(&state);
    w[i] = random < 0.5 ? 0 : (float)random;
  }
}

/* The first item whose prefix sum is above the number, or the last item. */
static size_t find(const float *prefix, double number) {
  size_t first = 0, count = ITEMS - 1;
  while (count > 0) {
    const size_t half = count / 2;
    if ((double)prefix[first + half] > number) {
      count = half;
    } else {
      first += half + 1;
      count -= half + 1;
    }
  }
  return first;
}

static struct wrong draw(const float *w, const float *prefix) {
  const double total = (double)prefix[ITEMS - 1];
  struct wrong wrong = {0, 0};
  uint64_t state = 2;
  for (size_t i = 1; i < ITEMS; i++) wrong.falls += prefix[i] < prefix[i - 1];
  for (size_t k = 0; k < DRAWS; k++) wrong.nobody += w[find(prefix, next_random(&state) * total)] == 0;
  return wrong;
}

static mmscan_status scan_and_draw(const char *name, unsigned flags, const float *w, float *prefix,
                                   struct wrong *wrong) {
  mmscan_desc desc = MMSCAN_DESC(MMSCAN_F32, MMSCAN_PLUS, MMSCAN_INCLUSIVE, ITEMS);
  desc.flags = flags;
  const mmscan_status status = mmscan_scan(&desc, w, prefix);
  if (status != MMSCAN_OK) return status;
  *wrong = draw(w, prefix);
  printf("%-8s %zu of %d prefix sums fall, %zu of %d draws are of weight 0\n", name, wrong->falls, ITEMS, wrong->nobody,
         DRAWS);
  return MMSCAN_OK;
}

int main(void) {
  float *w = malloc(ITEMS * sizeof *w), *prefix = malloc(ITEMS * sizeof *prefix);
  struct wrong wrong = {0, 0};
  mmscan_status status = w && prefix ? MMSCAN_OK : MMSCAN_ENOMEM;
  if (status == MMSCAN_OK) {
    set_weights(w);
    status = scan_and_draw("plain", 0, w, prefix, &wrong);
  }
  if (status == MMSCAN_OK) status = scan_and_draw("monotone", MMSCAN_MONOTONE, w, prefix, &wrong);
  free(w);
  free(prefix);
  if (fflush(stdout) != 0 || ferror(stdout)) {
    perror("sample");
    return 1;
  }
  if (status == MMSCAN_OK) return wrong.falls + wrong.nobody > 0;
  const char *environment = mmscan_environment_error();
  fprintf(stderr, "sample: %s\n", environment ? environment : mmscan_strerror(status));
  return 1;
}
