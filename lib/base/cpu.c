/* cpu.c: CPUID and XGETBV on x86-64; elsewhere the build says enough. */
#include "base/cpu.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>

/* Bits of XCR0: the register state that the system saves for a thread. */
enum { SAVES_XMM_YMM = 0x06, SAVES_ZMM = 0xE0 };

static mms_cpu_says said;

/* Leaf by leaf, without asking each time whether there is one: under a hypervisor an answer takes microseconds, and the
 * first call of a process waits for them. */
static void ask(void) {
  uint32_t a, b, c, d;
  const uint32_t most = __get_cpuid_max(0, &said.leaf0_b);
  if (most >= 1) {
    __cpuid(1, a, b, c, d);
    said.leaf1_a = a, said.leaf1_c = c;
  }
  if (most >= 7) {
    __cpuid_count(7, 0, a, b, c, d);
    said.leaf7_b = b;
  }
  if (said.leaf1_c & bit_OSXSAVE) __asm__ volatile("xgetbv" : "=a"(said.xcr0), "=d"(d) : "c"(0));
}

static const mms_cpu_says *ask_once(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, ask);
  return &said;
}

static bool saves(const mms_cpu_says *s, uint32_t state) {
  return (s->leaf1_c & bit_OSXSAVE) && (s->leaf1_c & bit_AVX) && (s->xcr0 & state) == state;
}

static bool has(const mms_cpu_says *s, uint32_t features) { return (s->leaf7_b & features) == features; }

bool mms_cpu_says_avx2(const mms_cpu_says *s) { return saves(s, SAVES_XMM_YMM) && has(s, bit_AVX2); }

bool mms_cpu_says_f16c(const mms_cpu_says *s) { return mms_cpu_says_avx2(s) && (s->leaf1_c & bit_F16C); }

bool mms_cpu_says_fma(const mms_cpu_says *s) { return mms_cpu_says_avx2(s) && (s->leaf1_c & bit_FMA); }

bool mms_cpu_says_avx512(const mms_cpu_says *s) {
  return saves(s, SAVES_XMM_YMM | SAVES_ZMM) && (s->leaf1_c & bit_FMA) &&
         has(s, bit_AVX2 | bit_AVX512F | bit_AVX512BW | bit_AVX512DQ | bit_AVX512VL);
}

/* AMD's families 0x17 to 0x1A are Zen and Zen 2 (0x17), none (0x18), Zen 3 and Zen 4 (0x19), Zen 5 (0x1A). Which models
 * of 0x19 are Zen 4 is taken from Linux (arch/x86/kernel/cpu/amd.c). */
static mms_cores of_amd(uint32_t family, uint32_t model) {
  if (family != 0x19) return family < 0x19 ? MMS_CORES_AMD : MMS_CORES_ZEN_5;
  return model >> 4 == 1 || model >= 0x60 ? MMS_CORES_ZEN_4 : MMS_CORES_ZEN_3;
}

mms_cores mms_cpu_says_cores(const mms_cpu_says *s) {
  const uint32_t a = s->leaf1_a;
  if (s->leaf0_b == signature_INTEL_ebx) return MMS_CORES_INTEL;
  if (s->leaf0_b != signature_AMD_ebx) return MMS_CORES_OTHER;
  return of_amd((a >> 8 & 0xF) + (a >> 20 & 0xFF), (a >> 4 & 0xF) | (a >> 12 & 0xF0));
}

bool mms_cpu_runs_avx2(void) { return mms_cpu_says_avx2(ask_once()); }
bool mms_cpu_runs_f16c(void) { return mms_cpu_says_f16c(ask_once()); }
bool mms_cpu_runs_fma(void) { return mms_cpu_says_fma(ask_once()); }

bool mms_cpu_runs_avx512(void) { return mms_cpu_says_avx512(ask_once()); }

mms_cores mms_cpu_cores(void) { return mms_cpu_says_cores(ask_once()); }

bool mms_cpu_512_pays(void) { return mms_cpu_cores() != MMS_CORES_ZEN_4; }

/* Each subleaf of leaf 0x8000001D describes a cache, the fourth one the last cache; a hypervisor may leave some out. A
 * CPU of AMD answers zeros where it has no such leaf. */
size_t mms_cpu_die_cache(void) {
  enum { LAST = 3, TYPES = 0x1F };
  uint32_t a, b, c, d;
  if (mms_cpu_cores() < MMS_CORES_AMD) return 0;
  for (uint32_t i = LAST + 1; i-- > 0;) {
    __cpuid_count(0x8000001D, i, a, b, c, d);
    const size_t line = (b & 0xFFF) + 1, parts = (b >> 12 & 0x3FF) + 1, ways = (b >> 22) + 1, sets = (size_t)c + 1;
    if (a & TYPES) return line * parts * ways * sets;
  }
  return 0;
}

/* The brand string: three leaves of 16 bytes. */
static void read_name(char *to, size_t size) {
  uint32_t words[13] = {0};
  for (uint32_t leaf = 0; leaf < 3; leaf++) {
    uint32_t *w = words + 4 * leaf;
    if (!__get_cpuid(0x80000002 + leaf, &w[0], &w[1], &w[2], &w[3])) return;
  }
  snprintf(to, size, "%s", (const char *)words);
}

uint32_t mms_cpu_signature(void) { return ask_once()->leaf1_a; }

#else
bool mms_cpu_runs_avx2(void) { return false; }
bool mms_cpu_runs_f16c(void) { return false; }
bool mms_cpu_runs_fma(void) { return false; }
bool mms_cpu_runs_avx512(void) { return false; }
mms_cores mms_cpu_cores(void) { return MMS_CORES_OTHER; }
bool mms_cpu_512_pays(void) { return false; }
size_t mms_cpu_die_cache(void) { return 0; }
uint32_t mms_cpu_signature(void) { return 0; }

/* Whether a line of /proc/cpuinfo says what CPU it is. On ARM it takes all four lines that begin with "CPU". */
static bool tells_cpu(const char *line) {
  static const char *const keys[] = {"CPU implementer", "CPU variant", "CPU part", "CPU revision", "model name",
                                     "cpu\t",           "revision",    "uarch",    "isa"};
  size_t i = 0;
  while (i < sizeof keys / sizeof *keys && strncmp(line, keys[i], strlen(keys[i])) != 0) i++;
  return i < sizeof keys / sizeof *keys;
}

/* What Linux says of the first core, up to the first empty line. */
static void read_name(char *to, size_t size) {
  char line[256];
  FILE *file = fopen("/proc/cpuinfo", "re");
  if (!file) return;
  for (size_t used = 0; used < size && fgets(line, sizeof line, file) && *line != '\n';) {
    const char *colon = strchr(line, ':');
    if (colon && tells_cpu(line))
      used += (size_t)snprintf(to + used, size - used, "%.*s", (int)strcspn(colon + 1, "\n"), colon + 1);
  }
  fclose(file);
}
#endif

static char name[128];

/* Makes anything that is not a plain character a space, and leaves no spaces at the ends. */
static void look(void) {
  snprintf(name, sizeof name, "unknown");
  read_name(name, sizeof name);
  for (char *c = name; *c; c++)
    if (*c < ' ' || *c > '~' || *c == '"') *c = ' ';
  size_t start = strspn(name, " "), end = strlen(name);
  while (end > start && name[end - 1] == ' ') end--;
  memmove(name, name + start, end - start);
  name[end - start] = '\0';
}

const char *mms_cpu_name(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, look);
  return name;
}
