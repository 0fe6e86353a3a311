/* way.h: the ways in which threads share a run: the tiles of one scan, or the scans of a batch. All do the same
 * additions, and so does a single thread.
 *
 * To add a way: a file with a mms_way, its name below, its state in mms_shared, and its place in the table in run.c. */
#ifndef MMS_WAY_H
#define MMS_WAY_H

#include "run/chain.h"
#include "run/leader.h"
#include "run/scans.h"
#include "run/shares.h"
#include "run/totals.h"
#include "team/team.h"

/* What the threads of a run share. */
typedef union mms_shared {
  mms_scans scans;
  mms_shares shares;
  mms_chain chain;
  mms_leader leader;
  mms_totals totals;
} mms_shared;

typedef struct mms_way {
  const char *name, *description;

  /* Whether so many threads (tiles->sharing) can share tiles so at all; and whether it is best for them, asked in the
   * order of the table. */
  bool (*can)(const mms_tiles *);
  bool (*suits)(const mms_tiles *);

  /* The number of pieces that threads take. NULL: tiles. */
  size_t (*pieces)(const mms_tiles *);

  /* Makes its member of mms_shared ready; and a thread's part. A thread that never comes has taken nothing. */
  void (*begin)(void *shared, const mms_tiles *);
  mms_team_part *take_part;
} mms_way;

/* Row `index` of the table; NULL past its end. And the way called `name`; NULL where there is none. */
const mms_way *mms_way_at(size_t index);
const mms_way *mms_way_find(const char *name);

extern const mms_way mms_way_alone, mms_way_scans, mms_way_shares, mms_way_chain, mms_way_leader;

/* Not in the table: the way of runs that write no results, which have no other. */
extern const mms_way mms_way_totals;

#endif
