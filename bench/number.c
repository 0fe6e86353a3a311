/* number.c: the types of numbers that are timed, their data, and what operators make of it. */
#include "number.h"
#include "element.h"
#include "machine.h"
#include "narrow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- Data -------------------------------------------------------------------------------------------------------- */

/* Whole numbers, each a hash of its index, so that a short array is the beginning of a long one. For +: from -4 to 4;
 * their sums wander to some 2^16 at n = 2^28, so they are exact in every type of 32 bits or more, in any order of
 * addition, and in halves rounded once. For the maximum: a slow rise, as far as the type has all whole numbers, and a
 * hash upon it; the minimum has the same upside down. For products of integers: odd numbers; of floats 1 and -1. For
 * logarithms of sums the rise too, which lets each element count for a while. For and, or: now and then another bit. */

/* The last steps of MurmurHash3. The script in numpy.c computes the same values. */
static int value_at(size_t i) {
  uint32_t h = (uint32_t)i * 0x9E3779B1u;
  h = (h ^ h >> 16) * 0x85EBCA6Bu;
  h ^= h >> 13;
  return (int)(h % 9) - 4;
}

/* From 0 to 8, and past the first 2^20 mostly 0: sums stay below 2^24 up to n = 2^32. */
static int sparse_at(size_t i) { return i >> 20 == 0 || i % 1024 == 0 ? value_at(i) + 4 : 0; }

/* From 0 to the summit, by one in 16 elements, and a hash upon it: about one in 16 is a new maximum. */
static int rise_at(size_t i, int summit) {
  const size_t base = i / 16, most = (size_t)summit - 8;
  return (int)(base < most ? base : most) + value_at(i) + 4;
}

bool number_is_sparse(const number_pair *pair) { return pair->x->kind == 'u' && pair->y->kind == 'f'; }

/* Part i of factors. */
static int factor_at(const number_pair *pair, size_t i) {
  const char kind = pair->y->kind;
  if (kind != 'f' && kind != 'c') return 2 * value_at(i) + 1;
  if (i % pair->x->parts != 0) return 0;
  return value_at(i) % 2 != 0 && pair->x->kind != 'u' ? -1 : 1;
}

/* One of the bits that all integers have, once in many elements; else none. */
static int bit_at(size_t i) { return i % 4096 == 77 ? 1 << (i / 4096 % 7) : 0; }

static int data_at(const number_pair *pair, size_t i) {
  const int summit = pair->x->summit;
  switch (pair->op) {
  case MMSCAN_MAX:
    return rise_at(i, summit);
  case MMSCAN_MIN:
    return summit - rise_at(i, summit);
  case MMSCAN_LOGADDEXP:
    return rise_at(i, summit < INT16_MAX ? summit : INT16_MAX);
  case MMSCAN_MUL:
    return factor_at(pair, i);
  case MMSCAN_AND:
    return ~bit_at(i);
  case MMSCAN_OR:
    return bit_at(i);
  default:
    return number_is_sparse(pair) ? sparse_at(i) : value_at(i);
  }
}

/* Elements that are made or looked at at a time, and the bytes of as many of any type. */
enum { CHUNK = 1024, CHUNK_BYTES = CHUNK * 16 };

static void fill(const number_pair *pair, size_t n, void *x) {
  const size_t parts = n * pair->x->parts, size = pair->x->size / pair->x->parts;
#pragma omp parallel for schedule(static)
  for (size_t at = 0; at < parts; at += CHUNK) {
    int64_t values[CHUNK];
    const size_t count = parts - at < CHUNK ? parts - at : CHUNK;
    for (size_t i = 0; i < count; i++) values[i] = data_at(pair, at + i);
    pair->x->write(count, values, (char *)x + at * size);
  }
}

/* As most programs do it, by the C library. */
static float logaddexp_f32(float a, float b) { return a > b ? a + log1pf(expf(b - a)) : b + log1pf(expf(a - b)); }
static double logaddexp_f64(double a, double b) { return a > b ? a + log1p(exp(b - a)) : b + log1p(exp(a - b)); }

/* ---- Types ------------------------------------------------------------------------------------------------------- */

#define BODY "number_body.inc"
#include "each_type.inc"
#undef BODY

#define TEXT(x)    #x
#define TEXT_OF(x) TEXT(x)
static number known[] = {
#define BODY "number_row.inc"
#include "each_type.inc"
#undef BODY
};
enum { KNOWN = sizeof known / sizeof *known };

/* By name; its value is the library's. Options are read by one thread, before others call this. */
static const number *number_of(const element *e) {
  int i = 0;
  while (i < KNOWN && strcmp(known[i].name, e->name) != 0) i++;
  if (i == KNOWN) return NULL;
  known[i].type = e->type;
  return &known[i];
}

