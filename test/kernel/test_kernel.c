/* test_kernel.c: kernels called directly, for cases that calls through a plan reach only by chance.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>
#include <math.h>

#include "base/stream.h"
#include "base/tuning.h"
#include "engine/gemm/rows.h"
#include "support/kernels.h"
#include "support/oracle.h"

/* ---- Instruction sets -------------------------------------------------------------------------------------------- */

typedef void check_isa(const mms_isa *isa);

static void for_each_isa(check_isa *check) {
  const char *name;
  for (size_t i = 0; (name = mms_isa_name(i)) != NULL; i++) {
    const mms_isa *isa = mms_isa_at(i);
    print_message("%s%s\n", name, isa ? "" : ": skipped, as it does not run here");
    if (isa) check(isa);
  }
}

static bool is_one_of(const char *name, const mms_isa *isa) {
  bool is = strcmp(name, isa->name) == 0;
  size_t i = 0;
  while (mms_isa_at(i) != isa) i++;
  for (; mms_isa_name(i) != NULL; i++) is = is || (mms_isa_at(i) && strcmp(name, mms_isa_name(i)) == 0);
  return is;
}

/* All slots are filled: natively, from a later instruction set that runs, or from the core; by the plain loop where
 * there are no kernels. Streams may be missing. */
static void check_slots(const mms_isa *isa, const mms_kernel *k) {
  const bool has_kernels = k->algebra->kernels != NULL && k->algebra->lanes != MMS_LANES_NONE;
  const char *core = k->origin[MMS_SLOT_CORE];
  assert_true(strcmp(core, "loop") == 0 ? k->vector == 0 : has_kernels && is_one_of(core, isa));
  for (int slot = MMS_SLOT_SIMPLE; slot < MMS_SLOTS; slot++) {
    const char *origin = k->origin[slot];
    const bool is_stream = slot == MMS_SLOT_STREAM || slot == MMS_SLOT_STREAM_REVERSE;
    assert_true(origin || is_stream);
    const bool is_made = origin && strcmp(origin, slot == MMS_SLOT_SEGMENTS ? "loop" : "scan") == 0 && !is_stream;
    assert_true(!origin || is_made || is_one_of(origin, isa));
  }
  for (mmscan_kind kind = MMSCAN_INCLUSIVE; kind <= MMSCAN_EXCLUSIVE; kind++) {
    assert_non_null(k->simple[kind]);
    for (int back = 0; back < 2; back++) {
      assert_non_null(k->scan[kind][back]);
      assert_non_null(k->batch[kind][back]);
      assert_int_equal(k->stream[kind][back] != NULL, k->origin[MMS_SLOT_STREAM + back] != NULL);
    }
  }
}

/* The row is found by its name, and has a kernel for each row of the algebra. */
static void check_is_itself(const mms_isa *isa) {
  const mms_isa *found;
  assert_true(mms_isa_find(isa->name, &found));
  assert_ptr_equal(found, isa);
  for (size_t a = 0; a < MMS_ROWS; a++) {
    const mms_kernel *k = mms_kernel_of(isa, mms_algebra_at(a));
    assert_ptr_equal(k->algebra, mms_algebra_at(a));
    check_slots(isa, k);
  }
}

/* The cells of sums are native in every instruction set: their cores are functions of its own. */
static void check_sums_are_native(const mms_isa *isa) {
  for (size_t t = 0; t < TYPES; t++) {
    const mms_kernel *k = plus_kernel(isa, type_at(t)->type);
    assert_string_equal(k->origin[MMS_SLOT_CORE], isa->name);
    for (size_t i = 0; mms_isa_name(i) != NULL; i++)
      if (mms_isa_at(i) && mms_isa_at(i) != isa)
        assert_true(k->total != plus_kernel(mms_isa_at(i), type_at(t)->type)->total);
  }
}

