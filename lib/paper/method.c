/* method.c: the public calls for the methods of Table 1. Runs one on a machine or by MatMulScan, with a meter
 * listening. */
#include "paper/method.h"

#include "base/arena.h"
#include "paper/segments.h"
#include "plan/check.h"
#include "unit/matrix.h"
#include <stdlib.h>
#include <string.h>

static const mms_method matmulscan = {.about = {.name = "matmulscan",
                                                .description = "MatMulScan: Zouzias and McColl, Algorithm 1",
                                                .kind = MMSCAN_INCLUSIVE,
                                                .has_s = 1},
                                      .has_length_rule = true};

static const mms_method *const table[] = {
    &mms_method_sklansky,    &mms_method_hillis_steele, &mms_method_blelloch, &mms_method_brent_kung,
    &mms_method_dakkak_warp, &mms_method_dakkak_block,  &matmulscan};
enum { METHODS = sizeof table / sizeof *table };

/* ---- The meter: counts what a traced run does, as a circuit --------------------------------------------------- */

/* The value at a position, as counted since it was written. */
typedef struct metered {
  uint64_t path;        /* adders on the longest chain to it */
  uint64_t reads;       /* adders it went to */
  uint64_t ways, level; /* its uses in the level it was last used in, and that level */
  bool is_written;      /* this event overwrites it with a value whose path is next_path */
  uint64_t next_path;
} metered;

typedef struct meter {
  mmscan_network_counts counts;
  metered *values;    /* one per position */
  mmscan_trace *next; /* called with every event too; NULL: none */
  void *next_context;
} meter;

static void at_least(uint64_t *most, uint64_t value) {
  if (value > *most) *most = value;
}

/* What an entry combines: the number of elements, and the adders on the longest chain to one of them. */
typedef struct terms {
  uint64_t elements, path;
} terms;

static terms look_at(const meter *m, const mmscan_event *e, size_t at) {
  terms found = {0};
  size_t position;
  for (size_t k = 0; k <= e->s; k++) {
    if (!mmscan_event_term(e, at, k, &position) || position == MMSCAN_NO_ELEMENT) continue;
    found.elements++;
    at_least(&found.path, m->values[position].path);
  }
  return found;
}

/* Counts one more use of each value that an entry reads. */
static void use(meter *m, const mmscan_event *e, size_t at, bool is_adder) {
  size_t position;
  for (size_t k = 0; k <= e->s; k++) {
    if (!mmscan_event_term(e, at, k, &position) || position == MMSCAN_NO_ELEMENT) continue;
    metered *value = &m->values[position];
    value->ways = value->level == e->depth ? value->ways + 1 : 1;
    value->level = e->depth;
    value->reads += is_adder;
    at_least(&m->counts.reads, value->reads);
  }
}

static void count_adder(meter *m, const terms *found) {
  m->counts.adders++;
  m->counts.work_unpadded += found->elements - 1;
  at_least(&m->counts.fan_in, found->elements);
  at_least(&m->counts.path, found->path + 1);
}

static void read_entry(meter *m, const mmscan_event *e, size_t at) {
  if (e->out[at] == MMSCAN_NO_ELEMENT) return;
  terms found = look_at(m, e, at);
  bool is_adder = found.elements > 1;
  if (is_adder) count_adder(m, &found);
  use(m, e, at, is_adder);
  m->values[e->out[at]].is_written = true;
  m->values[e->out[at]].next_path = found.path + is_adder;
}

/* Additions of a column, with those on padding: for each row one less than its terms. */
static uint64_t work_of_column(const mmscan_event *e) {
  uint64_t work = 0;
  for (size_t row = 0; row < e->s; row++) {
    uint64_t ones = e->add != NULL;
    for (size_t k = 0; k < e->s; k++) ones += mms_matrix_entry(e->matrix, row, k);
    if (ones > 1) work += ones - 1;
  }
  return work;
}

/* A value that is not overwritten has one more use: it is passed on unchanged. */
static void count_ways(meter *m, const size_t *positions, size_t entries) {
  for (size_t at = 0; positions && at < entries; at++) {
    if (positions[at] == MMSCAN_NO_ELEMENT) continue;
    const metered *value = &m->values[positions[at]];
    at_least(&m->counts.fan_out, value->ways + !value->is_written);
  }
}

static void write_entry(meter *m, const mmscan_event *e, size_t at) {
  if (e->out[at] == MMSCAN_NO_ELEMENT) return;
  metered *value = &m->values[e->out[at]];
  *value = (metered){.path = value->next_path};
}

/* A mmscan_trace whose context is the meter: first what an event reads, then what it writes. */
static void hear(void *context, const mmscan_event *e) {
  meter *m = context;
  size_t entries = e->s * e->columns;
  at_least(&m->counts.depth, e->depth);
  m->counts.work += e->columns * work_of_column(e);
  if (e->is_product) m->counts.multiplications += (e->columns + e->s - 1) / e->s;
  for (size_t at = 0; at < entries; at++) read_entry(m, e, at);
  count_ways(m, e->in, entries);
  count_ways(m, e->add, entries);
  for (size_t at = 0; at < entries; at++) write_entry(m, e, at);
  if (m->next) m->next(m->next_context, e);
}

/* ---- Running -------------------------------------------------------------------------------------------------- */

/* A run of any method: its arguments and its operator. */
typedef struct run {
  const mms_method *method;
  const mmscan_network_desc *desc;
  mms_monoid monoid;
} run;

