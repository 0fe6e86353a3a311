/* traces.h: what the system can count of this process: open files, threads, memory maps.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TRACES_H
#define TRACES_H

#include <dirent.h>

#include "test.h"

static inline size_t entries(const char *folder) {
  size_t count = 0;
  DIR *directory = opendir(folder);
  for (struct dirent *e; directory != NULL && (e = readdir(directory)) != NULL;) count += e->d_name[0] != '.';
  if (directory != NULL) closedir(directory);
  return count;
}

static inline size_t open_files(void) { return entries("/proc/self/fd"); }

static inline size_t tasks(void) { return entries("/proc/self/task"); }

static inline size_t mapped(void) {
  size_t lines = 0;
  FILE *maps = fopen("/proc/self/maps", "r");
  for (int c; maps != NULL && (c = getc(maps)) != EOF;) lines += c == '\n';
  if (maps != NULL) fclose(maps);
  return lines;
}

struct traces {
  size_t files, tasks, maps;
};

static inline struct traces traces(void) { return (struct traces){open_files(), tasks(), mapped()}; }

#endif /* TRACES_H */
