/* isa.c: the table of instruction sets. */
#include "kernel/isa.h"

#include "kernel/cpu.h"
#include "kernel/tuning.h"
#include <pthread.h>
#include <string.h>
#include <unistd.h>

typedef struct row {
  const char *name;
  const mms_isa *const *isa;
  bool (*runs)(void); /* NULL: wherever it was built for */
  bool (*pays)(void); /* where it runs, whether it is faster than the rows after it; NULL: yes */
} row;

static const row table[] = {{"avx512", &mms_isa_avx512, mms_cpu_runs_avx512, mms_cpu_512_pays},
                            {"avx512vl", &mms_isa_avx512vl, mms_cpu_runs_avx512, NULL},
                            {"avx2", &mms_isa_avx2, mms_cpu_runs_avx2, NULL},
                            {"neon", &mms_isa_neon, NULL, NULL},
                            {"portable", &mms_isa_portable, NULL, NULL}};
enum { ROWS = sizeof table / sizeof *table };

const char *mms_isa_name(size_t index) { return index < ROWS ? table[index].name : NULL; }

/* The CPU is asked only once, as under a hypervisor each answer takes microseconds. */
static const mms_isa *here[ROWS], *best;

/* 0: the C library does not tell. */
static size_t own_cache(void) {
#ifdef _SC_LEVEL2_CACHE_SIZE
  const long own = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return own > 0 ? (size_t)own : 0;
#else
  return 0;
#endif
}

static void look(void) {
  mms_tuning_here = mms_tuning_of(mms_cpu_cores(), own_cache(), mms_cpu_die_cache());
  for (size_t i = ROWS; i-- > 0;) {
    const row *r = &table[i];
    here[i] = !r->runs || r->runs() ? *r->isa : NULL;
    if (here[i] && (!r->pays || r->pays())) best = here[i];
  }
}

static void look_once(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, look);
}

const mms_isa *mms_isa_at(size_t index) {
  look_once();
  return here[index];
}

bool mms_isa_find(const char *name, const mms_isa **isa) {
  for (size_t i = 0; i < ROWS; i++)
    if (strcmp(table[i].name, name) == 0) return *isa = mms_isa_at(i), true;
  return false;
}

const mms_isa *mms_isa_best(void) {
  look_once();
  return best;
}
