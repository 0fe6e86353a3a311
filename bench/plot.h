/* plot.h: a session as a picture, by gnuplot.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef PLOT_H
#define PLOT_H

#include "session.h"

/* True where the name ends in .svg or .png, which plots can be written as. */
bool plot_is_format(const char *file);

/* Looks for gnuplot and opens the file: what cannot be drawn is known before anything is timed. */
int plot_prepare(const char *file);

/* Draws Gelem/s over n, a panel for each type and place. */
int plot_draw(const session *s);

/* Ends what plot_prepare() began, if it did: puts the picture in its place if status is DONE, else takes it away.
 * Returns status, or FAILED with a message. */
int plot_close(int status);

#endif
