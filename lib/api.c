/* api.c: the public calls of mmscan.h. Arguments become a problem, and a problem becomes a plan; a short simple call
 * needs neither. */
#include "base/cpu.h"
#include "plan/catalogue.h"
#include "plan/check.h"
#include "plan/env.h"
#include "plan/execute.h"
#include "plan/filtering.h"
#include "plan/image.h"
#include "plan/measure.h"
#include "plan/operator.h"
#include "plan/problem.h"
#include "plan/segments.h"
#include "plan/series.h"
#include "plan/short.h"
#include "plan/wisdom.h"
#include "team/team.h"
#include "unit/loaded.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Status --------------------------------------------------------------------------------------------------- */

const char *mmscan_strerror(mmscan_status status) {
  static const char *const text[] = {
      [MMSCAN_OK] = "success",
      [MMSCAN_EINVAL] = "invalid argument, or environment variable (which mmscan_environment_error() names)",
      [MMSCAN_EOVERLAP] = "input and output, or rows of the output, share memory and are not exactly in place",
      [MMSCAN_ENOMEM] = "out of memory",
      [MMSCAN_ENOTSUP] = "not supported by this version, or not here",
      [MMSCAN_EBLAS] = "the BLAS cannot be used",
      [MMSCAN_EIO] = "a file could not be read or written",
      [MMSCAN_EOVERFLOW] = "an integer result did not fit its type"};
  return (size_t)status < sizeof text / sizeof *text ? text[status] : "unknown status";
}

/* ---- Simple calls --------------------------------------------------------------------------------------------- */

/* plan: its problem. */
static mmscan_status scan_problem(mmscan_plan *plan, const void *x, void *y, void *carry) {
  if (mms_problem_is_empty(&plan->problem)) /* cppcheck-suppress ctuuninitvar ; callers fill it in */
    return mms_execute_empty(&plan->problem, y, carry);
  mmscan_status status = mms_plan_choose(plan, NULL);
  if (status) return status;
  status = mms_execute(plan, x, y, carry);
  mms_plan_drop(plan);
  return status;
}

static mmscan_status scan_described(const mmscan_desc *desc, const void *x, void *y) {
  mmscan_plan plan;
  const mmscan_status status = mms_problem_from(&plan.problem, desc);
  return status ? status : scan_problem(&plan, x, y, NULL);
}

/* Not inlined, because its plan takes a stack frame that a short scan does without. */
__attribute__((noinline)) static mmscan_status scan_long(mmscan_type type, mmscan_kind kind, size_t n, const void *init,
                                                         const void *x, void *y) {
  const mmscan_desc desc = {.struct_size = sizeof desc,
                            .x_type = type,
                            .y_type = type,
                            .op = MMSCAN_PLUS,
                            .kind = kind,
                            .n = n,
                            .x_stride = 1,
                            .y_stride = 1,
                            .batch = 1,
                            .init = init};
  return scan_described(&desc, x, y);
}

/* A kernel alone, or a loop: no problem, no plan. */
static mmscan_status scan_short(mmscan_type type, mmscan_kind kind, size_t n, mms_first carry, const void *x, void *y) {
  const mms_kernel *kernel = mms_short_kernel(type);
  if (!x || !y) return MMSCAN_EINVAL;
  if (mms_overlap(x, y, n * kernel->algebra->size)) return MMSCAN_EOVERLAP;
  if (n > kernel->few) return kernel->simple[kind](kernel, n, x, y, carry);
  mms_value value = mms_first_value(carry);
  kernel->algebra->loop.scan[kind][0](n, x, y, &value);
  return MMSCAN_OK;
}

/* Calls that are not short, or have something wrong with them; and the first call, which reads the environment. */
__attribute__((noinline)) static mmscan_status scan_any(mmscan_type type, mmscan_kind kind, size_t n, mms_first first,
                                                        const void *x, void *y) {
  if (mms_short_fill() && n - 1 < mms_short_most(type)) return scan_short(type, kind, n, first, x, y);
  return scan_long(type, kind, n, kind == MMSCAN_EXCLUSIVE ? &first : NULL, x, y);
}

