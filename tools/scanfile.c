/* scanfile.c: scans one file into another.
 *
 * The order of steps: open the output, choose the formats, learn the type, check that the library supports the scan.
 * Only when all errors that can be found early have been reported come the steps that take time: parsing the numbers of
 * a text, or spooling what has to be read out of order. */
#include "scanfile.h"
#include "array.h"
#include "flatten.h"
#include "input.h"
#include "message.h"
#include "npy.h"
#include "order.h"
#include "progress.h"
#include "result.h"
#include "segmentfile.h"

#include <csv.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct job {
  const scan_request *request;
  input in;
  format in_format, out_format;
  array a;    /* what is read, */
  array made; /*   and what is written */
  order o;
  segments parts;   /* of --starts, --flags or --keys */
  int axis;         /* that is scanned */
  char *heading;    /* of the column, for a .csv output; else NULL */
  bool to_terminal; /* the output is a terminal */
} job;

static bool is_text(format f) { return f == FORMAT_CSV || f == FORMAT_TXT; }

/* ---- Format ------------------------------------------------------------------------------------------------------ */

/* "" where there is none. */
static const char *extension_of(const char *path) {
  const char *slash = strrchr(path, '/'), *dot = strrchr(slash != NULL ? slash : path, '.');
  return dot != NULL ? dot : "";
}

static format format_of_name(const char *path) {
  static const struct {
    const char *extension;
    format format;
  } known[] = {{".npy", FORMAT_NPY}, {".csv", FORMAT_CSV}, {".tsv", FORMAT_CSV},
               {".txt", FORMAT_TXT}, {".raw", FORMAT_RAW}, {".bin", FORMAT_RAW}};
  const char *extension = extension_of(path);
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if (strcasecmp(extension, known[i].extension) == 0) return known[i].format;
  return FORMAT_UNKNOWN;
}

static char delimiter_of(const scan_request *r) {
  if (r->delimiter != '\0') return r->delimiter;
  return strcasecmp(extension_of(r->in), ".tsv") == 0 ? '\t' : ',';
}

static bool is_of_table(const scan_request *r) { return r->column != NULL || r->header != HEADER_GUESS; }

/* The first bytes of compressed files and of archives. */
static const char *packer_of(const unsigned char *start, size_t size) {
  static const struct {
    const char *begins, *name;
  } known[] = {{"\x1f\x8b\x08", "gzip"}, {"PK\x03\x04", "zip"}, {"\x28\xb5\x2f\xfd", "zstd"}, {"\3757zXZ", "xz"}};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    const size_t length = strlen(known[i].begins);
    if (size >= length && memcmp(start, known[i].begins, length) == 0) return known[i].name;
  }
  return NULL;
}

/* White space alone may well be raw data. */
static bool is_blank(const unsigned char *start, size_t size) {
  size_t blanks = 0;
  while (blanks < size && isspace(start[blanks])) blanks++;
  return blanks == size;
}

static int fail_text(const job *j, size_t size) {
  const char fitter = textfile_other_delimiter((const char *)j->in.peeked, size, ',');
  return fail("%s: this looks like text: use --format txt or csv to read it, or --format raw to scan its bytes%s",
              j->in.name, textfile_advice(fitter));
}

/* Whether standard input, whose first bytes these are, is raw: with --type, unless it looks like text; else if it can
 * be no text. White space alone may be either, and is not taken for text. */
static bool is_raw(const job *j, size_t size, bool text) {
  if (is_of_table(j->request)) return false;
  if (j->request->type == NULL) return textfile_is_binary(j->in.peeked, size);
  return !text || is_blank(j->in.peeked, size);
}

/* Guesses the format where no name says it. Data that begins like .npy is .npy. Else a file is raw, and standard input
 * raw or text. Raw data that looks packed or like text is refused. */
