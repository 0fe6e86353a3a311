/* sanitized.h: MMS_SANITIZED, where this is built for the address or the thread sanitizer; and any such instrument. */
#ifndef MMS_SANITIZED_H
#define MMS_SANITIZED_H

#include <stdbool.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MMS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define MMS_SANITIZED 1
#endif
#endif

/* Under a sanitizer, valgrind or an emulator: other things are fast, and what comes first in a process may be theirs.
 */
static inline bool is_instrumented(void) {
#ifdef MMS_SANITIZED
  return true;
#else
  return getenv("MMSCAN_TEST_WRAPPER") != NULL || getenv("MMSCAN_TEST_EMULATOR") != NULL;
#endif
}

#endif
