/* best_split.c: which question about a diamond tells most about its price?
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *   best_split TABLE.CSV COLUMN
 *
 * This is how training splits a node of gradient-boosted trees: sort the rows by a column, add up their gradients in
 * that order, and each running total gives the gain of a split after that row. With squared errors, the gradient of a
 * row is its deviation from the mean. If the gradients of the k rows on the left add up to s, and each side gets its
 * own mean, the sum of squares falls by s^2 / k + s^2 / (n - k). The best split by each column is printed, with the
 * part of the sum of squares that it removes.
 *
 * T. Chen and C. Guestrin, "XGBoost: a scalable tree boosting system" (2016), Alg. 1.
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <mmscan.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

/* Numbers below a line of names: value[row * columns + column]. */
typedef struct table {
  size_t columns, rows, room;
  char *heading, **name; /* name[j] points into heading */
  double *value;
} table;

static void table_free(table *t) {
  free(t->heading);
  free(t->name);
  free(t->value);
}

/* Splits the heading at its commas, in place, into the names. */
static bool take_names(table *t) {
  char *next = t->heading;
  next[strcspn(next, "\r\n")] = '\0';
  t->columns = 1;
  for (const char *c = next; *c; c++) t->columns += *c == ',';
  t->name = malloc(t->columns * sizeof *t->name);
  for (size_t j = 0; t->name && j < t->columns; j++) {
    t->name[j] = next;
    next += strcspn(next, ",");
    if (*next) *next++ = '\0';
  }
  return t->name != NULL;
}

/* Appends a row of as many numbers as there are names; false if the line is not one, or memory is short. A zero byte
 * would hide what follows it. */
static bool take_row(table *t, const char *line, size_t size) {
  if (strlen(line) != size) return false;
  if (t->rows == t->room) {
    const size_t room = 2 * t->room + 1024;
    double *more = realloc(t->value, room * t->columns * sizeof *more);
    if (!more) return false;
    t->value = more;
    t->room = room;
  }
  double *row = t->value + t->rows * t->columns;
  for (size_t j = 0; j < t->columns; j++) {
    char *end;
    row[j] = strtod(line, &end);
    const bool is_last = j == t->columns - 1;
    if (end == line || !isfinite(row[j]) || (is_last ? end[strspn(end, "\r\n")] != '\0' : *end != ',')) return false;
    line = end + 1;
  }
  t->rows++;
  return true;
}

static bool read_lines(table *t, FILE *file) {
  size_t room = 0;
  char *line = NULL;
  bool is_right = getline(&t->heading, &room, file) > 0 && take_names(t);
  room = 0;
  for (ssize_t size; is_right && (size = getline(&line, &room, file)) > 0;) is_right = take_row(t, line, (size_t)size);
  free(line);
  return is_right && t->rows > 0 && feof(file);
}

/* Returns true and a table to be freed; or says what is wrong and returns false. */
static bool table_read(table *t, const char *path) {
  *t = (table){.heading = NULL};
  FILE *file = fopen(path, "r");
  if (!file) {
    perror(path);
    return false;
  }
  const bool is_right = read_lines(t, file);
  fclose(file);
  if (is_right) return true;
  fprintf(stderr, "%s: row %zu is not a number for each name above, or cannot be read\n", path, t->rows + 1);
  table_free(t);
  return false;
}

/* ---- Splitting --------------------------------------------------------------------------------------------------- */

typedef struct row {
  double value, gradient;
} row;

/* Rows with a value below `at` go left. gain: how much the sum of squares falls; 0 if all values are equal. */
typedef struct question {
  const char *name;
  double at, gain;
} question;

static int by_value(const void *a, const void *b) {
  const double x = ((const row *)a)->value, y = ((const row *)b)->value;
  return (x > y) - (x < y);
}

static int by_gain(const void *a, const void *b) {
  const double x = ((const question *)a)->gain, y = ((const question *)b)->gain;
  return (x < y) - (x > y);
}

/* A value above low, and not above high. */
static double between(double low, double high) {
  const double middle = low / 2 + high / 2;
  return middle > low ? middle : high;
}

