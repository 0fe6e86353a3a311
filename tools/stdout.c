/* stdout.c: standard output, and what becomes of it. */
#include "stdout.h"
#include "message.h"
#include "transfer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifdef __GLIBC__
static ssize_t write_all(void *unused, const char *data, size_t size) {
  (void)unused;
  return transfer_write(STDOUT_FILENO, data, size) ? (ssize_t)size : 0;
}

static int close_it(void *unused) {
  (void)unused;
  return close(STDOUT_FILENO);
}

void open_stdout(void) {
  const int flags = fcntl(STDOUT_FILENO, F_GETFL);
  if (flags < 0 || !(flags & O_NONBLOCK)) return;
  FILE *patient = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_all, .close = close_it});
  if (patient == NULL) return;
  setvbuf(patient, NULL, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, BUFSIZ);
  stdout = patient;
}
#else
/* Elsewhere standard output cannot be replaced. */
void open_stdout(void) {}
#endif

/* Whether the reader of the pipe has gone. */
static bool nobody_reads(void) {
  struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
  return poll(&out, 1, 0) == 1 && (out.revents & (POLLERR | POLLHUP)) != 0;
}

int fail_stdout(void) {
  static bool told;
  const char *reason = errno ? strerror(errno) : "write error";
  if (told || nobody_reads()) return FAILED;
  told = true;
  return fail("standard output: %s", reason);
}

int close_stdout(int status) {
  errno = 0;
  const bool failed = fflush(stdout) != 0 || ferror(stdout);
  if (failed) fail_stdout();
  if (fclose(stdout) == 0 && !failed) return status;
  if (!failed) fail_stdout();
  return status == DONE ? FAILED : status;
}
