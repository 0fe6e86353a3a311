/* message.c: what the user is told on standard error.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "message.h"
#include "progress.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void print_line(const char *format, va_list arguments) {
  progress_erase();
  fputs("mmscan: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
}

int fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  print_line(format, arguments);
  va_end(arguments);
  return FAILED;
}

int fail_file(const char *name) { return fail("%s: %s", name, strerror(errno)); }

int fail_memory(void) { return fail("out of memory"); }

int wrong_usage(const char *subcommand, const char *format, ...) {
  if (format != NULL) {
    va_list arguments;
    va_start(arguments, format);
    print_line(format, arguments);
    va_end(arguments);
  }
  fprintf(stderr, "Try 'mmscan%s%s --help'.\n", subcommand ? " " : "", subcommand ? subcommand : "");
  return WRONG_USAGE;
}

const char *quoted(const char *text, char quote[MESSAGE_QUOTE]) {
  const size_t most = MESSAGE_QUOTE - 4;
  size_t i;
  for (i = 0; i < most && text[i] != '\0'; i++) {
    const unsigned char byte = (unsigned char)text[i];
    quote[i] = byte < ' ' || byte == 127 ? '?' : text[i];
  }
  strcpy(quote + i, text[i] != '\0' ? "..." : "");
  return quote;
}

const char *reason_without(const char *reason, const char *name) {
  const size_t length = strlen(name);
  return strncmp(reason, name, length) == 0 && strncmp(reason + length, ": ", 2) == 0 ? reason + length + 2 : reason;
}

/* Whether the reader of the pipe has gone. */
static bool nobody_reads(void) {
  struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
  return poll(&out, 1, 0) == 1 && (out.revents & (POLLERR | POLLHUP)) != 0;
}

int fail_stdout(void) {
  const char *reason = errno ? strerror(errno) : "write error";
  return nobody_reads() ? FAILED : fail("standard output: %s", reason);
}

int close_stdout(int status) {
  errno = 0;
  const bool failed = fflush(stdout) != 0 || ferror(stdout);
  if (failed) fail_stdout();
  if (fclose(stdout) == 0 && !failed) return status;
  if (!failed) fail_stdout();
  return status == DONE ? FAILED : status;
}
