/* file.c: files that are read, or replaced, as a whole. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The status for a file that could not be opened. */
static mmscan_status status_of(int error) { return error == ENOMEM ? MMSCAN_ENOMEM : MMSCAN_EIO; }

/* ---- Reading -------------------------------------------------------------------------------------------------- */

/* O_NONBLOCK: what is no regular file, like a pipe without a writer, is not waited for. */
static FILE *open_regular(const char *name) {
  struct stat info;
  int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return NULL;
  const bool is_regular = fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
  FILE *file = is_regular ? fdopen(fd, "rb") : NULL;
  if (file) return file;
  const int error = is_regular ? errno : EINVAL;
  close(fd);
  errno = error;
  return NULL;
}

mmscan_status mms_file_read(const char *name, size_t most, char **text, size_t *size, const char **why) {
  FILE *file = open_regular(name);
  const int error = errno;
  *why = error == EINVAL ? "it cannot be read, being no regular file" : strerror(error);
  if (!file) return status_of(error);
  *text = malloc(most + 1);
  *size = *text ? fread(*text, 1, most + 1, file) : 0;
  const bool failed = ferror(file) != 0;
  fclose(file);
  if (!*text) return MMSCAN_ENOMEM;
  if (failed || *size > most) {
    *why = failed ? "it cannot be read" : "it is too long";
    free(*text);
    return MMSCAN_EIO;
  }
  (*text)[*size] = '\0';
  return MMSCAN_OK;
}

/* ---- Replacing ------------------------------------------------------------------------------------------------ */

/* Where a file grows past what a process may write (RLIMIT_FSIZE), the system sends the thread a signal, which by
 * default ends the process. Blocked, it stays pending, and the write fails. */
typedef struct size_signal {
  sigset_t mask; /* of the thread, before */
  bool was_pending;
} size_signal;

static bool size_signal_is_pending(void) {
  sigset_t pending;
  return sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
}

static sigset_t size_signal_alone(void) {
  sigset_t alone;
  sigemptyset(&alone);
  sigaddset(&alone, SIGXFSZ);
  return alone;
}

static size_signal size_signal_block(void) {
  const sigset_t alone = size_signal_alone();
  size_signal before;
  pthread_sigmask(SIG_BLOCK, &alone, &before.mask);
  before.was_pending = size_signal_is_pending();
  return before;
}

/* Takes a signal that has come since, but not the caller's. */
static void size_signal_restore(const size_signal *before) {
  const sigset_t alone = size_signal_alone();
  if (!before->was_pending)
    while (sigtimedwait(&alone, NULL, &(struct timespec){0}) < 0 && errno == EINTR) continue;
  pthread_sigmask(SIG_SETMASK, &before->mask, NULL);
}

static bool write_all(FILE *file, const char *text, size_t size) {
  const size_signal before = size_signal_block();
  const bool written = fwrite(text, 1, size, file) == size && fflush(file) == 0 && fsync(fileno(file)) == 0;
  const bool closed = fclose(file) == 0;
  size_signal_restore(&before);
  return closed && written;
}

/* Where a symbolic link points: its text is relative to the directory of the link. On NULL errno is set. */
static char *where_to(const char *link) {
  char *said = malloc(PATH_MAX), *to = NULL; /* too large for the stack of a thread */
  const ssize_t length = said ? readlink(link, said, PATH_MAX) : -1;
  const char *slash = strrchr(link, '/');
  const int directory = length > 0 && said[0] != '/' && slash ? (int)(slash + 1 - link) : 0;
  if (length >= 0 && asprintf(&to, "%.*s%.*s", directory, link, (int)length, said) < 0) to = NULL;
  const int error = errno;
  free(said);
  errno = error;
  return to;
}

/* The name at the end of symbolic links, where no file exists: realpath() does not tell that. On NULL errno is set. */
static char *end_of_links(const char *name) {
  enum { MOST_LINKS = 40 };
  struct stat is;
  char *at = strdup(name), *next;
  for (int links = 0; at && lstat(at, &is) == 0; at = next, links++) {
    next = links < MOST_LINKS ? where_to(at) : NULL;
    if (links == MOST_LINKS) errno = ELOOP;
    free(at);
  }
  return at;
}

/* The file at the end of symbolic links, which stay as they are, or its name if there is no file yet. On NULL errno is
 * set: a device or a pipe must not be replaced by a file. */
static char *target_of(const char *name, struct stat *at) {
  *at = (struct stat){.st_mode = 0};
  if (stat(name, at) != 0) return errno == ENOENT ? end_of_links(name) : NULL;
  if (S_ISREG(at->st_mode)) return realpath(name, NULL);
  errno = S_ISDIR(at->st_mode) ? EISDIR : ENOTSUP;
  return NULL;
}

enum { BESIDE_ROOM = 64 }; /* bytes for the last part of a name */

/* A new file beside the target, with the permissions of the target if that exists. Its name is stored in `beside`.
 * Several names are tried, as another process may have had the same id, and left a file. */
static FILE *open_beside(const char *target, const struct stat *at, char *beside) {
  enum { MOST_TRIES = 1000 };
  static atomic_uint number; /* counts the names tried by this process */
  const char *slash = strrchr(target, '/');
  const size_t directory = slash ? (size_t)(slash + 1 - target) : 0;
  int fd = -1;
  memcpy(beside, target, directory);
  errno = EEXIST;
  for (int i = 0; i < MOST_TRIES && fd < 0 && errno == EEXIST; i++) {
    snprintf(beside + directory, BESIDE_ROOM, ".mmscan-%ld-%u", (long)getpid(), atomic_fetch_add(&number, 1));
    fd = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  }
  if (fd < 0) return NULL;
  const bool has_mode = !at->st_mode || fchmod(fd, at->st_mode & 0777) == 0 || errno == EPERM || errno == ENOTSUP;
  FILE *file = has_mode ? fdopen(fd, "wb") : NULL; /* some file systems have no modes */
  if (file) return file;
  const int error = errno;
  close(fd);
  unlink(beside);
  errno = error;
  return NULL;
}

static mmscan_status write_beside(const char *target, const struct stat *at, const char *text, size_t size) {
  char *beside = malloc(strlen(target) + BESIDE_ROOM);
  if (!beside) return MMSCAN_ENOMEM;
  FILE *file = open_beside(target, at, beside);
  mmscan_status status = file ? MMSCAN_EIO : status_of(errno);
  if (file && write_all(file, text, size) && rename(beside, target) == 0)
    status = MMSCAN_OK;
  else if (file)
    unlink(beside);
  free(beside);
  return status;
}

mmscan_status mms_file_replace(const char *name, const char *text, size_t size) {
  struct stat at;
  char *target = target_of(name, &at);
  mmscan_status status = target ? write_beside(target, &at, text, size) : status_of(errno);
  free(target);
  return status;
}
