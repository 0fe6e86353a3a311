/* test_cpu.c: which instruction sets run, and whose cores these are, as told by CPUs and systems that are made up here;
 * and what such cores do best.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/tuning.h"
#include "support/test.h"

#if defined(__x86_64__)
#include <cpuid.h>

/* Bits as in the manuals: of ECX of CPUID leaf 1, of EBX of leaf 7, of XCR0. */
enum { FMA = 1 << 12, OSXSAVE = 1 << 27, AVX = 1 << 28 };
enum { AVX2 = 1 << 5, F = 1 << 16, DQ = 1 << 17, BW = 1 << 30 };
enum { X87 = 1 << 0, SSE = 1 << 1, YMM = 1 << 2, OPMASK = 1 << 5, ZMM_HIGH = 1 << 6, ZMM_MORE = 1 << 7 };
static const uint32_t VL = UINT32_C(1) << 31, ALL1 = FMA | OSXSAVE | AVX, ALL_XCR0 = X87 | SSE | YMM | 0xE0;
static const uint32_t ALL7 = UINT32_C(1) << 31 | AVX2 | F | DQ | BW;

static void check(const char *what, uint32_t leaf1_c, uint32_t leaf7_b, uint32_t xcr0, bool avx2, bool avx512) {
  const mms_cpu_says says = {.leaf1_c = leaf1_c, .leaf7_b = leaf7_b, .xcr0 = xcr0};
  if (mms_cpu_says_avx2(&says) != avx2) fail_msg("%s: AVX2 %s", what, avx2 ? "runs" : "does not run");
  if (mms_cpu_says_fma(&says) != (avx2 && (leaf1_c & FMA) != 0)) fail_msg("%s: FMA", what);
  if (mms_cpu_says_avx512(&says) != avx512) fail_msg("%s: AVX-512 %s", what, avx512 ? "runs" : "does not run");
}

TEST(test_what_the_cpu_has) {
  static const uint32_t of_avx512[] = {F, DQ, BW, UINT32_C(1) << 31};
  check("nothing", 0, 0, 0, false, false);
  check("all", ALL1, ALL7, ALL_XCR0, true, true);
  check("every bit", UINT32_MAX, UINT32_MAX, UINT32_MAX, true, true);
  check("AVX2 alone", ALL1, AVX2, ALL_XCR0, true, false);
  check("no AVX2", ALL1, ALL7 & ~(uint32_t)AVX2, ALL_XCR0, false, false);
  check("no FMA", ALL1 & ~(uint32_t)FMA, ALL7, ALL_XCR0, true, false);
  check("no AVX", ALL1 & ~(uint32_t)AVX, ALL7, ALL_XCR0, false, false);
  check("no leaf 7", ALL1, 0, ALL_XCR0, false, false);
  for (size_t i = 0; i < COUNT(of_avx512); i++)
    check("a part of AVX-512", ALL1, ALL7 & ~of_avx512[i], ALL_XCR0, true, false);
  check("AVX-512VL alone", ALL1, VL, ALL_XCR0, false, false);
}

/* Registers that the system does not save must not be used, whatever the CPU has. */
TEST(test_what_the_system_saves) {
  static const uint32_t of_zmm[] = {OPMASK, ZMM_HIGH, ZMM_MORE};
  check("no OSXSAVE", ALL1 & ~(uint32_t)OSXSAVE, ALL7, ALL_XCR0, false, false);
  check("nothing saved", ALL1, ALL7, 0, false, false);
  check("x87 and SSE saved", ALL1, ALL7, X87 | SSE, false, false);
  check("no YMM saved", ALL1, ALL7, ALL_XCR0 & ~(uint32_t)YMM, false, false);
  check("no XMM saved", ALL1, ALL7, ALL_XCR0 & ~(uint32_t)SSE, false, false);
  check("no ZMM saved", ALL1, ALL7, X87 | SSE | YMM, true, false);
  for (size_t i = 0; i < COUNT(of_zmm); i++)
    check("a part of ZMM saved", ALL1, ALL7, ALL_XCR0 & ~of_zmm[i], true, false);
}

/* The compiler's runtime checks the same. */
TEST(test_this_cpu) {
  assert_int_equal(mms_cpu_runs_avx2(), !!__builtin_cpu_supports("avx2"));
  if (mms_cpu_runs_avx512()) assert_true(mms_cpu_runs_avx2() && __builtin_cpu_supports("avx512vl"));
}

