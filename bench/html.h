/* html.h: pieces of HTML.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef HTML_H
#define HTML_H

#include <stdio.h>

/* Writes text that means nothing but itself, also in an attribute. */
void html_put_text(FILE *to, const char *text);

/* Writes an SVG of gnuplot as a part of a page: without what comes before the element. The names of its parts, which
 * are the same in all of gnuplot's pictures, are made those of picture `number`. */
void html_put_svg(FILE *to, const char *svg, int number);

#endif
