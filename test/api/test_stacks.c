/* test_stacks.c: how much of the stack of its thread the first call of a process takes, whichever call it is.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A child makes the call on a thread whose stack is filled with a pattern, and tells how far down that has gone. What
 * the system itself takes of a stack, for thread-local variables, a thread tells that makes no call. */
#include <pthread.h>
#include <sys/mman.h>

#include "mmscan_paper.h"
#include "support/child.h"
#include "support/wisdom_text.h"

/* Bytes of stack. LARGEST: enough for any call. PROMISED, BY_BLAS: what mmscan.h says under "Stacks". LEFT: what one of
 * 88 KiB has left where an OpenBLAS is linked, whose thread-local variables come off it. */
enum { LARGEST = 1 << 20, PROMISED = 48 << 10, BY_BLAS = 64 << 10, LEFT = 20 << 10, PATTERN = 0xa5 };

/* ---- Calls ------------------------------------------------------------------------------------------------------- */

enum { N = 1 << 20, ROWS = 1 << 10 };

static float x[N], y[N];

static mmscan_desc long_desc(void) { return plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, N); }

static mmscan_status call_nothing(void) { return MMSCAN_OK; }
static mmscan_status call_simple(void) { return mmscan_inclusive_f32(100, x, y); }
static mmscan_status call_long(void) { return mmscan_exclusive_f32(N, 1, x, y); }

static mmscan_status call_scan(void) {
  const mmscan_desc desc = long_desc();
  return mmscan_scan(&desc, x, y);
}

/* Of a length that leaves stretches to be padded; elements that are converted; with what may not be regrouped. */
static mmscan_status call_accurate(void) {
  mmscan_desc desc = plain_desc(MMSCAN_F64, MMSCAN_INCLUSIVE, 1, N / 2 - 1);
  desc.x_type = MMSCAN_F32;
  desc.flags = MMSCAN_ACCURATE;
  mmscan_status status = mmscan_scan(&desc, x + N / 2, y);
  desc = plain_desc(MMSCAN_F64, MMSCAN_EXCLUSIVE, 0, N / 2 - 1);
  desc.flags = MMSCAN_ACCURATE | MMSCAN_REPRODUCIBLE;
  if (!status) status = mmscan_scan(&desc, x, y);
  ((double *)(void *)x)[1000] = 1e308;
  return status ? status : mmscan_scan(&desc, x, y);
}

static mmscan_status call_block(void) {
  const mmscan_desc desc = long_desc();
  float carry = -0.0f;
  return mmscan_scan_block(&desc, x, y, &carry);
}

static mmscan_status call_columns(void) {
  mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, ROWS);
  desc.x_stride = desc.y_stride = N / ROWS;
  desc.batch = N / ROWS;
  desc.x_dist = desc.y_dist = 1;
  return mmscan_scan(&desc, x, y);
}

static mmscan_status call_strided(void) {
  mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_EXCLUSIVE, 1, N / 2);
  desc.x_stride = desc.y_stride = 2;
  return mmscan_scan(&desc, x, y);
}

/* In each way in which threads share a scan. */
static mmscan_status call_ways(void) {
  const mmscan_desc desc = long_desc();
  mmscan_part way = {.struct_size = sizeof way};
  mmscan_status status = MMSCAN_OK;
  x[N / 2] = 1e38f; /* what may not be regrouped */
  for (size_t i = 0; !status && mmscan_get_way(i, &way) == MMSCAN_OK; i++) {
    const mmscan_choice choice = {.struct_size = sizeof choice,
                                  .engine = "simd",
                                  .threads = strcmp(way.name, "alone") == 0 ? 1 : 3,
                                  .way = way.name};
    mmscan_plan *plan;
    if (mmscan_plan_create_with(&plan, &desc, MMSCAN_ESTIMATE, &choice) != MMSCAN_OK) continue;
    status = mmscan_execute(plan, x, y);
    mmscan_plan_destroy(plan);
  }
  return status;
}

static mmscan_status call_read(void) { return mmscan_wisdom_read(getenv("MMSCAN_TEST_FROM"), NULL, 0); }
static mmscan_status call_write(void) { return mmscan_wisdom_write(getenv("MMSCAN_TEST_TO")); }
static mmscan_status call_count(void) { return mmscan_wisdom_count() < 100 ? MMSCAN_OK : MMSCAN_EINVAL; }
static mmscan_status call_threads(void) { return mmscan_threads() > 0 ? MMSCAN_OK : MMSCAN_EINVAL; }

static mmscan_status call_rows(void) {
  mmscan_algebra algebra = {.struct_size = sizeof algebra};
  mmscan_kernel kernel = {.struct_size = sizeof kernel};
  mmscan_part part = {.struct_size = sizeof part};
  mmscan_cpu();
  mmscan_get_algebra(0, &algebra);
  mmscan_get_isa(0, &part);
  return mmscan_environment_error() ? MMSCAN_EINVAL : mmscan_get_kernel(mmscan_isa(), 0, 0, &kernel);
}

static mmscan_status call_gemm(void) {
  const mmscan_desc desc = long_desc();
  const mmscan_choice choice = {.struct_size = sizeof choice, .engine = "gemm"};
  mmscan_plan *plan;
  mmscan_status status = mmscan_plan_create_with(&plan, &desc, MMSCAN_ESTIMATE, &choice);
  if (!status) status = mmscan_execute(plan, x, y);
  mmscan_plan_destroy(plan);
  return status;
}

static mmscan_status call_measure(void) {
  const mmscan_desc desc = long_desc();
  mmscan_plan *plan;
  const mmscan_status status = mmscan_plan_create(&plan, &desc, MMSCAN_MEASURE);
  mmscan_plan_destroy(plan);
  return status;
}

