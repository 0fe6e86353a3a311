/* peers.h: the table of other people's scans.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef PEERS_H
#define PEERS_H

#include "peer.h"

extern const peer peer_omp_simd, peer_omp_simd_avx2, peer_omp_parallel, peer_two_pass, peer_two_pass_simd;

/* Row `index` of the table; NULL past its end. */
const peer *peers_at(size_t index);

/* Why the peer cannot run here; NULL if it can. A static string. */
const char *peers_refusal(const peer *p);

#endif
