/* test_api.c: what every call accepts, refuses and leaves alone. For the effect of the environment: test_environment.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <limits.h>

#include "support/flaw.h"
#include "support/matmul.h"
#include "support/oracle.h"

/* ---- Texts ------------------------------------------------------------------------------------------------------- */

TEST(test_version) {
  char text[64];
  snprintf(text, sizeof text, "%d.%d.%d", MMSCAN_VERSION_MAJOR, MMSCAN_VERSION_MINOR, MMSCAN_VERSION_PATCH);
  assert_string_equal(mmscan_version(), text);
  assert_ptr_equal(mmscan_version(), mmscan_version());
}

static void assert_is_line(const char *text) {
  assert_non_null(text);
  assert_true(text[0] != '\0' && strchr(text, '\n') == NULL);
}

TEST(test_strerror) {
  for (int a = MMSCAN_OK; a <= MMSCAN_EIO; a++)
    for (int b = MMSCAN_OK; b < a; b++)
      assert_string_not_equal(mmscan_strerror((mmscan_status)a), mmscan_strerror((mmscan_status)b));
  static const int numbers[] = {MMSCAN_OK, MMSCAN_EIO, MMSCAN_EIO + 1, 1000, -1, INT_MAX, INT_MIN};
  for (size_t i = 0; i < COUNT(numbers); i++) assert_is_line(mmscan_strerror((mmscan_status)numbers[i]));
}

typedef mmscan_status part_getter(size_t index, mmscan_part *part);

/* Returns the number of rows. */
static size_t check_table(part_getter *get, const char *const *known, size_t known_count) {
  mmscan_part part = {.struct_size = sizeof part}, other = part, wrong = {.struct_size = sizeof part - 1};
  size_t rows = 0, found = 0;
  for (; get(rows, &part) == MMSCAN_OK; rows++) {
    assert_is_line(part.name);
    assert_is_line(part.description);
    assert_true(part.threads >= 0);
    assert_int_equal(part.struct_size, sizeof part);
    for (size_t i = 0; i < known_count; i++) found += strcmp(part.name, known[i]) == 0;
    for (size_t before = 0; before < rows; before++) {
      assert_mmscan_ok(get(before, &other));
      assert_string_not_equal(other.name, part.name);
    }
  }
  assert_int_equal(found, known_count);
  assert_status(MMSCAN_EINVAL, get(rows, &part));
  assert_status(MMSCAN_EINVAL, get(SIZE_MAX, &part));
  assert_status(MMSCAN_EINVAL, get(0, NULL));
  assert_status(MMSCAN_EINVAL, get(0, &wrong));
  return rows;
}

TEST(test_what_is_inside) {
  check_table(mmscan_get_engine, (const char *const[]){"gemm", "simd", "serial"}, 3);
  check_table(mmscan_get_unit, (const char *const[]){"cblas", "model"}, 2);
  check_table(mmscan_get_isa, (const char *const[]){"avx512", "avx512vl", "avx2", "neon", "portable"}, 5);
  mmscan_part unit = {.struct_size = sizeof unit};
  for (size_t i = 0; mmscan_get_unit(i, &unit) == MMSCAN_OK; i++) {
    if (strcmp(unit.name, "cblas") == 0) assert_non_null(unit.library);
    if (strcmp(unit.name, "model") == 0) assert_null(unit.library);
  }
  assert_non_null(mmscan_isa());
  assert_true(mmscan_threads() >= 1);
  assert_null(mmscan_environment_error());
}

/* ---- Simple calls ------------------------------------------------------------------------------------------------ */