/* Float sums inherit only from vectors of the same length, as their bits depend on it. */
static void check_inherits_bits(const mms_isa *isa) {
  for (size_t a = 0; a < MMS_ROWS; a++) {
    const mms_kernel *k = mms_kernel_of(isa, mms_algebra_at(a));
    for (int slot = 0; slot < MMS_SLOTS && !k->algebra->is_exact; slot++) {
      const mms_isa *from;
      if (k->origin[slot] && mms_isa_find(k->origin[slot], &from))
        assert_int_equal(mms_kernel_of(from, k->algebra)->vector, k->vector);
    }
  }
}

TEST(test_rows_are_themselves) {
  for_each_isa(check_is_itself);
  for_each_isa(check_sums_are_native);
  for_each_isa(check_inherits_bits);
}

/* ---- On the way -------------------------------------------------------------------------------------------------- */

enum { LONGEST = 9001 };

/* What a scan finds of its own elements takes the carry to where what total() finds does; of those ahead it is the
 * same; and y is the same as without, also in place. Bits of `way`: paced, ahead, streamed, reverse, exclusive. */
static void check_total_aside(const mms_kernel *kernel, const struct sample *sample, size_t n, unsigned way) {
  const size_t size = sample->oracle.type->size;
  const mmscan_kind kind = way & 1 ? MMSCAN_EXCLUSIVE : MMSCAN_INCLUSIVE;
  const bool reverse = way & 2, streams = way & 4;
  const void *ahead = way & 8 ? (const char *)sample->x + (LONGEST - n) * size : NULL;
  mms_kernel_scan *scan = (streams ? kernel->stream : kernel->scan)[kind][reverse];
  if (!scan) return;
  mms_found want, found;
  mms_value alone = {.u64 = 0}, carry;
  struct buffer y = buffer_new(n * size, 0), want_y = buffer_new(n * size, 0);
  memcpy(&alone, (const char *)sample->x + (LONGEST - 1) * size, size);
  carry = alone;
  const mms_value first = alone;
  memcpy(y.data, sample->x, n * size);
  kernel->total(kernel, n, ahead ? ahead : sample->x, reverse, &want);
  kernel->scan[kind][reverse](kernel, n, sample->x, want_y.data, &alone, NULL);
  const mms_aside aside = {.found = &found, .ahead = ahead, .paces = way & 16};
  scan(kernel, n, streams ? sample->x : y.data, y.data, &carry, &aside);
  mms_value past_want = first, past_found = first;
  kernel->advance(kernel, &past_want, &want.total);
  kernel->advance(kernel, &past_found, &found.total);
  if (memcmp(&past_want, &past_found, size) != 0 || want.is_ordinary != found.is_ordinary ||
      want.is_finite != found.is_finite || (ahead && memcmp(&want.total, &found.total, size) != 0))
    fail_seeded("%s, n %zu, way %u: another total than by itself", sample->oracle.type->name, n, way);
  if (memcmp(y.data, want_y.data, n * size) != 0 || memcmp(&carry, &alone, sizeof carry) != 0)
    fail_seeded("%s, n %zu, way %u: adding up made a difference", sample->oracle.type->name, n, way);
  buffer_free(&y);
  buffer_free(&want_y);
}

static void check_totals_aside(const mms_isa *isa) {
  static const size_t lengths[] = {1, 31, 100, 128, 700, 2048, 3000, LONGEST};
  for (size_t t = 0; t < TYPES; t++) {
    struct sample sample = sample_new(type_at(t), RANDOM, LONGEST);
    for (mmscan_op op = MMSCAN_PLUS; op; op = next_op(op, type_at(t)->type))
      for (size_t i = 0; i < COUNT(lengths); i++)
        for (unsigned way = quick() ? (unsigned)i % 3 : 0; way < 32; way += quick() ? 3 : 1)
          check_total_aside(kernel_of(isa, op, type_at(t)->type), &sample, lengths[i], way);
    sample_free(&sample);
  }
}

