/* loaded.c: units that are libraries opened at run time.
 *
 * Each name that was ever opened has a record, which is never freed: pointers to its unit stay valid, and opening the
 * same library again takes no more memory. The library itself is loaded while the record is held. */
#include "unit/loaded.h"

#include "base/cancel.h"
#include "team/team.h"
#include "unit/blas.h"
#include "unit/fork.h"
#include "unit/loading.h"
#include "unit/xsmm.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct loaded {
  mms_unit unit; /* first, so that a pointer to it points to the record */
  struct loaded *next;
  atomic_uint holds;
  unsigned counted;           /* the holds of mmscan_unit_open() */
  const char *description;    /* of the kind of library */
  const char *file, *version; /* NULL: not known. Never freed, as callers keep them */
  mms_vendor vendor;
  atomic_bool takes_part; /* the library's own threads may take part in products */
  mms_blas blas;
  mms_xsmm xsmm;
} loaded;

/* Read and changed under the lock of loading.h. */
static loaded *list;

static loaded *record_of(const mms_unit *unit) { return (loaded *)(uintptr_t)unit; }

/* ---- The contract --------------------------------------------------------------------------------------------- */

/* From now on the library's threads may take part in products. Its handlers for a fork() must run after ours, so ours
 * are registered again, by every product until there was memory for it. As that cannot be undone the library stays
 * loaded: loaded anew, it would register handlers that run before ours. */
static void let_take_part(loaded *l) {
  const bool is_watched = mms_fork_watch();
  mms_loading_lock();
  l->vendor.stays = true;
  atomic_store(&l->takes_part, is_watched);
  mms_loading_unlock();
}

static void describe(const mms_unit *self, mmscan_part *part) {
  const loaded *l = record_of(self);
  part->description = l->description;
  part->library = l->file;
  part->version = l->version;
  part->threads = mms_vendor_threads(&l->vendor);
}

static void multiply_by_blas(const mms_unit *self, const mms_product *p) {
  loaded *l = record_of(self);
  const bool has_threads = l->vendor.watches_forks && p->form != MMSCAN_PRODUCT_CHUNKED;
  if (has_threads && !atomic_load(&l->takes_part)) let_take_part(l);
  mms_blas_multiply(self, p);
}

static const mms_unit as_blas = {.description = "a BLAS loaded at run time",
                                 .multiply = multiply_by_blas,
                                 .has = mms_blas_has,
                                 .block = mms_blas_block,
                                 .adds = mms_blas_adds,
                                 .routine = mms_blas_routine,
                                 .try_routine = mms_blas_try};
static const mms_unit as_xsmm = {.description = "LIBXSMM, which makes kernels while it runs, loaded at run time",
                                 .multiply = mms_xsmm_multiply,
                                 .block = mms_xsmm_block,
                                 .adds = mms_xsmm_adds};

/* A record that is loaded again may be another kind of library than before. Only what differs by kind is written: other
 * threads read it only while they hold the record, but may read the rest at any time. */
static void become(loaded *l, const mms_unit *kind, void *library) {
  l->unit.library = library;
  l->description = kind->description;
  l->unit.multiply = kind->multiply;
  l->unit.has = kind->has;
  l->unit.block = kind->block;
  l->unit.adds = kind->adds;
  l->unit.routine = kind->routine;
  l->unit.try_routine = kind->try_routine;
}

/* ---- Loading -------------------------------------------------------------------------------------------------- */

static mmscan_status refuse(char *why, size_t size, const char *reason) {
  snprintf(why, size, "%s", reason);
  return MMSCAN_EBLAS;
}

static mmscan_status attach_blas(loaded *l, char *why, size_t size) {
  become(l, &as_blas, &l->blas);
  mms_blas_find(&l->blas, l->unit.name, &l->vendor);
  mms_blas_test(&l->blas);
  if (mms_blas_has(&l->unit, MMSCAN_F32, MMSCAN_PRODUCT_GEMM) &&
      mms_blas_has(&l->unit, MMSCAN_F64, MMSCAN_PRODUCT_GEMM))
    return MMSCAN_OK;
  return refuse(why, size, "its cblas_sgemm or cblas_dgemm gives wrong products, or changes how floats are rounded");
}

static mmscan_status attach_xsmm(loaded *l, char *why, size_t size) {
  become(l, &as_xsmm, &l->xsmm);
  return mms_xsmm_attach(&l->xsmm, &l->vendor) ? MMSCAN_OK : refuse(why, size, "its kernels give wrong products");
}

/* A string that lasts as long as the process; NULL where it is empty or there is no memory. kept: the one from before.
 */
static const char *keep(const char *kept, const char *text) {
  if (kept && strcmp(kept, text) == 0) return kept;
  return *text ? strdup(text) : NULL;
}

static mmscan_status attach(loaded *l, char *why, size_t size) {
  l->vendor = mms_vendor_ask(l->vendor.handle);
  l->file = keep(l->file, l->vendor.file);
  l->version = keep(l->version, l->vendor.version);
  if (mms_blas_is(&l->vendor)) return attach_blas(l, why, size);
  if (mms_xsmm_is(&l->vendor)) return attach_xsmm(l, why, size);
  return refuse(why, size, "no BLAS: it has no cblas_sgemm and cblas_dgemm, and is not LIBXSMM");
}

static mmscan_status load(loaded *l, char *why, size_t size) {
  mmscan_status status = mms_vendor_load(l->unit.name, &l->vendor.handle, why, size);
  if (status) return status;
  status = attach(l, why, size);
  if (status) mms_vendor_close(&l->vendor);
  return status;
}

/* ---- Records -------------------------------------------------------------------------------------------------- */

