/* test_alloc.c: every allocation of every call fails in turn. The call is right, or returns MMSCAN_ENOMEM and leaves y
 * untouched; nothing leaks.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The linker redirects the allocations of this program and of the library (--wrap) to the functions below. The library
 * may keep a workspace for later calls, so each failure is tried in a fresh process, which has kept nothing yet.
 */
#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>

#include "support/child.h"
#include "support/shot.h"
#include "support/wisdom_text.h"
#include "toys/toy.h"
#include "unit/trust.h"

/* ---- The wrapped allocators -------------------------------------------------------------------------------------- */

enum { NEVER = 1000000 };

static atomic_bool armed;        /* allocations are counted, and may fail */
static atomic_int calls;         /* allocations since it was armed */
static atomic_int first_to_fail; /* index of the allocation that fails */
static atomic_bool all_after;    /* and so do all after it */
static atomic_size_t largest;    /* the largest size requested, of those from `too_large` on, which are refused */
static size_t too_large = SIZE_MAX;

static bool refuses(void) {
  if (!armed) return false;
  int index = calls++;
  return index == first_to_fail || (all_after && index > first_to_fail);
}

static void arm(int fail, bool and_after) {
  calls = 0;
  first_to_fail = fail;
  all_after = and_after;
  armed = true;
}

static void disarm(void) { armed = false; }

/* The linker prescribes the names. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void **out, size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
int __wrap_posix_memalign(void **out, size_t alignment, size_t size);

void *__wrap_malloc(size_t size) { return refuses() ? NULL : __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size) { return refuses() ? NULL : __real_calloc(count, size); }
void *__wrap_realloc(void *old, size_t size) { return refuses() ? NULL : __real_realloc(old, size); }
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  if (size >= too_large && size > largest) largest = size;
  return refuses() || size >= too_large ? NULL : __real_aligned_alloc(alignment, size);
}
int __wrap_posix_memalign(void **out, size_t alignment, size_t size) {
  return refuses() ? ENOMEM : __real_posix_memalign(out, alignment, size);
}

/* ---- The calls under test ---------------------------------------------------------------------------------------- */

enum { N = 120000, BATCH = 3, ROW = N / BATCH, WISDOM_LINES = 3 };

/* Whether there is memory for an OpenMP team is found out by an allocation. */
enum { ASKED = 1 };

/* What a call works on: the sample is x, and y receives its scan. */
struct scene {
  struct sample sample;
  struct window window; /* of every row */
  size_t batch;
  unsigned char *y;
};

typedef mmscan_status operation(struct scene *scene);

static mmscan_desc scene_desc(const struct scene *s) {
  mmscan_desc desc = plain_desc(s->sample.oracle.type->type, s->window.kind, s->window.reverse, s->window.n);
  desc.batch = s->batch;
  desc.x_dist = desc.y_dist = (ptrdiff_t)s->window.n;
  return desc;
}

static mmscan_status simple_call(struct scene *s) {
  return s->sample.oracle.type->inclusive(s->window.n, s->sample.x, s->y);
}

static mmscan_status general_call(struct scene *s) {
  mmscan_desc desc = scene_desc(s);
  return mmscan_scan(&desc, s->sample.x, s->y);
}

static mmscan_status block_call(struct scene *s) {
  mmscan_desc desc = scene_desc(s);
  double carry[BATCH] = {0}, untouched[BATCH] = {0};
  mmscan_status status = mmscan_scan_block(&desc, s->sample.x, s->y, carry);
  if (status != MMSCAN_OK && memcmp(carry, untouched, sizeof carry) != 0) s->y[0] ^= 1; /* seen as a touched y */
  return status;
}

static mmscan_status plan_call(struct scene *s, const mmscan_choice *choice) {
  mmscan_desc desc = scene_desc(s);
  mmscan_plan *plan = (mmscan_plan *)&desc;
  mmscan_status status = mmscan_plan_create_with(&plan, &desc, MMSCAN_ESTIMATE, choice);
  if (status != MMSCAN_OK) return plan == NULL ? status : MMSCAN_EIO;
  status = mmscan_execute(plan, s->sample.x, s->y);
  mmscan_plan_destroy(plan);
  return status;
}