/* Tells the compiler what is likely: that comes next in machine code, without a jump. */
static inline bool likely(bool is) { return __builtin_expect(is, 1); }

/* Whether a call is a kernel or a loop alone, and nothing is wrong with it. Laid out for tiny calls: a jump matters
 * less to longer ones. x and y are not tested together, because the compiler would make branchless code of that, which
 * takes longer. */
static inline bool is_short(mmscan_type type, size_t n, const void *x, const void *y, size_t size) {
  if (!likely(n - 1 < mms_short_most(type))) return false;
  if (!likely(x)) return false;
  if (mms_overlap(x, y, n * size)) return false;
  return likely(y);
}

/* Sums of complex numbers have no simple calls. */
#define OP    plus
#define SCANS (KIND != 'c')
#define BODY  "api_simple.inc"
#include "algebra/each_type.inc"

mmscan_status mmscan_inclusive_f32(size_t n, const float *x, float *y) {
  return inclusive_f32(MMSCAN_F32, n, (mms_first){.f32 = -0.0f}, x, y);
}

mmscan_status mmscan_inclusive_f64(size_t n, const double *x, double *y) {
  return inclusive_f64(MMSCAN_F64, n, (mms_first){.f64 = -0.0}, x, y);
}

mmscan_status mmscan_inclusive_i32(size_t n, const int32_t *x, int32_t *y) {
  return inclusive_i32(MMSCAN_I32, n, (mms_first){.i32 = 0}, x, y);
}

mmscan_status mmscan_inclusive_i64(size_t n, const int64_t *x, int64_t *y) {
  return inclusive_i64(MMSCAN_I64, n, (mms_first){.i64 = 0}, x, y);
}

mmscan_status mmscan_inclusive_u32(size_t n, const uint32_t *x, uint32_t *y) {
  return inclusive_u32(MMSCAN_U32, n, (mms_first){.u32 = 0}, x, y);
}

mmscan_status mmscan_inclusive_u64(size_t n, const uint64_t *x, uint64_t *y) {
  return inclusive_u64(MMSCAN_U64, n, (mms_first){.u64 = 0}, x, y);
}

mmscan_status mmscan_exclusive_f32(size_t n, float init, const float *x, float *y) {
  return exclusive_f32(MMSCAN_F32, n, init, x, y);
}

mmscan_status mmscan_exclusive_f64(size_t n, double init, const double *x, double *y) {
  return exclusive_f64(MMSCAN_F64, n, init, x, y);
}

mmscan_status mmscan_exclusive_i32(size_t n, int32_t init, const int32_t *x, int32_t *y) {
  return exclusive_i32(MMSCAN_I32, n, init, x, y);
}

mmscan_status mmscan_exclusive_i64(size_t n, int64_t init, const int64_t *x, int64_t *y) {
  return exclusive_i64(MMSCAN_I64, n, init, x, y);
}

mmscan_status mmscan_exclusive_u32(size_t n, uint32_t init, const uint32_t *x, uint32_t *y) {
  return exclusive_u32(MMSCAN_U32, n, init, x, y);
}

mmscan_status mmscan_exclusive_u64(size_t n, uint64_t init, const uint64_t *x, uint64_t *y) {
  return exclusive_u64(MMSCAN_U64, n, init, x, y);
}

/* ---- The general call and plans ------------------------------------------------------------------------------- */

/* What is legal but seldom meant is told, too. */
mmscan_status mmscan_desc_check(const mmscan_desc *desc, char *why, size_t why_size) {
  static const char nothing[] = "there is nothing to scan";
  mms_problem problem;
  mms_flaw flaw = {.field = NULL};
  const mmscan_status status = mms_problem_or_flaw(&problem, desc, &flaw);
  if (status == MMSCAN_OK && mms_problem_is_empty(&problem))
    flaw = (mms_flaw){desc->n == 0 ? "n" : desc->batch == 0 ? "batch" : "outer", nothing, 0};
  if (!why || why_size == 0) return status;
  *why = '\0';
  if (flaw.field) snprintf(why, why_size, "%s = %td: %s", flaw.field, flaw.value, flaw.why);
  return status;
}

