/* test_environment.c: each environment variable in a fresh process: honoured, or refused by every call that scans.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "child.h"
#include "oracle.h"

/* ---- In the child: every call once ------------------------------------------------------------------------------- */

enum { NAME = 32 };

/* What the child saw; strings are cut to size. */
struct report {
  mmscan_status empty, simple[4], exclusive, scan, block, plan_create, execute;
  bool touched; /* y, by a call that failed */
  int threads;
  char engine[NAME], unit[NAME], isa[NAME], error[256];
};

static void keep(char *to, size_t size, const char *text) { snprintf(to, size, "%s", text_or(text, "")); }

/* The simple call has a path of its own for short scans: it must see the environment too. */
static void probe_simple(struct report *r, float *x, float *y) {
  static const size_t lengths[] = {1, 16, 1000, 100000};
  r->empty = mmscan_inclusive_f32(0, NULL, NULL);
  for (size_t i = 0; i < COUNT(lengths); i++) {
    r->simple[i] = mmscan_inclusive_f32(lengths[i], x, y);
    r->touched = r->touched || (r->simple[i] != MMSCAN_OK && y[0] != -1);
    y[0] = -1;
  }
  r->exclusive = mmscan_exclusive_f32(1, 0, x, y);
}

static void probe_general(struct report *r, float *x, float *y) {
  mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, 100000);
  mmscan_choice used = {.struct_size = sizeof used};
  mmscan_plan *plan = NULL;
  float carry = 0;
  r->scan = mmscan_scan(&desc, x, y);
  r->block = mmscan_scan_block(&desc, x, y, &carry);
  r->touched = r->touched || (r->block != MMSCAN_OK && (carry != 0 || y[0] != -1));
  r->plan_create = mmscan_plan_create(&plan, &desc, MMSCAN_ESTIMATE);
  r->execute = mmscan_execute(plan, x, y);
  mmscan_plan_get_choice(plan, &used);
  mmscan_plan_destroy(plan);
  keep(r->engine, NAME, used.engine);
  keep(r->unit, NAME, used.unit);
}

static int probe(void) {
  struct report r = {0};
  float *x = calloc(100000, sizeof *x), *y = calloc(100000, sizeof *y);
  if (x == NULL || y == NULL) return 1;
  x[0] = 1;
  y[0] = -1;
  probe_simple(&r, x, y);
  y[0] = -1;
  probe_general(&r, x, y);
  keep(r.isa, NAME, mmscan_isa());
  keep(r.error, sizeof r.error, mmscan_environment_error());
  r.threads = mmscan_threads();
  free(x);
  free(y);
  return report_to_parent(&r, sizeof r);
}

/* ---- In the parent ----------------------------------------------------------------------------------------------- */

/* A status of `any` means: not MMSCAN_OK. */
enum { ANY = -1 };

struct expected {
  struct setting setting[2]; /* the first is the one at fault, if any is */
  int status;
  const char *engine, *unit; /* NULL: not looked at */
  int threads;               /* 0: not looked at */
};

static const struct expected expectations[] = {
    {{{NULL, NULL}}, MMSCAN_OK, NULL, NULL, 0},
    {{{"MMSCAN_ENGINE", "auto"}}, MMSCAN_OK, NULL, NULL, 0},
    {{{"MMSCAN_ENGINE", "serial"}}, MMSCAN_OK, "serial", "", 0},
    {{{"MMSCAN_ENGINE", "gemm"}}, MMSCAN_OK, "gemm", "cblas", 0},
    {{{"MMSCAN_ENGINE", "simd"}}, MMSCAN_ENOTSUP, NULL, NULL, 0},
    {{{"MMSCAN_ENGINE", "nonsense"}}, MMSCAN_EINVAL, NULL, NULL, 0},
    {{{"MMSCAN_ENGINE", "GEMM"}}, MMSCAN_EINVAL, NULL, NULL, 0},
    {{{"MMSCAN_ENGINE", "gemm "}}, MMSCAN_EINVAL, NULL, NULL, 0},
    {{{"MMSCAN_UNIT", "cblas"}}, MMSCAN_OK, NULL, NULL, 0},
    {{{"MMSCAN_UNIT", "model"}}, MMSCAN_OK, NULL, NULL, 0},
    {{{"MMSCAN_UNIT", "cblas"}, {"MMSCAN_ENGINE", "gemm"}}, MMSCAN_OK, "gemm", "cblas", 0},
    {{{"MMSCAN_UNIT", "model"}, {"MMSCAN_ENGINE", "gemm"}}, MMSCAN_OK, "gemm", "model", 0},
    {{{"MMSCAN_UNIT", "nonsense"}}, ANY, NULL, NULL, 0},
    {{{"MMSCAN_UNIT", "nonsense"}, {"MMSCAN_ENGINE", "serial"}}, ANY, NULL, NULL, 0},
    {{{"MMSCAN_ISA", "portable"}}, MMSCAN_OK, NULL, NULL, 0},
    {{{"MMSCAN_ISA", "avx512"}}, MMSCAN_ENOTSUP, NULL, NULL, 0},
    {{{"MMSCAN_ISA", "avx2"}}, MMSCAN_ENOTSUP, NULL, NULL, 0},
    {{{"MMSCAN_ISA", "neon"}}, MMSCAN_ENOTSUP, NULL, NULL, 0},
    {{{"MMSCAN_ISA", "nonsense"}}, ANY, NULL, NULL, 0},
    {{{"MMSCAN_NUM_THREADS", "1"}}, MMSCAN_OK, NULL, NULL, 1},
    {{{"MMSCAN_NUM_THREADS", "3"}}, MMSCAN_OK, NULL, NULL, 3},
    {{{"MMSCAN_NUM_THREADS", "2"}, {"OMP_NUM_THREADS", "5"}}, MMSCAN_OK, NULL, NULL, 2},
    {{{"OMP_NUM_THREADS", "3"}}, MMSCAN_OK, NULL, NULL, 3},
    {{{"MMSCAN_NUM_THREADS", "0"}}, MMSCAN_EINVAL, NULL, NULL, 0},
    {{{"MMSCAN_NUM_THREADS", "-1"}}, MMSCAN_EINVAL, NULL, NULL, 0},
    {{{"MMSCAN_NUM_THREADS", "x"}}, MMSCAN_EINVAL, NULL, NULL, 0},
    {{{"MMSCAN_NUM_THREADS", "2x"}}, MMSCAN_EINVAL, NULL, NULL, 0},
    {{{"MMSCAN_NUM_THREADS", "1.5"}}, MMSCAN_EINVAL, NULL, NULL, 0},
    {{{"MMSCAN_NUM_THREADS", "99999999999999999999"}}, MMSCAN_EINVAL, NULL, NULL, 0},
    {{{"MMSCAN_WISDOM", "a-file"}}, MMSCAN_ENOTSUP, NULL, NULL, 0},
};

