/* mmscan_mpi.h: scans over the parts of the ranks of a communicator.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Served by libmmscan_mpi, which is built for one MPI (make mpi) and uses libmmscan. */
#ifndef MMSCAN_MPI_H
#define MMSCAN_MPI_H

#include <mmscan.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* Scans x into y over the parts of all ranks of comm, one after the other in the order of ranks, as mmscan_scan() would
 * if they were one array: of each scan that *desc describes a rank has desc->n elements at x, which may differ from
 * rank to rank and be 0, and writes as many results to y. A collective call: every rank of comm makes it. comm is one
 * of processes that are one group (MPI_COMM_SELF, say). The first call duplicates it, so that no message of the program
 * meets one of the library; the duplicate is kept with it, and freed as it is.
 *
 * n, strides and distances (of outer dimensions, too), addresses, and what n makes of these are a rank's own. All else
 * of *desc is to be the same on every rank: types, op, kind, direction, flags, batch, the lengths of outer dimensions,
 * the bytes of init, and whether totals and indices are asked for. MMSCAN_OFFSETS gives each rank n + 1 results, the
 * first of which is the one before its part: a rank's last result is the first one of the next. In a reverse scan it is
 * the same, from the last rank to the first, and y[0] of the first rank is the total. totals and indices are of the
 * whole scan, on every rank; indices count from the first element of the first rank. (With MMSCAN_SKIP_NAN
 * and no init, an element that is the identity to the bit counts as none.)
 *
 * In place, alignment, ownership: as mmscan_scan(). Threads: each rank scans by its own, as MMSCAN_NUM_THREADS and
 * OpenMP say; MPI is called by the calling thread alone, so that MPI_THREAD_FUNNELED is enough where that is the main
 * one. Calls on different communicators may run at once under MPI_THREAD_MULTIPLE.
 *
 * Each rank reads its part for the carry, all carries are combined by one MPI_Exscan, and each rank scans its part from
 * there: 3n transfers, or 2n where a part fits in a cache. A batch is cut into chunks of scans that do, where these are
 * 64 at least, or of 2 MiB of what is kept of each scan; one chunk is read while the carries of the one before are
 * waited for (MPI_Iexscan). Ranks scan one after the other instead, from the carry of the rank before, where carries
 * cannot be combined (mmscan_carry_combine()): with MMSCAN_MONOTONE; products of complex numbers; products with
 * MMSCAN_REPRODUCIBLE; and where elements are not finite, or sums or products near the ends of the range.
 *
 * Memory: at most 5 MiB a rank, 24 bytes for each rank of comm, and what mmscan_scan_block() with y takes. Each scan of
 * a batch takes about a microsecond beside that of its elements, and several with MMSCAN_REPRODUCIBLE: many short scans
 * are better parted among the ranks whole, which then need nothing of each other.
 *
 * Results are those of mmscan_scan(), with its bound on errors, to the bit where its operator is exact; but a sum or
 * product that overflows in some part may be finite again from the next rank on, where the exact one is. With
 * MMSCAN_REPRODUCIBLE they have the bits of one process for every number of ranks and every cut: a tile of MMSCAN_BLOCK
 * elements that is cut by ranks is scanned by the rank that has its first element, to which the others send theirs.
 * (Not where sums of elements that are each below max / 2^20 pass max / 2.) Totals have the bits of the last inclusive
 * result.
 *
 * Every rank returns the same status, the greatest of those that ranks have; y is untouched on all of them if one finds
 * its arguments or its environment wrong, has no memory for the call, or fails while it reads its part of the first
 * chunk for the carry.
 *
 * MMSCAN_EINVAL    desc or an array is wrong on some rank, as for mmscan_scan(); descriptions differ in more than they
 *                  may; comm is MPI_COMM_NULL or an inter-communicator; MPI_Init() was not called, or
 *                  MPI_Finalize() was: sessions alone do not do
 * MMSCAN_ENOMEM    no memory on some rank
 * MMSCAN_EIO       a call of MPI failed, and returned. The error handler of comm is asked as it is duplicated, and
 * later that of the duplicate, which returns and as mmscan_scan()
 */
mmscan_status mmscan_mpi_scan(const mmscan_desc *desc, const void *x, void *y, MPI_Comm comm);

/* As mmscan_mpi_scan(), for one block of a scan that comes in blocks, each of which has a part on every rank. carry and
 * desc->state are those of mmscan_scan_block(), the same on every rank: on entry of everything before the block, on
 * return, on every rank, of everything up to and including it. desc->init is NULL; MMSCAN_OFFSETS and outer dimensions
 * are MMSCAN_ENOTSUP; y is not NULL. Totals are of all blocks so far; indices count in the block, from the first
 * element of the first rank.
 *
 * With MMSCAN_REPRODUCIBLE and a state the bits are those of one call over everything, if in every block but the one
 * scanned last the parts of all ranks together have a multiple of MMSCAN_BLOCK elements.
 *
 * Statuses as of mmscan_mpi_scan(); MMSCAN_EINVAL if desc->init is not NULL, or carry is. carry and state are untouched
 * where y is sure to be. */
mmscan_status mmscan_mpi_scan_block(const mmscan_desc *desc, const void *x, void *y, void *carry, MPI_Comm comm);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif /* MMSCAN_MPI_H */