TEST(test_simple_calls_refuse) {
  for (size_t t = 0; t < TYPES; t++) {
    const struct type *type = type_at(t);
    unsigned char x[64] = {1, 2, 3}, y[64], untouched[64];
    memset(y, 0x5a, sizeof y);
    memcpy(untouched, y, sizeof y);
    for (size_t n = 1; n <= 100000; n *= 10) {
      assert_status(MMSCAN_EINVAL, type->inclusive(n, NULL, y));
      assert_status(MMSCAN_EINVAL, type->inclusive(n, x, NULL));
      assert_status(MMSCAN_EINVAL, type->inclusive(n, NULL, NULL));
      assert_status(MMSCAN_EINVAL, type->exclusive(n, NULL, NULL, y));
      assert_status(MMSCAN_EINVAL, type->exclusive(n, NULL, x, NULL));
    }
    const size_t huge[] = {SIZE_MAX,
                           SIZE_MAX - 1,
                           SIZE_MAX / type->size,
                           SIZE_MAX / type->size + 1,
                           (size_t)PTRDIFF_MAX / type->size + 1,
                           (SIZE_MAX - 63) / type->size};
    for (size_t i = 0; i < COUNT(huge); i++) {
      assert_status(MMSCAN_EINVAL, type->inclusive(huge[i], x, y));
      assert_status(MMSCAN_EINVAL, type->exclusive(huge[i], NULL, x, y));
      assert_status(MMSCAN_EINVAL, type->inclusive(huge[i], x, x));
    }
    assert_memory_equal(y, untouched, sizeof y);
  }
}

TEST(test_nothing_to_do) {
  unsigned char x[8] = {1};
  for (size_t t = 0; t < TYPES; t++) {
    assert_mmscan_ok(type_at(t)->inclusive(0, NULL, NULL));
    assert_mmscan_ok(type_at(t)->exclusive(0, NULL, NULL, NULL));
    assert_mmscan_ok(type_at(t)->inclusive(0, x, x + type_at(t)->size - 1));
    assert_mmscan_ok(type_at(t)->exclusive(0, NULL, x, NULL));
    for (size_t batch = 0; batch <= 3; batch++)
      for (size_t n = 0; n <= (batch == 0 ? 5 : 0); n += 5) {
        mmscan_desc desc = plain_desc(type_at(t)->type, MMSCAN_INCLUSIVE, 0, n);
        mmscan_plan *plan = NULL;
        desc.batch = batch;
        assert_mmscan_ok(mmscan_scan(&desc, NULL, NULL));
        assert_mmscan_ok(mmscan_scan(&desc, x, x));
        assert_mmscan_ok(mmscan_plan_create(&plan, &desc, MMSCAN_ESTIMATE));
        assert_mmscan_ok(mmscan_execute(plan, NULL, NULL));
        mmscan_plan_destroy(plan);
      }
  }
}

/* ---- Overlap ----------------------------------------------------------------------------------------------------- */

/* y from well before x to well after it, one element at a time. */
TEST(test_every_offset) {
  enum { N = 40, ARENA = 4 * N };
  for (size_t t = 0; t < TYPES; t++) {
    const struct type *type = type_at(t);
    struct buffer arena = buffer_new(ARENA * type->size, 0), before = buffer_new(ARENA * type->size, 0);
    memset(arena.data, 0, arena.size);
    memset(before.data, 0, before.size);
    for (size_t at = 0; at <= ARENA - N; at++) {
      const unsigned char *x = arena.data + (ARENA - N) / 2 * type->size;
      unsigned char *y = arena.data + at * type->size;
      bool partial = y != x && y + N * type->size > x && x + N * type->size > y;
      assert_status(partial ? MMSCAN_EOVERLAP : MMSCAN_OK, type->inclusive(N, x, y));
      assert_status(partial ? MMSCAN_EOVERLAP : MMSCAN_OK, type->exclusive(N, NULL, x, y));
      assert_memory_equal(arena.data, before.data, arena.size);
    }
    buffer_free(&arena);
    buffer_free(&before);
  }
}

TEST(test_overlap_of_large_arrays) {
  const size_t n = sized(1000000, 20000);
  float *arena = calloc(2 * n, sizeof *arena), *before = calloc(2 * n, sizeof *before);
  assert_true(arena != NULL && before != NULL);
  const size_t offsets[] = {1, 2, 15, 16, 17, n / 2, n - 1};
  for (size_t i = 0; i < COUNT(offsets); i++) {
    for (size_t k = 0; k < 2 * n; k++) arena[k] = before[k] = 1;
    assert_status(MMSCAN_EOVERLAP, mmscan_inclusive_f32(n, arena, arena + offsets[i]));
    assert_status(MMSCAN_EOVERLAP, mmscan_inclusive_f32(n, arena + offsets[i], arena));
    assert_memory_equal(arena, before, 2 * n * sizeof *arena);
  }
  assert_mmscan_ok(mmscan_inclusive_f32(n, arena, arena + n));
  assert_mmscan_ok(mmscan_inclusive_f32(n, arena + n, arena));
  free(arena);
  free(before);
}

