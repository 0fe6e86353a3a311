/* sanitized.h: defines MMS_SANITIZED in a build for the address or the thread sanitizer, and MMS_SANITIZED_ADDRESSES in
 * one for the address sanitizer. is_instrumented() covers valgrind and emulators too. */
#ifndef MMS_SANITIZED_H
#define MMS_SANITIZED_H

#include <stdbool.h>
#include <stdlib.h>

#ifdef __has_feature
#define MMS_HAS_FEATURE(name) __has_feature(name)
#else
#define MMS_HAS_FEATURE(name) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || MMS_HAS_FEATURE(address_sanitizer)
#define MMS_SANITIZED_ADDRESSES 1
#endif
#if defined(MMS_SANITIZED_ADDRESSES) || defined(__SANITIZE_THREAD__) || MMS_HAS_FEATURE(thread_sanitizer)
#define MMS_SANITIZED 1
#endif

/* Under a sanitizer, valgrind or an emulator, other code is the fastest, and what happens first in a process may be the
 * instrument's doing. */
static inline bool is_instrumented(void) {
#ifdef MMS_SANITIZED
  return true;
#else
  return getenv("MMSCAN_TEST_WRAPPER") != NULL || getenv("MMSCAN_TEST_EMULATOR") != NULL;
#endif
}

#endif
