/* network.c: the methods of the paper's Table 1, which add numbers modulo 2^64. */
#include "network.h"

#include <string.h>

bool network_method(const char *name, mmscan_method *method) {
  *method = (mmscan_method){.struct_size = sizeof *method};
  for (size_t i = 0; mmscan_get_method(i, method) == MMSCAN_OK; i++)
    if (strcmp(method->name, name) == 0) return true;
  return false;
}

static void add(void *context, const void *a, const void *b, void *result) {
  (void)context;
  *(uint64_t *)result = *(const uint64_t *)a + *(const uint64_t *)b;
}

mmscan_network_desc network_desc(const mmscan_method *method, size_t s, size_t n) {
  static const uint64_t zero = 0;
  static const mmscan_operator sum = {sizeof sum, sizeof zero, add, NULL, &zero};
  return (mmscan_network_desc){.struct_size = sizeof(mmscan_network_desc),
                               .method = method->name,
                               .n = n,
                               .s = s,
                               .op = &sum,
                               .commutative = 1,
                               .length_rule = MMSCAN_DIGITS};
}