/* The best split of sorted rows. sum[i] is the total of the gradients of rows 0 to i. */
static void find_best(size_t n, const row *rows, const double *sum, question *best) {
  for (size_t k = 1; k < n; k++) {
    if (rows[k - 1].value == rows[k].value) continue;
    const double s = sum[k - 1], gain = s * s / (double)k + s * s / (double)(n - k);
    if (!(gain > best->gain)) continue;
    best->gain = gain;
    best->at = between(rows[k - 1].value, rows[k].value);
  }
}

/* Row i of a column less row 0, which is exactly 0 if all rows are equal. */
static double over_first(const table *t, size_t column, size_t i) {
  return t->value[i * t->columns + column] - t->value[column];
}

/* The mean of over_first() over all rows. */
static double mean_of(const table *t, size_t column) {
  double sum = 0;
  for (size_t i = 0; i < t->rows; i++) sum += over_first(t, column, i);
  return sum / (double)t->rows;
}

static double squares_of(const table *t, size_t column) {
  const double mean = mean_of(t, column);
  double squares = 0;
  for (size_t i = 0; i < t->rows; i++) squares += pow(over_first(t, column, i) - mean, 2);
  return squares;
}

/* The best question about `column` to predict the column `told`. rows, sum: room for as many as the table has rows. */
static mmscan_status ask(const table *t, size_t column, size_t told, row *rows, double *sum, question *best) {
  const double mean = mean_of(t, told);
  for (size_t i = 0; i < t->rows; i++)
    rows[i] = (row){.value = t->value[i * t->columns + column], .gradient = over_first(t, told, i) - mean};
  qsort(rows, t->rows, sizeof *rows, by_value);
  for (size_t i = 0; i < t->rows; i++) sum[i] = rows[i].gradient;
  const mmscan_status status = mmscan_inclusive_f64(t->rows, sum, sum); /* in place */
  *best = (question){.name = t->name[column]};
  if (status == MMSCAN_OK) find_best(t->rows, rows, sum, best);
  return status;
}

/* ---- The answer -------------------------------------------------------------------------------------------------- */

static void print(const char *told, double squares, question *questions, size_t count) {
  qsort(questions, count, sizeof *questions, by_gain);
  printf("The share of the squared errors of %s that one question removes:\n", told);
  for (size_t i = 0; i < count; i++)
    if (questions[i].gain > 0)
      printf("%5.1f %%  %s < %.10g\n", 100 * questions[i].gain / squares, questions[i].name, questions[i].at);
}

static mmscan_status ask_all(const table *t, size_t told) {
  row *rows = malloc(t->rows * sizeof *rows);
  double *sum = malloc(t->rows * sizeof *sum);
  question *questions = malloc(t->columns * sizeof *questions);
  mmscan_status status = rows && sum && questions ? MMSCAN_OK : MMSCAN_ENOMEM;
  size_t count = 0;
  for (size_t j = 0; j < t->columns && status == MMSCAN_OK; j++)
    if (j != told) status = ask(t, j, told, rows, sum, &questions[count++]);
  if (status == MMSCAN_OK) print(t->name[told], squares_of(t, told), questions, count);
  free(questions);
  free(sum);
  free(rows);
  return status;
}

static int answer(const table *t, const char *name) {
  size_t told = 0;
  while (told < t->columns && strcmp(t->name[told], name) != 0) told++;
  if (told == t->columns) {
    fprintf(stderr, "best_split: there is no column %s\n", name);
    return 1;
  }
  if (!isfinite(squares_of(t, told))) {
    fprintf(stderr, "best_split: %s has numbers that are too large\n", name);
    return 1;
  }
  const mmscan_status status = ask_all(t, told);
  if (status == MMSCAN_OK) return 0;
  const char *environment = mmscan_environment_error();
  fprintf(stderr, "best_split: %s\n", environment ? environment : mmscan_strerror(status));
  return 1;
}

int main(int count, char **argument) {
  if (count != 3) {
    fprintf(stderr, "Usage: best_split TABLE.CSV COLUMN\n");
    return 2;
  }
  table t;
  if (!table_read(&t, argument[1])) return 1;
  const int failed = answer(&t, argument[2]);
  table_free(&t);
  if (failed) return 1;
  if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
  perror("best_split");
  return 1;
}
