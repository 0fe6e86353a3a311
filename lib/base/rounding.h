/* rounding.h: how the calling thread rounds floats, and whether it flushes tiny ones to zero. A thread that takes part
 * in another thread's call does both as that thread does. But it is started in the default mode: a new thread inherits
 * the mode of the thread that starts it, and keeps it. */
#ifndef MMS_ROUNDING_H
#define MMS_ROUNDING_H

#include <stdbool.h>

#if defined(__x86_64__)
#include <immintrin.h>

typedef unsigned mms_rounding;

/* Without the flags of exceptions that were raised. */
static inline mms_rounding mms_rounding_get(void) { return _mm_getcsr() & ~(unsigned)_MM_EXCEPT_MASK; }
static inline void mms_rounding_set(mms_rounding r) { _mm_setcsr(r | (_mm_getcsr() & _MM_EXCEPT_MASK)); }
static inline void mms_rounding_set_default(void) { mms_rounding_set(_MM_MASK_MASK); }
static inline bool mms_rounding_is(mms_rounding r) { return mms_rounding_get() == r; }
#else
#include <fenv.h>

typedef fenv_t mms_rounding;

static inline mms_rounding mms_rounding_get(void) {
  fenv_t mode;
  fegetenv(&mode);
  return mode;
}

static inline void mms_rounding_set(mms_rounding r) { fesetenv(&r); }
static inline void mms_rounding_set_default(void) { fesetenv(FE_DFL_ENV); }
#if defined(__aarch64__)
static inline bool mms_rounding_is(mms_rounding r) { return mms_rounding_get().__fpcr == r.__fpcr; }
#else
static inline bool mms_rounding_is(mms_rounding r) { return (void)r, true; } /* modes cannot be compared here */
#endif
#endif

#endif