/* Signatures of real CPUs: EAX of leaf 1 holds the family, the model and the stepping. */
TEST(test_whose_cores) {
  enum { GENU = 0x756E6547, AUTH = 0x68747541, CENT = 0x746E6543 };
  static const struct {
    const char *what;
    uint32_t maker, signature;
    mms_cores cores;
  } cpus[] = {{"nothing", 0, 0, MMS_CORES_OTHER},
              {"VIA", CENT, 0x000006F8, MMS_CORES_OTHER},
              {"Haswell", GENU, 0x000306C3, MMS_CORES_INTEL},
              {"Emerald Rapids", GENU, 0x000C06F2, MMS_CORES_INTEL},
              {"Excavator", AUTH, 0x00660F01, MMS_CORES_AMD},
              {"Rome", AUTH, 0x00830F10, MMS_CORES_AMD},
              {"Milan", AUTH, 0x00A00F11, MMS_CORES_ZEN_3},
              {"Vermeer", AUTH, 0x00A20F12, MMS_CORES_ZEN_3},
              {"Cezanne", AUTH, 0x00A50F00, MMS_CORES_ZEN_3},
              {"Genoa", AUTH, 0x00A10F11, MMS_CORES_ZEN_4},
              {"Raphael", AUTH, 0x00A60F12, MMS_CORES_ZEN_4},
              {"Bergamo", AUTH, 0x00AA0F02, MMS_CORES_ZEN_4},
              {"Turin", AUTH, 0x00B00F21, MMS_CORES_ZEN_5},
              {"Granite Ridge", AUTH, 0x00B40F40, MMS_CORES_ZEN_5},
              {"a later one", AUTH, 0x00C00F00, MMS_CORES_ZEN_5}};
  for (size_t i = 0; i < COUNT(cpus); i++) {
    const mms_cpu_says says = {.leaf0_b = cpus[i].maker, .leaf1_a = cpus[i].signature};
    if (mms_cpu_says_cores(&says) != cpus[i].cores)
      fail_msg("%s: %d instead of %d", cpus[i].what, (int)mms_cpu_says_cores(&says), (int)cpus[i].cores);
  }
}

/* Whether there is a leaf that describes caches: bit 22 of ECX of leaf 0x80000001. */
static bool has_topology(void) {
  uint32_t a, b, c, d;
  return __get_cpuid(0x80000001, &a, &b, &c, &d) && (c >> 22 & 1);
}

/* Linux reads the same in its own way, or guesses where the CPU does not say. */
TEST(test_the_last_cache) {
  if (mms_cpu_cores() < MMS_CORES_AMD) {
    assert_int_equal(mms_cpu_die_cache(), 0);
    return;
  }
  size_t kib = 0;
  for (int i = 0; i < 8; i++) {
    char path[64];
    size_t here;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", i);
    FILE *file = fopen(path, "re");
    if (file && fscanf(file, "%zuK", &here) == 1) kib = here;
    if (file) fclose(file);
  }
  skip_if(kib == 0 || !has_topology(), "the system or the CPU says nothing of caches");
  assert_int_equal(mms_cpu_die_cache(), kib << 10);
}

#else

TEST(test_another_machine) {
  assert_int_equal(mms_cpu_cores(), MMS_CORES_OTHER);
  assert_false(mms_cpu_runs_avx2() || mms_cpu_runs_avx512());
}

#endif

static void check_tuning(mms_cores cores, size_t own_kib, size_t last_mib, mms_tuning want) {
  const mms_tuning h = mms_tuning_of(cores, own_kib << 10, last_mib << 20);
  assert_int_equal(h.fetches, want.fetches);
  assert_int_equal(h.two_streams, want.two_streams);
  assert_int_equal(h.has_dies, want.has_dies);
  assert_int_equal(h.reduces_slowly, want.reduces_slowly);
  assert_int_equal(h.long_groups, want.long_groups);
  assert_int_equal(h.alone_from < SIZE_MAX, want.alone_from != 0);
  assert_int_equal(h.paces, want.paces);
  assert_int_equal(h.stream_from, want.stream_from << 20);
  assert_int_equal(h.half_cache, want.half_cache << 10);
  assert_true(h.slower == want.slower);
}

/* As in doc/TUNING.md, "The tuning row"; sizes here are in MiB and KiB. */
TEST(test_tuning) {
  mms_tuning amd = {.has_dies = true, .stream_from = 8, .half_cache = 256, .slower = 1};
  check_tuning(MMS_CORES_OTHER, 0, 0, (mms_tuning){.stream_from = 8, .half_cache = 512, .slower = 1});
  check_tuning(MMS_CORES_INTEL, 2048, 0,
               (mms_tuning){.fetches = true, .stream_from = 8, .half_cache = 1024, .slower = 2});
  check_tuning(MMS_CORES_AMD, 512, 16, amd);
  amd.long_groups = true;
  amd.two_streams = true;
  check_tuning(MMS_CORES_ZEN_3, 512, 32, amd);
  amd.two_streams = false;
  amd.half_cache = 512;
  check_tuning(MMS_CORES_ZEN_4, 1024, 16, amd);
  amd.stream_from = 16;
  check_tuning(MMS_CORES_ZEN_4, 1024, 32, amd);
  check_tuning(MMS_CORES_ZEN_4, 1024, 0, amd);
  amd.reduces_slowly = amd.paces = true;
  amd.alone_from = 96;
  check_tuning(MMS_CORES_ZEN_5, 1024, 32, amd);
}

int main(void) { return run_all_tests(NULL, NULL); }
