/* bell.h: threads that wait for each other, mostly for a short while. */
#ifndef MMS_BELL_H
#define MMS_BELL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { MMS_BELL_AWAKE = 2000 }; /* nanoseconds in which a thread of the run arrives, unless it sleeps */

/* One for all threads of a run. */
typedef struct mms_bell {
  atomic_int sleepers;
  pthread_mutex_t lock;
  pthread_cond_t rung;
} mms_bell;

#define MMS_BELL_READY                                                                                                 \
  { .lock = PTHREAD_MUTEX_INITIALIZER, .rung = PTHREAD_COND_INITIALIZER }

/* Returns once *what is `value`. Everything before the mms_bell_set() that set it is then visible. */
void mms_bell_wait(mms_bell *bell, const atomic_size_t *what, size_t value);

/* Sets *what to `value`, and wakes the threads that wait for it. */
void mms_bell_set(mms_bell *bell, atomic_size_t *what, size_t value);

#endif
