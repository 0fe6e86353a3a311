/* run.h: scans by an engine, shared by threads. */
#ifndef MMS_RUN_H
#define MMS_RUN_H

#include "engine/engine.h"
#include "team/pays.h"

/* Where x and y are, as far as their size tells: in the caches of the cores that share the run; in the last-level cache
 * of one cluster of cores, or of several; in memory. */
typedef enum mms_where { MMS_IN_CORES, MMS_IN_CLUSTER, MMS_IN_CLUSTERS, MMS_IN_MEMORY } mms_where;

/* Where so many bytes of x are, and as many of y, or the same if in place. */
mms_where mms_run_where(size_t bytes, bool in_place, int threads);

struct mms_way;

/* A dimension around the batch: n of them, so many elements of x, y and totals apart. */
typedef struct mms_axis {
  size_t n;
  ptrdiff_t x, y, total;
} mms_axis;
enum { MMS_OUTER = 8 };

struct mms_ends;

typedef struct mms_run {
  const mms_engine *engine;
  const mms_job *job;
  mms_batch scans;             /* all of them; its distances are those of the innermost dimension, */
  size_t batch, rank;          /*   which has so many, with so many dimensions around it, */
  const mms_axis *outer;       /*   the slowest first */
  bool has_parts;              /* two scans are of the parts of complex numbers, whose totals are neighbours, */
  ptrdiff_t total_dist;        /* of that dimension */
  const struct mms_ends *ends; /* what is written beside results (ends.h); NULL: nothing */
  void *carry;                 /* one for each scan, its carry in and out; NULL: scans.first goes into every scan */
  const mms_storage *carries;  /*   and how these are stored */
  void *state;                 /* of blocks: what a carry is besides, for each scan (carry.h); NULL: nothing */
  bool only_carries;           /* results go nowhere: y is an address to which nothing is written, and carries go out */
  void *memory;                /* the workspace, where there is one thread; NULL: threads find their own */
  int threads;                 /* that share it: for mms_run_settle() the most, and then as many as will */
  int limit;                   /* the most that may run; 0: as OpenMP's rules allow now */
  double saves;       /* nanoseconds saved by so many threads instead of one; infinite if the caller asked for them */
  bool weighs;        /* whether saves was weighed, so that what the run takes is kept; and, */
  mms_pays_sort sort; /*   if so, among which runs: set by mms_run_settle() */
  mms_where where;
  const struct mms_way *way; /* how threads share it (way.h); NULL: in the first way that suits */
} mms_run;

/* Settles how many threads will do a run. */
void mms_run_settle(mms_run *run);

/* Does a run that is settled, or has one thread. MMSCAN_ENOMEM: no thread found memory for its workspace, and nothing
 * is written. */
mmscan_status mms_run_scan(const mms_run *run);

#endif
