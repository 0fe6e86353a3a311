/* stdout.c: the standard descriptors, and what becomes of standard output. */
#include "stdout.h"
#include "message.h"
#include "transfer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
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

static void open_stdout(void) {
  const int flags = fcntl(STDOUT_FILENO, F_GETFL);
  if (flags < 0 || !(flags & O_NONBLOCK)) return;
  FILE *patient = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_all, .close = close_it});
  if (patient == NULL) return;
  setvbuf(patient, NULL, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, BUFSIZ);
  stdout = patient;
}
#else
/* Elsewhere standard output cannot be replaced. */
static void open_stdout(void) {}
#endif

/* If a standard descriptor is closed, the next file that is opened would take its place. Put one there that refuses:
 * standard input that cannot be read, output that cannot be written. */
static void fill_standard_files(void) {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
      exit(fail_file("/dev/null"));
}

/* A write to a pipe without a reader, or beyond the limit of a file size, then fails instead of ending the process, and
 * temporary files are removed. */
static void ignore_write_signals(void) {
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
}

void open_standard_files(void) {
  fill_standard_files();
  ignore_write_signals();
  open_stdout();
}

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
