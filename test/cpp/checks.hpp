/* checks.hpp: what the tests of mmscan.hpp share: tests and checks, random numbers, and a count of the library's calls.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The programs are linked with ld's --wrap for the calls that mmscan.hpp makes (cpp.mk): each is counted, so that a
 * test can say whether the library scanned or a loop, and may be made to fail. */
#ifndef CHECKS_HPP
#define CHECKS_HPP

#include <mmscan.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

/* ---- Tests and checks -------------------------------------------------------------------------------------------- */

struct test {
  const char *name;
  void (*run)();
};

inline std::vector<test> &tests() {
  static std::vector<test> all;
  return all;
}

struct entry {
  entry(const char *name, void (*run)()) { tests().push_back({name, run}); }
};

#define TEST(name)                                                                                                     \
  static void name();                                                                                                  \
  static const entry name##_entry(#name, name);                                                                        \
  static void name()

/* Ends the program where a check fails. */
inline void check_that(bool holds, const char *what, const char *file, int line) {
  if (holds) return;
  std::fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
  std::exit(1);
}
#define CHECK(...) check_that((__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)

inline int run_tests() {
  for (const test &t : tests()) {
    std::printf("[ RUN      ] %s\n", t.name);
    std::fflush(stdout);
    t.run();
    std::printf("[       OK ] %s\n", t.name);
  }
  return 0;
}

/* ---- Numbers ----------------------------------------------------------------------------------------------------- */

inline std::mt19937_64 &random_bits() {
  static std::mt19937_64 engine = [] {
    const char *given = std::getenv("MMSCAN_TEST_SEED");
    const unsigned long seed = given ? std::strtoul(given, nullptr, 10) : std::random_device{}();
    std::printf("MMSCAN_TEST_SEED=%lu\n", seed);
    return std::mt19937_64(seed);
  }();
  return engine;
}

inline std::size_t below(std::size_t bound) { return random_bits()() % bound; }

/* Small whole numbers, whose sums are exact; those of signed types have both signs. */
template <class T> std::vector<T> numbers(std::size_t n) {
  std::vector<T> x(n);
  for (auto &&e : x) e = static_cast<T>(static_cast<int>(below(15)) - (std::is_unsigned<T>::value ? 0 : 7));
  return x;
}

/* Lengths at the edges of blocks and tiles, and of none. */
inline std::vector<std::size_t> lengths() {
  return {0, 1, 2, 15, 16, 17, 127, 128, 129, 1000 + below(100), 4095, 4096, 4097, 140000 + below(10000)};
}

/* ---- Calls of the library ---------------------------------------------------------------------------------------- */

struct calls {
  int simple, general, blocks, plans;
  mmscan_status fails_with; /* if it is not MMSCAN_OK, the calls do nothing else */
  int sum() const { return simple + general + blocks + plans; }
};
inline calls &made() {
  static calls counts{};
  return counts;
}

/* Runs code, and tells what it called. */
template <class Code> calls calls_of(Code code) {
  made() = calls{};
  code();
  return made();
}

extern "C" {
#define WRAP_SIMPLE(t, T)                                                                                              \
  mmscan_status __real_mmscan_inclusive_##t(std::size_t, const T *, T *);                                              \
  inline __attribute__((used)) mmscan_status __wrap_mmscan_inclusive_##t(std::size_t n, const T *x, T *y) {            \
    made().simple++;                                                                                                   \
    return made().fails_with ? made().fails_with : __real_mmscan_inclusive_##t(n, x, y);                               \
  }                                                                                                                    \
  mmscan_status __real_mmscan_exclusive_##t(std::size_t, T, const T *, T *);                                           \
  inline __attribute__((used)) mmscan_status __wrap_mmscan_exclusive_##t(std::size_t n, T init, const T *x, T *y) {    \
    made().simple++;                                                                                                   \
    return made().fails_with ? made().fails_with : __real_mmscan_exclusive_##t(n, init, x, y);                         \
  }
WRAP_SIMPLE(f32, float)
WRAP_SIMPLE(f64, double)
WRAP_SIMPLE(i32, std::int32_t)
WRAP_SIMPLE(i64, std::int64_t)
WRAP_SIMPLE(u32, std::uint32_t)
WRAP_SIMPLE(u64, std::uint64_t)
#undef WRAP_SIMPLE
mmscan_status __real_mmscan_scan(const mmscan_desc *, const void *, void *);
inline __attribute__((used)) mmscan_status __wrap_mmscan_scan(const mmscan_desc *d, const void *x, void *y) {
  made().general++;
  return made().fails_with ? made().fails_with : __real_mmscan_scan(d, x, y);
}
mmscan_status __real_mmscan_scan_block(const mmscan_desc *, const void *, void *, void *);
inline __attribute__((used)) mmscan_status __wrap_mmscan_scan_block(const mmscan_desc *d, const void *x, void *y,
                                                                    void *carry) {
  made().blocks++;
  return made().fails_with ? made().fails_with : __real_mmscan_scan_block(d, x, y, carry);
}
mmscan_status __real_mmscan_plan_create_with(mmscan_plan **, const mmscan_desc *, unsigned, const mmscan_choice *);
inline __attribute__((used)) mmscan_status __wrap_mmscan_plan_create_with(mmscan_plan **plan, const mmscan_desc *d,
                                                                          unsigned flags, const mmscan_choice *choice) {
  made().plans++;
  check_that(choice->threads == 1, "a plan for one thread", __FILE__, __LINE__);
  *plan = nullptr;
  return made().fails_with ? made().fails_with : __real_mmscan_plan_create_with(plan, d, flags, choice);
}
}

#endif
