/* handoff.h: how long a value takes from one thread to another.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef HANDOFF_H
#define HANDOFF_H

/* Seconds until one OpenMP thread sees what another has just stored: some 50 ns where their cores share a cache,
 * several times that where they do not. The system or the hypervisor may move threads, which changes the time of
 * everything they do together. 0 if there is only one thread. */
double handoff_seconds(void);

#endif