static mmscan_status plan_of_default(struct scene *s) { return plan_call(s, NULL); }

static mmscan_status plan_of_serial(struct scene *s) {
  return plan_call(s, &(mmscan_choice){.struct_size = sizeof(mmscan_choice), .engine = "serial"});
}

static mmscan_status plan_of_simd(struct scene *s) {
  return plan_call(s, &(mmscan_choice){.struct_size = sizeof(mmscan_choice), .engine = "simd", .threads = 3});
}

static mmscan_status plan_of_gemm(struct scene *s) {
  return plan_call(s, &(mmscan_choice){.struct_size = sizeof(mmscan_choice), .engine = "gemm", .threads = 3});
}

static mmscan_status plan_of_large_gemm(struct scene *s) {
  return plan_call(s, &(mmscan_choice){.struct_size = sizeof(mmscan_choice),
                                       .engine = "gemm",
                                       .s = MMSCAN_MAX_S,
                                       .tile = MMSCAN_MAX_TILE,
                                       .threads = 2});
}

/* A plan that is measured. Wisdom grows by one whole shape or by none. */
static mmscan_status measured_call(struct scene *s, const mmscan_choice *choice) {
  mmscan_desc desc = scene_desc(s);
  mmscan_plan *plan = (mmscan_plan *)&desc;
  size_t before = mmscan_wisdom_count();
  mmscan_status status = mmscan_plan_create_with(&plan, &desc, MMSCAN_MEASURE, choice);
  if (mmscan_wisdom_count() > before + 1) return MMSCAN_EINVAL;
  if (status != MMSCAN_OK) return plan == NULL ? status : MMSCAN_EINVAL;
  status = mmscan_execute(plan, s->sample.x, s->y);
  mmscan_plan_destroy(plan);
  return status;
}

static mmscan_status measured_serial(struct scene *s) {
  return measured_call(s, &(mmscan_choice){.struct_size = sizeof(mmscan_choice), .engine = "serial", .threads = 1});
}

static mmscan_status measured_free(struct scene *s) { return measured_call(s, NULL); }

/* ---- Wisdom: the file is made by the parent ---------------------------------------------------------------------- */

static const char *wisdom_path(void) { return getenv("MMSCAN_TEST_WISDOM"); }

/* Either the whole file becomes known, or nothing of it. */
static mmscan_status read_call(struct scene *s) {
  size_t before = mmscan_wisdom_count();
  mmscan_status status = mmscan_wisdom_read(wisdom_path(), NULL, 0);
  size_t added = mmscan_wisdom_count() - before;
  if (added != (status || before >= WISDOM_LINES ? 0 : WISDOM_LINES)) return MMSCAN_EINVAL;
  return status ? status : simple_call(s);
}

/* Whether the file is the same as the last one. */
static bool is_as_before(const char *path) {
  static struct text before;
  const struct text now = text_read(path);
  const bool same = before.size == 0 || (before.size == now.size && memcmp(before.data, now.data, now.size) == 0);
  before = now;
  return same;
}

static mmscan_status write_call(struct scene *s) {
  char beside[PATH_SIZE];
  snprintf(beside, sizeof beside, "%s.%ld", wisdom_path(), (long)getpid());
  mmscan_status status = mmscan_wisdom_write(beside);
  if (status == MMSCAN_OK && !is_as_before(beside)) return MMSCAN_EINVAL;
  bool is_there = remove(beside) == 0;
  if (is_there != (status == MMSCAN_OK)) return MMSCAN_EINVAL;
  return status ? status : simple_call(s);
}

/* ---- The paper's algorithm --------------------------------------------------------------------------------------- */

