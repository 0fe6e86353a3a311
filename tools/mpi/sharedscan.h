/* sharedscan.h: the processes of MPI that do the scans of one command line. The first one alone reads it, opens the
 * files as 'mmscan scan' does, and tells the others what there is to do. */
#ifndef SHAREDSCAN_H
#define SHAREDSCAN_H

#include "input.h"
#include "order.h"
#include "result.h"

/* On the first: order_scan() by all processes. `in` and `to` are regular files. */
int shared_scan(const order *o, input *in, result *to);

/* On the first, as the last call: what all end with. Returns it. */
int shared_end(int status);

/* On all others: does what the first one tells, until it ends. Returns its status. */
int shared_follow(void);

#endif
