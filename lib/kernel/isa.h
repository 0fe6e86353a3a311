/* isa.h: the instruction sets that have kernels, and whether this build, CPU and system have them. */
#ifndef MMS_ISA_H
#define MMS_ISA_H

#include "kernel/kernel.h"

/* The cells of cells.def: kernels by lanes; NULL where the cell has none. All are NULL in a build for another
 * architecture, or by a compiler without the instructions. */
#define MMS_CELL(isa, op) extern const mms_kernel *const mms_kernels_##isa##_##op[MMS_LANES];
#include "kernel/cells.def"
#undef MMS_CELL

/* The name of row `index` of the table, in which better ones come first; NULL past its end. */
const char *mms_isa_name(size_t index);

/* Row `index`; NULL where the build has none of its kernels, or this machine does not run them. */
const mms_isa *mms_isa_at(size_t index);

/* Whether there is a row of that name, and its kernels; NULL as above. */
bool mms_isa_find(const char *name, const mms_isa **isa);

/* Bytes of vectors that every machine has, or is made to have; and the first row, from `isa` on, whose kernel for a sum
 * or product of floats has such vectors. So its results have the same bits everywhere. */
enum { MMS_ISA_VECTOR = 32 };
const mms_isa *mms_isa_of_vectors(const mms_isa *isa, const mms_algebra *algebra);

/* The first row that runs here and pays; there always is one. */
const mms_isa *mms_isa_best(void);

#endif
