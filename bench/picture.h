/* picture.h: pictures by the program gnuplot.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * gnuplot gets its script and the data in it through its standard input, and writes to the open file: no name has to be
 * quoted for it, and no other file is needed. */
#ifndef PICTURE_H
#define PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { PICTURE_WIDTH = 1120 };

/* True where the name ends so. */
bool picture_ends_in(const char *name, const char *end);

/* True where the name ends in .svg or .png, which pictures can be written as. */
bool picture_is_format(const char *name);

/* Whether gnuplot is there, which an option needs. */
int picture_check(const char *option);

/* Looks for gnuplot and opens the file: what cannot be drawn is known before anything is timed. */
int picture_prepare(const char *name);

/* Has gnuplot draw what put() writes about `what`: to the file of picture_prepare(), or to any other. */
typedef void picture_script(FILE *to, const void *what);
int picture_draw(picture_script *put, const void *what);
int picture_draw_to(int file, picture_script *put, const void *what);

/* Ends what picture_prepare() began, if it did: puts the picture in its place if status is DONE, else takes it away.
 * Returns status, or FAILED with a message. */
int picture_close(int status);

/* ---- For scripts ------------------------------------------------------------------------------------------------- */

/* The first line of a script: the format, the size in points, the fonts. */
void picture_put_terminal(FILE *to, bool svg, size_t height);

/* Lines that all pictures share: colours and sizes of axes and grid. */
void picture_put_axes(FILE *to);

/* A string of gnuplot. */
void picture_put_string(FILE *to, const char *text);

/* The title over a picture, in as many lines as it takes: of whom, which may be empty, and what. */
void picture_put_title(FILE *to, const char *of, const char *what);

#endif
