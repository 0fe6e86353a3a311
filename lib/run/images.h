/* images.h: integral images, shared by threads. An image is cut into strips, from left to right, whose rows pass their
 * carries on; threads take the next strip in turn, and read each element once. Images of a batch follow each other. An
 * image of integers with too few columns is cut into bands of rows: threads first find what the bands add up to, and
 * then, knowing what is above each, scan them. */
#ifndef MMS_IMAGES_H
#define MMS_IMAGES_H

#include "engine/integral.h"

/* The most threads that find something to do. */
size_t mms_images_parts(const mms_integral *a);

/* By so many threads, or fewer. MMSCAN_ENOMEM: there is no memory for a workspace, and nothing is written. */
mmscan_status mms_images_scan(const mms_integral *a, const void *x, void *y, int threads);

#endif
