/* algebra.c: the table of rows, which walks the lists of operators and types, and the plain loops.
 *
 * NAME(f) is the function f of an operator and a type: `inclusive_plus_f32` in a debugger is NAME(inclusive) of
 * loop_body.inc, for the operator `plus` and the type `f32`. */
#include "algebra/algebra.h"

#include "algebra/complex.h"
#include "algebra/logaddexp.h"
#include "algebra/twice.h"
#include <limits.h>
#include <string.h>

#define PASTE(a, b)    a##_##b
#define PASTED(a, b)   PASTE(a, b)
#define NAME(function) PASTED(PASTED(function, OP), SUFFIX)
#define STRING(name)   #name
#define STRINGED(name) STRING(name)

/* The highest bit of an element, and all above it. */
#define SIGN (INT64_MIN >> (64 - 8 * sizeof(T)))

#define LOGADDEXP(a, b) PASTED(mms_logaddexp, SUFFIX)(a, b)

/* Before a loop whose turns do not depend on each other, although arrays may be the same. Clang finds that out, and
 * complains where it then has no use for it. */
#ifdef __clang__
#define INDEPENDENT
#else
#define INDEPENDENT _Pragma("GCC ivdep") _Pragma("GCC unroll 1")
#endif

#define BODY "algebra/loop_body.inc"
#include "algebra/each_row.inc"
#undef BODY

static const mms_algebra table[MMS_ALL_ROWS] = {
#define BODY "algebra/row.inc"
#include "algebra/each_row.inc"
#undef BODY
};

/* One more than the index of a row, by operator and type. */
enum {
#define BODY "algebra/index.inc"
#include "algebra/each_operator.inc"
#undef BODY
};

static const unsigned char places[MMS_OPS][MMS_TYPES] = {
#define BODY "algebra/place.inc"
#include "algebra/each_operator.inc"
#undef BODY
};
_Static_assert(MMS_ROWS <= UCHAR_MAX, "places");

size_t mms_algebra_index(const mms_algebra *algebra) { return (size_t)(algebra - table); }

const mms_algebra *mms_algebra_at(size_t index) { return index < MMS_ALL_ROWS ? &table[index] : NULL; }

const mms_algebra *mms_algebra_of(mmscan_op op, mmscan_type type) {
  return places[op][type] ? &table[places[op][type] - 1] : NULL;
}

const mms_algebra *mms_algebra_find(const char *op, const char *type) {
  for (size_t i = 0; i < MMS_ALL_ROWS; i++)
    if (strcmp(table[i].op_name, op) == 0 && strcmp(table[i].type_name, type) == 0) return &table[i];
  return NULL;
}

const mms_algebra *mms_algebra_accurate(mmscan_op op, mmscan_type type) {
  for (size_t i = MMS_ROWS; i < MMS_ALL_ROWS; i++)
    if (table[i].op == op && table[i].type == type) return &table[i];
  return NULL;
}

/* Of the usual sizes in one piece: whoever copies it then would wait for parts. */
mms_value mms_algebra_value(const mms_algebra *algebra, const void *element) {
  mms_value value = {.u64 = 0};
  uint32_t word;
  uint64_t two_words;
  if (algebra->size == 4) {
    memcpy(&word, element, sizeof word);
    return (mms_value){.u64 = word};
  }
  if (algebra->size == 8) {
    memcpy(&two_words, element, sizeof two_words);
    return (mms_value){.u64 = two_words};
  }
  memcpy(&value, element, algebra->size);
  return value;
}

void mms_algebra_batch(const mms_algebra *algebra, const mms_batch *r, mmscan_kind kind, bool reverse) {
  const ptrdiff_t size = (ptrdiff_t)algebra->size;
  const char *x = r->x;
  char *y = r->y;
  if (!reverse) {
    algebra->loop.batch[kind](r);
    return;
  }
  for (size_t k = 0; k < r->count; k++, x += r->x_dist * size, y += r->y_dist * size) {
    mms_value carry = r->first;
    algebra->loop.scan[kind][1](r->n, x, y, &carry);
  }
}
