/* wisdom.c: a list of what was measured, and its file.
 *
 * The file is text: a head that says what it is for, libraries, a line for each shape, and a last line. This has the
 * number of lines from the first library that was opened on, and a checksum of everything before it. A reader takes all
 * of the file or nothing: the checksum must be right, the machine must be this one, and every library that a line needs
 * must be here in the same version.
 *
 *   mmscan-wisdom 5
 *   library 0.1.0
 *   cpu AMD EPYC 00a10f11            its name and signature
 *   isa avx512
 *   unit cblas OpenBLAS 0.3.21       the library of a unit, where a line names that
 *   blas libblis.so.4                libraries that were opened: roster.h
 *   version 0.9.0, kernels for zen3
 *   plus f32 17 0 simd - 0 32768 1 2    operator, type, log2 n, log2 batch, engine, unit, s, tile, threads, of so many
 *   plus f32 18 0 gemm @1 8 65536 2 2   a unit, of the first library
 *   end 4 93c6cbcb8a4f4e8c
 */
#include "plan/wisdom.h"

#include "base/cancel.h"
#include "base/cpu.h"
#include "base/file.h"
#include "plan/roster.h"
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FORMAT = 5, LONGEST_FILE = 1 << 20 };

/* ---- The list ------------------------------------------------------------------------------------------------- */

typedef struct entry {
  struct entry *next;
  uint32_t key;
  mms_wise wise;
} entry;

/* Entries are only ever added in front, so readers need no lock. They are never freed: a thread may be in a scan while
 * the process ends. */
static _Atomic(entry *) list;

static unsigned log2_of(size_t v) {
  unsigned log = 0;
  while (v >>= 1) log++;
  return log;
}

static uint32_t key_from(const mms_algebra *algebra, unsigned log_n, unsigned log_batch) {
  return (uint32_t)mms_algebra_index(algebra) << 16 | log_n << 8 | log_batch;
}

static uint32_t key_of(mms_shape s) { return key_from(s.algebra, log2_of(s.n), log2_of(s.batch)); }

static const mms_algebra *algebra_of(uint32_t key) { return mms_algebra_at(key >> 16); }

static const entry *find(const entry *e, uint32_t key) {
  while (e && e->key != key) e = e->next;
  return e;
}

bool mms_wisdom_find(const mms_shape *shape, mms_wise *wise) {
  const entry *first = atomic_load_explicit(&list, memory_order_acquire);
  const entry *e = first ? find(first, key_of(*shape)) : NULL;
  if (!e) return false;
  *wise = e->wise;
  return true;
}

/* Puts a chain of entries in front. */
static void publish(entry *first, entry *last) {
  entry *head = atomic_load_explicit(&list, memory_order_relaxed);
  do last->next = head;
  while (!atomic_compare_exchange_weak_explicit(&list, &head, first, memory_order_release, memory_order_relaxed));
}

static entry *new_entry(uint32_t key, const mms_wise *wise) {
  entry *e = malloc(sizeof *e);
  if (e) *e = (entry){.key = key, .wise = *wise};
  return e;
}

mmscan_status mms_wisdom_keep(mms_shape shape, const mms_wise *wise) {
  entry *e = new_entry(key_of(shape), wise);
  if (!e) return MMSCAN_ENOMEM;
  mms_unit_hold(wise->unit); /* for good, as entries are */
  publish(e, e);
  return MMSCAN_OK;
}

/* Whether no entry before it in the list outranks it. Other threads may put entries in front of `first` meanwhile. */
static bool is_current(const entry *first, const entry *e) { return find(first, e->key) == e; }

size_t mms_wisdom_count(void) {
  const entry *first = atomic_load(&list);
  size_t count = 0;
  for (const entry *e = first; e; e = e->next) count += is_current(first, e);
  return count;
}

static void free_chain(entry *e) {
  while (e) {
    entry *next = e->next;
    free(e);
    e = next;
  }
}

/* ---- Text ----------------------------------------------------------------------------------------------------- */

/* FNV-1a. */
static uint64_t sum_of(const char *text, size_t size) {
  uint64_t sum = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < size; i++) sum = (sum ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
  return sum;
}

enum { END_ROOM = 64 };

/* The last line of a file. */
static void make_end(char *end, const char *text, size_t size, size_t lines) {
  snprintf(end, END_ROOM, "end %zu %016" PRIx64 "\n", lines, sum_of(text, size));
}

