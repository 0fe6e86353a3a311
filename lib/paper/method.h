/* method.h: the one table of the methods of Table 1, and how one is run. */
#ifndef MMS_METHOD_H
#define MMS_METHOD_H

#include "mmscan_paper.h"
#include "paper/machine.h"
#include <stdbool.h>

typedef struct mms_method {
  mmscan_method about;                          /* what mmscan_get_method() gives, but for struct_size */
  bool is_one_tile;                             /* n is at most s^2 */
  bool has_length_rule;                         /* it looks at length_rule */
  mms_machine_size (*size)(size_t n, size_t s); /* of the machine that run() needs */
  void (*run)(mms_machine *machine);            /* NULL: mms_matmulscan() does it, on no machine */
} mms_method;

/* Row `index` of the table; NULL past its end. */
const mms_method *mms_method_at(size_t index);

/* The method called `name`; NULL if there is none. */
const mms_method *mms_method_find(const char *name);

/* y = the scan of x that *desc describes; *counts gets what was done. MMSCAN_ENOTSUP: the method cannot do that.
 * MMSCAN_ENOMEM leaves y untouched. The caller has validated everything else. */
mmscan_status mms_method_run(const mms_method *method, const mmscan_network_desc *desc, const void *x, void *y,
                             mmscan_network_counts *counts);

#endif
