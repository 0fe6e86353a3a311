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

/* Parts of these: the library, the machine and the compiler; how the times came about; a length, as a power of two
 * where it is one; type, place and rows of a race; a number with three digits that count, seven characters wide, and
 * how many are behind its point. */
void report_machine_lines(const bench_request *request);
void report_times_line(const bench_request *request);
void report_length(size_t n, char text[48]);
void report_kind(const race *r, char text[64]);
void report_number(double value);
int report_decimals(double value);

/* One JSON object. */
int report_json(const session *s);

/* Parts of that, which are the caller's. */
struct json_t *report_json_machine(void);
struct json_t *report_json_races(const race *races, size_t count);

/* Lines of values separated by commas, a line for each contender. */
void report_csv(const race *races, size_t count);

/* A line after those, for a unit that takes no part. */
void report_csv_failed(const char *unit, const char *reason);

/* Words for both: "scan" or "product"; "bound", "peer", ...; the form of a product, NULL of anything else. */
const char *report_work(const race *r);
const char *report_role(const contender *c);
const char *report_form(const contender *c);

/* Ratios of a contender that was timed. */
double report_of_bound(const contender *c);
double report_times_serial(const contender *c);

#endif
