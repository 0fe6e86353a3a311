/* networks.h: the parallel prefix networks of Table 1, on a machine. */
#ifndef MMS_NETWORKS_H
#define MMS_NETWORKS_H

#include "paper/machine.h"

/* Each is for any n and ignores s. The sizes are those of the machine it needs. */
mms_machine_size mms_sklansky_size(size_t n, size_t s);
void mms_sklansky(mms_machine *m);

mms_machine_size mms_hillis_steele_size(size_t n, size_t s);
void mms_hillis_steele(mms_machine *m);

mms_machine_size mms_blelloch_size(size_t n, size_t s);
void mms_blelloch(mms_machine *m);

mms_machine_size mms_brent_kung_size(size_t n, size_t s);
void mms_brent_kung(mms_machine *m);

#endif
