/* contender.h: what is timed. */
#ifndef CONTENDER_H
#define CONTENDER_H

#include "libmmscan.h"
#include "number.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum contender_role {
  ROLE_BOUND,   /* the fastest copy; not timed itself */
  ROLE_COPY,    /* one way to copy, or to update in place */
  ROLE_LOOP,    /* the serial loop */
  ROLE_LIBRARY, /* libmmscan */
  ROLE_PEER
} contender_role;

typedef struct contender contender;
struct contender {
  char name[48];
  contender_role role;
  int threads;
  mmscan_op op;
  unsigned flags; /* of the description, of a one-shot call */

  /* Runs it `runs` times and returns the seconds that took; NaN if it failed. */
  double (*run)(const contender *c, long runs);
  /* Runs it once over data and returns the index of the first wrong result, or n if there is none; it may refuse the
   * contender. NULL: not a scan. */
  size_t (*verify)(contender *c);

  const struct race *race;          /* what is scanned */
  size_t s;                         /* of a product, or of a scan by gemm with a given s; else 0 */
  int form;                         /* of a product: a product_kind; of a filter: its order */
  const struct bench_unit *unit;    /* the unit that multiplies; NULL: not given */
  scan_function *scan;              /* what `run` calls, for a copy, the serial loop and a peer in this process */
  size_t length;                    /* with which: elements */
  void (*copy)(const contender *c); /* of a copy: does it once */
  mmscan_plan *plan;                /* or the plan, owned by the contender; NULL: the one-shot call, or already freed */
  const libmmscan *library;         /* whose one-shot call it is */
  library_call *simple;             /* which is mmscan_inclusive_*; NULL: mmscan_scan() */
  bool settle; /* its own threads need cores on which those of OpenMP still spin, waiting for work */

  char refusal[256];  /* why it was not timed; empty if it was */
  bool is_wrong;      /* it was refused for a wrong result */
  double seconds;     /* of one run: the median of the rounds */
  double fastest;     /* the fastest round */
  double quartile[2]; /* between these lies the middle half of the rounds: the first is the faster one */
};

enum { MOST_CONTENDERS = 160 };

/* An array in C order, one of whose axes is scanned. */
enum { MOST_RANK = 8 };
typedef struct race_shape {
  size_t sizes[MOST_RANK], rank, axis;
  mmscan_dim others[MOST_RANK]; /* its other axes, as a description has them */
  size_t inner;                 /* elements from one to the next of a scan */
} race_shape;

/* All contenders of one type, length and place; they are timed in turn. */
typedef struct race {
  const number *number; /* the type of x */
  const number *to;     /* that of y; the same, where nothing is converted */
  mmscan_op op;
  size_t n;
  size_t row;     /* elements of each of n / row consecutive scans; 0: one scan of all n */
  size_t columns; /* of a matrix of n elements, each a scan; 0: none */
  const race_shape
      *shape;    /* the array of n elements whose axis is scanned, which is rows, or columns of `slabs` matrices; */
  size_t slabs;  /*   NULL: none, and one matrix */
  size_t stride; /* elements from one to the next of a scan; 1 but for single scans */
  bool in_place;
  bool reverse, exclusive; /* how our scans go, where no others take part */
  const char *way;         /* how threads share our plans; NULL: as suits them */
  size_t s;                /* the contenders are products with L_s, the first level of a scan; 0: they are scans */
  const void *data;        /* what is scanned when results are checked */
  const void *x;           /* what is scanned when timed; in place it is y, which is then zero, so that the values of */
  void *y;                 /* repeated scans neither grow nor overflow */
  const void *bf16;        /* data as bfloat16; NULL if no product takes it */
  int64_t *indices;        /* where those of the results go, */
  const int64_t *numbers;  /*   and as many others, which the bound copies there; NULL: none are asked for */
  const void *beside;      /* what an operation reads beside x, and its bound, too; NULL: nothing */
  size_t beside_bytes;
  contender contenders[MOST_CONTENDERS];
  size_t count;
  double handoff; /* seconds from one thread to another, the median of the rounds; 0: all have one thread */
} race;

/* Whether it can run, and has no refusal. */
static inline bool contender_is_timed(const contender *c) { return c->run != NULL && c->refusal[0] == '\0'; }

/* The length of one scan. */
static inline size_t race_row(const race *r) { return r->row != 0 ? r->row : r->n; }

/* Whether x is converted. */
static inline bool race_converts(const race *r) { return r->to != r->number; }

static inline size_t race_x_bytes(const race *r) { return r->n * r->stride * r->number->size; }
static inline size_t race_y_bytes(const race *r) { return r->n * r->stride * r->to->size; }

static inline number_pair race_pair(const race *r) { return (number_pair){r->number, r->to, r->op}; }

static inline number_layout race_layout(const race *r) {
  if (r->stride > 1) return (number_layout){1, r->n, r->stride, 1};
  if (r->columns != 0) return (number_layout){r->slabs, r->n / r->slabs / r->columns, r->columns, r->columns};
  return (number_layout){r->n / race_row(r), race_row(r), 1, 1};
}

/* Whether elements of a scan are not neighbours. */
static inline bool race_is_strided(const race *r) { return r->columns != 0 || r->stride > 1; }

/* Whether it is what simple calls do. */
static inline bool race_is_plain(const race *r) {
  const bool is_one = r->row == 0 && !race_is_strided(r) && r->shape == NULL;
  return is_one && r->op == MMSCAN_PLUS && !r->reverse && !r->exclusive && !race_converts(r);
}

/* Of a contender that was timed: Gelem/s; and GFLOP/s of a product, as a BLAS counts them, including the zeros of L_s:
 * 2 s operations per element. */
static inline double contender_speed(const contender *c) { return 1e-9 * (double)c->race->n / c->seconds; }
static inline double contender_flops(const contender *c) { return 2.0 * (double)c->s * contender_speed(c); }

#endif
