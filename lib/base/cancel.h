/* cancel.h: makes pthread_cancel() take effect before or after a call: a thread that ended in the middle of one would
 * leave behind a lock, or a team that waits for it for ever. Between these two functions nothing is a cancellation
 * point. */
#ifndef MMS_CANCEL_H
#define MMS_CANCEL_H

#include <pthread.h>

/* The result is for mms_cancel_restore(). */
static inline int mms_cancel_disable(void) {
  int before;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  return before;
}

static inline void mms_cancel_restore(int before) {
  int disabled;
  pthread_setcancelstate(before, &disabled);
}

#endif
