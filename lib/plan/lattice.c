/* lattice.c: elements of strided arrays, by the arithmetic of their addresses. */
#include "plan/lattice.h"

#include "plan/check.h"

typedef __int128 wide; /* products of counts and steps */

/* ---- A lattice ------------------------------------------------------------------------------------------------ */

/* An axis along which all elements are the same has one. */
static void set_axis(mms_lattice *a, int axis, size_t count, ptrdiff_t stride) {
  a->count[axis] = stride == 0 ? 1 : count;
  a->step[axis] = a->count[axis] == 1 ? a->size : mms_magnitude(stride) * a->size;
  if (stride < 0) a->at -= (count - 1) * a->step[axis];
}

mms_lattice mms_lattice_of(const void *base, size_t size, size_t n, ptrdiff_t stride, size_t batch, ptrdiff_t dist) {
  mms_lattice a = {.at = (uintptr_t)base, .size = size};
  const bool turns = batch > 1 && (n == 1 || mms_magnitude(dist) < mms_magnitude(stride));
  set_axis(&a, turns, n, stride);
  set_axis(&a, !turns, batch, dist);
  return a;
}

static size_t common_divisor(size_t a, size_t b) {
  while (b) {
    const size_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/* Elements (i, j) and (i + step[1] / g, j - step[0] / g) are the same, and no nearer ones are. */
bool mms_lattice_is_distinct(const mms_lattice *a) {
  if (a->count[0] == 1 || a->count[1] == 1) return true;
  const size_t g = common_divisor(a->step[0], a->step[1]);
  return a->step[1] / g >= a->count[0] || a->step[0] / g >= a->count[1];
}

/* ---- Two rows ------------------------------------------------------------------------------------------------- */

/* Bytes from the first element of a row to the end of its last, and the same of all rows. */
static size_t row_bytes(const mms_lattice *a) { return (a->count[0] - 1) * a->step[0] + a->size; }
static size_t all_bytes(const mms_lattice *a) { return (a->count[1] - 1) * a->step[1] + row_bytes(a); }

/* What all rows of two lattices have in common: the greatest common divisor of their steps, and the inverse of step x /
 * g modulo step y / g. */
typedef struct steps {
  wide g, x, y, inverse;
} steps;

static steps steps_of(const mms_lattice *a, const mms_lattice *b) {
  const wide g = (wide)common_divisor(a->step[0], b->step[0]), x = (wide)a->step[0] / g, y = (wide)b->step[0] / g;
  wide r0 = y, r1 = x % y, t0 = 0, t1 = 1; /* Euclid's algorithm, extended: t1 * x = r1 modulo y */
  while (r1 > 0) {
    const wide quotient = r0 / r1, r2 = r0 - quotient * r1, t2 = t0 - quotient * t1;
    r0 = r1, r1 = r2, t0 = t1, t1 = t2;
  }
  return (steps){g, x, y, y == 1 ? 0 : (t0 % y + y) % y};
}

static wide floor_of(wide a, wide b) { return a / b - (a % b < 0); }

/* Whether i * x - k * y = c for some i < a->count[0] and k < b->count[0]; in units of g. */
static bool has_solution(const steps *s, const mms_lattice *a, const mms_lattice *b, wide c) {
  const wide residue = ((c % s->y + s->y) % s->y) * s->inverse % s->y;
  const wide least = c > 0 ? (c + s->x - 1) / s->x : 0; /* of i, as k >= 0 */
  const wide i = least + ((residue - least) % s->y + s->y) % s->y;
  return i < (wide)a->count[0] && (i * s->x - c) / s->y < (wide)b->count[0];
}

/* Whether a row of a and a row of b that begins `ahead` bytes after it share a byte. The distance of two elements is a
 * multiple of g, less `ahead`, of which few are near enough. */
static bool rows_meet(const steps *s, const mms_lattice *a, const mms_lattice *b, wide ahead) {
  for (wide c = floor_of(ahead - (wide)a->size, s->g) + 1; c * s->g - ahead < (wide)b->size; c++)
    if (has_solution(s, a, b, c)) return true;
  return false;
}

/* ---- All rows ------------------------------------------------------------------------------------------------- */

/* Of rows of b at `ahead` + l * step, from `first` to `last` at most, those that the row of a can meet. */
static bool any_meets(const steps *s, const mms_lattice *a, const mms_lattice *b, wide ahead, wide step, wide first,
                      wide last) {
  const wide from = floor_of(-ahead - (wide)row_bytes(b), step) + 1,
             to = floor_of((wide)row_bytes(a) - 1 - ahead, step);
  for (wide l = from > first ? from : first; l <= to && l <= last; l++)
    if (rows_meet(s, a, b, ahead + l * step)) return true;
  return false;
}

/* The greatest common divisor of the steps of both, of which all distances within each are multiples. 0: there are
 * none. */
static size_t grid_of(const mms_lattice *x, const mms_lattice *y) {
  size_t g = 0;
  for (int axis = 0; axis < 2; axis++) {
    if (x->count[axis] > 1) g = common_divisor(x->step[axis], g);
    if (y->count[axis] > 1) g = common_divisor(y->step[axis], g);
  }
  return g;
}

/* Whether they lie between each other's elements, as real and imaginary parts do. */
static bool are_apart(const mms_lattice *x, const mms_lattice *y) {
  const size_t g = grid_of(x, y), apart = y->at > x->at ? (y->at - x->at) % (g + !g) : 0;
  const size_t off = y->at > x->at ? apart : (g - (x->at - y->at) % (g + !g)) % (g + !g);
  return off >= x->size && g - off >= y->size;
}

/* If the rows of both are equally far apart, only the difference of their numbers matters. */
bool mms_lattice_meet(const mms_lattice *x, const mms_lattice *y) {
  if (y->at - x->at >= all_bytes(x) && x->at - y->at >= all_bytes(y)) return false;
  if (are_apart(x, y)) return false;
  const mms_lattice *a = x->count[1] <= y->count[1] ? x : y, *b = a == x ? y : x;
  const steps s = steps_of(a, b);
  const wide ahead = (wide)b->at - (wide)a->at, rows = (wide)a->count[1], others = (wide)b->count[1];
  if (a->step[1] == b->step[1]) return any_meets(&s, a, b, ahead, (wide)b->step[1], 1 - rows, others - 1);
  for (wide j = 0; j < rows; j++)
    if (any_meets(&s, a, b, ahead - j * (wide)a->step[1], (wide)b->step[1], 0, others - 1)) return true;
  return false;
}
