/* estimate.c: costs by engine and what it is made of. The numbers are of one core at 4 GHz (doc/PERFORMANCE.md says how
 * they are measured); what counts is their ratio. */
#include "estimate.h"

#include <float.h>
#include <string.h>

/* Nanoseconds: of a call, and of an element in the cache. The last row is for an engine that nobody measured. */
typedef struct row {
  const char *engine, *part; /* part: a unit or an instruction set; NULL: any other */
  double start, f32, f64, i32, i64;
} row;

static const row table[] = {
    {"serial", NULL, 4, 0.50, 0.52, 0.27, 0.29},        {"simd", "avx512", 20, 0.080, 0.15, 0.058, 0.105},
    {"simd", "avx512vl", 20, 0.125, 0.20, 0.10, 0.175}, {"simd", "avx2", 20, 0.155, 0.205, 0.12, 0.16},
    {"simd", NULL, 20, 0.26, 0.39, 0.155, 0.25},        {"gemm", "model", 2000, 4, 4, 4, 8},
    {"gemm", NULL, 2000, 0.35, 0.7, 0.65, 1.4},         {NULL, NULL, 2000, 4, 4, 4, 8},
};

/* To start a team of threads and to wait for the last of them. */
static const double TEAM = 2000;

/* NULL in a row stands for any. */
static bool is_one(const char *in_row, const char *name) { return !in_row || (name && strcmp(in_row, name) == 0); }

static const row *row_of(const mms_engine *engine, const mms_job *job) {
  const char *part = engine->has_unit ? job->unit->name : engine->has_isa ? job->isa->name : NULL;
  const row *r = table;
  while (!is_one(r->engine, engine->name) || !is_one(r->part, part)) r++;
  return r;
}

static double element(const row *r, mmscan_type type) {
  bool is_float = mms_type_unit(type) == type;
  if (mms_type_size(type) == 4) return is_float ? r->f32 : r->i32;
  return is_float ? r->f64 : r->i64;
}

/* Threads are given whole tiles, or whole scans by an engine without tiles: the time is that of the thread with most.
 */
static double cost(const row *r, const mms_job *job, mms_shape shape, int threads) {
  size_t piece = job->tile && job->tile < shape.n ? job->tile : shape.n, pieces = (shape.n - 1) / piece + 1;
  double each = (double)piece * element(r, shape.type), all = (double)shape.n * element(r, shape.type);
  double share = (double)pieces * (double)shape.batch / threads, whole = (double)(size_t)share;
  if (threads == 1) return (r->start + all) * (double)shape.batch;
  return TEAM + r->start + each * (share > whole ? whole + 1 : whole);
}

static int next_count(int threads, int most) { return threads < most && 2 * threads > most ? most : 2 * threads; }

double mms_estimate(const mms_engine *engine, const mms_job *job, mms_shape shape, int most, int *threads) {
  const row *r = row_of(engine, job);
  *threads = 1;
  if (shape.n == 0 || shape.batch == 0) return 0;
  double least = cost(r, job, shape, 1);
  for (int count = 2; count <= most; count = next_count(count, most)) {
    double here = cost(r, job, shape, count);
    if (here >= least) continue;
    least = here;
    *threads = count;
  }
  return least;
}
