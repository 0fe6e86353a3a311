/* carry.c: carries, how they are kept, and sums of totals without rounding errors. */
#include "run/carry.h"

#include "algebra/complex.h"
#include <math.h>
#include <string.h>

/* ---- Between blocks ------------------------------------------------------------------------------------------- */

/* What a caller keeps for each scan, at any address: whether there is anything yet, the value, and exact sums. */
struct state {
  uint64_t begun; /* 1; or ANEW, if carry.is_anew */
  mms_value value;
  mms_exact exact[2];
};

enum { ANEW = 2 };

size_t mms_carry_state_size(const mms_storage *storage, bool adds_exactly) {
  return offsetof(struct state, exact) + (adds_exactly ? storage->planes * sizeof(mms_exact) : 0);
}

static char *state_of(const mms_run *run, size_t scan) {
  return (char *)run->state + scan * mms_carry_state_size(run->job->storage, run->job->adds_exactly);
}

bool mms_carry_take(const void *state, mms_value *value) {
  uint64_t begun = 0;
  if (state) memcpy(&begun, state, sizeof begun);
  if (begun) memcpy(value, (const char *)state + offsetof(struct state, value), sizeof *value);
  return begun != 0;
}

void mms_carry_put(void *state, const mms_value *value) {
  memcpy(state, &(uint64_t){1}, sizeof(uint64_t));
  memcpy((char *)state + offsetof(struct state, value), value, sizeof *value);
}

static bool are_floats(const mms_job *job) { return job->storage->size == sizeof(float); }

/* Where results never fall all zeros have one sign. */
static bool is_any_zero(const mms_job *job, const mms_value *value) {
  return job->extras && job->extras->neutral && mms_storage_number(job->storage, value) == 0;
}

/* Whether a carry stands for nothing in a type of fewer digits, in which that is another NaN. */
static bool is_none(const mms_run *run, const char *kept) {
  float _Complex c32;
  if (run->job->algebra->kind != 'c' || !run->carries->in || run->carries->x_size != sizeof c32) return false;
  memcpy(&c32, kept, sizeof c32);
  return mms_is_none_c32(c32);
}

/* Elements of an earlier block have no index in this one. */
static bool take_kept(const mms_run *run, size_t scan, mms_value *value) {
  if (!run->state || !mms_carry_take(state_of(run, scan), value)) return false;
  if (run->job->extras && run->job->extras->indices) value->found.index = -1;
  return true;
}

/* Returns whether the carry is one of an earlier block, with all that is kept. */
static bool take_first(const mms_run *run, size_t scan, mms_value *value) {
  *value = run->scans.first;
  if (!run->carry) return false;
  if (take_kept(run, scan, value)) return true;
  const char *kept = (const char *)run->carry + scan * run->carries->x_size;
  if (is_none(run, kept))
    memcpy(value->bytes, run->job->algebra->identity, run->job->algebra->size);
  else if (run->carries->in)
    run->carries->in(1, kept, value->bytes, 1);
  else
    memcpy(value->bytes, kept, run->carries->x_size);
  if (is_any_zero(run->job, value)) *value = (mms_value){0};
  return false;
}

mms_value mms_carry_first(const mms_run *run, size_t scan) {
  mms_value value;
  take_first(run, scan, &value);
  return value;
}

static void keep_element(const mms_run *run, size_t scan, const mms_value *value) {
  char *kept = (char *)run->carry + scan * run->carries->y_size;
  if (run->carries->out)
    run->carries->out(1, value->bytes, kept, 1);
  else
    memcpy(kept, value->bytes, run->carries->y_size);
}

void mms_carry_keep(const mms_run *run, size_t scan, const mms_carry *carry) {
  if (!run->carry) return;
  keep_element(run, scan, &carry->value);
  if (!run->state) return;
  mms_carry_put(state_of(run, scan), &carry->value);
  if (!run->job->adds_exactly) return;
  if (carry->is_anew) memcpy(state_of(run, scan), &(uint64_t){ANEW}, sizeof(uint64_t));
  memcpy(state_of(run, scan) + offsetof(struct state, exact), carry->exact,
         run->job->storage->planes * sizeof(mms_exact));
}

static bool is_anew(const mms_run *run, size_t scan) {
  uint64_t begun;
  memcpy(&begun, state_of(run, scan), sizeof begun);
  return begun == ANEW;
}

/* ---- Exact sums ----------------------------------------------------------------------------------------------- */

static double high(const mms_job *job, const mms_value *value) { return mms_storage_number(job->storage, value); }

static double low(const mms_job *job, const mms_value *value) {
  return mms_storage_number(job->storage, value->bytes + job->storage->size);
}

static void add(const mms_job *job, mms_exact *sum, const mms_value *value) {
  mms_exact_add(sum, high(job, value));
  mms_exact_add(sum, low(job, value));
}

/* Puts the sum, rounded, into a value that is nearly it. A zero keeps its sign. */
static void put_rounded(const mms_job *job, mms_value *value, const mms_exact *sum) {
  if (are_floats(job)) {
    const float rounded = mms_exact_f32(sum);
    if (rounded != 0 || value->f32 != 0) value->f32 = rounded;
    value->pair_f32[1] = 0;
  } else {
    const double rounded = mms_exact_f64(sum);
    if (rounded != 0 || value->f64 != 0) value->f64 = rounded;
    value->pair_f64[1] = 0;
  }
}

