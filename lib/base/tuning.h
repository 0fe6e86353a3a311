/* tuning.h: what the cores of a CPU do best. */
#ifndef MMS_TUNING_H
#define MMS_TUNING_H

#include "base/cpu.h"

/* What cores do best; it makes no difference to results. What each gains: doc/TUNING.md, "The tuning row". */
typedef struct mms_tuning {
  bool fetches;        /* they gain by an early prefetch of every line that is read or written, except by the one
                          (non-temporal) that bypasses L2 */
  bool two_streams;    /* they read memory faster from two places in turn than from one; so x that comes from memory is
                          prefetched that way, even in place */
  bool has_dies;       /* they may lie on dies that share no cache: what threads share in caches is best left in as few
                          pieces as possible, of which each thread has the same ones the next time */
  bool reduces_slowly; /* reducing elements in the cache of a die takes them more than half as long as scanning them */
  bool long_groups;    /* threads that share a long scan of data in no cache do best if they take many tiles at a time,
                          and reduce their next tiles while they write */
  bool paces;          /* memory reads and writes more if results that go past the caches are held back a little */
  size_t half_cache;   /* bytes: at most half of a core's own cache */
  size_t cluster;      /* bytes of x that stay, beside y, in the part of a cluster's last cache that is ours */
  size_t clusters;     /* the same for several clusters; beyond it x and y are taken to be in no cache */
  size_t stream_from;  /* bytes of y beyond which threads store past the caches; at most half of a die's last one.
                          A thread alone, and products of units, do so beyond `cluster` */
  size_t alone_from;   /* bytes of y beyond which one core that streams does as well as all cores of its die, for
                          which memory is the limit; SIZE_MAX: never */
  double slower;       /* how many times as long as a core of Zen 5 they take for an element in the cache */
} mms_tuning;

/* The tuning for such cores. own: bytes of a core's own cache; last: of the last cache of a die; 0: not known. */
mms_tuning mms_tuning_of(mms_cores cores, size_t own, size_t last);

/* Those of this machine, set before any kernel is handed out. */
extern mms_tuning mms_tuning_here;

#endif
