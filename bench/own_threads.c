/* own_threads.c: the threads that a BLAS starts by itself, set by the vendors' own calls.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "own_threads.h"
#include "affixes.h"

#include <dlfcn.h>
#include <omp.h>
#include <stddef.h>

/* BLIS takes a 64-bit integer here; that serves the libraries that take an int too. */
typedef int get_call(void);
typedef void set_call(long threads);

/* The calls of a library; NULL if it does not have both. */
typedef struct calls {
  get_call *get;
  set_call *set;
} calls;

static calls find_calls(void *handle) {
  static const char *const names[][2] = {{"openblas_get_num_threads", "openblas_set_num_threads"},
                                         {"bli_thread_get_num_threads", "bli_thread_set_num_threads"},
                                         {"MKL_Get_Max_Threads", "MKL_Set_Num_Threads"}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    calls c = {NULL, NULL};
    *(void **)&c.get = affixes_find(handle, names[i][0]);
    *(void **)&c.set = affixes_find(handle, names[i][1]);
    if (c.get != NULL && c.set != NULL) return c;
  }
  return (calls){NULL, NULL};
}

/* Sets the thread count and returns the one before; 0 if it cannot be set. *after is the count that then holds. */
static int set_threads(const char *library, int threads, int *after) {
  void *handle = library != NULL ? dlopen(library, RTLD_LAZY | RTLD_NOLOAD) : NULL;
  *after = 0;
  if (handle == NULL) return 0;
  const calls c = find_calls(handle);
  const int before = c.get != NULL ? c.get() : 0;
  if (before != 0 && before != threads) c.set(threads);
  if (before != 0) *after = c.get();
  dlclose(handle);
  return before;
}

own_threads own_threads_set(const char *library, int threads) {
  own_threads before = {.openmp = omp_get_max_threads()};
  int after;
  before.count = set_threads(library, threads, &after);
  return before;
}

void own_threads_restore(const char *library, own_threads before) {
  int after;
  if (before.count != 0) set_threads(library, before.count, &after);
  omp_set_num_threads(before.openmp);
}

int own_threads_when_set(const char *library, int threads) {
  own_threads before = {.openmp = omp_get_max_threads()};
  int after;
  before.count = set_threads(library, threads, &after);
  own_threads_restore(library, before);
  return after;
}
