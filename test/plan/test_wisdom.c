/* test_wisdom.c: wisdom is written to a file and read by another process; a file that is damaged, foreign or illegal is
 * refused as a whole.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <pthread.h>

#include "base/cpu.h"
#include "support/child.h"
#include "support/oracle.h"
#include "support/traces.h"
#include "support/wisdom_text.h"

/* ---- Choices that plans take ------------------------------------------------------------------------------------- */

enum { SHAPES = 6 };

/* What plans of some shapes use; strings are truncated. */
struct seen {
  mmscan_status status;
  size_t count; /* of shapes that are known */
  struct {
    char engine[16], unit[16];
    size_t s, tile;
    int threads;
  } plan[SHAPES];
};

static const struct {
  mmscan_type type;
  size_t n, batch;
} shapes[SHAPES] = {{MMSCAN_F32, 100000, 1}, {MMSCAN_F64, 100000, 1},  {MMSCAN_I32, 100000, 1},
                    {MMSCAN_I64, 3000, 50},  {MMSCAN_U32, 1 << 20, 1}, {MMSCAN_U64, 1, 1}};

/* A line for each of the shapes above, and then for some others. */
static const char lines[] = "plus f32 16 0 simd - 0 1024 1 1024\n"
                            "plus f64 16 0 serial - 0 0 1 1024\n"
                            "plus i32 16 0 gemm cblas 4 4096 1 1024\n"
                            "plus i64 11 5 gemm model 512 131072 1 1024\n"
                            "plus u32 20 0 simd - 0 131072 1 1024\n"
                            "plus u64 0 0 simd - 0 1 1 1024\n"
                            "plus u64 63 63 serial - 0 0 999 1024\n"
                            "plus f64 40 0 gemm cblas 2 2 7 1024\n"
                            "max f32 16 0 simd - 0 512 1 1024\n"
                            "min u64 16 3 serial - 0 0 1 1024\n";
enum { LINES = 10 };

static mmscan_desc shape_desc(size_t i) {
  mmscan_desc desc = plain_desc(shapes[i].type, MMSCAN_INCLUSIVE, 0, shapes[i].n);
  desc.batch = shapes[i].batch;
  desc.x_dist = desc.y_dist = (ptrdiff_t)shapes[i].n;
  return desc;
}

static mmscan_choice choice_of(size_t i) {
  mmscan_choice used = {.struct_size = sizeof used};
  mmscan_plan *plan = NULL;
  mmscan_desc desc = shape_desc(i);
  if (mmscan_plan_create(&plan, &desc, MMSCAN_ESTIMATE) == MMSCAN_OK) mmscan_plan_get_choice(plan, &used);
  mmscan_plan_destroy(plan);
  return used;
}

static struct seen look(mmscan_status status) {
  struct seen seen;
  memset(&seen, 0, sizeof seen);
  seen.status = status;
  seen.count = mmscan_wisdom_count();
  for (size_t i = 0; i < SHAPES; i++) {
    mmscan_choice used = choice_of(i);
    snprintf(seen.plan[i].engine, sizeof seen.plan[i].engine, "%s", text_or(used.engine, ""));
    snprintf(seen.plan[i].unit, sizeof seen.plan[i].unit, "%s", text_or(used.unit, ""));
    seen.plan[i].s = used.s;
    seen.plan[i].tile = used.tile;
    seen.plan[i].threads = used.threads;
  }
  return seen;
}

/* Runs `work` in a fresh process with these settings. */
static struct seen ask(const char *work, const struct setting *settings, size_t count) {
  struct outcome o = ask_self(work, settings, count);
  struct seen seen;
  if (o.exit != 0 || o.reported != sizeof seen) fail_msg("%s: the child ended with %d: %s", work, o.exit, o.print);
  if (o.printed != 0) fail_msg("the library printed: %s", o.print);
  memcpy(&seen, o.report, sizeof seen);
  return seen;
}

static int report_seen(mmscan_status status) {
  struct seen seen = look(status);
  return report_to_parent(&seen, sizeof seen);
}

/* ---- Written and read back --------------------------------------------------------------------------------------- */

static const char *from(void) { return getenv("MMSCAN_TEST_FROM"); }
static const char *to(void) { return getenv("MMSCAN_TEST_TO"); }

