/* reference.h: what a description of a scan says, done by a plain loop: element by element, one scan after the other.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * It follows mmscan.h and knows nothing of the library's code. Integers are exact. Floats are kept three times: in
 * quadruple precision, with a bound of the error that a scan in any order may have; and by the plain loop in the type
 * that is accumulated, which tells what is finite, and the signs of zeros.
 */
#ifndef REFERENCE_H
#define REFERENCE_H

#include <float.h>
#include <math.h>

#include "test.h"

/* IEEE binary128: long double where it has that format (aarch64), else the compiler's own type. */
#if LDBL_MANT_DIG == 113
typedef long double quad;
#else
typedef __float128 quad;
#endif
typedef __int128 wide;

/* ---- Types ------------------------------------------------------------------------------------------------------- */

/* kind: 'f', 'i', 'u' or 'c'. Of floats, and of the parts of complex numbers: the bits of a significand, the exponent
 * of the least number above 0, and the largest number. */
typedef struct ref_type {
  mmscan_type type;
  const char *name;
  char kind;
  size_t size;
  int digits, least;
  double most;
} ref_type;

static const ref_type ref_types[] = {
    {MMSCAN_F32, "f32", 'f', 4, 24, -149, FLT_MAX},
    {MMSCAN_F64, "f64", 'f', 8, 53, -1074, DBL_MAX},
    {MMSCAN_I32, "i32", 'i', 4, 0, 0, 0},
    {MMSCAN_I64, "i64", 'i', 8, 0, 0, 0},
    {MMSCAN_U32, "u32", 'u', 4, 0, 0, 0},
    {MMSCAN_U64, "u64", 'u', 8, 0, 0, 0},
    {MMSCAN_C32, "c32", 'c', 8, 24, -149, FLT_MAX},
    {MMSCAN_C64, "c64", 'c', 16, 53, -1074, DBL_MAX},
    {MMSCAN_I8, "i8", 'i', 1, 0, 0, 0},
    {MMSCAN_U8, "u8", 'u', 1, 0, 0, 0},
    {MMSCAN_I16, "i16", 'i', 2, 0, 0, 0},
    {MMSCAN_U16, "u16", 'u', 2, 0, 0, 0},
    {MMSCAN_F16, "f16", 'f', 2, 11, -24, 65504},
    {MMSCAN_BF16, "bf16", 'f', 2, 8, -133, 0x1.fep127},
};

static inline const ref_type *ref_type_of(mmscan_type type) {
  for (size_t i = 0; i < COUNT(ref_types); i++)
    if (ref_types[i].type == type) return &ref_types[i];
  return NULL;
}

static inline bool ref_is_whole(const ref_type *t) { return t->kind == 'i' || t->kind == 'u'; }
static inline bool ref_is_half(const ref_type *t) { return t->kind == 'f' && t->size == 2; }

/* Pairs of doubles, of which the first two digits may be lost. */
static const ref_type ref_pairs = {MMSCAN_F64, "f64 in pairs", 'f', 8, 104, -1074, DBL_MAX},
                      ref_complex_pairs = {MMSCAN_C64, "c64 in pairs", 'c', 16, 104, -1074, DBL_MAX};

/* What is accumulated for results of a type. */
static inline const ref_type *ref_sums_of(const mmscan_desc *d) {
  const ref_type *y = ref_type_of(d->y_type);
  const bool is_accurate = d->flags & MMSCAN_ACCURATE && (d->op == MMSCAN_PLUS || d->op == MMSCAN_MUL);
  if (is_accurate && y->type == MMSCAN_F32) return ref_type_of(MMSCAN_F64);
  if (is_accurate && y->type == MMSCAN_C32) return ref_type_of(MMSCAN_C64);
  if (is_accurate && y->type == MMSCAN_F64) return &ref_pairs;
  if (is_accurate && y->type == MMSCAN_C64) return &ref_complex_pairs;
  return ref_is_half(y) ? ref_type_of(MMSCAN_F32) : y;
}

/* What a carry of blocks is of. */
static inline const ref_type *ref_carry_of(const mmscan_desc *d) {
  const ref_type *y = ref_type_of(d->y_type);
  return ref_is_half(y) ? ref_type_of(MMSCAN_F32) : y;
}

