/* blocks.c: scans an input of any length in memory of a fixed size.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads doubles, as they lie in memory, from standard input; writes their running totals to standard output.
 *
 *   cc blocks.c $(pkg-config --cflags --libs mmscan) -o blocks && ./blocks <x.raw >totals.raw
 */
#include <mmscan.h>
#include <stdio.h>
#include <stdlib.h>

/* A multiple of MMSCAN_MAX_TILE, so that the tiles are those of one call over the whole input, if that is long. */
#define BLOCK ((size_t)8 * MMSCAN_MAX_TILE)

static double block[BLOCK];

int main(void) {
  mmscan_desc desc = {.struct_size = sizeof desc,
                      .x_type = MMSCAN_F64,
                      .y_type = MMSCAN_F64,
                      .op = MMSCAN_PLUS,
                      .kind = MMSCAN_INCLUSIVE,
                      .x_stride = 1,
                      .y_stride = 1,
                      .batch = 1};
  size_t bytes;
  desc.state = calloc(1, mmscan_state_size(&desc)); /* what a double cannot hold of what is carried on */
  if (!desc.state) {
    perror("blocks");
    return 1;
  }
  double carry = -0.0; /* the total of all blocks so far; starts at -0.0, as -0.0 + x is x, even if x is -0.0 */

  while ((bytes = fread(block, 1, sizeof block, stdin)) > 0) {
    if (bytes % sizeof *block != 0) {
      fprintf(stderr, "blocks: the input ends within an element\n");
      return 1;
    }
    desc.n = bytes / sizeof *block;
    mmscan_status status = mmscan_scan_block(&desc, block, block, &carry);
    if (status != MMSCAN_OK) {
      const char *environment = mmscan_environment_error();
      fprintf(stderr, "blocks: %s\n", environment ? environment : mmscan_strerror(status));
      return 1;
    }
    if (fwrite(block, sizeof *block, desc.n, stdout) != desc.n) break; /* the error stays set for the check below */
  }
  if (ferror(stdin) || ferror(stdout) || fflush(stdout) != 0) {
    perror("blocks");
    return 1;
  }
  fprintf(stderr, "total: %.17g\n", carry + 0.0);
  free(desc.state);
  return 0;
}
