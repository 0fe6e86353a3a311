/* lattice.c: elements of strided arrays, by the arithmetic of their addresses.
 *
 * Both questions are whether a sum of multiples of steps, each multiple less than a count, comes to lie in a narrow
 * window. Steps are gone through from the longest on. Of each there are few multiples that shorter steps can make up
 * for, as axes mostly lie within each other; the last two are solved by Euclid's algorithm. */
#include "plan/lattice.h"

#include "plan/check.h"

typedef __int128 wide; /* products of counts and steps */

/* ---- A lattice ------------------------------------------------------------------------------------------------ */

void mms_lattice_add(mms_lattice *a, size_t count, ptrdiff_t stride) {
  if (count <= 1 || stride == 0) return;
  const size_t step = mms_magnitude(stride) * a->size;
  if (stride < 0) a->at -= (count - 1) * step;
  a->count[a->rank] = count;
  a->step[a->rank++] = step;
}

mms_lattice mms_lattice_of(const void *at, size_t size, size_t n, ptrdiff_t stride, size_t batch, ptrdiff_t dist) {
  mms_lattice a = {.at = (uintptr_t)at, .size = size};
  mms_lattice_add(&a, n, stride);
  mms_lattice_add(&a, batch, dist);
  return a;
}

size_t mms_lattice_bytes(const mms_lattice *a) {
  size_t bytes = a->size;
  for (int i = 0; i < a->rank; i++) bytes += (a->count[i] - 1) * a->step[i];
  return bytes;
}

/* ---- Sums of multiples ---------------------------------------------------------------------------------------- */

/* 0 to count - 1 times a step. */
typedef struct term {
  wide count, step;
} term;

/* In ascending order of steps. `left`: how many more multiples are looked at. */
typedef struct sums {
  int count, left;
  term terms[2 * MMS_AXES];
} sums;

enum { MOST_LOOKS = 100000 };

static void add_term(sums *s, wide count, wide step) {
  int i = s->count++;
  for (; i > 0 && s->terms[i - 1].step > step; i--) s->terms[i] = s->terms[i - 1];
  s->terms[i] = (term){count, step};
}

/* Two terms that make all multiples of the shorter step, without a gap, are one. */
static void join_terms(sums *s) {
  int kept = 0;
  for (int i = 1; i < s->count; i++) {
    term *last = &s->terms[kept];
    const wide times = s->terms[i].step / last->step;
    if (s->terms[i].step % last->step == 0 && times <= last->count)
      last->count += times * (s->terms[i].count - 1);
    else
      s->terms[++kept] = s->terms[i];
  }
  s->count = s->count > 0 ? kept + 1 : 0;
}

/* The largest sum of the first k terms, and the greatest common divisor of their steps. */
static wide most_of(const sums *s, int k) {
  wide most = 0;
  for (int i = 0; i < k; i++) most += (s->terms[i].count - 1) * s->terms[i].step;
  return most;
}

static wide divisor_of(const sums *s, int k) {
  wide a = 0;
  for (int i = 0; i < k; i++)
    for (wide b = s->terms[i].step; b > 0;) {
      const wide rest = a % b;
      a = b;
      b = rest;
    }
  return a;
}

/* Whether i * x + k * y = c for some i < x.count and k < y.count; g: the divisor of both steps, and of c. */
static bool two_reach(const term *of_x, const term *of_y, wide g, wide c) {
  const wide x = of_x->step / g, y = of_y->step / g, sum = c / g;
  wide r0 = y, r1 = x % y, t0 = 0, t1 = 1; /* Euclid's algorithm, extended: t1 * x = r1 modulo y */
  while (r1 > 0) {
    const wide quotient = r0 / r1, r2 = r0 - quotient * r1, t2 = t0 - quotient * t1;
    r0 = r1, r1 = r2, t0 = t1, t1 = t2;
  }
  const wide inverse = y == 1 ? 0 : (t0 % y + y) % y, over = sum - (of_y->count - 1) * y;
  const wide least = over > 0 ? (over + x - 1) / x : 0, residue = sum % y * inverse % y;
  const wide i = least + ((residue - least) % y + y) % y;
  return i < of_x->count && i * x <= sum;
}

/* Whether a sum of the first k terms lies between `low` and `high`. */
static bool reach(sums *s, int k, wide low, wide high) {
  const wide most = most_of(s, k), g = divisor_of(s, k);
  if (low < 0) low = 0;
  if (high > most) high = most;
  if (low > high) return false;
  if (low == 0 || high == most) return true;
  if (k == 1 || high / g * g < low) return high / g * g >= low;
  if (k == 2) {
    for (wide c = (low + g - 1) / g * g; c <= high; c += g)
      if (s->left-- <= 0 || two_reach(&s->terms[0], &s->terms[1], g, c)) return true;
    return false;
  }
  const term *longest = &s->terms[k - 1];
  const wide step = longest->step, others = most - (longest->count - 1) * step;
  wide i = low > others ? (low - others + step - 1) / step : 0;
  for (; i < longest->count && i * step <= high; i++)
    if (s->left-- <= 0 || reach(s, k - 1, low - i * step, high - i * step)) return true;
  return false;
}

/* ---- The two questions ---------------------------------------------------------------------------------------- */

/* Whether two elements are the same that differ along axis j, but along no axis with a longer step. */
static bool repeats(const mms_lattice *a, int j) {
  sums s = {.left = MOST_LOOKS};
  wide target = -(wide)a->step[j];
  for (int i = 0; i < a->rank; i++) {
    const bool is_less = a->step[i] < a->step[j] || (i < j && a->step[i] == a->step[j]);
    if (is_less) add_term(&s, 2 * (wide)a->count[i] - 1, (wide)a->step[i]);
    if (is_less) target += ((wide)a->count[i] - 1) * (wide)a->step[i];
  }
  if (target < 0) return false;
  if (a->count[j] > 2) add_term(&s, (wide)a->count[j] - 1, (wide)a->step[j]);
  join_terms(&s);
  return reach(&s, s.count, target, target);
}

bool mms_lattice_is_distinct(const mms_lattice *a) {
  for (int j = 0; j < a->rank; j++)
    if (repeats(a, j)) return false;
  return true;
}

/* An element of x less one of y is a sum of multiples too, less the most that y can come to. */
bool mms_lattice_meet(const mms_lattice *x, const mms_lattice *y) {
  const size_t x_bytes = mms_lattice_bytes(x), y_bytes = mms_lattice_bytes(y);
  if (y->at - x->at >= x_bytes && x->at - y->at >= y_bytes) return false;
  sums s = {.left = MOST_LOOKS};
  for (int i = 0; i < x->rank; i++) add_term(&s, (wide)x->count[i], (wide)x->step[i]);
  for (int i = 0; i < y->rank; i++) add_term(&s, (wide)y->count[i], (wide)y->step[i]);
  join_terms(&s);
  const wide target = (wide)y->at - (wide)x->at + (wide)(y_bytes - y->size);
  return reach(&s, s.count, target - (wide)x->size + 1, target + (wide)y->size - 1);
}