/* Whether the order of additions, or of products, is given. */
static inline bool ref_is_reproducible(const mmscan_desc *d) {
  const bool has_order = d->op == MMSCAN_PLUS || (d->op == MMSCAN_MUL && ref_type_of(d->y_type)->kind == 'f');
  return d->flags & MMSCAN_REPRODUCIBLE && has_order && !ref_is_whole(ref_type_of(d->y_type));
}

/* ---- Halves ------------------------------------------------------------------------------------------------------ */

static inline double ref_from_f16(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double size = exponent == 31  ? (fraction ? NAN : INFINITY)
                      : exponent == 0 ? ldexp(fraction, -24)
                                      : ldexp(1024 + fraction, exponent - 25);
  return bits >> 15 ? -size : size;
}

static inline double ref_from_bf16(uint16_t bits) {
  const uint32_t all = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &all, sizeof value);
  return value;
}

/* To the nearest number of the type, of two to the even one. */
static inline double ref_round(const ref_type *t, double value) {
  int exponent;
  if (!isfinite(value) || value == 0) return value;
  frexp(value, &exponent);
  const int last = exponent - t->digits > t->least ? exponent - t->digits : t->least;
  const double rounded = ldexp(nearbyint(ldexp(value, -last)), last);
  return fabs(rounded) > t->most ? copysign(INFINITY, value) : copysign(rounded, value);
}

static inline uint16_t ref_to_f16(double value) {
  const double size = fabs(ref_round(ref_type_of(MMSCAN_F16), value));
  const uint16_t sign = signbit(value) ? 0x8000 : 0;
  int exponent;
  if (isnan(value)) return sign | 0x7e00;
  if (isinf(size)) return sign | 0x7c00;
  if (size < 0x1p-14) return sign | (uint16_t)ldexp(size, 24);
  const double fraction = frexp(size, &exponent);
  return sign | (uint16_t)((exponent + 14) << 10 | ((int)ldexp(fraction, 11) - 1024));
}

static inline uint16_t ref_to_bf16(double value) {
  const float rounded = (float)ref_round(ref_type_of(MMSCAN_BF16), value);
  uint32_t bits;
  memcpy(&bits, &rounded, sizeof bits);
  return (uint16_t)(bits >> 16 | (isnan(value) ? 0x40 : 0));
}

/* ---- Elements ---------------------------------------------------------------------------------------------------- */

static inline double ref_get_real(const ref_type *t, const void *from, size_t part) {
  const size_t size = t->kind == 'c' ? t->size / 2 : t->size;
  uint16_t half;
  float f32;
  double f64;
  from = (const char *)from + part * size;
  if (size == 2) return memcpy(&half, from, 2), t->type == MMSCAN_F16 ? ref_from_f16(half) : ref_from_bf16(half);
  if (size == 4) return memcpy(&f32, from, 4), (double)f32;
  return memcpy(&f64, from, 8), f64;
}

static inline void ref_put_real(const ref_type *t, void *to, size_t part, double value) {
  const size_t size = t->kind == 'c' ? t->size / 2 : t->size;
  const uint16_t half = size != 2 ? 0 : t->type == MMSCAN_F16 ? ref_to_f16(value) : ref_to_bf16(value);
  const float f32 = size == 4 ? (float)value : 0;
  memcpy((char *)to + part * size, size == 2 ? (const void *)&half : size == 4 ? (const void *)&f32 : &value, size);
}

/* The number of the type that has these low bits. */
static inline wide ref_wrap(const ref_type *t, wide value) {
  const uint64_t most = UINT64_MAX >> (64 - 8 * t->size), low = (uint64_t)value & most;
  return t->kind == 'i' && low > most / 2 ? (wide)low - (wide)most - 1 : (wide)low;
}

static inline wide ref_get_whole(const ref_type *t, const void *from) {
  uint64_t bits = 0;
  memcpy(&bits, from, t->size); /* little-endian */
  return ref_wrap(t, (wide)bits);
}

static inline void ref_put_whole(const ref_type *t, void *to, wide value) {
  const uint64_t bits = (uint64_t)value;
  memcpy(to, &bits, t->size);
}

/* ---- What came so far -------------------------------------------------------------------------------------------- */

