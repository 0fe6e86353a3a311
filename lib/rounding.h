/* rounding.h: how the calling thread rounds floats, and whether it flushes tiny ones to zero. A thread that takes part
 * in another's call does it as that one. */
#ifndef MMS_ROUNDING_H
#define MMS_ROUNDING_H

#if defined(__x86_64__)
#include <immintrin.h>

typedef unsigned mms_rounding;

/* Without the flags of exceptions that were raised. */
static inline mms_rounding mms_rounding_get(void) { return _mm_getcsr() & ~(unsigned)_MM_EXCEPT_MASK; }
static inline void mms_rounding_set(mms_rounding r) { _mm_setcsr(r | (_mm_getcsr() & _MM_EXCEPT_MASK)); }
#else
#include <fenv.h>

typedef fenv_t mms_rounding;

static inline mms_rounding mms_rounding_get(void) {
  fenv_t mode;
  fegetenv(&mode);
  return mode;
}

static inline void mms_rounding_set(mms_rounding r) { fesetenv(&r); }
#endif

#endif
