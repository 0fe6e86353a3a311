/* bell.h: threads that wait for each other, for a short while mostly. */
#ifndef MMS_BELL_H
#define MMS_BELL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { MMS_BELL_AWAKE = 2000 }; /* nanoseconds until a thread of the run that does not sleep is here */

/* What the threads of a run have one of. */
typedef struct mms_bell {
  atomic_int sleepers;
  pthread_mutex_t lock;
  pthread_cond_t rung;
} mms_bell;

#define MMS_BELL_READY                                                                                                 \
  { .lock = PTHREAD_MUTEX_INITIALIZER, .rung = PTHREAD_COND_INITIALIZER }

/* Returns once *what is `value`: everything before the mms_bell_set() that made it so is seen then. */
void mms_bell_wait(mms_bell *bell, const atomic_size_t *what, size_t value);

/* *what = value, and wakes who waits for that. */
void mms_bell_set(mms_bell *bell, atomic_size_t *what, size_t value);

#endif