typedef struct ref_state {
  const ref_type *x, *y, *sums;
  mmscan_op op;
  unsigned flags;
  bool any;            /* an init or an element came */
  bool from_zero;      /* before it stood a 0, not the identity -0 */
  size_t steps;        /* how often the operator was used */
  int64_t index;       /* MAX and MIN: of the element that is the result; -1: none */
  const char *winner;  /* and its bytes; NULL: not an element of type y */
  wide whole;          /* integers: the result, wrapped */
  bool overflows;      /* the one before did not fit */
  quad exact[2];       /* floats: the result, */
  long double size[2]; /* and the sum of all magnitudes (LOGADDEXP: the largest one), for bounds */
  double loop[2];      /* by a plain loop in the type of sums */
  bool is_exact;       /* sums and products have no rounding, in any order */
  bool unsure;         /* a sum was so near to the largest number that it may overflow or not */
  double low, high;    /* MUL: the least and greatest exponents so far, of products from the start on */
} ref_state;

static inline bool ref_is_order(mmscan_op op) { return op == MMSCAN_MAX || op == MMSCAN_MIN; }
static inline quad ref_abs(quad a) { return a < 0 ? -a : a; }
static inline long double ref_size(quad a) { return fabsl((long double)a); }

/* What an element is in the type that is accumulated. Converting an integer rounds it, once. */
static inline double ref_converted(const ref_state *s, const ref_type *from, const void *x, size_t part) {
  if (part == 1 && from->kind != 'c') return 0;
  if (!ref_is_whole(from)) return ref_get_real(from, x, part);
  const wide value = ref_get_whole(from, x);
  if (s->sums->digits == 24) return from->kind == 'i' ? (float)(int64_t)value : (float)(uint64_t)value;
  return from->kind == 'i' ? (double)(int64_t)value : (double)(uint64_t)value;
}

static inline double ref_in_sums(const ref_state *s, double value) {
  return s->sums->digits == 24 ? (double)(float)value : value;
}

/* ---- Integers ---------------------------------------------------------------------------------------------------- */

static inline wide ref_whole_op(ref_state *s, wide a, wide b) {
  wide c = a;
  bool beyond = false;
  switch (s->op) {
  case MMSCAN_PLUS:
    c = a + b;
    break;
  case MMSCAN_MUL:
    beyond = __builtin_mul_overflow(a, b, &c);
    break;
  case MMSCAN_AND:
    c = a & b;
    break;
  case MMSCAN_OR:
    c = a | b;
    break;
  case MMSCAN_XOR:
    c = a ^ b;
    break;
  case MMSCAN_MAX:
    c = b > a ? b : a;
    break;
  case MMSCAN_MIN:
    c = b < a ? b : a;
    break;
  default:
    fail_msg("an operator of floats");
  }
  s->overflows = beyond || ref_wrap(s->y, c) != c;
  return ref_wrap(s->y, c);
}

static inline void ref_step_whole(ref_state *s, wide x, int64_t at) {
  const wide before = s->whole;
  s->overflows = false;
  s->whole = s->any ? ref_whole_op(s, before, x) : ref_wrap(s->y, x);
  if (!s->any || (ref_is_order(s->op) && s->whole != before)) s->index = at;
}

static inline wide ref_whole_identity(const ref_type *t, mmscan_op op) {
  const wide most = (wide)(UINT64_MAX >> (64 - 8 * t->size + (t->kind == 'i'))), least = t->kind == 'i' ? -most - 1 : 0;
  return op == MMSCAN_MUL   ? 1
         : op == MMSCAN_AND ? ref_wrap(t, -1)
         : op == MMSCAN_MAX ? least
         : op == MMSCAN_MIN ? most
                            : 0;
}

/* ---- Floats ------------------------------------------------------------------------------------------------------ */

static inline bool ref_is_power(double x) {
  int exponent;
  return x == 0 || (isfinite(x) && fabs(frexp(x, &exponent)) == 0.5);
}

/* Numbers in a row that the type holds, and of which it holds all sums: integers, no more than its significand. */
static inline void ref_step_plus(ref_state *s, const double x[2]) {
  const double most = ldexp(1, s->sums->digits);
  for (int p = 0; p < 2; p++) {
    const double before = s->any ? s->loop[p] : s->from_zero ? 0.0 : -0.0;
    s->loop[p] = ref_in_sums(s, before + x[p]);
    s->exact[p] += (quad)x[p];
    s->size[p] += fabsl((long double)x[p]);
    s->is_exact &= isfinite(x[p]) && x[p] == trunc(x[p]) && s->size[p] <= (long double)most;
  }
}

