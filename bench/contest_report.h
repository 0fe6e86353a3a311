/* contest_report.h: a contest as text, JSON, pictures and an HTML page.
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

/* The parts of the text, in this order. */
void contest_print_head(const contest *c, size_t n);
void contest_print_products(const contest *c);
void contest_print_ranking(const contest *c);

/* The lengths of the products, as text. They are whole columns, so those of a short request depend on s. */
void contest_product_length(const contest *c, char text[80]);

/* How many threads of their own the units use, as text. */
void contest_own_threads(const contest *c, char text[120]);

/* A line for each unit: what it is, or why it takes no part. */
void contest_print_units(const contest *c);

/* Prints one JSON object. */
int contest_json(const contest *c);

/* Makes contest->settings, which the caller owns. */
struct json_t *contest_settings(void);

/* ---- Pictures ---------------------------------------------------------------------------------------------------- */

typedef enum contest_picture { PICTURE_RANKING, PICTURE_PRODUCTS, PICTURE_ROOFLINE, PICTURES } contest_picture;

/* What each picture shows. */
extern const char *const contest_captions[PICTURES];

/* Draws all pictures, one below the other, to the file of picture_prepare(). */
int contest_draw(const contest *c);

/* Draws one picture, as SVG. */
int contest_draw_one(const contest *c, contest_picture picture, int file);

/* ---- The report -------------------------------------------------------------------------------------------------- */

/* Looks for gnuplot and opens the file, so that a failure is known before anything is timed. */
int contest_page_prepare(const char *name);

/* Writes one HTML file that contains the pictures. */
int contest_page_write(const contest *c);

/* Ends what contest_page_prepare() began, if it was called, as picture_close() does. */
int contest_page_close(int status);

#endif