static mmscan_status call_unit(void) {
  mmscan_part part = {.struct_size = sizeof part};
  return mmscan_get_unit(0, &part);
}

static const struct call {
  const char *name;
  mmscan_status (*make)(void);
  bool has_blas;
} calls[] = {{"nothing", call_nothing, false}, {"simple", call_simple, false},     {"long", call_long, false},
             {"scan", call_scan, false},       {"accurate", call_accurate, false}, {"block", call_block, false},
             {"columns", call_columns, false}, {"strided", call_strided, false},   {"ways", call_ways, false},
             {"read", call_read, false},       {"write", call_write, false},       {"count", call_count, false},
             {"threads", call_threads, false}, {"rows", call_rows, false},         {"gemm", call_gemm, true},
             {"measure", call_measure, true},  {"unit", call_unit, true}};

/* ---- In a child -------------------------------------------------------------------------------------------------- */

struct used {
  mmscan_status status;
  size_t bytes;
};

struct made {
  mmscan_status (*make)(void);
  mmscan_status status;
};

static void *make_call(void *argument) {
  struct made *call = argument;
  call->status = call->make();
  return NULL;
}

/* Makes the call that MMSCAN_TEST_CALL numbers, on a stack of MMSCAN_TEST_STACK bytes above a page that may not be
 * touched. */
static int child_call(void) {
  const size_t size = (size_t)atol(getenv("MMSCAN_TEST_STACK")), page = (size_t)sysconf(_SC_PAGESIZE);
  struct made call = {.make = calls[atol(getenv("MMSCAN_TEST_CALL"))].make};
  unsigned char *low = mmap(NULL, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *at;
  pthread_attr_t attributes;
  pthread_t thread;
  if (low == MAP_FAILED || mprotect(low, page, PROT_NONE) != 0) return 2;
  memset(low + page, PATTERN, size);
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, low + page, size);
  if (pthread_create(&thread, &attributes, make_call, &call) != 0) return 3;
  pthread_join(thread, NULL);
  for (at = low + page; *at == PATTERN;) at++;
  const struct used used = {.status = call.status, .bytes = size - (size_t)(at - low - page)};
  return report_to_parent(&used, sizeof used);
}

/* ---- In the parent ----------------------------------------------------------------------------------------------- */

/* wisdom, threads: of the environment, or NULL. */
static size_t use_of(size_t call, size_t stack, const char *wisdom, const char *threads) {
  char number[16], bytes[16];
  snprintf(number, sizeof number, "%zu", call);
  snprintf(bytes, sizeof bytes, "%zu", stack);
  const struct setting settings[] = {{"MMSCAN_TEST_CALL", number},
                                     {"MMSCAN_TEST_STACK", bytes},
                                     {"MMSCAN_TEST_FROM", in_scratch("known")},
                                     {"MMSCAN_TEST_TO", in_scratch("written")},
                                     {wisdom ? "MMSCAN_WISDOM" : NULL, wisdom},
                                     {threads ? "MMSCAN_NUM_THREADS" : NULL, threads}};
  const struct outcome o = ask_self("call", settings, COUNT(settings));
  struct used used;
  if (o.exit != 0 || o.reported != sizeof used)
    fail_msg("%s on a stack of %zu bytes ended with %d: %s", calls[call].name, stack, o.exit, o.print);
  memcpy(&used, o.report, sizeof used);
  if (used.status && !(calls[call].has_blas && used.status == MMSCAN_EBLAS))
    fail_msg("%s: %s", calls[call].name, mmscan_strerror(used.status));
  return used.bytes;
}

static void check_uses(const char *wisdom, bool wisdom_has_blas) {
  const size_t none = use_of(0, LARGEST, wisdom, NULL);
  for (size_t i = 1; i < COUNT(calls); i++) {
    const size_t most = calls[i].has_blas || wisdom_has_blas ? BY_BLAS : PROMISED,
                 use = use_of(i, LARGEST, wisdom, NULL) - none;
    print_message("%-8s %6zu bytes%s\n", calls[i].name, use, wisdom ? ", with wisdom" : "");
    if (use > most) fail_msg("%s takes %zu bytes of its stack, of %zu that are promised", calls[i].name, use, most);
  }
}

static const char lines[] = "plus f32 20 0 simd - 0 4096 1 1024\nplus f32 16 0 serial - 0 0 1 1024\n";

static void test_what_calls_take(void **state) {
  (void)state;
  wisdom_file("known", lines);
  check_uses(NULL, false);
  check_uses(in_scratch("known"), false);
  check_uses(wisdom_file("blas", "plus f32 20 0 gemm cblas 4 4096 1 1024\n"), true);
}

/* Little is left of the stack. That is not enough for all ways in which threads share a scan, nor for a run in pairs.
 */
static void test_small_stacks(void **state) {
  (void)state;
  const size_t small = use_of(0, LARGEST, NULL, "1") + LEFT;
  wisdom_file("known", lines);
  for (size_t i = 0; i < COUNT(calls); i++)
    if (!calls[i].has_blas && calls[i].make != call_ways && calls[i].make != call_accurate)
      for (int with = 0; with <= 1; with++) use_of(i, small, with ? in_scratch("known") : NULL, "1");
}

int main(int argc, char **argv) {
  static const struct child children[] = {{"call", child_call}};
  int status;
  wait_passively(argv);
  if (run_child(argc, argv, children, COUNT(children), &status)) return status;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_calls_take),
      cmocka_unit_test(test_small_stacks),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
