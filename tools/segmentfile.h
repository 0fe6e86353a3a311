/* segmentfile.h: segments along the axis that is scanned, each of which is scanned by itself. */
#ifndef SEGMENTFILE_H
#define SEGMENTFILE_H

#include "input.h"
#include "order.h"
#include "result.h"
#include "textfile.h"

#include <mmscan.h>
#include <stdbool.h>

typedef struct segments {
  const char *option;     /* that asks for them: "--keys" */
  const char *source;     /* its value */
  mmscan_segments of_all; /* what the library is given; its data belongs to this struct */
  uint64_t length;        /* elements of the data */
} segments;

/* The option of a form. */
const char *segments_option(mmscan_segment_form form);

/* Whether `source` names a file, by its extension .npy; else it is a column of the table that is scanned. */
bool segments_are_in_file(const char *source);

/* Read the file; or the flags or keys in a column of `text`, whose other column `like` asks for, which stays as it is.
 * The caller must call segments_free(), even if they fail. */
int segments_read_file(segments *s, mmscan_segment_form form, const char *path);
int segments_read_column(segments *s, mmscan_segment_form form, const char *column, const input *text,
                         const textfile_request *like);
void segments_free(segments *s);

/* An error unless they are those of `length` elements along the axis of the data `name`. */
int segments_check(const segments *s, const char *name, uint64_t length);

/* As order_scan(), by o->segments: with the whole length of the axis in memory. */
int segments_scan(const order *o, input *in, result *to);

#endif
