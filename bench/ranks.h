/* ranks.h: a model of the time of mmscan_mpi_scan(), in which ranks exchange messages as LogGP has it (Alexandrov,
 * Ionescu, Schauser and Scheiman, 1995): a closed formula, and beside it a simulation of every message. */
#ifndef RANKS_H
#define RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How MPI combines the carries, and gathers what each rank has. In either, the first takes ceil(log2 p) rounds of
 * messages for p ranks, the second p - 1. */
typedef enum ranks_exscan { RANKS_DOUBLING, RANKS_LINEAR } ranks_exscan;
typedef enum ranks_allgather { RANKS_BRUCK, RANKS_RING } ranks_allgather;

/* Times are in ns, speeds in bytes a ns, which are GB/s. */
typedef struct ranks_model {
  double latency, overhead, gap, byte; /* L, o, g and G of LogGP; G is the time of a byte */
  double memory, rank_memory;          /* what the memory of a node moves for all its ranks, and for one, at most */
  double combine;                      /* the time of combining two carries */
  size_t per_node;                     /* ranks of a node */
  size_t element, carry;               /* bytes of an element, and of what a rank sends in an exscan */
  ranks_exscan exscan;
  ranks_allgather allgather;
} ranks_model;

/* The parts of a call, in their order, by the closed formula; and of other things. One rank alone sends nothing, and
 * reads nothing before it scans. */
typedef struct ranks_times {
  double allgather; /* of a record of each rank, by which they agree on what is to be done */
  double total;     /* each rank reads its part, for the carry out of it */
  double exscan;    /* of the carries */
  double scan;      /* each rank reads its part and writes its results */
  double allreduce; /* of a status, twice: before results are written, and after that */
  double whole;     /* the sum of these */
  double in_turn;   /* instead, where carries cannot be combined: each rank scans after the one before */
} ranks_times;

enum { RANKS_MOST = 1 << 30 };

ranks_times ranks_formula(const ranks_model *m, uint64_t n, size_t ranks);

/* When the last rank is done, by a simulation; NaN: there is no memory for it. */
double ranks_simulated(const ranks_model *m, uint64_t n, size_t ranks);

/* The least power of two that is a number of ranks at which messages take as long as the memory; 0: none, to
 * RANKS_MOST. */
size_t ranks_balance(const ranks_model *m, uint64_t n);

#endif