mmscan_status mmscan_arrays_check(const mmscan_desc *desc, const void *x, const void *y) {
  mms_problem problem;
  const mmscan_status status = mms_problem_from(&problem, desc);
  return status ? status : mms_check_arrays(&problem, x, y);
}

mmscan_status mmscan_scan(const mmscan_desc *desc, const void *x, void *y) { return scan_described(desc, x, y); }

mmscan_status mmscan_scan_segments(const mmscan_desc *desc, const mmscan_segments *segments, const void *x, void *y) {
  return mms_segments_scan(desc, segments, NULL, x, y);
}

mmscan_status mmscan_scan_with(const mmscan_operator *op, const mmscan_desc *desc, const void *x, void *y) {
  return mms_operator_scan(op, desc, NULL, x, y);
}

mmscan_status mmscan_recurrence(const mmscan_recurrence_desc *desc, const void *a, const void *x, void *y) {
  return mms_series_recur(desc, NULL, a, x, y);
}

/* Not inlined, for the same reason as scan_long(). */
__attribute__((noinline)) static mmscan_status scan_block(const mmscan_desc *desc, const void *x, void *y,
                                                          void *carry) {
  mmscan_plan plan;
  mmscan_status status = mms_problem_block(&plan.problem, desc, carry);
  if (status) return status;
  status = scan_problem(&plan, x, y, carry);
  if (status == MMSCAN_OK && !mms_problem_is_empty(&plan.problem)) mms_short_keep_block(&plan);
  return status;
}

mmscan_status mmscan_scan_block(const mmscan_desc *desc, const void *x, void *y, void *carry) {
  return mms_short_block(desc, x, y, carry) ? MMSCAN_OK : scan_block(desc, x, y, carry);
}

size_t mmscan_state_size(const mmscan_desc *desc) {
  mms_problem problem;
  if (mms_problem_from(&problem, desc) != MMSCAN_OK) return 0;
  return mms_carry_state_size(problem.storage, mms_problem_adds_exactly(&problem));
}

/* The same scans of one element each: carries do not depend on where elements are, or how many. */
static mmscan_desc of_carries(const mmscan_desc *desc, void *state) {
  mmscan_desc d = *desc;
  d.struct_size = sizeof d;
  d.n = 1;
  d.x_stride = d.y_stride = d.x_dist = d.y_dist = 1;
  d.totals = d.indices = NULL;
  d.state = state;
  return d;
}

mmscan_status mmscan_carry_combine(const mmscan_desc *desc, void *carry, void *state, const void *next_carry,
                                   const void *next_state) {
  mmscan_plan plan;
  mmscan_status status = mms_problem_block(&plan.problem, desc, carry);
  if (status) return status;
  if (desc->batch == 0) return MMSCAN_OK;
  if (!carry || !next_carry || !state != !next_state) return MMSCAN_EINVAL;
  const mmscan_desc of = of_carries(desc, state);
  status = mms_problem_block(&plan.problem, &of, carry);
  if (status == MMSCAN_OK) status = mms_plan_choose(&plan, NULL);
  if (status) return status;
  status = mms_execute_combine(&plan, carry, next_carry, next_state);
  mms_plan_drop(&plan);
  return status;
}

mmscan_status mmscan_plan_create(mmscan_plan **plan, const mmscan_desc *desc, unsigned flags) {
  return mmscan_plan_create_with(plan, desc, flags, NULL);
}

/* chosen: its problem. */
static mmscan_status new_plan(mmscan_plan **plan, mmscan_plan *chosen, unsigned flags, const mmscan_choice *choice) {
  mmscan_status status = flags & MMSCAN_MEASURE ? mms_measure_choose(chosen, choice) : mms_plan_choose(chosen, choice);
  if (status) return status;
  *plan = malloc(sizeof **plan);
  if (!*plan) {
    mms_plan_drop(chosen);
    return MMSCAN_ENOMEM;
  }
  **plan = *chosen;
  return MMSCAN_OK;
}

