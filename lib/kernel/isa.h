/* isa.h: the instruction sets that have kernels, and whether this build, CPU and system have them. */
#ifndef MMS_ISA_H
#define MMS_ISA_H

#include "kernel/kernel.h"

/* The kernels; NULL in a build for another architecture or by a compiler without the instructions. */
extern const mms_isa *const mms_isa_avx512, *const mms_isa_avx512vl, *const mms_isa_avx2, *const mms_isa_neon,
                                                                                              *const mms_isa_portable;

/* The name of row `index` of the table, in which wider vectors come first; NULL past its end. */
const char *mms_isa_name(size_t index);

/* The kernels of row `index`; NULL where the build has none, or this machine does not run them. */
const mms_isa *mms_isa_at(size_t index);

/* Whether there is a row of that name, and its kernels; NULL as above. */
bool mms_isa_find(const char *name, const mms_isa **isa);

/* The first row that runs here and pays; there always is one. */
const mms_isa *mms_isa_best(void);

#endif
