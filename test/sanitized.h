/* sanitized.h: MMS_SANITIZED, where this is built for the address or the thread sanitizer. */
#ifndef MMS_SANITIZED_H
#define MMS_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MMS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define MMS_SANITIZED 1
#endif
#endif

#endif
