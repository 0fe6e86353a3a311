/* tallies.h: how often a random test tried what, by name.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TALLIES_H
#define TALLIES_H

#include "test.h"

enum { MOST_TALLIES = 300 };
static struct tally {
  char name[48];
  size_t count;
} tallies[MOST_TALLIES];

static size_t *tally_of(const char *name) {
  size_t i = 0;
  while (i < MOST_TALLIES && tallies[i].name[0] != '\0' && strcmp(tallies[i].name, name) != 0) i++;
  if (i == MOST_TALLIES) fail_msg("more names than MOST_TALLIES");
  snprintf(tallies[i].name, sizeof tallies[i].name, "%s", name);
  return &tallies[i].count;
}

static void count_if(bool is, const char *name) {
  if (is) ++*tally_of(name);
}

static bool has_word(const struct tally *t, const char *word, size_t length) {
  return strncmp(t->name, word, length) == 0 && (t->name[length] == ' ' || t->name[length] == '\0');
}

/* A line for each first word of the names. */
static void print_tallies(void) {
  for (size_t i = 0; i < MOST_TALLIES && tallies[i].name[0] != '\0'; i++) {
    const char *word = tallies[i].name;
    const size_t length = strcspn(word, " ");
    size_t first = 0;
    while (!has_word(&tallies[first], word, length)) first++;
    if (first < i) continue;
    print_message("%.*s:", (int)length, word);
    for (size_t k = i; k < MOST_TALLIES; k++)
      if (has_word(&tallies[k], word, length)) print_message("%s %zu,", tallies[k].name + length, tallies[k].count);
    print_message("\n");
  }
}

#endif
