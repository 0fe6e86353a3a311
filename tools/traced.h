/* traced.h: a run of a method of the paper's Table 1, with its events.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TRACED_H
#define TRACED_H

#include <mmscan_paper.h>
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
  mmscan_event *event; /* whose arrays are copies */
  bool failed;         /* there was no memory for an event */
} traced;

/* The method called `name`; false where there is none. */
bool traced_method(const char *name, mmscan_method *method);

/* The description of a run, for mmscan_network(). */
mmscan_network_desc traced_desc(const mmscan_method *method, size_t s, size_t n);

/* Runs desc and keeps its events. The caller must call traced_free(), even if this fails. */
int traced_run(traced *t, const mmscan_method *method, const mmscan_network_desc *desc);
void traced_free(traced *t);

/* The number of terms of the entry that are not padding. */
size_t traced_terms(const mmscan_event *event, size_t at);

#endif
