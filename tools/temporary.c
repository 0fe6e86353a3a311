/* temporary.c: temporary files, which are removed if a signal ends the process. */
#include "temporary.h"
#include "message.h"
#include "progress.h"
#include "transfer.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Names of files to remove, for the signal handler; empty where there is none. */
static char beside[TEMPORARY_MOST][PATH_MAX], spool[PATH_MAX];

void temporary_remove_all(void) {
  for (int i = 0; i < TEMPORARY_MOST; i++)
    if (beside[i][0] != '\0') unlink(beside[i]);
  if (spool[0] != '\0') unlink(spool);
}

/* The default action was put back on entry (SA_RESETHAND), so the process ends by the signal when this returns. */
static void remove_and_die(int signal_number) {
  temporary_remove_all();
  progress_erase_at_once();
  raise(signal_number);
}

/* A signal that is ignored (nohup) stays ignored. suspect.c handles the signals of a crash. */
void temporary_begin(void) {
  static const int deadly[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGXCPU, SIGUSR1, SIGUSR2};
  for (size_t i = 0; i < sizeof deadly / sizeof deadly[0]; i++) {
    struct sigaction action;
    if (sigaction(deadly[i], NULL, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    memset(&action, 0, sizeof action);
    action.sa_handler = remove_and_die;
    action.sa_flags = (int)SA_RESETHAND;
    sigaction(deadly[i], &action, NULL);
  }
}

/* Sets a name, which the signal handler then removes. Its first character, by which the handler sees that there is one,
 * comes last: the beginning of a path may be a file, too. */
static void set_name(char name[PATH_MAX], const char *path) {
  strcpy(name + 1, path + 1);
  atomic_signal_fence(memory_order_release);
  name[0] = path[0];
}

/* Makes a file. `name` holds the name of the file before the file exists. */
static int make_file(char name[PATH_MAX], int directory, const char *path, const char *base) {
  char whole[PATH_MAX];
  errno = ENAMETOOLONG;
  if (snprintf(whole, sizeof whole, "%.*s%s", directory, path, base) >= (int)sizeof whole) return -1;
  set_name(name, whole);
  const int fd = mkostemp(name, O_CLOEXEC);
  if (fd < 0) name[0] = '\0';
  return fd;
}

/* ---- Spools ------------------------------------------------------------------------------------------------------ */

static const char *spool_directory(void) {
  const char *directory = getenv("TMPDIR");
  return directory != NULL && directory[0] != '\0' ? directory : "/tmp";
}

static int fail_spool(void) {
  return fail("temporary file in %s: %s (set TMPDIR to another directory)", spool_directory(), strerror(errno));
}

int temporary_spool(int *fd) {
  const char *directory = spool_directory();
  *fd = make_file(spool, (int)strlen(directory), directory, "/mmscan-XXXXXX");
  if (*fd < 0) return fail_spool();
  unlink(spool);
  spool[0] = '\0';
  return DONE;
}

int temporary_write_at(int fd, const void *data, size_t size, uint64_t offset) {
  return transfer_write_at(fd, data, size, offset) ? DONE : fail_spool();
}

/* ---- Files beside the outputs ------------------------------------------------------------------------------------ */

static char *free_name(void) {
  int i = 0;
  while (i + 1 < TEMPORARY_MOST && beside[i][0] != '\0') i++;
  assert(beside[i][0] == '\0');
  return beside[i];
}

void temporary_watch(const char *name) { set_name(free_name(), name); }

int temporary_beside(const char *target, int *fd, char **name) {
  const char *slash = strrchr(target, '/');
  const int directory = slash == NULL ? 0 : (int)(slash + 1 - target);
  *name = free_name();
  *fd = make_file(*name, directory, target, ".mmscan-XXXXXX");
  if (*fd >= 0) return DONE;
  const char *reason = strerror(errno);
  return fail("%s: cannot create a temporary file in %.*s: %s", target, slash == NULL ? 1 : directory,
              slash == NULL ? "." : target, reason);
}

int temporary_rename(char *name, const char *target) {
  if (rename(name, target) != 0) return fail_file(target);
  name[0] = '\0';
  return DONE;
}

void temporary_remove(char *name) {
  if (name[0] == '\0') return;
  unlink(name);
  name[0] = '\0';
}
