/* estimate.c: costs by engine, and by its unit or instruction set. The numbers are of one core of Zen 5; other cores
 * are slower by one factor, more or less (mms_tuning). How they are measured: doc/TUNING.md, "The table of
 * estimates". */
#include "plan/estimate.h"

#include "base/tuning.h"
#include "team/cluster.h"
#include <string.h>

/* Nanoseconds: for a call; for each scan after its first, without its elements; and for an element in the cache, by
 * lanes. The last row is for an engine that was not measured. */
typedef struct row {
  const mms_engine *engine;
  const char *kernels;            /* of operators (mms_algebra.kernels); NULL: any other */
  const char *part;               /* where the kernel comes from, or a class of scans or units; NULL: any other */
  double start, scan, element[4]; /* by lanes, from MMS_LANES_F32 on */
} row;

/* SHORT: many scans of fewer than MMS_ESTIMATE_SHORT elements. FEW: many of fewer than MMS_KERNEL_IN_ORDER. COUNTS: by
 * a unit that counts its additions, in a plain loop. */
static const char SHORT[] = "short", FEW[] = "few", COUNTS[] = "counts";

static const row table[] = {
    {&mms_engine_serial, "order", SHORT, 4, 0.4, {0.41, 0.41, 0.27, 0.30}},
    {&mms_engine_serial, "order", NULL, 4, 1, {0.28, 0.28, 0.35, 0.35}},
    {&mms_engine_serial, "mul", SHORT, 4, 0.4, {0.26, 0.26, 0.27, 0.30}},
    {&mms_engine_serial, "mul", NULL, 4, 1, {0.70, 0.70, 0.70, 0.70}},
    {&mms_engine_serial, "logaddexp", NULL, 4, 1, {23, 24, 23, 24}},
    {&mms_engine_serial, NULL, SHORT, 4, 0.4, {0.19, 0.19, 0.27, 0.27}},
    {&mms_engine_serial, NULL, NULL, 4, 1, {0.50, 0.52, 0.27, 0.29}},
    {&mms_engine_simd, "logaddexp", FEW, 20, 1, {23, 24, 23, 24}},
    {&mms_engine_simd, "logaddexp", "avx512", 700, 700, {1.4, 3.6, 1.4, 3.6}},
    {&mms_engine_simd, "logaddexp", "avx2", 600, 600, {3.0, 8.9, 3.0, 8.9}},
    {&mms_engine_simd, "logaddexp", NULL, 500, 500, {6.3, 19, 6.3, 19}},
    {&mms_engine_simd, NULL, FEW, 20, 0.1, {0.12, 0.14, 0.12, 0.14}},
    {&mms_engine_simd, NULL, "avx512", 20, 1, {0.062, 0.102, 0.048, 0.080}},
    {&mms_engine_simd, NULL, "avx512vl", 20, 1, {0.082, 0.117, 0.071, 0.119}},
    {&mms_engine_simd, "mul", "avx2", 20, 1.2, {0.123, 0.176, 0.093, 0.66}},
    {&mms_engine_simd, "order", "avx2", 20, 1.2, {0.098, 0.133, 0.095, 0.170}},
    {&mms_engine_simd, NULL, "avx2", 20, 1.2, {0.098, 0.133, 0.080, 0.112}},
    {&mms_engine_simd, NULL, "loop", 25, 10, {0.70, 0.70, 0.70, 0.70}},
    {&mms_engine_simd, NULL, NULL, 20, 4, {0.187, 0.31, 0.123, 0.246}},
    {&mms_engine_gemm, NULL, COUNTS, 2000, 2000, {4, 4, 4, 8}},
    {&mms_engine_gemm, NULL, NULL, 230, 230, {0.20, 0.40, 0.37, 0.69}},
    {NULL, NULL, NULL, 2000, 2000, {4, 4, 4, 8}},
};

