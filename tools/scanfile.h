/* scanfile.h: scans one file into another. */
#ifndef SCANFILE_H
#define SCANFILE_H

#include "element.h"
#include "input.h"
#include "order.h"
#include "result.h"
#include "textfile.h"

#include <stdbool.h>

/* In the order of the names in scan.c. */
typedef enum format { FORMAT_UNKNOWN, FORMAT_NPY, FORMAT_CSV, FORMAT_TXT, FORMAT_RAW } format;

typedef struct scan_request {
  const char *in, *out;   /* "-": standard input, standard output */
  format in_format;       /* FORMAT_UNKNOWN: by the name, else by how the data begins */
  const element *type;    /* NULL: as the file says */
  const char *column;     /* of text; NULL: the only one */
  textfile_header header; /* of text */
  char delimiter;         /* of a table; '\0': as the name of the file says */
  mmscan_op op;
  mmscan_kind kind;
  const char *init;  /* what comes before the first number; NULL: nothing */
  const element *to; /* of the results; NULL: the type of what is read */
  bool reverse, total, skip_nan, accurate, reproducible, monotone, checked;
  const char *segments[MMSCAN_KEYS + 1]; /* by mmscan_segment_form: a .npy file, or a column; at most one is not NULL */
  const char *decay;                     /* the factor of a recurrence in place of a scan; NULL: none */
  bool has_axis;
  long axis;                                           /* negative: from the last */
  int (*share)(const order *o, input *in, result *to); /* NULL, or what scans in place of order_scan(), by processes
                                                          that open the files by their names */
} scan_request;

/* The name of the subcommand, for wrong_usage(). */
#define SCAN_NAME "scan"

/* Reads the command line of a scan, by which all of *request is set. Statuses as of read_options(). */
int scan_options(scan_request *request, const char *help, int argc, char **argv);

/* The form in which segments are given; 0: there are none. */
mmscan_segment_form scan_segment_form(const scan_request *request);

int scan_file(const scan_request *request);

#endif
