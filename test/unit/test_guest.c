/* test_guest.c: the BLAS is a guest. Until a product needs it, a process has nothing of it, and nothing that scans do
 * without products brings it in; after that its products are right.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <omp.h>
#include <pthread.h>
#include <sys/resource.h>

#include "mmscan_paper.h"
#include "support/sanitized.h"
#include "support/stand_in.h"
#include "support/traces.h"
#include "support/wisdom_text.h"

enum { PATIENCE = 60 /* seconds until an alarm ends a hang */ };

/* ---- What this process has --------------------------------------------------------------------------------------- */

static bool is_of_blas(const char *path) {
  static const char *const words[] = {"blas", "blis", "mkl", "armpl", "atlas"};
  const char *slash = strrchr(path, '/');
  size_t i = 0;
  while (i < COUNT(words) && (slash == NULL || strstr(slash, words[i]) == NULL)) i++;
  return i < COUNT(words);
}

/* Whether a file is mapped whose name is that of a BLAS. */
static bool has_blas(void) {
  char line[4096 + 128];
  bool found = false;
  FILE *maps = fopen("/proc/self/maps", "r");
  if (maps == NULL) _exit(100);
  while (!found && fgets(line, sizeof line, maps) != NULL) found = is_of_blas(line);
  fclose(maps);
  return found;
}

/* ---- Scans without products -------------------------------------------------------------------------------------- */

enum { N = 1 << 20 };
static float x[N], y[N];

static bool is_right(mmscan_status status, size_t n) {
  bool right = status == MMSCAN_OK;
  for (size_t i = 0; i < n; i++) right = right && y[i] == (float)(i + 1);
  memset(y, 0, n * sizeof *y);
  return right;
}

static bool scan_by_plan(const char *engine, size_t n, int threads) {
  const mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, n);
  const mmscan_choice choice = {.struct_size = sizeof choice, .engine = engine, .threads = threads};
  mmscan_plan *plan;
  if (mmscan_plan_create_with(&plan, &desc, MMSCAN_ESTIMATE, &choice) != MMSCAN_OK) return false;
  const bool right = is_right(mmscan_execute(plan, x, y), n);
  mmscan_plan_destroy(plan);
  return right;
}

static bool scan_in_blocks(size_t n) {
  float carry = -0.0f;
  bool right = true;
  for (size_t done = 0, block; done < n; done += block) {
    block = smaller(n - done, n / 3 + 1);
    const mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, block);
    right = right && mmscan_scan_block(&desc, x + done, y + done, &carry) == MMSCAN_OK;
  }
  return right && is_right(MMSCAN_OK, n);
}

static bool scan_rows(size_t rows) {
  mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, N / rows);
  desc.batch = rows;
  desc.x_dist = desc.y_dist = (ptrdiff_t)desc.n;
  return mmscan_scan(&desc, x, y) == MMSCAN_OK && is_right(MMSCAN_OK, N / rows);
}

static bool scan_all_ways(void) {
  static const size_t sizes[] = {1, 2, 63, 64, 1000, 4096, 32768, 32769, 100000, N};
  static const char *const engines[] = {NULL, "simd", "serial"};
  bool right = scan_rows(10) && scan_rows(1 << 16);
  for (size_t i = 0; i < COUNT(sizes); i++) {
    right = right && is_right(mmscan_inclusive_f32(sizes[i], x, y), sizes[i]) && scan_in_blocks(sizes[i]);
    for (size_t e = 0; e < COUNT(engines); e++)
      right = right && scan_by_plan(engines[e], sizes[i], 1) && scan_by_plan(engines[e], sizes[i], 0);
  }
  return right;
}

/* What may be asked without a product. */
static bool ask_all(void) {
  mmscan_part part = {.struct_size = sizeof part};
  return mmscan_environment_error() == NULL && mmscan_threads() > 0 && mmscan_cpu() != NULL && mmscan_isa() != NULL &&
         mmscan_get_engine(0, &part) == MMSCAN_OK && mmscan_get_isa(0, &part) == MMSCAN_OK &&
         mmscan_wisdom_write(getenv("MMSCAN_TEST_FILE")) == MMSCAN_OK;
}

static bool scan_without_blas(void) { return scan_all_ways() && !has_blas(); }

/* Whether the call works in the child of a fork, which ends as a process does. */
static bool fork_and(bool (*call)(void)) {
  fflush(NULL);
  const pid_t pid = fork();
  if (pid == 0) {
    alarm(PATIENCE);
    exit(call() ? 0 : 1);
  }
  return exit_of(pid) == 0;
}

