/* box_filter.c: where are most diamonds? A picture of them, smoothed by a box filter.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *   box_filter DIAMONDS.CSV [RADIUS [SMOOTH.PGM]]
 *
 * Each pixel counts the diamonds of a carat, across, and of a price, upwards. The filter replaces it by the mean of the
 * box of 2 RADIUS + 1 by 2 RADIUS + 1 pixels around it, cut off at the borders. By the integral image every sum over a
 * box takes four numbers, so a large box takes no longer than a small one:
 *
 *   F. C. Crow, "Summed-area tables for texture mapping", SIGGRAPH 1984.
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <mmscan.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 256, COLUMNS = 256, DOLLARS = 75 /* of a row */, MOST_RADIUS = 255 };
#define CARAT 0.01 /* of a column */

static struct {
  size_t diamonds, outside;
  uint16_t pixel[ROWS][COLUMNS];
  uint32_t sum[ROWS + 1][COLUMNS + 1];
  double mean[ROWS][COLUMNS];
} image;

/* ---- The picture ------------------------------------------------------------------------------------------------- */

/* Counts a diamond; 0 if the line does not begin with a carat and have a price as its seventh number. */
static int count_diamond(const char *line) {
  double carat, price;
  if (sscanf(line, "%lf,%*f,%*f,%*f,%*f,%*f,%lf", &carat, &price) != 2 || !(carat >= 0 && price >= 0)) return 0;
  const double column = floor(carat / CARAT + 0.5), row = floor(price / DOLLARS);
  image.diamonds++;
  if (column < COLUMNS && row < ROWS && image.pixel[(int)row][(int)column] < UINT16_MAX)
    image.pixel[(int)row][(int)column]++;
  else
    image.outside++;
  return 1;
}

/* Returns 0, or -1 and says what is wrong. */
static int read_csv(const char *path) {
  FILE *file = fopen(path, "r");
  char *line = NULL;
  size_t room = 0;
  if (!file) {
    perror(path);
    return -1;
  }
  int is_right = getline(&line, &room, file) > 0; /* the names */
  while (is_right && getline(&line, &room, file) > 0) is_right = count_diamond(line);
  is_right = is_right && feof(file) && image.diamonds > 0;
  free(line);
  fclose(file);
  if (!is_right) fprintf(stderr, "%s: row %zu is no diamond, or cannot be read\n", path, image.diamonds + 1);
  return is_right ? 0 : -1;
}

/* ---- The filter -------------------------------------------------------------------------------------------------- */

static mmscan_status sum_up(void) {
  const mmscan_integral_desc desc = {.struct_size = sizeof desc,
                                     .x_type = MMSCAN_U16,
                                     .y_type = MMSCAN_U32,
                                     .border = 1,
                                     .rows = ROWS,
                                     .columns = COLUMNS,
                                     .batch = 1,
                                     .x_ld = COLUMNS,
                                     .y_ld = COLUMNS + 1};
  return mmscan_integral(&desc, image.pixel, image.sum);
}

static int limit(int value, int most) { return value < 0 ? 0 : value > most ? most : value; }

/* The diamonds in the box around a pixel, which has *area pixels. */
static uint32_t box(int row, int column, int radius, int *area) {
  const int r1 = limit(row - radius, ROWS), r2 = limit(row + radius + 1, ROWS);
  const int c1 = limit(column - radius, COLUMNS), c2 = limit(column + radius + 1, COLUMNS);
  *area = (r2 - r1) * (c2 - c1);
  return image.sum[r2][c2] - image.sum[r1][c2] - image.sum[r2][c1] + image.sum[r1][c1];
}

/* Smooths the picture, and prints where a box has most diamonds. */
static void smooth(int radius) {
  uint32_t most = 0;
  int best_row = 0, best_column = 0;
  for (int row = 0; row < ROWS; row++) {
    for (int column = 0; column < COLUMNS; column++) {
      int area;
      const uint32_t count = box(row, column, radius, &area);
      image.mean[row][column] = (double)count / area;
      if (count > most) most = count, best_row = row, best_column = column;
    }
  }
  const int r1 = limit(best_row - radius, ROWS), r2 = limit(best_row + radius + 1, ROWS);
  const int c1 = limit(best_column - radius, COLUMNS), c2 = limit(best_column + radius, COLUMNS - 1);
  printf("%zu diamonds, of which %zu are outside of the picture\n", image.diamonds, image.outside);
  printf("most are in the box of %.2f to %.2f carat and %d to %d dollars: %u\n", c1 * CARAT, c2 * CARAT, r1 * DOLLARS,
         r2 * DOLLARS - 1, (unsigned)most);
}

/* ---- Drawing ----------------------------------------------------------------------------------------------------- */

/* From 0 to 1, by the logarithm, as a few pixels have hundreds of diamonds. */
static double shade(int row, int column) {
  static const double most = 1000;
  const double dark = log1p(10 * image.mean[row][column]) / log1p(10 * most);
  return dark < 1 ? dark : 1;
}

static void draw_text(void) {
  enum { DOWN = 12, ACROSS = 4 };
  static const char ink[] = " .:-=+*#%@";
  for (int row = ROWS - DOWN / 2; row >= 0; row -= DOWN) {
    for (int column = ACROSS / 2; column < COLUMNS; column += ACROSS)
      putchar(ink[(int)(shade(row, column) * (double)(sizeof ink - 2) + 0.5)]);
    printf("|%d\n", row * DOLLARS);
  }
}

/* Returns 0, or -1 and says what is wrong. */
static int draw_pgm(const char *path) {
  FILE *file = fopen(path, "wb");
  if (!file) {
    perror(path);
    return -1;
  }
  fprintf(file, "P5\n%d %d\n255\n", COLUMNS, ROWS);
  for (int row = ROWS - 1; row >= 0; row--)
    for (int column = 0; column < COLUMNS; column++) putc(255 - (int)(255 * shade(row, column) + 0.5), file);
  const int failed = ferror(file);
  if (fclose(file) == 0 && !failed) return 0;
  fprintf(stderr, "%s: could not be written\n", path);
  return -1;
}

static int analyse(int radius, const char *pgm) {
  const mmscan_status status = sum_up();
  if (status != MMSCAN_OK) {
    const char *environment = mmscan_environment_error();
    fprintf(stderr, "box_filter: %s\n", environment ? environment : mmscan_strerror(status));
    return -1;
  }
  smooth(radius);
  draw_text();
  return pgm ? draw_pgm(pgm) : 0;
}

int main(int argc, char **argv) {
  char *end = NULL;
  const long radius = argc > 2 ? strtol(argv[2], &end, 10) : 4;
  if (argc < 2 || argc > 4 || strcmp(argv[1], "--help") == 0 || (end && (*end != '\0' || end == argv[2])) ||
      radius < 0 || radius > MOST_RADIUS) {
    fprintf(stderr, "usage: box_filter DIAMONDS.CSV [RADIUS [SMOOTH.PGM]]\n");
    return 2;
  }
  if (read_csv(argv[1]) != 0 || analyse((int)radius, argc == 4 ? argv[3] : NULL) != 0) return 1;
  if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
  perror("box_filter");
  return 1;
}
