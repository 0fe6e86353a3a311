/* quiet.h: libraries that start threads of their own, and how one is told to start none, or no more than there can be.
 */
#ifndef MMS_QUIET_H
#define MMS_QUIET_H

#include <stdbool.h>

/* What makes an OpenBLAS's threads, as openblas_get_parallel() numbers it. */
enum { MMS_OPENBLAS_SERIAL, MMS_OPENBLAS_PTHREADS, MMS_OPENBLAS_OPENMP };

/* The one setting of a library by which it is told. All are NULL where it has none. */
typedef struct mms_quiet {
  int (*exchange)(int value); /* returns what was set before; or else these two: */
  int (*get)(void);
  void (*set)(long value); /* an int or a long to the library */
  int none;                /* the value that stands for no threads beside the caller */
  bool is_shared;          /* it is one of the process, not of the calling thread */
  bool in_chunks;          /* it starts threads for the smallest products too */

  /* Of OpenMP; all are NULL where a library can do with any team. The team that it asks for, and what may make OpenMP's
   * smaller. */
  int (*team)(void), (*limit)(void), (*dynamic)(void), (*levels)(void);
} mms_quiet;

/* How the threads of a library may take part in a product. */
typedef enum mms_manner {
  MMS_FREELY,  /* as it is set; but not where OpenMP has no such team for it */
  MMS_CHUNKED, /* not: the product is so small that few libraries have to be told */
  MMS_ALONE    /* not, however large it is */
} mms_manner;

/* The setting of a library, whose calls are found by find(from, name). */
mms_quiet mms_quiet_of(void *(*find)(const void *from, const char *name), const void *from);

/* From begin() to end() the library is told, if it has to be: `told`, which the caller keeps where it is, says whether.
 * A shared setting stays while any thread is between its own two, and the last brings back what was before the first.
 */
typedef struct mms_told {
  const mms_quiet *quiet; /* NULL: it is not told */
  int before;
  struct mms_told *next; /* of those told by a shared setting */
} mms_told;
void mms_quiet_begin(const mms_quiet *quiet, mms_manner manner, mms_told *told);
void mms_quiet_end(mms_told *told);

/* Between these OpenMP has no teams for the calling thread: MKL's gemm_bf16bf16f32 takes one whatever MKL is told, and
 * in a forked child would wait for it for ever. What the first returns is for the second. Not under a lock that is held
 * across fork(): OpenMP has such locks too. */
int mms_quiet_teams_off(void);
void mms_quiet_teams_back(int before);

#endif
