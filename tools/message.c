/* message.c: what the user is told on standard error. */
#include "message.h"
#include "progress.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *message_program = "mmscan";
static FILE *keeps; /* what fail() tells; NULL: nothing does */

void message_keep(FILE *to) { keeps = to; }

/* Control characters, which a terminal would act on, may be in names and values. */
static bool is_obeyed(char c) { return (unsigned char)c < ' ' || c == 127; }

void make_clean(char *text) {
  for (; *text != '\0'; text++)
    if (is_obeyed(*text)) *text = '?';
}

static void print_to(FILE *to, const char *begin, const char *format, va_list arguments) {
  char *line;
  if (vasprintf(&line, format, arguments) < 0) line = NULL;
  if (line != NULL) make_clean(line);
  fprintf(to, "%s%s%s\n", begin, *begin != '\0' ? ": " : "", line != NULL ? line : "out of memory");
  free(line);
}

static void print_line(const char *format, va_list arguments) {
  progress_erase();
  fflush(stdout); /* keeps the order, if both streams go to one place */
  print_to(keeps != NULL ? keeps : stderr, message_program, format, arguments);
}

void print_clean(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  print_to(stdout, "", format, arguments);
  va_end(arguments);
}

int fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  print_line(format, arguments);
  va_end(arguments);
  return FAILED;
}

int fail_file(const char *name) { return fail("%s: %s", *name != '\0' ? name : "''", strerror(errno)); }

int fail_memory(void) { return fail("out of memory"); }

static char **words; /* that getopt reads */

void message_words(char **argv) {
  words = argv;
  opterr = 0;
}

/* Says what getopt has found wrong. It has passed the word, unless that is a group of short options with more to come.
 */
static void fail_option(void) {
  const char *word = words[optind - 1], *next = words[optind];
  const bool in_group = optopt != 0 && next != NULL && next[0] == '-' && next[1] != '-' && strchr(next, optopt) != NULL;
  if (optopt == 0)
    fail("unknown or ambiguous option '%s'", word);
  else if (in_group || strncmp(word, "--", 2) != 0)
    fail("option '-%c' is unknown or lacks its value", optopt);
  else
    fail(strchr(word, '=') != NULL ? "option '%s' takes no value" : "option '%s' lacks its value", word);
}

int wrong_usage(const char *subcommand, const char *format, ...) {
  if (format != NULL) {
    va_list arguments;
    va_start(arguments, format);
    print_line(format, arguments);
    va_end(arguments);
  } else {
    fail_option();
  }
  fprintf(stderr, "Try '%s%s%s --help'.\n", message_program, subcommand ? " " : "", subcommand ? subcommand : "");
  return WRONG_USAGE;
}

/* Whether the byte is inside a character of UTF-8, not at its beginning. */
static bool is_inside(char c) { return ((unsigned char)c & 0xC0) == 0x80; }

const char *quoted(const char *text, char quote[MESSAGE_QUOTE]) {
  size_t length = strnlen(text, MESSAGE_QUOTE - 4);
  for (int bytes = 0; bytes < 3 && is_inside(text[length]); bytes++) length--;
  memcpy(quote, text, length);
  strcpy(quote + length, text[length] != '\0' ? "..." : "");
  return quote;
}
