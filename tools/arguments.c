/* arguments.c: parsing of command lines, shared by the subcommands. */
#include "arguments.h"
#include "message.h"

#include <ctype.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

int name_option(const char *subcommand, const char *option, const char *name, const char *const *names, size_t *index) {
  char all[256] = "";
  size_t length = 0;
  for (*index = 0; names[*index] != NULL; ++*index) {
    if (strcmp(names[*index], name) == 0) return DONE;
    if (length < sizeof all)
      length += (size_t)snprintf(all + length, sizeof all - length, "%s%s", length > 0 ? ", " : "", names[*index]);
  }
  return wrong_usage(subcommand, "%s: '%s' is not one of %s", option, name, all);
}

static int element_option(const char *subcommand, const char *option, const char *name, const element **type) {
  enum { MOST = 32 };
  const char *names[MOST] = {NULL};
  size_t index;
  for (int i = 0; element_at(i) != NULL && i < MOST - 1; i++) names[i] = element_at(i)->name;
  const int status = name_option(subcommand, option, name, names, &index);
  *type = status == DONE ? element_at((int)index) : NULL;
  return status;
}

static int operator_option(const char *subcommand, const char *option, const char *name, mmscan_op *op) {
  enum { MOST = 32 };
  const char *names[MOST] = {NULL};
  size_t index;
  for (int i = 0; i < MOST - 1 && (names[i] = element_operator(i, op)) != NULL; i++) continue;
  const int status = name_option(subcommand, option, name, names, &index);
  if (status == DONE) element_operator((int)index, op);
  return status;
}

/* Reads a whole number without a sign; one that is too large as SIZE_MAX. */
static bool read_number(const char *text, size_t *value) {
  scalar number;
  const parsed how =
      isdigit((unsigned char)*text) ? element_parse(element_by_name("u64"), text, &number) : NOT_A_NUMBER;
  *value = how == PARSED ? (size_t)number.u64 : SIZE_MAX;
  return how == PARSED || how == OUT_OF_RANGE;
}

static int number_option(const char *subcommand, const char *option, const char *text, size_t least, size_t most,
                         size_t *value) {
  if (read_number(text, value) && *value >= least && *value <= most) return DONE;
  return wrong_usage(subcommand, "%s: '%s' is not a whole number from %zu to %zu", option, text, least, most);
}

/* Sets *power to base^exponent; false if that exceeds most. */
static bool power_of(size_t base, size_t exponent, size_t most, size_t *power) {
  *power = 1;
  if (base <= 1) exponent = exponent > 0;
  for (; exponent > 0; exponent--) {
    if (base > 0 && *power > most / base) return false;
    *power *= base;
  }
  return true;
}

int length_option(const char *subcommand, const char *option, char *text, size_t least, size_t most, size_t *value) {
  char *caret = strchr(text, '^');
  size_t base, exponent = 1;
  if (caret != NULL) *caret = '\0';
  const bool numbers = read_number(text, &base) && (caret == NULL || read_number(caret + 1, &exponent));
  if (caret != NULL) *caret = '^';
  if (!numbers) return wrong_usage(subcommand, "%s: '%s' is neither a whole number nor a power of one", option, text);
  if (power_of(base, exponent, most, value) && *value >= least) return DONE;
  return wrong_usage(subcommand, "%s: '%s' is not from %zu to %zu", option, text, least, most);
}

/* ---- Help -------------------------------------------------------------------------------------------------------- */

static const char *type_name(int index) {
  const element *e = element_at(index);
  return e != NULL ? e->name : NULL;
}

static const char *operator_name(int index) {
  mmscan_op op;
  return element_operator(index, &op);
}

/* Prints "a, b or c" from a column on, on as many lines as that takes. Returns the column after it. */
static size_t put_names(const char *(*name)(int index), size_t column) {
  enum { WIDTH = 79 };
  const size_t begin = column;
  for (int i = 0; name(i) != NULL; i++) {
    const char *end = name(i + 1) == NULL ? "" : name(i + 2) == NULL ? " or" : ",";
    const size_t length = strlen(name(i)) + strlen(end);
    const bool breaks = i > 0 && column + 1 + length > WIDTH;
    if (breaks) printf("\n%*s", (int)begin, "");
    column = (breaks ? begin : column + (i > 0)) + length;
    printf("%s%s%s", i > 0 && !breaks ? " " : "", name(i), end);
  }
  return column;
}

