/* spread.h: threads that have a core each before they are timed.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SPREAD_H
#define SPREAD_H

/* A system may wake a thread on the core of another, and leave both there for milliseconds, or for good, while a core
 * is idle: what is timed then is one core. Returns once threads of OpenMP meet as soon as those do that have a core
 * each; or after a while, where there are not so many cores. The calling thread is never moved. */
void spread_out(int threads);

#endif
