/* engine.h: the contract of an engine, which scans one tile given a carry, and the table of engines.
 *
 * A tile is m neighbouring elements of a scan. x and y point to the first of them by index, forward and reverse alike;
 * they are the same, or share no memory. The carry is the prefix of everything before the tile in the order of
 * the scan.
 *
 * An engine scans a tile at once, reading it once. It may also have the three steps below, which give the same bits;
 * a run then has many tiles of one scan in flight. Without steps a whole scan is one tile.
 *
 *   reduce   reads x and finds its total, as in reduce-then-scan
 *   advance  turns the carry into the tile into the carry out of it
 *   finish   given the carry into the tile, writes y. prefetch: where the elements are that are likely to be read next;
 *            m of them are prefetched while y is written, and need not exist. NULL: none
 *
 * Where work takes longer than memory does, an engine may have finish() in two halves, so that x is read once:
 *
 *   prepare  reduce(), and all of the work that needs no carry; its results stay in the workspace
 *   complete finish(), of the tile that was prepared last in this workspace. In between only advance() may be called
 *            there, for the same tile; it leaves what was prepared
 *
 * The carry out is the carry in combined with the tile's own total, so that bits do not depend on which thread scans
 * what. Each result of an engine is finite, infinite or NaN as the plain loop's is.
 *
 * To add an engine: a file with a mms_engine, its name below, and its place in the table in engine.c. Its costs are a
 * row in estimate.c; without one it is taken to be slow. */
#ifndef MMS_ENGINE_H
#define MMS_ENGINE_H

#include "algebra/checked.h"
#include "kernel/isa.h"
#include "pack/pack.h"
#include "unit/unit.h"
#include <stdatomic.h>
#include <stdbool.h>

/* What is done to elements and results besides, by engines that pack. */
typedef struct mms_extras {
  const void *instead;      /* what stands for a NaN in x, as it is combined; NULL: NaN stays */
  const void *neutral;      /* results never fall (engine/monotone.h), and this leaves one as it is; NULL: they may */
  mms_overflows *overflows; /* NULL: results may wrap; else sets: */
  atomic_bool *overflowed;
  int64_t *indices;    /* laid out as y, by which element each result is; NULL: not asked for. In carries that index
                          follows    the value (mms_value.found.index) */
  const char *y;       /* the y that indices[0] belongs to */
  int64_t first, step; /* the index of the element of a scan that is lowest in memory, and from one to the next */
  bool has_init;       /* the carry into a scan may be its result */
} mms_extras;

/* What an engine needs to know of a problem and its plan. */
typedef struct mms_job {
  const mms_algebra *algebra;
  const mms_storage *storage; /* of x and y; only engines that pack look at it */
  mmscan_kind kind;
  bool reverse;
  const mms_unit *unit; /* unit and s: only for engines that multiply by a unit */
  size_t s, tile;       /* no tile is longer than `tile`; only for engines that cut tiles */
  size_t block;         /* bytes of x that the unit is best given at a time */
  bool adds;            /* the unit is to add products to X, with s = 2 (unit.h) */
  bool prefetches;      /* x is larger than a core's own caches: prefetch it */
  bool uncached;        /* neither x nor y is in any cache */
  bool streams;         /* y is not x, and too large for the caches: store past them (non-temporal); the run fences */
  bool paces;           /* streamed results come no faster than some memory takes them */
  const mms_isa *isa;   /* isa, and its kernel for the algebra: the same for every engine */
  const mms_kernel *kernel;
  bool keeps_pairs;               /* columns: sums are kept in twice the precision, and not in the plain loop's order */
  bool keeps_order;               /* in which elements are combined: a total that is asked for does not change it */
  bool adds_exactly;              /* carries of sums are rounded once, and what an engine makes of them is not used */
  bool gathers;                   /* elements of x or y are not contiguous */
  const struct mms_engine *inner; /* the engine that scans what is packed; NULL where nothing is */
  const mms_extras *extras;       /* what it packs for besides; NULL: nothing */
  const struct mms_segmented
      *segmented; /* where the segments of scans begin (engine/segmented.h); NULL: they have none */
} mms_job;

/* What was found of a plane. */
mms_found mms_found_plane(const mms_job *job, const mms_found *found, size_t plane);

