/* radix_sort.c: sorts whole numbers by prefix sums.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *   radix_sort < NUMBERS
 *
 * Reads whole numbers below 2^32 and writes them in ascending order, one per line. For each bit, the lowest first,
 * numbers with the bit clear are moved before those with the bit set; within each group they keep their order. With
 * flags that are 1 for numbers with the bit clear, and else 0, the exclusive scan of the flags counts such numbers
 * before number i. That count is the new place of number i if its bit is clear; those with the bit set follow after the
 * last of these. After G. E. Blelloch, "Prefix sums and their applications" (1990), Sec. 1.3.
 */
#include <inttypes.h>
#include <mmscan.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DIGITS = 19 }; /* of a number in the input; 2^64 has more */

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

/* Makes room for one more number after the first n; false, with nothing changed, if there is no memory. Places are
 * stored as numbers below 2^32, too, which limits n. */
static bool make_room(uint32_t **number, size_t n, size_t *room) {
  if (n == UINT32_MAX) return false;
  if (n < *room) return true;
  const size_t wanted = 2 * *room + 1024;
  uint32_t *more = realloc(*number, wanted * sizeof **number);
  if (!more) return false;
  *number = more;
  *room = wanted;
  return true;
}

/* Whether a word of `size` characters is nothing but digits, and its number fits. */
static bool is_number(const char *word, size_t size, uint32_t *number) {
  const size_t digits = strspn(word, "0123456789");
  const uint64_t value = digits <= MAX_DIGITS ? strtoull(word, NULL, 10) : UINT64_MAX;
  *number = (uint32_t)value;
  return digits == size && value <= UINT32_MAX;
}

/* Returns the numbers of standard input, to be freed; or says what is wrong and returns NULL. */
static uint32_t *read_numbers(size_t *n) {
  uint32_t *number = NULL;
  size_t room = 0;
  char word[MAX_DIGITS + 2]; /* scanf: one character more than the most digits */
  int before, end;
  *n = 0;
  bool is_right = true, has_room;
  while ((has_room = make_room(&number, *n, &room)) && scanf(" %n%20s%n", &before, word, &end) == 1 &&
         (is_right = is_number(word, (size_t)(end - before), &number[*n])))
    ++*n;
  if (has_room && is_right && feof(stdin)) return number;
  fprintf(stderr, "radix_sort: number %zu is not a whole number below 2^32, is one too many, or cannot be read\n",
          *n + 1);
  free(number);
  return NULL;
}

/* ---- Sorting ----------------------------------------------------------------------------------------------------- */

/* Writes the numbers with the bit clear, then those with it set; n > 0. place: room for n numbers. */
static mmscan_status split(size_t n, unsigned bit, const uint32_t *from, uint32_t *to, uint32_t *place) {
  for (size_t i = 0; i < n; i++) place[i] = !(from[i] >> bit & 1);
  const uint32_t last = place[n - 1];
  const mmscan_status status = mmscan_exclusive_u32(n, 0, place, place); /* in place */
  if (status != MMSCAN_OK) return status;
  const size_t without = place[n - 1] + last;
  for (size_t i = 0; i < n; i++) to[from[i] >> bit & 1 ? without + (i - place[i]) : place[i]] = from[i];
  return MMSCAN_OK;
}

/* The bits that are set in any number. */
static uint32_t bits_of(size_t n, const uint32_t *number) {
  uint32_t bits = 0;
  for (size_t i = 0; i < n; i++) bits |= number[i];
  return bits;
}

/* room: for 2 n numbers. *sorted: where the sorted numbers are. */
static mmscan_status sort(size_t n, uint32_t *number, uint32_t *room, const uint32_t **sorted) {
  uint32_t *from = number, *to = room;
  for (uint32_t bits = bits_of(n, number), bit = 0; bits >> bit > 0; bit++) {
    const mmscan_status status = split(n, bit, from, to, room + n);
    if (status != MMSCAN_OK) return status;
    uint32_t *const other = from;
    from = to;
    to = other;
    if (bit == 31) break;
  }
  *sorted = from;
  return MMSCAN_OK;
}

/* ---- The answer -------------------------------------------------------------------------------------------------- */

static int sort_and_print(size_t n, uint32_t *number) {
  uint32_t *room = n > 0 ? calloc(2 * n, sizeof *room) : NULL;
  const uint32_t *sorted = number;
  const mmscan_status status = n == 0 ? MMSCAN_OK : room ? sort(n, number, room, &sorted) : MMSCAN_ENOMEM;
  for (size_t i = 0; i < n && status == MMSCAN_OK; i++) printf("%" PRIu32 "\n", sorted[i]);
  free(room);
  if (status == MMSCAN_OK) return 0;
  const char *environment = mmscan_environment_error();
  fprintf(stderr, "radix_sort: %s\n", environment ? environment : mmscan_strerror(status));
  return 1;
}

int main(int count, char **argument) {
  if (count > 1) {
    fprintf(stderr, "%s: unexpected\nUsage: radix_sort < NUMBERS\n", argument[1]);
    return 2;
  }
  size_t n;
  uint32_t *number = read_numbers(&n);
  if (!number) return 1;
  const int failed = sort_and_print(n, number);
  free(number);
  if (failed) return 1;
  if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
  perror("radix_sort");
  return 1;
}
