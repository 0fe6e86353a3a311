/* order.h: scans data of any size block by block, in the order of the scan. */
#ifndef ORDER_H
#define ORDER_H

#include "element.h"
#include "input.h"
#include "result.h"

#include <stdbool.h>

/* Processes that share a scan, of which each calls order_scan(). Each has slabs of its own, or columns, or else a part
 * of the lines that are done at once, in the order of ranks. What they read and write by is as input_read_at() and
 * result_put(). */
typedef struct order_team {
  int rank, ranks;
  int (*read)(input *in, uint64_t offset, void *data, size_t size);
  int (*put)(result *to, uint64_t first, const void *data, size_t count);
  mmscan_status (*scan)(const mmscan_desc *desc, const void *x, void *y, void *carry); /* all parts of a block */
  int (*agree)(int status); /* DONE if it is on all ranks; else FAILED on all */
} order_team;

typedef struct order {
  const element *type, *to; /* of what is read, and of the results */
  mmscan_op op;
  mmscan_kind kind;
  bool reverse;
  unsigned flags;                /* as of mmscan_desc */
  bool swapped;                  /* the input's byte order is not this machine's */
  bool has_init;                 /* every scan starts from `init`, */
  scalar init;                   /*   which is of the type of the results; else from what the operator starts from */
  uint64_t outer, length, inner; /* a matrix of outer by length by inner elements, scanned along `length` */
  bool has_totals;
  char *totals; /* has_totals: zeros for outer * inner of them, in the order of memory; each process sets its own */
  const mmscan_segments *segments; /* NULL, or those along `length`: then segments_scan() scans, not order_scan() */
  bool has_decay;                  /* in place of sums: each result is decay times the one before it, and an element */
  scalar decay;                    /*   of the type of the elements, which is that of the results */
  const order_team *team;          /* NULL: this process alone */
} order;

/* The length of the results along `length`. */
static inline uint64_t order_results(const order *o) { return o->length + (o->kind == MMSCAN_OFFSETS); }

/* Tries such a scan of one element. If the library refuses it, the message names the file `name`, and the option. */
int order_check(const order *o, const char *name);

/* Whether order_scan() reads and writes elements in the order of the file. */
bool order_is_sequential(const order *o);

/* Scans the input into the result. */
int order_scan(const order *o, input *in, result *to);

/* Scans one row forward, whose length is not known until it ends. */
int order_scan_stream(const order *o, input *in, result *to);

/* The message where the library does not do it; returns FAILED. */
int order_fail_library(const char *name, mmscan_status status);

/* The message where raw data ends within an element; returns FAILED. */
int order_fail_size(const char *name, const element *type);

#endif
