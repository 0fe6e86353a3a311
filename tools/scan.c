/* scan.c: the subcommand scan: its options. */
#include "arguments.h"
#include "command.h"
#include "message.h"
#include "scanfile.h"
#include "segmentfile.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <mmscan.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] = "Usage: mmscan scan [OPTION]... IN\n"
                           "Writes the running totals of the numbers in the file IN ('-': standard input), or\n"
                           "with --op their running maxima, products and so on.\n"
                           "\n"
                           "  -o, --output OUT   the file to write; default, and '-': standard output\n"
                           "  --kind KIND        inclusive (default), exclusive, or offsets: one number more,\n"
                           "                     what comes before the first, then the inclusive totals\n"
                           "  --init V           a number that comes before the first one, in the order of the\n"
                           "                     scan: of each scan, where there are several\n"
                           "  --reverse          from the last number to the first\n"
                           "  --op OP            {ops};\n"
                           "                     default: plus. A nan goes on from where it stands\n"
                           "  --axis K           along axis K of the array, negative from the last;\n"
                           "                     default: all elements in C order, as one row\n"
                           "  --type T           {types};\n"
                           "                     required for raw data, f64 by default for text; a .npy file\n"
                           "                     states its own\n"
                           "  --to T             the type of the totals, to which the numbers are converted\n"
                           "                     first: of integers a wider one, but of signed ones no\n"
                           "                     unsigned one; of integers, f16 and bf16 f32 or f64; of f32\n"
                           "                     f64 or c32; of f64 c64; default: that of the numbers\n"
                           "  --total            prints the total of each scan to standard output, one on each\n"
                           "                     line, in C order; needs -o FILE\n"
                           "  --skip-nan         passes over what is not a number (nan)\n"
                           "  --accurate         combines floats in twice their digits, by + or mul, and\n"
                           "                     rounds each result once\n"
                           "  --reproducible     gives floats the same bits on every machine, by any number\n"
                           "                     of threads\n"
                           "  --monotone         lets no sum of numbers of at least 0 fall, nor a product of\n"
                           "                     those of at least 1\n"
                           "  --checked          fails where an integer does not fit\n"
                           "  --starts FILE      scans segments by themselves: a .npy file of where they begin,\n"
                           "                     from 0 on, and behind them the length of the axis\n"
                           "  --flags FILE       a .npy file of bytes along the axis: where one is not 0, a\n"
                           "                     segment begins; or a column of the table IN\n"
                           "  --keys FILE        a .npy file of numbers along the axis: where one is unlike the\n"
                           "                     one before it, a segment begins; or a column, of any text\n"
                           "  --decay A          each result is A times the one before it, plus a number\n"
                           "  --column NAME      the column of a table: its name, or its number from 1 on\n"
                           "  --header yes|no    whether the first row holds names; default: yes if words\n"
                           "                     over the scanned column begin like names, and an error if\n"
                           "                     only words over other columns do\n"
                           "  --delimiter C      what separates the fields of a table: a character, or tab;\n"
                           "                     default: a comma, or a tab if IN is a .tsv file\n"
                           "  --format FORMAT    of IN: npy, csv, txt or raw\n"
                           "  --engine ENGINE    as the variable MMSCAN_ENGINE; 'mmscan info' lists them\n"
                           "  --help             this text\n"
                           "\n"
                           "The name of IN gives its format: .npy (NumPy), .csv (a table, with or without a\n"
                           "row of names), .tsv (the same, with tabs), .txt (numbers separated by white\n"
                           "space), .raw and .bin (raw binary in this machine's byte order). Files with\n"
                           "other names are raw binary, too, unless they begin as .npy data does. The format\n"
                           "of standard input is found from its beginning: .npy by its first bytes; else raw\n"
                           "with --type, unless it looks like text; raw, too, if it can be no text; else\n"
                           ".csv if the first line has a comma or a quotation mark, or is a single name (a\n"
                           "word that starts with a letter or an underscore and is not a number); else .txt.\n"
                           "With --delimiter, text is a table. Refused without --format: a file that looks\n"
                           "like text and has none of these names, and data that looks packed. Refused\n"
                           "without --type: raw data, and integers in text that f64 would round. Totals of\n"
                           "integers wrap around. OUT gets the format that its name gives (.npy .csv .tsv\n"
                           ".txt .raw .bin), or else that of IN. It is written under a temporary name beside\n"
                           "OUT and renamed when complete. Data may be larger than memory. A file in TMPDIR\n"
                           "or /tmp holds text until all of it is found valid, and what a pipe does not\n"
                           "allow to be read or written out of order.\n";