/* What is not finite stays as it is, whatever is added. */
static void begin_plane(const mms_job *job, mms_carry *carry, size_t p) {
  mms_value value = mms_storage_plane(job->storage, &carry->value, p);
  carry->exact[p] = (mms_exact){{0}};
  if (!isfinite(high(job, &value))) return;
  add(job, &carry->exact[p], &value);
  put_rounded(job, &value, &carry->exact[p]);
  mms_storage_put_plane(job->storage, &carry->value, p, &value);
}

static void begin_exactly(const mms_job *job, mms_carry *carry) {
  for (size_t p = 0; p < job->storage->planes; p++) begin_plane(job, carry, p);
}

void mms_carry_begin(const mms_run *run, size_t scan, mms_carry *carry) {
  const bool goes_on = take_first(run, scan, &carry->value);
  carry->is_anew = false;
  if (!run->job->adds_exactly) return;
  carry->is_anew = goes_on && is_anew(run, scan);
  if (goes_on)
    memcpy(carry->exact, state_of(run, scan) + offsetof(struct state, exact),
           run->job->storage->planes * sizeof(mms_exact));
  else
    begin_exactly(run->job, carry);
}

/* ---- Past a tile ---------------------------------------------------------------------------------------------- */

/* Takes a plane past a tile by its total. Returns false, and changes nothing, where that may not be added. */
static bool pass_plane(const mms_job *job, const mms_found *found, mms_carry *carry, size_t p) {
  const mms_found of_plane = mms_found_plane(job, found, p);
  mms_value value = mms_storage_plane(job->storage, &carry->value, p);
  if (!of_plane.is_ordinary || !job->kernel->advance(job->kernel, &value, &of_plane.total)) return false;
  if (isfinite(high(job, &value))) {
    add(job, &carry->exact[p], &of_plane.total);
    put_rounded(job, &value, &carry->exact[p]);
  }
  mms_storage_put_plane(job->storage, &carry->value, p, &value);
  return true;
}

/* Planes do not depend on each other: what one of them holds changes no bits of the other. */
static void pass_exactly(const mms_run *run, const mms_job *job, void *work, const mms_tile *tile,
                         const mms_found *found, mms_carry *carry) {
  mms_value by_engine = carry->value;
  bool is_passed[2] = {true, true};
  for (size_t p = 0; p < job->storage->planes; p++) is_passed[p] = pass_plane(job, found, carry, p);
  if (is_passed[0] && is_passed[1]) return;
  run->engine->advance(job, work, tile, found, &by_engine);
  for (size_t p = 0; p < job->storage->planes; p++) {
    if (is_passed[p]) continue;
    const mms_value value = mms_storage_plane(job->storage, &by_engine, p);
    mms_storage_put_plane(job->storage, &carry->value, p, &value);
    begin_plane(job, carry, p);
    carry->is_anew = true;
  }
}

void mms_carry_pass(const mms_run *run, const mms_job *job, void *work, const mms_tile *tile, const mms_found *found,
                    mms_carry *carry) {
  if (job->adds_exactly)
    pass_exactly(run, job, work, tile, found, carry);
  else
    run->engine->advance(job, work, tile, found, &carry->value);
}

/* ---- Past another carry --------------------------------------------------------------------------------------- */

/* Whether a sum or product, of one plane, may be regrouped with any other: as the kernel says of a carry. */
static bool is_ordinary(const mms_job *job, const mms_value *value) {
  mms_value probe = *value;
  return isfinite(high(job, value)) && job->kernel->advance(job->kernel, &probe, value);
}

/* Whether that is so of a whole carry. Products of complex numbers have the order of the plain loop. */
static bool may_regroup(const mms_job *job, const mms_value *carry) {
  const mms_algebra *a = job->algebra;
  if (a->is_exact || a->op == MMSCAN_LOGADDEXP) return true;
  if (a->kind == 'c') return false;
  for (size_t p = 0; p < job->storage->planes; p++) {
    const mms_value value = mms_storage_plane(job->storage, carry, p);
    if (!is_ordinary(job, &value)) return false;
  }
  return true;
}

bool mms_carry_combines(const mms_run *run, const mms_run *next, size_t scan) {
  mms_carry carry, more;
  mms_carry_begin(run, scan, &carry);
  mms_carry_begin(next, scan, &more);
  return !more.is_anew && may_regroup(run->job, &carry.value) && may_regroup(run->job, &more.value);
}

static void combine_plane(const mms_job *job, mms_carry *carry, const mms_carry *next, size_t p) {
  const mms_value more = mms_storage_plane(job->storage, &next->value, p);
  mms_value value = mms_storage_plane(job->storage, &carry->value, p);
  if (job->algebra->is_exact || !job->kernel->advance(job->kernel, &value, &more))
    job->algebra->loop.fold[0](1, &more, &value); /* of maxima NaN, too */
  if (job->adds_exactly) {
    mms_exact_combine(&carry->exact[p], &next->exact[p]);
    put_rounded(job, &value, &carry->exact[p]);
  }
  mms_storage_put_plane(job->storage, &carry->value, p, &value);
}

void mms_carry_combine(const mms_run *run, const mms_run *next, size_t scan) {
  mms_carry carry, more;
  mms_carry_begin(run, scan, &carry);
  mms_carry_begin(next, scan, &more);
  for (size_t p = 0; p < run->job->storage->planes; p++) combine_plane(run->job, &carry, &more, p);
  mms_carry_keep(run, scan, &carry);
}