/* Rows of x and y in one arena of cells. */
struct layout {
  size_t n, batch;
  ptrdiff_t x, y, x_dist, y_dist;
};

enum { CELLS = 96 };

/* The overlap rule of the header, cell by cell. */
static mmscan_status overlap_of(const struct layout *l) {
  bool is_x[CELLS] = {0}, is_y[CELLS] = {0}, shared = false;
  for (size_t r = 0; r < l->batch; r++)
    for (size_t i = 0; i < l->n; i++) {
      bool *cell = &is_y[l->y + (ptrdiff_t)r * l->y_dist + (ptrdiff_t)i];
      if (*cell) return MMSCAN_EOVERLAP;
      *cell = true;
      is_x[l->x + (ptrdiff_t)r * l->x_dist + (ptrdiff_t)i] = true;
    }
  if (l->x == l->y && (l->batch <= 1 || l->x_dist == l->y_dist)) return MMSCAN_OK;
  for (size_t i = 0; i < CELLS; i++) shared = shared || (is_x[i] && is_y[i]);
  return shared ? MMSCAN_EOVERLAP : MMSCAN_OK;
}

static void check_layout(const struct layout *l) {
  int32_t arena[CELLS], before[CELLS];
  for (int i = 0; i < CELLS; i++) arena[i] = before[i] = i + 1;
  mmscan_desc desc = plain_desc(MMSCAN_I32, MMSCAN_INCLUSIVE, 0, l->n);
  desc.batch = l->batch;
  desc.x_dist = l->x_dist;
  desc.y_dist = l->y_dist;
  mmscan_status want = overlap_of(l), got = mmscan_scan(&desc, arena + l->x, arena + l->y);
  if (got != want)
    fail_seeded("n %zu, batch %zu, x at %td, distance %td, y at %td, distance %td: %s, not %s", l->n, l->batch, l->x,
                l->x_dist, l->y, l->y_dist, mmscan_strerror(got), mmscan_strerror(want));
  if (want != MMSCAN_OK) assert_memory_equal(arena, before, sizeof arena);
}

/* All small shapes, including rows of y in the gaps between rows of x, and in place with different distances. */
TEST(test_every_overlap_of_batches) {
  struct layout l;
  const ptrdiff_t step = (ptrdiff_t)sized(1, 3), middle = CELLS / 2;
  for (l.n = 1; l.n <= 4; l.n++)
    for (l.batch = 1; l.batch <= 4; l.batch++)
      for (l.x_dist = -6; l.x_dist <= 6; l.x_dist += step)
        for (l.y_dist = -6; l.y_dist <= 6; l.y_dist += step)
          for (l.x = middle, l.y = middle - 20; l.y <= middle + 20; l.y++) check_layout(&l);
}

TEST(test_plan_refuses_rows_that_overlap) {
  mmscan_desc desc = plain_desc(MMSCAN_F64, MMSCAN_INCLUSIVE, 0, 10);
  desc.batch = 2;
  desc.x_dist = 10;
  for (desc.y_dist = -12; desc.y_dist <= 12; desc.y_dist++) {
    mmscan_plan *plan = (mmscan_plan *)&desc;
    bool apart = desc.y_dist <= -10 || desc.y_dist >= 10;
    assert_status(apart ? MMSCAN_OK : MMSCAN_EOVERLAP, mmscan_plan_create(&plan, &desc, MMSCAN_ESTIMATE));
    assert_true((plan != NULL) == apart);
    mmscan_plan_destroy(plan);
  }
}

/* ---- Descriptions ------------------------------------------------------------------------------------------------ */

#define D(field, value) SET(mmscan_desc, field, value)

