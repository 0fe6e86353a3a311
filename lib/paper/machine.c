/* machine.c: gather, multiply, add, scatter. */
#include "paper/machine.h"

#include "base/arena.h"
#include "unit/matrix.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- Memory --------------------------------------------------------------------------------------------------- */

/* Elements come first: each piece of them is a multiple of their alignment, if that is large. */
static size_t lay_out(mms_machine *m, const mms_machine_size *size) {
  mms_arena a = {.block = m->memory};
  m->values = mms_arena_take(&a, size->positions * m->monoid->size);
  m->x = mms_arena_take(&a, size->entries * m->monoid->size);
  m->w = mms_arena_take(&a, size->entries * m->monoid->size);
  m->in = mms_arena_take(&a, size->entries * sizeof *m->in);
  m->add = mms_arena_take(&a, size->entries * sizeof *m->add);
  m->out = mms_arena_take(&a, size->entries * sizeof *m->out);
  m->a = mms_arena_take(&a, size->s * size->s * sizeof *m->a);
  return a.used;
}

mmscan_status mms_machine_open(mms_machine *m, const mms_monoid *monoid, const mms_machine_size *size, size_t n,
                               const void *x) {
  *m = (mms_machine){.monoid = monoid, .n = n, .event.positions = size->positions};
  m->memory = mms_arena_block(lay_out(m, size), monoid->size);
  if (!m->memory) return MMSCAN_ENOMEM;
  lay_out(m, size);
  memcpy(m->values, x, n * monoid->size);
  for (size_t i = n; i < size->positions; i++) memcpy(m->values + i * monoid->size, monoid->identity, monoid->size);
  return MMSCAN_OK;
}

void mms_machine_close(mms_machine *m) { free(m->memory); }

/* ---- Putting a step together ---------------------------------------------------------------------------------- */

void mms_machine_begin(mms_machine *m, mmscan_event event) {
  event.struct_size = sizeof event;
  event.positions = m->event.positions;
  m->event = event;
  m->entries = 0;
}

void mms_machine_entry_plus(mms_machine *m, size_t in, size_t add, size_t out) {
  m->add[m->entries] = add;
  m->event.add = m->add;
  mms_machine_entry(m, in, out);
}

void mms_machine_entry(mms_machine *m, size_t in, size_t out) {
  m->in[m->entries] = in;
  m->out[m->entries++] = out;
}

/* ---- Taking a step -------------------------------------------------------------------------------------------- */

static const void *value_at(const mms_machine *m, size_t position) {
  return position == MMSCAN_NO_ELEMENT ? m->monoid->identity : m->values + position * m->monoid->size;
}

static void make_matrix(mms_machine *m) {
  if (m->matrix == m->event.matrix && m->a_s == m->event.s) return;
  m->matrix = m->event.matrix;
  m->a_s = m->event.s;
  mms_matrix_of(MMSCAN_F32, m->matrix, m->a_s, m->a);
}

static void multiply(mms_machine *m) {
  size_t size = m->monoid->size, data = 0; /* from `data` on X is padding */
  make_matrix(m);
  for (size_t i = 0; i < m->entries; i++) {
    memcpy(m->x + i * size, value_at(m, m->in[i]), size);
    if (m->in[i] != MMSCAN_NO_ELEMENT) data = i + 1;
  }
  mms_unit_multiply(&mms_unit_monoid, &(mms_product){.type = MMSCAN_F32,
                                                     .monoid = m->monoid,
                                                     .s = m->event.s,
                                                     .columns = m->event.columns,
                                                     .a = m->a,
                                                     .x = m->x,
                                                     .w = m->w,
                                                     .elements = data});
}

static void add_c(mms_machine *m) {
  const mms_monoid *monoid = m->monoid;
  if (!m->event.add) return;
  for (size_t i = 0; i < m->entries; i++) {
    char *w = m->w + i * monoid->size;
    monoid->combine(monoid->context, w, value_at(m, m->add[i]), monoid->spare);
    memcpy(w, monoid->spare, monoid->size);
  }
}

static void scatter(mms_machine *m) {
  size_t size = m->monoid->size;
  for (size_t i = 0; i < m->entries; i++)
    if (m->out[i] != MMSCAN_NO_ELEMENT) memcpy(m->values + m->out[i] * size, m->w + i * size, size);
}

void mms_machine_take(mms_machine *m) {
  if (m->entries == 0) return;
  m->event.columns = m->entries / m->event.s;
  m->event.depth = m->depth;
  m->event.in = m->in;
  m->event.out = m->out;
  multiply(m);
  add_c(m);
  scatter(m);
  if (m->trace) m->trace(m->trace_context, &m->event);
}