/* Nanoseconds to start a team of threads and to wait for the last of them. */
static double team(void) {
  if (!mms_tuning_here.has_dies) return 2200;
  return mms_cluster_apart_of_late() ? 2600 : 1500;
}

/* NULL in a row stands for any. Most names differ in their first letter, which takes no call to see. */
static bool is(const char *of_row, const char *name) {
  return !of_row || (name && *of_row == *name && strcmp(of_row, name) == 0);
}

static bool is_of(const row *r, const mms_engine *engine, const char *kernels, const char *part) {
  return (!r->engine || r->engine == engine) && is(r->kernels, kernels) && is(r->part, part);
}

static const char *part_of(const mms_engine *engine, const mms_job *job, mms_shape shape) {
  if (engine->has_unit) return job->unit->counts ? COUNTS : NULL;
  if (engine->has_isa)
    return shape.batch > 1 && shape.n < MMS_KERNEL_IN_ORDER ? FEW : job->kernel->origin[MMS_SLOT_CORE];
  return shape.batch > 1 && shape.n < MMS_ESTIMATE_SHORT ? SHORT : NULL;
}

static const row *row_of(const mms_engine *engine, const mms_job *job, mms_shape shape) {
  const char *part = part_of(engine, job, shape);
  const row *r = table;
  while (!is_of(r, engine, shape.algebra->kernels, part)) r++;
  return r;
}

static double element(const row *r, mms_lanes lanes) {
  return r->element[(lanes == MMS_LANES_NONE ? MMS_LANES_I32 : lanes) - MMS_LANES_F32];
}

/* Time relative to s = 4. Kernels take apart blocks for s = 2, 4, 8 and 16 (by rows); for any other s, elements are
 * moved one by one. */
static double by_size(size_t s) {
  if (s == 0) return 1; /* an engine without s, or its default */
  return s == 2 || s == 4 || s == 8 || s == 16 ? 1 + ((double)s - 4) / 16 : 5 + (double)s / 12;
}

/* Elements of the thread that has most. Threads get whole tiles, or whole scans if the engine has no tiles. The
 * remainder of a scan goes to a thread that has a tile fewer, if there is one. The result is an even share at least. */
static size_t most_of(const mms_job *job, mms_shape shape, int count) {
  if (count == 1) return shape.n * shape.batch; /* short scans have no time for divisions */
  const size_t piece = job->tile && job->tile < shape.n ? job->tile : shape.n, left = shape.n % piece;
  const size_t threads = (size_t)count, pieces = shape.n / piece * shape.batch, lefts = left ? shape.batch : 0;
  if (pieces % threads) {
    const size_t most = (pieces / threads + 1) * piece, evenly = shape.n * shape.batch / threads;
    return most > evenly ? most : evenly;
  }
  return pieces / threads * piece + (lefts + threads - 1) / threads * left;
}

/* Without the cost of a team of these threads. */
static double cost(const row *r, const mms_job *job, mms_shape shape, int threads) {
  const size_t elements = most_of(job, shape, threads), others = (shape.batch - 1) / (size_t)threads;
  return r->start + (double)others * r->scan +
         (double)elements * element(r, shape.algebra->lanes) * by_size(job->s) * mms_tuning_here.slower;
}

int mms_estimate_next_count(int threads, int most) { return threads > most / 2 ? most : 2 * threads; }

mms_cost mms_estimate(const mms_engine *engine, const mms_job *job, mms_shape shape, int most) {
  const row *r = row_of(engine, job, shape);
  if (shape.n == 0 || shape.batch == 0) return (mms_cost){.threads = 1};
  const double alone = cost(r, job, shape, 1), together = most > 1 ? team() : 0;
  mms_cost found = {.alone = alone, .least = alone, .threads = 1};
  for (int count = 1; count < most && found.least > together;) {
    count = mms_estimate_next_count(count, most);
    const double here = together + cost(r, job, shape, count);
    if (here >= found.least) continue;
    found.least = here;
    found.threads = count;
  }
  return found;
}
