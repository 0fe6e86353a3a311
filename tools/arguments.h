/* arguments.h: parsing of command lines, shared by the subcommands. */
#ifndef ARGUMENTS_H
#define ARGUMENTS_H

#include "element.h"

#include <stddef.h>

/* What becomes of an option's value, and the type of the variable that it goes to. */
typedef enum argument_kind {
  ARGUMENT_FLAG,   /* bool: true; there is no value */
  ARGUMENT_TEXT,   /* const char *: the value */
  ARGUMENT_NUMBER, /* size_t: a whole number from least to most */
  ARGUMENT_LENGTH, /* size_t: the same, which may also be written as a power, such as 4^6 */
  ARGUMENT_NAME,   /* an enumeration, or int: the place of a name in `names`, the first being 1 */
  ARGUMENT_TYPE,   /* const element *: the type of that name */
  ARGUMENT_OP,     /* mmscan_op: the operator of that name */
  ARGUMENT_CALL,   /* none: `take` is called with the request and the value */
  ARGUMENT_MAYBE   /* the same; the value may be left out, and is NULL then */
} argument_kind;

/* An option: its letter or its name, or both. A list ends with one that has neither. */
typedef struct argument {
  char letter;
  const char *name;
  argument_kind kind;
  void *to;
  size_t least, most;
  const char *const *names; /* ends with NULL */
  int (*take)(void *request, char *value);
} argument;

enum { HELPED = -1 }; /* --help or -h was given, and the help is printed: there is nothing more to do */

/* Reads the options of a command line, and --help, in which {types} and {ops} stand for the names of all. Other
 * arguments are left: argv[optind] is the first. Returns an exit status, or HELPED. */
int read_options(const argument *list, const char *subcommand, const char *help, void *request, int argc, char **argv);

/* The same for a subcommand that takes nothing but options. */
int read_only_options(const argument *list, const char *subcommand, const char *help, void *request, int argc,
                      char **argv);

/* Sets *index to the place of a name in a list, from 0; an unknown name is wrong usage of the option. */
int name_option(const char *subcommand, const char *option, const char *name, const char *const *names, size_t *index);

/* As ARGUMENT_LENGTH. */
int length_option(const char *subcommand, const char *option, char *text, size_t least, size_t most, size_t *value);

#endif
