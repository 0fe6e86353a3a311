/* peer_loops.h: the plain loops of operations, as programs have them. */
#ifndef PEER_LOOPS_H
#define PEER_LOOPS_H

#include "peer.h"

#include <stdint.h>

typedef struct peer_loops {
  const char *type; /* its name */

  /* Sums that begin anew where there is a flag, and at the starts of so many segments. */
  void (*flags)(size_t n, const uint8_t *flags, const void *x, void *y);
  void (*starts)(size_t count, const int64_t *starts, const void *x, void *y);

  /* y[i] = a y[i-1] + x[i], and with an a for each i. NULL: not of integers. */
  void (*decay)(size_t n, const void *a, const void *x, void *y);
  void (*recurrence)(size_t n, const void *a, const void *x, void *y);

  /* Direct form II transposed, of doubles, with order + 1 coefficients of each, where a[0] is 1; the order is at most
   * PEER_MOST_ORDER. */
  void (*filter)(size_t n, size_t order, const double *b, const double *a, const void *x, void *y);
} peer_loops;

enum { PEER_MOST_ORDER = 15 };

/* NULL if there are none of that type. */
const peer_loops *peer_loops_of(const char *type);

/* What they were compiled for. */
extern const peer peer_loops_built;

/* An inclusive scan of elements of so many bytes by an operator that is called, as an mmscan_combine is. */
typedef void peer_combine(void *context, const void *a, const void *b, void *result);
void peer_loops_combine(size_t n, size_t size, peer_combine *combine, void *context, const void *x, void *y);

#endif
