/* network.h: the methods of the paper's Table 1, which add numbers modulo 2^64. */
#ifndef NETWORK_H
#define NETWORK_H

#include <mmscan_paper.h>
#include <stdbool.h>

/* The method called `name`; false where there is none. */
bool network_method(const char *name, mmscan_method *method);

/* The description of a run, for mmscan_network(). */
mmscan_network_desc network_desc(const mmscan_method *method, size_t s, size_t n);

#endif