/* Of a plain scan of floats. */
TEST(test_flaws_of_descriptions) {
  const struct flaw flaws[] = {
      {MMSCAN_EINVAL, {D(struct_size, 0)}},
      {MMSCAN_EINVAL, {D(struct_size, sizeof(mmscan_desc) - 1)}},
      {MMSCAN_EINVAL, {D(struct_size, offsetof(mmscan_desc, init))}},
      {MMSCAN_EINVAL, {D(x_type, 0), D(y_type, 0)}},
      {MMSCAN_EINVAL, {D(x_type, MMSCAN_BF16 + 1), D(y_type, MMSCAN_BF16 + 1)}},
      {MMSCAN_EINVAL, {D(x_type, 99)}},
      {MMSCAN_EINVAL, {D(y_type, -1)}},
      {MMSCAN_EINVAL, {D(op, 0)}},
      {MMSCAN_EINVAL, {D(op, MMSCAN_XOR + 1)}},
      {MMSCAN_EINVAL, {D(op, -1)}},
      {MMSCAN_EINVAL, {D(kind, 0)}},
      {MMSCAN_EINVAL, {D(kind, MMSCAN_OFFSETS + 1)}},
      {MMSCAN_EINVAL, {D(n, SIZE_MAX)}},
      {MMSCAN_EINVAL, {D(n, SIZE_MAX / sizeof(float) + 2)}},
      {MMSCAN_EINVAL, {D(n, PTRDIFF_MAX / sizeof(float) + 1)}},
      {MMSCAN_EINVAL, {D(batch, SIZE_MAX), D(x_dist, 16), D(y_dist, 16)}},
      {MMSCAN_EINVAL, {D(batch, SIZE_MAX / 64 + 2), D(x_dist, 16), D(y_dist, 16)}},
      {MMSCAN_EINVAL, {D(batch, SIZE_MAX / 2), D(x_dist, 0), D(y_dist, 16)}},
      {MMSCAN_EINVAL, {D(batch, 3), D(x_dist, PTRDIFF_MAX), D(y_dist, 16)}},
      {MMSCAN_EINVAL, {D(batch, 3), D(x_dist, 16), D(y_dist, PTRDIFF_MAX)}},
      {MMSCAN_EINVAL, {D(batch, 2), D(x_dist, PTRDIFF_MIN), D(y_dist, PTRDIFF_MIN)}},
      {MMSCAN_EINVAL, {D(batch, 2), D(x_dist, PTRDIFF_MAX / 4), D(y_dist, PTRDIFF_MAX / 4)}},
      {MMSCAN_EINVAL, {D(batch, 5), D(x_dist, PTRDIFF_MAX / 8 + 1), D(y_dist, PTRDIFF_MAX / 8 + 1)}},
      {MMSCAN_EINVAL, {D(flags, 32)}},
      {MMSCAN_ENOTSUP, {D(op, MMSCAN_AND)}},
      {MMSCAN_ENOTSUP, {D(op, MMSCAN_LOGADDEXP), D(x_type, MMSCAN_I32), D(y_type, MMSCAN_I32)}},
      {MMSCAN_ENOTSUP, {D(op, MMSCAN_MAX), D(x_type, MMSCAN_C32), D(y_type, MMSCAN_C32)}},
      {MMSCAN_ENOTSUP, {D(op, MMSCAN_MIN), D(x_type, MMSCAN_C64), D(y_type, MMSCAN_C64)}},
      {MMSCAN_ENOTSUP, {D(y_type, MMSCAN_C64)}},
      {MMSCAN_ENOTSUP, {D(x_type, MMSCAN_F64)}},
      {MMSCAN_ENOTSUP, {D(x_type, MMSCAN_C32)}},
      {MMSCAN_ENOTSUP, {D(y_type, MMSCAN_I32)}},
      {MMSCAN_ENOTSUP, {D(y_type, MMSCAN_F16)}},
      {MMSCAN_ENOTSUP, {D(x_type, MMSCAN_I8), D(y_type, MMSCAN_U16)}},
      {MMSCAN_ENOTSUP, {D(x_type, MMSCAN_U16), D(y_type, MMSCAN_I16)}},
  };
  double x[64] = {1, 2, 3}, y[64] = {4, 5, 6}, before[64], carry = 7;
  char why[200];
  memcpy(before, y, sizeof y);
  for (size_t i = 0; i < COUNT(flaws); i++) {
    mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, 10);
    mmscan_plan *plan = (mmscan_plan *)&desc;
    spoil(&desc, &flaws[i]);
    check_flaw(&flaws[i], mmscan_scan(&desc, x, y), "scan");
    check_flaw(&flaws[i], mmscan_desc_check(&desc, why, sizeof why), "desc_check");
    assert_non_null(strstr(why, " = "));
    check_flaw(&flaws[i], mmscan_scan_block(&desc, x, y, &carry), "scan_block");
    check_flaw(&flaws[i], mmscan_plan_create(&plan, &desc, MMSCAN_ESTIMATE), "plan_create");
    assert_null(plan);
    check_flaw(&flaws[i], mmscan_plan_create(&plan, &desc, MMSCAN_MEASURE), "measure");
    assert_null(plan);
    assert_memory_equal(y, before, sizeof y);
    assert_true(carry == 7);
  }
}