/* The plain loop continues where elements may not be regrouped; `ahead` has such an element in another place. */
static void check_totals_beside_large(const mms_isa *isa) {
  static const float large[] = {FLT_MAX / 4, INFINITY, -INFINITY};
  assert_int_equal(type_at(0)->type, MMSCAN_F32);
  for (size_t i = 0; i < COUNT(large); i++)
    for (size_t at = 0; at < LONGEST; at += 1500) {
      struct sample sample = sample_new(type_at(0), RANDOM, LONGEST);
      ((float *)sample.x)[at] = large[i];
      for (unsigned way = 0; way < 32; way++)
        check_total_aside(plus_kernel(isa, MMSCAN_F32), &sample, way & 8 ? 6000 : LONGEST, way);
      sample_free(&sample);
    }
}

/* With both ways of prefetching. */
TEST(test_totals_aside) {
  const mms_tuning here = mms_tuning_here;
  for (int fetches = 0; fetches < 2; fetches++) {
    mms_tuning_here.fetches = fetches;
    for_each_isa(check_totals_aside);
    for_each_isa(check_totals_beside_large);
  }
  mms_tuning_here = here;
}

/* What a scan is asked to prefetch is not read, and need not exist. */
static void check_one_asked_for(const mms_kernel *kernel, const struct sample *sample, size_t n, const void *asked,
                                unsigned way) {
  const size_t bytes = n * sample->oracle.type->size;
  const mmscan_kind kind = way & 1 ? MMSCAN_EXCLUSIVE : MMSCAN_INCLUSIVE;
  const bool reverse = way & 2, streams = way & 4;
  mms_kernel_scan *scan = (streams ? kernel->stream : kernel->scan)[kind][reverse];
  mms_value alone = {.u64 = 0}, carry = alone;
  if (!scan) return;
  struct buffer want = buffer_new(bytes, 0), y = buffer_new(bytes, 0);
  scan(kernel, n, sample->x, want.data, &alone, NULL);
  scan(kernel, n, sample->x, y.data, &carry, &(mms_aside){.prefetch = asked});
  if (memcmp(y.data, want.data, bytes) != 0 || memcmp(&carry, &alone, sizeof carry) != 0)
    fail_seeded("%s, n %zu, way %u: asking for %p made a difference", sample->oracle.type->name, n, way, asked);
  buffer_free(&want);
  buffer_free(&y);
}

enum { ROWS = 16, COLUMNS = 48 };

/* Only forward scans are streamed. */
static void put_together(const mms_rows *kernels, const mms_byrows *rows, void *y, mmscan_kind kind, bool reverse,
                         bool streams) {
  if (streams && !reverse)
    kernels->stream(rows, y, kind);
  else
    kernels->from_rows(rows, y, kind, reverse);
}

/* Those of the instruction set itself, or of another with vectors of the same length. */
static const mms_rows *rows_of(const mms_isa *isa, mmscan_type type) {
  const char *origin;
  const mms_kernel *kernel = plus_kernel(isa, type);
  const mms_rows *rows = mms_rows_of(isa, kernel->algebra, &origin);
  assert_non_null(rows);
  assert_int_equal(rows->vector, kernel->vector);
  assert_true(is_one_of(origin, isa));
  return rows;
}

/* Kernels that put columns together do not read it either. The rows are zeros, so results are only what comes before
 * the columns. */
static void check_rows_asked_for(const mms_rows *kernels, const struct type *type, size_t s, const void *asked,
                                 unsigned way) {
  const size_t bytes = s * COLUMNS * type->size;
  static const double none[ROWS * COLUMNS], before[COLUMNS] = {1, 2, 3, 4, 5, 6, 7, 8};
  mms_byrows rows = {.s = s, .columns = COLUMNS, .stride = COLUMNS};
  for (int p = 0; p < 2; p++) {
    rows.plane[p] = (void *)(uintptr_t)none;
    rows.before[p] = before;
  }
  struct buffer want = buffer_new(bytes, 0), y = buffer_new(bytes, 0);
  kernels->from_rows(&rows, want.data, MMSCAN_INCLUSIVE, false);
  rows.prefetch = asked;
  put_together(kernels, &rows, y.data, way & 1 ? MMSCAN_EXCLUSIVE : MMSCAN_INCLUSIVE, way & 2, way & 4);
  mms_stream_fence();
  if (memcmp(y.data, want.data, bytes) != 0)
    fail_seeded("%s, s %zu, way %u: asking for %p made a difference", type->name, s, way, asked);
  buffer_free(&want);
  buffer_free(&y);
}

