/* catalogue.h: every operator with every type that it scans, as the public tables have them. */
#ifndef MMS_CATALOGUE_H
#define MMS_CATALOGUE_H

#include "algebra/algebra.h"

typedef struct mms_entry {
  const mms_algebra *algebra; /* of the type in which elements are combined */
  mmscan_type type;
  mms_value identity, start; /* elements of the type */
} mms_entry;

/* Entry `index`, operator after operator; NULL past the last. */
const mms_entry *mms_catalogue_at(size_t index);

#endif
