/* half.c: floats of 16 bits: a sign, an exponent and a fraction. */
#include "half.h"

#include <math.h>
#include <stdbool.h>

/* The bits of a fraction, and the exponent of the last of them where numbers are the smallest. */
typedef struct form {
  int fraction, least;
} form;

static form form_of(mmscan_type type) { return type == MMSCAN_F16 ? (form){10, -24} : (form){7, -133}; }

float half_value(mmscan_type type, uint16_t half) {
  const form f = form_of(type);
  const int all = 0x7fff >> f.fraction, exponent = half >> f.fraction & all, fraction = half & ((1 << f.fraction) - 1);
  double size = ldexp(fraction, f.least);
  if (exponent > 0) size = ldexp(fraction + (1 << f.fraction), f.least + exponent - 1);
  if (exponent == all) size = fraction ? NAN : INFINITY;
  return (float)(half >> 15 ? -size : size);
}

/* In units of the last place; numbers follow each other as integers do, from 0 to infinity. */
uint16_t half_of(mmscan_type type, double value) {
  const form f = form_of(type);
  const uint16_t sign = signbit(value) ? 0x8000 : 0, infinite = (uint16_t)(0x7fff >> f.fraction << f.fraction);
  int exponent;
  if (isnan(value)) return (uint16_t)(sign | infinite | 1 << (f.fraction - 1));
  if (isinf(value)) return sign | infinite;
  frexp(value, &exponent);
  int above = exponent - 1 - f.fraction - f.least;
  if (value == 0 || above < 0) above = 0;
  const double places = nearbyint(ldexp(fabs(value), -f.least - above)) + ldexp(above, f.fraction);
  return sign | (places < infinite ? (uint16_t)places : infinite);
}
