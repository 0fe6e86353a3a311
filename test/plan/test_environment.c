/* test_environment.c: each environment variable in a fresh process: honoured, or refused by every call that scans.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "support/child.h"
#include "support/matmul.h"
#include "support/oracle.h"
#include "support/wisdom_text.h"

/* ---- In the child: every call once ------------------------------------------------------------------------------- */

enum { NAME = 32 };

/* What the child saw; strings are truncated. */
struct report {
  mmscan_status empty, simple[4], exclusive, scan, block, plan_create, execute, product, matmulscan;
  bool touched; /* whether a call that failed changed y */
  int threads;
  size_t count, tile;
  int plan_threads;
  char engine[NAME], unit[NAME], plan_isa[NAME], isa[NAME], by_isa[NAME], error[512];
};

static void keep(char *to, size_t size, const char *text) { snprintf(to, size, "%s", text_or(text, "")); }

/* The simple call has its own path for short scans, which must see the environment too. */
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
  keep(r->plan_isa, NAME, used.isa);
  r->tile = used.tile;
  r->plan_threads = used.threads;
}

static void probe_units(struct report *r, const float *x, float *y) {
  const mmscan_product_desc product = product_desc("model", MMSCAN_PRODUCT_CHUNKED, 4, 5);
  const mmscan_matmul_desc matmul = matmul_desc(MMSCAN_F32, 20, 4, "model", 0);
  y[0] = -1;
  r->product = mmscan_product(&product, x, y);
  r->touched = r->touched || (r->product != MMSCAN_OK && y[0] != -1);
  y[0] = -1;
  r->matmulscan = mmscan_matmulscan(&matmul, x, y, NULL);
  r->touched = r->touched || (r->matmulscan != MMSCAN_OK && y[0] != -1);
}

/* The engine of a plan that asks for an instruction set only. */
static void probe_isa(struct report *r) {
  const mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, 100);
  mmscan_choice choice = {.struct_size = sizeof choice, .isa = "portable"};
  mmscan_plan *plan = NULL;
  if (mmscan_plan_create_with(&plan, &desc, MMSCAN_ESTIMATE, &choice) == MMSCAN_OK)
    mmscan_plan_get_choice(plan, &choice);
  keep(r->by_isa, NAME, choice.engine);
  mmscan_plan_destroy(plan);
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
  probe_isa(&r);
  probe_units(&r, x, y);
  keep(r.isa, NAME, mmscan_isa());
  keep(r.error, sizeof r.error, mmscan_environment_error());
  r.threads = mmscan_threads();
  r.count = mmscan_wisdom_count();
  free(x);
  free(y);
  return report_to_parent(&r, sizeof r);
}

/* ---- In the parent ----------------------------------------------------------------------------------------------- */

/* A status of ANY means any but MMSCAN_OK. */
enum { ANY = -1, FEWER = -1, SETTINGS = 3 };

struct expected {
  struct setting setting[SETTINGS]; /* the first is the one at fault, if any is */
  int status;
  const char *engine, *unit; /* NULL: not checked */
  int threads;               /* 0: not checked; FEWER: far fewer than were asked for, but 256 at least */
  const char *isa;           /* NULL: the best that runs here */
  const char *reason;        /* in the message; NULL: not checked */
};