static int child_read(void) { return report_seen(mmscan_wisdom_read(from(), NULL, 0)); }

static int child_copy(void) {
  mmscan_status status = mmscan_wisdom_read(from(), NULL, 0);
  return report_seen(status ? status : mmscan_wisdom_write(to()));
}

static int child_measure(void) {
  mmscan_plan *plan = NULL;
  mmscan_desc desc = shape_desc(0);
  mmscan_status status = mmscan_plan_create(&plan, &desc, MMSCAN_MEASURE);
  mmscan_plan_destroy(plan);
  return report_seen(status ? status : mmscan_wisdom_write(to()));
}

static void assert_same_seen(const struct seen *a, const struct seen *b) {
  assert_int_equal(a->status, MMSCAN_OK);
  assert_int_equal(b->status, MMSCAN_OK);
  assert_memory_equal(a, b, sizeof *a);
}

/* What is read is what was written, by a process that had not read it and by one that had. */
static void test_there_and_back(void **state) {
  (void)state;
  const char *first = wisdom_file("first", lines), *second = in_scratch("second");
  const struct setting copy[] = {{"MMSCAN_TEST_FROM", first}, {"MMSCAN_TEST_TO", second}};
  struct seen copied = ask("copy", copy, 2), read = ask("read", &(struct setting){"MMSCAN_TEST_FROM", second}, 1);
  struct seen by_variable = ask("look", &(struct setting){"MMSCAN_WISDOM", second}, 1);
  assert_int_equal(copied.count, LINES);
  assert_same_seen(&copied, &read);
  assert_same_seen(&copied, &by_variable);
  assert_string_equal(read.plan[0].engine, "simd");
  assert_int_equal(read.plan[0].tile, 1024);
  assert_string_equal(read.plan[1].engine, "serial");
  assert_string_equal(read.plan[2].unit, "cblas");
  assert_int_equal(read.plan[2].s, 4);
  assert_string_equal(read.plan[3].unit, "model");
  assert_int_equal(read.plan[3].s, 512);
  assert_int_equal(read.plan[5].tile, 1);
  for (size_t i = 0; i < SHAPES; i++) assert_int_equal(read.plan[i].threads, 1);
}

static void test_what_was_measured(void **state) {
  (void)state;
  const char *file = in_scratch("measured");
  struct seen measured = ask("measure", &(struct setting){"MMSCAN_TEST_TO", file}, 1);
  struct seen read = ask("read", &(struct setting){"MMSCAN_TEST_FROM", file}, 1);
  assert_int_equal(measured.status, MMSCAN_OK);
  assert_int_equal(read.status, MMSCAN_OK);
  assert_int_equal(measured.count, 1);
  assert_int_equal(read.count, 1);
  assert_memory_equal(&measured.plan[0], &read.plan[0], sizeof read.plan[0]); /* of the others nothing is known */
  const struct text text = text_read(file);
  const char *line = strstr(text.data, "\nplus f32 16 0 ");
  int of = 0;
  assert_non_null(line);
  assert_int_equal(sscanf(line, "%*s %*s %*s %*s %*s %*s %*s %*s %*s %d", &of), 1);
  assert_int_equal(of, mmscan_threads());
}

/* Where the environment settles part of the choice, what was found does not become wisdom. */
static void test_settled_choices(void **state) {
  (void)state;
  static const struct setting settled[] = {
      {"MMSCAN_UNIT", "cblas"}, {"MMSCAN_ENGINE", "simd"}, {"MMSCAN_NUM_THREADS", "1"}};
  for (size_t i = 0; i < COUNT(settled); i++) {
    const struct setting settings[] = {{"MMSCAN_TEST_TO", in_scratch("settled")}, settled[i]};
    struct seen seen = ask("measure", settings, 2);
    assert_int_equal(seen.status, MMSCAN_OK);
    assert_int_equal(seen.count, 0);
    remove(in_scratch("settled"));
  }
}

