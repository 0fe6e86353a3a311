/* serial.c: the engine that is the plain loop. */
#include "engine/engine.h"

static void at_once(const mms_job *job, void *work, const mms_tile *t, mms_value *carry) {
  (void)work;
  job->algebra->loop.scan[job->kind][job->reverse](t->m, t->x, t->y, carry);
}

static void scan_batch(const mms_job *job, void *work, const mms_batch *r) {
  (void)work;
  mms_algebra_batch(job->algebra, r, job->kind, job->reverse);
}

const mms_engine mms_engine_serial = {
    .name = "serial", .description = "the plain loop, one thread a scan", .at_once = at_once, .batch = scan_batch};