static const struct expected expectations[] = {
    {{{NULL, NULL}}, .status = MMSCAN_OK},
    {{{"MMSCAN_ENGINE", "auto"}}, .status = MMSCAN_OK, .engine = "simd", .unit = ""},
    {{{"MMSCAN_ENGINE", "serial"}}, .status = MMSCAN_OK, .engine = "serial", .unit = ""},
    {{{"MMSCAN_ENGINE", "gemm"}}, .status = MMSCAN_OK, .engine = "gemm", .unit = "cblas"},
    {{{"MMSCAN_ENGINE", "simd"}}, .status = MMSCAN_OK, .engine = "simd", .unit = ""},
    {{{"MMSCAN_ENGINE", "nonsense"}}, .status = MMSCAN_EINVAL},
    {{{"MMSCAN_ENGINE", "GEMM"}}, .status = MMSCAN_EINVAL},
    {{{"MMSCAN_ENGINE", "gemm "}}, .status = MMSCAN_EINVAL},
    {{{"MMSCAN_ENGINE", "nonsense"}, {"MMSCAN_NUM_THREADS", "0"}}, .status = MMSCAN_EINVAL},
    {{{"MMSCAN_UNIT", "cblas"}}, .status = MMSCAN_OK},
    {{{"MMSCAN_UNIT", "model"}}, .status = MMSCAN_OK},
    {{{"MMSCAN_UNIT", "cblas"}, {"MMSCAN_ENGINE", "gemm"}}, .status = MMSCAN_OK, .engine = "gemm", .unit = "cblas"},
    {{{"MMSCAN_UNIT", "model"}, {"MMSCAN_ENGINE", "gemm"}}, .status = MMSCAN_OK, .engine = "gemm", .unit = "model"},
    {{{"MMSCAN_UNIT", "nonsense"}}, .status = ANY},
    {{{"MMSCAN_UNIT", "nonsense"}, {"MMSCAN_ENGINE", "serial"}}, .status = ANY},
    {{{"MMSCAN_ISA", "nonsense"}}, .status = MMSCAN_EINVAL, .reason = "avx512, avx512vl, avx2, neon, portable"},
    {{{"MMSCAN_ISA", "AVX2"}}, .status = MMSCAN_EINVAL},
    {{{"MMSCAN_ISA", "avx51"}}, .status = MMSCAN_EINVAL},
    {{{"MMSCAN_ISA", "portable "}}, .status = MMSCAN_EINVAL},
    {{{"MMSCAN_ISA", "auto"}}, .status = MMSCAN_EINVAL},
    {{{"MMSCAN_ISA", "nonsense"}, {"MMSCAN_ENGINE", "serial"}}, .status = MMSCAN_EINVAL},
    {{{"MMSCAN_NUM_THREADS", "1"}}, .status = MMSCAN_OK, .threads = 1},
    {{{"MMSCAN_NUM_THREADS", "3"}}, .status = MMSCAN_OK, .threads = 3},
    {{{"MMSCAN_NUM_THREADS", "1048576"}}, .status = MMSCAN_OK, .threads = FEWER},
    {{{"MMSCAN_NUM_THREADS", "2"}, {"OMP_NUM_THREADS", "5"}}, .status = MMSCAN_OK, .threads = 2},
    {{{"OMP_NUM_THREADS", "3"}}, .status = MMSCAN_OK, .threads = 3},
    {{{"MMSCAN_NUM_THREADS", "0"}}, .status = MMSCAN_EINVAL},
    {{{"MMSCAN_NUM_THREADS", "-1"}}, .status = MMSCAN_EINVAL},
    {{{"MMSCAN_NUM_THREADS", "x"}}, .status = MMSCAN_EINVAL},
    {{{"MMSCAN_NUM_THREADS", "2x"}}, .status = MMSCAN_EINVAL},
    {{{"MMSCAN_NUM_THREADS", " 2"}}, .status = MMSCAN_EINVAL},
    {{{"MMSCAN_NUM_THREADS", "+2"}}, .status = MMSCAN_EINVAL},
    {{{"MMSCAN_NUM_THREADS", "1.5"}}, .status = MMSCAN_EINVAL},
    {{{"MMSCAN_NUM_THREADS", "1048577"}}, .status = MMSCAN_EINVAL},
    {{{"MMSCAN_NUM_THREADS", "99999999999999999999"}}, .status = MMSCAN_EINVAL},
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
  assert_as_expected(e, r->product, "product");
  assert_as_expected(e, r->matmulscan, "matmulscan");
  assert_int_equal(r->empty, MMSCAN_OK);
  assert_int_equal(r->execute, e->status == MMSCAN_OK ? MMSCAN_OK : MMSCAN_EINVAL);
  assert_false(r->touched);
}

