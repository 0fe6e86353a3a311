/* picture.h: pictures, drawn by the program gnuplot.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * gnuplot reads its script, with the data in it, from its standard input, and writes to a file that is open already: no
 * file name has to be quoted for it, and no other file is needed. */
#ifndef PICTURE_H
#define PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { PICTURE_WIDTH = 1120 };

/* Whether the name ends in `end`, and is longer; case does not matter. */
bool picture_ends_in(const char *name, const char *end);

/* Whether the name ends in .svg or .png, the formats that can be written. */
bool picture_is_format(const char *name);

/* Fails if gnuplot, which the option needs, cannot be started. */
int picture_check(const char *option);

/* Looks for gnuplot and opens the file, so that a failure is known before anything is timed. */
int picture_prepare(const char *name);

/* Has gnuplot draw what put() writes about `what`: to the file of picture_prepare(), or to another one. */
typedef void picture_script(FILE *to, const void *what);
int picture_draw(picture_script *put, const void *what);
int picture_draw_to(int file, picture_script *put, const void *what);

/* Ends what picture_prepare() began, if it was called: moves the picture to its place if status is DONE, else removes
 * it. Returns status, or FAILED after a message. */
int picture_close(int status);

/* ---- For scripts ------------------------------------------------------------------------------------------------- */

/* The first line of a script: the format, the size in points, the fonts. */
void picture_put_terminal(FILE *to, bool svg, size_t height);

/* The lines that all pictures share: colours and sizes of axes and grid. */
void picture_put_axes(FILE *to);

/* Writes a gnuplot string. */
void picture_put_string(FILE *to, const char *text);

/* The title over a picture, in as many lines as it takes: whose it is, which may be empty, and what it shows. */
void picture_put_title(FILE *to, const char *of, const char *what);

#endif
