/* logaddexp.h: log(exp(a) + exp(b)) without overflow, for the plain loop. Kernels have a vector form of it
 * (kernel/logaddexp.inc). */
#ifndef MMS_LOGADDEXP_H
#define MMS_LOGADDEXP_H

#include <math.h>

/* A NaN stays, +Inf stays beside anything but NaN, and beside -Inf the other stays, bit for bit. */
static inline float mms_logaddexp_f32(float a, float b) {
  const float most = a > b ? a : b, least = a > b ? b : a;
  if (least == -INFINITY || (most == INFINITY && least == least)) return most;
  return most + log1pf(expf(least - most));
}

static inline double mms_logaddexp_f64(double a, double b) {
  const double most = a > b ? a : b, least = a > b ? b : a;
  if (least == -INFINITY || (most == INFINITY && least == least)) return most;
  return most + log1p(exp(least - most));
}

#endif