/* The field that is wrong, and its value, come first. */
TEST(test_desc_check) {
  static const struct {
    const char *says;
    struct flaw flaw;
  } cases[] = {{"struct_size = 0: ", {MMSCAN_EINVAL, {D(struct_size, 0)}}},
               {"struct_size = 4096: ", {MMSCAN_EINVAL, {D(struct_size, 4096)}}},
               {"x_type = 0: ", {MMSCAN_EINVAL, {D(x_type, 0)}}},
               {"y_type = 0: ", {MMSCAN_EINVAL, {D(y_type, 0)}}},
               {"y_type = 4: ", {MMSCAN_ENOTSUP, {D(y_type, MMSCAN_I64)}}},
               {"op = 2: ", {MMSCAN_ENOTSUP, {D(op, MMSCAN_MAX), D(x_type, MMSCAN_C32), D(y_type, MMSCAN_C32)}}},
               {"op = 0: ", {MMSCAN_EINVAL, {D(op, 0)}}},
               {"op = 6: ", {MMSCAN_ENOTSUP, {D(op, MMSCAN_AND)}}},
               {"kind = 0: ", {MMSCAN_EINVAL, {D(kind, 0)}}},
               {"y_stride = 0: ", {MMSCAN_EINVAL, {D(x_stride, 0), D(y_stride, 0)}}},
               {"n = -1: x would take", {MMSCAN_EINVAL, {D(n, -1)}}},
               {"n = 10: y would take", {MMSCAN_EINVAL, {D(batch, 2), D(y_dist, PTRDIFF_MAX)}}},
               {"y_dist = 3: ", {MMSCAN_EOVERLAP, {D(batch, 2), D(y_dist, 3)}}},
               {"n = 0: there is nothing to scan", {MMSCAN_OK, {D(n, 0)}}},
               {"batch = 0: there is nothing to scan", {MMSCAN_OK, {D(batch, 0)}}},
               {"", {MMSCAN_OK, {D(reverse, 1)}}}};
  for (size_t i = 0; i < COUNT(cases); i++) {
    mmscan_desc desc = MMSCAN_DESC(MMSCAN_F32, MMSCAN_PLUS, MMSCAN_INCLUSIVE, 10);
    char why[200] = "not written", cut[8] = "1234567";
    spoil(&desc, &cases[i].flaw);
    check_flaw(&cases[i].flaw, mmscan_desc_check(&desc, why, sizeof why), "desc_check");
    if (strncmp(why, cases[i].says, strlen(cases[i].says)) != 0 || (*why == '\0') != (*cases[i].says == '\0'))
      fail_msg("%s: %s", cases[i].flaw.fields[0].name, why);
    check_flaw(&cases[i].flaw, mmscan_desc_check(&desc, cut, 5), "desc_check");
    assert_true(strncmp(cut, why, 4) == 0 && strlen(cut) == strnlen(why, 4) && cut[5] == '6');
    check_flaw(&cases[i].flaw, mmscan_desc_check(&desc, NULL, 5), "desc_check");
    check_flaw(&cases[i].flaw, mmscan_desc_check(&desc, cut, 0), "desc_check");
  }
  char why[200];
  assert_status(MMSCAN_EINVAL, mmscan_desc_check(NULL, why, sizeof why));
  assert_non_null(strstr(why, "NULL"));
}

