/* python.h: scripts in Python, which are parts of this command.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The Makefile makes a string script_NAME of a file NAME.py. */
#ifndef PYTHON_H
#define PYTHON_H

#include "output.h"
#include "process.h"

#include <jansson.h>

extern const char script_numpy_peer[]; /* bench/ */
extern const char script_contest[], script_text[], script_gnuplot[], script_plot[], script_contest_plot[],
    script_page[]; /* bench/pages/ */
extern const char script_svg[], script_trace[], script_circuit[], script_tensor[], script_segments[],
    script_figure[]; /* tools/figures/ */

/* A list of modules, in the order in which they are imported, ends with a NULL. main() of the last one is called with
 * an argument. It first prints a line. */
typedef struct python_module {
  const char *name, *text;
} python_module;

/* The Python that the user names by PYTHON; NULL: none. */
const char *python_named(void);

/* Starts a script and takes its first line, by that Python, or else by python3 in the path or in /usr/bin, whichever
 * gets so far: the first need not have all that the script imports. False if none does. */
bool python_start(process *p, const python_module modules[], const char *argument, bool quiet, char *line, size_t size);

/* The first line of a script that draws is empty, or says why it cannot draw here. Returns DONE, or FAILED with that
 * message. */
int python_check(const python_module modules[], const char *argument);

/* Has such a script draw what goes to `out`. The data, which is released, may be NULL for want of memory. */
int python_draw(const python_module modules[], const char *argument, json_t *data, output *out);

#endif