static mmscan_status paper_call(struct scene *s, mmscan_form form, mmscan_length_rule rule,
                                mmscan_traversal traversal) {
  mmscan_matmul_desc desc = matmul_desc(s->sample.oracle.type->type, s->window.n, 7, NULL, 2);
  desc.form = form;
  desc.length_rule = rule;
  desc.traversal = traversal;
  desc.broadcast = MMSCAN_BROADCAST_MATRIX;
  return mmscan_matmulscan(&desc, s->sample.x, s->y, NULL);
}

static mmscan_status paper_digits(struct scene *s) {
  return paper_call(s, MMSCAN_STACKED, MMSCAN_DIGITS, MMSCAN_ITERATIVE);
}

static mmscan_status paper_digits_batched(struct scene *s) {
  return paper_call(s, MMSCAN_BATCHED, MMSCAN_DIGITS, MMSCAN_RECURSIVE);
}

static mmscan_status paper_padded(struct scene *s) {
  return paper_call(s, MMSCAN_STACKED, MMSCAN_PADDED, MMSCAN_RECURSIVE);
}

static mmscan_status paper_padded_batched(struct scene *s) {
  return paper_call(s, MMSCAN_BATCHED, MMSCAN_PADDED, MMSCAN_ITERATIVE);
}

/* The model has no y, so the scan is a separate call. */
static mmscan_status model_call(struct scene *s) {
  mmscan_model_desc desc = {.struct_size = sizeof desc, .n = s->window.n, .s = 7, .units = 3};
  mmscan_model_result result = {.struct_size = sizeof result, .depth = {-1, -1}};
  mmscan_status status = mmscan_model(&desc, &result);
  if ((result.depth.counted < 0) != (status != MMSCAN_OK)) return MMSCAN_EINVAL;
  return status ? status : simple_call(s);
}

static void no_trace(void *context, const mmscan_event *event) {
  (void)context;
  (void)event;
}

static mmscan_status paper_traced(struct scene *s) {
  mmscan_matmul_desc desc = matmul_desc(s->sample.oracle.type->type, s->window.n, 7, NULL, 0);
  desc.trace = no_trace;
  return mmscan_matmulscan(&desc, s->sample.x, s->y, NULL);
}

static mmscan_status network_call(struct scene *s, const char *method) {
  static const double zero = 0;
  const size_t size = s->sample.oracle.type->size;
  const mmscan_operator sum = {sizeof sum, size, size == sizeof(float) ? add_f32 : add_f64, NULL, &zero};
  const mmscan_network_desc desc = {.struct_size = sizeof desc,
                                    .method = method,
                                    .n = s->window.n,
                                    .s = 6,
                                    .op = &sum,
                                    .commutative = 1,
                                    .length_rule = MMSCAN_DIGITS};
  return mmscan_network(&desc, s->sample.x, s->y, NULL);
}

static mmscan_status network_sklansky(struct scene *s) { return network_call(s, "sklansky"); }
static mmscan_status network_dakkak(struct scene *s) { return network_call(s, "dakkak-block"); }
static mmscan_status network_matmulscan(struct scene *s) { return network_call(s, "matmulscan"); }

/* When a call may return MMSCAN_ENOMEM. Writing a file may also return MMSCAN_EIO, where the C library gives no
 * reason. */
enum may { NEVER_ENOMEM, MAKING_A_PLAN, ANY_TIME, WRITING_A_FILE };

/* The most failures tried in a call: measuring makes more allocations the more there is to try. */
enum { MOST_FAILURES = 8 };

