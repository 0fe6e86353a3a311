/* cumsum.c: the simplest calls of libmmscan, a running total in place and offsets from counts.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *   cc cumsum.c $(pkg-config --cflags --libs mmscan) -o cumsum && ./cumsum
 */
#include <inttypes.h>
#include <mmscan.h>
#include <stdio.h>

/* A running total: what was paid up to and including each month. */
static mmscan_status running_total(void) {
  double paid[] = {120.5, 80.0, 99.25, 130.0, 75.25, 110.0};
  size_t n = sizeof paid / sizeof *paid;

  mmscan_status status = mmscan_inclusive_f64(n, paid, paid); /* in place: x == y */
  if (status != MMSCAN_OK) return status;

  printf("paid so far:");
  for (size_t i = 0; i < n; i++) printf(" %g", paid[i]);
  printf("\n");
  return MMSCAN_OK;
}

/* Offsets from counts: row r of a table holds count[r] entries, and all rows lie in one array, one after the other. Row
 * r starts where the rows before it end: at the exclusive scan of the counts. One count of zero after the last row
 * makes its offset the size of the array. */
static mmscan_status offsets(void) {
  const uint64_t count[] = {3, 0, 4, 1, 5, 0 /* after the last row */};
  uint64_t offset[sizeof count / sizeof *count];
  size_t rows = sizeof count / sizeof *count - 1;

  mmscan_status status = mmscan_exclusive_u64(rows + 1, 0, count, offset);
  if (status != MMSCAN_OK) return status;

  for (size_t r = 0; r < rows; r++) printf("row %zu: [%" PRIu64 ", %" PRIu64 ")\n", r, offset[r], offset[r + 1]);
  printf("entries in all: %" PRIu64 "\n", offset[rows]);
  return MMSCAN_OK;
}

int main(void) {
  mmscan_status status = running_total();
  if (status == MMSCAN_OK) status = offsets();
  if (status == MMSCAN_OK) {
    if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
    perror("cumsum");
    return 1;
  }

  const char *environment = mmscan_environment_error();
  fprintf(stderr, "cumsum: %s\n", environment ? environment : mmscan_strerror(status));
  return 1;
}