#define NAME      "mmscan-wisdom"
#define NO_WISDOM "it is not wisdom"
#define ANEW      ": mmscan tune -o measures anew"

/* What a file must start with to be for this library and machine. */
static void write_head(mms_text *out, const mms_isa *isa) {
  mms_text_add(out, NAME " %d\nlibrary %s\ncpu %s %08" PRIx32 "\nisa %s\n", FORMAT, mmscan_version(), mms_cpu_name(),
               mms_cpu_signature(), isa->name);
}

static void write_entry(mms_text *out, const mms_roster *roster, const entry *e) {
  const mms_wise *w = &e->wise;
  char unit[16];
  mms_roster_name(roster, w->unit, unit, sizeof unit);
  const mms_algebra *algebra = algebra_of(e->key);
  mms_text_add(out, "%s %s %u %u %s %s %zu %zu %d %d\n", algebra->op_name, algebra->type_name, e->key >> 8 & 255,
               e->key & 255, w->engine->name, unit, w->s, w->tile, w->threads, w->possible);
}

static mms_roster make_roster(const entry *first) {
  mms_roster roster = {0};
  for (const entry *e = first; e; e = e->next)
    if (is_current(first, e)) mms_roster_add(&roster, e->wise.unit);
  mms_roster_add_trusted(&roster);
  return roster;
}

/* Returns the number of lines. */
static size_t write_lines(mms_text *out, const mms_roster *roster, const entry *first) {
  size_t lines = mms_roster_write(roster, out);
  for (const entry *e = first; e; e = e->next)
    if (is_current(first, e) && mms_roster_has(roster, e->wise.unit)) {
      write_entry(out, roster, e);
      lines++;
    }
  return lines;
}

/* The head alone; the caller's to free. NULL: no memory. */
static char *make_head(const mms_isa *isa) {
  mms_text text = {.size = 0};
  write_head(&text, isa);
  return mms_text_end(&text);
}

/* All of a file; the caller's to free. NULL: no memory. */
static char *make_text(const mms_isa *isa, size_t *size) {
  mms_text text = {.size = 0};
  char end[END_ROOM];
  const entry *first = atomic_load(&list);
  const mms_roster roster = make_roster(first);
  write_head(&text, isa);
  mms_roster_write_builtins(&roster, &text);
  const size_t lines = write_lines(&text, &roster, first);
  make_end(end, text.data, text.size, lines);
  mms_text_add(&text, "%s", end);
  *size = text.size;
  return mms_text_end(&text);
}

/* ---- Reading -------------------------------------------------------------------------------------------------- */

static mmscan_status parse_part(mms_wise *w, mms_roster *roster, const char *engine, const char *unit) {
  bool has_unit = strcmp(unit, "-") != 0;
  w->engine = mms_engine_find(engine);
  if (!w->engine || w->engine->has_unit != has_unit) return MMSCAN_EIO;
  return has_unit ? mms_roster_unit(roster, unit, &w->unit) : MMSCAN_OK;
}

/* Whether a plan would accept it. */
static bool is_legal(const mms_algebra *algebra, const mms_wise *w) {
  if (w->engine->has_unit && algebra->planes == 0) return false;
  return mms_engine_allows(w->engine, w->s, w->tile) && w->threads >= 1 && w->threads <= w->possible;
}

/* MMSCAN_EIO: it is not the line of a shape. */
static mmscan_status parse_line(mms_roster *roster, const char *line, entry **e) {
  char op[16], type[8], engine[16], unit[16];
  unsigned log_n, log_batch;
  int end = -1;
  mms_wise w = {0};
  if (sscanf(line, "%15s %7s %3u %3u %15s %15s %9zu %9zu %9d %9d%n", op, type, &log_n, &log_batch, engine, unit, &w.s,
             &w.tile, &w.threads, &w.possible, &end) != 10 ||
      line[end] != '\0')
    return MMSCAN_EIO;
  const mms_algebra *algebra = mms_algebra_find(op, type);
  if (!algebra || log_n > 63 || log_batch > 63) return MMSCAN_EIO;
  mmscan_status status = parse_part(&w, roster, engine, unit);
  if (status) return status;
  if (!is_legal(algebra, &w)) return MMSCAN_EIO;
  *e = new_entry(key_from(algebra, log_n, log_batch), &w);
  return *e ? MMSCAN_OK : MMSCAN_ENOMEM;
}

