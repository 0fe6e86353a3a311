/* own_threads.h: the threads that a BLAS starts by itself.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef OWN_THREADS_H
#define OWN_THREADS_H

/* Sets how many threads a loaded library uses in a call, and returns how many it used before; 0 where it is not loaded,
 * or has no such setting. */
int own_threads_set(const char *library, int threads);

#endif