static void assert_as_expected(const struct expected *e, mmscan_status got, const char *call) {
  if (e->status == ANY ? got != MMSCAN_OK : (int)got == e->status) return;
  fail_seeded("%s=%s, %s: %s", text_or(e->setting[0].name, "no variable"), text_or(e->setting[0].value, ""), call,
              mmscan_strerror(got));
}

static void check_statuses(const struct expected *e, const struct report *r) {
  static const char *const simple[] = {"inclusive, n 1", "inclusive, n 16", "inclusive, n 1000", "inclusive, n 1e5"};
  for (size_t i = 0; i < COUNT(simple); i++) assert_as_expected(e, r->simple[i], simple[i]);
  assert_as_expected(e, r->exclusive, "exclusive, n 1");
  assert_as_expected(e, r->scan, "scan");
  assert_as_expected(e, r->block, "scan_block");
  assert_as_expected(e, r->plan_create, "plan_create");
  assert_int_equal(r->empty, MMSCAN_OK);
  assert_int_equal(r->execute, e->status == MMSCAN_OK ? MMSCAN_OK : MMSCAN_EINVAL);
  assert_false(r->touched);
}

static void check_values(const struct expected *e, const struct report *r) {
  if (e->status == MMSCAN_OK) {
    assert_string_equal(r->error, "");
  } else {
    assert_non_null(strstr(r->error, e->setting[0].name));
    assert_non_null(strstr(r->error, e->setting[0].value));
    assert_null(strchr(r->error, '\n'));
  }
  if (e->engine) assert_string_equal(r->engine, e->engine);
  if (e->unit) assert_string_equal(r->unit, e->unit);
  if (e->threads) assert_int_equal(r->threads, e->threads);
  assert_string_equal(r->isa, "portable");
}

static void test_each_variable(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(expectations); i++) {
    struct outcome o = ask_self("probe", expectations[i].setting, COUNT(expectations[i].setting));
    struct report r;
    if (o.exit != 0 || o.reported != sizeof r)
      fail_msg("%s: the child ended with %d", text_or(expectations[i].setting[0].name, "no variable"), o.exit);
    if (o.printed != 0) fail_msg("the library printed: %s", o.print);
    memcpy(&r, o.report, sizeof r);
    check_statuses(&expectations[i], &r);
    check_values(&expectations[i], &r);
  }
}

/* A choice outranks the environment: here it asks for each engine while the environment names another. */
static int probe_choices(void) {
  for (size_t e = 0;; e++) {
    mmscan_part part = {.struct_size = sizeof part};
    if (mmscan_get_engine(e, &part) != MMSCAN_OK) return report_to_parent("done", 4);
    mmscan_choice asked = {.struct_size = sizeof asked, .engine = part.name, .threads = 1}, used = asked;
    mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, 10000);
    mmscan_plan *plan = NULL;
    if (mmscan_plan_create_with(&plan, &desc, MMSCAN_ESTIMATE, &asked) != MMSCAN_OK) return 1;
    if (mmscan_plan_get_choice(plan, &used) != MMSCAN_OK || !honoured(&asked, &used)) return 1;
    mmscan_plan_destroy(plan);
  }
}

static void test_a_choice_outranks(void **state) {
  (void)state;
  static const struct setting settings[][3] = {
      {{"MMSCAN_ENGINE", "serial"}, {"MMSCAN_NUM_THREADS", "4"}},
      {{"MMSCAN_ENGINE", "gemm"}, {"MMSCAN_UNIT", "model"}, {"MMSCAN_NUM_THREADS", "4"}},
  };
  for (size_t i = 0; i < COUNT(settings); i++) {
    struct outcome o = ask_self("choices", settings[i], 3);
    assert_int_equal(o.exit, 0);
    assert_int_equal(o.reported, 4);
  }
}

int main(int argc, char **argv) {
  if (argc > 1) return strcmp(argv[1], "probe") == 0 ? probe() : probe_choices();
  static const char *const variables[] = {"MMSCAN_ENGINE", "MMSCAN_UNIT",     "MMSCAN_ISA",  "MMSCAN_NUM_THREADS",
                                          "MMSCAN_WISDOM", "OMP_NUM_THREADS", "OMP_DYNAMIC", "OMP_THREAD_LIMIT"};
  for (size_t i = 0; i < COUNT(variables); i++) unsetenv(variables[i]);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_each_variable),
      cmocka_unit_test(test_a_choice_outranks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
