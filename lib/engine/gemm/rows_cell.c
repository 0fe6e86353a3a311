/* rows_cell.c: the rows of one instruction set. The Makefile compiles it once for each line of rows.def, with ISA as
 * that line has it. NAME(f) is as in kernel/cell.c. */
#include "kernel/cell.h"

#include "engine/gemm/rows.h"

#define KERNEL_BODY "engine/gemm/rows_body.inc"
#define FLOAT_MAP   "kernel/map_none.inc"
#include KERNEL_FILE(PASTED(vocabulary, ISA))

#if HAS_VECTORS
#include "kernel/slide.inc"

/* A function of the vocabulary that moves lanes of two vectors into one. */
typedef bits move(bits a, bits b);

#include "kernel/plus.inc"

const mms_rows *const PASTED(mms_rows, ISA)[MMS_LANES] = {[MMS_LANES_F32] = &NAMED(rows, f32),
                                                          [MMS_LANES_F64] = &NAMED(rows, f64),
                                                          [MMS_LANES_I32] = &NAMED(rows, i32),
                                                          [MMS_LANES_I64] = &NAMED(rows, i64)};
#else
const mms_rows *const PASTED(mms_rows, ISA)[MMS_LANES];
#endif
