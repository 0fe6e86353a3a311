/* textfile.c: numbers from text: a column of a table, or all that a file holds.
 *
 * libcsv cuts the text into fields and rows. Where white space separates, every blank does, and the empty fields
 * between them do not count. The first row is kept until it is known whether that is a row of names. */
#include "textfile.h"
#include "message.h"
#include "progress.h"
#include "temporary.h"

#include <csv.h>
#include <ctype.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK         ((size_t)1 << 16)
#define LONGEST_FIELD ((size_t)1 << 20) /* or an unclosed quote would be read into memory to the end of the file */
#define MOST_COLUMNS  ((size_t)1 << 20) /* the first row is kept in memory */
#define STORE         8192              /* numbers */

typedef struct table {
  const char *name; /* of the file */
  const textfile_request *request;
  bool flat;   /* every field is a number of the result */
  char fitter; /* a delimiter that may fit better, for advice; else '\0' */
  int status;

  size_t line;    /* from 1 */
  size_t fields;  /* of this row, so far */
  size_t blank;   /* line number of an empty line, after which only empty lines may follow; else 0 */
  bool after_cr;  /* the last row ended in a carriage return: a line feed belongs to it */
  size_t columns; /* of every row; 0 before the first has ended */
  size_t chosen;  /* the column, from 0 */
  json_t *first;  /* the fields of the first row */
  char *heading;
  char *above; /* of changes: the last field; NULL: there was none */

  int fd; /* where the numbers go */
  uint64_t count;
  size_t stored;
  char store[STORE * sizeof(scalar)];
} table;

static bool is_table(const table *t) { return t->request->delimiter != '\0'; }

/* ---- Delimiters -------------------------------------------------------------------------------------------------- */

char textfile_other_delimiter(const char *start, size_t size, char delimiter) {
  size_t length = 0;
  while (length < size && strchr("\r\n", start[length]) == NULL) length++;
  if (delimiter != '\0' && memchr(start, delimiter, length) != NULL) return '\0';
  return memchr(start, ';', length) != NULL ? ';' : memchr(start, '\t', length) != NULL ? '\t' : '\0';
}

const char *textfile_advice(char delimiter) {
  return delimiter == ';' ? "; --delimiter ';' may fit" : delimiter == '\t' ? "; --delimiter tab may fit" : "";
}

/* ---- Numbers ----------------------------------------------------------------------------------------------------- */

static void flush_store(table *t) {
  const size_t size = t->request->type->size;
  t->status = temporary_write_at(t->fd, t->store, t->stored * size, (t->count - t->stored) * size);
  t->stored = 0;
}

/* Advice for a message: a type that can represent the integer; "" if none can. */
static const char *keeper_of(const char *text) {
  scalar value;
  if (element_parse(element_by_name("i64"), text, &value) == PARSED) return "--type i64 keeps it, ";
  return element_parse(element_by_name("u64"), text, &value) == PARSED ? "--type u64 keeps it, " : "";
}

static int fail_number(const table *t, const char *text, parsed result) {
  const char *type = t->request->type->name;
  char quote[MESSAGE_QUOTE];
  if (text[0] == '\0') return fail("%s:%zu: empty field", t->name, t->line);
  quoted(text, quote);
  if (result == ROUNDED)
    return fail("%s:%zu: '%s' would be rounded: %s--type %s rounds it", t->name, t->line, quote, keeper_of(text), type);
  if (result == OUT_OF_RANGE) return fail("%s:%zu: '%s' is out of range for %s", t->name, t->line, quote, type);
  const char *advice = textfile_advice(strchr(text, t->fitter) != NULL ? t->fitter : '\0');
  return fail("%s:%zu: '%s' is not a number of type %s%s", t->name, t->line, quote, type, advice);
}

static void store(table *t, const scalar *value) {
  const element *type = t->request->type;
  memcpy(t->store + t->stored * type->size, value, type->size);
  t->count++;
  if (++t->stored == STORE) flush_store(t);
}

static void add_change(table *t, const char *text) {
  scalar value = {.half = 0};
  const unsigned char differs = t->above == NULL || strcmp(t->above, text) != 0;
  memcpy(&value, &differs, 1);
  if (differs) {
    free(t->above);
    t->above = strdup(text);
    if (t->above == NULL) t->status = fail_memory();
  }
  if (t->status == DONE) store(t, &value);
}

static void add_number(table *t, const char *text) {
  const element *type = t->request->type;
  scalar value;
  const parsed result = text[0] == '\0' ? NOT_A_NUMBER : element_parse(type, text, &value);
  if (result != PARSED && (result != ROUNDED || t->request->exact)) {
    t->status = fail_number(t, text, result);
    return;
  }
  store(t, &value);
}

