/* plot.h: a session as a picture, drawn by gnuplot.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef PLOT_H
#define PLOT_H

#include "session.h"

/* Draws Gelem/s over n, a panel for each type and place, to the file of picture_prepare(). */
int plot_draw(const session *s);

#endif
