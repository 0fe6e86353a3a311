/* ranks.c: the closed formula, and the simulation.
 *
 * A message of b bytes that a rank hands over at time t, if it has not sent one too shortly before, is on its way from
 * t + o, all of it has left at t + o + (b - 1) G, it is there L later, and received after another o. The next message
 * may leave g after the last byte. */
#include "ranks.h"

#include <math.h>
#include <stdlib.h>

enum { RECORD = 16, STATUS = 4 }; /* bytes of a rank's record (mpi/agree.c), and of a status */

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

static int log_floor(size_t n) { return 63 - __builtin_clzll(n); }
static int log_ceiling(size_t n) { return n > 1 ? log_floor(n - 1) + 1 : 0; }

/* ---- The formula ------------------------------------------------------------------------------------------------- */

/* A round: a message of so many bytes, and what is done with it before the next. */
static double round_of(const ranks_model *m, size_t bytes, double work) {
  return (double)(bytes - 1) * m->byte + fmax(m->latency + 2 * m->overhead + work, m->gap);
}

static double time_of_allgather(const ranks_model *m, size_t ranks) {
  double time = 0;
  if (m->allgather == RANKS_RING) return (double)(ranks - 1) * round_of(m, RECORD, 0);
  for (size_t step = 1; step < ranks; step *= 2) time += round_of(m, RECORD * smaller(step, ranks - step), 0);
  return time;
}

/* By doubling, a rank takes what comes from the left into two carries: that of all it has seen, and its own. */
static double time_of_exscan(const ranks_model *m, size_t ranks) {
  if (m->exscan == RANKS_LINEAR) return (double)(ranks - 1) * round_of(m, m->carry, m->combine);
  return log_ceiling(ranks) * round_of(m, m->carry, 2 * m->combine);
}

/* By doubling, with a round before and one after for the ranks beyond a power of two. */
static double time_of_allreduce(const ranks_model *m, size_t ranks) {
  const int rounds = log_floor(ranks) + ((ranks & (ranks - 1)) ? 2 : 0);
  return rounds * round_of(m, STATUS, 0);
}

/* Moving the bytes of so many elements, by one of the ranks of a node that do so at once. */
static double time_of_memory(const ranks_model *m, size_t transfers, uint64_t n, size_t at_once) {
  return (double)transfers * (double)m->element * (double)n / fmin(m->rank_memory, m->memory / (double)at_once);
}

ranks_times ranks_formula(const ranks_model *m, uint64_t n, size_t ranks) {
  const uint64_t part = n / ranks + (n % ranks > 0);
  const size_t at_once = smaller(ranks, m->per_node);
  ranks_times t = {.scan = time_of_memory(m, 2, part, at_once)};
  if (ranks > 1) {
    t.allgather = time_of_allgather(m, ranks);
    t.total = time_of_memory(m, 1, part, at_once);
    t.exscan = time_of_exscan(m, ranks);
    t.allreduce = 2 * time_of_allreduce(m, ranks);
  }
  t.whole = t.allgather + t.total + t.exscan + t.scan + t.allreduce;
  t.in_turn =
      t.allgather + time_of_memory(m, 2, n, 1) + (double)(ranks - 1) * round_of(m, m->carry, 0) + t.allreduce / 2;
  return t;
}

size_t ranks_balance(const ranks_model *m, uint64_t n) {
  for (size_t ranks = 2; ranks <= RANKS_MOST; ranks *= 2) {
    const ranks_times t = ranks_formula(m, n, ranks);
    if (t.allgather + t.exscan + t.allreduce >= t.total + t.scan) return ranks;
  }
  return 0;
}

/* ---- The simulation ---------------------------------------------------------------------------------------------- */

/* The clocks of a rank. */
typedef struct clocks {
  double ready; /* when it has time for the next thing */
  double port;  /* when its next message may leave */
  double there; /* when its last message reached the other side */
} clocks;

static void send(const ranks_model *m, clocks *c, size_t bytes) {
  c->ready = fmax(c->ready + m->overhead, c->port);
  const double last = c->ready + (double)(bytes - 1) * m->byte;
  c->port = last + m->gap;
  c->there = last + m->latency;
}

static void receive(const ranks_model *m, clocks *c, const clocks *from, double work) {
  c->ready = fmax(c->ready, from->there) + m->overhead + work;
}

