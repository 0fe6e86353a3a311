/* test_no_memory.c: a thread on which every allocation of the process fails, those of OpenMP and of the C library too,
 * before the thread has called anything.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * test_alloc.c makes the library's own allocations fail, one by one.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

#include "support/child.h"
#include "support/sanitized.h"
#include "toys/toy.h"

/* ---- The process's allocators ------------------------------------------------------------------------------------ */

#if defined(__GLIBC__) && !defined(MMS_SANITIZED) && !defined(__clang__)
#define CAN_REPLACE true

static atomic_bool is_empty;

/* glibc has these names for programs that replace its allocators. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static bool refuses(void) {
  if (is_empty) errno = ENOMEM;
  return is_empty;
}

void *malloc(size_t size) { return refuses() ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return refuses() ? NULL : __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { return refuses() ? NULL : __libc_realloc(old, size); }
void *aligned_alloc(size_t alignment, size_t size) { return refuses() ? NULL : __libc_memalign(alignment, size); }
#else
#define CAN_REPLACE false
static bool is_empty;
#endif

/* ---- Calls ------------------------------------------------------------------------------------------------------- */

enum { N = 1 << 20 };
static float x[N], y[N];

/* What a call without memory returned. */
struct trial {
  mmscan_status (*call)(void);
  mmscan_status status;
};

static mmscan_status scan(void) { return mmscan_inclusive_f32(N, x, y); }

static mmscan_status recur(void) {
  const float a = 1;
  const mmscan_recurrence_desc d = {
      .struct_size = sizeof d, .type = MMSCAN_F32, .n = N, .x_stride = 1, .y_stride = 1, .batch = 1};
  return mmscan_recurrence(&d, &a, x, y);
}

enum { SEGMENT = 1000 };
static uint8_t flags[N];

static mmscan_status scan_segments(void) {
  const mmscan_desc d = MMSCAN_DESC(MMSCAN_F32, MMSCAN_PLUS, MMSCAN_INCLUSIVE, N);
  const mmscan_segments segments = {.struct_size = sizeof segments, .form = MMSCAN_FLAGS, .data = flags};
  return mmscan_scan_segments(&d, &segments, x, y);
}

/* y[i] = x[i] + y[i - 1] */
static mmscan_status filter(void) {
  static const double b[] = {1}, a[] = {1, -1};
  const mmscan_filter_desc d = {.struct_size = sizeof d,
                                .type = MMSCAN_F32,
                                .n = N,
                                .b_count = 1,
                                .a_count = 2,
                                .b = b,
                                .a = a,
                                .x_stride = 1,
                                .y_stride = 1,
                                .batch = 1};
  return mmscan_filter(&d, x, y);
}

/* Of one row. */
static mmscan_status integrate(void) {
  const mmscan_integral_desc d = {
      .struct_size = sizeof d, .x_type = MMSCAN_F32, .y_type = MMSCAN_F32, .rows = 1, .columns = N, .batch = 1};
  return mmscan_integral(&d, x, y);
}

static mmscan_status open_sound(void) {
  char why[300];
  return mmscan_unit_open(toy("sound"), NULL, why, sizeof why);
}

static mmscan_status open_nothing(void) { return mmscan_unit_open("libnothing.so", NULL, NULL, 0); }

static mmscan_status test_cblas(void) { return mmscan_routine_try("cblas", "sgemm"); }

static void *try_it(void *trial) {
  struct trial *t = trial;
  is_empty = true;
  t->status = t->call();
  is_empty = false;
  return NULL;
}

/* On a new thread, of which OpenMP knows nothing yet. */
static mmscan_status without_memory(mmscan_status (*call)(void)) {
  pthread_t thread;
  struct trial t = {.call = call};
  if (pthread_create(&thread, NULL, try_it, &t) != 0) return MMSCAN_OK - 1;
  pthread_join(thread, NULL);
  return t.status;
}

/* Whether it counts the elements, anew after so many. */
static bool is_right(mmscan_status (*call)(void), size_t segment) {
  memset(y, 0, sizeof y);
  if (without_memory(call) != MMSCAN_OK) return false;
  for (size_t i = 0; i < N; i++)
    if (y[i] != (float)(i % segment + 1)) return false;
  return true;
}

static int call_all(void) {
  for (size_t i = 0; i < N; i++) x[i] = 1, flags[i] = i % SEGMENT == 0;
  mmscan_threads(); /* reads the environment */
  if (!is_right(scan, N)) return 1;
  if (!is_right(recur, N)) return 2;
  if (!is_right(scan_segments, SEGMENT)) return 3;
  if (!is_right(filter, N)) return 4;
  if (without_memory(integrate) != MMSCAN_ENOMEM) return 5;
  if (without_memory(open_sound) != MMSCAN_ENOMEM) return 6;
  if (without_memory(open_nothing) != MMSCAN_ENOMEM) return 7;
  if (without_memory(test_cblas) != MMSCAN_ENOMEM) return 8;
  return 0;
}

/* In a child that has lost its threads, too. */
static int call_all_in_child(void) {
  scan();
  const pid_t pid = fork();
  if (pid == 0) _exit(call_all());
  return exit_of(pid);
}

/* libgomp ends the process if it finds no memory. LLVM's OpenMP crashes when a thread first asks it anything. */
static void check_calls(const char *argument) {
  skip_if(!CAN_REPLACE || is_instrumented(), "a thread without memory: under an instrument, or with LLVM's OpenMP");
  struct outcome o = ask_self(argument, NULL, 0);
  if (o.exit != 0) fail_msg("%s: the child ended with %d: %s", argument, o.exit, o.print);
}

TEST(test_new_thread) { check_calls("thread"); }

TEST(test_forked_child) { check_calls("child"); }

int main(int argc, char **argv) {
  static const struct child children[] = {{"thread", call_all}, {"child", call_all_in_child}};
  return run_or_be(children, COUNT(children), argc, argv, NULL, NULL);
}