static const struct trial {
  const char *name;
  operation *call;
  const char *engine; /* set in the environment */
  size_t type;
  size_t n, batch;
  mmscan_kind kind;
  bool reverse;
  enum may enomem;
} trials[] = {
    {"inclusive_f32", simple_call, "auto", 0, N, 1, MMSCAN_INCLUSIVE, false, NEVER_ENOMEM},
    {"inclusive_i64", simple_call, "auto", 3, N, 1, MMSCAN_INCLUSIVE, false, NEVER_ENOMEM},
    {"inclusive_i32, n 16", simple_call, "auto", 2, 16, 1, MMSCAN_INCLUSIVE, false, NEVER_ENOMEM},
    {"inclusive_f64, n 1000", simple_call, "auto", 1, 1000, 1, MMSCAN_INCLUSIVE, false, NEVER_ENOMEM},
    {"inclusive_f64, n 16, gemm", simple_call, "gemm", 1, 16, 1, MMSCAN_INCLUSIVE, false, ANY_TIME},
    {"inclusive_f32, gemm", simple_call, "gemm", 0, N, 1, MMSCAN_INCLUSIVE, false, ANY_TIME},
    {"inclusive_u64, gemm", simple_call, "gemm", 5, N, 1, MMSCAN_INCLUSIVE, false, ANY_TIME},
    {"scan of rows", general_call, "auto", 2, ROW, BATCH, MMSCAN_EXCLUSIVE, true, NEVER_ENOMEM},
    {"scan of rows, gemm", general_call, "gemm", 4, ROW, BATCH, MMSCAN_EXCLUSIVE, true, ANY_TIME},
    {"scan of rows, serial", general_call, "serial", 4, ROW, BATCH, MMSCAN_EXCLUSIVE, true, NEVER_ENOMEM},
    {"scan_block", block_call, "auto", 1, N, 1, MMSCAN_INCLUSIVE, true, NEVER_ENOMEM},
    {"scan_block of rows, gemm", block_call, "gemm", 1, ROW, BATCH, MMSCAN_EXCLUSIVE, false, ANY_TIME},
    {"plan", plan_of_default, "auto", 0, N, 1, MMSCAN_EXCLUSIVE, false, MAKING_A_PLAN},
    {"plan of serial", plan_of_serial, "auto", 0, N, 1, MMSCAN_EXCLUSIVE, false, MAKING_A_PLAN},
    {"plan of gemm", plan_of_gemm, "auto", 2, N, 1, MMSCAN_INCLUSIVE, false, ANY_TIME},
    {"plan of large gemm", plan_of_large_gemm, "auto", 0, N, 1, MMSCAN_INCLUSIVE, false, ANY_TIME},
    {"inclusive_u32, simd", simple_call, "simd", 4, N, 1, MMSCAN_INCLUSIVE, false, NEVER_ENOMEM},
    {"scan of rows, simd", general_call, "simd", 0, ROW, BATCH, MMSCAN_EXCLUSIVE, true, NEVER_ENOMEM},
    {"scan_block of rows, simd", block_call, "simd", 1, ROW, BATCH, MMSCAN_EXCLUSIVE, false, NEVER_ENOMEM},
    {"plan of simd", plan_of_simd, "auto", 2, N, 1, MMSCAN_INCLUSIVE, true, MAKING_A_PLAN},
    {"measured plan of serial", measured_serial, "auto", 0, 2000, 1, MMSCAN_INCLUSIVE, false, ANY_TIME},
    {"measured plan", measured_free, "auto", 1, 2000, 1, MMSCAN_INCLUSIVE, false, ANY_TIME},
    {"wisdom_read", read_call, "auto", 0, 2000, 1, MMSCAN_INCLUSIVE, false, ANY_TIME},
    {"wisdom_write", write_call, "auto", 0, 2000, 1, MMSCAN_INCLUSIVE, false, WRITING_A_FILE},
    {"paper, digits", paper_digits, "auto", 0, ROW, 1, MMSCAN_INCLUSIVE, false, ANY_TIME},
    {"paper, digits, batched", paper_digits_batched, "auto", 1, ROW, 1, MMSCAN_INCLUSIVE, false, ANY_TIME},
    {"paper, padded", paper_padded, "auto", 0, ROW, 1, MMSCAN_INCLUSIVE, false, ANY_TIME},
    {"paper, traced", paper_traced, "auto", 0, ROW, 1, MMSCAN_INCLUSIVE, false, ANY_TIME},
    {"network, sklansky", network_sklansky, "auto", 1, 300, 1, MMSCAN_INCLUSIVE, false, ANY_TIME},
    {"network, dakkak-block", network_dakkak, "auto", 0, 300, 1, MMSCAN_INCLUSIVE, false, ANY_TIME},
    {"network, matmulscan", network_matmulscan, "auto", 1, 300, 1, MMSCAN_INCLUSIVE, false, ANY_TIME},
    {"paper, padded, batched", paper_padded_batched, "auto", 1, ROW, 1, MMSCAN_INCLUSIVE, false, ANY_TIME},
    {"model", model_call, "auto", 0, ROW, 1, MMSCAN_INCLUSIVE, false, ANY_TIME},
};

