/* short.c: the table of short scans, and that of short blocks. */
#include "plan/short.h"

#include "plan/check.h"
#include "plan/env.h"
#include "plan/wisdom.h"
#include "run/carry.h"
#include <string.h>

mms_short mms_shorts[MMS_TYPES];

/* Once, because writing it again would take the cache line from other threads. The first type, by which the table is
 * checked, is written last. */
bool mms_short_fill(void) {
  const mms_env *env = mms_env_get();
  if (mms_short_most(MMSCAN_F32)) return true;
  if (env->status || env->engine) return false;
  for (mmscan_type type = MMS_TYPES - 1; type >= MMSCAN_F32; type--) {
    const mms_algebra *algebra = mms_algebra_of(MMSCAN_PLUS, type);
    if (!algebra) continue;
    mms_short *to = &mms_shorts[type];
    atomic_store_explicit(&to->kernel, mms_kernel_of(env->isa, algebra), memory_order_relaxed);
    atomic_store_explicit(&to->most, MMS_SHORT_BYTES / algebra->size, memory_order_release);
  }
  return true;
}

/* ---- Blocks --------------------------------------------------------------------------------------------------- */

/* One operator and type: jobs by kind and direction. */
typedef struct block {
  const mms_engine *engine;
  mms_job jobs[MMS_KINDS][2];
} block;

/* Once it is there, it stays: the environment does not change, and wisdom is asked first. */
static _Atomic(const block *) blocks[MMS_OPS][MMS_TYPES];

static void fill_block(block *b, const mmscan_plan *plan) {
  b->engine = plan->engine;
  for (int kind = MMSCAN_INCLUSIVE; kind < MMS_KINDS; kind++)
    for (int back = 0; back < 2; back++) {
      b->jobs[kind][back] = plan->job;
      b->jobs[kind][back].kind = (mmscan_kind)kind;
      b->jobs[kind][back].reverse = back != 0;
    }
}

void mms_short_keep_block(const mmscan_plan *plan) {
  static block kept[MMS_ROWS];
  static atomic_bool is_taken[MMS_ROWS];
  const mms_problem *p = &plan->problem;
  const size_t row = mms_algebra_index(p->algebra);
  const mms_shape shape = mms_plan_shape(plan);
  mms_wise wise;
  if (p->algebra->is_accurate || p->is_reproducible) return;              /* only blocks without flags take them */
  if (atomic_load_explicit(&is_taken[row], memory_order_relaxed)) return; /* and leave the line to other threads */
  if (!plan->engine_is_free || plan->job.unit || p->totals || p->count != 1 || !mms_problem_is_direct(p)) return;
  if (mms_wisdom_find(&shape, &wise) || atomic_exchange(&is_taken[row], true)) return;
  fill_block(&kept[row], plan);
  atomic_store_explicit(&blocks[p->algebra->op][p->algebra->type], &kept[row], memory_order_release);
}

/* What a short block is scanned by; NULL: it has to be looked at closer. This knows the plain case, and refuses
 * nothing: the one place that validates takes 12 ns, half of what a block may. */
static const block *block_of(const mmscan_desc *d) {
  if (!d || d->struct_size != sizeof *d || d->init || d->batch != 1) return NULL;
  if (d->totals || d->indices || d->outer_rank != 0 || d->flags != 0) return NULL;
  if (d->x_type != d->y_type || !mms_in_enum(d->x_type, MMS_TYPES - 1) || !mms_in_enum(d->op, MMS_OPS - 1)) return NULL;
  if (!mms_in_enum(d->kind, MMSCAN_EXCLUSIVE) || d->x_stride != 1 || d->y_stride != 1) return NULL;
  return atomic_load_explicit(&blocks[d->op][d->x_type], memory_order_acquire);
}

/* Without a call for the usual sizes. */
static inline void copy_carry(void *to, const void *from, size_t size) {
  if (size == 4)
    memcpy(to, from, 4);
  else if (size == 8)
    memcpy(to, from, 8);
  else
    memcpy(to, from, size);
}

bool mms_short_block(const mmscan_desc *d, const void *x, void *y, void *carry) {
  const block *b = block_of(d);
  if (!b || !carry) return false;
  const mms_job *job = &b->jobs[d->kind][d->reverse != 0];
  const size_t size = job->algebra->size;
  const mms_shape shape = {job->algebra, d->n, 1};
  mms_wise wise;
  if (!mms_is_short(d->n, size) || mms_wisdom_find(&shape, &wise)) return false;
  if (!mms_is_array(x, size) || !mms_is_array(y, size) || mms_overlap(x, y, d->n * size)) return false;
  const mms_tile tile = {.m = d->n, .x = x, .y = y, .x_stride = 1, .y_stride = 1};
  mms_value value = {0};
  if (!d->state || !mms_carry_take(d->state, &value)) copy_carry(&value, carry, size);
  b->engine->at_once(job, NULL, &tile, &value);
  copy_carry(carry, &value, size);
  if (d->state) mms_carry_put(d->state, &value);
  return true;
}