static void add(table *t, const char *text) { (t->request->changes ? add_change : add_number)(t, text); }

/* ---- The first row ----------------------------------------------------------------------------------------------- */

/* In any encoding. */
static void keep_first(table *t, const char *text) {
  if (t->fields == MOST_COLUMNS)
    t->status = fail("%s:%zu: more than %zu columns", t->name, t->line, MOST_COLUMNS);
  else if (json_array_append_new(t->first, json_string_nocheck(text)) != 0)
    t->status = fail_memory();
}

static const char *first_at(const table *t, size_t column) {
  return json_string_value(json_array_get(t->first, column));
}

/* Whether c starts a letter, or a UTF-8 character that may be one: characters that start with C2 or E2 are currency
 * signs, minus signs and the like. */
static bool starts_letter(unsigned char c) { return isalpha(c) || (c > 0xC2 && c != 0xE2); }

/* Whether text is a number. nan is one. */
static bool is_number(const char *text) {
  scalar value;
  return element_parse(element_by_name("f64"), text, &value) != NOT_A_NUMBER;
}

/* Whether text starts like a name and is no number. Other text that is no number, such as 5% or a date, may be data. */
static bool is_name(const char *text) {
  const char *first = text + strspn(text, " \t");
  return (starts_letter((unsigned char)*first) || *first == '_') && !is_number(text);
}

/* The column (from 0) that `number` (from 1) asks for, or t->columns if there is none. */
static size_t find_number(const table *t, const char *number) {
  scalar value;
  const bool good = element_parse(element_by_name("u64"), number, &value) == PARSED;
  return good && value.u64 >= 1 && value.u64 <= t->columns ? (size_t)value.u64 - 1 : t->columns;
}

/* Whether --column can only mean a name. A number that no column has is not a name, even if a field equals it. */
static bool asks_by_name(const table *t) {
  const char *column = t->request->column;
  return column != NULL && find_number(t, column) == t->columns && !is_number(column);
}

static bool is_row_of_names(const table *t) {
  if (t->request->header != HEADER_GUESS) return t->request->header == HEADER_YES;
  const char *asked = asks_by_name(t) ? t->request->column : NULL;
  for (size_t i = 0; i < t->columns; i++)
    if (is_name(first_at(t, i)) || (asked != NULL && strcmp(first_at(t, i), asked) == 0)) return true;
  return false;
}

/* The first row has names, but not over the chosen column. If the table has a column of words, that may as well be a
 * row of data. */
static bool may_be_either(const table *t, bool names) {
  return names && t->request->header == HEADER_GUESS && !asks_by_name(t) && !is_name(first_at(t, t->chosen));
}

/* The column names in the first row, for a message: " (a, b, c)". "" without names; "" or NULL if out of memory. */
static char *list_names(const table *t, bool names) {
  char *list = NULL, quote[MESSAGE_QUOTE];
  size_t size = 0;
  FILE *stream = names ? open_memstream(&list, &size) : NULL;
  if (stream == NULL) return strdup("");
  for (size_t i = 0; i < t->columns && i < 100; i++)
    fprintf(stream, "%s%s", i == 0 ? " (" : ", ", quoted(first_at(t, i), quote));
  fputs(t->columns > 100 ? ", ...)" : ")", stream);
  fclose(stream);
  return list;
}

static void fail_column(table *t, bool names, const char *what, const char *column) {
  char quote[MESSAGE_QUOTE];
  char *list = list_names(t, names);
  const char *plural = t->columns == 1 ? "" : "s", *mark = column ? "'" : "";
  const char *advice = t->columns == 1 || (column && strchr(column, ' ')) ? textfile_advice(t->fitter) : "";
  t->status = fail("%s: %s%s%s%s%s; it has %zu column%s%s%s", t->name, what, column ? " " : "", mark,
                   column ? quoted(column, quote) : "", mark, t->columns, plural, list ? list : "", advice);
  free(list);
}

/* The column called `name`, or t->columns if there is none. Fails if there are several. */
static size_t find_name(table *t, const char *name) {
  size_t found = t->columns;
  for (size_t i = 0; i < t->columns; i++) {
    if (strcmp(first_at(t, i), name) != 0) continue;
    if (found < t->columns) {
      fail_column(t, true, "more than one column is called", name);
      break;
    }
    found = i;
  }
  return found;
}

