/* cblas.c: the unit that multiplies by the CBLAS this library was built for. It is opened when it is first needed, and
 * stays open. Until then the process has nothing of it: no threads, no memory, no handlers of a fork() or an exit. */
#include "unit/blas.h"

#include "team/team.h"
#include "unit/fork.h"
#include "unit/loading.h"
#include <stdatomic.h>
#include <stdio.h>

/* What dlopen() is given, a soname or a path (make BLAS=...). Empty: there is none. */
static const char library[] = MMS_BLAS;

/* Written under the lock of loading.h: the vendor and the BLAS before is_open is set, the reason once. */
static atomic_bool is_open, lacks_room;
static mms_vendor vendor;
static mms_blas blas = {.vendor = &vendor};
static char reason[512]; /* why it cannot be opened, memory aside */

/* ---- Opening -------------------------------------------------------------------------------------------------- */

/* A scan waits for the test of the routines it uses, not of all. In that test the library takes its buffers, while
 * there is memory for them. */
static mmscan_status attach(char *why, size_t size) {
  vendor = mms_vendor_ask(vendor.handle);
  if (!mms_blas_is(&vendor)) {
    mms_vendor_close(&vendor);
    snprintf(why, size, "it has no cblas_sgemm and cblas_dgemm");
    return MMSCAN_EBLAS;
  }
  mms_blas_find(&blas, mms_unit_cblas.name, &vendor);
  mms_blas_test_gemm(&blas);
  return MMSCAN_OK;
}

/* Tried again by every call until it succeeds: memory may be found, a library installed. */
static void open_locked(void) {
  char why[256];
  mmscan_status status = mms_vendor_load(library, &vendor.handle, why, sizeof why);
  if (status == MMSCAN_OK) status = attach(why, sizeof why);
  if (status == MMSCAN_EBLAS && !*reason) snprintf(reason, sizeof reason, "%.200s cannot be opened: %s", library, why);
  atomic_store(&lacks_room, status == MMSCAN_ENOMEM);
  atomic_store(&is_open, status == MMSCAN_OK);
}

static void open_once(void) {
  const int teams = mms_team_off();
  mms_loading_lock();
  if (!atomic_load(&is_open)) open_locked();
  mms_loading_unlock();
  mms_team_back(teams);
}

/* The handlers for a fork() that a library registers, to end its threads, must run after ours, so ours are registered
 * again, by every call until there was memory for it. */
static void watch_forks(void) {
  static atomic_bool is_watched;
  if (vendor.watches_forks && !atomic_load(&is_watched)) atomic_store(&is_watched, mms_fork_watch());
}

static bool hold(const mms_unit *self) {
  (void)self;
  if (!*library) return false;
  if (!atomic_load(&is_open)) open_once();
  if (!atomic_load(&is_open)) return false;
  watch_forks();
  return true;
}

static bool is_closed(const mms_unit *self) { return (void)self, !atomic_load(&is_open); }

static bool lacks_memory(const mms_unit *self) { return is_closed(self) && atomic_load(&lacks_room); }

static const char *absent(const mms_unit *self) {
  if (!*library) return "built without a BLAS";
  return lacks_memory(self) ? MMS_VENDOR_NO_ROOM : reason;
}

/* ---- The unit ------------------------------------------------------------------------------------------------- */

static void describe(const mms_unit *self, mmscan_part *part) {
  (void)self;
  part->library = *vendor.file ? vendor.file : NULL;
  part->version = *vendor.version ? vendor.version : NULL;
  part->threads = mms_vendor_threads(&vendor);
}

const mms_unit mms_unit_cblas = {.name = "cblas",
                                 .description = "the CBLAS this library was built for, opened when it is needed",
                                 .library = &blas,
                                 .multiply = mms_blas_multiply,
                                 .has = mms_blas_has,
                                 .lacks_memory = lacks_memory,
                                 .hold = hold,
                                 .is_closed = is_closed,
                                 .absent = absent,
                                 .block = mms_blas_block,
                                 .adds = mms_blas_adds,
                                 .describe = describe,
                                 .routine = mms_blas_routine,
                                 .try_routine = mms_blas_try};
