/* sleepy.c: a library to preload, with which ranks that wait for others sleep, in Open MPI, which yields, and in MPICH
 * by UCX, which has no setting even for that. Where programs are more than the cores, a message else takes turns of the
 * system.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

enum { PATIENCE = 20 }; /* polls in vain before a sleep */

typedef unsigned progress(void *worker);

unsigned ucp_worker_progress(void *worker);

int sched_yield(void) { return usleep(1); }

/* UCX's own, which a program may have loaded for itself; there is one, as it calls this. */
static progress *of_ucx(void) {
  void *found = dlsym(RTLD_NEXT, "ucp_worker_progress"), *loaded = NULL;
  if (!found) loaded = dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);
  if (loaded) found = dlsym(loaded, "ucp_worker_progress");
  if (!found) abort();
  return (progress *)found;
}

unsigned ucp_worker_progress(void *worker) {
  static _Thread_local progress *own;
  static _Thread_local int in_vain;
  if (!own) own = of_ucx();
  const unsigned events = own(worker);
  in_vain = events ? 0 : in_vain + 1;
  if (in_vain > PATIENCE) usleep(1);
  return events;
}