static void choose_column(table *t, bool names) {
  const char *column = t->request->column;
  if (column == NULL) {
    if (t->columns > 1) fail_column(t, names, "--column must name one", NULL);
    return;
  }
  t->chosen = names ? find_name(t, column) : t->columns;
  if (t->status == DONE && t->chosen == t->columns) t->chosen = find_number(t, column);
  if (t->status == DONE && t->chosen == t->columns) fail_column(t, names, "there is no column", column);
}

static void end_first_row(table *t) {
  t->columns = t->fields;
  const bool names = is_row_of_names(t);
  choose_column(t, names);
  if (t->status != DONE) return;
  if (may_be_either(t, names)) {
    t->status = fail("%s:%zu: the first row may be names or data: give --header yes or no", t->name, t->line);
  } else if (names) {
    t->heading = strdup(first_at(t, t->chosen));
    if (t->heading == NULL) t->status = fail_memory();
  } else {
    add(t, first_at(t, t->chosen));
  }
}

/* ---- Fields and rows --------------------------------------------------------------------------------------------- */

static void add_field(table *t, const char *text) {
  if (t->blank > 0) t->status = fail("%s:%zu: empty line", t->name, t->blank);
  if (t->status != DONE) return;
  if (t->flat || (t->columns > 0 && t->fields == t->chosen))
    add(t, text);
  else if (t->columns == 0)
    keep_first(t, text);
  if (t->status == DONE) t->fields++;
}

static void end_row(table *t) {
  if (t->status != DONE || t->fields == 0) return;
  if (t->flat) return;
  if (t->columns == 0)
    end_first_row(t);
  else if (t->fields != t->columns)
    t->status = fail("%s:%zu: %zu field%s, where the first row has %zu%s", t->name, t->line, t->fields,
                     t->fields == 1 ? "" : "s", t->columns, textfile_advice(t->fitter));
  t->fields = 0;
}

/* Whether a row ends here: at a line feed, a carriage return, or CR LF, which ends it once. */
static bool ends_line(table *t, int end) {
  const bool second_half = end == '\n' && t->after_cr;
  t->after_cr = end == '\r';
  return !second_half;
}

/* ---- The reader -------------------------------------------------------------------------------------------------- */

static int fail_zero_byte(const table *t) { return fail("%s:%zu: a field holds a zero byte", t->name, t->line); }

/* A zero byte would hide what follows it. */
static void take_field(void *bytes, size_t size, void *context) {
  table *t = context;
  const char *text = bytes;
  t->after_cr = false;
  if (t->status != DONE || (size == 0 && !is_table(t))) return;
  if (strlen(text) != size)
    t->status = fail_zero_byte(t);
  else
    add_field(t, text);
  for (size_t i = 0; i < size; i++) t->line += text[i] == '\n';
}

/* Called for each line feed and carriage return outside quotes, and with -1 at the end. In a table a row of one
 * empty field looks like an empty line, so an empty line is an error, except at the end of the file. */
static void take_row(int end, void *context) {
  table *t = context;
  const bool is_new = ends_line(t, end) && end >= 0;
  if (is_table(t) && t->fields == 0 && is_new && t->blank == 0) t->blank = t->line;
  end_row(t);
  t->line += is_new;
}

/* Looks why libcsv has not read all. */
static void check(table *t, struct csv_parser *parser, bool read) {
  if (t->status != DONE) return;
  if (csv_error(parser) == CSV_ENOMEM)
    t->status = fail_memory();
  else if (!read)
    t->status = fail("%s:%zu: a quotation mark is out of place", t->name, t->line);
  else if (csv_get_buffer_size(parser) > LONGEST_FIELD)
    t->status = fail("%s:%zu: a field is too long", t->name, t->line);
}

/* Between blanks a zero byte, which libcsv would take for a quotation mark there, ends what is read. */
static void feed(table *t, struct csv_parser *parser, char *text, size_t size) {
  const size_t good = is_table(t) ? size : strnlen(text, size);
  for (size_t i = 0; i < good && !is_table(t); i++)
    if (isspace((unsigned char)text[i]) && text[i] != '\n' && text[i] != '\r') text[i] = ' ';
  check(t, parser, csv_parse(parser, text, good, take_field, take_row, t) == good);
  if (t->status == DONE && good < size) t->status = fail_zero_byte(t);
}