/* Nor do kernels that take columns apart. There are many columns: for few, narrow vectors prefetch nothing. */
static void check_apart_asked_for(const mms_rows *kernels, const struct sample *sample, size_t s, const void *asked) {
  enum { MANY = 544, BYTES = ROWS * MANY * sizeof(double) };
  struct buffer want[2], plane[2];
  mms_byrows rows = {.s = s, .columns = MANY, .stride = MANY};
  mms_found alone, found;
  for (int p = 0; p < 2; p++) want[p] = buffer_new(BYTES, 0), plane[p] = buffer_new(BYTES, 0);
  for (int p = 0; p < 2; p++) rows.plane[p] = memset(want[p].data, 0, BYTES);
  kernels->to_rows(&rows, sample->x, &alone);
  for (int p = 0; p < 2; p++) rows.plane[p] = memset(plane[p].data, 0, BYTES);
  rows.prefetch = asked;
  kernels->to_rows(&rows, sample->x, &found);
  if (memcmp(&found.total, &alone.total, sample->oracle.type->size) != 0 ||
      memcmp(plane[0].data, want[0].data, BYTES) != 0 || memcmp(plane[1].data, want[1].data, BYTES) != 0)
    fail_seeded("%s, s %zu: asking for %p made a difference", sample->oracle.type->name, s, asked);
  for (int p = 0; p < 2; p++) buffer_free(&want[p]), buffer_free(&plane[p]);
}

static void check_asked_for(const mms_isa *isa) {
  static const size_t lengths[] = {1, 100, 2048, LONGEST}, rows[] = {2, 3, 4, 8, ROWS};
  for (size_t t = 0; t < TYPES; t++) {
    struct sample sample = sample_new(type_at(t), RANDOM, LONGEST);
    const mmscan_type type = type_at(t)->type;
    const void *const asked[] = {(void *)4096, sample.x};
    for (mmscan_op op = MMSCAN_PLUS; op; op = next_op(op, type))
      for (size_t i = 0; i < COUNT(lengths); i++)
        for (size_t k = 0; k < COUNT(asked); k++)
          for (unsigned way = 0; way < 8; way++)
            check_one_asked_for(kernel_of(isa, op, type), &sample, lengths[i], asked[k], way);
    for (size_t i = 0; i < COUNT(rows); i++)
      for (unsigned way = 0; way < 8; way++)
        check_rows_asked_for(rows_of(isa, type), type_at(t), rows[i], asked[0], way);
    for (size_t i = 0; i < COUNT(rows); i++) check_apart_asked_for(rows_of(isa, type), &sample, rows[i], asked[0]);
    sample_free(&sample);
  }
}

TEST(test_asked_for) { for_each_isa(check_asked_for); }

/* ---- What comes before columns ----------------------------------------------------------------------------------- */

/* Small integers as numbers of a unit. */
static int get_number(mmscan_type type, const void *x, size_t i) {
  return (int)(type == MMSCAN_F32 ? ((const float *)x)[i] : ((const double *)x)[i]);
}

/* A matrix of small integers by rows, in planes with room around them, and what comes before its columns. */
struct matrix {
  mms_byrows rows;
  mmscan_type type; /* of its numbers */
  struct buffer plane[2], before[2];
};

enum { GAP = 3, IN_FRONT = 2, LARGE_NUMBER = 100 }; /* between rows; identities before a row; the rest of the gaps */

