/* vendor.h: a library behind a unit: its symbols, and what it says of itself. */
#ifndef MMS_VENDOR_H
#define MMS_VENDOR_H

#include "unit/gate.h"
#include "unit/quiet.h"
#include <stddef.h>

typedef struct mms_vendor {
  void *handle;                /* of dlopen(); NULL: nothing is known of the library */
  const char *prefix, *suffix; /* what its names have before and after those of others */
  char file[4096];             /* empty where nobody knows */
  char version[256];           /* empty where it does not say */
  bool one_at_a_time;          /* two threads must not be in it at once */
  bool stays;                  /* it does not give back what it took when it is unloaded */
  bool watches_forks;          /* it has handlers of its own for a fork(), which end its threads */
  bool batches;                /* its batched calls are known to be good in this version */
  size_t block;                /* bytes of elements that a BLAS is best given at a time */
  bool halves;                 /* where a row is added, two of half its length take less */
  mms_quiet quiet;             /* how it is told to start no threads */
} mms_vendor;

/* dlopen() of a library that multiplies: its symbols are seen by nobody. NULL: dlerror() says why. */
void *mms_vendor_open(const char *library);

/* Finds how the library behind a handle (may be NULL) names cblas_sgemm, and asks it of itself. */
mms_vendor mms_vendor_ask(void *handle);

/* dlclose(); but one that stays is loaded to the end of the process, and the same when it is opened again. */
void mms_vendor_close(mms_vendor *vendor);

/* The address of a function, whose name is without prefix and suffix; NULL where there is none. */
void *mms_vendor_find(const mms_vendor *vendor, const char *name);

/* Whether there is memory for what a BLAS takes for itself. Without, OpenBLAS asks for it again and again, for ever,
 * and BLIS ends the process. */
bool mms_vendor_has_room(void);

/* The threads the library is set to use now; 0 where it does not say. */
int mms_vendor_threads(const mms_vendor *vendor);

/* Between these the calling thread is in the library: alone, where that cannot bear two; the library's threads take
 * part as `manner` says, and no fork() comes between. What enter() fills in is for leave(), and stays where it is until
 * then. */
typedef struct mms_visit {
  mms_gate_place *place;
  mms_told told;
} mms_visit;
void mms_vendor_enter(const mms_vendor *vendor, mms_manner manner, mms_visit *visit);
void mms_vendor_leave(const mms_vendor *vendor, mms_visit *visit);

#endif
