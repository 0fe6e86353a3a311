/* problem.h: the normalised request. Descriptions of scans and their arrays are validated here and nowhere else
 * (choices are validated in plan.c). */
#ifndef MMS_PROBLEM_H
#define MMS_PROBLEM_H

#include "algebra/checked.h"
#include "engine/custom.h"
#include "pack/heads.h"
#include "pack/storage.h"
#include "run/run.h"

typedef struct mms_problem {
  const mms_algebra *algebra; /* of the arithmetic type */
  const mms_storage *storage;
  const mms_storage *of_y;    /* of y and y: what one element of y is */
  const mms_storage *carries; /* of blocks: of floats, as they are combined */
  mmscan_kind kind;           /* of what is run: MMSCAN_INCLUSIVE or MMSCAN_EXCLUSIVE */
  bool reverse;
  bool is_offsets;              /* y has one result more, its first or, in a reverse scan, its last */
  size_t n, count, batch;       /* elements; all scans; those of the innermost dimension */
  ptrdiff_t x_stride, y_stride; /* elements; both 1 when n <= 1, and not both -1 unless is_reproducible or heads */
  ptrdiff_t x_dist, y_dist;     /* elements; 0 when batch <= 1 */
  ptrdiff_t x_at, y_at;         /* elements from the caller's x and y to where a scan begins */
  ptrdiff_t extra_at;           /* elements from there in y to the result that offsets have more */
  void *totals;                 /* the caller's, or NULL */
  ptrdiff_t total_dist, total_at;
  bool restarts;  /* an exclusive scan that starts from the identity, and whose first result is the start */
  bool has_parts; /* every second scan of the batch is of the other part of complex numbers */
  bool skips_nan; /* NaN in x are: */
  mms_value nothing;
  bool is_monotone;         /* no result is less than the one before it, where no element falls below what is neutral */
  bool is_reproducible;     /* in the one order of additions, or products, that every machine and plan has */
  mms_overflows *overflows; /* NULL: results may wrap */
  int64_t *indices;         /* the caller's, or NULL */
  int64_t index_at, index_step; /* of the first element of a scan in memory, and from one to the next */
  bool has_init;
  const mms_heads *heads;    /* where segments begin; NULL: a scan is one */
  size_t rank;               /* dimensions around the batch, */
  mms_axis outer[MMS_OUTER]; /*   the slowest first */
  mms_value first;           /* the carry into the first element of every scan */
  mms_value start;           /* what an exclusive scan starts with */
  void *state;               /* of a block: what its caller keeps of carries besides (run/carry.h), or NULL */
  size_t whole;              /* elements of the whole scan; SIZE_MAX if this is a block: the length is not known */
} mms_problem;

/* Whether there is nothing to scan. */
static inline bool mms_problem_is_empty(const mms_problem *p) { return p->n == 0 || p->count == 0; }

static inline bool mms_problem_is_contiguous(const mms_problem *p) { return p->x_stride == 1 && p->y_stride == 1; }

/* Whether something is written beside results, or in the place of some (run/ends.h). */
static inline bool mms_problem_has_ends(const mms_problem *p) { return p->totals || p->is_offsets || p->restarts; }

/* Whether there is something to do besides (mms_extras). */
static inline bool mms_problem_has_extras(const mms_problem *p) {
  return p->skips_nan || p->is_monotone || p->overflows || p->indices;
}

/* Whether x and y are stored as they are combined, and nothing else is done to them. */
static inline bool mms_problem_is_as_stored(const mms_problem *p) {
  return !p->storage->in && !p->storage->out && !mms_problem_has_extras(p);
}

/* Whether nothing is packed: so they are, and contiguous. */
static inline bool mms_problem_is_direct(const mms_problem *p) {
  return mms_problem_is_contiguous(p) && mms_problem_is_as_stored(p);
}

/* Whether something is. The engines of a row of one call take elements from where they are. */
static inline bool mms_problem_packs(const mms_problem *p) { return !mms_problem_is_direct(p) && !p->algebra->own; }

/* Whether elements are bytes, and carries are where they are. */
static inline bool mms_problem_is_elsewhere(const mms_problem *p) {
  return p->algebra->own && p->algebra->own->are_elsewhere;
}

/* Whether the scans are the columns of matrices whose rows are contiguous, and can be done row by row. */
static inline bool mms_problem_is_columns(const mms_problem *p) {
  const bool has_order = p->is_reproducible || p->is_monotone || p->algebra->is_accurate || p->algebra->own;
  const bool can = p->storage->planes == 1 && !p->overflows && !p->indices && !has_order;
  return can && !mms_problem_is_contiguous(p) && p->x_dist == 1 && p->y_dist == 1;
}

/* What is wrong with a description: which field, its value, and why. */
typedef struct mms_flaw {
  const char *field, *why;
  ptrdiff_t value;
} mms_flaw;

/* Makes a problem of a description. The second one tells what is wrong, if anything is. */
mmscan_status mms_problem_from(mms_problem *p, const mmscan_desc *desc);
mmscan_status mms_problem_or_flaw(mms_problem *p, const mmscan_desc *desc, mms_flaw *flaw);

/* Makes a problem of a description of scans by segments, each of which starts as these do. */
mmscan_status mms_problem_segmented(mms_problem *p, const mmscan_desc *desc, const mms_heads *heads);

/* Makes a problem of a description without an operator, for one of the caller's, whose rows it fills in. Carries point
 * to the caller's init or identity. */
mmscan_status mms_problem_custom(mms_problem *p, const mmscan_desc *desc, mms_custom *custom);

/* Whether carries of sums are rounded once. */
static inline bool mms_problem_adds_exactly(const mms_problem *p) {
  return p->is_reproducible && p->algebra->has_pairs;
}

/* Makes a problem of the description of a block, and its carry. */
mmscan_status mms_problem_block(mms_problem *p, const mmscan_desc *desc, const void *carry);

/* MMSCAN_OK: x and y can serve the problem; neither is NULL, and they are in place or share no memory. */
mmscan_status mms_check_arrays(const mms_problem *p, const void *x, const void *y);

/* The same where y is that of another problem, which is not empty, and is never x. */
mmscan_status mms_check_apart(const mms_problem *of_x, const void *x, const mms_problem *of_y, const void *y);

#endif
