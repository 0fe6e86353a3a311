/* libmmscan.h: the calls of a libmmscan: the one in this command, or one that is loaded from a file beside it. */
#ifndef LIBMMSCAN_H
#define LIBMMSCAN_H

#include "number.h"

enum { SIMPLE_CALLS = 6 };

typedef struct libmmscan {
  char *path; /* of the file; NULL: the one in this command */
  library_call *inclusive[SIMPLE_CALLS];
  mmscan_status (*scan)(const mmscan_desc *desc, const void *x, void *y);
  int (*threads)(void);
  const char *(*version)(void);
  const char *(*isa)(void);
  const char *(*environment_error)(void);
} libmmscan;

extern const libmmscan libmmscan_built_in;

/* Loads a libmmscan with settings, threads and memory of its own: none of its names replaces one of another library.
 * Returns an exit status, with a message if the file is no libmmscan or the environment is illegal for it. The library
 * stays until the process ends; the caller gives the rest back by libmmscan_close(), even if this fails. */
int libmmscan_open(libmmscan *l, const char *path);
void libmmscan_close(libmmscan *l);

/* Its mmscan_inclusive_* for the type; NULL: libraries have none. */
library_call *libmmscan_inclusive(const libmmscan *l, mmscan_type type);

/* The file of this version of the library in the folder of this command. The caller frees it; NULL if there is none. */
char *libmmscan_beside_command(void);

#endif
