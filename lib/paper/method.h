/* method.h: the contract of a method of Table 1 that is run on a machine, and those there are. */
#ifndef MMS_METHOD_H
#define MMS_METHOD_H

#include "mmscan_paper.h"
#include "paper/machine.h"

typedef struct mms_method {
  mmscan_method about;                          /* what mmscan_get_method() gives, but for struct_size */
  bool is_one_tile;                             /* n is at most s^2 */
  bool has_length_rule;                         /* it looks at length_rule */
  mms_machine_size (*size)(size_t n, size_t s); /* of the machine that run() needs */
  void (*run)(mms_machine *machine);            /* NULL: mms_matmulscan() does it, on no machine */
} mms_method;

/* Parallel prefix networks, for any n; they ignore s. */
extern const mms_method mms_method_sklansky, mms_method_hillis_steele, mms_method_blelloch, mms_method_brent_kung;

/* The scans of "Accelerating Reduction and Scan Using Tensor Core Units" (Dakkak et al., 2019), with s for its 16. For
 * commutative operators only: L A adds down the columns of a tile, not in order. */
extern const mms_method mms_method_dakkak_warp, mms_method_dakkak_block;

#endif
