/* isa.c: the table of instruction sets, and what their kernels inherit. */
#include "kernel/isa.h"

#include "base/cpu.h"
#include "base/tuning.h"
#include <pthread.h>
#include <string.h>
#include <unistd.h>

typedef struct row {
  const char *name;
  bool (*runs)(void); /* NULL: wherever it was built for */
  bool (*pays)(void); /* where it runs, whether it is faster than the rows after it; NULL: yes */
} row;

static const row table[] = {{"avx512", mms_cpu_runs_avx512, mms_cpu_512_pays},
                            {"avx512vl", mms_cpu_runs_avx512, NULL},
                            {"avx2", mms_cpu_runs_avx2, NULL},
                            {"neon", NULL, NULL},
                            {"portable", NULL, NULL},
                            {"portable32", NULL, NULL}};
enum { ROWS = sizeof table / sizeof *table, LISTED = ROWS - 1 /* the last goes by the name of the one before it */ };

static const struct cell {
  const char *isa, *op;
  const mms_kernel *const *kernels;
} cells[] = {
#define MMS_CELL(isa, op) {#isa, #op, mms_kernels_##isa##_##op},
#include "kernel/cells.def"
#undef MMS_CELL
};
enum { CELLS = sizeof cells / sizeof *cells };

const char *mms_isa_name(size_t index) { return index < LISTED ? table[index].name : NULL; }

/* The CPU is asked only once, as under a hypervisor each answer takes microseconds. */
static bool runs[ROWS];
static size_t best;

/* The best one is filled by the first call of a process, which has no time for more; the others when one is asked for.
 * By pthread_once(), which begins anew in a child that was forked meanwhile. */
static mms_isa isas[ROWS];

/* 0: the C library does not tell. */
static size_t own_cache(void) {
#ifdef _SC_LEVEL2_CACHE_SIZE
  const long own = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return own > 0 ? (size_t)own : 0;
#else
  return 0;
#endif
}

/* ---- Inheritance ---------------------------------------------------------------------------------------------- */

static bool is_built(const char *isa) {
  bool any = false;
  for (size_t i = 0; i < CELLS; i++)
    for (int lanes = 0; strcmp(cells[i].isa, isa) == 0 && lanes < MMS_LANES; lanes++)
      any = any || cells[i].kernels[lanes];
  return any;
}

/* Puts what an instruction set itself has over what k has inherited so far. The bits of results depend on the length of
 * vectors, unless the row is exact: then a core with vectors of another length leaves nothing of what was inherited. */
static void put_over(mms_kernel *k, const mms_kernel *own, const char *isa) {
  if (own->total) {
    if (!k->algebra->is_exact && own->vector != k->vector) *k = (mms_kernel){.algebra = k->algebra};
    memcpy(k->scan, own->scan, sizeof k->scan); /* cppcheck-suppress pointerSize ; an array */
    k->total = own->total, k->advance = own->advance;
    k->few = own->few, k->vector = own->vector;
    k->origin[MMS_SLOT_CORE] = isa;
  }
  if (!k->algebra->is_exact && own->vector != k->vector) return;
  for (int kind = MMSCAN_INCLUSIVE; kind < MMS_KINDS; kind++) {
    if (own->simple[kind]) k->simple[kind] = own->simple[kind], k->origin[MMS_SLOT_SIMPLE] = isa;
    for (int back = 0; back < 2; back++) {
      if (own->stream[kind][back])
        k->stream[kind][back] = own->stream[kind][back], k->origin[MMS_SLOT_STREAM + back] = isa;
      if (own->batch[kind][back]) k->batch[kind][back] = own->batch[kind][back], k->origin[MMS_SLOT_BATCH + back] = isa;
      if (own->segments[kind][back])
        k->segments[kind][back] = own->segments[kind][back], k->origin[MMS_SLOT_SEGMENTS] = isa;
    }
  }
}

static bool runs_here(const row *r) { return is_built(r->name) && (!r->runs || r->runs()); }

/* Puts a cell over the kernels of all rows of the algebra that it serves. */
static void put_cell_over(mms_kernel *kernels, const struct cell *cell) {
  for (size_t a = 0; a < MMS_ALL_ROWS; a++) {
    const mms_algebra *algebra = kernels[a].algebra;
    const bool serves = algebra->kernels && strcmp(algebra->kernels, cell->op) == 0;
    const mms_kernel *own = serves ? cell->kernels[algebra->lanes] : NULL;
    if (own) put_over(&kernels[a], own, cell->isa);
  }
}

/* Row `index` with a kernel for each row of the algebra, from the last instruction set that runs here up to its own.
 * Cell by cell: to look for the cell of each row took a third of a process's first call. */
static void fill(size_t index) {
  mms_kernel *kernels = isas[index].kernels;
  isas[index].name = table[index < LISTED ? index : LISTED - 1].name;
  for (size_t a = 0; a < MMS_ALL_ROWS; a++) kernels[a] = mms_kernel_of_loop(mms_algebra_at(a));
  for (size_t i = ROWS; i-- > index;)
    for (size_t c = 0; runs[i] && c < CELLS; c++)
      if (strcmp(cells[c].isa, table[i].name) == 0) put_cell_over(kernels, &cells[c]);
  for (size_t a = 0; a < MMS_ALL_ROWS; a++) mms_kernel_complete(&kernels[a]);
}

static void look(void) {
  mms_tuning_here = mms_tuning_of(mms_cpu_cores(), own_cache(), mms_cpu_die_cache());
  for (size_t i = ROWS; i-- > 0;) {
    const row *r = &table[i];
    runs[i] = runs_here(r);
    if (runs[i] && (!r->pays || r->pays())) best = i;
  }
  fill(best);
}

static void look_once(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, look);
}

static void fill_others(void) {
  for (size_t i = 0; i < ROWS; i++)
    if (runs[i] && i != best) fill(i);
}

const mms_isa *mms_isa_at(size_t index) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  look_once();
  if (!runs[index]) return NULL;
  if (index != best) pthread_once(&once, fill_others);
  return &isas[index];
}

bool mms_isa_find(const char *name, const mms_isa **isa) {
  for (size_t i = 0; i < LISTED; i++)
    if (strcmp(table[i].name, name) == 0) return *isa = mms_isa_at(i), true;
  return false;
}

const mms_isa *mms_isa_of_vectors(const mms_isa *isa, const mms_algebra *algebra) {
  size_t i = (size_t)(isa - isas);
  const mms_isa *found = isa;
  while (i < ROWS - 1 && !(found && mms_kernel_of(found, algebra)->vector == MMS_ISA_VECTOR)) found = mms_isa_at(++i);
  return found;
}

const mms_isa *mms_isa_best(void) {
  look_once();
  return &isas[best];
}
