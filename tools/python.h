/* python.h: scripts in Python, which are parts of this command. */
#ifndef PYTHON_H
#define PYTHON_H

#include "output.h"
#include "process.h"

#include <jansson.h>

/* A list of modules, in the order in which they are imported, ends with a NULL. main() of the last one is called with
 * an argument. It first prints a line. */
typedef struct python_module {
  const char *name, *text;
} python_module;

/* The lists, which the Makefile makes of the files: a contender of the bench, its reports, and the figures of draw. */
extern const python_module python_numpy[], python_pages[], python_figures[];

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
