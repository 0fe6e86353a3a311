/* traced.h: a run of a method of the paper's Table 1, with all it did.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TRACED_H
#define TRACED_H

#include <mmscan.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers are added modulo 2^64; x is 1, 2, ..., n. */
typedef struct traced {
  mmscan_method method;
  size_t n, s;
  mmscan_network_counts counts;
  size_t positions; /* elements, then temporaries */
  size_t events;
  mmscan_event *event; /* with arrays of its own */
  bool failed;         /* there was no memory for one */
} traced;

/* The method called `name`; false where there is none. */
bool traced_method(const char *name, mmscan_method *method);

/* What the library is asked for. */
mmscan_network_desc traced_desc(const mmscan_method *method, size_t s, size_t n);

/* Runs desc, and keeps its events. To be given to traced_free(), also where it fails. */
int traced_run(traced *t, const mmscan_method *method, const mmscan_network_desc *desc);
void traced_free(traced *t);

/* How many terms of the entry are elements. */
size_t traced_terms(const mmscan_event *event, size_t at);

#endif
