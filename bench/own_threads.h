/* own_threads.h: the threads that a BLAS starts by itself.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef OWN_THREADS_H
#define OWN_THREADS_H

/* What was set before. */
typedef struct own_threads {
  int count;  /* of the library; 1 or less: nothing was changed, as it has no more, or has no such setting */
  int openmp; /* of OpenMP in this process, which some libraries set with their own */
} own_threads;

/* Has a loaded library use one thread in its calls; and puts back what was. */
own_threads own_threads_set_one(const char *library);
void own_threads_restore(const char *library, own_threads before);

#endif
