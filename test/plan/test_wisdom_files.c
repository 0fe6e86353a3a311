/* test_wisdom_files.c: a wisdom file is replaced or left as it was, and nothing is left beside it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <sys/resource.h>

#include "support/child.h"
#include "support/wisdom_text.h"

/* ---- Writes that fail -------------------------------------------------------------------------------------------- */

/* In a child, after `spoil`: the file cannot be written, stays as it was, and nothing is left beside it. */
static void fail_to_write(int (*spoil)(void), const char *name, const char *what) {
  const struct text before = text_read(in_scratch("old"));
  size_t files = walk_scratch(NULL);
  const pid_t pid = fork_mortal();
  if (pid == 0) _exit(spoil != NULL && spoil() != 0 ? 77 : (int)mmscan_wisdom_write(in_scratch(name)));
  int status = exit_of(pid);
  const struct text after = text_read(in_scratch("old"));
  if (status == 77) print_message("skipped: %s: cannot be had here\n", what);
  if (status != 77 && status != MMSCAN_EIO) fail_msg("%s: %d", what, status);
  assert_int_equal(walk_scratch(NULL), files);
  assert_memory_equal(&after, &before, sizeof after);
}

/* No file may grow past a few bytes, as on a full disk. A write that would do so sends SIGXFSZ, which ends a process
 * that does not expect it. */
static int fill_disk(void) { return setrlimit(RLIMIT_FSIZE, &(struct rlimit){16, 16}); }

static int close_files(void) { return setrlimit(RLIMIT_NOFILE, &(struct rlimit){3, 3}); }

/* root may write everywhere, so the child becomes another user. */
static int lock_folder(void) { return chmod(scratch, 0555) != 0 || (geteuid() == 0 && setuid(65534) != 0); }

/* The first write succeeds: LLVM's OpenMP makes a file when it is first asked for threads, and dies of a full disk. */
TEST(test_failed_writes) {
  assert_mmscan_ok(mmscan_wisdom_write(in_scratch("old")));
  write_bytes(in_scratch("old"), "as it was\n", 10);
  fail_to_write(fill_disk, "old", "full disk");
  fail_to_write(fill_disk, "new", "full disk, a new file");
  fail_to_write(close_files, "old", "no file may be opened");
  fail_to_write(lock_folder, "old", "read-only folder");
  fail_to_write(lock_folder, "new", "read-only folder, a new file");
  chmod(scratch, 0755);
  fail_to_write(NULL, "missing/file", "missing folder");
  fail_to_write(NULL, "old/file", "a file for a folder");
  fail_to_write(NULL, "", "the folder itself");
  remove(in_scratch("old"));
}

/* ---- The signal of a write that fails ---------------------------------------------------------------------------- */

static volatile sig_atomic_t caught;

static void catch (int signal) { caught += signal == SIGXFSZ; }

static bool is_pending(void) {
  sigset_t pending;
  return sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
}

static bool same_masks(const sigset_t *a, const sigset_t *b) {
  for (int signal = 1; signal < SIGRTMAX; signal++)
    if (sigismember(a, signal) != sigismember(b, signal)) return false;
  return true;
}

/* Returns 0, or what is wrong. */
static int write_under_limit(bool blocks, bool raises) {
  sigset_t mask, before, after;
  struct sigaction action;
  sigemptyset(&mask);
  sigaddset(&mask, SIGUSR1);
  if (blocks) sigaddset(&mask, SIGXFSZ);
  signal(SIGXFSZ, catch);
  pthread_sigmask(SIG_SETMASK, &mask, &before);
  if (raises) raise(SIGXFSZ);
  if (fill_disk() != 0) return 77;
  if (mmscan_wisdom_write(in_scratch("new")) != MMSCAN_EIO) return 1;
  pthread_sigmask(SIG_SETMASK, NULL, &after);
  sigaction(SIGXFSZ, NULL, &action);
  if (caught) return 2;
  if (is_pending() != raises) return 3;
  if (!same_masks(&mask, &after)) return 4;
  if (action.sa_handler != catch) return 5;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return caught == raises ? 0 : 6;
}