static void check_error(const struct expected *e, const struct report *r) {
  if (e->status == MMSCAN_OK) {
    assert_string_equal(r->error, "");
    return;
  }
  assert_non_null(strstr(r->error, e->setting[0].name));
  assert_non_null(strstr(r->error, e->setting[0].value));
  assert_null(strchr(r->error, '\n'));
  if (e->reason && !strstr(r->error, e->reason)) fail_msg("no '%s' in: %s", e->reason, r->error);
}

/* Instruction sets are listed best first, except AVX-512 on a CPU that the compiler's runtime knows to have no 512-bit
 * units (Zen 4; earlier Zens have no AVX-512). */
static bool pays(const char *isa) {
#if defined(__x86_64__)
  if (strcmp(isa, "avx512") == 0) return !__builtin_cpu_is("amdfam19h");
#endif
  return (void)isa, true;
}

static const char *best_isa(void) {
  static mmscan_part isa = {.struct_size = sizeof isa};
  for (size_t i = 0; mmscan_get_isa(i, &isa) == MMSCAN_OK; i++)
    if (strcmp(isa.description, "runs here") == 0 && pays(isa.name)) return isa.name;
  return NULL;
}

static void check_values(const struct expected *e, const struct report *r) {
  if (e->engine) assert_string_equal(r->engine, e->engine);
  if (e->unit) assert_string_equal(r->unit, e->unit);
  if (e->threads == FEWER)
    assert_in_range(r->threads, 256, 1048575);
  else if (e->threads)
    assert_int_equal(r->threads, e->threads);
  assert_string_equal(r->isa, e->isa ? e->isa : best_isa());
  assert_string_equal(r->plan_isa, strcmp(r->engine, "simd") == 0 || strcmp(r->engine, "gemm") == 0 ? r->isa : "");
}

static struct report probe_as(const struct expected *e) {
  struct report r;
  const struct outcome o = ask_report("probe", e->setting, SETTINGS, &r, sizeof r);
  if (o.printed != 0) fail_msg("the library printed: %s", o.print);
  check_statuses(e, &r);
  check_error(e, &r);
  check_values(e, &r);
  return r;
}

TEST(test_each_variable) {
  for (size_t i = 0; i < COUNT(expectations); i++) probe_as(&expectations[i]);
}

/* The message quotes a part of a long value, and says what is wrong with it. */
TEST(test_long_value) {
  char value[1000] = "";
  memset(value, 'x', sizeof value - 1);
  struct report r;
  ask_report("probe", &(struct setting){"MMSCAN_ENGINE", value}, 1, &r, sizeof r);
  assert_int_equal(r.scan, MMSCAN_EINVAL);
  assert_ptr_equal(strstr(r.error, "MMSCAN_ENGINE=xxx"), r.error);
  assert_non_null(strstr(r.error, "xxx: not one of gemm"));
}

/* ---- Instruction sets -------------------------------------------------------------------------------------------- */

/* What the compiler's runtime says of this CPU and system. */
static bool cpu_has(const char *isa) {
#if defined(__x86_64__)
  if (strcmp(isa, "avx2") == 0) return __builtin_cpu_supports("avx2");
  if (strncmp(isa, "avx512", strlen("avx512")) == 0)
    return __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#elif defined(__aarch64__)
  if (strcmp(isa, "neon") == 0) return true;
#endif
  return strcmp(isa, "portable") == 0;
}

static bool can_be_chosen(const char *isa) {
  mmscan_choice choice = {.struct_size = sizeof choice, .isa = isa};
  mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, 100);
  mmscan_plan *plan = NULL;
  mmscan_status status = mmscan_plan_create_with(&plan, &desc, MMSCAN_ESTIMATE, &choice);
  mmscan_plan_destroy(plan);
  return status == MMSCAN_OK;
}

/* With each engine: a variable that cannot be honoured is reported even if the engine has no use for it. */
static void check_isa(const char *isa, bool runs) {
  static const char *const engines[] = {"auto", "simd", "gemm", "serial"};
  for (size_t i = 0; i < COUNT(engines); i++) {
    struct expected e = {.setting = {{"MMSCAN_ISA", isa}, {"MMSCAN_ENGINE", engines[i]}},
                         .status = runs ? MMSCAN_OK : MMSCAN_ENOTSUP,
                         .engine = runs ? engines[i] : "",
                         .isa = runs ? isa : NULL};
    if (runs && i == 0) e.engine = "simd";
    struct report r = probe_as(&e);
    assert_string_equal(r.by_isa, !runs ? "" : strcmp(engines[i], "gemm") == 0 ? "gemm" : "simd");
  }
}

