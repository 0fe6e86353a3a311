/* suspect.c: whose code runs, for the user to be told where it ends the process.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "suspect.h"
#include "message.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *volatile suspected;

static void tell_exit(void) {
  if (suspected != NULL) _exit(fail("%s: it has ended this process", suspected));
}

/* What is left of standard output is lost. */
static void put(const char *text) {
  if (write(STDERR_FILENO, text, strlen(text)) < 0) return;
}

/* The default action was put back on entry (SA_RESETHAND): what crashed does so again when this returns. */
static void tell_crash(int signal_number) {
  if (suspected != NULL) {
    put("mmscan: ");
    put(suspected);
    put(": it has crashed this process\n");
  }
  raise(signal_number);
}

static void watch(void) {
  static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = tell_crash;
  action.sa_flags = (int)SA_RESETHAND;
  for (size_t i = 0; i < sizeof crashes / sizeof crashes[0]; i++) sigaction(crashes[i], &action, NULL);
  atexit(tell_exit);
}

void suspect(const char *library) {
  static bool watches;
  if (!watches) watch();
  watches = true;
  suspected = library;
}
