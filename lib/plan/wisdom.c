/* wisdom.c: what was measured, and its file.
 *
 * The file is text: a head that says what it is for, libraries, a line for each shape, and a last line. This has the
 * number of lines from the first library that was opened on, and a checksum of everything before it. A reader takes all
 * of the file or nothing: the checksum must be right, the machine must be this one, and every library that a line needs
 * must be here in the same version. No library is opened before all else was found right.
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
#include "plan/known.h"
#include "plan/roster.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FORMAT = 5, LONGEST_FILE = 1 << 20 };

/* ---- Shapes --------------------------------------------------------------------------------------------------- */

static unsigned log2_of(size_t v) { return 63 - (unsigned)__builtin_clzll((unsigned long long)v | 1); }

static uint32_t key_from(const mms_algebra *algebra, unsigned log_n, unsigned log_batch) {
  return (uint32_t)mms_algebra_index(algebra) << 16 | log_n << 8 | log_batch;
}

static uint32_t key_of(mms_shape s) { return key_from(s.algebra, log2_of(s.n), log2_of(s.batch)); }

static const mms_algebra *algebra_of(uint32_t key) { return mms_algebra_at(key >> 16); }

/* A key takes some nanoseconds, which mostly are saved. */
bool mms_wisdom_find(const mms_shape *shape, mms_wise *wise) {
  return mms_known_any() && mms_known_find(key_of(*shape), wise);
}

/* The unit is held for good: a thread that has looked for the shape may be about to hold it. */
mmscan_status mms_wisdom_keep(mms_shape shape, const mms_wise *wise) {
  mms_known_notes *news;
  if (!mms_known_note(&news, &(mms_known){key_of(shape), *wise}, 1)) return MMSCAN_ENOMEM;
  if (news) mms_unit_hold(wise->unit);
  mms_known_add(news);
  return MMSCAN_OK;
}

size_t mms_wisdom_count(void) { return mms_known_count(); }

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

static void write_shape(mms_text *out, const mms_roster *roster, const mms_known *known) {
  const mms_wise *w = &known->wise;
  char unit[MMS_ROSTER_UNIT];
  mms_roster_name(roster, w->unit, unit, sizeof unit);
  const mms_algebra *algebra = algebra_of(known->key);
  mms_text_add(out, "%s %s %u %u %s %s %zu %zu %d %d\n", algebra->op_name, algebra->type_name, known->key >> 8 & 255,
               known->key & 255, w->engine->name, unit, w->s, w->tile, w->threads, w->possible);
}

static void fill_roster(mms_roster *roster, const mms_known *known, size_t count) {
  for (size_t i = 0; i < count; i++) mms_roster_add(roster, known[i].wise.unit);
  mms_roster_add_trusted(roster);
}

