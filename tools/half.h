/* half.h: floats of 16 bits. */
#ifndef HALF_H
#define HALF_H

#include <mmscan.h>
#include <stdint.h>

/* type: MMSCAN_F16 or MMSCAN_BF16. */
float half_value(mmscan_type type, uint16_t half);

/* The nearest one, of two the even one; infinity past the largest. */
uint16_t half_of(mmscan_type type, double value);

#endif
