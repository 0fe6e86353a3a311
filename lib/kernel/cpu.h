/* cpu.h: what this CPU and its system can do. */
#ifndef MMS_CPU_H
#define MMS_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What kernel/avx512.c, kernel/avx512vl.c and kernel/avx2.c are compiled for: the instructions, and registers that the
 * system saves. */
bool mms_cpu_runs_avx512(void);
bool mms_cpu_runs_avx2(void);

#if defined(__x86_64__)
/* What that is told from: ECX of CPUID leaf 1, EBX of leaf 7, and XCR0, which is read where the system has set OSXSAVE.
 */
typedef struct mms_cpu_says {
  uint32_t leaf1_c, leaf7_b, xcr0;
} mms_cpu_says;
bool mms_cpu_says_avx512(const mms_cpu_says *says);
bool mms_cpu_says_avx2(const mms_cpu_says *says);
#endif

/* Whether the cores have units of 512 bits, or do such a vector in two turns. */
bool mms_cpu_is_512_wide(void);

/* Who made it: cores of Intel's; or of AMD's, and of these Zen 3, Zen 4 or Zen 5, or what came after it. */
bool mms_cpu_is_intel(void);
bool mms_cpu_is_amd(void);
bool mms_cpu_is_zen_3(void);
bool mms_cpu_is_zen_4(void);
bool mms_cpu_is_zen_5(void);

/* Bytes of the last cache of a die of AMD's, as it says itself; 0: it is not one, or does not say. */
size_t mms_cpu_die_cache(void);

/* What the CPU calls itself, in printable ASCII without double quotes; "unknown" where it does not say. */
const char *mms_cpu_name(void);

/* Tells CPUs of one name apart: family, model and stepping as CPUID has them; 0 where nothing else is known. */
uint32_t mms_cpu_signature(void);

#endif
