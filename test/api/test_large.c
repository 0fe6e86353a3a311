/* test_large.c: scans of more elements than 32 bits count, and conversions that find next to no memory.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>

#include "support/child.h"
#include "support/sanitized.h"

/* ---- More than 2^31 elements ------------------------------------------------------------------------------------- */

/* Memory that was taken for a test, and serves the next one: pages that are new take longer than the scans. */
static uint8_t *kept;
static size_t kept_bytes;

/* Bytes of ones. Skips the test where there is not much more memory than that, or where all takes long. */
static uint8_t *many_ones(size_t bytes) {
  struct sysinfo here;
  skip_if(quick() || is_instrumented(), "takes long");
  if (kept_bytes < bytes) {
    skip_if(sysinfo(&here) != 0 || here.freeram * here.mem_unit < bytes + bytes / 8, "not enough memory");
    uint8_t *x = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    skip_if(x == MAP_FAILED, "no memory");
    kept = x;
    kept_bytes = bytes;
  }
  memset(kept, 1, bytes);
  return kept;
}

/* Whether y[i] is times * (i + 1), in 8 bits. */
static bool counts_by(const uint8_t *y, size_t n, uint8_t times) {
  enum { PERIOD = 256, MANY = 1 << 16 };
  static uint8_t right[MANY];
  for (size_t i = 0; i < MANY; i++) right[i] = (uint8_t)(times * (i + 1));
  bool is = true;
  for (size_t i = 0; i < n && is; i += MANY) is = memcmp(y + i, right, smaller(MANY, n - i)) == 0;
  return is;
}

/* Along the rows, and then along the columns, of which there are more than 2^26. */
TEST(test_many) {
  enum { ROWS = 65 };
  const size_t n = ((size_t)1 << 26) + 1;
  uint8_t *y = many_ones(ROWS * n);
  mmscan_desc desc = MMSCAN_DESC(MMSCAN_U8, MMSCAN_PLUS, MMSCAN_INCLUSIVE, n);
  desc.batch = ROWS;
  desc.x_dist = desc.y_dist = (ptrdiff_t)n;
  assert_mmscan_ok(mmscan_scan(&desc, y, y));
  for (size_t r = 0; r < ROWS; r++) assert_true(counts_by(y + r * n, n, 1));
  desc.n = ROWS;
  desc.x_stride = desc.y_stride = (ptrdiff_t)n;
  desc.batch = n;
  desc.x_dist = desc.y_dist = 1;
  assert_mmscan_ok(mmscan_scan(&desc, y, y));
  for (size_t r = 0; r < ROWS; r++) assert_true(counts_by(y + r * n, n, (uint8_t)(r + 1)));
}

TEST(test_long) {
  const size_t n = ((size_t)1 << 31) + 10;
  uint8_t *y = many_ones(n);
  const mmscan_desc desc = MMSCAN_DESC(MMSCAN_U8, MMSCAN_PLUS, MMSCAN_INCLUSIVE, n);
  assert_mmscan_ok(mmscan_scan(&desc, y, y));
  assert_true(counts_by(y, n, 1));
}

/* ---- Little memory ----------------------------------------------------------------------------------------------- */

enum { N = 1 << 21, THREADS = 2, MOST_MORE = 256 << 10, NOT_HERE = 77 };
static _Alignas(64) char x[16 * N], y[3 * 16 * N];

static mmscan_desc little_desc(mmscan_type x_type, mmscan_type y_type, ptrdiff_t y_stride) {
  mmscan_desc desc = MMSCAN_DESC(x_type, MMSCAN_PLUS, MMSCAN_INCLUSIVE, N);
  desc.y_type = y_type;
  desc.y_stride = y_stride;
  return desc;
}

/* By an engine that is asked for, so that nothing stands in for it; threads are there already. */
static int scan_with_little(void) {
  static const mmscan_type pairs[][2] = {
      {MMSCAN_U8, MMSCAN_U32},    {MMSCAN_U8, MMSCAN_U64},  {MMSCAN_I32, MMSCAN_I64},
      {MMSCAN_F32, MMSCAN_F64},   {MMSCAN_F16, MMSCAN_F32}, {MMSCAN_I8, MMSCAN_I8},
      {MMSCAN_BF16, MMSCAN_BF16}, {MMSCAN_C32, MMSCAN_C32}, {MMSCAN_F64, MMSCAN_C64}};
  const mmscan_choice choice = {.struct_size = sizeof choice, .engine = "simd", .threads = THREADS};
  unsigned long pages = 0;
  const mmscan_desc first = little_desc(MMSCAN_F32, MMSCAN_F32, 1);
  mmscan_choice used;
  mmscan_plan *plan = plan_new(&first, &choice, &used);
  if (mmscan_execute(plan, x, y) != MMSCAN_OK) return 1;
  mmscan_plan_destroy(plan);
  FILE *from = fopen("/proc/self/statm", "r");
  if (!from || fscanf(from, "%lu", &pages) != 1) return NOT_HERE;
  fclose(from);
  const rlim_t most = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + MOST_MORE;
  if (setrlimit(RLIMIT_AS, &(struct rlimit){most, most}) != 0) return NOT_HERE;
  if (malloc(2 * MOST_MORE)) return NOT_HERE;
  for (size_t i = 0; i < COUNT(pairs); i++)
    for (ptrdiff_t stride = 1; stride <= 3; stride += 2) {
      const mmscan_desc desc = little_desc(pairs[i][0], pairs[i][1], stride);
      if (mmscan_plan_create_with(&plan, &desc, MMSCAN_ESTIMATE, &choice) != MMSCAN_OK) return 2;
      if (mmscan_execute(plan, x, y) != MMSCAN_OK) return 3;
      mmscan_plan_destroy(plan);
    }
  return 0;
}

TEST(test_little_memory) {
  skip_if(is_instrumented(), "an instrument takes memory of its own");
  const pid_t pid = fork_mortal();
  if (pid == 0) become_self("little", NULL, 0);
  const int status = exit_of(pid);
  skip_if(status == NOT_HERE, "memory cannot be limited here");
  assert_int_equal(status, 0);
}

int main(int argc, char **argv) {
  if (argc > 1) return scan_with_little();
  wait_passively(argv);
  return run_all_tests(NULL, NULL);
}