/* Returns the number of lines. */
static size_t write_lines(mms_text *out, const mms_roster *roster, const mms_known *known, size_t count) {
  size_t lines = mms_roster_write(roster, out);
  for (size_t i = 0; i < count; i++)
    if (mms_roster_has(roster, known[i].wise.unit)) {
      write_shape(out, roster, &known[i]);
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
  size_t count = 0;
  mms_known *known = mms_known_copy(&count);
  mms_roster *roster = known ? calloc(1, sizeof *roster) : NULL;
  if (roster) {
    fill_roster(roster, known, count);
    write_head(&text, isa);
    mms_roster_write_builtins(roster, &text);
    const size_t lines = write_lines(&text, roster, known, count);
    make_end(end, text.data, text.size, lines);
    mms_text_add(&text, "%s", end);
  }
  free(roster);
  free(known);
  *size = text.size;
  return mms_text_end(&text);
}

/* ---- Reading -------------------------------------------------------------------------------------------------- */

/* What the lines of a file say. Of each shape there is the name of the unit; the unit itself only once it is open. */
typedef struct parsed {
  mms_roster roster;
  size_t lines, count; /* of all kinds, and of shapes */
  mms_known *known;
  char (*unit)[MMS_ROSTER_UNIT];
} parsed;

/* Room for all shapes of a text. NULL: no memory. */
static parsed *new_parsed(const char *text) {
  size_t most = 1;
  for (; *text; text++) most += *text == '\n';
  parsed *p = calloc(1, sizeof *p);
  if (!p) return NULL;
  p->known = malloc(most * sizeof *p->known);
  p->unit = malloc(most * sizeof *p->unit);
  return p;
}

static void free_parsed(parsed *p) {
  free(p->known);
  free(p->unit);
  free(p);
}

/* Whether a plan would accept it. */
static bool is_legal(const mms_algebra *algebra, const mms_wise *w) {
  if (w->engine->has_unit && algebra->planes == 0) return false;
  return mms_engine_allows(w->engine, w->s, w->tile) && w->threads >= 1 && w->threads <= w->possible;
}

/* False: it is not the line of a shape. */
static bool parse_line(parsed *p, const char *line) {
  char op[16], type[8], engine[16], *unit = p->unit[p->count];
  unsigned log_n, log_batch;
  int end = -1;
  mms_wise w = {0};
  if (sscanf(line, "%15s %7s %3u %3u %15s %15s %9zu %9zu %9d %9d%n", op, type, &log_n, &log_batch, engine, unit, &w.s,
             &w.tile, &w.threads, &w.possible, &end) != 10 ||
      line[end] != '\0')
    return false;
  const mms_algebra *algebra = mms_algebra_find(op, type);
  w.engine = mms_engine_find(engine);
  if (!algebra || log_n > 63 || log_batch > 63 || !w.engine || !is_legal(algebra, &w)) return false;
  if (w.engine->has_unit ? !mms_roster_knows(&p->roster, unit) : strcmp(unit, "-") != 0) return false;
  p->known[p->count++] = (mms_known){key_from(algebra, log_n, log_batch), w};
  return true;
}

/* Parses the lines between the head and the last line. */
static mmscan_status parse_lines(parsed *p, char *lines) {
  char *rest = NULL;
  for (char *line = strtok_r(lines, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    p->lines++;
    if (p->count == 0 && mms_roster_line(&p->roster, line)) continue;
    if (!parse_line(p, line)) return MMSCAN_EIO;
  }
  return mms_roster_is_whole(&p->roster) ? MMSCAN_OK : MMSCAN_EIO;
}

static mmscan_status open_units(parsed *p) {
  mmscan_status status = MMSCAN_OK;
  for (size_t i = 0; i < p->count && !status; i++)
    if (p->known[i].wise.engine->has_unit) status = mms_roster_unit(&p->roster, p->unit[i], &p->known[i].wise.unit);
  return status;
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

/* All of it, or nothing. Reading the same again and again holds no unit once more. */
static mmscan_status keep_parsed(parsed *p) {
  mms_known_notes *news = NULL;
  mmscan_status status = open_units(p);
  if (!status && !mms_known_note(&news, p->known, p->count)) status = MMSCAN_ENOMEM;
  if (!status) status = mms_roster_keep(&p->roster);
  if (status || !news) mms_roster_drop(&p->roster);
  if (status)
    mms_known_forget(news);
  else
    mms_known_add(news);
  return status;
}

/* The lines between the head and the last line, of which there must be so many. */
static mmscan_status take_lines(char *lines, size_t told) {
  parsed *p = new_parsed(lines);
  if (!p) return MMSCAN_ENOMEM;
  mmscan_status status = p->known && p->unit ? MMSCAN_OK : MMSCAN_ENOMEM;
  if (!status) status = parse_lines(p, mms_roster_skip_builtins(&p->roster, lines));
  if (!status) status = p->lines == told ? keep_parsed(p) : MMSCAN_EIO;
  free_parsed(p);
  return status;
}

static mmscan_status take_text(char *text, size_t size, const char *head, const char **why) {
  size_t told;
  *why = strncmp(text, NAME, strlen(NAME)) == 0 ? "it is damaged" ANEW : NO_WISDOM;
  if (!is_whole(text, size, &told)) return MMSCAN_EIO;
  *why = unlike(text, head);
  if (*why) return MMSCAN_EIO;
  *why = "it has a line that is no choice of this library, or names a BLAS that is not here or of another version" ANEW;
  return take_lines(text + strlen(head), told);
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
