/* test_trace.c: a trace of MatMulScan tells what the run did.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "support/matmul.h"
#include "support/recording.h"

static const float zero_f32 = 0;
static const double zero_f64 = 0;
static const struct operation plus[2] = {
    {"f32", {sizeof(mmscan_operator), sizeof(float), add_f32, NULL, &zero_f32}, true},
    {"f64", {sizeof(mmscan_operator), sizeof(double), add_f64, NULL, &zero_f64}, true}};

/* Five bits: form, length rule, traversal, broadcast and type. */
enum { FORMS = 32 };

static mmscan_matmul_desc desc_of(unsigned form, size_t s, size_t n, struct recording *r) {
  return (mmscan_matmul_desc){.struct_size = sizeof(mmscan_matmul_desc),
                              .type = form & 16 ? MMSCAN_F64 : MMSCAN_F32,
                              .n = n,
                              .s = s,
                              .form = form & 1 ? MMSCAN_BATCHED : MMSCAN_STACKED,
                              .length_rule = form & 2 ? MMSCAN_PADDED : MMSCAN_DIGITS,
                              .traversal = form & 4 ? MMSCAN_RECURSIVE : MMSCAN_ITERATIVE,
                              .broadcast = form & 8 ? MMSCAN_BROADCAST_VECTOR : MMSCAN_BROADCAST_MATRIX,
                              .unit = "model",
                              .threads = 3,
                              .trace = record,
                              .trace_context = r};
}

/* Small integers, in no particular order. */
static void *numbers(const struct operation *op, size_t n) {
  char *x = recording_memory(NULL, n * op->of.size);
  for (size_t i = 0; i < n; i++) {
    const double value = (double)(i * 37 % 101) - 50;
    const float narrow = (float)value;
    memcpy(x + i * op->of.size, op->of.size == sizeof narrow ? (const void *)&narrow : &value, op->of.size);
  }
  return x;
}

static void assert_counted(size_t got, uint64_t want, const char *what, unsigned form, size_t s, size_t n) {
  if (got != want) fail_msg("form %u, s %zu, n %zu: %s %zu, counted %zu", form, s, n, what, got, (size_t)want);
}

static void check_totals(const struct recording *r, const mmscan_counts *c, unsigned form, size_t s, size_t n) {
  struct totals t = add_up(r);
  assert_counted(t.depth, c->depth, "depth", form, s, n);
  assert_counted(t.products, c->gemms, "products", form, s, n);
  assert_counted(t.squares, c->multiplications, "square multiplications", form, s, n);
  assert_counted(t.additions, c->additions, "additions", form, s, n);
  assert_counted(t.additions_unpadded, c->additions_unpadded, "additions without padding", form, s, n);
}

/* The events of a traced run, when replayed, give the bits of that run; a run without a trace gives the same. */
static void check_run(unsigned form, size_t s, size_t n) {
  struct recording r = {0};
  mmscan_matmul_desc d = desc_of(form, s, n, &r);
  const struct operation *op = &plus[d.type == MMSCAN_F64];
  mmscan_counts counts = {.struct_size = sizeof counts}, untraced = counts;
  char *x = numbers(op, n), *y = numbers(op, n), *again = numbers(op, n);
  assert_mmscan_ok(mmscan_matmulscan(&d, y, y, &counts));
  check_recording(&r);
  play(&r, op, n, x, again);
  assert_memory_equal(y, again, n * op->of.size);
  check_totals(&r, &counts, form, s, n);
  d.trace = NULL;
  assert_mmscan_ok(mmscan_matmulscan(&d, x, again, &untraced));
  assert_memory_equal(y, again, n * op->of.size);
  assert_memory_equal(&counts, &untraced, sizeof counts);
  recording_free(&r);
  free(x);
  free(y);
  free(again);
}

TEST(test_all_forms) {
  for (unsigned form = 0; form < FORMS; form++)
    for (size_t s = 2; s <= 6; s++)
      for (size_t n = 1; n <= sized(150, 40); n += 1 + n / 40) check_run(form, s, n);
}

TEST(test_around_powers) {
  static const size_t powers[][2] = {{2, 512}, {3, 243}, {4, 256}, {7, 343}, {8, 512}, {16, 256}, {30, 900}, {32, 32}};
  for (unsigned form = 0; form < FORMS; form += quick() ? 3 : 1)
    for (size_t i = 0; i < COUNT(powers); i++)
      for (size_t n = powers[i][1] - 1; n <= powers[i][1] + 1; n++) check_run(form, powers[i][0], n);
}