/* Some editors put the UTF-8 byte order mark first. It is not part of the first name or number. */
static size_t mark_size(const char *text, size_t size) {
  return size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

static void finish(table *t, struct csv_parser *parser) {
  if (t->status == DONE) check(t, parser, csv_fini(parser, take_field, take_row, t) == 0);
  if (t->status == DONE && t->columns == 0 && t->request->column != NULL)
    fail_column(t, false, "there is no column", t->request->column);
  if (t->status == DONE) flush_store(t);
}

static void read_all(table *t, input *in) {
  static char chunk[CHUNK];
  struct csv_parser parser;
  size_t got = CHUNK, skipped;
  if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI | CSV_REPALL_NL | CSV_APPEND_NULL) != 0) {
    t->status = fail_memory();
    return;
  }
  csv_set_delim(&parser, (unsigned char)(is_table(t) ? t->request->delimiter : ' '));
  if (!is_table(t)) csv_set_quote(&parser, '\0');
  progress_start("reading", in->size == INPUT_SIZE_UNKNOWN ? 0 : in->size);
  for (bool first = true; got == CHUNK && t->status == DONE; first = false) {
    t->status = input_read(in, chunk, CHUNK, &got);
    skipped = first ? mark_size(chunk, got) : 0;
    if (first) t->fitter = textfile_other_delimiter(chunk, got, t->request->delimiter);
    if (t->status == DONE) feed(t, &parser, chunk + skipped, got - skipped);
  }
  finish(t, &parser);
  csv_free(&parser);
}

int textfile_read(input *in, const textfile_request *request, uint64_t *count, char **heading) {
  table *t = calloc(1, sizeof *t);
  if (t == NULL) return fail_memory();
  t->name = in->name;
  t->request = request;
  t->flat = !is_table(t) && request->column == NULL && request->header != HEADER_YES;
  t->line = 1;
  t->first = json_array();
  t->status = temporary_spool(&t->fd);
  if (t->status == DONE) {
    read_all(t, in);
    input_replace(in, t->fd, t->count * request->type->size);
  }
  const int status = t->status;
  *count = t->count;
  *heading = t->heading;
  json_decref(t->first);
  free(t->above);
  free(t);
  return status;
}

static bool are_numbers(char *words) {
  char *rest = NULL;
  for (char *each = strtok_r(words, " \t\f\v", &rest); each != NULL; each = strtok_r(NULL, " \t\f\v", &rest))
    if (!is_number(each)) return false;
  return true;
}

/* The bytes of the UTF-8 character that starts here, which may be cut off at the end; 0 if no printable character or
 * white space starts here. */
static size_t character_size(const unsigned char *at, size_t left) {
  const unsigned char c = at[0];
  if (c < 0x80) return isprint(c) || isspace(c);
  const size_t size = c < 0xC2 || c > 0xF4 ? 0 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
  for (size_t i = 1; i < size && i < left; i++)
    if ((at[i] & 0xC0) != 0x80) return 0;
  return size < left ? size : left;
}

static bool is_printed(const unsigned char *start, size_t size) {
  size_t done = 0, next = 1;
  for (; done < size && next > 0; done += next) next = character_size(start + done, size - done);
  return done == size && next > 0;
}

/* Control characters that are no white space; high bytes may be letters in some encoding. */
bool textfile_is_binary(const unsigned char *start, size_t size) {
  size_t i = 0;
  while (i < size && (start[i] > 127 || isprint(start[i]) || isspace(start[i]))) i++;
  return i < size;
}

/* A few bytes of raw data may happen to be printable, so fewer than INPUT_PEEK bytes must have the end of a line or be
 * numbers. */
bool textfile_looks_like_text(const unsigned char *start, size_t size) {
  char text[INPUT_PEEK + 1];
  if (!is_printed(start, size)) return false;
  memcpy(text, start, size);
  text[size] = '\0';
  return size == INPUT_PEEK || strpbrk(text, "\r\n") != NULL || (size > 0 && are_numbers(text + mark_size(text, size)));
}

static bool is_one_name(char *line) {
  static const char white[] = " \t\f\v";
  char *rest = NULL;
  const char *name = strtok_r(line, white, &rest);
  return name != NULL && strtok_r(NULL, white, &rest) == NULL && is_name(name);
}

/* Text is .csv if its first line has a comma or a quotation mark, or is a single name. Anything else that is no number
 * is a mistake, which must not be taken for a heading. If the peek cut the line, its last word may be half of one. */
bool textfile_looks_like_csv(const unsigned char *start, size_t size) {
  char line[INPUT_PEEK + 1];
  const size_t mark = mark_size((const char *)start, size);
  memcpy(line, start + mark, size - mark);
  line[size - mark] = '\0';
  const size_t length = strcspn(line, "\r\n");
  const bool cut = line[length] == '\0' && size == INPUT_PEEK;
  line[length] = '\0';
  return strpbrk(line, ",\"") != NULL || (!cut && is_one_name(line));
}
