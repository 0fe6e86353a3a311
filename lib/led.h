/* led.h: threads that share the tiles of a scan, of which one leads.
 *
 * The first thread to come leads. It has the carry, so it scans tile after tile at once, reading each a single time.
 * The others follow ahead of it: each takes a group of tiles there, looks at them, and waits until the leader comes by
 * with the carry, which it takes past them in no time; then they write. A follower takes a group before it writes the
 * one it has, so it seldom waits for the leader; and it leaves tiles to the leader in front of a group, so that the
 * leader finds the group looked at.
 *
 * Whoever does not come, or comes late, has taken nothing: the leader does it all.
 */
#ifndef MMS_LED_H
#define MMS_LED_H

#include "bell.h"
#include "tiles.h"
#include <stdbool.h>

enum { MMS_LED_GROUP = 2 }; /* tiles in a group */

typedef struct mms_led {
  const mms_tiles *tiles;
  mms_bell bell;
  atomic_bool has_leader;
  pthread_mutex_t lock; /* for what follows */
  size_t next;          /* the first tile that nobody has taken: 0 is the leader's */
  struct group *front;  /* groups that the leader has not come to, in order */
  struct group *back;
} mms_led;

#define MMS_LED_READY(all)                                                                                             \
  { .tiles = (all), .bell = MMS_BELL_READY, .lock = PTHREAD_MUTEX_INITIALIZER, .next = 1 }

/* One thread's part, with the room it has. */
void mms_led_take_part(void *led, void *room);

#endif