/* Exact where all factors are powers of two, and all products are numbers of the type. */
static inline void ref_step_mul(ref_state *s, const double x[2]) {
  if (!s->any) s->loop[0] = 1, s->loop[1] = 0, s->exact[0] = 1, s->exact[1] = 0;
  const double a = s->loop[0], b = s->loop[1];
  const quad c = s->exact[0], d = s->exact[1];
  const bool is_complex = s->sums->kind == 'c';
  s->loop[0] = ref_in_sums(s, is_complex ? ref_in_sums(s, a * x[0]) - ref_in_sums(s, b * x[1]) : a * x[0]);
  s->exact[0] = is_complex ? c * x[0] - d * x[1] : c * x[0];
  if (is_complex) s->loop[1] = ref_in_sums(s, ref_in_sums(s, a * x[1]) + ref_in_sums(s, b * x[0]));
  if (is_complex) s->exact[1] = c * x[1] + d * x[0];
  if (!s->any) s->loop[0] = x[0], s->loop[1] = x[1];
  const long double size = ref_size(s->exact[0]) + ref_size(s->exact[1]);
  s->size[0] = s->size[1] = size;
  const double exponent = size > 0 ? log2((double)size) : 0;
  if (exponent < s->low) s->low = exponent;
  if (exponent > s->high) s->high = exponent;
  s->is_exact &= !is_complex && ref_is_power(x[0]) && s->high - s->low < -s->sums->least / 2;
}

/* log(exp(a) + exp(b)) */
static inline void ref_step_logaddexp(ref_state *s, const double x[2]) {
  const long double a = s->any ? (long double)s->exact[0] : -INFINITY, b = x[0];
  const long double high = a > b ? a : b, low = a > b ? b : a;
  const long double sum = isnan(a) || isnan(b)        ? a + b
                          : isinf(high) || isinf(low) ? high
                                                      : high + log1pl(expl(low - high));
  const double largest = fmax(isfinite(x[0]) ? fabs(x[0]) : 0, isfinite(sum) ? fabs((double)sum) : 0);
  s->exact[0] = (quad)sum;
  s->loop[0] = (double)sum;
  if (s->size[0] < (long double)largest) s->size[0] = (long double)largest;
  s->is_exact &= !s->any;
}

static inline void ref_step_order(ref_state *s, const double x[2], const void *from, int64_t at) {
  const bool is_new =
      !s->any || (!isnan(s->loop[0]) && isnan(x[0])) || (s->op == MMSCAN_MAX ? x[0] > s->loop[0] : x[0] < s->loop[0]);
  if (!is_new) return;
  s->loop[0] = x[0];
  s->index = at;
  s->winner = from;
}

/* How far the result may be from what is exact. */
static inline long double ref_error(const ref_state *s, int part) {
  const long double unit = ldexpl(1, -s->sums->digits), steps = (long double)(s->steps + 1);
  if (s->is_exact || s->steps == 0) return 0;
  if (s->op == MMSCAN_LOGADDEXP) return 4 * unit * steps * (s->size[0] + unit);
  if (s->op == MMSCAN_PLUS) return unit * steps * s->size[part];
  if (s->high - s->low >= -s->sums->least * 0.75) return INFINITY; /* products of some factors may underflow */
  return (s->sums->kind == 'c' ? 3 : 1.01L) * unit * steps * s->size[part] + steps * ldexpl(4, s->sums->least);
}

/* Whether the sum is so near to the largest number of its type that it may be beyond it, or not. Pairs are finite where
 * sums of doubles are. */
static inline bool ref_is_near_most(const ref_state *s, int part) {
  const int digits = s->sums->digits < 53 ? s->sums->digits : 53;
  const long double size = ref_size(s->exact[part]), most = (long double)s->sums->most, least = ldexpl(most, -digits);
  const long double bound = ldexpl(ref_error(s, part), s->sums->digits - digits),
                    error = isinf((double)bound) ? least : bound + least;
  return !(s->op == MMSCAN_LOGADDEXP || ref_is_order(s->op)) && size + error >= most && size - error <= most;
}