/* Measuring takes time. */
static bool is_measured(const struct trial *t) { return t->call == measured_serial || t->call == measured_free; }

/* ---- One call ---------------------------------------------------------------------------------------------------- */

/* The result of a call; `right` and `untouched` describe y. */
struct result {
  mmscan_status status, again;
  int allocations;
  bool right, untouched, right_again;
};

static bool is_right(const struct scene *s) {
  const struct oracle *o = &s->sample.oracle;
  for (size_t r = 0; r < s->batch; r++) {
    struct window w = s->window;
    w.first = r * w.n;
    if (o->type->first_wrong(o, &w, 0, s->y + w.first * o->type->size) != w.n) return false;
  }
  return true;
}

static bool is_untouched(const struct scene *s, size_t size) {
  for (size_t i = 0; i < size; i++)
    if (s->y[i] != 0x5a) return false;
  return true;
}

/* The call with a failing allocation, then again with none failing. */
static struct result try_call(const struct trial *t, const struct sample *sample, int fail, bool and_after) {
  const struct type *type = type_at(t->type);
  struct scene s = {.sample = *sample, .batch = t->batch};
  struct result r = {0};
  s.window = (struct window){0, t->n, t->kind, t->reverse, NULL, MMSCAN_PLUS};
  s.y = test_memory(t->n * t->batch * type->size);
  memset(s.y, 0x5a, t->n * t->batch * type->size);
  arm(fail, and_after);
  r.status = t->call(&s);
  disarm();
  r.allocations = calls;
  r.right = is_right(&s);
  r.untouched = is_untouched(&s, t->n * t->batch * type->size);
  r.again = t->call(&s);
  r.right_again = is_right(&s);
  free(s.y);
  return r;
}

static struct sample sample_of(const struct trial *t) { return sample_new(type_at(t->type), EXACT, t->n * t->batch); }

static int run_one(const char *argument) {
  int index, fail, and_after;
  if (sscanf(argument, "%d:%d:%d", &index, &fail, &and_after) != 3) return 2;
  struct sample sample = sample_of(&trials[index]);
  struct result r = try_call(&trials[index], &sample, fail, and_after != 0);
  sample_free(&sample);
  return report_to_parent(&r, sizeof r);
}

static struct result ask(size_t index, int fail, bool and_after) {
  char argument[64];
  const struct setting setting[] = {{"MMSCAN_ENGINE", trials[index].engine},
                                    {"MMSCAN_NUM_THREADS", "2"},
                                    {"MMSCAN_TEST_WISDOM", in_scratch("wisdom")}};
  struct result r;
  snprintf(argument, sizeof argument, "%zu:%d:%d", index, fail, (int)and_after);
  ask_report(argument, setting, COUNT(setting), &r, sizeof r);
  return r;
}

/* ---- Every allocation in turn ------------------------------------------------------------------------------------ */

static void check_result(const struct trial *t, const struct result *r, int fail) {
  bool may = t->enomem >= ANY_TIME || (t->enomem == MAKING_A_PLAN && fail == 0);
  bool said = r->status == MMSCAN_ENOMEM || (r->status == MMSCAN_EIO && t->enomem == WRITING_A_FILE);
  if (r->status == MMSCAN_OK ? !r->right : (!said || !may || !r->untouched))
    fail_msg("%s, allocation %d fails: %s, y is %s", t->name, fail, mmscan_strerror(r->status),
             r->right ? "right" : (r->untouched ? "untouched" : "wrong"));
  if (r->again != MMSCAN_OK || !r->right_again)
    fail_msg("%s, after allocation %d failed: %s, y is %s", t->name, fail, mmscan_strerror(r->again),
             r->right_again ? "right" : "wrong");
}

