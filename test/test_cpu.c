/* test_cpu.c: which instruction sets run, by what CPUs and systems that are made up here say of themselves.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "kernel/cpu.h"
#include "test.h"

#if defined(__x86_64__)
#include <cpuid.h>

/* Bits by the manuals: of ECX of CPUID leaf 1, of EBX of leaf 7, of XCR0. */
enum { FMA = 1 << 12, OSXSAVE = 1 << 27, AVX = 1 << 28 };
enum { AVX2 = 1 << 5, F = 1 << 16, DQ = 1 << 17, BW = 1 << 30 };
enum { X87 = 1 << 0, SSE = 1 << 1, YMM = 1 << 2, OPMASK = 1 << 5, ZMM_HIGH = 1 << 6, ZMM_MORE = 1 << 7 };
static const uint32_t VL = UINT32_C(1) << 31, ALL1 = FMA | OSXSAVE | AVX, ALL_XCR0 = X87 | SSE | YMM | 0xE0;
static const uint32_t ALL7 = UINT32_C(1) << 31 | AVX2 | F | DQ | BW;

static void check(const char *what, mms_cpu_says says, bool avx2, bool avx512) {
  if (mms_cpu_says_avx2(&says) != avx2) fail_msg("%s: AVX2 %s", what, avx2 ? "runs" : "does not run");
  if (mms_cpu_says_avx512(&says) != avx512) fail_msg("%s: AVX-512 %s", what, avx512 ? "runs" : "does not run");
}

static void test_what_the_cpu_has(void **state) {
  (void)state;
  static const uint32_t of_avx512[] = {F, DQ, BW, UINT32_C(1) << 31};
  check("nothing", (mms_cpu_says){0, 0, 0}, false, false);
  check("all", (mms_cpu_says){ALL1, ALL7, ALL_XCR0}, true, true);
  check("every bit", (mms_cpu_says){UINT32_MAX, UINT32_MAX, UINT32_MAX}, true, true);
  check("AVX2 alone", (mms_cpu_says){ALL1, AVX2, ALL_XCR0}, true, false);
  check("no AVX2", (mms_cpu_says){ALL1, ALL7 & ~(uint32_t)AVX2, ALL_XCR0}, false, false);
  check("no FMA", (mms_cpu_says){ALL1 & ~(uint32_t)FMA, ALL7, ALL_XCR0}, false, false);
  check("no AVX", (mms_cpu_says){ALL1 & ~(uint32_t)AVX, ALL7, ALL_XCR0}, false, false);
  check("no leaf 7", (mms_cpu_says){ALL1, 0, ALL_XCR0}, false, false);
  for (size_t i = 0; i < COUNT(of_avx512); i++)
    check("a part of AVX-512", (mms_cpu_says){ALL1, ALL7 & ~of_avx512[i], ALL_XCR0}, true, false);
  check("AVX-512VL alone", (mms_cpu_says){ALL1, VL, ALL_XCR0}, false, false);
}

/* Registers that the system does not save are not to be used, whatever the CPU has. */
static void test_what_the_system_saves(void **state) {
  (void)state;
  static const uint32_t of_zmm[] = {OPMASK, ZMM_HIGH, ZMM_MORE};
  check("no OSXSAVE", (mms_cpu_says){ALL1 & ~(uint32_t)OSXSAVE, ALL7, ALL_XCR0}, false, false);
  check("nothing saved", (mms_cpu_says){ALL1, ALL7, 0}, false, false);
  check("x87 and SSE saved", (mms_cpu_says){ALL1, ALL7, X87 | SSE}, false, false);
  check("no YMM saved", (mms_cpu_says){ALL1, ALL7, ALL_XCR0 & ~(uint32_t)YMM}, false, false);
  check("no XMM saved", (mms_cpu_says){ALL1, ALL7, ALL_XCR0 & ~(uint32_t)SSE}, false, false);
  check("no ZMM saved", (mms_cpu_says){ALL1, ALL7, X87 | SSE | YMM}, true, false);
  for (size_t i = 0; i < COUNT(of_zmm); i++)
    check("a part of ZMM saved", (mms_cpu_says){ALL1, ALL7, ALL_XCR0 & ~of_zmm[i]}, true, false);
}

/* The compiler's runtime looks at the same. */
static void test_this_cpu(void **state) {
  (void)state;
  assert_int_equal(mms_cpu_runs_avx2(), __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"));
  if (mms_cpu_runs_avx512()) assert_true(mms_cpu_runs_avx2() && __builtin_cpu_supports("avx512vl"));
}

/* Whether there is a leaf that tells of caches: bit 22 of ECX of leaf 0x80000001. */
static bool has_topology(void) {
  uint32_t a, b, c, d;
  return __get_cpuid(0x80000001, &a, &b, &c, &d) && (c >> 22 & 1);
}

/* Linux reads the same, in its own way; or guesses, where the CPU does not say. */
static void test_the_last_cache(void **state) {
  (void)state;
  if (!mms_cpu_is_amd()) {
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
  if (kib == 0 || !has_topology()) {
    print_message("skipped: the system or the CPU says nothing of caches\n");
    skip();
  }
  assert_int_equal(mms_cpu_die_cache(), kib << 10);
}

#else

static void test_another_machine(void **state) {
  (void)state;
  assert_false(mms_cpu_runs_avx2() || mms_cpu_runs_avx512());
}

#endif

int main(void) {
  const struct CMUnitTest tests[] = {
#if defined(__x86_64__)
    cmocka_unit_test(test_what_the_cpu_has),
    cmocka_unit_test(test_what_the_system_saves),
    cmocka_unit_test(test_this_cpu),
    cmocka_unit_test(test_the_last_cache),
#else
    cmocka_unit_test(test_another_machine),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
