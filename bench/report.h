/* report.h: a session for people and for machines, on standard output.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef REPORT_H
#define REPORT_H

#include "session.h"

/* "AMD EPYC, 2 threads". */
void report_machine(char *text, size_t size, const bench_request *request);

/* Races that differ in nothing but length are printed side by side, so many at a time. */
enum { RACES_ABREAST = 3 };

/* The parts of the table for people, in this order. */
void report_head(const bench_request *request);
void report_races(const race *races, size_t count);
void report_tail(const session *s);

/* One JSON object. */
int report_json(const session *s);

/* Ratios of a contender that was timed. */
double report_of_bound(const contender *c);
double report_times_serial(const contender *c);

#endif