static bool hold(const mms_unit *self) {
  loaded *l = record_of(self);
  unsigned holds = atomic_load(&l->holds);
  while (holds && !atomic_compare_exchange_weak(&l->holds, &holds, holds + 1)) {
  }
  return holds != 0;
}

/* The thread that releases the last hold unloads the library, unless it is held again by the time it has the lock. */
static void drop(const mms_unit *self) {
  loaded *l = record_of(self);
  if (atomic_fetch_sub(&l->holds, 1) != 1) return;
  mms_loading_lock();
  if (atomic_load(&l->holds) == 0 && l->vendor.handle) mms_vendor_close(&l->vendor);
  mms_loading_unlock();
}

static loaded *find_record(const char *name) {
  loaded *l = list;
  while (l && strcmp(l->unit.name, name) != 0) l = l->next;
  return l;
}

static loaded *new_record(const char *name) {
  loaded *l = calloc(1, sizeof *l);
  char *copy = l ? strdup(name) : NULL;
  if (!copy) {
    free(l);
    return NULL;
  }
  l->unit = (mms_unit){
      .name = copy, .description = "a library loaded at run time", .hold = hold, .drop = drop, .describe = describe};
  return l;
}

static void free_record(loaded *l) {
  free((void *)(uintptr_t)l->file);
  free((void *)(uintptr_t)l->version);
  free((void *)(uintptr_t)l->unit.name);
  free(l);
}

/* A name that cannot be opened leaves no record. */
static mmscan_status open_locked(const char *library, const mms_unit **unit, char *why, size_t size) {
  loaded *known = find_record(library), *l = known ? known : new_record(library);
  if (!l) {
    snprintf(why, size, "%s", "no memory");
    return MMSCAN_ENOMEM;
  }
  mmscan_status status = l->vendor.handle ? MMSCAN_OK : load(l, why, size);
  if (status == MMSCAN_OK) {
    atomic_fetch_add(&l->holds, 1);
    *unit = &l->unit;
  }
  if (known) return status;
  if (status) {
    free_record(l);
    return status;
  }
  l->next = list;
  list = l;
  return MMSCAN_OK;
}

mmscan_status mms_loaded_open(const char *library, const mms_unit **unit, char *why, size_t why_size) {
  const int before = mms_cancel_disable(), teams = mms_team_off();
  mms_loading_lock();
  mmscan_status status = open_locked(library, unit, why, why_size);
  mms_loading_unlock();
  mms_team_back(teams);
  mms_cancel_restore(before);
  return status;
}

void mms_loaded_count(const mms_unit *unit) {
  mms_loading_lock();
  record_of(unit)->counted++;
  mms_loading_unlock();
}

mmscan_status mms_loaded_uncount(const char *name) {
  mms_loading_lock();
  loaded *l = find_record(name);
  bool counted = l && l->counted;
  if (counted) l->counted--;
  mms_loading_unlock();
  if (!counted) return MMSCAN_EINVAL;
  drop(&l->unit);
  return MMSCAN_OK;
}

/* The oldest first, so that units opened meanwhile come last. */
const mms_unit *mms_loaded_at(size_t index) {
  const mms_unit *found = NULL;
  mms_loading_lock();
  size_t open = 0;
  for (const loaded *l = list; l; l = l->next) open += atomic_load(&l->holds) != 0;
  for (const loaded *l = list; l && index < open; l = l->next)
    if (atomic_load(&l->holds) != 0 && --open == index) {
      found = &l->unit;
      break;
    }
  mms_loading_unlock();
  return found;
}

const mms_unit *mms_loaded_find(const char *name) {
  mms_loading_lock();
  const loaded *l = find_record(name);
  bool open = l && atomic_load(&l->holds) != 0;
  mms_loading_unlock();
  return open ? &l->unit : NULL;
}

/* ---- Candidates ----------------------------------------------------------------------------------------------- */

#ifdef __x86_64__
#define TRIPLET "x86_64-linux-gnu"
#else
#define TRIPLET "aarch64-linux-gnu"
#endif

/* Where vendors and distributions put libraries that multiply. Debian installs three builds of OpenBLAS and of BLIS
 * side by side; elsewhere only the soname is known. */
static const char *const candidates[] = {
    "/usr/lib/" TRIPLET "/openblas-pthread/libopenblas.so.0",
    "/usr/lib/" TRIPLET "/openblas-openmp/libopenblas.so.0",
    "/usr/lib/" TRIPLET "/openblas-serial/libopenblas.so.0",
    "libopenblas.so.0",
    "libopenblas.so",
    "libopenblas64.so.0",
    "libopenblas64_.so.0",
    "/usr/lib/" TRIPLET "/blis-openmp/libblis.so.4",
    "/usr/lib/" TRIPLET "/blis-pthread/libblis.so.4",
    "/usr/lib/" TRIPLET "/blis-serial/libblis.so.4",
    "libblis.so.4",
    "libblis.so",
    "libblis-mt.so",
    "libblis64.so.4",
    "/usr/lib/" TRIPLET "/atlas/libblas.so.3",
    "libsatlas.so.3",
    "libtatlas.so.3",
    "/usr/lib/" TRIPLET "/blas/libblas.so.3",
    "libmkl_rt.so.3",
    "libmkl_rt.so.2",
    "libmkl_rt.so.1",
    "libmkl_rt.so",
    "libarmpl_lp64.so",
    "libnvpl_blas_lp64_gomp.so.0",
};

const char *mms_loaded_candidate(size_t index) {
  const size_t blases = sizeof candidates / sizeof *candidates;
  return index < blases ? candidates[index] : mms_xsmm_soname(index - blases);
}