/* Stores what comes before each column, backwards from the last column if `reverse`, and the identities. */
static void scan_totals(struct matrix *m, int plane, bool reverse) {
  const size_t first = GAP + (reverse ? 0 : m->rows.s - 1) * m->rows.stride;
  int sum = 0;
  for (size_t k = 0; k < m->rows.columns; k++) {
    const size_t j = reverse ? m->rows.columns - 1 - k : k;
    put_float(m->type, m->before[plane].data, j, sum);
    sum += get_number(m->type, m->plane[plane].data, first + j);
  }
  for (size_t i = 0; i < IN_FRONT; i++) {
    const size_t at = reverse ? first + m->rows.columns + i : first - 1 - i;
    put_float(m->type, m->plane[plane].data, at, -0.0);
  }
}

static struct matrix matrix_new(const struct type *type, size_t s, size_t columns, bool reverse) {
  const size_t stride = columns + GAP, count = GAP + s * stride;
  struct matrix m = {.rows = {.s = s, .columns = columns, .stride = stride},
                     .type = type->type == MMSCAN_F32 ? MMSCAN_F32 : MMSCAN_F64};
  for (int p = 0; p < 2; p++) {
    m.plane[p] = buffer_new(count * sizeof(double), 0);
    m.before[p] = buffer_new((columns + 1) * sizeof(double), 0);
    for (size_t i = 0; i < count; i++) put_float(m.type, m.plane[p].data, i, LARGE_NUMBER);
    for (size_t i = 0; i < s; i++)
      for (size_t j = 0; j < columns; j++)
        put_float(m.type, m.plane[p].data, GAP + i * stride + j,
                  (double)((5 * i + 3 * j + j * j / 5 + (size_t)p) % 7 + 1));
    scan_totals(&m, p, reverse);
    m.rows.plane[p] = (char *)m.plane[p].data + GAP * (m.type == MMSCAN_F32 ? sizeof(float) : sizeof(double));
  }
  return m;
}

/* What comes before columns is found on the way, with the same results as if it were given. Bits of `way`: streamed,
 * reverse, exclusive. */
static void check_before(const mms_rows *kernels, const struct type *type, size_t s, size_t columns, unsigned way) {
  const mmscan_kind kind = way & 1 ? MMSCAN_EXCLUSIVE : MMSCAN_INCLUSIVE;
  const bool reverse = way & 2;
  const size_t bytes = s * columns * type->size, offset = (s + columns + way) % 5 * type->size;
  struct matrix m = matrix_new(type, s, columns, reverse);
  struct buffer want = buffer_new(bytes, 0), y = buffer_new(bytes, offset);
  for (int p = 0; p < 2; p++) m.rows.before[p] = m.before[p].data;
  kernels->from_rows(&m.rows, want.data, kind, reverse);
  for (int p = 0; p < 2; p++) m.rows.before[p] = NULL;
  put_together(kernels, &m.rows, y.data, kind, reverse, way & 4);
  mms_stream_fence();
  if (memcmp(y.data, want.data, bytes) != 0 || !buffer_intact(&y))
    fail_seeded("%s, s %zu, %zu columns, way %u: what is found on the way is wrong", type->name, s, columns, way);
  for (int p = 0; p < 2; p++) buffer_free(&m.plane[p]), buffer_free(&m.before[p]);
  buffer_free(&want);
  buffer_free(&y);
}

static void check_befores(const mms_isa *isa) {
  static const size_t rows[] = {2, 3, 4, 8, ROWS}, columns[] = {1, 2, 7, 15, 16, 17, 31, 32, 67, 128};
  for (size_t t = 0; t < TYPES; t++)
    for (size_t i = 0; i < COUNT(rows); i++)
      for (size_t k = 0; k < COUNT(columns); k++)
        for (unsigned way = 0; way < 8; way++)
          check_before(rows_of(isa, type_at(t)->type), type_at(t), rows[i], columns[k], way);
}