/* Parses the lines between the head and the last line, *count of them, into a roster and a chain. */
static mmscan_status parse_lines(char *lines, mms_roster *roster, entry **first, entry **last, size_t *count) {
  *first = *last = NULL;
  *count = 0;
  char *rest = NULL;
  for (char *line = strtok_r(lines, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    ++*count;
    if (!*first && mms_roster_line(roster, line)) continue;
    entry *e;
    mmscan_status status = parse_line(roster, line, &e);
    if (status) return status;
    e->next = *first;
    if (!*first) *last = e;
    *first = e;
  }
  return MMSCAN_OK;
}

/* Whether the last line, which is cut off, is exactly what would be written after the text before it. */
static bool is_whole(char *text, size_t size, size_t *lines) {
  char end[END_ROOM];
  if (size == 0 || strlen(text) != size || text[size - 1] != '\n') return false;
  text[size - 1] = '\0';
  char *last = strrchr(text, '\n');
  text[size - 1] = '\n';
  if (!last || sscanf(last + 1, "end %9zu", lines) != 1) return false;
  make_end(end, text, (size_t)(last + 1 - text), *lines);
  bool same = strcmp(last + 1, end) == 0;
  last[1] = '\0';
  return same;
}

static bool is_known(const entry *e) {
  const entry *known = find(atomic_load(&list), e->key);
  const mms_wise *a = known ? &known->wise : NULL, *b = &e->wise;
  return a && a->engine == b->engine && a->unit == b->unit && a->s == b->s && a->tile == b->tile &&
         a->threads == b->threads && a->possible == b->possible;
}

/* Whether any entry is new: reading the same file again and again takes no more memory. */
static bool has_news(const entry *e) {
  while (e && is_known(e)) e = e->next;
  return e != NULL;
}

/* How the head of a file differs from the one that this library writes here; NULL: not at all. */
static const char *unlike(const char *text, const char *head) {
  static const char *const reasons[] = {"it is of another format of wisdom" ANEW,
                                        "it is of another version of the library" ANEW, "it is of another CPU" ANEW,
                                        "it is of another instruction set than is chosen here" ANEW};
  for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
    const size_t length = strcspn(head, "\n") + 1;
    if (strncmp(text, head, length) != 0) return reasons[i];
    text += length;
    head += length;
  }
  return NULL;
}

static mmscan_status take_text(char *text, size_t size, const char *head, const char **why) {
  size_t told, count;
  entry *first, *last;
  *why = strncmp(text, NAME, strlen(NAME)) == 0 ? "it is damaged" ANEW : NO_WISDOM;
  if (!is_whole(text, size, &told)) return MMSCAN_EIO;
  *why = unlike(text, head);
  if (*why) return MMSCAN_EIO;
  *why = "it has a line that is no choice of this library, or names a BLAS that is not here or of another version" ANEW;
  mms_roster roster = {0};
  char *lines = mms_roster_skip_builtins(&roster, text + strlen(head));
  mmscan_status status = parse_lines(lines, &roster, &first, &last, &count);
  if (status == MMSCAN_OK) status = count == told ? mms_roster_keep(&roster) : MMSCAN_EIO;
  bool is_news = status == MMSCAN_OK && has_news(first);
  if (is_news)
    publish(first, last);
  else
    free_chain(first);
  if (!is_news) mms_roster_drop(&roster);
  return status;
}

static mmscan_status take_file(const char *file, const mms_isa *isa, const char **why) {
  char *text;
  size_t size;
  mmscan_status status = mms_file_read(file, LONGEST_FILE, &text, &size, why);
  if (status) return status;
  char *head = make_head(isa);
  status = head ? take_text(text, size, head, why) : MMSCAN_ENOMEM;
  free(head);
  free(text);
  return status;
}

mmscan_status mms_wisdom_read(const char *file, const mms_isa *isa, const char **why) {
  int before = mms_cancel_disable();
  mmscan_status status = take_file(file, isa, why);
  if (status == MMSCAN_ENOMEM) *why = "no memory";
  mms_cancel_restore(before);
  return status;
}

/* ---- Writing -------------------------------------------------------------------------------------------------- */

mmscan_status mms_wisdom_write(const char *name, const mms_isa *isa) {
  int before = mms_cancel_disable();
  size_t size;
  char *text = make_text(isa, &size);
  mmscan_status status = text ? mms_file_replace(name, text, size) : MMSCAN_ENOMEM;
  free(text);
  mms_cancel_restore(before);
  return status;
}