TEST(test_each_isa) {
  mmscan_part isa = {.struct_size = sizeof isa};
  for (size_t i = 0; mmscan_get_isa(i, &isa) == MMSCAN_OK; i++) {
    bool runs = strcmp(isa.description, "runs here") == 0;
    print_message("%s %s\n", runs ? "ran:    " : "refused:", isa.name);
    assert_int_equal(runs, cpu_has(isa.name));
    assert_int_equal(runs, can_be_chosen(isa.name));
    check_isa(isa.name, runs);
  }
}

/* ---- Wisdom ------------------------------------------------------------------------------------------------------ */

static void refuse_wisdom(const char *file, const char *reason) {
  struct expected e = {.setting = {{"MMSCAN_WISDOM", file}}, .status = MMSCAN_EIO, .reason = reason};
  assert_int_equal(probe_as(&e).count, 0);
}

TEST(test_wisdom_that_cannot_be_used) {
  const char *line = "plus f32 16 0 simd - 0 1024 1 1024\n";
  struct text head = wisdom_head(), damaged = wisdom_of(head.data, line), illegal;
  refuse_wisdom(in_scratch("missing"), "No such file");
  refuse_wisdom(scratch, "read");
  write_bytes(in_scratch("empty"), "", 0);
  refuse_wisdom(in_scratch("empty"), "not wisdom");
  write_bytes(in_scratch("note"), "do not forget\n", 14);
  refuse_wisdom(in_scratch("note"), "not wisdom");
  damaged.data[head.size] = 'F';
  text_write(in_scratch("damaged"), &damaged);
  refuse_wisdom(in_scratch("damaged"), "damaged: mmscan tune -o measures anew");
  illegal = wisdom_of(head.data, "plus f32 16 0 abacus - 0 1024 1 1024\n");
  text_write(in_scratch("illegal"), &illegal);
  refuse_wisdom(in_scratch("illegal"), "line");
}

/* A head with one character changed. */
static void check_changed(size_t at, const char *reason) {
  struct text head = wisdom_head(), foreign;
  head.data[at]++;
  foreign = wisdom_of(head.data, "plus f32 16 0 simd - 0 1024 1 1024\n");
  text_write(in_scratch("foreign"), &foreign);
  refuse_wisdom(in_scratch("foreign"), reason);
}

/* Changes the first and the last character of what follows `start` in its line: of a CPU, in its name and its
 * signature. */
static void check_foreign(const char *start, const char *reason) {
  const struct text head = wisdom_head();
  const char *line = strstr(head.data, start);
  if (line == NULL) fail_msg("no line '%s' in: %s", start, head.data);
  const size_t at = (size_t)(line - head.data);
  check_changed(at + strlen(start), reason);
  check_changed(at + strcspn(line, "\n") - 1, reason);
}

TEST(test_foreign_wisdom) {
  check_foreign("mmscan-wisdom ", "another format");
  check_foreign("library ", "another version of the library");
  check_foreign("cpu ", "another CPU");
  check_foreign("isa ", "another instruction set");
}

/* The head with another version of the BLAS. */
static struct text head_of_another_blas(void) {
  struct text head = wisdom_head(), other = {0};
  char *unit = strstr(head.data, "unit cblas ");
  if (unit == NULL) fail_msg("no unit cblas in: %s", head.data);
  *unit = '\0';
  add_text(&other, head.data);
  add_text(&other, "unit cblas OpenBLAS 0.0.0\n");
  return other;
}