/* A shape occurs twice in a file, and in two files: the last choice counts, once. */
static void test_what_outranks(void **state) {
  (void)state;
  assert_mmscan_ok(mmscan_wisdom_read(
      wisdom_file("a", "plus f32 16 0 serial - 0 0 1 1024\nplus f32 16 0 simd - 0 512 1 1024\n"), NULL, 0));
  size_t count = mmscan_wisdom_count();
  assert_int_equal(choice_of(0).tile, 512);
  assert_mmscan_ok(mmscan_wisdom_read(wisdom_file("b", "plus f32 16 0 simd - 0 2048 1 1024\n"), NULL, 0));
  assert_int_equal(mmscan_wisdom_count(), count);
  assert_int_equal(choice_of(0).tile, 2048);
  assert_mmscan_ok(mmscan_wisdom_read(wisdom_file("threads", "plus f32 16 0 simd - 0 2048 9 1024\n"), NULL, 0));
  assert_mmscan_ok(mmscan_wisdom_write(in_scratch("all")));
  assert_non_null(strstr(text_read(in_scratch("all")).data, "plus f32 16 0 simd - 0 2048 9 1024\n"));
  assert_mmscan_ok(mmscan_wisdom_read(wisdom_file("b", "plus f32 16 0 simd - 0 2048 1 1024\n"), NULL, 0));
  struct text text = text_read(wisdom_file("none", ""));
  assert_mmscan_ok(mmscan_wisdom_read(in_scratch("none"), NULL, 0));
  assert_int_equal(mmscan_wisdom_count(), count);
  assert_mmscan_ok(mmscan_wisdom_write(in_scratch("all")));
  text = text_read(in_scratch("all"));
  assert_null(strstr(text.data, " 512 "));
  assert_non_null(strstr(text.data, "plus f32 16 0 simd - 0 2048 1 1024\n"));
}

/* A choice that differs from the known one in a single field replaces it. */
static void test_what_is_news(void **state) {
  (void)state;
  static const char *const others[] = {
      "gemm cblas 4 2048 1 1024", "gemm model 4 2048 1 1024", "gemm model 8 2048 1 1024", "gemm model 8 4096 1 1024",
      "gemm model 8 4096 2 1024", "gemm model 8 4096 2 2048", "simd - 0 2048 1 1024"};
  for (size_t i = 0; i < COUNT(others); i++) {
    char line[64];
    snprintf(line, sizeof line, "plus u64 53 0 %s\n", others[i]);
    assert_mmscan_ok(mmscan_wisdom_read(wisdom_file("other", line), NULL, 0));
    assert_mmscan_ok(mmscan_wisdom_write(in_scratch("written")));
    assert_non_null(strstr(text_read(in_scratch("written")).data, line));
  }
}

/* A call has the bits of the engine that wisdom names, and had others before. */
static void test_calls_use_it(void **state) {
  (void)state;
  static const char *const engines[] = {"serial", "gemm", "simd"};
  static const char *const texts[] = {"plus f32 16 0 serial - 0 0 1 1024\n", "plus f32 16 0 gemm cblas 4 128 1 1024\n",
                                      "plus f32 16 0 simd - 0 128 1 1024\n"};
  enum { N = 100000 };
  struct sample sample = sample_new(type_at(0), RANDOM, N);
  float *want = test_memory(N * sizeof *want), *y = test_memory(N * sizeof *y);
  for (size_t i = 0; i < COUNT(texts); i++) {
    mmscan_choice asked = {.struct_size = sizeof asked, .engine = engines[i], .s = i == 1 ? 4 : 0}, used;
    asked.tile = i > 0 ? 128 : 0;
    mmscan_desc desc = plain_desc(MMSCAN_F32, MMSCAN_INCLUSIVE, 0, N);
    mmscan_plan *plan = plan_new(&desc, &asked, &used);
    assert_mmscan_ok(mmscan_execute(plan, sample.x, want));
    mmscan_plan_destroy(plan);
    assert_mmscan_ok(mmscan_inclusive_f32(N, sample.x, y));
    assert_memory_not_equal(y, want, N * sizeof *y);
    assert_mmscan_ok(mmscan_wisdom_read(wisdom_file("engine", texts[i]), NULL, 0));
    assert_mmscan_ok(mmscan_inclusive_f32(N, sample.x, y));
    assert_memory_equal(y, want, N * sizeof *y);
  }
  free(want);
  free(y);
  sample_free(&sample);
}

/* ---- What is refused --------------------------------------------------------------------------------------------- */