/* {types} and {ops} stand for the names in the library's table. */
static int print_help(const char *help) {
  size_t column = 0;
  while (*help != '\0') {
    const bool is_types = strncmp(help, "{types}", 7) == 0, is_ops = strncmp(help, "{ops}", 5) == 0;
    if (is_types || is_ops) {
      column = put_names(is_types ? type_name : operator_name, column);
      help = strchr(help, '}') + 1;
      continue;
    }
    column = *help == '\n' ? 0 : column + 1;
    putchar(*help++);
  }
  return ferror(stdout) ? FAILED : HELPED;
}

/* ---- Command lines ----------------------------------------------------------------------------------------------- */

enum { MOST_OPTIONS = 40, NAMED = 256 /* what getopt returns for the first of a list, if its name was given */ };

static int take_name(const argument *a, const char *subcommand, const char *label, const char *value) {
  size_t index;
  const int status = name_option(subcommand, label, value, a->names, &index);
  *(unsigned *)a->to = status == DONE ? (unsigned)index + 1 : 0;
  return status;
}

static int take(const argument *a, const char *subcommand, void *request, char *value) {
  char label[32] = {'-', a->letter, '\0'};
  if (a->letter == '\0') snprintf(label, sizeof label, "--%s", a->name);
  switch (a->kind) {
  case ARGUMENT_FLAG:
    *(bool *)a->to = true;
    return DONE;
  case ARGUMENT_TEXT:
    *(const char **)a->to = value;
    return DONE;
  case ARGUMENT_NUMBER:
    return number_option(subcommand, label, value, a->least, a->most, a->to);
  case ARGUMENT_LENGTH:
    return length_option(subcommand, label, value, a->least, a->most, a->to);
  case ARGUMENT_NAME:
    return take_name(a, subcommand, label, value);
  case ARGUMENT_TYPE:
    return element_option(subcommand, label, value, a->to);
  case ARGUMENT_OP:
    return operator_option(subcommand, label, value, a->to);
  default:
    return a->take(request, value);
  }
}

static int has_value(argument_kind kind) {
  if (kind == ARGUMENT_MAYBE) return optional_argument;
  return kind == ARGUMENT_FLAG ? no_argument : required_argument;
}

/* getopt takes a value that may be left out only from `--name=value`; this takes it from the next word, too. */
static char *value_of(const argument *a, int argc, char **argv) {
  const bool is_next = a->kind == ARGUMENT_MAYBE && optarg == NULL && optind < argc && argv[optind][0] != '-';
  return is_next ? argv[optind++] : optarg;
}

static const argument *find(const argument *list, int option) {
  if (option >= NAMED) return &list[option - NAMED];
  while (list->letter != option) list++;
  return list;
}

int read_options(const argument *list, const char *subcommand, const char *help, void *request, int argc, char **argv) {
  struct option options[MOST_OPTIONS + 2] = {{"help", no_argument, NULL, 'h'}};
  char letters[2 * MOST_OPTIONS + 2] = "h";
  const argument *a;
  int option, named = 1, status = DONE;
  for (a = list; a->letter != '\0' || a->name != NULL; a++) {
    if (a->name != NULL) options[named++] = (struct option){a->name, has_value(a->kind), NULL, NAMED + (int)(a - list)};
    if (a->letter != '\0') snprintf(letters + strlen(letters), 3, "%c:", a->letter);
  }
  while (status == DONE && (option = getopt_long(argc, argv, letters, options, NULL)) != -1) {
    if (option == 'h') return print_help(help);
    a = option != '?' ? find(list, option) : NULL;
    status = a != NULL ? take(a, subcommand, request, value_of(a, argc, argv)) : wrong_usage(subcommand, NULL);
  }
  return status;
}

int read_only_options(const argument *list, const char *subcommand, const char *help, void *request, int argc,
                      char **argv) {
  const int status = read_options(list, subcommand, help, request, argc, argv);
  if (status != DONE || optind == argc) return status;
  return wrong_usage(subcommand, "unexpected argument '%s'", argv[optind]);
}
