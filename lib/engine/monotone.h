/* monotone.h: results that never fall, where elements are not less than what leaves a result as it is.
 *
 * Each result is the largest so far of those of other elements, between the carries into and out of its tile, and so
 * neither rounding nor the cut between two tiles makes one less than that before it. The last element that is not
 * neutral has the carry out, as the neutral ones after it, in the next tile too. */
#ifndef MMS_MONOTONE_H
#define MMS_MONOTONE_H

#include "engine/engine.h"

/* Scans a packed tile, whose x is what y is or shares no memory with it. *carry goes in and comes out. after: the
 * element that is to come out; NULL: that of the engine. work: of the inner engine; scanned: room for the tile. */
void mms_monotone_scan(const mms_job *job, void *work, void *scanned, const mms_tile *packed, const void *after,
                       mms_value *carry);

#endif
