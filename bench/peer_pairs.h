/* peer_pairs.h: scans into another type, and copying into it, which bounds them: the loops that a compiler is given. */
#ifndef PEER_PAIRS_H
#define PEER_PAIRS_H

#include "peer.h"

/* A scan that starts from a number of y's type. */
typedef void peer_pair_scan(size_t n, const void *x, void *y, const void *before);

typedef struct peer_pair {
  const char *x, *y; /* the names of its types */
  void (*copy)(size_t n, const void *x, void *y);
  peer_pair_scan *loop, *simd;                   /* the plain loop, and by `omp simd` */
  void (*sum)(size_t n, const void *x, void *y); /* one number */
  void (*add)(void *sum, const void *more);      /* one number to another, of y's type */

  /* An integral image, whose border of zeros is there too. */
  void (*image)(size_t rows, size_t columns, const void *x, void *y);
} peer_pair;

/* NULL if there is no such pair. */
const peer_pair *peer_pair_of(const char *x, const char *y);

/* What they were compiled for. */
extern const peer peer_pairs_built;

#endif