static inline void ref_step_real(ref_state *s, const double x[2], const void *from, int64_t at) {
  const bool by_parts = s->op == MMSCAN_PLUS;
  const bool was_finite[2] = {isfinite(s->loop[0]) && (by_parts || isfinite(s->loop[1])),
                              isfinite(s->loop[1]) && (by_parts || isfinite(s->loop[0]))};
  if (s->op == MMSCAN_PLUS) ref_step_plus(s, x);
  if (s->op == MMSCAN_MUL) ref_step_mul(s, x);
  if (s->op == MMSCAN_LOGADDEXP) ref_step_logaddexp(s, x);
  if (ref_is_order(s->op)) ref_step_order(s, x, from, at);
  s->steps += s->any || s->from_zero;
  for (int p = 0; p < 2; p++) s->unsure |= was_finite[p] && ref_is_near_most(s, p);
}

/* ---- One scan ---------------------------------------------------------------------------------------------------- */

/* Takes one element, or init, whose index is -1. */
static inline void ref_step(ref_state *s, const ref_type *type, const void *from, int64_t at) {
  if (ref_is_whole(s->y)) {
    ref_step_whole(s, ref_get_whole(type, from), at);
  } else {
    const double x[2] = {ref_converted(s, type, from, 0), ref_converted(s, type, from, 1)};
    if (s->flags & MMSCAN_SKIP_NAN && at >= 0 && (isnan(x[0]) || isnan(x[1]))) return;
    ref_step_real(s, x, type == s->y ? from : NULL, at);
  }
  s->any = true;
}

static inline ref_state ref_start(const mmscan_desc *d) {
  const ref_type *y = ref_type_of(d->y_type);
  ref_state s = {.x = ref_type_of(d->x_type),
                 .y = y,
                 .sums = ref_sums_of(d),
                 .op = d->op,
                 .flags = d->flags,
                 .index = -1,
                 .is_exact = true};
  const double least = d->op == MMSCAN_MIN ? INFINITY : d->op == MMSCAN_MUL ? 1 : d->op == MMSCAN_PLUS ? 0 : -INFINITY;
  if (ref_is_whole(y)) s.whole = ref_whole_identity(y, d->op);
  s.loop[0] = least;
  s.exact[0] = (quad)least;
  s.from_zero = !d->init && d->op == MMSCAN_PLUS && d->kind == MMSCAN_EXCLUSIVE;
  if (d->init) ref_step(&s, y, d->init, -1);
  s.steps = 0;
  return s;
}

/* ---- Whether a result is right ----------------------------------------------------------------------------------- */

static inline bool ref_accepts_order(const ref_state *s, const ref_type *type, const void *got) {
  const double value = ref_get_real(type, got, 0);
  const bool has_bits = s->winner && type == s->y;
  if (isnan(s->loop[0]) && (type->size < 4 || !has_bits)) return isnan(value);
  if (has_bits) return memcmp(s->winner, got, type->size) == 0;
  return value == s->loop[0] && (!s->any || signbit(value) == signbit(s->loop[0]));
}

/* signs: zeros must have the right one. */
static inline bool ref_accepts_part(const ref_state *s, const ref_type *type, const void *got, int part, bool signs) {
  const double value = ref_get_real(type, got, (size_t)part);
  const quad error = (quad)ref_error(s, part), low = s->exact[part] - error, high = s->exact[part] + error;
  if (isnan(s->loop[part])) return isnan(value);
  if (isinf(s->loop[part])) return value == s->loop[part];
  if (isinf((double)error)) return s->sums != type ? !isnan(value) : isfinite(value);
  const bool has_sign = s->is_exact && s->exact[part] == 0 && s->loop[part] == 0 && s->any && signs;
  if (has_sign && signbit(value) != signbit(s->loop[part])) return false;
  if (s->sums != type) return value >= ref_round(type, (double)low) && value <= ref_round(type, (double)high);
  return isinf(value) ? ref_is_near_most(s, part) : (quad)value >= low && (quad)value <= high;
}

/* type: that of y, or of what is accumulated, in which carries are. */
static inline bool ref_accepts(const ref_state *s, const ref_type *type, const void *got, bool signs) {
  if (ref_is_whole(type)) return ref_get_whole(type, got) == s->whole;
  if (ref_is_order(s->op)) return ref_accepts_order(s, type, got);
  if (s->unsure) return true;
  if (type->kind == 'c' && s->op == MMSCAN_MUL && !(isfinite(s->loop[0]) && isfinite(s->loop[1])))
    return !isfinite(ref_get_real(type, got, 0)) || !isfinite(ref_get_real(type, got, 1));
  return ref_accepts_part(s, type, got, 0, signs) && (type->kind != 'c' || ref_accepts_part(s, type, got, 1, signs));
}

