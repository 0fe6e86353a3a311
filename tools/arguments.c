/* arguments.c: parsing of command lines, shared by the subcommands.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "arguments.h"
#include "message.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int print_help(const char *help) { return fputs(help, stdout) < 0 ? FAILED : DONE; }

int no_more_arguments(const char *subcommand, int argc, char **argv) {
  return optind < argc ? wrong_usage(subcommand, "unexpected argument '%s'", argv[optind]) : DONE;
}

int name_option(const char *subcommand, const char *option, const char *name, const char *const *names, size_t *index) {
  char all[256] = "";
  size_t length = 0;
  for (*index = 0; names[*index] != NULL; ++*index) {
    if (strcmp(names[*index], name) == 0) return DONE;
    if (length < sizeof all)
      length += (size_t)snprintf(all + length, sizeof all - length, "%s%s", length > 0 ? ", " : "", names[*index]);
  }
  return wrong_usage(subcommand, "%s: '%s' is not one of %s", option, name, all);
}

int element_option(const char *subcommand, const char *name, const element **type) {
  enum { MOST = 32 };
  const char *names[MOST] = {NULL};
  size_t index;
  for (int i = 0; element_at(i) != NULL && i < MOST - 1; i++) names[i] = element_at(i)->name;
  const int status = name_option(subcommand, "--type", name, names, &index);
  *type = status == DONE ? element_at((int)index) : NULL;
  return status;
}

int operator_option(const char *subcommand, const char *option, const char *name, mmscan_op *op) {
  enum { MOST = 32 };
  const char *names[MOST] = {NULL};
  size_t index;
  for (int i = 0; i < MOST - 1 && (names[i] = element_operator(i, op)) != NULL; i++) continue;
  const int status = name_option(subcommand, option, name, names, &index);
  if (status == DONE) element_operator((int)index, op);
  return status;
}

/* Reads a whole number without a sign; one that is too large as SIZE_MAX. */
static bool read_number(const char *text, size_t *value) {
  scalar number;
  const parsed how =
      isdigit((unsigned char)*text) ? element_parse(element_by_name("u64"), text, &number) : NOT_A_NUMBER;
  *value = how == PARSED ? (size_t)number.u64 : SIZE_MAX;
  return how == PARSED || how == OUT_OF_RANGE;
}

int number_option(const char *subcommand, const char *option, const char *text, size_t least, size_t most,
                  size_t *value) {
  if (read_number(text, value) && *value >= least && *value <= most) return DONE;
  return wrong_usage(subcommand, "%s: '%s' is not a whole number from %zu to %zu", option, text, least, most);
}

/* Sets *power to base^exponent; false if that exceeds most. */
static bool power_of(size_t base, size_t exponent, size_t most, size_t *power) {
  *power = 1;
  if (base <= 1) exponent = exponent > 0;
  for (; exponent > 0; exponent--) {
    if (base > 0 && *power > most / base) return false;
    *power *= base;
  }
  return true;
}

int length_option(const char *subcommand, const char *option, char *text, size_t least, size_t most, size_t *value) {
  char *caret = strchr(text, '^');
  size_t base, exponent = 1;
  if (caret != NULL) *caret = '\0';
  const bool numbers = read_number(text, &base) && (caret == NULL || read_number(caret + 1, &exponent));
  if (caret != NULL) *caret = '^';
  if (!numbers) return wrong_usage(subcommand, "%s: '%s' is neither a whole number nor a power of one", option, text);
  if (power_of(base, exponent, most, value) && *value >= least) return DONE;
  return wrong_usage(subcommand, "%s: '%s' is not from %zu to %zu", option, text, least, most);
}
