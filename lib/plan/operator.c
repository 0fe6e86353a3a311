/* operator.c: scans by operators of the caller's: what is wrong with one, how long it takes, and where it starts. */
#include "plan/operator.h"

#include "base/arena.h"
#include "base/cancel.h"
#include "base/clock.h"
#include "plan/check.h"
#include "plan/execute.h"
#include "team/team.h"
#include <stdalign.h>

/* HELD: bytes of elements that are held on the stack. */
enum { HELD = 256 };

static mmscan_status check_operator(const mmscan_operator *op) {
  const mmscan_status status = mms_check_struct(op, sizeof *op);
  if (status) return status;
  return op->combine && op->size >= 1 && op->size <= MMS_CUSTOM_LARGEST ? MMSCAN_OK : MMSCAN_EINVAL;
}

/* ---- What it takes -------------------------------------------------------------------------------------------- */

/* Elements from which it is worth while to look. PROBES: neighbours that are combined. */
enum { WORTH = 256, PROBES = 16 };

/* Nanoseconds for a byte: to move an element; and to combine large ones, that are not combined to see. */
static const double MOVED = 0.1, COMBINED = 0.25;

static double time_probes(const mms_problem *p, const char *x, size_t count) {
  alignas(HELD) char result[HELD];
  const mmscan_operator *op = ((const mms_custom *)p->algebra->own->call)->op;
  const ptrdiff_t step = p->x_stride * (ptrdiff_t)op->size;
  const double start = mms_clock();
  for (size_t i = 0; i < count; i++, x += step) op->combine(op->context, x, x + step, result);
  return (mms_clock() - start) / (double)count;
}

/* The second time they are in the cache. */
static double time_of_one(const mms_problem *p, const void *x) {
  const size_t size = p->algebra->size, count = p->n - 1 < PROBES ? p->n - 1 : PROBES;
  if (size > HELD) return COMBINED * (double)size;
  if (count == 0) return 0;
  const char *first = (const char *)x + p->x_at * (ptrdiff_t)size;
  const double cold = time_probes(p, first, count), warm = time_probes(p, first, count);
  return warm < cold ? warm : cold;
}

/* Of one thread; 0: nothing is to gain by others. */
static double time_of_all(const mms_problem *p, const void *x) {
  const size_t elements = p->n * p->count;
  if (elements < WORTH || mms_team_available(0) == 1) return 0;
  return (double)elements * (time_of_one(p, x) + MOVED * (double)p->algebra->size);
}

/* ---- The call ------------------------------------------------------------------------------------------------- */

/* Where scans start is copied, as it may be in y, and need not be aligned. Returns memory to free, or NULL. */
static mmscan_status hold_start(mms_problem *p, void *held, void **memory) {
  const size_t size = p->algebra->size;
  *memory = NULL;
  if (!p->start.element) return MMSCAN_OK;
  if (size > HELD && !(*memory = held = mms_arena_block(size, size))) return MMSCAN_ENOMEM;
  memcpy(held, p->start.element, size);
  p->start.element = held;
  if (p->first.element) p->first.element = held;
  return MMSCAN_OK;
}

/* plan: its problem. Not to be cancelled, though the caller's code may reach a cancellation point. */
static mmscan_status scan_held(mmscan_plan *plan, const mmscan_choice *choice, const void *x, void *y) {
  const int before = mms_cancel_disable();
  mmscan_status status = mms_plan_choose_own(plan, choice, time_of_all(&plan->problem, x));
  if (status == MMSCAN_OK) status = mms_execute(plan, x, y, NULL);
  mms_cancel_restore(before);
  return status;
}

mmscan_status mms_operator_scan(const mmscan_operator *op, const mmscan_desc *desc, const mmscan_choice *choice,
                                const void *x, void *y) {
  alignas(HELD) char held[HELD];
  void *memory;
  mms_custom custom;
  mmscan_plan plan;
  mmscan_status status = check_operator(op);
  if (status) return status;
  mms_custom_begin(&custom, op);
  if ((status = mms_problem_custom(&plan.problem, desc, &custom))) return status;
  if (mms_problem_is_empty(&plan.problem)) return mms_execute_empty(&plan.problem, y, NULL);
  if ((status = mms_check_arrays(&plan.problem, x, y))) return status;
  if ((status = hold_start(&plan.problem, held, &memory))) return status;
  status = scan_held(&plan, choice, x, y);
  free(memory);
  return status;
}
