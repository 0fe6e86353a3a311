/* meter.h: counts what a traced run does, as a circuit. */
#ifndef MMS_METER_H
#define MMS_METER_H

#include "mmscan_paper.h"
#include <stdbool.h>

/* The value at a position, as counted since it was written. */
typedef struct mms_meter_value {
  uint64_t path;        /* adders on the longest chain to it */
  uint64_t reads;       /* adders it went to */
  uint64_t ways, level; /* its uses in the level it was last used in, and that level */
  bool is_written;      /* this event overwrites it with a value whose path is next_path */
  uint64_t next_path;
} mms_meter_value;

typedef struct mms_meter {
  mmscan_network_counts counts;
  mms_meter_value *values; /* one per position */
  mmscan_trace *next;      /* called with every event too; NULL: none */
  void *next_context;
} mms_meter;

/* For a run with the given number of positions. MMSCAN_ENOMEM. */
mmscan_status mms_meter_open(mms_meter *meter, size_t positions);
void mms_meter_close(mms_meter *meter);

/* A mmscan_trace whose context is the meter. */
void mms_meter_trace(void *meter, const mmscan_event *event);

#endif
