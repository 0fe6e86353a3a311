/* dakkak.h: the scans of "Accelerating Reduction and Scan Using Tensor Core Units" (Dakkak et al., 2019), with s for
 * its 16, on a machine. For commutative operators only: L A adds down the columns of a tile, not in order. */
#ifndef MMS_DAKKAK_H
#define MMS_DAKKAK_H

#include "paper/machine.h"

/* Algorithm 6 (warp): at most s^2 elements. */
mms_machine_size mms_dakkak_warp_size(size_t n, size_t s);
void mms_dakkak_warp(mms_machine *m);

/* Algorithm 7 (block): any n. */
mms_machine_size mms_dakkak_block_size(size_t n, size_t s);
void mms_dakkak_block(mms_machine *m);

#endif