const number *number_at(int index) {
  const element *e;
  for (int i = 0; (e = element_at(i)) != NULL; i++)
    if (number_of(e) != NULL && index-- == 0) return number_of(e);
  return NULL;
}

const number *number_by_name(const char *name) {
  const element *e = element_by_name(name);
  return e != NULL ? number_of(e) : NULL;
}

/* ---- Operators --------------------------------------------------------------------------------------------------- */

const number_rule *number_rule_of(const number *type, mmscan_op op) {
  if (type->kind == 'c' && op != MMSCAN_PLUS) return NULL; /* loops over parts do not multiply */
  for (int i = 0; i < NUMBER_RULES; i++)
    if (type->rules[i].op == op) return &type->rules[i];
  return NULL;
}

bool number_is_scanned(const number_pair *pair) {
  mmscan_desc desc = element_plain_scan(pair->x->type, 1);
  desc.y_type = pair->y->type;
  desc.op = pair->op;
  return mmscan_desc_check(&desc, NULL, 0) == MMSCAN_OK;
}

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

/* A scan that is followed in whole numbers: the element that comes next, and for each column the parts of the result
 * and the index of it. */
typedef struct walk {
  const number_pair *pair;
  number_layout layout;
  size_t line, column;
  int64_t *results, *indices;
} walk;

/* Sums and products wrap around. */
static int64_t combine(mmscan_op op, int64_t a, int64_t b) {
  switch (op) {
  case MMSCAN_MAX:
    return a > b ? a : b;
  case MMSCAN_MIN:
    return a < b ? a : b;
  case MMSCAN_MUL:
    return (int64_t)((uint64_t)a * (uint64_t)b);
  case MMSCAN_AND:
    return a & b;
  case MMSCAN_OR:
    return a | b;
  case MMSCAN_XOR:
    return a ^ b;
  default:
    return (int64_t)((uint64_t)a + (uint64_t)b);
  }
}

/* Complex factors have no imaginary part, nor do their products. */
static void step(walk *w, const int64_t *x, int64_t *y) {
  const size_t given = w->pair->x->parts, parts = w->pair->y->parts;
  int64_t *result = w->results + w->column * parts;
  for (size_t k = 0; k < parts; k++) {
    const int64_t next = k < given ? x[k] : 0;
    y[k] = w->line == 0 ? next : combine(w->pair->op, result[k], next);
    if (w->line == 0 || y[k] != result[k]) w->indices[w->column] = (int64_t)w->line;
    result[k] = y[k];
  }
}

static void advance(walk *w) {
  if (++w->column < w->layout.inner) return;
  w->column = 0;
  if (++w->line == w->layout.length) w->line = 0;
}

/* Results of `count` elements from x on, and their indices; 0 between the columns. */
static void follow(walk *w, size_t count, const void *x, int64_t *y, int64_t *indices) {
  int64_t values[2 * CHUNK];
  const size_t given = w->pair->x->parts, parts = w->pair->y->parts;
  w->pair->x->read(count * given, x, values);
  for (size_t i = 0; i < count; i++, advance(w)) {
    const bool counts = w->column < w->layout.columns;
    for (size_t k = 0; k < parts; k++) y[i * parts + k] = 0;
    if (counts) step(w, values + i * given, y + i * parts);
    indices[i] = counts ? w->indices[w->column] : 0;
  }
}

/* Zeros of both signs are alike, which products of complex numbers have. */
static bool is_equal(const number *type, const char *want, const char *y) {
  int64_t wanted[2], got[2];
  if (memcmp(want, y, type->size) == 0) return true;
  if (type->kind != 'c') return false;
  type->read(type->parts, want, wanted);
  type->read(type->parts, y, got);
  return memcmp(wanted, got, type->parts * sizeof *got) == 0;
}

/* Of `count` elements, of which that at y is in a column; `count` if all are right. */
static size_t first_wrong(const walk *w, size_t at, size_t count, const char *want, const char *y,
                          const int64_t *want_indices, const int64_t *indices) {
  const size_t size = w->pair->y->size;
  size_t i = 0;
  const bool is_same = memcmp(want, y, count * size) == 0;
  if (is_same && (indices == NULL || memcmp(want_indices, indices, count * sizeof *indices) == 0)) return count;
  for (; i < count; i++) {
    if ((at + i) % w->layout.inner >= w->layout.columns) continue;
    if (!is_equal(w->pair->y, want + i * size, y + i * size)) break;
    if (indices != NULL && want_indices[i] != indices[i]) break;
  }
  return i;
}

static size_t elements(number_layout l) { return l.outer * l.length * l.inner; }

