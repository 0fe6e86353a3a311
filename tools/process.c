/* process.c: a child process that runs another program.
 *
 * It is spawned, not forked: to fork a process that has OpenMP threads is risky, and copies its page tables. */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void close_pipe(const int ends[2]) {
  close(ends[0]);
  close(ends[1]);
}

/* The signals that this program ignores when it writes have their default actions in the child. */
static int set_signals(posix_spawnattr_t *attributes) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  sigaddset(&signals, SIGXFSZ);
  const int error = posix_spawnattr_setsigdefault(attributes, &signals);
  return error != 0 ? error : posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGDEF);
}

/* posix_spawnp() does not write to the arguments; its declaration predates const. To prepare these objects fails only
 * for want of memory. */
static int spawn(process *p, const char *const argv[], int input, int output, bool quiet) {
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_t actions;
  if (posix_spawnattr_init(&attributes) != 0) return ENOMEM;
  if (posix_spawn_file_actions_init(&actions) != 0) return ENOMEM;
  int error = set_signals(&attributes);
  if (error == 0) error = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  if (error == 0) error = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  if (error == 0 && quiet) error = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  if (error == 0) error = posix_spawnp(&p->pid, argv[0], &actions, &attributes, (char *const *)argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return error;
}

/* Makes streams of this process's ends of the pipes, and closes the child's ends. If memory does not suffice, the child
 * ends by itself: its pipes are closed. */
static bool keep_ends(process *p, const int in[2], const int out[2]) {
  close(in[0]);
  close(out[1]);
  p->to = fdopen(in[1], "w");
  p->from = fdopen(out[0], "r");
  if (p->to != NULL && p->from != NULL) return true;
  if (p->to == NULL) close(in[1]);
  if (p->from == NULL) close(out[0]);
  process_end(p);
  errno = ENOMEM;
  return false;
}

bool process_start(process *p, const char *const argv[], bool quiet) {
  int in[2], out[2];
  *p = (process){.pid = -1};
  if (pipe2(in, O_CLOEXEC) != 0) return false;
  if (pipe2(out, O_CLOEXEC) != 0) {
    close_pipe(in);
    return false;
  }
  const int error = spawn(p, argv, in[0], out[1], quiet);
  if (error == 0) return keep_ends(p, in, out);
  close_pipe(in);
  close_pipe(out);
  errno = error;
  return false;
}

int process_end(process *p) {
  int status = -1;
  if (p->to != NULL) fclose(p->to);
  if (p->from != NULL) fclose(p->from);
  while (waitpid(p->pid, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

char *process_file_beside(const char *name) {
  char *program = realpath("/proc/self/exe", NULL), *path = NULL;
  if (program != NULL && asprintf(&path, "%s/%s", dirname(program), name) < 0) path = NULL;
  free(program);
  return path;
}
