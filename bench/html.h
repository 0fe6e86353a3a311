/* html.h: pieces of HTML.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef HTML_H
#define HTML_H

#include <stdio.h>

/* Writes text, escaped for elements and attributes. */
void html_put_text(FILE *to, const char *text);

/* Writes an SVG by gnuplot as a part of a page, without what precedes the <svg> element. Its identifiers, which are the
 * same in all of gnuplot's pictures, are prefixed with `number`. */
void html_put_svg(FILE *to, const char *svg, int number);

#endif
