/* own_threads.c: the threads that a BLAS starts by itself, by the vendors' own calls.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "own_threads.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>

/* BLIS has integers of 64 bits here, which serve the others too. */
typedef int get_call(void);
typedef void set_call(long threads);

/* By the builds of a library its names begin and end differently. */
static void *find(void *handle, const char *name) {
  static const char *const begins[] = {"", "scipy_"}, *const ends[] = {"", "64_", "_64"};
  char full[80];
  void *found = NULL;
  for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
    for (size_t k = 0; k < sizeof ends / sizeof *ends && found == NULL; k++) {
      snprintf(full, sizeof full, "%s%s%s", begins[i], name, ends[k]);
      found = dlsym(handle, full);
    }
  return found;
}

static int set_by(void *handle, const char *get_name, const char *set_name, int threads) {
  get_call *get;
  set_call *set;
  *(void **)&get = find(handle, get_name);
  *(void **)&set = find(handle, set_name);
  if (get == NULL || set == NULL) return 0;
  const int before = get();
  set(threads);
  return before;
}

int own_threads_set(const char *library, int threads) {
  static const char *const calls[][2] = {{"openblas_get_num_threads", "openblas_set_num_threads"},
                                         {"bli_thread_get_num_threads", "bli_thread_set_num_threads"},
                                         {"MKL_Get_Max_Threads", "MKL_Set_Num_Threads"}};
  void *handle = library != NULL ? dlopen(library, RTLD_LAZY | RTLD_NOLOAD) : NULL;
  int before = 0;
  if (handle == NULL) return 0;
  for (size_t i = 0; i < sizeof calls / sizeof *calls && before <= 0; i++)
    before = set_by(handle, calls[i][0], calls[i][1], threads);
  dlclose(handle);
  return before > 0 ? before : 0;
}
