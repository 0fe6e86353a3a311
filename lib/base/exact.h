/* exact.h: sums of doubles without rounding errors, in a fixed-point number that holds them all (Kulisch). */
#ifndef MMS_EXACT_H
#define MMS_EXACT_H

#include <stdbool.h>
#include <stdint.h>

/* 34 limbs have 2,176 bits: those from 2^-1074 up to the largest double, 77 for the carries of sums, and the sign. */
enum { MMS_EXACT_LIMBS = 34 };

/* In two's complement, the lowest limb first, in units of 2^-1074. All zero: the sum of nothing. */
typedef struct mms_exact {
  uint64_t limbs[MMS_EXACT_LIMBS];
} mms_exact;

/* Adds x, which is finite. No sum of fewer than 2^76 doubles overflows. */
void mms_exact_add(mms_exact *sum, double x);

/* Adds another sum. */
void mms_exact_combine(mms_exact *sum, const mms_exact *other);

/* The sum, rounded once, as the caller rounds: to a double, or to a float. 0 of no sign if it is 0. */
double mms_exact_f64(const mms_exact *sum);
float mms_exact_f32(const mms_exact *sum);

#endif