/* ---- All scans of a description ---------------------------------------------------------------------------------- */

/* Called with each result, and where it is in y, in elements; and with each total and the number of its scan. */
typedef struct ref_visitor {
  void (*result)(void *context, const ref_state *s, ptrdiff_t y_at);
  void (*total)(void *context, const ref_state *s, size_t scan);
  void *context;
  bool overflows;    /* an integer of y did not fit, or of totals, if there are */
  const bool *heads; /* which elements begin segments, n of them and one more; NULL: a scan is one */
  void (*segment)(void *context, const ref_state *s, size_t scan, size_t first); /* the total of a segment, of which
                                                             element `first` is the lowest; NULL: it is not asked for */
} ref_visitor;

static inline void ref_result(ref_visitor *v, const ref_state *s, ptrdiff_t y_at) {
  v->overflows |= s->overflows;
  v->result(v->context, s, y_at);
}

/* Before element `at` of a scan: a segment may end there. */
static inline void ref_end_segment(const mmscan_desc *d, ref_state *s, size_t at, size_t scan, ref_visitor *v) {
  size_t first = d->reverse ? at + 1 : at - 1;
  if (!v->heads[d->reverse ? at + 1 : at]) return;
  while (!d->reverse && !v->heads[first]) first--;
  v->overflows |= s->overflows && v->segment;
  if (v->segment) v->segment(v->context, s, scan, first);
  *s = ref_start(d);
}

static inline void ref_scan(const mmscan_desc *d, const char *x, ptrdiff_t y_at, size_t scan, ref_visitor *v) {
  ref_state s = ref_start(d);
  const ptrdiff_t size = (ptrdiff_t)s.x->size, after = d->kind == MMSCAN_OFFSETS ? 1 : 0;
  const ptrdiff_t y_stride = d->n + (size_t)after > 1 ? d->y_stride : 0, x_stride = d->n > 1 ? d->x_stride : 0;
  for (size_t i = 0; i < d->n; i++) {
    const ptrdiff_t at = (ptrdiff_t)(d->reverse ? d->n - 1 - i : i);
    if (v->heads && i > 0) ref_end_segment(d, &s, (size_t)at, scan, v);
    if (d->kind == MMSCAN_EXCLUSIVE) ref_result(v, &s, y_at + at * y_stride);
    if (d->kind == MMSCAN_OFFSETS) ref_result(v, &s, y_at + (at + (d->reverse ? 1 : 0)) * y_stride);
    ref_step(&s, s.x, x + at * x_stride * size, at);
    if (d->kind == MMSCAN_INCLUSIVE) ref_result(v, &s, y_at + at * y_stride);
  }
  if (d->kind == MMSCAN_OFFSETS) ref_result(v, &s, y_at + (d->reverse ? 0 : (ptrdiff_t)d->n) * y_stride);
  if (v->heads && d->n > 0) ref_end_segment(d, &s, d->reverse ? (size_t)-1 : d->n, scan, v);
  v->overflows |= s.overflows && d->totals;
  if (v->total) v->total(v->context, &s, scan);
}

static inline void ref_walk(const mmscan_desc *d, const void *x, ref_visitor *v) {
  const ptrdiff_t size = (ptrdiff_t)ref_type_of(d->x_type)->size;
  size_t scans = d->batch;
  for (size_t k = 0; k < d->outer_rank; k++) scans *= d->outer[k].n;
  for (size_t scan = 0; scan < scans; scan++) {
    size_t rest = scan / d->batch;
    ptrdiff_t x_at = 0, y_at = 0;
    if (d->batch > 1) x_at = (ptrdiff_t)(scan % d->batch) * d->x_dist, y_at = (ptrdiff_t)(scan % d->batch) * d->y_dist;
    for (size_t k = d->outer_rank; k-- > 0; rest /= d->outer[k].n) {
      const ptrdiff_t i = (ptrdiff_t)(rest % d->outer[k].n);
      if (i > 0) x_at += i * d->outer[k].x_stride, y_at += i * d->outer[k].y_stride;
    }
    ref_scan(d, (const char *)x + x_at * size, y_at, scan, v);
  }
}

#endif /* REFERENCE_H */
