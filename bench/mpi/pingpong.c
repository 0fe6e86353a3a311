/* pingpong.c: LogGP's parameters from round trips, as Netgauge finds them (Hoefler, Lichei and Rehm, "Low-Overhead
 * LogGP Parameter Assessment for Modern Interconnection Networks", 2007).
 *
 * A trip is `count` messages to the peer, a delay before each but the first, and one answer, all of the same size. With
 * t(count, delay, size) as its time:
 *
 *   t(1, 0, s) / 2                                          = L + 2 o + (s - 1) G
 *   (t(count, 0, s) - t(1, 0, s)) / (count - 1)             = g + (s - 1) G
 *   (t(count, d, 1) - t(1, 0, 1)) / (count - 1) - d         = o, for d that is longer than g: here t(1, 0, 1) */
#include "pingpong.h"
#include "statistics.h"

#include <math.h>
#include <stdbool.h>

enum { MOST_ROUNDS = 101, LEAST_ROUNDS = 2, TRIPS = 10, COUNT = 16, SIZES = 7, TAG = 1 };
static const double PATIENCE = 0.5; /* seconds of rounds, beyond which there are no more */
static const int sizes[SIZES] = {1, 64, 256, 1024, 4096, 16384, 65536};

typedef struct trip {
  MPI_Comm comm;
  int peer, count, size;
  double delay; /* seconds */
  char *bytes;
} trip;

static void wait_for(double seconds) {
  const double end = MPI_Wtime() + seconds;
  while (MPI_Wtime() < end) continue;
}

static void go(const trip *t) {
  for (int i = 0; i < t->count; i++) {
    if (i > 0 && t->delay > 0) wait_for(t->delay);
    MPI_Send(t->bytes, t->size, MPI_BYTE, t->peer, TAG, t->comm);
  }
  MPI_Recv(t->bytes, t->size, MPI_BYTE, t->peer, TAG, t->comm, MPI_STATUS_IGNORE);
}

static void answer(const trip *t) {
  for (int i = 0; i < t->count; i++) MPI_Recv(t->bytes, t->size, MPI_BYTE, t->peer, TAG, t->comm, MPI_STATUS_IGNORE);
  MPI_Send(t->bytes, t->size, MPI_BYTE, t->peer, TAG, t->comm);
}

/* Whether there is another round, as the first rank says. */
static bool goes_on(const trip *t, int rank, int more) {
  if (rank == 0)
    MPI_Send(&more, 1, MPI_INT, t->peer, TAG, t->comm);
  else
    MPI_Recv(&more, 1, MPI_INT, t->peer, TAG, t->comm, MPI_STATUS_IGNORE);
  return more;
}

/* Seconds of a trip in the fastest of many rounds: what other programs take away is no part of the model. Of fewer
 * rounds where a rank that waits holds the only core, which some MPIs let it do, so that a message takes a turn of the
 * operating system. Both ranks call it. */
static double time_of(const trip *t, int rank) {
  void (*const make)(const trip *) = rank == 0 ? go : answer;
  double fastest = INFINITY, sum = 0;
  for (int round = 0; goes_on(t, rank, round < LEAST_ROUNDS || (round < MOST_ROUNDS && sum < PATIENCE)); round++) {
    make(t); /* after it the peer, too, knows that there is more */
    const double from = MPI_Wtime();
    for (int i = 0; i < TRIPS; i++) make(t);
    const double seconds = MPI_Wtime() - from;
    fastest = fmin(fastest, seconds / TRIPS);
    sum += seconds;
  }
  return fastest;
}

/* The delay of a trip is the first rank's alone. */
static pingpong measure(MPI_Comm comm, int rank, int peer) {
  static char bytes[65536];
  double at[SIZES], gaps[SIZES], first = 0;
  pingpong p;
  trip t = {.comm = comm, .peer = peer, .bytes = bytes};
  for (int i = 0; i < SIZES; i++) {
    t.size = sizes[i];
    t.count = 1;
    const double one = time_of(&t, rank);
    t.count = COUNT;
    gaps[i] = fmax(1e-12, (time_of(&t, rank) - one) / (COUNT - 1));
    at[i] = t.size - 1;
    if (i == 0) first = one;
  }
  statistics_line(SIZES, at, gaps, &p.gap, &p.byte);
  t.size = 1;
  t.delay = first;
  p.overhead = fmax(0, (time_of(&t, rank) - first) / (COUNT - 1) - first);
  p.latency = fmax(0, first / 2 - 2 * p.overhead);
  return (pingpong){1e9 * p.latency, 1e9 * p.overhead, 1e9 * p.gap, 1e9 * fmax(0, p.byte)};
}

pingpong pingpong_fit(MPI_Comm comm) {
  int rank, ranks;
  pingpong p = {0};
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  if (rank == 0 || rank == ranks - 1) p = measure(comm, rank, rank == 0 ? ranks - 1 : 0);
  MPI_Barrier(comm);
  return p;
}
