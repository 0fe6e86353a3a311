/* traced.c: a run of a method of the paper's Table 1, with its events.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "traced.h"
#include "message.h"

#include <stdlib.h>
#include <string.h>

bool traced_method(const char *name, mmscan_method *method) {
  *method = (mmscan_method){.struct_size = sizeof *method};
  for (size_t i = 0; mmscan_get_method(i, method) == MMSCAN_OK; i++)
    if (strcmp(method->name, name) == 0) return true;
  return false;
}

static void add(void *context, const void *a, const void *b, void *result) {
  (void)context;
  *(uint64_t *)result = *(const uint64_t *)a + *(const uint64_t *)b;
}

mmscan_network_desc traced_desc(const mmscan_method *method, size_t s, size_t n) {
  static const uint64_t zero = 0;
  return (mmscan_network_desc){.struct_size = sizeof(mmscan_network_desc),
                               .method = method->name,
                               .n = n,
                               .s = s,
                               .size = sizeof zero,
                               .combine = add,
                               .identity = &zero,
                               .commutative = 1,
                               .length_rule = MMSCAN_DIGITS};
}

/* ---- Keeping events ---------------------------------------------------------------------------------------------- */

static size_t *copy(const size_t *positions, size_t count, bool *failed) {
  size_t *own = positions != NULL ? malloc(count * sizeof *own) : NULL;
  if (own != NULL) memcpy(own, positions, count * sizeof *own);
  *failed |= own == NULL && positions != NULL;
  return own;
}

static bool grow(traced *t) {
  if ((t->events & (t->events - 1)) != 0) return true;
  mmscan_event *more = realloc(t->event, (t->events ? 2 * t->events : 1) * sizeof *more);
  if (more != NULL) t->event = more;
  return more != NULL;
}

static void keep(void *context, const mmscan_event *event) {
  traced *t = context;
  const size_t entries = event->s * event->columns;
  if (t->failed || !grow(t)) {
    t->failed = true;
    return;
  }
  mmscan_event *own = &t->event[t->events++];
  *own = *event;
  own->in = copy(event->in, entries, &t->failed);
  own->add = copy(event->add, entries, &t->failed);
  own->out = copy(event->out, entries, &t->failed);
  t->positions = event->positions;
}

void traced_free(traced *t) {
  for (size_t i = 0; i < t->events; i++) {
    free((size_t *)t->event[i].in);
    free((size_t *)t->event[i].add);
    free((size_t *)t->event[i].out);
  }
  free(t->event);
}

/* ---- Running ----------------------------------------------------------------------------------------------------- */

int traced_run(traced *t, const mmscan_method *method, const mmscan_network_desc *desc) {
  *t = (traced){.method = *method, .n = desc->n, .s = desc->s, .positions = desc->n};
  t->counts.struct_size = sizeof t->counts;
  mmscan_network_desc traced_desc = *desc;
  traced_desc.trace = keep;
  traced_desc.trace_context = t;
  uint64_t *x = malloc(desc->n * sizeof *x);
  if (x == NULL) return fail_memory();
  for (size_t i = 0; i < desc->n; i++) x[i] = i + 1;
  const mmscan_status status = mmscan_network(&traced_desc, x, x, &t->counts);
  free(x);
  if (status == MMSCAN_ENOTSUP)
    return fail("%s: n = %zu is more than s^2 = %zu", method->name, desc->n, desc->s * desc->s);
  if (status != MMSCAN_OK) return fail("%s: %s", method->name, mmscan_strerror(status));
  return t->failed ? fail_memory() : DONE;
}

/* ---- Entries ----------------------------------------------------------------------------------------------------- */

size_t traced_terms(const mmscan_event *e, size_t at) {
  size_t terms = 0, position;
  for (size_t k = 0; k <= e->s; k++) terms += mmscan_event_term(e, at, k, &position) && position != MMSCAN_NO_ELEMENT;
  return terms;
}
