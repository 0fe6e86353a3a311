/* cpu.h: what this CPU and its system can do. */
#ifndef MMS_CPU_H
#define MMS_CPU_H

#include <stdbool.h>

/* What kernel/avx512.c, kernel/avx512vl.c and kernel/avx2.c are compiled for: the instructions, and registers that the
 * system saves. */
bool mms_cpu_runs_avx512(void);
bool mms_cpu_runs_avx2(void);

/* Whether the cores have units of 512 bits, or do such a vector in two turns. */
bool mms_cpu_is_512_wide(void);

/* What the CPU calls itself, in printable ASCII without double quotes; "unknown" where it does not say. */
const char *mms_cpu_name(void);

#endif