mmscan_status mmscan_plan_create_with(mmscan_plan **plan, const mmscan_desc *desc, unsigned flags,
                                      const mmscan_choice *choice) {
  mmscan_plan chosen;
  if (!plan) return MMSCAN_EINVAL;
  *plan = NULL;
  mmscan_status status = mms_problem_from(&chosen.problem, desc);
  if (status) return status;
  if (flags & ~MMSCAN_MEASURE) return MMSCAN_EINVAL;
  return new_plan(plan, &chosen, flags, choice);
}

mmscan_status mmscan_plan_get_choice(const mmscan_plan *plan, mmscan_choice *choice) {
  if (!plan || !choice || choice->struct_size != sizeof *choice) return MMSCAN_EINVAL;
  *choice = (mmscan_choice){.struct_size = sizeof *choice,
                            .engine = plan->engine->name,
                            .unit = plan->job.unit ? plan->job.unit->name : NULL,
                            .isa = plan->engine->has_isa ? plan->job.isa->name : NULL,
                            .s = plan->job.s,
                            .tile = plan->job.tile,
                            .threads = plan->threads,
                            .way = plan->way ? plan->way->name : NULL};
  return MMSCAN_OK;
}

mmscan_status mmscan_execute(const mmscan_plan *plan, const void *x, void *y) {
  return plan ? mms_execute(plan, x, y, NULL) : MMSCAN_EINVAL;
}

void mmscan_plan_destroy(mmscan_plan *plan) {
  if (plan) mms_plan_drop(plan);
  free(plan);
}

/* ---- Filters -------------------------------------------------------------------------------------------------- */

mmscan_status mmscan_filter(const mmscan_filter_desc *desc, const void *x, void *y) {
  return mms_filter_scan(desc, NULL, x, y);
}

/* ---- Images --------------------------------------------------------------------------------------------------- */

mmscan_status mmscan_integral(const mmscan_integral_desc *desc, const void *x, void *y) {
  mms_integral image;
  const mmscan_status status = mms_image_from(&image, desc, x, y);
  return status ? status : mms_image_execute(&image, x, y);
}

/* ---- Wisdom --------------------------------------------------------------------------------------------------- */

/* As `why` of a public call. */
static void tell(char *why, size_t why_size, const char *reason) {
  if (why && why_size) snprintf(why, why_size, "%s", reason);
}

static mmscan_status read_wisdom(const char *file, const char **reason) {
  *reason = "no file is named";
  if (!file) return MMSCAN_EINVAL;
  const mms_env *env = mms_env_get();
  *reason = env->error;
  return env->status ? env->status : mms_wisdom_read(file, env->isa, reason);
}

mmscan_status mmscan_wisdom_read(const char *file, char *why, size_t why_size) {
  const char *reason;
  const mmscan_status status = read_wisdom(file, &reason);
  tell(why, why_size, status ? reason : "");
  return status;
}

mmscan_status mmscan_wisdom_write(const char *file) {
  if (!file) return MMSCAN_EINVAL;
  const mms_env *env = mms_env_get();
  return env->status ? env->status : mms_wisdom_write(file, env->isa);
}

size_t mmscan_wisdom_count(void) {
  mms_env_get(); /* MMSCAN_WISDOM counts, even if no scan has read it yet */
  return mms_wisdom_count();
}

/* ---- Units ---------------------------------------------------------------------------------------------------- */

mmscan_status mmscan_unit_open(const char *library, const char **name, char *why, size_t why_size) {
  char reason[256] = "";
  const mms_unit *unit;
  mmscan_status status = MMSCAN_EINVAL;
  if (name) *name = NULL;
  if (!library || !*library)
    snprintf(reason, sizeof reason, "no library is named");
  else if (mms_unit_is_builtin(library))
    snprintf(reason, sizeof reason, "this is the name of a unit, not of a library");
  else
    status = mms_loaded_open(library, &unit, reason, sizeof reason);
  tell(why, why_size, reason);
  if (status) return status;
  mms_loaded_count(unit);
  if (name) *name = unit->name;
  return MMSCAN_OK;
}

mmscan_status mmscan_unit_close(const char *name) { return name ? mms_loaded_uncount(name) : MMSCAN_EINVAL; }

const char *mmscan_unit_candidate(size_t index) { return mms_loaded_candidate(index); }

