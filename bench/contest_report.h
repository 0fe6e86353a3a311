/* contest_report.h: a contest as text and as JSON.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef CONTEST_REPORT_H
#define CONTEST_REPORT_H

#include "contest.h"
#include "report.h"

struct json_t;

/* The parts of the text, in this order. */
void contest_print_head(const contest *c, size_t n);
void contest_print_products(const contest *c);
void contest_print_ranking(const contest *c);

/* A line for each unit: what it is, or why it takes no part. */
void contest_print_units(const contest *c);

/* As JSON, which the caller owns. */
struct json_t *contest_json(const contest *c);

/* Makes contest->settings, which the caller owns. */
struct json_t *contest_settings(void);

#endif
