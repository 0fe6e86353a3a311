/* report.h: a session as text, JSON or CSV, on standard output. */
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
enum { REPORT_TYPE = 32, REPORT_TITLE = 192 };
void report_type(const number *type, mmscan_op op, char text[REPORT_TYPE]);

/* "64,128,32" */
void report_shape(const race_shape *shape, char text[REPORT_TITLE]);

/* A length, as a power of two if it is one. */
void report_length(size_t n, char text[48]);

/* As JSON, which the caller owns. */
struct json_t *report_json(const session *s);

/* Parts of that: what holds for all races, of which the machine is a part; the races. */
struct json_t *report_json_run(const bench_request *request);
struct json_t *report_json_machine(void);
struct json_t *report_json_races(const race *races, size_t count);

/* Prints such an object, or one of units, as comma-separated values, a line for each contender. */
void report_csv(const struct json_t *report);

/* Ratios, for a contender that was timed; 0 if no bound has its thread count, which may be so for a unit's own. */
double report_of_bound(const contender *c);
double report_times_serial(const contender *c);

#endif
