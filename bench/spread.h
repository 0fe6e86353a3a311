/* spread.h: gives threads a core each before they are timed.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SPREAD_H
#define SPREAD_H

/* The system may wake a thread on a core that another thread uses, and leave both there for milliseconds, or for good,
 * while a core is idle: one core would then be timed. Moves threads until OpenMP's threads meet as soon as those do
 * that have a core each, or gives up after a while, for lack of cores. Never moves the calling thread. */
void spread_out(int threads);

#endif