/* The version matters only to choices that use the BLAS. */
TEST(test_wisdom_of_another_blas) {
  struct text head = head_of_another_blas();
  struct text text =
      wisdom_of(head.data, "plus f32 16 0 simd - 0 1024 1 1024\nplus f32 17 0 gemm model 4 256 1 1024\n");
  text_write(in_scratch("unused"), &text);
  struct expected e = {
      .setting = {{"MMSCAN_WISDOM", in_scratch("unused")}}, .status = MMSCAN_OK, .engine = "simd", .unit = ""};
  assert_int_equal(probe_as(&e).count, 2);
  text = wisdom_of(head.data, "plus f32 16 0 simd - 0 1024 1 1024\nplus f32 17 0 gemm cblas 4 256 1 1024\n");
  text_write(in_scratch("used"), &text);
  refuse_wisdom(in_scratch("used"), "BLAS that is not here or of another version");
}

/* Wisdom for one instruction set is refused for another. */
TEST(test_wisdom_of_another_isa) {
  const char *file = wisdom_file("good", "plus f32 16 0 simd - 0 1024 1 1024\n");
  bool same = strcmp(mmscan_isa(), "portable") == 0;
  struct expected e = {.setting = {{"MMSCAN_WISDOM", file}, {"MMSCAN_ISA", "portable"}},
                       .status = same ? MMSCAN_OK : MMSCAN_EIO,
                       .isa = "portable"};
  probe_as(&e);
}

/* Plans for 100,000 floats use the file's choice, unless another variable outranks it. */
static const struct {
  const char *line, *name, *value; /* the other variable; NULL: none */
  const char *engine, *unit;
  size_t tile; /* 0: not checked */
  int threads; /* the plan's */
} uses[] = {
    {"plus f32 16 0 simd - 0 1024 1 1024\n", NULL, NULL, "simd", "", 1024, 1},
    {"plus f32 16 0 serial - 0 0 1 1024\n", NULL, NULL, "serial", "", 0, 1},
    {"plus f32 16 0 gemm model 4 256 1 1024\n", NULL, NULL, "gemm", "model", 256, 1},
    {"plus f32 15 0 serial - 0 0 1 1024\n", NULL, NULL, "simd", "", 0, 0},
    {"plus f32 16 1 serial - 0 0 1 1024\n", NULL, NULL, "simd", "", 0, 0},
    {"plus f64 16 0 serial - 0 0 1 1024\n", NULL, NULL, "simd", "", 0, 0},
    {"plus f32 16 0 serial - 0 0 1 1024\n", "MMSCAN_ENGINE", "simd", "simd", "", 0, 0},
    {"plus f32 16 0 simd - 0 1024 1 1024\n", "MMSCAN_ENGINE", "gemm", "gemm", "cblas", 0, 0},
    {"plus f32 16 0 simd - 0 1024 1 1024\n", "MMSCAN_ENGINE", "auto", "simd", "", 1024, 1},
    {"plus f32 16 0 gemm cblas 4 256 1 1024\n", "MMSCAN_UNIT", "model", "gemm", "model", 256, 1},
    {"plus f32 16 0 simd - 0 1024 2 1024\n", "MMSCAN_NUM_THREADS", "1", "simd", "", 1024, 1},
    {"plus f32 16 0 simd - 0 1024 2 1024\n", "MMSCAN_NUM_THREADS", "3", "simd", "", 1024, 2},
    {"plus f32 16 0 serial - 0 0 1 3\n", "MMSCAN_NUM_THREADS", "3", "serial", "", 0, 1},
    {"plus f32 16 0 serial - 0 0 1 3\n", "MMSCAN_NUM_THREADS", "4", "serial", "", 0,
     1}, /* measured with fewer threads */
    {"plus f32 16 0 simd - 0 1024 2 3\n", "MMSCAN_NUM_THREADS", "4", "simd", "", 1024, 0},
};

TEST(test_wisdom_is_used) {
  for (size_t i = 0; i < COUNT(uses); i++) {
    const char *file = wisdom_file("good", uses[i].line);
    struct expected e = {.setting = {{"MMSCAN_WISDOM", file}, {uses[i].name, uses[i].value}},
                         .status = MMSCAN_OK,
                         .engine = uses[i].engine,
                         .unit = uses[i].unit};
    struct report r = probe_as(&e);
    assert_int_equal(r.count, 1);
    if (uses[i].tile) assert_int_equal(r.tile, uses[i].tile);
    if (uses[i].threads) assert_int_equal(r.plan_threads, uses[i].threads);
  }
}

