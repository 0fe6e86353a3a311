/* number.c: the types of numbers that are timed, their data, and what operators make of it. */
#include "number.h"
#include "element.h"
#include "machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- Data -------------------------------------------------------------------------------------------------------- */

/* The last steps of MurmurHash3. The script in numpy.c computes the same values. */
static int value_at(size_t i) {
  uint32_t h = (uint32_t)i * 0x9E3779B1u;
  h = (h ^ h >> 16) * 0x85EBCA6Bu;
  h ^= h >> 13;
  return (int)(h % 9) - 4;
}

/* The highest that data rises: a signed integer of so many bytes has it, and f32 has all whole numbers below it. */
static int summit(size_t size) { return size == 1 ? INT8_MAX : size == 2 ? INT16_MAX : 1 << 24; }

/* From 0 to the summit, by one in 16 elements, and a hash upon it: about one in 16 is a new maximum. */
static int rise_at(size_t i, size_t size) {
  const size_t base = i / 16, most = (size_t)summit(size) - 8;
  return (int)(base < most ? base : most) + value_at(i) + 4;
}

static int fall_at(size_t i, size_t size) { return summit(size) - rise_at(i, size); }

/* A power of two, of either sign, and then what takes it back to 1. */
static double factor_at(size_t i) {
  const int value = value_at(i / 2);
  const double factor = value < 0 ? -(double)(1 << -value) : (double)(1 << value);
  return i % 2 ? 1 / factor : factor;
}

/* One of the bits that all integers have, once in many elements; else none. */
static int bit_at(size_t i) { return i % 4096 == 77 ? 1 << (i / 4096 % 7) : 0; }

/* As most programs do it, by the C library. */
static float logaddexp_f32(float a, float b) { return a > b ? a + log1pf(expf(b - a)) : b + log1pf(expf(a - b)); }
static double logaddexp_f64(double a, double b) { return a > b ? a + log1p(exp(b - a)) : b + log1p(exp(a - b)); }

/* ---- Types ------------------------------------------------------------------------------------------------------- */

#define BODY "number_body.inc"
#include "each_type.inc"
#undef BODY

/* By kind and size: what they are called, the library says. */
static number known[] = {
#define BODY "number_row.inc"
#include "each_type.inc"
#undef BODY
};
enum { KNOWN = sizeof known / sizeof *known };

/* Options are read by one thread, before others call this. */
static const number *number_of(const element *e) {
  int i = 0;
  while (i < KNOWN && (known[i].kind != e->kind || known[i].size != e->size)) i++;
  if (i == KNOWN) return NULL;
  known[i].name = e->name;
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
  for (int i = 0; i < NUMBER_RULES; i++)
    if (type->rules[i].op == op) return &type->rules[i];
  return NULL;
}

static void fill(const number *type, mmscan_op op, size_t n, void *x) {
  const number_rule *rule = number_rule_of(type, op);
  (rule != NULL ? rule : number_rule_of(type, MMSCAN_PLUS))->fill(n, x);
}

bool number_is_scanned(const number *type, mmscan_op op) {
  return element_fill(element_by_name(type->name), op, MMSCAN_INCLUSIVE, NULL, 0);
}

/* ---- Arrays ------------------------------------------------------------------------------------------------------ */

enum { LINE = 64, HUGE_PAGE = 2 << 20 };

bool arrays_fit(const number *type, size_t n) { return n < machine_memory() / (3 * type->size); }

/* Asks for huge pages for a large array, as NumPy does: some systems give them only on request. */
static void *make_array(size_t size) {
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

bool arrays_make(arrays *a, const number *type, mmscan_op op, size_t n) {
  const size_t size = n * type->size;
  a->data = make_array(size);
  a->y = make_array(size);
  if (a->data == NULL || a->y == NULL) return false;
  fill(type, op, n, a->data);
  clear(size, a->y);
  return true;
}

void arrays_free(arrays *a) {
  free(a->data);
  free(a->y);
}
