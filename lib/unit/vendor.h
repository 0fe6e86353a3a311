/* vendor.h: a library behind a unit: its symbols, and what it says of itself. */
#ifndef MMS_VENDOR_H
#define MMS_VENDOR_H

#include "mmscan.h"
#include "unit/gate.h"
#include "unit/quiet.h"
#include <stddef.h>

typedef struct mms_vendor {
  void *handle;                /* of dlopen(); NULL: nothing is known of the library */
  const char *prefix, *suffix; /* what its names have before and after the usual ones */
  char file[4096];             /* empty if unknown */
  char version[256];           /* empty if the library does not tell it */
  bool one_at_a_time;          /* two threads must not be in it at once */
  bool stays;                  /* it is kept loaded, as unloading it would not free all it took */
  bool watches_forks;          /* it has handlers of its own for a fork(), which end its threads */
  bool batches;                /* its batched calls are known to be good in this version */
  size_t block;                /* bytes of elements that a BLAS is best given in one call */
  bool halves;                 /* to add a row, it is faster to add two rows of half the length */
  mms_quiet quiet;             /* how it is told to start no threads */
} mms_vendor;

/* dlopen() of a library that multiplies, whose symbols no other library sees. NULL: dlerror() says why. */
void *mms_vendor_open(const char *library);

/* The same for a BLAS, if it is a file and there is memory for its buffers: without it OpenBLAS retries for ever, and
 * BLIS ends the process. On MMSCAN_EBLAS and MMSCAN_ENOMEM *handle is NULL and `why` gets the reason. */
#define MMS_VENDOR_NO_ROOM "there is no memory for the buffers of a BLAS"
mmscan_status mms_vendor_load(const char *library, void **handle, char *why, size_t why_size);

/* Finds how the library behind a handle (may be NULL) spells cblas_sgemm, and queries its properties. */
mms_vendor mms_vendor_ask(void *handle);

/* dlclose(). A library that stays remains loaded to the end of the process; opening it again gives the same one. */
void mms_vendor_close(mms_vendor *vendor);

/* The address of a function, given its name without prefix and suffix; NULL if there is none. */
void *mms_vendor_find(const mms_vendor *vendor, const char *name);

/* The threads the library is now set to use; 0 if it does not tell. */
int mms_vendor_threads(const mms_vendor *vendor);

/* Between these calls the calling thread is in the library: alone, if that is unsafe for two threads. The library's own
 * threads take part as `manner` says, and no fork() happens. enter() fills in *visit for leave(); it must not move
 * until then. */
typedef struct mms_visit {
  mms_gate_place *place;
  mms_told told;
} mms_visit;
void mms_vendor_enter(const mms_vendor *vendor, mms_manner manner, mms_visit *visit);
void mms_vendor_leave(const mms_vendor *vendor, mms_visit *visit);

#endif