/* Looks at y, or, where that is NULL, adds to the checksum. */
static size_t walk_all(walk *w, const void *x, const void *y, const int64_t *indices, uint64_t *checksum) {
  const number *from = w->pair->x, *to = w->pair->y;
  const size_t n = elements(w->layout);
  for (size_t at = 0, count; at < n; at += count) {
    int64_t values[2 * CHUNK], right[CHUNK];
    char want[CHUNK_BYTES];
    count = n - at < CHUNK ? n - at : CHUNK;
    follow(w, count, (const char *)x + at * from->size, values, right);
    to->write(count * to->parts, values, want);
    if (y == NULL) {
      to->read(count * to->parts, want, values);
      for (size_t i = 0; i < count * to->parts; i++)
        *checksum += (uint64_t)(at * to->parts + i + 1) * (uint64_t)values[i];
      continue;
    }
    const size_t place =
        first_wrong(w, at, count, want, (const char *)y + at * to->size, right, indices ? indices + at : NULL);
    if (place < count) return at + place;
  }
  return n;
}

/* Sums of exponentials are rounded, otherwise in any order. */
static size_t walk_logaddexp(const number_pair *pair, number_layout layout, const char *x, const char *y) {
  const double most = pair->y->size == sizeof(uint16_t) ? 1e-2 : 1e-4;
  double *results = malloc(layout.columns * sizeof *results), next, got;
  walk w = {.pair = pair, .layout = layout};
  size_t i = 0;
  for (; results != NULL && i < elements(layout); i++, advance(&w)) {
    if (w.column >= layout.columns) continue;
    double *result = &results[w.column];
    pair->x->reals(1, x + i * pair->x->size, &next);
    pair->y->reals(1, y + i * pair->y->size, &got);
    *result = w.line == 0 ? next : logaddexp_f64(*result, next);
    if (!(fabs(got - *result) <= most * (1 + fabs(*result)))) break;
  }
  free(results);
  return i;
}

static size_t walk_from(const number_pair *pair, number_layout layout, const void *x, const void *y,
                        const int64_t *indices, uint64_t *checksum) {
  walk w = {.pair = pair, .layout = layout};
  w.results = malloc(layout.columns * (pair->y->parts + 1) * sizeof *w.results);
  if (w.results == NULL) return 0;
  w.indices = w.results + layout.columns * pair->y->parts;
  const size_t place = walk_all(&w, x, y, indices, checksum);
  free(w.results);
  return place;
}

bool number_checks(mmscan_op op) { return op >= MMSCAN_PLUS && op <= MMSCAN_XOR; }

size_t number_check(const number_pair *pair, number_layout layout, const void *x, const void *y,
                    const int64_t *indices) {
  if (pair->op == MMSCAN_LOGADDEXP) return walk_logaddexp(pair, layout, x, y);
  return walk_from(pair, layout, x, y, indices, NULL);
}

uint64_t number_checksum(const number_pair *pair, number_layout layout, const void *x) {
  uint64_t checksum = 0;
  walk_from(pair, layout, x, NULL, NULL, &checksum);
  return checksum;
}

/* ---- Arrays ------------------------------------------------------------------------------------------------------ */

enum { LINE = 64, HUGE_PAGE = 2 << 20 };

bool arrays_fit(const number_pair *pair, size_t n, bool indices) {
  return n < machine_memory() / (pair->x->size + 2 * pair->y->size + (indices ? 2 * sizeof(int64_t) : 0));
}

/* Asks for huge pages for a large array, as NumPy does: some systems give them only on request. */
void *array_make(size_t size) {
  const size_t align = size < HUGE_PAGE ? LINE : HUGE_PAGE, whole = (size + align - 1) / align * align;
  void *array = aligned_alloc(align, whole);
#ifdef MADV_HUGEPAGE
  if (array != NULL && align == HUGE_PAGE) (void)madvise(array, whole, MADV_HUGEPAGE);
#endif
  return array;
}

/* By all threads, each of which touches the pages that it scans in a static loop: a system may put these near it. The
 * data is filled in the same way. */
static void clear(size_t size, char *to) {
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < size; i++) to[i] = 0;
}

bool arrays_make(arrays *a, const number_pair *pair, size_t n, bool indices) {
  const size_t size = n * sizeof *a->indices;
  *a = (arrays){.data = array_make(n * pair->x->size), .y = array_make(n * pair->y->size)};
  if (indices) a->indices = array_make(size), a->numbers = array_make(size);
  if (a->data == NULL || a->y == NULL || (indices && (a->indices == NULL || a->numbers == NULL))) return false;
  fill(pair, n, a->data);
  clear(n * pair->y->size, a->y);
  if (indices) clear(size, (char *)a->indices), clear(size, (char *)a->numbers);
  return true;
}

void arrays_free(arrays *a) {
  free(a->data);
  free(a->y);
  free(a->indices);
  free(a->numbers);
}
