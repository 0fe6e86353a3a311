/* serial.c: the engine that is the plain loop. */
#include "engine/serial.h"

#include "engine/engine.h"

/* Instantiates serial_body.inc for every line of types.def. */

#define T      float
#define A      float
#define SUFFIX f32
#include "engine/serial_body.inc"

#define T      double
#define A      double
#define SUFFIX f64
#include "engine/serial_body.inc"

#define T      int32_t
#define A      uint32_t
#define SUFFIX i32
#include "engine/serial_body.inc"

#define T      int64_t
#define A      uint64_t
#define SUFFIX i64
#include "engine/serial_body.inc"

#define T      uint32_t
#define A      uint32_t
#define SUFFIX u32
#include "engine/serial_body.inc"

#define T      uint64_t
#define A      uint64_t
#define SUFFIX u64
#include "engine/serial_body.inc"

const mms_serial mms_serial_of[MMS_TYPES] = {
#define MMS_TYPE(ENUM, suffix, element, arithmetic, op, id, unit, planes)                                              \
  [MMSCAN_##ENUM] = {{inclusive_##suffix, inclusive_reverse_##suffix},                                                 \
                     {exclusive_##suffix, exclusive_reverse_##suffix},                                                 \
                     {fold_##suffix, fold_reverse_##suffix}},
#include "types.def"
#undef MMS_TYPE
};

static void scan(const mms_job *job, size_t m, const void *x, void *y, void *work, mms_value *carry) {
  (void)work;
  mms_serial_scan_of(job->type, job->kind, job->reverse)(m, x, y, carry);
}

const mms_engine mms_engine_serial = {
    .name = "serial", .description = "the plain loop, one thread a scan", .scan = scan};