static mmscan_status plan_status(const mmscan_desc *desc) {
  mmscan_plan *plan = NULL;
  mmscan_status status = mmscan_plan_create(&plan, desc, MMSCAN_ESTIMATE);
  mmscan_plan_destroy(plan);
  return status;
}

/* A scan may span PTRDIFF_MAX bytes, from its lowest element to its highest, and no more. */
TEST(test_largest_shapes) {
  mmscan_desc desc = plain_desc(MMSCAN_F64, MMSCAN_INCLUSIVE, 0, PTRDIFF_MAX / sizeof(double));
  assert_mmscan_ok(plan_status(&desc));
  desc.n++;
  assert_status(MMSCAN_EINVAL, plan_status(&desc));
  desc.n = 10;
  for (desc.batch = 2; desc.batch < 5; desc.batch++)
    for (int sign = -1; sign <= 1; sign += 2) {
      const ptrdiff_t most = (PTRDIFF_MAX / (ptrdiff_t)sizeof(double) - 10) / ((ptrdiff_t)desc.batch - 1);
      desc.x_dist = desc.y_dist = sign * most;
      assert_mmscan_ok(plan_status(&desc));
      desc.x_dist += sign;
      assert_status(MMSCAN_EINVAL, plan_status(&desc));
    }
}

/* A stride of zero repeats an element of x, but means no place for the elements of y, whether memset left it there or
 * not. */
TEST(test_stride_zero) {
  float x[4] = {1, 2, 3, 4}, y[4] = {0};
  mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, 4);
  desc.y_stride = 0;
  assert_status(MMSCAN_EINVAL, mmscan_scan(&desc, x, y));
  assert_true(y[0] == 0 && y[3] == 0);
  desc.y_stride = 1;
  desc.x_stride = 0;
  assert_status(MMSCAN_OK, mmscan_scan(&desc, x, y));
  assert_true(y[0] == 1 && y[3] == 4);
}

/* A larger struct with the fields of a later version at its end, in every kind of call: refused unless they are
 * zero. */
TEST(test_sizes_of_structs) {
  struct {
    mmscan_choice known;
    uint64_t later;
  } choice = {{.struct_size = sizeof choice, .engine = "simd"}, 0};
  struct {
    mmscan_model_desc known;
    uint64_t later;
  } model = {{.struct_size = sizeof model, .n = 100, .s = 4, .units = 1}, 0};
  struct {
    mmscan_desc known;
    uint64_t later;
  } scan = {plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, 4), 0};
  mmscan_model_result result = {.struct_size = sizeof result};
  const mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, 4);
  float x[4] = {1, 2, 3, 4}, y[4];
  scan.known.struct_size = sizeof scan;
  for (int later = 0; later <= 1; later++) {
    mmscan_plan *plan;
    choice.later = model.later = scan.later = (uint64_t)later;
    mmscan_status want = later ? MMSCAN_ENOTSUP : MMSCAN_OK;
    assert_status(want, mmscan_plan_create_with(&plan, &desc, MMSCAN_ESTIMATE, &choice.known));
    mmscan_plan_destroy(plan);
    assert_status(want, mmscan_model(&model.known, &result));
    plan = (mmscan_plan *)&scan;
    assert_status(want, mmscan_plan_create(&plan, &scan.known, MMSCAN_ESTIMATE));
    assert_true((plan == NULL) == (later == 1));
    mmscan_plan_destroy(plan);
    memset(y, 0, sizeof y);
    assert_status(want, mmscan_scan(&scan.known, x, y));
    assert_true(y[3] == (later ? 0 : 10));
  }
}

/* A description may have at most 1024 bytes. */
TEST(test_longest_struct) {
  union {
    mmscan_desc known;
    unsigned char bytes[1032];
  } scan = {.bytes = {0}};
  float x[4] = {1, 2, 3, 4}, y[4];
  scan.known = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, 4);
  for (size_t size = 1016; size <= 1032; size += 8) {
    scan.known.struct_size = size;
    assert_status(size <= 1024 ? MMSCAN_OK : MMSCAN_EINVAL, mmscan_scan(&scan.known, x, y));
  }
}

