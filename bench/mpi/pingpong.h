/* pingpong.h: LogGP's parameters, measured by messages between two ranks. */
#ifndef PINGPONG_H
#define PINGPONG_H

#include <mpi.h>

/* In ns; `byte` is the time of one. */
typedef struct pingpong {
  double latency, overhead, gap, byte;
} pingpong;

/* Measures between the first rank and the last, of two or more; the others wait. The result is the first rank's. */
pingpong pingpong_fit(MPI_Comm comm);

#endif