/* ---- Values that are names --------------------------------------------------------------------------------------- */

/* The names of the enumerations that are options, in their order, from the value 1 on. */
static const char *const kinds[] = {"inclusive", "exclusive", "offsets", NULL};
static const char *const headers[] = {"yes", "no", NULL};
static const char *const formats[] = {"npy", "csv", "txt", "raw", NULL};

/* No character that a number, or a quotation, may have. */
static int set_delimiter(void *request, char *text) {
  const bool tab = strcmp(text, "tab") == 0 || strcmp(text, "\\t") == 0;
  const char delimiter = tab ? '\t' : text[0];
  const bool separates = ispunct((unsigned char)delimiter) || isblank((unsigned char)delimiter);
  if ((!tab && strlen(text) != 1) || !separates || strchr("+-.\"", delimiter) != NULL)
    return wrong_usage(SCAN_NAME, "--delimiter: '%s' is no character that may separate numbers, such as ';', or 'tab'",
                       text);
  ((scan_request *)request)->delimiter = delimiter;
  return DONE;
}

static int set_axis(void *request, char *number) {
  scan_request *r = request;
  char *end;
  errno = 0;
  r->axis = strtol(number, &end, 10);
  r->has_axis = true;
  if (isdigit((unsigned char)number[*number == '-']) && *end == '\0' && errno == 0) return DONE;
  return wrong_usage(SCAN_NAME, "--axis: '%s' is not an integer, or out of range", number);
}

static bool is_engine(const char *name) {
  mmscan_part part = {.struct_size = sizeof part};
  if (strcmp(name, "auto") == 0) return true;
  for (size_t i = 0; mmscan_get_engine(i, &part) == MMSCAN_OK; i++)
    if (strcmp(part.name, name) == 0) return true;
  return false;
}

/* The library reads the variable when it is first used, which is later. */
static int set_engine(void *request, char *name) {
  (void)request;
  if (setenv("MMSCAN_ENGINE", name, 1) != 0) return fail_memory();
  return is_engine(name) ? DONE : wrong_usage(SCAN_NAME, "--engine: no such engine '%s': see 'mmscan info'", name);
}

/* ---- The command line -------------------------------------------------------------------------------------------- */

mmscan_segment_form scan_segment_form(const scan_request *r) {
  mmscan_segment_form form = MMSCAN_KEYS;
  while (form != 0 && r->segments[form] == NULL) form--;
  return form;
}

static int check_segmented(const scan_request *r) {
  const mmscan_segment_form form = scan_segment_form(r);
  for (mmscan_segment_form other = MMSCAN_FLAGS; other < form; other++)
    if (r->segments[other] != NULL)
      return wrong_usage(SCAN_NAME, "%s and %s: segments are given in one way", segments_option(other),
                         segments_option(form));
  if (form == MMSCAN_STARTS && !segments_are_in_file(r->segments[form]))
    return wrong_usage(SCAN_NAME, "--starts: '%s' is no .npy file", r->segments[form]);
  if (r->kind == MMSCAN_OFFSETS)
    return wrong_usage(SCAN_NAME, "%s: segments have no --kind offsets", segments_option(form));
  if (r->total && form != MMSCAN_STARTS)
    return wrong_usage(SCAN_NAME, "%s: segments have a --total if --starts gives them", segments_option(form));
  return DONE;
}

