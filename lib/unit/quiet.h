/* quiet.h: how a library that starts threads of its own is told to start none. */
#ifndef MMS_QUIET_H
#define MMS_QUIET_H

#include <stdbool.h>

/* How an OpenBLAS makes threads, as openblas_get_parallel() numbers it. */
enum { MMS_OPENBLAS_SERIAL, MMS_OPENBLAS_PTHREADS, MMS_OPENBLAS_OPENMP };

/* The one setting of a library by which it is told. All pointers are NULL if it has none. */
typedef struct mms_quiet {
  int (*exchange)(int value); /* returns the previous value; NULL: get() and set() instead */
  int (*get)(void);
  void (*set)(long value); /* the library takes an int or a long */
  int none;                /* the value for no threads beside the caller */
  bool is_shared;          /* the setting belongs to the process, not to the calling thread */
  bool in_chunks;          /* the library starts threads even for the smallest products */

  /* The size of the OpenMP team that the library asks for, and what may make OpenMP's team smaller. team is NULL if the
   * library works with any team. */
  int (*team)(void), (*limit)(void), (*dynamic)(void), (*levels)(void);
} mms_quiet;

/* How the library's own threads may take part in a product. */
typedef enum mms_manner {
  MMS_FREELY,  /* as the library is set, unless OpenMP might give it a smaller team than it asks for */
  MMS_CHUNKED, /* not at all: the product is so small that few libraries need to be told */
  MMS_ALONE    /* not at all, however large the product is */
} mms_manner;

/* The setting of a library, whose functions find(from, name) looks up. */
mms_quiet mms_quiet_of(void *(*find)(const void *from, const char *name), const void *from);

/* Between begin() and end() the library is told to start no threads, if it needs to be; *told records whether, and must
 * not move. A shared setting stays in force while any thread is between the two, and the last end() restores the value
 * from before the first begin(). */
typedef struct mms_told {
  const mms_quiet *quiet; /* NULL: it is not told */
  int before;
  struct mms_told *next; /* in the list of those told by a shared setting */
} mms_told;
void mms_quiet_begin(const mms_quiet *quiet, mms_manner manner, mms_told *told);
void mms_quiet_end(mms_told *told);

#endif