TEST(test_before_columns) { for_each_isa(check_befores); }

/* ---- Simple calls ------------------------------------------------------------------------------------------------ */

/* Checks the bits of a scan, also in place, and that nothing beside y changes. Bits of `way`: in place, exclusive. */
static void check_simple(const mms_kernel *kernel, const struct sample *sample, size_t n, mms_value first,
                         unsigned way) {
  const struct type *type = sample->oracle.type;
  const mmscan_kind kind = way & 1 ? MMSCAN_EXCLUSIVE : MMSCAN_INCLUSIVE;
  struct buffer want = buffer_new(n * type->size, 0), y = buffer_new(n * type->size, type->size);
  mms_value carry = first;
  memcpy(y.data, sample->x, n * type->size);
  kernel->scan[kind][false](kernel, n, sample->x, want.data, &carry, NULL);
  if (kernel->simple[kind](kernel, n, way & 2 ? y.data : sample->x, y.data, (mms_first){.u64 = first.u64}) !=
          MMSCAN_OK ||
      memcmp(y.data, want.data, n * type->size) != 0)
    fail_seeded("%s, n %zu, way %u: a simple call gives something else", type->name, n, way);
  buffer_free(&want);
  buffer_free(&y);
}

enum { SHORT = 140 };

static void check_simples(const mms_isa *isa) {
  for (size_t t = 0; t < TYPES; t++) {
    const mms_kernel *kernel = plus_kernel(isa, type_at(t)->type);
    struct sample sample = sample_new(type_at(t), RANDOM, LONGEST);
    mms_value first = {.u64 = 0};
    memcpy(&first, (char *)sample.x + SHORT * sizeof first, type_at(t)->size);
    for (unsigned way = 0; way < 4; way++) {
      for (size_t n = kernel->few + 1; n <= SHORT; n++) check_simple(kernel, &sample, n, first, way);
      check_simple(kernel, &sample, LONGEST, first, way);
    }
    sample_free(&sample);
  }
}

/* Elements, or a carry, with which the plain loop overflows, while other groupings do not. */
static void check_simples_beside_large(const mms_isa *isa) {
  const mms_kernel *kernel = plus_kernel(isa, MMSCAN_F32);
  const float small = FLT_MAX / (1 << 21);
  struct sample sample = sample_new(type_at(0), RANDOM, SHORT);
  float *x = sample.x;
  assert_int_equal(type_at(0)->type, MMSCAN_F32);
  for (size_t n = kernel->few + 1; n <= SHORT; n++)
    for (unsigned way = 0; way < 4; way++) {
      for (size_t i = 0; i < n; i++) x[i] = i % 2 ? -small : small;
      check_simple(kernel, &sample, n, (mms_value){.f32 = FLT_MAX}, way);
      for (size_t i = 0; i < n; i++) x[i] = i % 4 < 2 ? FLT_MAX : -FLT_MAX;
      check_simple(kernel, &sample, n, (mms_value){.f32 = -0.0f}, way);
    }
  sample_free(&sample);
}

TEST(test_simple_calls) {
  for_each_isa(check_simples);
  for_each_isa(check_simples_beside_large);
}

/* ---- Past the caches --------------------------------------------------------------------------------------------- */

enum { AROUND = 128, UNTOUCHED = 0xA5 }; /* bytes around y, and in them */

static bool is_untouched(const unsigned char *bytes, size_t size) {
  size_t i = 0;
  while (i < size && bytes[i] == UNTOUCHED) i++;
  return i == size;
}