TEST(test_null_arguments) {
  mmscan_desc desc = plain_desc(MMSCAN_F64, MMSCAN_INCLUSIVE, 0, 3);
  double x[3] = {1, 2, 3}, y[3] = {7, 7, 7}, carry = 5;
  mmscan_plan *plan = (mmscan_plan *)&desc;
  assert_status(MMSCAN_EINVAL, mmscan_scan(NULL, x, y));
  assert_status(MMSCAN_EINVAL, mmscan_scan(&desc, NULL, y));
  assert_status(MMSCAN_EINVAL, mmscan_scan(&desc, x, NULL));
  assert_status(MMSCAN_EINVAL, mmscan_scan_block(NULL, x, y, &carry));
  assert_status(MMSCAN_EINVAL, mmscan_scan_block(&desc, NULL, y, &carry));
  assert_status(MMSCAN_EINVAL, mmscan_scan_block(&desc, x, y, NULL));
  assert_status(MMSCAN_EINVAL, mmscan_plan_create(NULL, &desc, MMSCAN_ESTIMATE));
  assert_status(MMSCAN_EINVAL, mmscan_plan_create(&plan, NULL, MMSCAN_ESTIMATE));
  assert_null(plan);
  assert_status(MMSCAN_EINVAL, mmscan_execute(NULL, x, y));
  mmscan_plan_destroy(NULL);
  assert_mmscan_ok(mmscan_plan_create(&plan, &desc, MMSCAN_ESTIMATE));
  assert_status(MMSCAN_EINVAL, mmscan_execute(plan, NULL, y));
  assert_status(MMSCAN_EINVAL, mmscan_execute(plan, x, NULL));
  assert_true(y[0] == 7 && y[1] == 7 && y[2] == 7 && carry == 5);
  mmscan_plan_destroy(plan);
}

TEST(test_misaligned_arrays) {
  const mmscan_matmul_desc matmul = matmul_desc(MMSCAN_F32, 3, 2, NULL, 1);
  const mmscan_product_desc product = product_desc("model", MMSCAN_PRODUCT_CHUNKED, 3, 1);
  const mmscan_desc desc = plain_desc(MMSCAN_I32, MMSCAN_INCLUSIVE, 0, 3);
  _Alignas(8) char x[32] = {0}, y[32] = {0};
  for (size_t at = 0; at < 8; at++) {
    const mmscan_status expected = at % 4 == 0 ? MMSCAN_OK : MMSCAN_EINVAL;
    assert_status(expected, mmscan_scan(&desc, x + at, y));
    assert_status(expected, mmscan_scan(&desc, x, y + at));
    assert_status(expected, mmscan_matmulscan(&matmul, x + at, y, NULL));
    assert_status(expected, mmscan_matmulscan(&matmul, x, y + at, NULL));
    assert_status(expected, mmscan_product(&product, x + at, y));
    assert_status(expected, mmscan_product(&product, x, y + at));
  }
}

TEST(test_blocks_refuse) {
  double x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, before[8], init = 1, carry = 5;
  memcpy(before, x, sizeof x);
  mmscan_desc desc = plain_desc(MMSCAN_F64, MMSCAN_EXCLUSIVE, 0, 4);
  desc.init = &init;
  assert_status(MMSCAN_EINVAL, mmscan_scan_block(&desc, x, x + 4, &carry));
  desc.n = 0;
  assert_status(MMSCAN_EINVAL, mmscan_scan_block(&desc, x, x + 4, &carry));
  desc.init = NULL;
  assert_mmscan_ok(mmscan_scan_block(&desc, NULL, NULL, NULL));
  desc.n = 4;
  assert_status(MMSCAN_EOVERLAP, mmscan_scan_block(&desc, x, x + 1, &carry));
  assert_true(carry == 5);
  assert_memory_equal(x, before, sizeof x);
}

int main(void) { return run_all_tests(NULL, NULL); }