/* n = 4 at s = 2, event by event. */
TEST(test_smallest_circuit) {
  enum { NONE = -1 };
  static const struct {
    mmscan_phase phase;
    size_t level, columns;
    mmscan_matrix matrix;
    int in[4], out[4];
  } want[] = {{MMSCAN_UP_SWEEP, 0, 2, MMSCAN_MATRIX_L, {0, 1, 2, 3}, {NONE, 1, NONE, 3}},
              {MMSCAN_UP_SWEEP, 1, 1, MMSCAN_MATRIX_L, {1, 3}, {NONE, 3}},
              {MMSCAN_DOWN_SWEEP, 1, 2, MMSCAN_MATRIX_B, {1, 2, 3, NONE}, {NONE, 2, NONE, NONE}}};
  struct recording r = {0};
  mmscan_matmul_desc d = desc_of(0, 2, 4, &r);
  float x[4] = {1, 2, 3, 4};
  assert_mmscan_ok(mmscan_matmulscan(&d, x, x, NULL));
  assert_int_equal(r.count, COUNT(want));
  for (size_t i = 0; i < r.count; i++) {
    const mmscan_event *e = &r.events[i];
    assert_true(e->phase == want[i].phase && e->matrix == want[i].matrix);
    assert_true(e->step == 1 && e->segment == 0 && e->is_product && e->s == 2 && !e->add);
    assert_int_equal(e->positions, 4);
    assert_int_equal(e->depth, i + 1);
    assert_int_equal(e->level, want[i].level);
    assert_int_equal(e->columns, want[i].columns);
    for (size_t at = 0; at < 2 * e->columns; at++) {
      assert_true(e->in[at] == (size_t)want[i].in[at] && e->out[at] == (size_t)want[i].out[at]);
    }
  }
  recording_free(&r);
}

/* The steps and segments of Section 3.2: n = 22 at s = 4 is 16 + 4 + 1 + 1. */
TEST(test_steps_of_the_general_case) {
  struct recording r = {0};
  mmscan_matmul_desc d = desc_of(0, 4, 22, &r);
  float x[22] = {1};
  int last = 0;
  size_t gathered = 0, broadcast = 0;
  assert_mmscan_ok(mmscan_matmulscan(&d, x, x, NULL));
  for (size_t i = 0; i < r.count; i++) {
    const mmscan_event *e = &r.events[i];
    assert_int_equal(e->positions, 22 + 4);
    assert_true(e->step == 4 || e->phase != MMSCAN_BROADCAST);
    if (e->step == 4) assert_int_equal(e->segment, ++broadcast);
    if (e->step == 3) assert_true(e->segment == 0 && e->in[0] == 22);
    if (e->step == 2) assert_int_equal(gathered = e->columns, 4);
    last = e->step;
  }
  assert_true(last == 4 && gathered == 4 && broadcast == 3);
  recording_free(&r);
}

TEST(test_matrix_entries) {
  for (mmscan_matrix matrix = MMSCAN_MATRIX_L; matrix <= MMSCAN_MATRIX_ONES; matrix++)
    for (size_t row = 0; row < 6; row++)
      for (size_t column = 0; column < 6; column++)
        assert_int_equal(mmscan_matrix_entry(matrix, row, column), has_one(matrix, row, column));
  assert_int_equal(mmscan_matrix_entry((mmscan_matrix)99, 0, 0), 0);
  assert_true(mmscan_matrix_entry(MMSCAN_MATRIX_L, SIZE_MAX, SIZE_MAX));
  assert_false(mmscan_matrix_entry(MMSCAN_MATRIX_L_STRICT, 5, SIZE_MAX));
}

/* W = A X + C of two columns, by hand. */
TEST(test_terms) {
  static const size_t in[4] = {7, MMSCAN_NO_ELEMENT, 5, 6}, add[4] = {1, 2, 3, MMSCAN_NO_ELEMENT};
  const mmscan_event e = {.matrix = MMSCAN_MATRIX_L, .s = 2, .columns = 2, .in = in, .add = add};
  const mmscan_event without = {.matrix = MMSCAN_MATRIX_L, .s = 2, .columns = 2, .in = in};
  size_t position;
  assert_int_equal(mmscan_event_term(NULL, 0, 0, &position), 0);
  assert_int_equal(mmscan_event_term(&e, 0, 0, NULL), 0);
  assert_true(mmscan_event_term(&e, 0, 0, &position) == 1 && position == 7);
  assert_int_equal(mmscan_event_term(&e, 0, 1, &position), 0);
  assert_true(mmscan_event_term(&e, 1, 1, &position) == 1 && position == MMSCAN_NO_ELEMENT);
  assert_true(mmscan_event_term(&e, 3, 1, &position) == 1 && position == 6);
  assert_true(mmscan_event_term(&e, 2, 2, &position) == 1 && position == 3);
  assert_int_equal(mmscan_event_term(&e, 2, 3, &position), 0);
  assert_int_equal(mmscan_event_term(&without, 2, 2, &position), 0);
}

int main(void) { return run_all_tests(NULL, NULL); }