static int guess_format(job *j, bool has_name) {
  size_t size;
  if (input_peek(&j->in, &size) != DONE) return FAILED;
  const bool text = textfile_looks_like_text(j->in.peeked, size), raw = has_name || is_raw(j, size, text);
  const char *packer = raw ? packer_of(j->in.peeked, size) : NULL;
  if (packer != NULL)
    return fail("%s: this looks like %s: unpack it first, or use --format raw to scan its bytes", j->in.name, packer);
  if (size >= NPY_MAGIC_SIZE && memcmp(j->in.peeked, NPY_MAGIC, NPY_MAGIC_SIZE) == 0)
    j->in_format = FORMAT_NPY;
  else if (raw)
    j->in_format = FORMAT_RAW;
  else
    j->in_format = textfile_looks_like_csv(j->in.peeked, size) ? FORMAT_CSV : FORMAT_TXT;
  return raw && text ? fail_text(j, size) : DONE;
}

/* What has a delimiter is a table. */
static format told_format(const scan_request *r) {
  if (r->in_format != FORMAT_UNKNOWN) return r->in_format;
  const format named = format_of_name(r->in);
  return r->delimiter != '\0' && (named == FORMAT_UNKNOWN || named == FORMAT_TXT) ? FORMAT_CSV : named;
}

/* The form of segments that are in a column of the table; 0: none are. */
static mmscan_segment_form column_form(const scan_request *r) {
  const mmscan_segment_form form = scan_segment_form(r);
  return form != 0 && !segments_are_in_file(r->segments[form]) ? form : 0;
}

static int choose_formats(job *j) {
  const scan_request *r = j->request;
  j->in_format = told_format(r);
  if (j->in_format == FORMAT_UNKNOWN) {
    const int status = guess_format(j, strcmp(r->in, "-") != 0);
    if (status != DONE) return status;
  }
  j->out_format = format_of_name(r->out);
  if (j->out_format == FORMAT_UNKNOWN) j->out_format = j->in_format;
  if (is_of_table(r) && !is_text(j->in_format))
    return wrong_usage(SCAN_NAME, "%s: --column and --header are for .csv and .txt files", j->in.name);
  if (r->delimiter != '\0' && j->in_format != FORMAT_CSV)
    return wrong_usage(SCAN_NAME, "%s: --delimiter is for tables, whose format is csv", j->in.name);
  if (column_form(r) != 0 && !is_text(j->in_format))
    return wrong_usage(SCAN_NAME, "%s: this is no table with columns: '%s' must be a .npy file",
                       segments_option(column_form(r)), r->segments[column_form(r)]);
  if (j->in_format == FORMAT_RAW && r->type == NULL)
    return wrong_usage(SCAN_NAME, "%s: raw binary data needs --type (or --format, if it is something else)",
                       j->in.name);
  if (r->share != NULL && (is_text(j->in_format) || is_text(j->out_format)))
    return fail("%s: text is read and written by one process alone: 'mmscan scan' does it",
                is_text(j->in_format) ? r->in : r->out);
  if (j->to_terminal && !is_text(j->out_format)) return fail("binary data is not written to a terminal: use -o FILE");
  return DONE;
}

/* ---- Type and shape ---------------------------------------------------------------------------------------------- */

static int learn_type(job *j) {
  const element *asked = j->request->type;
  if (j->in_format != FORMAT_NPY) {
    j->a.type = asked != NULL ? asked : element_by_name("f64");
    return DONE;
  }
  if (npy_read_header(&j->in, &j->a) != DONE) return FAILED;
  if (asked == NULL || asked == j->a.type) return DONE;
  return fail("%s: its elements are %s, not %s", j->in.name, j->a.type->name, asked->name);
}

static uint64_t data_bytes(const job *j) { return j->a.count * j->a.type->size; }

static int learn_text(job *j) {
  const textfile_request request = {.type = j->a.type,
                                    .exact = j->request->type == NULL,
                                    .delimiter = j->in_format == FORMAT_CSV ? delimiter_of(j->request) : '\0',
                                    .column = j->request->column,
                                    .header = j->request->header};
  const mmscan_segment_form form = column_form(j->request);
  if (form != 0 && input_spool(&j->in) != DONE) return FAILED;
  if (form != 0 && segments_read_column(&j->parts, form, j->request->segments[form], &j->in, &request) != DONE)
    return FAILED;
  if (textfile_read(&j->in, &request, &j->a.count, &j->heading) != DONE) return FAILED;
  j->a.count_known = true;
  array_flatten(&j->a);
  return DONE;
}

