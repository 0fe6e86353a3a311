/* session.h: what one call of `mmscan bench` does.
 *
 * bench/ implements this subcommand. It uses only the public header of the library, and of tools/ only what
 * CONTRIBUTING.md names. */
#ifndef SESSION_H
#define SESSION_H

#include "operation.h"

enum { MOST_LENGTHS = 64, MOST_PLACES = 2, MOST_THREAD_COUNTS = 2 };

#define NOT_EVERY SIZE_MAX

typedef struct bench_request {
  const number *types[MOST_NUMBERS];
  size_t type_count;
  mmscan_op op;
  bool reverse, exclusive; /* the scans of --ab */
  bool in_place[MOST_PLACES];
  size_t place_count;
  size_t lengths[MOST_LENGTHS]; /* ascending */
  size_t length_count;
  size_t row;                      /* elements of each scan, where a length is cut into rows; 0: a length is one scan */
  size_t columns;                  /* of a matrix whose columns are scans; 0: a length is one scan */
  size_t stride;                   /* elements from one to the next of a scan */
  const number *to;                /* the type of results; NULL: that of x */
  race_shape shape;                /* the array whose axis is scanned; rank 0: none */
  bool indices;                    /* of maxima or minima, are found too */
  const char *way;                 /* how threads share plans; NULL: as suits them */
  int threads[MOST_THREAD_COUNTS]; /* ascending */
  size_t thread_counts;
  lineup_filter only;
  int rounds; /* 0, only with `other`: as timing_duel() chooses */
  bool list;  /* who can take part; nothing is timed */
  bool json;
  const char *plot;  /* the file to draw, or NULL */
  const char *title; /* of the plot; NULL: the name of the machine */
  bool csv;
  bool units;                 /* units are compared (contest.h) */
  char *unit_names;           /* a list of units; NULL: all that are found */
  const char *page;           /* the report to write, or NULL */
  const char *other;          /* the library to compare with (ab.c), or NULL */
  const char *this;           /* the library that is compared; NULL: that of this build */
  mmscan_op against;          /* the operator of `other`, where it is not `op`; 0: it is */
  size_t every;               /* microseconds from call to call; NOT_EVERY: there are no pauses, and races are timed */
  const operation *operation; /* what is timed instead of scans (operations.c); NULL: nothing */
  bool accuracy;              /* errors of sums are measured (accuracy.c) */
  bool sleep, busy;           /* what the caller does between calls: sleeps, unless it works */
  bool pool;                  /* between calls TBB's threads work */
  const char *command;        /* as it was given, quoted for a shell */
} bench_request;

/* What was measured: races by type, then place, then length. */
typedef struct session {
  const bench_request *request;
  race *races;
  size_t count;
  double memory; /* MiB per thread that libmmscan took beyond x and y; negative if not known */
} session;

/* Times and reports. Returns the exit status of the command. */
int session_run(bench_request *request);

/* The same where two builds of the library are timed in turns. */
int ab_run(const bench_request *request);

/* The same where calls are made now and then. */
int every_run(const bench_request *request);

/* The same where errors of sums are measured, beside the time. */
int accuracy_run(bench_request *request);

/* The same where an operation is timed. */
int operations_run(bench_request *request);

/* Fails if the environment is illegal. */
int session_check_environment(void);

/* A race of the request, over the arrays, without contenders. */
void session_set_race(race *r, const bench_request *request, const number *type, size_t n, bool in_place,
                      const arrays *a);

/* How many of the lengths, from the shortest on, there is memory for; with a message for each that there is not. */
size_t session_lengths_that_fit(const bench_request *request, const number *type);

/* Prints which contenders can take part, which cannot, and why. */
int session_list(bench_request *request);

#endif
