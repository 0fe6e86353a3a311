/* image.h: requests for integral images: validates them, and runs them. */
#ifndef MMS_IMAGE_H
#define MMS_IMAGE_H

#include "run/images.h"

/* Checks a description, and the arrays it is asked for, and says what is to be done. */
mmscan_status mms_image_from(mms_integral *image, const mmscan_integral_desc *desc, const void *x, const void *y);

/* Does it: by the kernels and threads that the environment allows. */
mmscan_status mms_image_execute(mms_integral *image, const void *x, void *y);

#endif
