/* method.c: runs a method, on a machine or by MatMulScan, with a meter listening. */
#include "paper/method.h"

#include "base/arena.h"
#include "paper/dakkak.h"
#include "paper/meter.h"
#include "paper/networks.h"
#include "paper/segments.h"
#include <stdlib.h>
#include <string.h>

static const mms_method table[] = {
    {.about = {.name = "sklansky",
               .description = "Sklansky: least depth, fan-out grows with n",
               .kind = MMSCAN_INCLUSIVE},
     .size = mms_sklansky_size,
     .run = mms_sklansky},
    {.about = {.name = "hillis-steele",
               .description = "Hillis-Steele (Kogge-Stone): least depth, most work",
               .kind = MMSCAN_INCLUSIVE},
     .size = mms_hillis_steele_size,
     .run = mms_hillis_steele},
    {.about = {.name = "blelloch", .description = "Blelloch: exclusive, by a tree", .kind = MMSCAN_EXCLUSIVE},
     .size = mms_blelloch_size,
     .run = mms_blelloch},
    {.about = {.name = "brent-kung", .description = "Brent-Kung: least work", .kind = MMSCAN_INCLUSIVE},
     .size = mms_brent_kung_size,
     .run = mms_brent_kung},
    {.about = {.name = "dakkak-warp",
               .description = "Dakkak et al., Algorithm 6: s by s by three products",
               .kind = MMSCAN_INCLUSIVE,
               .has_s = 1,
               .needs_commutative = 1},
     .is_one_tile = true,
     .size = mms_dakkak_warp_size,
     .run = mms_dakkak_warp},
    {.about = {.name = "dakkak-block",
               .description = "Dakkak et al., Algorithm 7: blocks of s^3 in turn",
               .kind = MMSCAN_INCLUSIVE,
               .has_s = 1,
               .needs_commutative = 1},
     .size = mms_dakkak_block_size,
     .run = mms_dakkak_block},
    {.about = {.name = "matmulscan",
               .description = "MatMulScan: Zouzias and McColl, Algorithm 1",
               .kind = MMSCAN_INCLUSIVE,
               .has_s = 1},
     .has_length_rule = true},
};

const mms_method *mms_method_at(size_t index) { return index < sizeof table / sizeof *table ? &table[index] : NULL; }

const mms_method *mms_method_find(const char *name) {
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (strcmp(table[i].about.name, name) == 0) return &table[i];
  return NULL;
}

/* ---- Running -------------------------------------------------------------------------------------------------- */

/* A run of any method: its arguments and its operator. */
typedef struct run {
  const mms_method *method;
  const mmscan_network_desc *desc;
  mms_monoid monoid;
} run;

/* The meter passes every event on to the caller's trace. */
static mmscan_status open_meter(mms_meter *meter, const run *r, size_t positions) {
  mmscan_status status = mms_meter_open(meter, positions);
  meter->next = r->desc->trace;
  meter->next_context = r->desc->trace_context;
  return status;
}

static mmscan_status run_machine(const run *r, mms_meter *meter, const void *x, void *y) {
  mms_machine_size size = r->method->size(r->desc->n, r->desc->s);
  mms_machine machine;
  mmscan_status status = open_meter(meter, r, size.positions);
  if (status || (status = mms_machine_open(&machine, &r->monoid, &size, r->desc->n, x))) return status;
  machine.s = r->desc->s;
  machine.trace = mms_meter_trace;
  machine.trace_context = meter;
  r->method->run(&machine);
  memcpy(y, machine.values, r->desc->n * r->desc->size);
  mms_machine_close(&machine);
  return MMSCAN_OK;
}

static mmscan_matmul_desc matmul_desc(const mmscan_network_desc *desc) {
  return (mmscan_matmul_desc){.struct_size = sizeof(mmscan_matmul_desc),
                              .type = MMSCAN_F32, /* of the matrices */
                              .n = desc->n,
                              .s = desc->s,
                              .form = MMSCAN_BATCHED,
                              .length_rule = desc->length_rule,
                              .traversal = MMSCAN_ITERATIVE,
                              .broadcast = MMSCAN_BROADCAST_MATRIX,
                              .trace = mms_meter_trace};
}

static mmscan_status run_matmulscan(const run *r, mms_meter *meter, const void *x, void *y) {
  mmscan_matmul_desc desc = matmul_desc(r->desc);
  mmscan_counts unused = {.struct_size = sizeof unused};
  mmscan_status status = open_meter(meter, r, mms_matmulscan_positions(&desc));
  if (status) return status;
  desc.trace_context = meter;
  return mms_matmulscan(&desc, &mms_unit_monoid, &r->monoid, 1, x, y, &unused);
}

static mmscan_status run_metered(run *r, const void *x, void *y, mmscan_network_counts *counts) {
  mms_meter meter;
  mmscan_status status = r->method->run ? run_machine(r, &meter, x, y) : run_matmulscan(r, &meter, x, y);
  *counts = meter.counts;
  mms_meter_close(&meter);
  return status;
}

/* Whether the method can do what is asked, and the size of its workspace does not overflow: that holds the array and
 * several squares of s^2 elements. */
static mmscan_status check_fit(const mms_method *method, const mmscan_network_desc *desc) {
  size_t limit = PTRDIFF_MAX / 256 / (desc->size < sizeof(size_t) ? sizeof(size_t) : desc->size);
  size_t squares = method->about.has_s ? desc->s * desc->s : 0;
  if (method->about.needs_commutative && !desc->commutative) return MMSCAN_ENOTSUP;
  if (method->is_one_tile && desc->n > desc->s * desc->s) return MMSCAN_ENOTSUP;
  return desc->n > limit || squares > limit - desc->n ? MMSCAN_ENOMEM : MMSCAN_OK;
}

mmscan_status mms_method_run(const mms_method *method, const mmscan_network_desc *desc, const void *x, void *y,
                             mmscan_network_counts *counts) {
  run r = {.method = method, .desc = desc};
  mmscan_status status = check_fit(method, desc);
  if (status || desc->n == 0) return status;
  r.monoid = (mms_monoid){.size = desc->size,
                          .combine = desc->combine,
                          .context = desc->context,
                          .identity = desc->identity,
                          .spare = mms_arena_block(desc->size, desc->size)};
  status = r.monoid.spare ? run_metered(&r, x, y, counts) : MMSCAN_ENOMEM;
  free(r.monoid.spare);
  return status;
}
