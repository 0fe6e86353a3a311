/* output.c: the file that is written: in order to a pipe, in any order to a file. */
#include "output.h"
#include "message.h"
#include "stdout.h"
#include "temporary.h"
#include "transfer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_LINKS 40 /* as many as the system follows */

/* Replaces the path of a symbolic link by what it names, relative to the link's directory. False with errno on
 * failure. */
static bool follow_once(char path[PATH_MAX]) {
  char link[PATH_MAX], joined[PATH_MAX];
  const ssize_t length = readlink(path, link, sizeof link - 1);
  if (length < 0) return false;
  link[length] = '\0';
  const char *slash = strrchr(path, '/');
  const int directory = link[0] == '/' || slash == NULL ? 0 : (int)(slash + 1 - path);
  errno = ENAMETOOLONG;
  if (snprintf(joined, sizeof joined, "%.*s%s", directory, path, link) >= (int)sizeof joined) return false;
  memcpy(path, joined, strlen(joined) + 1);
  return true;
}

/* The file at the end of a chain of symbolic links, which need not exist: realpath() requires that it does. NULL with
 * errno on failure. */
static char *follow_links(const char *path) {
  char at[PATH_MAX];
  struct stat file;
  errno = ENAMETOOLONG;
  if (strlen(path) >= sizeof at) return NULL;
  memcpy(at, path, strlen(path) + 1);
  for (int links = 0; lstat(at, &file) == 0 && S_ISLNK(file.st_mode); links++) {
    errno = ELOOP;
    if (links == MOST_LINKS || !follow_once(at)) return NULL;
  }
  return strdup(at);
}

static mode_t mode_of_new_file(void) {
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

/* rename() needs no permission to write to the file that it replaces, so check it here. */
static int open_beside(output *out, const char *path, const struct stat *existing) {
  if (existing != NULL && access(path, W_OK) != 0) return fail_file(path);
  out->target = follow_links(path);
  if (out->target == NULL) return fail_file(path);
  if (temporary_beside(out->target, &out->fd, &out->temporary) != DONE) return FAILED;
  out->seekable = true;
  const mode_t mode = existing != NULL ? existing->st_mode & 0777 : mode_of_new_file();
  if (fchmod(out->fd, mode) == 0 || errno == EPERM || errno == ENOTSUP) return DONE; /* some systems have no modes */
  return fail_file(path);
}

/* Whether the path is a symbolic link to the file that the descriptor has open. */
static bool leads_to(const char *path, int descriptor) {
  struct stat link, end, open;
  return lstat(path, &link) == 0 && S_ISLNK(link.st_mode) && stat(path, &end) == 0 && fstat(descriptor, &open) == 0 &&
         end.st_dev == open.st_dev && end.st_ino == open.st_ino;
}

/* The descriptor of this process that a path names, or that of standard output or error if the path is a symbolic link
 * to its file; -1: none. */
static int descriptor_of(const char *path) {
  int descriptor;
  char more;
  if (strcmp(path, "/dev/stdout") == 0) return STDOUT_FILENO;
  if (strcmp(path, "/dev/stderr") == 0) return STDERR_FILENO;
  if (sscanf(path, "/dev/fd/%7d%c", &descriptor, &more) == 1) return descriptor;
  if (sscanf(path, "/proc/self/fd/%7d%c", &descriptor, &more) == 1) return descriptor;
  for (int standard = STDOUT_FILENO; standard <= STDERR_FILENO; standard++)
    if (leads_to(path, standard)) return standard;
  return -1;
}

bool output_is_descriptor(const char *path) { return descriptor_of(path) >= 0; }

/* Writes at the current position of the descriptor instead of replacing its file, as others may write there, too. */
static int open_again(output *out, int descriptor) {
  out->fd = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  return out->fd < 0 ? fail_file(out->name) : DONE;
}

int output_open(output *out, const char *path) {
  struct stat file;
  *out = (output)OUTPUT_CLOSED;
  out->name = path;
  const int descriptor = strcmp(path, "-") == 0 ? STDOUT_FILENO : descriptor_of(path);
  if (descriptor == STDOUT_FILENO) {
    out->name = "standard output";
    out->fd = STDOUT_FILENO;
    return DONE;
  }
  if (*path == '\0') return fail("the name of the output is empty");
  if (descriptor >= 0) return open_again(out, descriptor);
  const bool exists = stat(path, &file) == 0;
  if (!exists || S_ISREG(file.st_mode)) return open_beside(out, path, exists ? &file : NULL);
  out->fd = open(path, O_WRONLY | O_CLOEXEC);
  return out->fd < 0 ? fail_file(path) : DONE;
}

/* Without this, a crash of the system may leave a renamed file without its data. Some file systems have no such call.
 */
static bool synchronise(int fd) { return fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP; }

/* Standard output is closed, and checked for errors, when the program ends. */
int output_close(output *out, int status) {
  if (status == DONE && out->target != NULL && !synchronise(out->fd)) status = fail_file(out->name);
  if (out->fd > STDOUT_FILENO && close(out->fd) != 0 && status == DONE) status = fail_file(out->name);
  if (status == DONE && out->target != NULL) status = temporary_rename(out->temporary, out->target);
  if (status != DONE && out->temporary != NULL) temporary_remove(out->temporary);
  free(out->target);
  *out = (output)OUTPUT_CLOSED;
  return status;
}

static int fail_write(const output *out) { return out->fd == STDOUT_FILENO ? fail_stdout() : fail_file(out->name); }

int output_write(output *out, const void *data, size_t size) {
  if (!transfer_write(out->fd, data, size)) return fail_write(out);
  out->position += size;
  return DONE;
}

int output_write_at(output *out, uint64_t offset, const void *data, size_t size) {
  if (!out->seekable) return output_write(out, data, size);
  return transfer_write_at(out->fd, data, size, out->origin + offset) ? DONE : fail_write(out);
}

void output_set_origin(output *out) { out->origin = out->position; }