TEST(test_each_allocation) {
  for (size_t i = 0; i < COUNT(trials); i++) {
    struct result r = ask(i, NEVER, false);
    int allocations = r.allocations, refused = 0;
    check_result(&trials[i], &r, NEVER);
    for (int fail = 0; fail < allocations && fail < (int)sized(MOST_FAILURES, 2); fail++)
      for (int and_after = 0; and_after <= 1; and_after++) {
        if ((quick() || is_measured(&trials[i])) && and_after == fail % 2) continue;
        r = ask(i, fail, and_after != 0);
        check_result(&trials[i], &r, fail);
        refused += r.status != MMSCAN_OK;
      }
    print_message("%-26s %2d allocations, %2d refusals\n", trials[i].name, allocations, refused);
    if (trials[i].enomem == NEVER_ENOMEM) assert_true(allocations <= ASKED && refused == 0);
    if (trials[i].call == plan_of_simd) assert_int_equal(allocations, 1 + ASKED);
    if (trials[i].n > 1000 && trials[i].enomem != NEVER_ENOMEM) assert_true(allocations > 0 && refused > 0);
  }
}

/* ---- Leaks ------------------------------------------------------------------------------------------------------- */

/* Bytes in use, of all arenas; 0 where this allocator does not say. */
static size_t bytes_in_use(void) {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
#else
  return 0;
#endif
}

static void fail_everywhere(void) {
  for (size_t i = 0; i < COUNT(trials); i++) {
    struct trial t = trials[i];
    t.n = smaller(t.n, 10000);
    struct sample sample = sample_of(&t);
    for (int fail = 0; fail < (is_measured(&t) ? 2 : 4); fail++) try_call(&t, &sample, fail, fail % 2 != 0);
    sample_free(&sample);
  }
}

static size_t least_in_use(size_t turns) {
  size_t least = SIZE_MAX;
  for (size_t turn = 0; turn < turns; turn++) {
    fail_everywhere();
    least = smaller(least, bytes_in_use());
  }
  return least;
}

/* The workspace that is kept for later calls varies, so the least of many turns is compared: a leak shows in it too. */
TEST(test_nothing_grows) {
  const size_t turns = sized(4, 2);
  size_t before = least_in_use(turns), after = least_in_use(turns);
  if (before == 0)
    print_message("skipped: bytes in use: this allocator does not say\n");
  else
    print_message("least bytes in use in %zu turns: %zu, then %zu\n", turns, before, after);
  assert_true(after <= before + 4096);
}

/* The arrays of a measurement have at most 256 MiB each, and at most 2^17 rows. Here they are requested and refused. */
TEST(test_arrays_of_measurements) {
  static const struct {
    size_t n, batch, most;
  } shapes[] = {{(size_t)1 << 30, 1, 1 << 28}, {100, (size_t)1 << 20, 400 << 17}, {1 << 20, 1, 1 << 22}};
  for (size_t i = 0; i < COUNT(shapes); i++) {
    mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, shapes[i].n);
    const mmscan_choice choice = {.struct_size = sizeof choice, .engine = "serial"};
    mmscan_plan *plan;
    desc.batch = shapes[i].batch;
    desc.x_dist = desc.y_dist = (ptrdiff_t)desc.n;
    largest = 0;
    too_large = 1 << 16;
    assert_status(MMSCAN_ENOMEM, mmscan_plan_create_with(&plan, &desc, MMSCAN_MEASURE, &choice));
    too_large = SIZE_MAX;
    assert_int_equal(largest, shapes[i].most);
  }
}

