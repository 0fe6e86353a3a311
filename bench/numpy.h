/* numpy.h: NumPy's cumsum, OpenCV's integral, and SciPy's lfilter, timed on request by a separate process. */
#ifndef NUMPY_H
#define NUMPY_H

#include "contender.h"

/* Why there is no NumPy here, or none for arrays of so many bytes; NULL if there is. The first call starts the process.
 * A static string. */
const char *numpy_refusal(size_t bytes);

/* The `run` and `verify` of its contender. */
double numpy_run(const contender *c, long runs);
size_t numpy_verify(contender *c);

/* The same of OpenCV's integral() by that process, whose `run` is numpy_run(). */
const char *opencv_refusal(size_t bytes);
size_t opencv_verify(contender *c);

/* The same of SciPy's lfilter(), of rows of x. A contender's `form`, which is not 0, names the filter, so that a race
 * may have several; the coefficients are `order` + 1 of each. *sum is that of all results. False if the process has
 * ended. */
const char *scipy_refusal(size_t bytes);
bool scipy_load(const contender *c, size_t order, const double *b, const double *a, double *sum);

/* Its version; NULL if it was not started. */
const char *numpy_version(void);

/* Ends the process, if there is one. */
void numpy_end(void);

#endif