/* ---- Choices ----------------------------------------------------------------------------------------------------- */

static bool is_honoured(const mmscan_choice *asked) {
  mmscan_choice used = {.struct_size = sizeof used};
  mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, 10000);
  mmscan_plan *plan = NULL;
  bool right = mmscan_plan_create_with(&plan, &desc, MMSCAN_ESTIMATE, asked) == MMSCAN_OK &&
               mmscan_plan_get_choice(plan, &used) == MMSCAN_OK && honoured(asked, &used);
  mmscan_plan_destroy(plan);
  return right;
}

/* A choice outranks the environment: it asks for each engine, and for what only one engine has, while the environment
 * names another engine. */
static int probe_choices(void) {
  const mmscan_choice others[] = {{.struct_size = sizeof others[0], .isa = "portable"},
                                  {.struct_size = sizeof others[0], .unit = "cblas"},
                                  {.struct_size = sizeof others[0], .s = 16},
                                  {.struct_size = sizeof others[0], .tile = 1000}};
  mmscan_part part = {.struct_size = sizeof part};
  for (size_t e = 0; mmscan_get_engine(e, &part) == MMSCAN_OK; e++)
    if (!is_honoured(&(mmscan_choice){.struct_size = sizeof others[0], .engine = part.name, .threads = 1})) return 1;
  for (size_t i = 0; i < COUNT(others); i++)
    if (!is_honoured(&others[i])) return 2 + (int)i;
  return report_to_parent("done", 4);
}

TEST(test_a_choice_outranks) {
  static const struct setting settings[][3] = {
      {{"MMSCAN_ENGINE", "serial"}, {"MMSCAN_NUM_THREADS", "4"}},
      {{"MMSCAN_ENGINE", "gemm"}, {"MMSCAN_UNIT", "model"}, {"MMSCAN_NUM_THREADS", "4"}},
      {{"MMSCAN_ENGINE", "simd"}, {"MMSCAN_NUM_THREADS", "4"}},
  };
  for (size_t i = 0; i < COUNT(settings); i++) {
    struct outcome o = ask_self("choices", settings[i], 3);
    assert_int_equal(o.exit, 0);
    assert_int_equal(o.reported, 4);
  }
}

/* ---- More rights than the user ----------------------------------------------------------------------------------- */

enum { SKIPPED = 77 };

static int become_privileged(void) {
  if (setresuid(65534, 0, 0) != 0) return SKIPPED;
  become_self("scan", NULL, 0);
  return 126;
}

static int scan_one(void) {
  float x = 1;
  return mmscan_inclusive_f32(1, &x, &x) == MMSCAN_OK ? 0 : 1;
}

/* A program with more rights than its user does not load a library that the user names. */
TEST(test_more_rights_than_the_user) {
  const struct setting wrong = {"MMSCAN_UNIT", "/nowhere/libblas.so"};
  assert_int_equal(run_self("scan", &wrong, 1), 1);
  const int exit = emulator() || getenv("MMSCAN_TEST_WRAPPER") ? SKIPPED : run_self("privileged", &wrong, 1);
  skip_if(exit == SKIPPED, "a program with more rights than its user: root alone can make one");
  assert_int_equal(exit, 0);
}

int main(int argc, char **argv) {
  static const struct child children[] = {
      {"probe", probe}, {"choices", probe_choices}, {"privileged", become_privileged}, {"scan", scan_one}};
  int status;
  if (run_child(argc, argv, children, COUNT(children), &status)) return status;
  static const char *const variables[] = {"MMSCAN_ENGINE", "MMSCAN_UNIT",     "MMSCAN_ISA",  "MMSCAN_NUM_THREADS",
                                          "MMSCAN_WISDOM", "OMP_NUM_THREADS", "OMP_DYNAMIC", "OMP_THREAD_LIMIT"};
  for (size_t i = 0; i < COUNT(variables); i++) unsetenv(variables[i]);
  return run_all_tests(make_scratch, remove_scratch);
}