/* For a run with so many positions. The meter passes every event on to the caller's trace. */
static mmscan_status open_meter(meter *m, const run *r, size_t positions) {
  *m = (meter){.counts.struct_size = sizeof m->counts, .next = r->desc->trace, .next_context = r->desc->trace_context};
  m->values = calloc(positions ? positions : 1, sizeof *m->values);
  return m->values ? MMSCAN_OK : MMSCAN_ENOMEM;
}

static mmscan_status run_machine(const run *r, meter *m, const void *x, void *y) {
  mms_machine_size size = r->method->size(r->desc->n, r->desc->s);
  mms_machine machine;
  mmscan_status status = open_meter(m, r, size.positions);
  if (status || (status = mms_machine_open(&machine, &r->monoid, &size, r->desc->n, x))) return status;
  machine.s = r->desc->s;
  machine.trace = hear;
  machine.trace_context = m;
  r->method->run(&machine);
  memcpy(y, machine.values, r->desc->n * r->desc->op->size);
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
                              .trace = hear};
}

static mmscan_status run_matmulscan(const run *r, meter *m, const void *x, void *y) {
  mmscan_matmul_desc desc = matmul_desc(r->desc);
  mmscan_counts unused = {.struct_size = sizeof unused};
  mmscan_status status = open_meter(m, r, mms_matmulscan_positions(&desc));
  if (status) return status;
  desc.trace_context = m;
  return mms_matmulscan(&desc, &mms_unit_monoid, &r->monoid, 1, x, y, &unused);
}

static mmscan_status run_metered(run *r, const void *x, void *y, mmscan_network_counts *counts) {
  meter m;
  mmscan_status status = r->method->run ? run_machine(r, &m, x, y) : run_matmulscan(r, &m, x, y);
  *counts = m.counts;
  free(m.values);
  return status;
}

/* Whether the method can do what is asked, and the size of its workspace does not overflow: that holds the array and
 * several squares of s^2 elements. */
static mmscan_status check_fit(const mms_method *method, const mmscan_network_desc *desc) {
  size_t limit = PTRDIFF_MAX / 256 / (desc->op->size < sizeof(size_t) ? sizeof(size_t) : desc->op->size);
  size_t squares = method->about.has_s ? desc->s * desc->s : 0;
  if (method->about.needs_commutative && !desc->commutative) return MMSCAN_ENOTSUP;
  if (method->is_one_tile && desc->n > desc->s * desc->s) return MMSCAN_ENOTSUP;
  return desc->n > limit || squares > limit - desc->n ? MMSCAN_ENOMEM : MMSCAN_OK;
}

static mmscan_status run_method(const mms_method *method, const mmscan_network_desc *desc, const void *x, void *y,
                                mmscan_network_counts *counts) {
  run r = {.method = method, .desc = desc};
  mmscan_status status = check_fit(method, desc);
  if (status || desc->n == 0) return status;
  r.monoid = (mms_monoid){.size = desc->op->size,
                          .combine = desc->op->combine,
                          .context = desc->op->context,
                          .identity = desc->op->identity,
                          .spare = mms_arena_block(desc->op->size, desc->op->size)};
  status = r.monoid.spare ? run_metered(&r, x, y, counts) : MMSCAN_ENOMEM;
  free(r.monoid.spare);
  return status;
}

/* ---- The public calls ----------------------------------------------------------------------------------------- */

mmscan_status mmscan_get_method(size_t index, mmscan_method *method) {
  if (index >= METHODS || !method || method->struct_size != sizeof *method) return MMSCAN_EINVAL;
  *method = table[index]->about;
  method->struct_size = sizeof *method;
  return MMSCAN_OK;
}

static mmscan_status check_network_values(const mmscan_network_desc *d, const mms_method *method) {
  const mmscan_status status = mms_check_struct(d->op, sizeof *d->op);
  if (status) return status;
  if (!d->op->combine || !d->op->identity || d->op->size == 0) return MMSCAN_EINVAL;
  if (method->about.has_s && (d->s < 2 || d->s > MMSCAN_MAX_S)) return MMSCAN_EINVAL;
  if (method->has_length_rule && !mms_in_enum(d->length_rule, MMSCAN_PADDED)) return MMSCAN_EINVAL;
  return MMSCAN_OK;
}

static const mms_method *find(const char *name) {
  size_t i = 0;
  while (i < METHODS && strcmp(table[i]->about.name, name) != 0) i++;
  return i < METHODS ? table[i] : NULL;
}

/* *method is the method that the description names. */
static mmscan_status check_network(const mmscan_network_desc *d, const void *x, const void *y,
                                   const mmscan_network_counts *counts, const mms_method **method) {
  mmscan_status status;
  if (counts && counts->struct_size != sizeof *counts) return MMSCAN_EINVAL;
  if ((status = mms_check_struct(d, sizeof *d))) return status;
  if (!d->method) return MMSCAN_EINVAL;
  *method = find(d->method);
  if (!*method) return MMSCAN_EINVAL;
  if ((status = check_network_values(d, *method)) || d->n == 0) return status;
  if (!x || !y || d->n > PTRDIFF_MAX / d->op->size) return MMSCAN_EINVAL;
  return mms_check_pair(x, y, d->n * d->op->size);
}

mmscan_status mmscan_network(const mmscan_network_desc *desc, const void *x, void *y, mmscan_network_counts *counts) {
  mmscan_network_counts found = {.struct_size = sizeof found};
  const mms_method *method;
  mmscan_status status = check_network(desc, x, y, counts, &method);
  if (status == MMSCAN_OK) status = run_method(method, desc, x, y, &found);
  if (counts && status == MMSCAN_OK) *counts = found;
  return status;
}