static int learn_raw(job *j) {
  const size_t size = j->a.type->size;
  j->a.count_known = j->in.size != INPUT_SIZE_UNKNOWN;
  if (!j->a.count_known) return DONE;
  if (j->in.size % size != 0) return order_fail_size(j->in.name, j->a.type);
  j->a.count = j->in.size / size;
  array_flatten(&j->a);
  return DONE;
}

static int learn_shape(job *j) {
  if (is_text(j->in_format)) return learn_text(j);
  if (j->in_format == FORMAT_RAW) return learn_raw(j);
  return input_check_end(&j->in, data_bytes(j));
}

/* Makes the input seekable, which for raw data also tells its size. */
static int spool(job *j) {
  if (j->in.seekable) return DONE;
  if (input_spool(&j->in) != DONE) return FAILED;
  return j->in_format == FORMAT_RAW ? learn_raw(j) : input_check_end(&j->in, data_bytes(j));
}

/* ---- Arrangement ------------------------------------------------------------------------------------------------- */

/* The lengths of the axes in the order of memory, the slowest first. */
static uint64_t memory_shape(const array *a, int i) { return a->shape[a->fortran ? a->dims - 1 - i : i]; }

static int arrange_axis(job *j) {
  const array *a = &j->a;
  const long axis = j->request->axis < 0 ? j->request->axis + a->dims : j->request->axis;
  if (axis < 0 || axis >= a->dims)
    return fail("%s: there is no axis %ld: the data has %d dimension%s", j->in.name, j->request->axis, a->dims,
                a->dims == 1 ? "" : "s");
  const int place = (int)(a->fortran ? a->dims - 1 - axis : axis);
  j->axis = (int)axis;
  j->o.outer = j->o.inner = 1;
  for (int i = 0; i < place; i++) j->o.outer *= memory_shape(a, i);
  for (int i = place + 1; i < a->dims; i++) j->o.inner *= memory_shape(a, i);
  j->o.length = memory_shape(a, place);
  return DONE;
}

/* Whether the elements are in Fortran order, and that is not C order, too. */
static bool is_out_of_order(const array *a) {
  int axes = 0;
  for (int i = 0; i < a->dims; i++) axes += a->shape[i] != 1;
  return a->fortran && axes > 1;
}

static int arrange_flat(job *j) {
  if (is_out_of_order(&j->a) && j->request->share != NULL)
    return fail("%s: data in Fortran order is scanned by several processes only along an --axis", j->in.name);
  if (is_out_of_order(&j->a)) {
    if (spool(j) != DONE || flatten(&j->in, &j->a) != DONE) return FAILED;
  } else if (j->a.dims > 1) {
    array_flatten(&j->a);
  }
  j->o.outer = j->o.inner = 1;
  j->o.length = j->a.count;
  return DONE;
}

/* The results: as what is read, but for the type, and one more along the axis if they are offsets. */
static void set_made(job *j) {
  j->made = j->a;
  j->made.type = j->o.to;
  j->made.shape[j->axis] = order_results(&j->o);
}

/* The segments, which have to fit the axis. */
static int segment(job *j) {
  const mmscan_segment_form form = scan_segment_form(j->request);
  if (form == 0) return DONE;
  if (column_form(j->request) == 0 && segments_read_file(&j->parts, form, j->request->segments[form]) != DONE)
    return FAILED;
  j->o.segments = &j->parts.of_all;
  return segments_check(&j->parts, j->in.name, j->o.length);
}