static int scan_alone(void) {
  alarm(PATIENCE);
  const size_t before = tasks(), team = (size_t)omp_get_max_threads();
  if (has_blas()) return 2;
  for (size_t i = 0; i < N; i++) x[i] = 1;
  if (!ask_all() || !scan_all_ways()) return 3;
  if (has_blas()) return 4;
  if (tasks() < before || tasks() > before + team - 1) return 5;
  if (!fork_and(scan_without_blas)) return 6;
  return has_blas() ? 7 : 0;
}

/* ---- Products ---------------------------------------------------------------------------------------------------- */

static bool multiply(void) {
  return product_status("cblas", MMSCAN_PRODUCT_CHUNKED) == MMSCAN_OK && has_blas() && scan_by_plan("gemm", N, 0);
}

static int multiply_at_last(void) {
  const int failed = scan_alone();
  if (failed) return failed;
  if (!fork_and(multiply) || has_blas()) return 8;
  if (!multiply()) return 9;
  return fork_and(multiply) ? 0 : 10;
}

static pthread_barrier_t at_once;

static void *multiply_at_once(void *status) {
  pthread_barrier_wait(&at_once);
  *(mmscan_status *)status = product_status("cblas", MMSCAN_PRODUCT_CHUNKED);
  return NULL;
}

/* Several threads are the first to need it. */
static int multiply_by_many(void) {
  enum { MANY = 4 };
  pthread_t thread[MANY];
  mmscan_status status[MANY];
  alarm(PATIENCE);
  pthread_barrier_init(&at_once, NULL, MANY);
  for (size_t i = 0; i < MANY; i++)
    if (pthread_create(&thread[i], NULL, multiply_at_once, &status[i]) != 0) return 2;
  for (size_t i = 0; i < MANY; i++) pthread_join(thread[i], NULL);
  for (size_t i = 0; i < MANY; i++)
    if (status[i] != MMSCAN_OK) return 3;
  return 0;
}

/* That there was no memory is not remembered. */
static int multiply_with_memory_at_last(void) {
  struct rlimit none, before;
  if (getrlimit(RLIMIT_AS, &before) != 0) return NO_STAND_IN;
  mmscan_threads();
  none = (struct rlimit){(rlim_t)100 << 20, before.rlim_max};
  if (setrlimit(RLIMIT_AS, &none) != 0) return NO_STAND_IN;
  mmscan_part part = {.struct_size = sizeof part};
  bool lacks = product_status("cblas", MMSCAN_PRODUCT_CHUNKED) == MMSCAN_ENOMEM;
  lacks = lacks && mmscan_get_unit(0, &part) == MMSCAN_OK && part.status == MMSCAN_ENOMEM;
  lacks = lacks && strstr(part.description, "no memory") != NULL;
  if (setrlimit(RLIMIT_AS, &before) != 0 || !lacks) return 2;
  return product_status("cblas", MMSCAN_PRODUCT_CHUNKED) == MMSCAN_OK ? 0 : 3;
}

/* ---- A library that is not there --------------------------------------------------------------------------------- */

/* Everything else works, another library too. The reason is told. */
static int do_without(void) {
  const char *reason = getenv("MMSCAN_TEST_REASON"), *other = getenv("MMSCAN_TEST_LIBRARY");
  mmscan_part part = {.struct_size = sizeof part};
  const mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, N);
  mmscan_plan *plan;
  for (size_t i = 0; i < N; i++) x[i] = 1;
  if (mmscan_get_unit(0, &part) != MMSCAN_OK || strcmp(part.name, "cblas") != 0) return 2;
  if (part.status == MMSCAN_OK) return NO_STAND_IN;
  if (part.status != MMSCAN_EBLAS || strstr(part.description, reason) == NULL) return 3;
  if (!scan_all_ways() || scan_by_plan("gemm", 1000, 1)) return 4;
  if (product_status("cblas", MMSCAN_PRODUCT_GEMM) != MMSCAN_EBLAS) return 5;
  if (mmscan_routine_try("cblas", "sgemm") != MMSCAN_EINVAL) return 6;
  if (mmscan_plan_create(&plan, &desc, MMSCAN_MEASURE) != MMSCAN_OK) return 7;
  if (!is_right(mmscan_execute(plan, x, y), N)) return 8;
  mmscan_plan_destroy(plan);
  if (mmscan_unit_open(other, NULL, NULL, 0) != MMSCAN_OK) return 9;
  return product_status(other, MMSCAN_PRODUCT_CHUNKED) == MMSCAN_OK ? 0 : 10;
}