/* The caller's handler is not called, nor its mask changed; a signal of its own that waits stays. */
TEST(test_signal_of_a_full_disk) {
  assert_mmscan_ok(mmscan_wisdom_write(in_scratch("old")));
  const size_t files = walk_scratch(NULL);
  for (int blocks = 0; blocks <= 1; blocks++)
    for (int raises = 0; raises <= blocks; raises++) {
      const pid_t pid = fork_mortal();
      if (pid == 0) _exit(write_under_limit(blocks, raises));
      const int status = exit_of(pid);
      if (status != 0 && status != 77) fail_msg("blocked %d, raised %d: %d", blocks, raises, status);
    }
  assert_int_equal(walk_scratch(NULL), files);
  remove(in_scratch("old"));
}

/* Devices and pipes are not replaced by a file. */
TEST(test_what_is_no_file) {
  struct stat at;
  assert_int_equal(mkfifo(in_scratch("pipe"), 0600), 0);
  assert_status(MMSCAN_EIO, mmscan_wisdom_write(in_scratch("pipe")));
  assert_int_equal(lstat(in_scratch("pipe"), &at), 0);
  assert_true(S_ISFIFO(at.st_mode));
  remove(in_scratch("pipe"));
}

TEST(test_writes_replace) {
  size_t files = walk_scratch(NULL);
  assert_mmscan_ok(mmscan_wisdom_write(in_scratch("w")));
  struct text first = text_read(in_scratch("w"));
  write_bytes(in_scratch("w"), first.data, first.size / 2);
  assert_mmscan_ok(mmscan_wisdom_write(in_scratch("w")));
  struct text second = text_read(in_scratch("w"));
  assert_memory_equal(&first, &second, sizeof first);
  assert_int_equal(walk_scratch(NULL), files + 1);
}

/* An earlier process with the same number may have left files. */
TEST(test_what_was_left) {
  enum { LEFT = 400 };
  char name[64];
  for (int i = 0; i < LEFT; i++) {
    snprintf(name, sizeof name, ".mmscan-%ld-%d", (long)getpid(), i);
    write_bytes(in_scratch(name), "x", 1);
  }
  assert_mmscan_ok(mmscan_wisdom_write(in_scratch("w")));
  for (int i = 0; i < LEFT; i++) {
    snprintf(name, sizeof name, ".mmscan-%ld-%d", (long)getpid(), i);
    assert_int_equal(text_read(in_scratch(name)).size, 1);
    remove(in_scratch(name));
  }
}

TEST(test_links) {
  struct stat at;
  write_bytes(in_scratch("target"), "old", 3);
  assert_int_equal(chmod(in_scratch("target"), 0750), 0);
  assert_int_equal(symlink("target", in_scratch("link")), 0);
  assert_int_equal(symlink("nowhere", in_scratch("broken")), 0);
  assert_int_equal(symlink(in_scratch("broken"), in_scratch("to-broken")), 0);
  assert_int_equal(symlink("loop", in_scratch("loop")), 0);
  assert_int_equal(symlink("no/where", in_scratch("lost")), 0);
  assert_mmscan_ok(mmscan_wisdom_write(in_scratch("link")));
  assert_int_equal(lstat(in_scratch("link"), &at), 0);
  assert_true(S_ISLNK(at.st_mode));
  assert_int_equal(stat(in_scratch("target"), &at), 0);
  assert_true(at.st_size > 3 && (at.st_mode & 0777) == 0750);
  assert_status(MMSCAN_EIO, mmscan_wisdom_write(in_scratch("loop")));
  assert_status(MMSCAN_EIO, mmscan_wisdom_write(in_scratch("lost")));
  assert_int_not_equal(stat(in_scratch("nowhere"), &at), 0);
  assert_mmscan_ok(mmscan_wisdom_write(in_scratch("to-broken"))); /* the missing file is created */
  assert_int_equal(lstat(in_scratch("nowhere"), &at), 0);
  assert_true(S_ISREG(at.st_mode));
  assert_int_equal(lstat(in_scratch("to-broken"), &at), 0);
  assert_true(S_ISLNK(at.st_mode));
  assert_mmscan_ok(mmscan_wisdom_read(in_scratch("broken"), NULL, 0));
  static const char *const names[] = {"target", "link", "broken", "to-broken", "loop", "lost", "nowhere"};
  for (size_t i = 0; i < COUNT(names); i++) remove(in_scratch(names[i]));
}

int main(void) { return run_all_tests(make_scratch, remove_scratch); }
