/* quota.c: Linux control groups. OpenMP asks which CPUs a process may run on, not how much of them: in a container with
 * a quota it would start a thread for every CPU, and the system would stop them all in turn. Who sets OMP_NUM_THREADS
 * has the last word. */
#include "quota.h"

#include "cancel.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int cpus;

static int cpus_of(double quota, double period) {
  return quota > 0 && period > 0 ? (int)((quota - 1) / period) + 1 : 0;
}

/* Version 2: "QUOTA PERIOD" or "max PERIOD", in microseconds. */
static int read_pair(const char *name) {
  double quota, period;
  FILE *file = fopen(name, "re");
  if (!file) return 0;
  int read = fscanf(file, "%lf %lf", &quota, &period);
  fclose(file);
  return read == 2 ? cpus_of(quota, period) : 0;
}

static double read_number(const char *name) {
  double number = 0;
  FILE *file = fopen(name, "re");
  if (!file) return 0;
  int read = fscanf(file, "%lf", &number);
  fclose(file);
  return read == 1 ? number : 0;
}

/* In a container its own group is the root of what it sees. Version 1 has a file for each number; -1 is no limit. */
static void look(void) {
  if (getenv("OMP_NUM_THREADS")) return;
  int before = mms_cancel_disable();
  cpus = read_pair("/sys/fs/cgroup/cpu.max");
  if (cpus == 0)
    cpus = cpus_of(read_number("/sys/fs/cgroup/cpu/cpu.cfs_quota_us"),
                   read_number("/sys/fs/cgroup/cpu/cpu.cfs_period_us"));
  mms_cancel_restore(before);
}

int mms_quota_cpus(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, look);
  return cpus;
}
