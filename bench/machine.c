/* machine.c: the caches and memory of this machine, as Linux reports them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "machine.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads the first word of a file about cache `index` of the first CPU. */
static bool read_about(int index, const char *what, char word[16]) {
  char path[96];
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", index, what);
  FILE *file = fopen(path, "r");
  if (file == NULL) return false;
  const bool read = fscanf(file, "%15s", word) == 1;
  fclose(file);
  return read;
}

/* Parses a size such as "1024K". */
static size_t bytes_of(const char *text) {
  char *unit;
  const size_t value = strtoul(text, &unit, 10);
  return *unit == 'M' ? value << 20 : *unit == 'K' ? value << 10 : value;
}

size_t machine_cache(int level) {
  char word[16];
  for (int index = 0; read_about(index, "level", word); index++) {
    if (atoi(word) != level) continue;
    if (read_about(index, "type", word) && strcmp(word, "Instruction") == 0) continue;
    return read_about(index, "size", word) ? bytes_of(word) : 0;
  }
  return 0;
}

size_t machine_memory(void) {
  char line[128];
  size_t kilobytes = 0;
  FILE *file = fopen("/proc/meminfo", "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    if (sscanf(line, "MemAvailable: %zu", &kilobytes) == 1) break;
  if (file != NULL) fclose(file);
  return kilobytes != 0 ? kilobytes << 10 : (size_t)-1;
}