/* A recurrence is no scan by an operator, and has a few of the options of one. */
static int check_decay(const scan_request *r) {
  const struct {
    bool given;
    const char *option;
  } others[] = {{r->op != MMSCAN_PLUS, "--op"},
                {r->kind != MMSCAN_INCLUSIVE, "--kind"},
                {r->to != NULL, "--to"},
                {r->total, "--total"},
                {r->skip_nan, "--skip-nan"},
                {r->accurate, "--accurate"},
                {r->reproducible, "--reproducible"},
                {r->monotone, "--monotone"},
                {r->checked, "--checked"},
                {r->segments[MMSCAN_STARTS] != NULL, "--starts"},
                {r->segments[MMSCAN_FLAGS] != NULL, "--flags"},
                {r->segments[MMSCAN_KEYS] != NULL, "--keys"}};
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
    if (others[i].given) return wrong_usage(SCAN_NAME, "--decay does not go with %s", others[i].option);
  return DONE;
}

/* Options that only go together with some values of others. */
static int check_together(const scan_request *r) {
  if (r->decay != NULL) return check_decay(r);
  return scan_segment_form(r) != 0 ? check_segmented(r) : DONE;
}

int scan_options(scan_request *r, const char *text, int argc, char **argv) {
  const argument options[] = {{0, "type", ARGUMENT_TYPE, .to = &r->type},
                              {0, "kind", ARGUMENT_NAME, .to = &r->kind, .names = kinds},
                              {0, "init", ARGUMENT_TEXT, .to = &r->init},
                              {0, "reverse", ARGUMENT_FLAG, .to = &r->reverse},
                              {0, "to", ARGUMENT_TYPE, .to = &r->to},
                              {0, "total", ARGUMENT_FLAG, .to = &r->total},
                              {0, "skip-nan", ARGUMENT_FLAG, .to = &r->skip_nan},
                              {0, "accurate", ARGUMENT_FLAG, .to = &r->accurate},
                              {0, "reproducible", ARGUMENT_FLAG, .to = &r->reproducible},
                              {0, "monotone", ARGUMENT_FLAG, .to = &r->monotone},
                              {0, "checked", ARGUMENT_FLAG, .to = &r->checked},
                              {0, "op", ARGUMENT_OP, .to = &r->op},
                              {0, "starts", ARGUMENT_TEXT, .to = &r->segments[MMSCAN_STARTS]},
                              {0, "flags", ARGUMENT_TEXT, .to = &r->segments[MMSCAN_FLAGS]},
                              {0, "keys", ARGUMENT_TEXT, .to = &r->segments[MMSCAN_KEYS]},
                              {0, "decay", ARGUMENT_TEXT, .to = &r->decay},
                              {0, "axis", ARGUMENT_CALL, .take = set_axis},
                              {0, "engine", ARGUMENT_CALL, .take = set_engine},
                              {0, "column", ARGUMENT_TEXT, .to = &r->column},
                              {0, "header", ARGUMENT_NAME, .to = &r->header, .names = headers},
                              {0, "delimiter", ARGUMENT_CALL, .take = set_delimiter},
                              {0, "format", ARGUMENT_NAME, .to = &r->in_format, .names = formats},
                              {'o', "output", ARGUMENT_TEXT, .to = &r->out},
                              {0}};
  *r = (scan_request){.out = "-", .op = MMSCAN_PLUS, .kind = MMSCAN_INCLUSIVE};
  const int status = read_options(options, SCAN_NAME, text, r, argc, argv);
  if (status != DONE) return status;
  if (optind == argc) return wrong_usage(SCAN_NAME, "a file is missing ('-': standard input)");
  if (optind + 1 < argc) return wrong_usage(SCAN_NAME, "more than one file: '%s'", argv[optind + 1]);
  if (r->total && strcmp(r->out, "-") == 0)
    return wrong_usage(SCAN_NAME, "--total prints to standard output: -o FILE says where the results go");
  r->in = argv[optind];
  return check_together(r);
}

int run_scan(int argc, char **argv) {
  scan_request r;
  const int status = scan_options(&r, help, argc, argv);
  return status == DONE ? scan_file(&r) : status;
}