static void refuse_bytes(const void *data, size_t size, const char *what) {
  size_t count = mmscan_wisdom_count();
  write_bytes(in_scratch("bad"), data, size);
  char why[200] = "";
  mmscan_status status = mmscan_wisdom_read(in_scratch("bad"), why, sizeof why);
  if (status != MMSCAN_EIO || mmscan_wisdom_count() != count || !*why)
    fail_seeded("%s: %s (%s), %zu shapes added", what, mmscan_strerror(status), why, mmscan_wisdom_count() - count);
}

static void refuse(const struct text *text, const char *what) { refuse_bytes(text->data, text->size, what); }

/* Shapes that nothing else in this program adds, so one that is added by mistake is counted. */
static const char unknown[] = "plus u32 50 1 simd - 0 1024 1 1024\n"
                              "plus u64 51 2 gemm cblas 8 4096 2 1024\n";

static void test_each_byte_changed(void **state) {
  (void)state;
  static const unsigned char flips[] = {0x01, 0x02, 0x10, 0x20, 0x80, 0xff};
  static const char instead[] = {'\0', '\n', ' ', '\t', '+', '0'};
  const struct text good = text_read(wisdom_file("good", unknown));
  for (size_t i = 0; i < good.size; i += sized(1, 3))
    for (size_t k = 0; k < COUNT(flips) + COUNT(instead); k++) {
      struct text text = good;
      char what[64];
      text.data[i] = k < COUNT(flips) ? (char)(good.data[i] ^ flips[k]) : instead[k - COUNT(flips)];
      snprintf(what, sizeof what, "byte %zu is %d, not %d", i, text.data[i], good.data[i]);
      if (text.data[i] != good.data[i]) refuse(&text, what);
    }
}

static void test_each_length(void **state) {
  (void)state;
  struct text text = text_read(wisdom_file("good", unknown));
  const struct text good = text;
  for (text.size = 0; text.size < good.size; text.size++) refuse(&text, "cut short");
  static const char *const more[] = {"\n", " ", "x", "\r\n", "end 2 0\n", "plus u32 50 1 simd - 0 1024 1 1024\n"};
  for (size_t i = 0; i < COUNT(more); i++) {
    text = good;
    add_text(&text, more[i]);
    refuse(&text, "something appended");
  }
  text = good;
  text.size++;
  refuse(&text, "a zero byte appended");
  text.size = good.size;
  add_text(&text, good.data);
  refuse(&text, "twice");
  text = good;
  memmove(text.data + 1, good.data, good.size);
  text.size++;
  refuse(&text, "a byte before it");
}

/* The lines by themselves are accepted, so a file below is refused for what is wrong with it. */
static void test_lines_are_good(void **state) {
  (void)state;
  struct seen read = ask("read", &(struct setting){"MMSCAN_TEST_FROM", wisdom_file("good", unknown)}, 1);
  assert_int_equal(read.status, MMSCAN_OK);
  assert_int_equal(read.count, 2);
}

/* Large files, with all kinds of content. */
static void test_large_files(void **state) {
  (void)state;
  enum { SIZE = 2 << 20 };
  const struct text good = text_read(wisdom_file("good", unknown));
  static const char fills[] = {'\0', '\n', ' ', 'x', '1', '\xff'};
  char *data = test_memory(SIZE);
  for (size_t i = 0; i < COUNT(fills); i++) {
    memset(data, fills[i], SIZE);
    refuse_bytes(data, SIZE, "2 MiB of the same");
    memcpy(data, good.data, good.size);
    refuse_bytes(data, SIZE, "2 MiB that begin well");
    memcpy(data + SIZE - good.size, good.data, good.size);
    refuse_bytes(data, SIZE, "2 MiB that begin and end well");
  }
  free(data);
}

/* The head with one line replaced. */
static struct text other_head(const char *start, const char *line) {
  struct text head = wisdom_head(), other = {0};
  char *at = strstr(head.data, start);
  assert_non_null(at);
  const char *after = strchr(at, '\n') + 1;
  *at = '\0';
  add_text(&other, head.data);
  add_text(&other, line);
  add_text(&other, after);
  return other;
}

static void refuse_head(const struct text *head, const char *what) {
  struct text text = wisdom_of(head->data, unknown);
  refuse(&text, what);
}

