/* cpu.h: what this CPU and its system can do. */
#ifndef MMS_CPU_H
#define MMS_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether this machine runs what the cells of avx512 and avx512vl, or of avx2, are compiled for: the CPU has the
 * instructions, and the system saves the registers. */
bool mms_cpu_runs_avx512(void);
bool mms_cpu_runs_avx2(void);

/* And, where it runs avx2, conversions between f16 and f32; and products and sums in one instruction. */
bool mms_cpu_runs_f16c(void);
bool mms_cpu_runs_fma(void);

/* Whose cores they are, as far as they differ in what they do best. Of AMD's, later cores have greater values. */
typedef enum mms_cores {
  MMS_CORES_OTHER,
  MMS_CORES_INTEL,
  MMS_CORES_AMD, /* before Zen 3 */
  MMS_CORES_ZEN_3,
  MMS_CORES_ZEN_4,
  MMS_CORES_ZEN_5 /* and later */
} mms_cores;
mms_cores mms_cpu_cores(void);

/* On a CPU that runs both, whether avx512 is faster than avx512vl: its cores do not do vectors of 512 bits in two
 * turns. */
bool mms_cpu_512_pays(void);

#if defined(__x86_64__)
/* What all of this is derived from: EBX of CPUID leaf 0, EAX and ECX of leaf 1, EBX of leaf 7; and XCR0, which is read
 * only if the system has set OSXSAVE. */
typedef struct mms_cpu_says {
  uint32_t leaf0_b, leaf1_a, leaf1_c, leaf7_b, xcr0;
} mms_cpu_says;
bool mms_cpu_says_avx512(const mms_cpu_says *says);
bool mms_cpu_says_avx2(const mms_cpu_says *says);
bool mms_cpu_says_f16c(const mms_cpu_says *says);
bool mms_cpu_says_fma(const mms_cpu_says *says);
mms_cores mms_cpu_says_cores(const mms_cpu_says *says);
#endif

/* Bytes of the last-level cache of an AMD die, as the CPU says itself; 0: not AMD's, or not said. */
size_t mms_cpu_die_cache(void);

/* The CPU's name for itself, in printable ASCII without double quotes; "unknown" where it gives none. */
const char *mms_cpu_name(void);

/* Tells CPUs of one name apart: family, model and stepping as in CPUID; 0 where nothing else is known. */
uint32_t mms_cpu_signature(void);

#endif