/* Whatever the address of y, streaming gives the same bits as storing, and writes nothing beside y. */
static void check_streamed(const mms_kernel *kernel, const struct sample *sample, size_t n, size_t offset,
                           unsigned way) {
  const struct type *type = sample->oracle.type;
  const size_t bytes = n * type->size;
  const mmscan_kind kind = way & 1 ? MMSCAN_EXCLUSIVE : MMSCAN_INCLUSIVE;
  const bool reverse = way & 2, is_added_up = way & 4, paces = way & 8;
  struct buffer want = buffer_new(bytes, 0), room = buffer_new(bytes + 2 * AROUND, 0);
  unsigned char *y = room.data + AROUND / 2 + offset * type->size, *end = room.data + bytes + 2 * AROUND;
  mms_found found;
  mms_value stored = {.u64 = 0}, streamed = stored;
  if (!kernel->stream[kind][reverse]) {
    buffer_free(&want);
    buffer_free(&room);
    return;
  }
  memset(room.data, UNTOUCHED, bytes + 2 * AROUND);
  kernel->scan[kind][reverse](kernel, n, sample->x, want.data, &stored, NULL);
  kernel->stream[kind][reverse](kernel, n, sample->x, y, &streamed,
                                &(mms_aside){.found = is_added_up ? &found : NULL, .paces = paces});
  if (memcmp(y, want.data, bytes) != 0 || memcmp(&streamed, &stored, sizeof stored) != 0)
    fail_seeded("%s, n %zu, %zu elements off, way %u: streamed otherwise than stored", type->name, n, offset, way);
  if (!is_untouched(room.data, (size_t)(y - room.data)) || !is_untouched(y + bytes, (size_t)(end - y) - bytes))
    fail_seeded("%s, n %zu, %zu elements off, way %u: streamed beside y", type->name, n, offset, way);
  buffer_free(&want);
  buffer_free(&room);
}

static void check_streams(const mms_isa *isa) {
  static const size_t lengths[] = {1, 7, 31, 33, 64, 130, 2048, 4096 + 64, 9001};
  for (size_t t = 0; t < TYPES; t++) {
    const struct type *type = type_at(t);
    struct sample sample = sample_new(type, RANDOM, 9001);
    for (mmscan_op op = MMSCAN_PLUS; op; op = next_op(op, type->type))
      for (size_t i = 0; i < COUNT(lengths); i++)
        for (size_t offset = 0; offset * type->size < 64; offset++)
          for (unsigned way = quick() ? offset % 7 : 0; way < 16; way += quick() ? 7 : 1)
            check_streamed(kernel_of(isa, op, type->type), &sample, lengths[i], offset, way);
    sample_free(&sample);
  }
}

/* Elements that may not be regrouped, early or late in a block in the middle: the plain loop continues from the start
 * of the block, beside results that have yet to be streamed. */
static void check_streams_beside_large(const mms_isa *isa) {
  assert_int_equal(type_at(0)->type, MMSCAN_F32);
  for (size_t first = 68; first < 128; first += 32) {
    struct sample sample = sample_new(type_at(0), RANDOM, 9001);
    for (size_t at = first; at < 9001; at += 1234) ((float *)sample.x)[at] = FLT_MAX / 4;
    for (size_t offset = 0; offset < 16; offset++)
      for (unsigned way = 0; way < 16; way++) check_streamed(plus_kernel(isa, MMSCAN_F32), &sample, 9001, offset, way);
    sample_free(&sample);
  }
}

TEST(test_streams_to_any_y) {
  for_each_isa(check_streams);
  for_each_isa(check_streams_beside_large);
}

/* ---- NaNs -------------------------------------------------------------------------------------------------------- */

/* Quiet NaNs, and signalling ones, which some instructions treat like no other operand; of either sign. */
static const struct nan {
  uint32_t f32;
  uint64_t f64;
} nans[] = {{0x7fc00000, UINT64_C(0x7ff8000000000000)},
            {0xffc00001, UINT64_C(0xfff8000000000001)},
            {0x7fa00000, UINT64_C(0x7ff4000000000000)},
            {0xff800001, UINT64_C(0xfff0000000000001)}};

