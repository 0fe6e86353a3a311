/* arguments.h: what subcommands have in common on their command lines.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef ARGUMENTS_H
#define ARGUMENTS_H

#include "element.h"

#include <stddef.h>

/* Prints what --help prints. Returns the exit status, as all of these. */
int print_help(const char *help);

/* Where getopt() has stopped before the last argument, that is wrong usage. */
int no_more_arguments(const char *subcommand, int argc, char **argv);

/* Sets *type to the type of that name; else that is wrong usage of --type. */
int element_option(const char *subcommand, const char *name, const element **type);

/* Sets *value to the number from least to most that text is; else that is wrong usage of the subcommand's option. */
int number_option(const char *subcommand, const char *option, const char *text, size_t least, size_t most,
                  size_t *value);

/* The same for a number of elements, which may also be a power: 4^6. */
int length_option(const char *subcommand, const char *option, char *text, size_t least, size_t most, size_t *value);

#endif