/* A plan for which there is no memory releases its library. */
TEST(test_failed_plans_keep_no_library) {
  const mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, 100);
  for (unsigned flag = MMSCAN_ESTIMATE; flag <= MMSCAN_MEASURE; flag++) {
    const char *path = toy("suffix64"), *name = open_toy("suffix64");
    const mmscan_choice choice = {.struct_size = sizeof choice, .unit = name, .s = 4, .threads = 1};
    mmscan_plan *plan = NULL;
    arm(0, true);
    mmscan_status status = mmscan_plan_create_with(&plan, &desc, flag, &choice);
    disarm();
    assert_status(MMSCAN_ENOMEM, status);
    assert_mmscan_ok(mmscan_unit_close(name));
    assert_false(is_unit(name) || is_loaded(path));
  }
}

/* Wisdom that is only read in part makes no routine trusted. */
TEST(test_routines_are_trusted_together) {
  const char *file = wisdom_file("trusted", "blas lib.so\nversion 1\ngood sgemm_batch\ngood dgemm_batch\n");
  int fail = 0;
  for (mmscan_status status = MMSCAN_ENOMEM; status != MMSCAN_OK; fail++) {
    const bool before = mms_trust_has("lib.so", "1", "sgemm_batch") || mms_trust_has("lib.so", "1", "dgemm_batch");
    assert_false(before);
    arm(fail, false);
    status = mmscan_wisdom_read(file, NULL, 0);
    disarm();
    if (status != MMSCAN_OK) assert_status(MMSCAN_ENOMEM, status);
  }
  assert_true(fail > 3 && mms_trust_has("lib.so", "1", "sgemm_batch") && mms_trust_has("lib.so", "1", "dgemm_batch"));
}

/* The plain loop does not replace an engine that was asked for by name. No test above needed so large a workspace, so
 * none that fits has been kept. The end shows that this one is kept for the next call. */
TEST(test_engine_by_name_without_memory) {
  enum { LENGTH = 5000 };
  static int64_t x[LENGTH], y[LENGTH];
  const mmscan_desc desc = plain_desc(MMSCAN_I64, MMSCAN_INCLUSIVE, 0, LENGTH);
  const mmscan_choice gemm = {.struct_size = sizeof gemm, .engine = "gemm", .unit = "model", .s = MMSCAN_MAX_S};
  mmscan_plan *plan;
  memset(y, 0x5a, sizeof y);
  assert_mmscan_ok(mmscan_plan_create_with(&plan, &desc, MMSCAN_ESTIMATE, &gemm));
  arm(0, true);
  mmscan_status status = mmscan_execute(plan, x, y);
  disarm();
  assert_status(MMSCAN_ENOMEM, status);
  for (size_t i = 0; i < LENGTH; i++) assert_int_equal(y[i], INT64_C(0x5a5a5a5a5a5a5a5a));
  assert_mmscan_ok(mmscan_execute(plan, x, y));
  assert_int_equal(y[LENGTH - 1], 0);
  arm(0, true);
  status = mmscan_execute(plan, x, y);
  disarm();
  assert_mmscan_ok(status);
  mmscan_plan_destroy(plan);
}

/* A library, which takes memory to open, and shapes, which take memory to keep. */
static const char wisdom_lines[] = "blas %s\nversion unknown\n"
                                   "plus u64 51 2 gemm @1 8 4096 2 1024\n"
                                   "plus u32 50 1 simd - 0 1024 1 1024\n"
                                   "plus i64 52 0 serial - 0 0 1 1024\n";

/* Run by a process like those that read the file: under valgrind this process sees another CPU than they do. */
static int write_wisdom(const char *folder) {
  char lines[TEXT_SIZE];
  snprintf(scratch, sizeof scratch, "%s", folder);
  snprintf(lines, sizeof lines, wisdom_lines, toy("sound"));
  wisdom_file("wisdom", lines);
  return 0;
}

static int make_wisdom(void **state) {
  return make_scratch(state) || setenv("MMSCAN_TEST_WISDOM", in_scratch("wisdom"), 1) || run_self(scratch, NULL, 0);
}

int main(int argc, char **argv) {
  if (argc > 1) return argv[1][0] == '/' ? write_wisdom(argv[1]) : run_one(argv[1]);
  return run_all_tests(make_wisdom, remove_scratch);
}
