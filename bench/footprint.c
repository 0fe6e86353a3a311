/* footprint.c: the memory that the library takes for itself.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "footprint.h"
#include "lineup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Kilobytes from /proc/self/status; -1 if there is no such file. */
static long status_kb(const char *field) {
  char line[256];
  long kb = -1;
  FILE *status = fopen("/proc/self/status", "r");
  if (status == NULL) return -1;
  while (fgets(line, sizeof line, status) != NULL)
    if (strncmp(line, field, strlen(field)) == 0) kb = strtol(line + strlen(field), NULL, 10);
  fclose(status);
  return kb;
}

/* Resets the peak to what is resident now. */
static bool reset_peak(void) {
  FILE *file = fopen("/proc/self/clear_refs", "w");
  if (file == NULL) return false;
  const bool written = fputs("5", file) >= 0;
  return fclose(file) == 0 && written;
}

double footprint_of_scans(const race *like, int threads) {
  lineup_filter library = {.names = {"mmscan "}, .count = 1};
  race r = *like;
  r.count = 0;
  lineup_fill(&r, &library, &threads, 1);
  if (!reset_peak()) return -1;
  const long before = status_kb("VmRSS:");
  for (size_t i = 0; i < r.count; i++)
    if (r.contenders[i].role == ROLE_LIBRARY && r.contenders[i].refusal[0] == '\0')
      r.contenders[i].run(&r.contenders[i], 1);
  const long peak = status_kb("VmHWM:");
  lineup_free(&r);
  return before >= 0 ? (double)(peak - before) / 1024 / threads : -1;
}