/* Like NumPy, takes an array without dimensions as a row of one element. */
static int arrange(job *j) {
  const scan_request *r = j->request;
  const bool needs_count =
      r->reverse || r->has_axis || r->share != NULL || j->out_format == FORMAT_NPY || scan_segment_form(r) != 0;
  if (!j->a.count_known && needs_count && spool(j) != DONE) return FAILED;
  if (!j->a.count_known) return DONE;
  if (j->a.dims == 0) array_flatten(&j->a);
  if ((r->has_axis ? arrange_axis(j) : arrange_flat(j)) != DONE) return FAILED;
  set_made(j);
  if (segment(j) != DONE) return FAILED;
  if (is_text(j->out_format) && j->a.dims > 1)
    return fail("%s: text output is for data with one dimension, and this has %d", j->in.name, j->a.dims);
  return order_is_sequential(&j->o) ? DONE : spool(j);
}

/* ---- Totals ------------------------------------------------------------------------------------------------------ */

/* How many there are of each scan: one, or one of each segment. */
static uint64_t totals_each(const job *j) { return j->o.segments != NULL ? j->o.segments->count : 1; }

static int make_totals(job *j) {
  const uint64_t count = j->a.count_known ? j->o.outer * j->o.inner : 1;
  if (!j->o.has_totals) return DONE;
  j->o.totals = calloc((size_t)(count * totals_each(j)) + 1, j->o.to->size);
  return j->o.totals != NULL ? DONE : fail_memory();
}

/* Where total `number` in C order is in the order of memory: of an array in Fortran order, the axes are turned. */
static uint64_t place_of_total(const job *j, uint64_t number) {
  uint64_t place = 0, scale = j->o.outer * j->o.inner;
  if (!j->a.fortran || !j->request->has_axis) return number;
  for (int i = j->a.dims; i-- > 0;) {
    if (i == j->axis) continue;
    scale /= j->a.shape[i];
    place += number % j->a.shape[i] * scale;
    number /= j->a.shape[i];
  }
  return place;
}

/* One on each line, in C order, those of one scan together. */
static int print_totals(const job *j) {
  const uint64_t count = !j->o.has_totals ? 0 : j->a.count_known ? j->o.outer * j->o.inner : 1, each = totals_each(j);
  char text[ELEMENT_TEXT];
  for (uint64_t i = 0; i < count * each; i++) {
    element_print(j->o.to, j->o.totals + (place_of_total(j, i / each) * each + i % each) * j->o.to->size, text);
    if (puts(text) < 0) return FAILED; /* main() says so */
  }
  return DONE;
}

/* ---- The scan ---------------------------------------------------------------------------------------------------- */

/* Writes the name of the column, quoted only if necessary. */
static int write_heading(const char *heading, output *out) {
  const size_t length = strlen(heading);
  const bool edges = length == 0 || strchr(" \t", heading[0]) != NULL || strchr(" \t", heading[length - 1]) != NULL;
  char *line = malloc(2 * length + 3);
  if (line == NULL) return fail_memory();
  size_t size = length;
  memcpy(line, heading, length);
  if (edges || strpbrk(heading, ",\"\r\n") != NULL) size = csv_write(line, 2 * length + 2, heading, length);
  line[size++] = '\n';
  const int status = output_write(out, line, size);
  free(line);
  return status;
}

static int write_start(const job *j, output *out) {
  if (j->out_format == FORMAT_NPY) return npy_write_header(out, &j->made);
  return j->out_format == FORMAT_CSV && j->heading != NULL ? write_heading(j->heading, out) : DONE;
}

static int scan_into(job *j, result *to) {
  if (write_start(j, &to->out) != DONE) return FAILED;
  if (!j->a.count_known) return order_scan_stream(&j->o, &j->in, to);
  int (*const scan)(const order *o, input *in, result *to) = j->o.segments != NULL ? segments_scan : order_scan;
  if ((j->request->share != NULL ? j->request->share : scan)(&j->o, &j->in, to) != DONE) return FAILED;
  return input_check_end(&j->in, data_bytes(j));
}

static int read_and_scan(job *j, result *to) {
  int status = learn_shape(j);
  if (status == DONE) status = arrange(j);
  if (status == DONE) status = make_totals(j);
  if (j->to_terminal) progress_forbid();
  if (status == DONE && j->a.count_known && !order_is_sequential(&j->o)) status = result_unorder(to);
  return status == DONE ? scan_into(j, to) : status;
}

