/* suspect.c: names the library that is running, if it crashes or ends the process. */
#include "suspect.h"
#include "message.h"
#include "progress.h"
#include "temporary.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *volatile suspected;
static volatile bool is_done;

/* With no suspect it is the library of MMSCAN_UNIT, which may have been loaded for a scan; NULL: not known. Also called
 * in a signal handler: getenv() takes no lock. */
static const char *culprit(void) {
  const char *unit = getenv("MMSCAN_UNIT");
  return suspected != NULL ? suspected : unit != NULL && unit[0] != '\0' ? unit : NULL;
}

static void tell_exit(void) {
  if (is_done) return;
  temporary_remove_all();
  const char *library = culprit();
  _exit(library != NULL ? fail("%s: this library ended the process", library) : fail("a library ended the process"));
}

/* For a signal handler. What standard output still has buffered is lost. */
static void put(const char *text) {
  if (write(STDERR_FILENO, text, strlen(text)) < 0) return;
}

static void put_name(const char *name) {
  char clean[4096] = "";
  strncat(clean, name, sizeof clean - 1);
  make_clean(clean);
  put(clean);
}

/* If several threads crash at once, the first reports it, and the others sleep to give it time. The signal is raised
 * again with its default action, which takes effect when this returns. */
static void tell_crash(int signal_number) {
  static atomic_flag told = ATOMIC_FLAG_INIT;
  if (atomic_flag_test_and_set(&told)) {
    sleep(1);
  } else {
    temporary_remove_all();
    progress_erase_at_once();
    const char *library = culprit();
    if (library != NULL) {
      put(message_program);
      put(": ");
      put_name(library);
      put(": this library crashed the process\n");
    }
  }
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

void suspect_begin(void) {
  static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
  for (size_t i = 0; i < sizeof crashes / sizeof crashes[0]; i++) signal(crashes[i], tell_crash);
  atexit(tell_exit);
}

void suspect_end(void) { is_done = true; }

void suspect(const char *library) { suspected = library; }
