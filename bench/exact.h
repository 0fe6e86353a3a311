/* exact.h: inputs on which sums of floats go wrong in different ways, their exact sums, and how far off a scan is. */
#ifndef EXACT_H
#define EXACT_H

#include "number.h"

enum { EXACT_INPUTS = 7 };

typedef struct exact_input {
  const char *name, *what;
  bool rises;                  /* no element is negative, so that no result should be less than the one before */
  double (*element)(size_t i); /* before it is rounded to the type */
} exact_input;

extern const exact_input exact_inputs[EXACT_INPUTS];

/* The exact sums of one input of n elements: sums[i] + rests[i], off by at most 2^-104 n times the largest of them, and
 * by 2^-77 of the sum itself, as rests are kept in single precision. */
typedef struct exact {
  const number *type;
  const exact_input *input;
  const void *x;
  size_t n;
  double *sums;
  float *rests;
} exact;

/* Room for n sums; false if there is no memory. exact_free() in either case. */
bool exact_make(exact *e, size_t n);
void exact_free(exact *e);

/* Writes n elements of an input, f32 or f64, to x, which is to stay as it is, and adds them up. */
void exact_fill(exact *e, const exact_input *input, const number *type, size_t n, void *x);

/* How far results are off at most, over all of them. Infinite where one is not finite. */
typedef struct exact_error {
  double ulps;  /* in units in the last place of the exact result */
  double units; /* of u times the sum of magnitudes so far, where u is half an ulp of 1 */
  size_t falls; /* results that are less than the one before, of an input that rises */
} exact_error;

/* Of an inclusive scan. */
exact_error exact_measure(const exact *e, const void *y);

/* The u of a type. */
double exact_unit(const number *type);

#endif
