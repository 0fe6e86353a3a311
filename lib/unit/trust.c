/* trust.c: a list that only grows, so that readers need no lock. */
#include "unit/trust.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef mms_trusted entry;

static _Atomic(entry *) list;

const entry *mms_trust_list(void) { return atomic_load_explicit(&list, memory_order_acquire); }

static bool has(const entry *e, const char *unit, const char *version, const char *routine) {
  while (e && (strcmp(e->unit, unit) != 0 || strcmp(e->version, version) != 0 || strcmp(e->routine, routine) != 0))
    e = e->next;
  return e != NULL;
}

bool mms_trust_has(const char *unit, const char *version, const char *routine) {
  return has(mms_trust_list(), unit, version, routine);
}

/* Adds the entry, unless another thread has added the same meanwhile. */
static void publish(entry *e) {
  e->next = atomic_load_explicit(&list, memory_order_acquire);
  while (!has(e->next, e->unit, e->version, e->routine))
    if (atomic_compare_exchange_weak_explicit(&list, &e->next, e, memory_order_acq_rel, memory_order_acquire)) return;
  free(e);
}

bool mms_trust_note(entry **notes, const char *unit, const char *version, const char *routine) {
  entry *e = malloc(sizeof *e);
  if (!e) return false;
  e->next = *notes;
  snprintf(e->unit, sizeof e->unit, "%s", unit);
  snprintf(e->version, sizeof e->version, "%s", version);
  snprintf(e->routine, sizeof e->routine, "%s", routine);
  *notes = e;
  return true;
}

void mms_trust_add_all(entry *notes) {
  while (notes) {
    entry *next = notes->next;
    publish(notes);
    notes = next;
  }
}

void mms_trust_forget(entry *notes) {
  while (notes) {
    entry *next = notes->next;
    free(notes);
    notes = next;
  }
}

mmscan_status mms_trust_add(const char *unit, const char *version, const char *routine) {
  entry *note = NULL;
  if (mms_trust_has(unit, version, routine)) return MMSCAN_OK;
  if (!mms_trust_note(&note, unit, version, routine)) return MMSCAN_ENOMEM;
  publish(note);
  return MMSCAN_OK;
}
