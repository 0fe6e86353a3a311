/* machine.c: the caches and memory of this machine, as Linux reports them. */
#include "machine.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const size_t NO_LIMIT = (size_t)-1;

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

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static size_t free_memory(void) {
  char line[128];
  size_t kilobytes = 0;
  FILE *file = fopen("/proc/meminfo", "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    if (sscanf(line, "MemAvailable: %zu", &kilobytes) == 1) break;
  if (file != NULL) fclose(file);
  return kilobytes != 0 ? kilobytes << 10 : NO_LIMIT;
}

/* The limit of a control group and of those that contain it. A container may see its own group as the root, and none at
 * the path that is given. */
static size_t limit_up_from(const char *mount, char *group, const char *name) {
  char path[2 * PATH_MAX], *slash;
  size_t limit, tightest = NO_LIMIT;
  do {
    snprintf(path, sizeof path, "%s%s/%s", mount, group, name);
    FILE *file = fopen(path, "r");
    if (file != NULL && fscanf(file, "%zu", &limit) == 1) tightest = least(tightest, limit); /* or the word "max" */
    if (file != NULL) fclose(file);
    slash = strrchr(group, '/');
    if (slash != NULL) *slash = '\0';
  } while (slash != NULL);
  return tightest;
}

/* Of the groups of this process: a line is "0::PATH" (version 2) or "NUMBER:memory:PATH" (version 1). */
static size_t group_limit(void) {
  char line[PATH_MAX + 256];
  size_t limit = NO_LIMIT;
  FILE *file = fopen("/proc/self/cgroup", "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    char *list = strchr(line, ':');
    line[strcspn(line, "\n")] = '\0';
    if (list != NULL && strncmp(list, "::", 2) == 0)
      limit = least(limit, limit_up_from("/sys/fs/cgroup", list + 2, "memory.max"));
    else if (list != NULL && strncmp(list, ":memory:", 8) == 0)
      limit = least(limit, limit_up_from("/sys/fs/cgroup/memory", list + 8, "memory.limit_in_bytes"));
  }
  if (file != NULL) fclose(file);
  return limit;
}

size_t machine_memory(void) { return least(free_memory(), group_limit()); }
