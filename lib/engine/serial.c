/* serial.c: the engine that is the plain loop. */
#include "engine/engine.h"
#include "kernel/loop.h"

static void at_once(const mms_job *job, void *work, const mms_tile *t, mms_value *carry) {
  (void)work;
  mms_loop_of[job->op][job->type].scan[job->kind][job->reverse](t->m, t->x, t->y, carry);
}

static void scan_batch(const mms_job *job, const mms_batch *r) {
  mms_loop_of[job->op][job->type].batch[job->kind][job->reverse](r);
}

const mms_engine mms_engine_serial = {
    .name = "serial", .description = "the plain loop, one thread a scan", .at_once = at_once, .batch = scan_batch};
