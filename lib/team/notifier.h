/* notifier.h: threads that wait for each other, mostly for a short while. */
#ifndef MMS_NOTIFIER_H
#define MMS_NOTIFIER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { MMS_NOTIFIER_AWAKE = 2000 }; /* nanoseconds in which a thread of the run arrives, unless it sleeps */

/* One for all threads of a run. */
typedef struct mms_notifier {
  atomic_int sleepers;
  pthread_mutex_t lock;
  pthread_cond_t changed;
} mms_notifier;

#define MMS_NOTIFIER_READY                                                                                             \
  { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER }

/* Returns once *what is `value`. Everything before the mms_notifier_set() that set it is then visible. */
void mms_notifier_wait(mms_notifier *notifier, const atomic_size_t *what, size_t value);

/* Sets *what to `value`, and wakes the threads that wait for it. */
void mms_notifier_set(mms_notifier *notifier, atomic_size_t *what, size_t value);

#endif
