/* pages.h: what is made of a report as JSON: the plot, the page and the text of --units. */
#ifndef PAGES_H
#define PAGES_H

#include "output.h"
#include "session.h"

#include <jansson.h>

/* The files of --plot and --report; not open where there is no such option. */
typedef struct pages {
  output plot, page;
} pages;

/* Closing these does nothing. */
#define PAGES_CLOSED                                                                                                   \
  { OUTPUT_CLOSED, OUTPUT_CLOSED }

/* Whether the name ends in .svg or .png, the formats that can be drawn, or in .html. */
bool pages_is_plot(const char *name);
bool pages_is_page(const char *name);

/* Looks whether what the request names can be made here, and opens the files, so that a failure is known before
 * anything is timed. */
int pages_prepare(pages *p, const bench_request *request);

/* Prints the report if --json asks for it, or the text of --units, and makes the files. Releases the report; NULL:
 * there was no memory for it.
 */
int pages_make(pages *p, const bench_request *request, json_t *report);

/* Moves the files to their places if status is DONE, else removes them. Returns status, or FAILED after a message. */
int pages_close(pages *p, int status);

#endif
