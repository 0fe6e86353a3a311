/* quota.c: Linux control groups. OpenMP asks which CPUs a process may run on, but not how much of their time it may
 * use. In a container with a quota it would start a thread for every CPU, and the system would stop them all in turn. A
 * user who sets OMP_NUM_THREADS has the last word.
 *
 * The first call of a process looks here, on a thread whose stack may be small: paths are not on it. Where there is no
 * memory for one, no limit is known. */
#include "team/quota.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 20 }; /* CPUs; a larger quota is no limit */

/* ---- One group ------------------------------------------------------------------------------------------------ */

/* Rounded up. A value that cannot be a quota, NaN for one, is no limit. */
static int cpus_of(double quota, double period) {
  const double cpus = period > 0 ? quota / period : 0;
  if (!(cpus > 0 && cpus <= MOST)) return 0;
  const int whole = (int)cpus;
  return whole + (whole < cpus);
}

/* 0: no limit. */
static int tighter(int a, int b) { return a == 0 || (b != 0 && b < a) ? b : a; }

/* NULL: there is no such file, or no memory. */
static FILE *open_in(const char *folder, const char *file) {
  char *path;
  if (asprintf(&path, "%s/%s", folder, file) < 0) return NULL;
  FILE *stream = fopen(path, "re");
  free(path);
  return stream;
}

/* Returns how many of the two numbers the file starts with. */
static int read_numbers(const char *folder, const char *file, double number[2]) {
  FILE *stream = open_in(folder, file);
  if (!stream) return 0;
  int read = fscanf(stream, "%lf %lf", &number[0], &number[1]);
  fclose(stream);
  return read > 0 ? read : 0;
}

/* Version 2: "QUOTA PERIOD" or "max PERIOD", in microseconds. */
static int cpus_by_pair(const char *folder) {
  double number[2];
  return read_numbers(folder, "cpu.max", number) == 2 ? cpus_of(number[0], number[1]) : 0;
}

/* Version 1: a file for each number; a quota of -1 is no limit. */
static int cpus_by_files(const char *folder) {
  double quota[2], period[2];
  if (!read_numbers(folder, "cpu.cfs_quota_us", quota) || !read_numbers(folder, "cpu.cfs_period_us", period)) return 0;
  return cpus_of(quota[0], period[0]);
}

/* ---- The groups of this process ------------------------------------------------------------------------------- */

/* A line of /proc/self/cgroup is "NUMBER:CONTROLLER,...:PATH"; that of version 2 has no controllers. */
static const char *path_in(char *line, const char *controller) {
  char *list = strchr(line, ':'), *path = list ? strchr(list + 1, ':') : NULL;
  if (!path) return NULL;
  *list++ = *path++ = '\0';
  path[strcspn(path, "\n")] = '\0';
  if (!*controller && !*list) return path;
  for (char *rest, *one = strtok_r(list, ",", &rest); one; one = strtok_r(NULL, ",", &rest))
    if (strcmp(one, controller) == 0) return path;
  return NULL;
}

/* The caller's to free. NULL: the file names no such group. */
static char *find_path(const char *root, const char *controller) {
  char *line = NULL, *own = NULL;
  size_t room = 0;
  FILE *stream = open_in(root, "proc/self/cgroup");
  while (stream && !own && getline(&line, &room, stream) > 0) {
    const char *path = path_in(line, controller);
    if (path) own = strdup(path);
  }
  free(line);
  if (stream) fclose(stream);
  return own;
}

static int cpus_of_group(const char *root, const char *mount, const char *group, int (*cpus_at)(const char *)) {
  char *folder;
  if (asprintf(&folder, "%s%s%s", root, mount, group) < 0) return 0;
  const int cpus = cpus_at(folder);
  free(folder);
  return cpus;
}

/* The group and those that contain it: the tightest limit counts. A container may see its own group as the root, and
 * none at the path that is given. */
static int cpus_up_from(const char *root, const char *mount, const char *controller, int (*cpus_at)(const char *)) {
  char *own = find_path(root, controller), *slash;
  int cpus = cpus_of_group(root, mount, own ? own : "", cpus_at);
  while (own && (slash = strrchr(own, '/'))) {
    *slash = '\0';
    cpus = tighter(cpus, cpus_of_group(root, mount, own, cpus_at));
  }
  free(own);
  return cpus;
}

int mms_quota_cpus_under(const char *root) {
  return tighter(cpus_up_from(root, "/sys/fs/cgroup", "", cpus_by_pair),
                 cpus_up_from(root, "/sys/fs/cgroup/cpu", "cpu", cpus_by_files));
}

/* ---- This system ---------------------------------------------------------------------------------------------- */

static int cpus;

static void look(void) {
  if (!getenv("OMP_NUM_THREADS")) cpus = mms_quota_cpus_under("");
}

int mms_quota_cpus(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, look);
  return cpus;
}
