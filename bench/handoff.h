/* handoff.h: how far apart two threads are.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef HANDOFF_H
#define HANDOFF_H

/* Seconds until one thread of OpenMP sees what another has just stored: some 50 ns where their cores share a cache,
 * several times that where they do not. A system or a hypervisor may move threads, and then all that they do together
 * takes another time. 0 where there is only one thread. */
double handoff_seconds(void);

#endif
