/* kernel.h: scans and sums in vector registers, for each instruction set and each row of the algebra.
 *
 * What differs between instruction sets is a vocabulary of vector operations. body.inc turns it into scans and sums by
 * the operators of cells.def. Slots of a kernel that are empty there are inherited (isa.c), so callers find all but
 * `stream` filled; where no instruction set has kernels for a row, all of them are the plain loop (generic.c). An
 * instruction set is added as a file with its vocabulary and lines in isa.c and cells.def: doc/ADDING_A_KERNEL.md. */
#ifndef MMS_KERNEL_H
#define MMS_KERNEL_H

#include "algebra/algebra.h"
#include "base/bits.h"
#include <stdbool.h>

enum {
  MMS_KERNEL_MOST = MMSCAN_MAX_TILE, /* most elements per call of a kernel: sums of so many may be regrouped */
  MMS_KERNEL_IN_ORDER = 8,           /* a scan of no more elements, and less than a block, adds in the loop's order */
  MMS_KERNEL_LINE = 64,              /* bytes of a cache line */
  MMS_KERNEL_BLOCK = 4,              /* vectors in flight together */
  MMS_KERNEL_RUN = 16384,            /* bytes: a scan cut at multiples of this gives the same bits */
  /* Prefetch distances in bytes; measured, doc/TUNING.md, "Prefetch distances": */
  MMS_KERNEL_PREFETCH = 4096, /* data that is read once */
  MMS_KERNEL_STREAMED = 8192, /* x, where results are streamed */
  MMS_KERNEL_SOON = 1024,     /* data in a cache, on cores that gain by it */
  MMS_KERNEL_FAR = 16384,     /* data from memory, read as one stream */
  MMS_KERNEL_PAGES = 65536,   /* pages of what a streamed scan reads and writes, for the TLB */
  MMS_KERNEL_CHUNK = 32768,   /* data from memory, read as two streams: the halves of chunks of so many bytes */
};

/* The result of adding up elements. */
typedef struct mms_found {
  mms_value total;  /* of all elements; the order of additions depends only on their number and the direction */
  bool is_ordinary; /* the elements may be regrouped: none is so large that a sum could overflow, or is a NaN of a
                       maximum; no product could leave the range of normal numbers */
  bool is_finite;   /* the total is finite */
  bool is_final;    /* the total is the carry out, whatever the carry in (engine/segmented.c) */
  bool second_is_ordinary, second_is_finite; /* the same of a second plane, whose total follows the first one; set and
                                                read by what scans two (engine/packed.c) */
} mms_found;

/* A kernel's functions get the kernel itself, for what depends on the row. */
typedef struct mms_kernel mms_kernel;

/* Adds up n elements from x, in the direction of the scan. */
typedef void mms_kernel_total(const mms_kernel *self, size_t n, const void *x, bool reverse, mms_found *found);

/* What a scan does besides, on its way through its elements. */
typedef struct mms_aside {
  mms_found *found;  /* not NULL: adds up n elements; the total takes a carry to the same bits as that of total(): */
  const void *ahead; /*   those from here on, which the scan does not write; NULL: its own, which are read only once */
  const void *prefetch; /* without `found`; not NULL: prefetches n elements from here on, which are likely to be read
                       next and need not exist; */
  bool to_second;       /*   into L2, as what is scanned takes L1; else into L1 */
  bool uncached; /* with `found` and without `ahead`: x comes from memory; prefetches it on cores that gain by it */
  bool paces;    /* holds streamed results back to the rate that some memory takes them at */
} mms_aside;

/* Scans n elements to y. x and y point to the element of lowest address; y is x or shares no memory with it. *carry
 * goes in and comes out. Each result is finite, infinite or NaN as that of the plain loop on the same carry. aside:
 * what the scan does besides; NULL: nothing. */
typedef void mms_kernel_scan(const mms_kernel *self, size_t n, const void *x, void *y, mms_value *carry,
                             const mms_aside *aside);

