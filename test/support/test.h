/* test.h: cmocka, included once, and what the test programs share: sizes, random numbers, tight buffers, the walk over
 * engines and units, and asserts on statuses.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MMSCAN_TEST_QUICK=1 asks for reduced sizes (for sanitizers and valgrind). MMSCAN_TEST_SEED=N replaces the seed.
 * MMSCAN_TEST_EMULATOR names the emulator that runs this program when it was built for another machine.
 */
#ifndef TEST_H
#define TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "mmscan.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- Tests ------------------------------------------------------------------------------------------------------- */

/* TEST(test_name) { ... } is a test of this program; run_all_tests() runs them in the order in which they are written.
 * A linker collects their entries, in any order, in an array with names of its own. They are aligned so that none has a
 * gap behind it, where compilers align large objects. */
struct test_entry {
  _Alignas(32) const char *name;
  CMUnitTestFunction run;
  size_t line;
};

extern const struct test_entry __start_test_entries[], __stop_test_entries[];

#define TEST(name)                                                                                                     \
  static void name(void **state);                                                                                      \
  static const struct test_entry name##_entry                                                                          \
      __attribute__((section("test_entries"), used)) = {#name, name, __LINE__};                                        \
  static void name(__attribute__((unused)) void **state)

static inline int by_line(const void *a, const void *b) {
  const struct test_entry *x = a, *y = b;
  return (x->line > y->line) - (x->line < y->line);
}

/* Setup and teardown are of the whole program, or NULL. */
static inline int run_all_tests(CMFixtureFunction setup, CMFixtureFunction teardown) {
  enum { MOST_TESTS = 40 };
  const size_t count = (size_t)(__stop_test_entries - __start_test_entries);
  struct test_entry entries[MOST_TESTS];
  struct CMUnitTest tests[MOST_TESTS];
  if (count > MOST_TESTS) return fputs("more tests than MOST_TESTS\n", stderr), 1;
  memcpy(entries, __start_test_entries, count * sizeof *entries);
  qsort(entries, count, sizeof *entries, by_line);
  for (size_t i = 0; i < count; i++)
    tests[i] = (struct CMUnitTest){.name = entries[i].name, .test_func = entries[i].run};
  return _cmocka_run_group_tests("tests", tests, count, setup, teardown);
}

/* ---- Sizes ------------------------------------------------------------------------------------------------------- */

static inline bool quick(void) {
  const char *value = getenv("MMSCAN_TEST_QUICK");
  return value != NULL && strcmp(value, "0") != 0;
}

static inline size_t sized(size_t full, size_t reduced) { return quick() ? reduced : full; }

static inline size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

static inline const char *emulator(void) { return getenv("MMSCAN_TEST_EMULATOR"); }

/* ---- Random numbers: splitmix64 ---------------------------------------------------------------------------------- */

struct rng {
  uint64_t state;
};

static inline uint64_t seed(void) {
  const char *value = getenv("MMSCAN_TEST_SEED");
  return value != NULL ? strtoull(value, NULL, 0) : 20240229;
}

/* A separate generator for each use, so that one test does not depend on what ran before it. */
static inline struct rng rng_of(uint64_t stream) {
  return (struct rng){seed() * UINT64_C(0x9e3779b97f4a7c15) + stream * UINT64_C(0xd1342543de82ef95)};
}

static inline uint64_t draw(struct rng *rng) {
  uint64_t z = rng->state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/* 0 to n - 1 */
static inline size_t draw_below(struct rng *rng, size_t n) { return (size_t)(draw(rng) % n); }

/* -1 to 1 */
static inline double draw_unit(struct rng *rng) { return (double)(int64_t)draw(rng) * 0x1p-63; }

/* ---- Starting ---------------------------------------------------------------------------------------------------- */

/* OpenMP threads that spin while they wait hold up a busy machine. OMP_WAIT_POLICY is read when a program starts, so
 * the program executes itself again. */
static inline void wait_passively(char **argv) {
  if (getenv("OMP_WAIT_POLICY") != NULL) return;
  setenv("OMP_WAIT_POLICY", "passive", 1);
  if (emulator() == NULL && getenv("MMSCAN_TEST_WRAPPER") == NULL) execv("/proc/self/exe", argv);
}

/* ---- Failing ----------------------------------------------------------------------------------------------------- */

/* Fails the running test. Must not be called from a thread that the test started. */
__attribute__((format(printf, 1, 2))) static inline void fail_seeded(const char *format, ...) {
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  print_error("%s [MMSCAN_TEST_SEED=%llu]\n", line, (unsigned long long)seed());
  fail();
}

/* Skips the running test where `so` holds, and prints why. */
static inline void skip_if(bool so, const char *why) {
  if (so) print_message("skipped: %s\n", why);
  if (so) skip();
}

static inline void check_status(mmscan_status want, mmscan_status got, const char *what, const char *file, int line) {
  if (want == got) return;
  print_error("%s:%d: %s\n", file, line, what);
  fail_seeded("status %d (%s), not %d (%s)", (int)got, mmscan_strerror(got), (int)want, mmscan_strerror(want));
}

#define assert_status(want, call) check_status(want, call, #call, __FILE__, __LINE__)
#define assert_mmscan_ok(call)    assert_status(MMSCAN_OK, call)

/* ---- Tight buffers ----------------------------------------------------------------------------------------------- */

enum { GUARD = 64, GUARD_BYTE = 0xa5 };

/* `size` bytes that start `offset` bytes past a 64-byte boundary, with guard bytes in front and behind. A quick run has
 * none behind: the allocation ends with the data, so that a sanitizer or valgrind sees overruns. An emulator checks
 * nothing, so under one the guard bytes stay. */
struct buffer {
  unsigned char *base, *data;
  size_t size, back;
};

static inline struct buffer buffer_new(size_t size, size_t offset) {
  struct buffer b = {.size = size, .back = quick() && !emulator() ? 0 : GUARD};
  void *base = NULL;
  if (posix_memalign(&base, 64, GUARD + offset + size + b.back) != 0) fail_msg("no memory for a test buffer");
  b.base = base;
  b.data = b.base + GUARD + offset;
  memset(b.base, GUARD_BYTE, GUARD + offset);
  memset(b.data + size, GUARD_BYTE, b.back);
  return b;
}

/* So they are if the first one is, and each is like the one after it. */
static inline bool all_guard(const unsigned char *p, const unsigned char *end) {
  return p == end || (*p == GUARD_BYTE && memcmp(p, p + 1, (size_t)(end - p) - 1) == 0);
}

static inline bool buffer_intact(const struct buffer *b) {
  return all_guard(b->base, b->data) && all_guard(b->data + b->size, b->data + b->size + b->back);
}

static inline void buffer_free(struct buffer *b) { free(b->base); }

/* ---- Descriptions, plans, and every engine with every unit ------------------------------------------------------- */

/* One contiguous scan of n elements with +. */
static inline mmscan_desc plain_desc(mmscan_type type, mmscan_kind kind, int reverse, size_t n) {
  return (mmscan_desc){.struct_size = sizeof(mmscan_desc),
                       .x_type = type,
                       .y_type = type,
                       .op = MMSCAN_PLUS,
                       .kind = kind,
                       .reverse = reverse,
                       .n = n,
                       .x_stride = 1,
                       .y_stride = 1,
                       .batch = 1};
}

/* Stores x[i] of a type of floats. */
static inline void put_float(mmscan_type type, void *x, size_t i, double value) {
  if (type == MMSCAN_F32)
    ((float *)x)[i] = (float)value;
  else
    ((double *)x)[i] = value;
}

static inline bool same_text(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

static inline const char *text_or(const char *text, const char *instead) { return text != NULL ? text : instead; }

static inline bool is_gemm(const mmscan_choice *choice) { return same_text(choice->engine, "gemm"); }

/* Whether plans with this engine have tiles. */
static inline bool cuts_tiles(const mmscan_choice *choice) {
  return is_gemm(choice) || same_text(choice->engine, "simd");
}

/* What a choice names beside its engine. */
static inline const char *part_of(const mmscan_choice *choice) {
  static char both[64];
  if (choice->unit == NULL || choice->isa == NULL) return choice->unit ? choice->unit : text_or(choice->isa, "nothing");
  snprintf(both, sizeof both, "%s x %s", choice->unit, choice->isa);
  return both;
}

/* The model is a unit of plain loops, so it gets smaller sizes. */
static inline bool is_model(const mmscan_choice *choice) { return same_text(choice->unit, "model"); }

/* Choices that get smaller sizes in tests of all lengths: the model, and gemm with kernels that are not the best
 * here. */
static inline bool is_slow(const mmscan_choice *choice) {
  return is_model(choice) || (is_gemm(choice) && choice->isa && !same_text(choice->isa, mmscan_isa()));
}

/* Whether the plan uses every field that `asked` names. It may use fewer threads. */
static inline bool honoured(const mmscan_choice *asked, const mmscan_choice *used) {
  return (!asked->engine || same_text(asked->engine, used->engine)) &&
         (!asked->unit || same_text(asked->unit, used->unit)) && (!asked->isa || same_text(asked->isa, used->isa)) &&
         (!asked->s || asked->s == used->s) && (!asked->tile || asked->tile == used->tile) &&
         (!asked->threads || used->threads <= asked->threads) && used->threads >= 1;
}

/* Makes a plan with what `asked` names (NULL: nothing), and stores in *used what it uses. */
static inline mmscan_plan *plan_new(const mmscan_desc *desc, const mmscan_choice *asked, mmscan_choice *used) {
  mmscan_plan *plan = NULL;
  assert_mmscan_ok(mmscan_plan_create_with(&plan, desc, MMSCAN_ESTIMATE, asked));
  *used = (mmscan_choice){.struct_size = sizeof *used};
  assert_mmscan_ok(mmscan_plan_get_choice(plan, used));
  if (asked != NULL && !honoured(asked, used))
    fail_seeded("asked for %s x %s, s %zu, tile %zu, %d threads; the plan uses %s x %s, s %zu, tile %zu, %d threads",
                text_or(asked->engine, "any"), text_or(asked->unit, "any"), asked->s, asked->tile, asked->threads,
                text_or(used->engine, "NULL"), text_or(used->unit, "NULL"), used->s, used->tile, used->threads);
  return plan;
}

/* Scans x by a plan with what `asked` names; returns what it used. */
static inline mmscan_choice scan_with(const mmscan_desc *desc, const mmscan_choice *asked, const void *x, void *y) {
  mmscan_choice used;
  mmscan_plan *plan = plan_new(desc, asked, &used);
  assert_mmscan_ok(mmscan_execute(plan, x, y));
  mmscan_plan_destroy(plan);
  return used;
}

enum { MAX_FORCED = 32 };

/* The choices that force each engine, and the engine gemm with each unit. */
struct forced {
  size_t count;
  mmscan_choice choice[MAX_FORCED];
};

static inline void force(struct forced *all, const char *engine, const char *unit, const char *isa) {
  mmscan_choice choice = {.struct_size = sizeof choice, .engine = engine, .unit = unit, .isa = isa};
  const char *with = part_of(&choice);
  mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, 1000);
  mmscan_plan *plan = NULL;
  mmscan_status status = mmscan_plan_create_with(&plan, &desc, MMSCAN_ESTIMATE, &choice);
  mmscan_plan_destroy(plan);
  if (all->count == MAX_FORCED) fail_msg("more choices than MAX_FORCED");
  if (status == MMSCAN_OK) {
    all->choice[all->count++] = choice;
    print_message("forced:  %s x %s\n", engine, with);
  } else {
    print_message("skipped: %s x %s: %s\n", engine, with, mmscan_strerror(status));
  }
}

static inline void force_isas(struct forced *all, const char *engine, const char *unit) {
  mmscan_part isa = {.struct_size = sizeof isa};
  for (size_t i = 0; mmscan_get_isa(i, &isa) == MMSCAN_OK; i++) force(all, engine, unit, isa.name);
}

/* The model is slow, so it is forced with one instruction set: the kernels around it are the same for any unit. */
static inline void force_units(struct forced *all, const char *engine) {
  mmscan_part unit = {.struct_size = sizeof unit};
  for (size_t u = 0; mmscan_get_unit(u, &unit) == MMSCAN_OK; u++)
    if (strcmp(unit.name, "model") == 0)
      force(all, engine, unit.name, NULL);
    else
      force_isas(all, engine, unit.name);
}

/* Walks the tables of engines, units and instruction sets, and prints what is forced and what is skipped. */
static inline const struct forced *forced_all(void) {
  static struct forced all;
  mmscan_part engine = {.struct_size = sizeof engine};
  if (all.count > 0) return &all;
  for (size_t e = 0; mmscan_get_engine(e, &engine) == MMSCAN_OK; e++)
    if (strcmp(engine.name, "gemm") == 0)
      force_units(&all, engine.name);
    else if (strcmp(engine.name, "simd") == 0)
      force_isas(&all, engine.name, NULL);
    else
      force(&all, engine.name, NULL, NULL);
  if (all.count < 3) fail_msg("the engines serial, gemm and simd cannot all be forced");
  return &all;
}

#endif /* TEST_H */
