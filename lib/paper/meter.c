/* meter.c: counts every event entry by entry, first what it reads, then what it writes. */
#include "paper/meter.h"

#include "unit/matrix.h"
#include <stdlib.h>

mmscan_status mms_meter_open(mms_meter *meter, size_t positions) {
  *meter = (mms_meter){.counts.struct_size = sizeof meter->counts};
  meter->values = calloc(positions ? positions : 1, sizeof *meter->values);
  return meter->values ? MMSCAN_OK : MMSCAN_ENOMEM;
}

void mms_meter_close(mms_meter *meter) { free(meter->values); }

static void at_least(uint64_t *most, uint64_t value) {
  if (value > *most) *most = value;
}

/* ---- An entry of W -------------------------------------------------------------------------------------------- */

/* What an entry combines: the number of elements, and the adders on the longest chain to one of them. */
typedef struct terms {
  uint64_t elements, path;
} terms;

static terms look_at(const mms_meter *m, const mmscan_event *e, size_t at) {
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
static void use(mms_meter *m, const mmscan_event *e, size_t at, bool is_adder) {
  size_t position;
  for (size_t k = 0; k <= e->s; k++) {
    if (!mmscan_event_term(e, at, k, &position) || position == MMSCAN_NO_ELEMENT) continue;
    mms_meter_value *value = &m->values[position];
    value->ways = value->level == e->depth ? value->ways + 1 : 1;
    value->level = e->depth;
    value->reads += is_adder;
    at_least(&m->counts.reads, value->reads);
  }
}

static void count_adder(mms_meter *m, const terms *found) {
  m->counts.adders++;
  m->counts.work_unpadded += found->elements - 1;
  at_least(&m->counts.fan_in, found->elements);
  at_least(&m->counts.path, found->path + 1);
}

static void read_entry(mms_meter *m, const mmscan_event *e, size_t at) {
  if (e->out[at] == MMSCAN_NO_ELEMENT) return;
  terms found = look_at(m, e, at);
  bool is_adder = found.elements > 1;
  if (is_adder) count_adder(m, &found);
  use(m, e, at, is_adder);
  m->values[e->out[at]].is_written = true;
  m->values[e->out[at]].next_path = found.path + is_adder;
}

/* ---- An event ------------------------------------------------------------------------------------------------- */

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
static void count_ways(mms_meter *m, const size_t *positions, size_t entries) {
  for (size_t at = 0; positions && at < entries; at++) {
    if (positions[at] == MMSCAN_NO_ELEMENT) continue;
    const mms_meter_value *value = &m->values[positions[at]];
    at_least(&m->counts.fan_out, value->ways + !value->is_written);
  }
}

static void write_entry(mms_meter *m, const mmscan_event *e, size_t at) {
  if (e->out[at] == MMSCAN_NO_ELEMENT) return;
  mms_meter_value *value = &m->values[e->out[at]];
  *value = (mms_meter_value){.path = value->next_path};
}

void mms_meter_trace(void *context, const mmscan_event *e) {
  mms_meter *m = context;
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