static void simulate_bruck(const ranks_model *m, clocks *c, size_t ranks) {
  for (size_t step = 1; step < ranks; step *= 2) {
    for (size_t r = 0; r < ranks; r++) send(m, &c[r], RECORD * smaller(step, ranks - step));
    for (size_t r = 0; r < ranks; r++) receive(m, &c[r], &c[(r + step) % ranks], 0);
  }
}

/* All ranks begin at once and do the same, so that one tells of all. */
static void simulate_ring(const ranks_model *m, clocks *c, size_t ranks) {
  for (size_t step = 1; step < ranks; step++) {
    send(m, c, RECORD);
    receive(m, c, c, 0);
  }
  for (size_t r = 1; r < ranks; r++) c[r] = c[0];
}

static void simulate_memory(const ranks_model *m, clocks *c, size_t ranks, uint64_t n, size_t transfers) {
  for (size_t r = 0; r < ranks; r++) {
    const size_t node = r / m->per_node * m->per_node;
    c[r].ready += time_of_memory(m, transfers, n / ranks + (r < n % ranks), smaller(m->per_node, ranks - node));
  }
}

/* Among the ranks `which` has in its first `count` places; NULL: all of them. */
typedef struct group {
  const size_t *which;
  size_t count;
} group;

static clocks *of_group(const group *g, clocks *c, size_t place) { return &c[g->which ? g->which[place] : place]; }

static void simulate_doubling(const ranks_model *m, clocks *c, const group *g, size_t bytes, double work) {
  for (size_t bit = 1; bit < g->count; bit *= 2) {
    for (size_t i = 0; i < g->count; i++)
      if ((i ^ bit) < g->count) send(m, of_group(g, c, i), bytes);
    for (size_t i = 0; i < g->count; i++)
      if ((i ^ bit) < g->count) receive(m, of_group(g, c, i), of_group(g, c, i ^ bit), i & bit ? 2 * work : work);
  }
}

static void simulate_linear(const ranks_model *m, clocks *c, size_t ranks) {
  for (size_t r = 0; r < ranks; r++) {
    if (r > 0) receive(m, &c[r], &c[r - 1], r + 1 < ranks ? m->combine : 0);
    if (r + 1 < ranks) send(m, &c[r], m->carry);
  }
}

/* Beyond a power of two, pairs of ranks act as one. */
static bool simulate_allreduce(const ranks_model *m, clocks *c, size_t ranks) {
  const size_t power = (size_t)1 << log_floor(ranks), paired = ranks - power;
  size_t *which = malloc(power * sizeof *which);
  if (!which) return false;
  for (size_t i = 0; i < power; i++) which[i] = i < paired ? 2 * i + 1 : i + paired;
  for (size_t i = 0; i < paired; i++) {
    send(m, &c[2 * i], STATUS);
    receive(m, &c[2 * i + 1], &c[2 * i], 0);
  }
  simulate_doubling(m, c, &(group){which, power}, STATUS, 0);
  for (size_t i = 0; i < paired; i++) {
    send(m, &c[2 * i + 1], STATUS);
    receive(m, &c[2 * i], &c[2 * i + 1], 0);
  }
  free(which);
  return true;
}

static bool simulate(const ranks_model *m, clocks *c, size_t ranks, uint64_t n) {
  if (ranks == 1) {
    simulate_memory(m, c, ranks, n, 2);
    return true;
  }
  (m->allgather == RANKS_RING ? simulate_ring : simulate_bruck)(m, c, ranks);
  simulate_memory(m, c, ranks, n, 1);
  if (m->exscan == RANKS_LINEAR)
    simulate_linear(m, c, ranks);
  else
    simulate_doubling(m, c, &(group){NULL, ranks}, m->carry, m->combine);
  if (!simulate_allreduce(m, c, ranks)) return false;
  simulate_memory(m, c, ranks, n, 2);
  return simulate_allreduce(m, c, ranks);
}

double ranks_simulated(const ranks_model *m, uint64_t n, size_t ranks) {
  clocks *c = calloc(ranks, sizeof *c);
  double last = 0;
  const bool is_done = c && simulate(m, c, ranks, n);
  for (size_t r = 0; is_done && r < ranks; r++) last = fmax(last, c[r].ready);
  free(c);
  return is_done ? last : NAN;
}
