/* recurrence_cell.c: the recurrences of one instruction set. The Makefile compiles it once for each line of
 * recurrence.def, with ISA as that line has it. */
#include "kernel/cell.h"

#include "base/stream.h"
#include "engine/recurrence_cell.h"
#undef NAME
#include KERNEL_FILE(PASTED(vocabulary, ISA))

#if HAS_VECTORS
#include "kernel/slide.inc"

#define T     float
#define WHOLE uint32_t
#define LANE  32
#define TYPED(f) f##32
#define MOST  FLT_MAX
#define FIELD pair_f32
#define RANGE 3.5f /* to the power of a block it is a normal number, and so is its inverse */
#define SUFFIX f32
#include "engine/recurrence_real.inc"
#define SUFFIX c32
#include "engine/recurrence_complex.inc"
#undef T
#undef WHOLE
#undef LANE
#undef TYPED
#undef MOST
#undef FIELD
#undef RANGE

#define T     double
#define WHOLE uint64_t
#define LANE  64
#define TYPED(f) f##64
#define MOST  DBL_MAX
#define FIELD pair_f64
#define RANGE 1e9
#define SUFFIX f64
#include "engine/recurrence_real.inc"
#define SUFFIX c64
#include "engine/recurrence_complex.inc"

const mms_recurrences *const PASTED(mms_recurrences, ISA)[MMSCAN_C64 + 1] = {[MMSCAN_F32] = &recurrences_f32,
                                                                             [MMSCAN_F64] = &recurrences_f64,
                                                                             [MMSCAN_C32] = &recurrences_c32,
                                                                             [MMSCAN_C64] = &recurrences_c64};
#else
const mms_recurrences *const PASTED(mms_recurrences, ISA)[MMSCAN_C64 + 1];
#endif
