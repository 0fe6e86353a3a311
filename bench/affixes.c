/* affixes.c: tries the affixes that are in use.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "affixes.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>

void *affixes_find(void *handle, const char *name) {
  static const char *const begins[] = {"", "scipy_"}, *const ends[] = {"", "64_", "_64"};
  char full[80];
  void *found = NULL;
  for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
    for (size_t k = 0; k < sizeof ends / sizeof *ends && found == NULL; k++) {
      snprintf(full, sizeof full, "%s%s%s", begins[i], name, ends[k]);
      found = dlsym(handle, full);
    }
  return found;
}
