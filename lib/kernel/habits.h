/* habits.h: what the cores of a CPU do best. */
#ifndef MMS_HABITS_H
#define MMS_HABITS_H

#include "kernel/cpu.h"

/* What cores do best, which makes no difference to results. Measured: doc/PERFORMANCE.md. */
typedef struct mms_habits {
  bool fetches;     /* they gain by being told early of every line, to be read or written, but for the one fetch that
                       leaves the second level of the caches out */
  bool two_streams; /* memory is read sooner from two places in turn than from one; so they are told early of what comes
                       from there, even where it is only updated */
  bool has_dies;    /* they may lie on dies that share no cache: what threads share in caches is best left in as few
                       pieces as there can be, of which each thread has the same ones the next time */
  bool reduces_slowly; /* to reduce elements in the cache of a die takes them more than half as long as to scan them */
  bool long_groups;    /* threads that share a long scan of what is in no cache best take many tiles at a time, and
                          reduce those they have next while they write */
  bool fills;          /* one core that scans reads and writes memory as fast as all cores of its die do, or nearly */
  bool paces;          /* memory reads and writes more where results that go past the caches are held back a little */
  size_t stream_from;  /* bytes of y beyond which threads store past the caches; half of a die's last one, or less */
  size_t half_cache;   /* bytes: half of what a core has as its own cache, or less */
  double slower;       /* how many times as long as a core of Zen 5 they take over an element in the cache */
} mms_habits;

/* What such cores do best whose own cache is of `own` bytes, and the last one of a die of `last`; 0: not known. */
mms_habits mms_habits_of(mms_cores cores, size_t own, size_t last);

/* Those of this machine, set before any kernel is handed out. */
extern mms_habits mms_habits_here;

#endif
