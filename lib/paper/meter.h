/* meter.h: counts what a traced run does, as a circuit. */
#ifndef MMS_METER_H
#define MMS_METER_H

#include "mmscan.h"
#include <stdbool.h>

/* The value at a position, since it was written. */
typedef struct mms_meter_value {
  uint64_t path;        /* adders on the longest chain to it */
  uint64_t reads;       /* adders it went to */
  uint64_t ways, level; /* where it went in the level it was last used in */
  bool is_written;      /* by this event, with the path that follows */
  uint64_t next_path;
} mms_meter_value;

typedef struct mms_meter {
  mmscan_network_counts counts;
  mms_meter_value *values; /* one a position */
  mmscan_trace *next;      /* told of every event; NULL: nobody is */
  void *next_context;
} mms_meter;

/* For a run with so many positions. MMSCAN_ENOMEM. */
mmscan_status mms_meter_open(mms_meter *meter, size_t positions);
void mms_meter_close(mms_meter *meter);

/* A mmscan_trace whose context is the meter. */
void mms_meter_trace(void *meter, const mmscan_event *event);

#endif
