/* svg.h: pieces of a picture, written as SVG.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Coordinates are pixels. A class is one of the style in svg.c; text is escaped. */
#ifndef SVG_H
#define SVG_H

#include <stdio.h>

/* What a line or a node belongs to. Each kind has its own colour. */
typedef enum svg_kind { SVG_UP, SVG_DOWN, SVG_COMBINE, SVG_TOTALS, SVG_BROADCAST, SVG_COPY, SVG_KINDS } svg_kind;

/* The class of a kind, and its text in the legend. */
const char *svg_class(svg_kind kind);
const char *svg_legend(svg_kind kind);

void svg_begin(FILE *to, double width, double height, const char *title);
void svg_end(FILE *to);

void svg_line(FILE *to, const char *class, double x1, double y1, double x2, double y2);
void svg_rect(FILE *to, const char *class, double x, double y, double width, double height);

/* Text with its baseline at y. It starts at x; with class "middle" it is centred on x, with "right" it ends at x. size
 * is in pixels. */
void svg_text(FILE *to, double x, double y, double size, const char *class, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* Writes the legend of the kinds that are present, side by side from (x, y) on. */
void svg_put_legend(FILE *to, double x, double y, const int present[SVG_KINDS]);

#endif
