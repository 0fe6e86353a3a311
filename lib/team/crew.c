/* crew.c: counts threads by a destructor that the system calls where they end. */
#include "team/crew.h"

#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Crews may share a counter: then one of them starts its threads again to no purpose. */
enum { COUNTERS = 256 };
static atomic_uint ended[COUNTERS];

static pthread_key_t key;
static bool has_key;

static void count_end(void *counter) { atomic_fetch_add(&ended[(atomic_uint *)counter - ended], 1); }

static void make_key(void) { has_key = pthread_key_create(&key, count_end) == 0; }

static size_t next_slot(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  static atomic_size_t crews;
  pthread_once(&once, make_key);
  return 1 + atomic_fetch_add(&crews, 1) % COUNTERS;
}

mms_crew *mms_crew_here(void) {
  static _Thread_local mms_crew crew = {.size = 1};
  if (crew.slot == 0) crew.slot = next_slot();
  const unsigned now = atomic_load(&ended[crew.slot - 1]);
  if ((int)(now - crew.ended) <= 0) return &crew;
  crew.size = 1;
  crew.ended = now;
  return &crew;
}

void mms_crew_shrink(mms_crew *crew, int size) {
  crew->ended += (unsigned)(crew->size - size);
  crew->size = size;
}

/* Nanoseconds to try and to start a thread. */
static const double START = 50e3;

bool mms_crew_start_pays(mms_crew *crew, int more, double saves) {
  crew->forgone += saves;
  if (crew->forgone < START * more) return false;
  crew->forgone = 0;
  return true;
}

/* A thread whose end would not be noticed has no id, as another one might get it. */
void mms_crew_join(mms_crew *crew, int index) {
  if (index == 0) return;
  const bool is_watched = has_key && pthread_setspecific(key, &ended[crew->slot - 1]) == 0;
  if (index <= MMS_CREW_KEPT) crew->ids[index - 1] = is_watched ? (pid_t)syscall(SYS_gettid) : 0;
}

/* ---- CPUs ----------------------------------------------------------------------------------------------------- */

static size_t kept(const mms_crew *crew) {
  const size_t workers = (size_t)crew->size - 1;
  return workers < MMS_CREW_KEPT ? workers : MMS_CREW_KEPT;
}

/* A filter of system calls may end a process that changes CPUs. */
static bool may_change(void) { return prctl(PR_GET_SECCOMP) == 0; }

void mms_crew_keep_away(mms_crew *crew, mms_crew_cpus *cpus) {
  cpus->cpu = may_change() ? sched_getcpu() : -1;
  for (size_t i = 0; i < kept(crew); i++) {
    cpu_set_t *before = &cpus->before[i];
    const bool knows =
        cpus->cpu >= 0 && crew->ids[i] != 0 && sched_getaffinity(crew->ids[i], sizeof *before, before) == 0;
    cpu_set_t others;
    if (knows) others = *before;
    if (knows) CPU_CLR((size_t)cpus->cpu, &others);
    if (!knows || CPU_COUNT(&others) == 0 || CPU_EQUAL(&others, before) ||
        sched_setaffinity(crew->ids[i], sizeof others, &others) != 0)
      CPU_ZERO(before);
  }
}

void mms_crew_let_back(mms_crew *crew, const mms_crew_cpus *cpus) {
  for (size_t i = 0; i < kept(crew); i++) {
    cpu_set_t others = cpus->before[i], now;
    if (CPU_COUNT(&others) == 0 || sched_getaffinity(crew->ids[i], sizeof now, &now) != 0) continue;
    CPU_CLR((size_t)cpus->cpu, &others);
    if (CPU_EQUAL(&now, &others)) sched_setaffinity(crew->ids[i], sizeof cpus->before[i], &cpus->before[i]);
  }
}