/* m elements, of which x and y point to the first by index. Engines take strides of 1, but for those that pack. */
typedef struct mms_tile {
  size_t m;
  const void *x;
  void *y;
  ptrdiff_t x_stride, y_stride; /* elements */
  size_t scan, at;              /* which scan it is of, and which element of that is lowest in memory */
  bool is_last;                 /* in the order of its scan */
  const void *next;             /* where the elements of a tile that is packed are prefetched from meanwhile, m from
                                   here on, which need not exist; NULL: nowhere */
} mms_tile;

typedef struct mms_engine {
  const char *name, *description;

  /* Scans the tile; *carry goes in and comes out. `work`: a workspace, the thread's own for as long as it works at the
   * job. */
  void (*at_once)(const mms_job *, void *work, const mms_tile *, mms_value *carry);

  /* Scans a batch as at_once() would, each scan a tile whose carry out is not needed, or goes to batch->carry if that
   * is there. `work`: as above; or NULL, by an engine that has none. Never where job->streams, but for columns. NULL:
   * scans are done one by one. */
  void (*batch)(const mms_job *, void *work, const mms_batch *);

  /* The steps. NULL in an engine that cuts no tiles; m may then be anything. */
  void (*reduce)(const mms_job *, void *work, const mms_tile *, mms_found *found);
  void (*advance)(const mms_job *, void *work, const mms_tile *, const mms_found *found, mms_value *carry);
  void (*finish)(const mms_job *, void *work, const mms_tile *, const mms_value *carry, const void *prefetch);

  /* finish() of a tile and reduce() of another, ahead and of the same length, in one loop; or of the same tile, whose y
   * is not x. NULL: done one by one. */
  void (*finish_and_reduce)(const mms_job *, void *work, const mms_tile *, const mms_value *carry,
                            const mms_tile *ahead, mms_found *found);

  /* Whether it prepares the tiles of a job; and how. NULL in an engine that never does. */
  bool (*prepares)(const mms_job *);
  void (*prepare)(const mms_job *, void *work, const mms_tile *, mms_found *found);
  void (*complete)(const mms_job *, void *work, const mms_tile *, const mms_value *carry, const void *prefetch);

  bool has_unit; /* it multiplies by a unit, so it does only what a unit is exact for */
  bool has_isa;  /* it is made of kernels */

  /* The instruction set that its own kernels for an algebra come from. NULL in an engine without any. */
  const char *(*origin)(const mms_isa *, const mms_algebra *);

  /* Bytes of workspace, and what makes it ready for a job. NULL: none. */
  size_t (*work_size)(const mms_job *);
  void (*begin)(const mms_job *, void *work);

  /* The default tile, in scans of n elements. NULL in an engine that cuts none. */
  size_t (*tile_of)(const mms_algebra *, size_t n);

  /* The default s with a unit. NULL in an engine without units. */
  size_t (*s_of)(const mms_unit *);
} mms_engine;

/* What a row that is made for one call brings with it, such as that of an operator of the caller's. Of elements only
 * the size is known besides, and its engines take them from where they are. */
typedef struct mms_own {
  void *call;                         /* what its engines know of the call */
  const mms_engine *by_tiles, *alone; /* the engines of several threads, and of one, without a workspace */
  bool are_elsewhere;                 /* elements are bytes, and carries are where they are (mms_value.element): */
  bool (*take_slots)(void *call, size_t count); /*   makes so many places for these; false: there is no memory */
  void (*drop_slots)(void *call);               /*   gives them back */
  bool streams;                                 /* its engines store past the caches where a job says so */
  size_t together; /* scans that are shared by threads in groups of so many, each group by one; 0: of one */
} mms_own;

/* Row `index` of the table; NULL past its end. */
const mms_engine *mms_engine_at(size_t index);

/* The engine called `name`; NULL where there is none. */
const mms_engine *mms_engine_find(const char *name);

/* Whether an engine can scan with matrices of size s, in tiles of so many elements; 0 for what it does not have. */
bool mms_engine_allows(const mms_engine *engine, size_t s, size_t tile);

enum { MMS_ENGINE_TILE = 131072 }; /* bytes of a tile by default */

extern const mms_engine mms_engine_gemm, mms_engine_simd, mms_engine_serial;

/* What does as an engine does where x or y is not contiguous, or is stored otherwise than it is combined, and is not in
 * the table: it packs, and has that engine
 * scan what it packed (job->inner). For columns of matrices whose rows are contiguous, by the engine serial, it goes
 * row by row (mms_engine_columns). */
mms_engine mms_engine_strided(const mms_engine *engine, bool are_columns);
extern const mms_engine mms_engine_columns;

#endif
