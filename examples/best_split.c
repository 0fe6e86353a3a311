/* best_split.c: which question about a diamond tells most of its price?
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *   best_split TABLE.CSV COLUMN
 *
 * This is how a node is split when gradient-boosted trees are trained: rows are put in the order of a column, gradients
 * are added up in that order, and each sum says what a split after that row would gain. With squared errors a row's
 * gradient is what its mean leaves of it, and of k rows on the left whose gradients come to s, and n - k on the right,
 * the sum of squares falls by s^2 / k + s^2 / (n - k) if each side has a mean of its own. The best split of each column
 * is printed, and what part of the sum of squares it takes away.
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
  char *heading, **name; /* in the heading */
  double *value;
} table;

static void table_free(table *t) {
  free(t->heading);
  free(t->name);
  free(t->value);
}

/* The names of the heading, which ends each of them. */
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

/* A row of as many numbers as there are names; false where it is not, or there is no memory for it. A zero byte would
 * hide what follows it. */
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

/* True, and *t is to be freed; or says what is wrong. */
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

/* Rows below `at` go to the left. gain: what the sum of squares falls by; 0 where no two values differ. */
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

/* Above the lower value, and not above the higher one. */
static double between(double low, double high) {
  const double middle = low / 2 + high / 2;
  return middle > low ? middle : high;
}

/* Of rows in order, whose gradients so far come to sum[i]. */
static void find_best(size_t n, const row *rows, const double *sum, question *best) {
  for (size_t k = 1; k < n; k++) {
    if (rows[k - 1].value == rows[k].value) continue;
    const double s = sum[k - 1], gain = s * s / (double)k + s * s / (double)(n - k);
    if (!(gain > best->gain)) continue;
    best->gain = gain;
    best->at = between(rows[k - 1].value, rows[k].value);
  }
}

/* What a column's rows are over its first one, which is nothing at all where they are alike. */
static double over_first(const table *t, size_t column, size_t i) {
  return t->value[i * t->columns + column] - t->value[column];
}

/* The mean of that. */
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

/* The best question about a column, to tell another. rows, sum: room for as many as the table has. */
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
  printf("What one question takes away of the squared errors of %s:\n", told);
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