static void test_foreign_heads(void **state) {
  (void)state;
  static const char *const others[][2] = {{"mmscan-wisdom", "mmscan-wisdom 1\n"},
                                          {"mmscan-wisdom", "mmscan-wisdom 0\n"},
                                          {"mmscan-wisdom", "mmscan-wisdom\n"},
                                          {"mmscan-wisdom", ""},
                                          {"library", "library 0.0.1\n"},
                                          {"library", "library 99.0.0\n"},
                                          {"library", ""},
                                          {"cpu", "cpu An Abacus\n"},
                                          {"cpu", "cpu \n"},
                                          {"cpu", ""},
                                          {"isa", "isa mmx\n"},
                                          {"isa", "isa\n"},
                                          {"isa", ""},
                                          {"unit", "unit cblas Abacus 1.0\n"},
                                          {"unit", ""},
                                          {"unit", "unit cblas unknown 1\n"}};
  for (size_t i = 0; i < COUNT(others); i++) {
    struct text head = other_head(others[i][0], others[i][1]);
    refuse_head(&head, others[i][1]);
  }
  mmscan_part isa = {.struct_size = sizeof isa};
  for (size_t i = 0; mmscan_get_isa(i, &isa) == MMSCAN_OK; i++) {
    char line[32];
    snprintf(line, sizeof line, "isa %s\n", isa.name);
    struct text head = other_head("isa", line);
    if (strcmp(isa.name, mmscan_isa()) != 0) refuse_head(&head, line);
  }
  refuse_head(&(struct text){0}, "no head");
}

/* Each character is replaced by another, and one is inserted: in the format, the version, and the digits of the CPU's
 * signature. */
static void test_each_character_of_a_head(void **state) {
  (void)state;
  static const char in_no_head[] = "\"";
  const struct text head = wisdom_head();
  for (size_t i = 0; i < head.size; i++)
    for (size_t places = 0; places < 2; places++) {
      struct text other = head;
      char what[64];
      other.data[other.size = i] = '\0';
      add_text(&other, in_no_head);
      add_text(&other, head.data + i + places);
      snprintf(what, sizeof what, "a character %s character %zu of the head", places ? "for" : "before", i);
      refuse_head(&other, what);
    }
}

/* CPUs of the same name may differ. */
static void test_signature_is_in_the_head(void **state) {
  (void)state;
  const struct text head = wisdom_head();
  char signature[32];
  snprintf(signature, sizeof signature, " %08" PRIx32 "\nisa ", mms_cpu_signature());
  assert_non_null(strstr(head.data, signature));
}

