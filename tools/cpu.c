/* cpu.c: the name of the CPU.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "cpu.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

/* The value in a line "model name : ..." of /proc/cpuinfo. */
static bool is_model_name(const char *line, char *name, size_t size) {
  const char *colon = strchr(line, ':');
  if (colon == NULL || strncmp(line, "model name", 10) != 0) return false;
  colon += 1 + strspn(colon + 1, " ");
  snprintf(name, size, "%.*s", (int)strcspn(colon, "\n"), colon);
  return true;
}

void cpu_name(char *name, size_t size) {
  char line[512];
  struct utsname system;
  bool found = false;
  FILE *file = fopen("/proc/cpuinfo", "r");
  while (file != NULL && !found && fgets(line, sizeof line, file) != NULL) found = is_model_name(line, name, size);
  if (file != NULL) fclose(file);
  if (!found) snprintf(name, size, "%s", uname(&system) == 0 ? system.machine : "unknown");
}
