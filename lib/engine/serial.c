/* serial.c: the engine that is the plain loop. */
#include "engine/engine.h"
#include "kernel/loop.h"

static void scan(const mms_job *job, size_t m, const void *x, void *y, mms_value *carry) {
  mms_loop_scan_of(job->type, job->kind, job->reverse)(m, x, y, carry);
}

const mms_engine mms_engine_serial = {
    .name = "serial", .description = "the plain loop, one thread a scan", .scan = scan};
