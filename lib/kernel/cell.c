/* cell.c: the kernels of one operator by one instruction set. The Makefile compiles it once for each line of cells.def,
 * with ISA and OPERATORS as that line has them: the vocabulary of ISA makes the kernels of OPERATORS.
 *
 * NAME(f) is the function f of the operator's kernels for a type: `total_plus_f32` in a debugger is NAME(total) of a
 * file here, in the cell of `plus`; `inclusive_alone_plus_f32` is FORM(alone) of form.inc.
 *
 * A vocabulary (doc/ADDING_A_KERNEL.md says what each function gives) begins with `#if` and what macros tell that the
 * compiler has the instructions, and defines HAS_VECTORS there. It also defines few_floats_32 and its three sisters,
 * and these settings, which change no result:
 *
 *   LOOKS       1: scans add up or prefetch other elements on their way, and short ones have a path of their own
 *               0: all is done by the scan alone, and adding up takes a pass of its own
 *   STREAMS     1: there are scans that store past the caches
 *   BATCHES     1: there are scans of many short rows at a time
 *   PREFETCHES  true: more is prefetched into the first-level cache
 *   REREADS     1: a vector is loaded again, one element back, in place of its first move
 *   PACES       true: streamed results are held back a little, on cores that gain by it
 *   TURN        bytes that are scanned, and then added up ahead, in turn; 0: block by block
 *   HALVES      1: columns are taken apart by moves within the halves of a vector (rows of the engine gemm)
 *   FUSES       1: multiply_add_f64() rounds once
 *   WIDENS      1: load_u8() and its like load elements of other types (engine/image/raster_body.inc) */
#include "kernel/cell.h"

#define KERNEL_BODY "kernel/body.inc"
#define FLOAT_MAP   "kernel/map_carry.inc"
#define TABLE       PASTED(PASTED(mms_kernels, ISA), OPERATORS)
#include KERNEL_FILE(PASTED(vocabulary, ISA))

#if HAS_VECTORS
#include "kernel/slide.inc"

#include KERNEL_FILE(OPERATORS)

/* Lanes that the operator has no kernel for: an empty one, which inherits everything. */
static const mms_kernel NAMED(kernel, f32), NAMED(kernel, f64), NAMED(kernel, i32), NAMED(kernel, i64);

const mms_kernel *const TABLE[MMS_LANES] = {[MMS_LANES_F32] = &NAMED(kernel, f32),
                                            [MMS_LANES_F64] = &NAMED(kernel, f64),
                                            [MMS_LANES_I32] = &NAMED(kernel, i32),
                                            [MMS_LANES_I64] = &NAMED(kernel, i64)};
#else
const mms_kernel *const TABLE[MMS_LANES];
#endif