/* ---- What is inside ------------------------------------------------------------------------------------------- */

static mmscan_status fill_part(mmscan_part *part, const char *name, const char *description) {
  *part = (mmscan_part){.struct_size = sizeof *part, .name = name, .description = description};
  return MMSCAN_OK;
}

static bool is_part(const mmscan_part *part) { return part && part->struct_size == sizeof *part; }

mmscan_status mmscan_get_engine(size_t index, mmscan_part *part) {
  const mms_engine *engine = mms_engine_at(index);
  return engine && is_part(part) ? fill_part(part, engine->name, engine->description) : MMSCAN_EINVAL;
}

mmscan_status mmscan_get_unit(size_t index, mmscan_part *part) {
  const mms_unit *unit = mms_unit_at(index);
  if (!unit || !is_part(part)) return MMSCAN_EINVAL;
  fill_part(part, unit->name, unit->description);
  if (!mms_unit_hold(unit)) {
    part->status = mms_unit_fault(unit);
    part->description = mms_unit_absent(unit);
    return MMSCAN_OK;
  }
  if (unit->describe) unit->describe(unit, part);
  mms_unit_drop(unit);
  return MMSCAN_OK;
}

mmscan_status mmscan_get_isa(size_t index, mmscan_part *part) {
  const char *name = mms_isa_name(index);
  if (!name || !is_part(part)) return MMSCAN_EINVAL;
  const bool runs = mms_isa_at(index);
  fill_part(part, name, runs ? "runs here" : "does not run here, or is not in this build");
  part->status = runs ? MMSCAN_OK : MMSCAN_ENOTSUP;
  return MMSCAN_OK;
}

mmscan_status mmscan_get_way(size_t index, mmscan_part *part) {
  const mms_way *way = mms_way_at(index);
  return way && is_part(part) ? fill_part(part, way->name, way->description) : MMSCAN_EINVAL;
}

mmscan_status mmscan_get_algebra(size_t index, mmscan_algebra *algebra) {
  const mms_entry *entry = mms_catalogue_at(index);
  if (!entry || !algebra || algebra->struct_size != sizeof *algebra) return MMSCAN_EINVAL;
  const mms_type *type = mms_type_of(entry->type);
  *algebra = (mmscan_algebra){.struct_size = sizeof *algebra,
                              .op = entry->algebra->op,
                              .type = entry->type,
                              .op_name = entry->algebra->op_name,
                              .type_name = type->name,
                              .kind = type->kind,
                              .size = type->size,
                              .identity = &entry->identity,
                              .start = &entry->start,
                              .combined_as = entry->algebra->type};
  return MMSCAN_OK;
}

/* The last slot is that of the engine gemm, which has kernels of its own. */
mmscan_status mmscan_get_kernel(const char *name, size_t row, size_t index, mmscan_kernel *kernel) {
  static const char *const slots[] = {"scan", "simple", "stream", "reverse stream", "batch", "reverse batch", "rows"};
  const mms_entry *entry = mms_catalogue_at(row);
  const mms_algebra *algebra = entry ? entry->algebra : NULL;
  const mms_isa *isa = name ? NULL : mms_env_get()->isa;
  if (!algebra || index > MMS_SLOTS || !kernel || kernel->struct_size != sizeof *kernel) return MMSCAN_EINVAL;
  if (name && !mms_isa_find(name, &isa)) return MMSCAN_EINVAL;
  if (!isa) return MMSCAN_ENOTSUP;
  const char *origin = NULL;
  if (index < MMS_SLOTS)
    origin = mms_kernel_of(isa, algebra)->origin[index];
  else if (algebra->planes > 0)
    origin = mms_engine_gemm.origin(isa, algebra);
  *kernel = (mmscan_kernel){.struct_size = sizeof *kernel, .slot = slots[index], .origin = origin};
  return MMSCAN_OK;
}

const char *mmscan_cpu(void) { return mms_cpu_name(); }

const char *mmscan_isa(void) { return mms_env_get()->isa->name; }

int mmscan_threads(void) { return mms_team_available(mms_env_get()->threads); }

const char *mmscan_environment_error(void) { return mms_env_get()->error; }
