/* contest_report.h: a contest for people and for machines.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef CONTEST_REPORT_H
#define CONTEST_REPORT_H

#include "contest.h"
#include "report.h"

#include <stdio.h>

struct json_t;

/* ---- On standard output ------------------------------------------------------------------------------------------ */

/* The parts of the text for people, in this order. */
void contest_print_head(const contest *c, size_t n);
void contest_print_products(const contest *c);
void contest_print_ranking(const contest *c);

/* The lengths of the products, which are whole columns: those of a short request differ by s. */
void contest_product_length(const contest *c, char text[80]);

/* How many threads of their own the units have. */
void contest_own_threads(const contest *c, char text[120]);

/* A line for each unit: what it is, or why it takes no part. */
void contest_print_units(const contest *c);

/* One JSON object. */
int contest_json(const contest *c);

/* contest->settings, the caller's. */
struct json_t *contest_settings(void);

/* ---- Pictures ---------------------------------------------------------------------------------------------------- */

typedef enum contest_picture { PICTURE_RANKING, PICTURE_PRODUCTS, PICTURE_ROOFLINE, PICTURES } contest_picture;

/* What the pictures show, a sentence. */
extern const char *const contest_captions[PICTURES];

/* Draws all below each other, to the file of picture_prepare(). */
int contest_draw(const contest *c);

/* Draws one, as SVG. */
int contest_draw_one(const contest *c, contest_picture picture, int file);

/* ---- The report -------------------------------------------------------------------------------------------------- */

/* Looks for gnuplot and opens the file: what cannot be written is known before anything is timed. */
int contest_page_prepare(const char *name);

/* Writes one HTML file with the pictures in it. */
int contest_page_write(const contest *c);

/* Ends what contest_page_prepare() began, if it did, as picture_close(). */
int contest_page_close(int status);

#endif
