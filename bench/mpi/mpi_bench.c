/* mpi_bench.c: mmscan-mpi-bench, which measures what mmscan model --mpi computes. */
#include "pingpong.h"
#include "statistics.h"

#include <mmscan_mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: mpirun -n P mmscan-mpi-bench fit\n"
    "       mpirun -n P mmscan-mpi-bench table N...\n"
    "fit     prints the options of `mmscan model --mpi` that describe this machine: LogGP's parameters by\n"
    "        messages between the first rank and the last; what memory moves for one rank, and for all of\n"
    "        a node, as they scan; and the time of combining two carries. Needs two ranks or more.\n"
    "table   prints the ranks, N, and microseconds of a bare MPI_Exscan of 64 bytes and of a scan of N\n"
    "        elements of f64 in all: of the slowest rank, the median of rounds\n";

enum { MOST_ROUNDS = 101, LEAST_ROUNDS = 5, CARRY = 64, PART = 1 << 22, COMBINED = 1000 };
static const double PATIENCE = 2; /* seconds of rounds, beyond which there are no more */

typedef struct ranks {
  MPI_Comm comm;
  int rank, count;
} ranks;

static ranks ranks_of(MPI_Comm comm) {
  ranks r = {.comm = comm};
  MPI_Comm_rank(comm, &r.rank);
  MPI_Comm_size(comm, &r.count);
  return r;
}

/* ---- Rounds ------------------------------------------------------------------------------------------------------ */

/* What is timed: a call of `action`. */
typedef struct subject {
  void (*action)(const struct subject *);
  const ranks *of;
  mmscan_desc desc;
  const double *x;
  double *y;
} subject;

/* Seconds, from when all are ready to when the slowest rank is done. */
static double time_once(const subject *s) {
  MPI_Barrier(s->of->comm);
  const double from = MPI_Wtime();
  s->action(s);
  double own = MPI_Wtime() - from, slowest = own;
  MPI_Allreduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, s->of->comm);
  return slowest;
}

typedef struct rounds {
  double fastest, median;
} rounds;

/* After a round that does not count. All ranks have the same sum, and so end in the same round. */
static rounds time_rounds(const subject *s) {
  double seconds[MOST_ROUNDS], sum = 0;
  int count = 0;
  time_once(s);
  while (count < LEAST_ROUNDS || (count < MOST_ROUNDS && sum < PATIENCE)) sum += seconds[count++] = time_once(s);
  const double median = statistics_median(seconds, count);
  return (rounds){seconds[0], median};
}

static void scan_alone(const subject *s) {
  if (mmscan_scan(&s->desc, s->x, s->y) != MMSCAN_OK) MPI_Abort(MPI_COMM_WORLD, 1);
}

static void scan_together(const subject *s) {
  if (mmscan_mpi_scan(&s->desc, s->x, s->y, s->of->comm) != MMSCAN_OK) MPI_Abort(MPI_COMM_WORLD, 1);
}

static void exscan(const subject *s) {
  double own[CARRY / sizeof(double)] = {s->of->rank}, before[CARRY / sizeof(double)];
  MPI_Exscan(own, before, CARRY / sizeof(double), MPI_DOUBLE, MPI_SUM, s->of->comm);
}

/* ---- Arrays ------------------------------------------------------------------------------------------------------ */

static mmscan_desc desc_of(size_t n) {
  const mmscan_desc d = MMSCAN_DESC(MMSCAN_F64, MMSCAN_PLUS, MMSCAN_INCLUSIVE, n);
  return d;
}

/* A rank's part of so many elements, and room for its results. Ends the job where there is no memory. */
static double *new_arrays(size_t part) {
  double *x = malloc((2 * part + 1) * sizeof *x);
  if (!x) {
    fputs("mmscan-mpi-bench: out of memory\n", stderr);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  for (size_t i = 0; i < 2 * part; i++) x[i] = (double)(i % 7);
  return x;
}

/* ---- The jobs ---------------------------------------------------------------------------------------------------- */

/* GB/s that memory moves while the ranks scan: one reads and writes 16 bytes an element. What other programs take away
 * is no part of the model. */
static double memory_of(const ranks *r, double *x) {
  const subject s = {.action = scan_alone, .of = r, .desc = desc_of(PART), .x = x, .y = x + PART};
  return r->count * 16e-9 * PART / time_rounds(&s).fastest;
}

static void combine(const subject *s) {
  double carry[8] = {1}, next[8] = {1};
  for (int i = 0; i < COMBINED; i++) mmscan_carry_combine(&s->desc, carry, NULL, next, NULL);
}

static double combine_time(const ranks *alone) {
  const subject s = {.action = combine, .of = alone, .desc = desc_of(0)};
  return 1e9 * time_rounds(&s).fastest / COMBINED;
}

/* All ranks of a node scan, and then the first one while the others wait. */
static int fit(const ranks *world) {
  MPI_Comm node_comm;
  if (world->count < 2) return fputs("mmscan-mpi-bench: fit needs two ranks or more\n", stderr), 2;
  const pingpong p = pingpong_fit(world->comm);
  MPI_Comm_split_type(world->comm, MPI_COMM_TYPE_SHARED, world->rank, MPI_INFO_NULL, &node_comm);
  const ranks node = ranks_of(node_comm), alone = ranks_of(MPI_COMM_SELF);
  double *x = new_arrays(PART);
  const double memory = memory_of(&node, x);
  if (world->rank == 0)
    printf("--loggp %.6g,%.6g,%.6g,%.6g --memory %.6g --rank-memory %.6g --ranks-per-node %d --combine %.6g\n",
           p.latency, p.overhead, p.gap, p.byte, memory, memory_of(&alone, x), node.count, combine_time(&alone));
  MPI_Barrier(world->comm);
  free(x);
  MPI_Comm_free(&node_comm);
  return 0;
}

static void print_row(const ranks *r, size_t n) {
  const size_t each = n / (size_t)r->count, part = each + ((size_t)r->rank < n % (size_t)r->count);
  double *x = new_arrays(part);
  subject s = {.action = exscan, .of = r, .desc = desc_of(part), .x = x, .y = x + part};
  const double bare = time_rounds(&s).median;
  s.action = scan_together;
  const double scan = time_rounds(&s).median;
  if (r->rank == 0) printf("%6d %12zu %12.2f %12.2f\n", r->count, n, 1e6 * bare, 1e6 * scan);
  free(x);
}

static int table(const ranks *r, int count, char **lengths) {
  if (r->rank == 0) printf("%6s %12s %12s %12s\n", "ranks", "n", "exscan", "scan");
  for (int i = 0; i < count; i++) print_row(r, strtoull(lengths[i], NULL, 10));
  return 0;
}

/* Digits alone. */
static bool are_lengths(int count, char **words) {
  for (int i = 0; i < count; i++)
    if (words[i][0] == '\0' || strlen(words[i]) > 15 || strspn(words[i], "0123456789") != strlen(words[i]))
      return false;
  return count > 0;
}

static int run(const ranks *world, int argc, char **argv) {
  const char *job = argc > 1 ? argv[1] : "";
  if (strcmp(job, "fit") == 0 && argc == 2) return fit(world);
  if (strcmp(job, "table") == 0 && are_lengths(argc - 2, argv + 2)) return table(world, argc - 2, argv + 2);
  if (strcmp(job, "--help") == 0) return world->rank == 0 && fputs(help, stdout) == EOF;
  if (world->rank == 0) fputs(help, stderr);
  return 2;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const ranks world = ranks_of(MPI_COMM_WORLD);
  const int status = run(&world, argc, argv);
  MPI_Finalize();
  return status;
}