static int set_init(order *o, const char *text) {
  const parsed found = element_parse(o->to, text, &o->init);
  o->has_init = true;
  if (found == PARSED) return DONE;
  return wrong_usage(SCAN_NAME, "--init: '%s' %s %s", text,
                     found == OUT_OF_RANGE ? "is out of the range of" : "is no number of the type", o->to->name);
}

/* Without --init a recurrence begins with 0, and not with what sums begin with, -0.0. */
static int set_decay(order *o, const char *name, const char *text) {
  const mmscan_type type = o->type->type;
  if (type != MMSCAN_F32 && type != MMSCAN_F64 && type != MMSCAN_C32 && type != MMSCAN_C64)
    return fail("%s: --decay is for f32, f64, c32 and c64, not %s", name, o->type->name);
  const parsed found = element_parse(o->type, text, &o->decay);
  if (found != PARSED) return wrong_usage(SCAN_NAME, "--decay: '%s' is no number of the type %s", text, o->type->name);
  if (!o->has_init) o->init = (scalar){.c64 = {0, 0}};
  o->has_decay = o->has_init = true;
  return DONE;
}

/* Before anything is read or written irreversibly, reports a scan that the library does not support. */
static int probe(job *j) {
  const scan_request *r = j->request;
  const unsigned flags = (r->skip_nan ? MMSCAN_SKIP_NAN : 0) | (r->accurate ? MMSCAN_ACCURATE : 0) |
                         (r->reproducible ? MMSCAN_REPRODUCIBLE : 0) | (r->monotone ? MMSCAN_MONOTONE : 0) |
                         (r->checked ? MMSCAN_CHECKED : 0);
  j->o = (order){.type = j->a.type,
                 .to = r->to != NULL ? r->to : j->a.type,
                 .op = r->op,
                 .kind = r->kind,
                 .reverse = r->reverse,
                 .flags = flags,
                 .swapped = j->a.swapped,
                 .has_totals = r->total};
  if (j->out_format == FORMAT_NPY && !element_has_dtype(j->o.to))
    return fail("%s: NumPy has no %s: --to f32 has its values, and -o FILE.raw its bytes", j->in.name, j->o.to->name);
  int status = r->init != NULL ? set_init(&j->o, r->init) : DONE;
  if (status == DONE && r->decay != NULL) status = set_decay(&j->o, j->in.name, r->decay);
  return status == DONE ? order_check(&j->o, j->in.name) : status;
}

/* Other processes find files by their names, and read and write anywhere. */
static int check_files(const job *j, const output *out) {
  struct stat in;
  const bool is_regular = fstat(j->in.fd, &in) == 0 && S_ISREG(in.st_mode) && strcmp(j->request->in, "-") != 0;
  if (is_regular && out->temporary != NULL) return DONE;
  return fail("%s: only a regular file is %s by several processes", is_regular ? out->name : j->in.name,
              is_regular ? "written" : "read");
}

static int scan_opened(job *j) {
  result to;
  int status = result_open(&to, j->request->out); /* before waiting for input */
  j->to_terminal = isatty(to.out.fd) != 0;
  if (status == DONE && j->request->share != NULL) status = check_files(j, &to.out);
  if (status == DONE) status = choose_formats(j);
  if (status == DONE) status = learn_type(j);
  if (status == DONE) status = probe(j);
  if (status == DONE) {
    result_expect(&to, j->o.to, is_text(j->out_format));
    status = read_and_scan(j, &to);
  }
  status = result_close(&to, status);
  return status == DONE ? print_totals(j) : status;
}

int scan_file(const scan_request *request) {
  job j = {.request = request};
  int status = input_open(&j.in, request->in);
  if (status == DONE) status = scan_opened(&j);
  input_close(&j.in);
  free(j.heading);
  free(j.o.totals);
  segments_free(&j.parts);
  progress_erase();
  return status;
}
