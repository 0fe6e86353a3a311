/* child.h: runs the test program again, in a fresh process with its own environment.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef CHILD_H
#define CHILD_H

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

enum { REPORT_FD = 9 }; /* where a child writes its report */

struct setting {
  const char *name, *value;
};

/* The result of a child: its exit status (or 128 + signal), its report, and what it printed. */
struct outcome {
  int exit;
  size_t reported, printed;
  unsigned char report[4096];
  char print[4096];
};

static inline int exit_of(pid_t pid) {
  int status = 0;
  if (waitpid(pid, &status, 0) != pid) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* fork(), with a child that ends when it crashes: cmocka's handlers would make it go on with the remaining tests. */
static inline pid_t fork_mortal(void) {
  static const int caught[] = {SIGFPE, SIGILL, SIGSEGV, SIGBUS, SIGSYS};
  fflush(NULL);
  const pid_t pid = fork();
  for (size_t i = 0; pid == 0 && i < COUNT(caught); i++) signal(caught[i], SIG_DFL);
  return pid;
}

/* Executes this program again, with one argument. The kernel cannot start a program built for another machine, so the
 * emulator does. Does not return. */
static inline void become_self(const char *argument, const struct setting *settings, size_t count) {
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  if (length <= 0) _exit(126);
  path[length] = '\0';
  for (size_t i = 0; i < count; i++)
    if (settings[i].name != NULL) setenv(settings[i].name, settings[i].value, 1);
  char *const words[] = {(char *)(uintptr_t)emulator(), path, (char *)(uintptr_t)argument, NULL};
  if (emulator() != NULL)
    execvp(emulator(), words);
  else
    execv(path, words + 1);
  _exit(127);
}

/* Runs this program with `argument`; its output goes where the parent's goes. */
static inline int run_self(const char *argument, const struct setting *settings, size_t count) {
  pid_t pid = fork_mortal();
  if (pid == 0) become_self(argument, settings, count);
  return exit_of(pid);
}

static inline size_t read_all(int fd, void *to, size_t size) {
  size_t got = 0;
  char spill[256];
  for (ssize_t r = 1; r > 0;) {
    r = got < size ? read(fd, (char *)to + got, size - got) : read(fd, spill, sizeof spill);
    if (r > 0 && got < size) got += (size_t)r;
  }
  close(fd);
  return got;
}

/* Runs this program with `argument`; collects its report and everything it prints. A report fits in the pipe, so the
 * child never blocks on it while its output is read. */
static inline struct outcome ask_self(const char *argument, const struct setting *settings, size_t count) {
  struct outcome o = {.exit = -1};
  int report[2], print[2];
  if (pipe(report) != 0 || pipe(print) != 0) fail_msg("no pipe");
  pid_t pid = fork_mortal();
  if (pid == 0) {
    dup2(report[1], REPORT_FD);
    dup2(print[1], STDOUT_FILENO);
    dup2(print[1], STDERR_FILENO);
    for (int i = 0; i < 2; i++) {
      if (report[i] != REPORT_FD) close(report[i]);
      if (print[i] != REPORT_FD) close(print[i]);
    }
    become_self(argument, settings, count);
  }
  close(report[1]);
  close(print[1]);
  o.printed = read_all(print[0], o.print, sizeof o.print - 1);
  o.reported = read_all(report[0], o.report, sizeof o.report);
  o.exit = exit_of(pid);
  return o;
}

/* The same for a child that is to end well and to report `size` bytes. */
static inline struct outcome ask_report(const char *argument, const struct setting *settings, size_t count,
                                        void *report, size_t size) {
  const struct outcome o = ask_self(argument, settings, count);
  if (o.exit != 0 || o.reported != size)
    fail_msg("%s, %s=%s: the child ended with %d: %s", argument, count ? text_or(settings->name, "") : "",
             count ? text_or(settings->value, "") : "", o.exit, o.print);
  memcpy(report, o.report, size);
  return o;
}

/* What this program does when it is run with this argument. */
struct child {
  const char *argument;
  int (*run)(void);
};

/* Whether this process is a child; if so, *status is its exit status. */
static inline bool run_child(int argc, char **argv, const struct child *children, size_t count, int *status) {
  for (size_t i = 0; argc > 1 && i < count; i++)
    if (strcmp(argv[1], children[i].argument) == 0) {
      *status = children[i].run();
      return true;
    }
  return false;
}

/* In the child: hands the report to the parent. */
static inline int report_to_parent(const void *report, size_t size) {
  return write(REPORT_FD, report, size) == (ssize_t)size ? 0 : 1;
}

#endif /* CHILD_H */
