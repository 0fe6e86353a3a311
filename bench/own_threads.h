/* own_threads.h: the threads that a BLAS starts by itself.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef OWN_THREADS_H
#define OWN_THREADS_H

/* What was set before. */
typedef struct own_threads {
  int count;  /* of the library, as it reports them (BLIS: -1 if not set); 0: it has no such setting */
  int openmp; /* of OpenMP in this process, which some libraries set along with their own */
} own_threads;

/* Has a loaded library use so many threads in its calls. Returns what was set before, for own_threads_restore(). */
own_threads own_threads_set(const char *library, int threads);
void own_threads_restore(const char *library, own_threads before);

/* How many threads a loaded library reports when it is set to so many; 0: it cannot be set. */
int own_threads_when_set(const char *library, int threads);

#endif