/* Each in a file whose checksum is right, after a good line that must not be added either. */
static const char *const bad_lines[] = {
    "plus u64 51 0 abacus - 0 1024 1 1024",
    "plus u64 51 0 - - 0 1024 1 1024",
    "plus u64 51 0 SIMD - 0 1024 1 1024",
    "plus f16 51 0 simd - 0 1024 1 1024",
    "plus c32 51 0 simd - 0 1024 1 1024",
    "plus U64 51 0 simd - 0 1024 1 1024",
    "plus u64 64 0 simd - 0 1024 1 1024",
    "plus u64 51 64 simd - 0 1024 1 1024",
    "plus u64 -1 0 simd - 0 1024 1 1024",
    "plus u64 51 -1 simd - 0 1024 1 1024",
    "plus u64 4294967296 0 simd - 0 1024 1 1024",
    "plus u64 x 0 simd - 0 1024 1 1024",
    "plus u64 51 0 simd cblas 0 1024 1 1024",
    "plus u64 51 0 serial cblas 0 0 1 1024",
    "plus u64 51 0 gemm - 8 1024 1 1024",
    "plus u64 51 0 gemm nobody 8 1024 1 1024",
    "plus u64 51 0 gemm cblas 0 1024 1 1024",
    "plus u64 51 0 gemm cblas 1 1024 1 1024",
    "plus u64 51 0 gemm cblas 513 1024 1 1024",
    "plus u64 51 0 gemm cblas 8 7 1 1024",
    "plus u64 51 0 gemm cblas 8 0 1 1024",
    "plus u64 51 0 gemm cblas -8 1024 1 1024",
    "plus u64 51 0 simd - 8 1024 1 1024",
    "plus u64 51 0 simd - 0 0 1 1024",
    "plus u64 51 0 simd - 0 131073 1 1024",
    "plus u64 51 0 simd - 0 -1024 1 1024",
    "plus u64 51 0 simd - 0 18446744073709551617 1 1024",
    "plus u64 51 0 serial - 0 1024 1 1024",
    "plus u64 51 0 serial - 8 0 1 1024",
    "plus u64 51 0 simd - 0 1024 0 1024",
    "plus u64 51 0 simd - 0 1024 -1 1024",
    "plus u64 51 0 simd - 0 1024 4294967297 1024",
    "plus u64 51 0 simd - 0 1024 1 1024 ",
    "plus u64 51 0 simd - 0 1024 1 1024 2",
    "plus u64 51 0 simd - 0 1024 2 1",
    "plus u64 51 0 serial - 0 0 2 1",
    "plus u64 51 0 simd - 0 1024 1 0",
    "plus u64 51 0 simd - 0 1024 1 -1",
    "plus u64 51 0 simd - 0 1024 1 4294967297",
    "plus u64 51 0 simd - 0 1024 1 1024x",
    "plus u64 51 0 simd - 0 1024 1x 1024",
    "plus u64 51 0 simd - 0 1024 1 1024\r",
    "plus u64 51 0 simd - 0 1024 1.5 1024",
    "plus u64 51 0 simd - 0 1024 1",
    "plus u64 51 0 simd - 0 1024",
    "plus u64 51 0 simd - 0",
    "plus u64",
    "u64 51 0 simd - 0 1024 1 1024",
    "and f64 51 0 simd - 0 1024 1 1024",
    "PLUS u64 51 0 simd - 0 1024 1 1024",
    "max u64 51 0 gemm cblas 8 1024 1 1024",
    "min f32 51 0 gemm model 8 1024 1 1024",
    "x",
    " ",
    "end 1 0",
    "unit cblas unknown",
    "# a remark",
};

static void test_illegal_lines(void **state) {
  (void)state;
  const struct text head = wisdom_head();
  for (size_t i = 0; i < COUNT(bad_lines); i++)
    for (int before = 0; before < 2; before++) {
      char both[256];
      const char *good = "plus u32 50 1 simd - 0 1024 1 1024\n";
      snprintf(both, sizeof both, "%s%s\n%s", before ? "" : good, bad_lines[i], before ? good : "");
      struct text text = wisdom_of(head.data, both);
      refuse(&text, bad_lines[i]);
    }
}

/* The last line gives a wrong number of lines, or is malformed, though the checksum is right. */
static void test_illegal_ends(void **state) {
  (void)state;
  static const char *const ends[] = {"end 1 %016" PRIx64 "\n",  "end 3 %016" PRIx64 "\n",  "end -2 %016" PRIx64 "\n",
                                     "end 2 %016" PRIx64,       "end 02 %016" PRIx64 "\n", "end 2  %016" PRIx64 "\n",
                                     "end 2 0x%" PRIx64 "\n",   "END 2 %016" PRIx64 "\n",  "end 2 %016" PRIX64 " \n",
                                     " end 2 %016" PRIx64 "\n", "end 2 %" PRIu64 "\n"};
  for (size_t i = 0; i < COUNT(ends); i++) {
    struct text text = wisdom_head();
    char end[64];
    add_text(&text, unknown);
    snprintf(end, sizeof end, ends[i], fnv1a(text.data, text.size));
    add_text(&text, end);
    refuse(&text, end);
  }
}

/* Reads a file that cannot be used: the reason is as in the message about MMSCAN_WISDOM. */
static void check_reason(const char *file, const char *reason) {
  char why[200], little[8];
  assert_int_not_equal(mmscan_wisdom_read(file, why, sizeof why), MMSCAN_OK);
  assert_string_equal(why, reason);
  assert_int_not_equal(mmscan_wisdom_read(file, little, sizeof little), MMSCAN_OK);
  assert_int_equal(strlen(little), sizeof little - 1);
  assert_memory_equal(little, reason, strlen(little));
}