/* Where MMSCAN_UNIT names what is not there, no scan works. */
static int insist(void) {
  const char *reason = getenv("MMSCAN_TEST_REASON"), *error = mmscan_environment_error();
  if (error == NULL) return NO_STAND_IN;
  if (strstr(error, "MMSCAN_UNIT=cblas: ") != error || strstr(error, reason) == NULL) return 2;
  return mmscan_inclusive_f32(10, x, y) == MMSCAN_EBLAS ? 0 : 3;
}

/* ---- The tests --------------------------------------------------------------------------------------------------- */

static const char *why_absent(void) {
  static mmscan_part part = {.struct_size = sizeof part};
  assert_mmscan_ok(mmscan_get_unit(0, &part));
  return part.status == MMSCAN_OK ? NULL : part.description;
}

static void skip_if_linked(void) {
  skip_if(text_or(getenv("LINK_BLAS"), "")[0] != '\0', "LINK_BLAS is set, so the BLAS is there from the start");
}

static void skip_if_absent(void) { skip_if(why_absent() != NULL, why_absent()); }

static void check(const char *argument, struct setting setting, struct setting other) {
  const struct setting settings[] = {{"MMSCAN_TEST_FILE", in_scratch("written")}, setting, other};
  const struct outcome o = ask_self(argument, settings, COUNT(settings));
  if (o.exit != 0) fail_msg("%s: ended with %d: %s", argument, o.exit, o.print);
}

static const struct setting no_other = {NULL, NULL}, two_threads = {"OMP_NUM_THREADS", "2"};

TEST(test_scans_have_no_blas) {
  static const char *const threads[] = {"1", "4"};
  skip_if_linked();
  for (size_t i = 0; i < COUNT(threads); i++) check("alone", (struct setting){"OMP_NUM_THREADS", threads[i]}, no_other);
}

/* A file of wisdom tells that a routine of the BLAS is good, and no line has it chosen. */
TEST(test_wisdom_has_no_blas) {
  skip_if_linked();
  const char *file =
      wisdom_file("unused", "blas cblas\nversion 1\ngood sgemm_batch\nplus f32 20 0 simd - 0 32768 1 1024\n");
  check("alone", two_threads, (struct setting){"MMSCAN_WISDOM", file});
}

TEST(test_first_product) {
  skip_if_linked();
  skip_if_absent();
  check("product", two_threads, no_other);
}

TEST(test_first_products_at_once) {
  skip_if_absent();
  for (size_t i = 0; i < sized(20, 3); i++) check("many", no_other, no_other);
}

TEST(test_memory_is_found) {
  skip_if_absent();
  skip_if(is_instrumented(), "an instrument needs memory");
  check("memory", no_other, no_other);
}

/* Whether a child that finds something else under the name of the library was asked. */
static bool check_absent(const char *argument, const char *file, const char *reason, struct setting other) {
  const struct setting settings[] = {
      {"MMSCAN_TEST_REASON", reason}, {"MMSCAN_TEST_LIBRARY", toy("sound")}, two_threads, other};
  const struct outcome o = ask_with_stand_in(argument, file, settings, COUNT(settings));
  if (o.exit != 0 && o.exit != NO_STAND_IN) fail_msg("%s: ended with %d: %s", argument, o.exit, o.print);
  return o.exit == 0;
}

TEST(test_absent) {
  const struct setting named = {"MMSCAN_UNIT", "cblas"};
  if (why_absent() != NULL) {
    const struct setting reason = {"MMSCAN_TEST_REASON", why_absent()};
    check("absent", reason, (struct setting){"MMSCAN_TEST_LIBRARY", toy("sound")});
    check("insists", reason, named);
    return;
  }
  skip_if_linked();
  write_bytes(in_scratch("text"), "text\n", 5);
  if (!check_absent("absent", in_scratch("text"), " cannot be opened: ", no_other)) skip();
  check_absent("absent", toy("no_dgemm"), "it has no cblas_sgemm and cblas_dgemm", no_other);
  check_absent("insists", in_scratch("text"), " cannot be opened: ", named);
}

int main(int argc, char **argv) {
  static const struct child children[] = {{"alone", scan_alone},      {"product", multiply_at_last},
                                          {"many", multiply_by_many}, {"memory", multiply_with_memory_at_last},
                                          {"absent", do_without},     {"insists", insist}};
  return run_or_be(children, COUNT(children), argc, argv, make_scratch, remove_scratch);
}
