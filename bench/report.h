/* report.h: a session as text, JSON or CSV, on standard output.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef REPORT_H
#define REPORT_H

#include "session.h"

/* "AMD EPYC, 2 threads". */
void report_machine(char *text, size_t size, const bench_request *request);

/* Races that differ only in length are printed side by side, up to so many at a time; rows not beside single scans. */
enum { RACES_ABREAST = 3 };

/* The parts of the text, in this order. */
void report_head(const bench_request *request);
void report_races(const race *races, size_t count);
void report_tail(const session *s);

/* The name of a type, with that of the operator if it is not +. */
enum { REPORT_TYPE = 32 };
void report_type(const number *type, mmscan_op op, char text[REPORT_TYPE]);

/* Parts of these: report_machine_lines(), the library, the machine and the compiler; report_times_line(), how the times
 * came about; report_length(), a length, as a power of two if it is one; report_kind(), type, place and rows of a race;
 * report_contender(), its name and threads; report_number(), a number with three significant digits, right-aligned in
 * seven characters; report_decimals(), how many of its digits follow the point. */
void report_machine_lines(const bench_request *request);
void report_times_line(const bench_request *request);
void report_length(size_t n, char text[48]);
void report_kind(const race *r, char text[64]);
void report_contender(const contender *c);
void report_number(double value);
int report_decimals(double value);

/* As JSON, which the caller owns. */
struct json_t *report_json(const session *s);

/* Parts of that: what holds for all races, of which the machine is a part; the races. */
struct json_t *report_json_run(const bench_request *request);
struct json_t *report_json_machine(void);
struct json_t *report_json_races(const race *races, size_t count);

/* Prints comma-separated values, a line for each contender. */
void report_csv(const race *races, size_t count);

/* Prints a line after those, for a unit that takes no part. */
void report_csv_failed(const char *unit, const char *reason);

/* Words for all formats: "scan" or "product"; "bound", "peer", ...; the form of a product, NULL for anything else. */
const char *report_work(const race *r);
const char *report_role(const contender *c);
const char *report_form(const contender *c);

/* Ratios, for a contender that was timed; 0 if no bound has its thread count, which may be so for a unit's own. */
double report_of_bound(const contender *c);
double report_times_serial(const contender *c);

#endif