static void test_reasons(void **state) {
  (void)state;
  char why[200] = "as before";
  check_reason(NULL, "no file is named");
  check_reason(in_scratch("missing"), "No such file or directory");
  write_bytes(in_scratch("other"), "other\n", 6);
  check_reason(in_scratch("other"), "it is not wisdom");
  mmscan_wisdom_read(in_scratch("missing"), why, 0);
  assert_string_equal(why, "as before");
  assert_mmscan_ok(mmscan_wisdom_read(wisdom_file("good", "plus f32 16 0 simd - 0 512 1 1024\n"), why, sizeof why));
  assert_string_equal(why, "");
}

static void test_no_files(void **state) {
  (void)state;
  size_t count = mmscan_wisdom_count(), files = open_files();
  assert_status(MMSCAN_EINVAL, mmscan_wisdom_read(NULL, NULL, 0));
  assert_status(MMSCAN_EINVAL, mmscan_wisdom_write(NULL));
  assert_status(MMSCAN_EIO, mmscan_wisdom_read("", NULL, 0));
  assert_status(MMSCAN_EIO, mmscan_wisdom_read(in_scratch("missing"), NULL, 0));
  assert_status(MMSCAN_EIO, mmscan_wisdom_read(in_scratch("missing/file"), NULL, 0));
  assert_status(MMSCAN_EIO, mmscan_wisdom_read(scratch, NULL, 0));
  assert_status(MMSCAN_EIO, mmscan_wisdom_read("/dev/null", NULL, 0));
  assert_status(MMSCAN_EIO, mmscan_wisdom_read("/dev/zero", NULL, 0));
  assert_int_equal(mmscan_wisdom_count(), count);
  assert_int_equal(open_files(), files); /* none stays open */
}

/* ---- An illegal environment -------------------------------------------------------------------------------------- */

static int child_environment(void) {
  mmscan_status read = mmscan_wisdom_read(from(), NULL, 0), write = mmscan_wisdom_write(to());
  return report_seen(read == write ? read : MMSCAN_OK);
}

static void test_illegal_environment(void **state) {
  (void)state;
  const char *good = wisdom_file("good", lines), *new = in_scratch("new"), *bad = in_scratch("missing");
  const struct setting wrong[] = {{"MMSCAN_ENGINE", "abacus"}, {"MMSCAN_NUM_THREADS", "0"}, {"MMSCAN_WISDOM", bad}};
  for (size_t i = 0; i < COUNT(wrong); i++) {
    const struct setting settings[] = {{"MMSCAN_TEST_FROM", good}, {"MMSCAN_TEST_TO", new}, wrong[i]};
    struct seen seen = ask("environment", settings, 3);
    assert_int_equal(seen.status, i < 2 ? MMSCAN_EINVAL : MMSCAN_EIO);
    assert_int_equal(seen.count, 0);
    assert_int_equal(access(new, F_OK), -1);
  }
}

/* ---- Many at a time ---------------------------------------------------------------------------------------------- */

enum { WORKERS = 8 };

/* Reads, writes or scans repeatedly. */
struct worker {
  int kind;
  char file[PATH_SIZE];
  bool right;
};

static bool scan_once(void) {
  enum { N = 70000 };
  int32_t *x = calloc(N, sizeof *x);
  bool right = x != NULL;
  if (right) x[0] = 1;
  right = right && mmscan_inclusive_i32(N, x, x) == MMSCAN_OK && x[N - 1] == 1;
  free(x);
  return right;
}

static void *work(void *argument) {
  struct worker *w = argument;
  w->right = true;
  for (size_t turn = 0; turn < sized(12, 6) && w->right; turn++) switch (w->kind) {
    case 0:
      w->right = mmscan_wisdom_read(w->file, NULL, 0) == MMSCAN_OK && mmscan_wisdom_count() > 0;
      break;
    case 1:
      w->right = mmscan_wisdom_write(w->file) == MMSCAN_OK;
      break;
    default:
      w->right = scan_once();
    }
  return NULL;
}