static void put_nan(mmscan_type type, void *x, size_t i, const struct nan *nan) {
  if (type == MMSCAN_F32)
    memcpy((float *)x + i, &nan->f32, sizeof nan->f32);
  else
    memcpy((double *)x + i, &nan->f64, sizeof nan->f64);
}

static double number(mmscan_type type, const void *x, size_t i) {
  return type == MMSCAN_F32 ? (double)((const float *)x)[i] : ((const double *)x)[i];
}

/* Multiples of the largest float that overflow in other groupings than the plain loop's; the shorter ones fit two lanes
 * and one. */
static const struct large {
  size_t count;
  double times[5];
} larges[] = {{5, {-1, 0, 1, 1, -1}}, {3, {-1, 1, 1}}, {3, {-0.45, 0.7, 0.7}}};

/* Such elements, and NaNs somewhere after them; everything before the NaNs is finite. Places are in scan order. */
struct beside_nan {
  mmscan_type type;
  bool reverse;
  const struct large *large;
  size_t at, nan_at, nan_count;
  const struct nan *nan;
};

static void fill_beside_nan(const struct beside_nan *b, void *x, size_t n) {
  const double largest = b->type == MMSCAN_F32 ? FLT_MAX : DBL_MAX;
  const size_t first = b->reverse ? n - 1 : 0, step = b->reverse ? (size_t)-1 : 1;
  for (size_t i = 0; i < n; i++) put_float(b->type, x, i, 0);
  for (size_t i = 0; i < b->large->count; i++)
    put_float(b->type, x, first + (b->at + i) * step, b->large->times[i] * largest);
  for (size_t i = 0; i < b->nan_count; i++) put_nan(b->type, x, first + (b->nan_at + i) * step, b->nan);
}

static void check_beside_nan(const mms_isa *isa, const struct beside_nan *b) {
  enum { N = 256 };
  double x[N], y[N], want[N];
  mms_value carry = {.f64 = 0}, loops = carry;
  fill_beside_nan(b, x, N);
  mms_algebra_of(MMSCAN_PLUS, b->type)->loop.scan[MMSCAN_INCLUSIVE][b->reverse](N, x, want, &loops);
  const mms_kernel *kernel = plus_kernel(isa, b->type);
  kernel->scan[MMSCAN_INCLUSIVE][b->reverse](kernel, N, x, y, &carry, NULL);
  for (size_t i = 0; i < N; i++) {
    const double got = number(b->type, y, i), loop = number(b->type, want, i);
    if (isfinite(got) != isfinite(loop) || isnan(got) != isnan(loop))
      fail_msg("%s, type %d, %s: %zu large elements from %zu, %zu NaN %#x from %zu: y[%zu] is %g, of the plain loop %g",
               isa->name, (int)b->type, b->reverse ? "reverse" : "forward", b->large->count, b->at, b->nan_count,
               (unsigned)b->nan->f32, b->nan_at, i, got, loop);
  }
}

static void check_nans_after(const mms_isa *isa, struct beside_nan b) {
  const size_t step = sized(1, 17), nan_step = sized(3, 5);
  for (b.nan_count = 1; b.nan_count <= 5; b.nan_count += 4)
    for (b.nan = nans; b.nan < nans + COUNT(nans); b.nan++)
      for (b.at = 0; b.at < 128; b.at += step)
        for (b.nan_at = b.at + b.large->count; b.nan_at < 160; b.nan_at += nan_step) check_beside_nan(isa, &b);
}

static void check_nans(const mms_isa *isa) {
  struct beside_nan b = {.at = 0};
  for (b.type = MMSCAN_F32; b.type <= MMSCAN_F64; b.type++)
    for (b.large = larges; b.large < larges + COUNT(larges); b.large++)
      for (int reverse = 0; reverse <= 1; reverse++) {
        b.reverse = reverse;
        check_nans_after(isa, b);
      }
}

TEST(test_large_elements_before_a_nan) { for_each_isa(check_nans); }

int main(void) { return run_all_tests(NULL, NULL); }