/* The shortest path for a simple call: scans n elements forward from a carry, with the bits of the scan, unless that
 * leaves so few to the plain loop (mms_kernel_is_in_order()). Always returns MMSCAN_OK, the status of the call, so that
 * the call can end in a jump here. */
typedef mmscan_status mms_kernel_simple(const mms_kernel *self, size_t n, const void *x, void *y, mms_first carry);

/* Many scans, as mms_loop_batch. */
typedef void mms_kernel_batch(const mms_kernel *self, const mms_batch *);

/* Where segments begin: element i does if bit at + i of `heads` is set; of n elements bit at + n is looked at, too, and
 * words up to the one after its own. Each starts from *first. */
typedef struct mms_cut {
  const uint64_t *heads;
  size_t at;
  const mms_value *first;
} mms_cut;

/* Scans n elements segment by segment, so that each result is finite, infinite or NaN as that of the plain loop over
 * its segment alone. *carry goes into the first one in the order of the scan, unless that begins there, and comes out
 * of the last. Results that are not exact may be rounded as often as a segment has vectors: for many short ones. */
typedef void mms_kernel_segments(const mms_kernel *self, size_t n, const void *x, void *y, const mms_cut *cut,
                                 mms_value *carry);

/* *carry = *carry combined with *total. Returns false and changes nothing if the carry is finite but so large that
 * adding elements whose total is ordinary might overflow; or so large or small that a product with them might. */
typedef bool mms_kernel_advance(const mms_kernel *self, mms_value *carry, const mms_value *total);

/* The slots of a kernel, which are filled together; by kind, and the scans by direction too: [1] is the reverse one. */
typedef enum mms_slot {
  MMS_SLOT_CORE, /* scan, total, advance */
  MMS_SLOT_SIMPLE,
  MMS_SLOT_STREAM,
  MMS_SLOT_STREAM_REVERSE,
  MMS_SLOT_BATCH,
  MMS_SLOT_BATCH_REVERSE,
  MMS_SLOT_SEGMENTS,
  MMS_SLOTS
} mms_slot;

struct mms_kernel {
  mms_kernel_scan *scan[MMS_KINDS][2];
  mms_kernel_total *total;
  mms_kernel_advance *advance;
  mms_kernel_simple *simple[MMS_KINDS];
  mms_kernel_scan *stream[MMS_KINDS][2]; /* writes past the caches: y is not x, and other threads see it after
                                            mms_stream_fence(). NULL: there is no such scan */
  mms_kernel_batch *batch[MMS_KINDS][2];
  mms_kernel_segments *segments[MMS_KINDS][2];
  size_t few;                    /* up to so many elements a simple call takes the plain loop, which is as fast */
  size_t vector;                 /* bytes of a vector of the core, on which bits depend unless the row is exact */
  const mms_algebra *algebra;    /* the row */
  const char *origin[MMS_SLOTS]; /* the instruction set that a slot comes from; "loop": the plain loop; "scan": it is
                                    made of the core; NULL: there is none */
};

/* One instruction set, with a kernel for every row. */
typedef struct mms_isa {
  const char *name;
  mms_kernel kernels[MMS_ALL_ROWS];
} mms_isa;

static inline const mms_kernel *mms_kernel_of(const mms_isa *isa, const mms_algebra *algebra) {
  return &isa->kernels[mms_algebra_index(algebra)];
}

/* Whether a scan of n elements is left to the plain loop, as it is short and less than a block. */
static inline bool mms_kernel_is_in_order(const mms_kernel *self, size_t n) {
  return n <= MMS_KERNEL_IN_ORDER && n < MMS_KERNEL_BLOCK * self->vector / self->algebra->size;
}

/* The kernel of a row that is the plain loop; and the slots made of a core, where a kernel has none of its own. */
mms_kernel mms_kernel_of_loop(const mms_algebra *algebra);
void mms_kernel_complete(mms_kernel *kernel);

/* The slot `segments` as the plain loop does it. */
void mms_kernel_segments_plainly(const mms_kernel *self, size_t n, const void *x, void *y, const mms_cut *cut,
                                 mms_value *carry, mmscan_kind kind, bool reverse);

#endif
