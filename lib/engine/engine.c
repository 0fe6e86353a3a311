/* engine.c: the table of engines, and what is common to them. */
#include "engine/engine.h"

#include "kernel/loop.h"
#include <string.h>

static const mms_engine *const table[] = {&mms_engine_gemm, &mms_engine_simd, &mms_engine_serial};

const mms_engine *mms_engine_at(size_t index) { return index < sizeof table / sizeof *table ? table[index] : NULL; }

const mms_engine *mms_engine_find(const char *name) {
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (strcmp(table[i]->name, name) == 0) return table[i];
  return NULL;
}

void mms_engine_advance(const mms_job *job, const mms_tile *t, const mms_ahead *found, mms_value *carry) {
  if (!found->is_ordinary || !job->kernel->advance(carry, &found->total))
    mms_loop_of[job->type].fold[job->reverse](t->m, t->x, carry);
}