/* Readers see the file as one of the writers left it, never half written. */
static void test_many_at_a_time(void **state) {
  (void)state;
  struct worker workers[WORKERS];
  pthread_t threads[WORKERS];
  const char *file =
      wisdom_file("shared", "plus i32 16 0 gemm cblas 4 4096 2 1024\nplus i32 17 0 simd - 0 1024 2 1024\n");
  for (int i = 0; i < WORKERS; i++) {
    workers[i] = (struct worker){.kind = i % 3};
    snprintf(workers[i].file, PATH_SIZE, "%s", file);
    if (pthread_create(&threads[i], NULL, work, &workers[i]) != 0) fail_msg("no thread");
  }
  for (int i = 0; i < WORKERS; i++) {
    pthread_join(threads[i], NULL);
    if (!workers[i].right) fail_msg("worker %d, of kind %d, failed", i, workers[i].kind);
  }
}

/* A shape that is learned again and again while wisdom is written, or counted, is there each time. */
enum { MOST_LESSONS = 3000 };

struct learner {
  char file[2][PATH_SIZE];
  _Atomic bool stop;
  bool right;
};

static void *learn(void *argument) {
  struct learner *l = argument;
  l->right = true;
  for (size_t i = 0; i < MOST_LESSONS && !l->stop; i++)
    l->right = mmscan_wisdom_read(l->file[i % 2], NULL, 0) == MMSCAN_OK && l->right;
  return NULL;
}

static void test_learning_meanwhile(void **state) {
  (void)state;
  const char *written = in_scratch("written");
  struct learner l = {.stop = false};
  pthread_t thread;
  for (int i = 0; i < 2; i++) {
    char text[4096] = "";
    for (int n = 1; n <= 60; n++)
      sprintf(text + strlen(text), "plus u32 %d 0 simd - 0 %d 2 2\n", n, n == 60 ? 1024 << i : 4096);
    snprintf(l.file[i], PATH_SIZE, "%s", wisdom_file(i ? "second" : "first", text));
  }
  assert_mmscan_ok(mmscan_wisdom_read(l.file[0], NULL, 0));
  const size_t count = mmscan_wisdom_count();
  assert_int_equal(pthread_create(&thread, NULL, learn, &l), 0);
  for (size_t i = 0; i < sized(100, 20); i++) {
    assert_mmscan_ok(mmscan_wisdom_write(written));
    if (strstr(text_read(written).data, "plus u32 60 0 simd") == NULL) fail_msg("a shape is not written");
    for (size_t j = 0; j < 10; j++) assert_int_equal(mmscan_wisdom_count(), count);
  }
  l.stop = true;
  pthread_join(thread, NULL);
  assert_true(l.right);
}

/* No process writes to the pipe, and reading does not wait for one. */
static void test_pipe(void **state) {
  (void)state;
  const char *pipe = in_scratch("unwritten");
  assert_int_equal(mkfifo(pipe, 0600), 0);
  alarm(60);
  assert_status(MMSCAN_EIO, mmscan_wisdom_read(pipe, NULL, 0));
  alarm(0);
  remove(pipe);
}

int main(int argc, char **argv) {
  static const struct child children[] = {
      {"read", child_read}, {"copy", child_copy}, {"measure", child_measure}, {"environment", child_environment}};
  int status;
  wait_passively(argv);
  if (run_child(argc, argv, children, COUNT(children), &status)) return status;
  if (argc > 1) return report_seen(MMSCAN_OK);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pipe),
      cmocka_unit_test(test_there_and_back),
      cmocka_unit_test(test_what_was_measured),
      cmocka_unit_test(test_settled_choices),
      cmocka_unit_test(test_what_outranks),
      cmocka_unit_test(test_what_is_news),
      cmocka_unit_test(test_calls_use_it),
      cmocka_unit_test(test_lines_are_good),
      cmocka_unit_test(test_each_byte_changed),
      cmocka_unit_test(test_each_length),
      cmocka_unit_test(test_large_files),
      cmocka_unit_test(test_foreign_heads),
      cmocka_unit_test(test_each_character_of_a_head),
      cmocka_unit_test(test_signature_is_in_the_head),
      cmocka_unit_test(test_illegal_lines),
      cmocka_unit_test(test_illegal_ends),
      cmocka_unit_test(test_no_files),
      cmocka_unit_test(test_reasons),
      cmocka_unit_test(test_illegal_environment),
      cmocka_unit_test(test_many_at_a_time),
      cmocka_unit_test(test_learning_meanwhile), /* the last: what was learned stays, and takes time to look through */
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
