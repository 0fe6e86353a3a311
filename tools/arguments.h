/* arguments.h: parsing of command lines, shared by the subcommands.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef ARGUMENTS_H
#define ARGUMENTS_H

#include "element.h"

#include <stddef.h>

/* Prints the text of --help. Returns an exit status, like all functions here. */
int print_help(const char *help);

/* Arguments that getopt() has left over are wrong usage. */
int no_more_arguments(const char *subcommand, int argc, char **argv);

/* Sets *index to the place of a name in a list that ends with NULL; an unknown name is wrong usage of the option. */
int name_option(const char *subcommand, const char *option, const char *name, const char *const *names, size_t *index);

/* Sets *type to the type called `name`; an unknown name is wrong usage of --type. */
int element_option(const char *subcommand, const char *name, const element **type);

/* Sets *op to the operator called `name`; an unknown name is wrong usage of the option. */
int operator_option(const char *subcommand, const char *option, const char *name, mmscan_op *op);

/* Sets *value to the number in text; anything but a whole number from least to most is wrong usage of the option. */
int number_option(const char *subcommand, const char *option, const char *text, size_t least, size_t most,
                  size_t *value);

/* The same for a number of elements, which may also be written as a power, such as 4^6. */
int length_option(const char *subcommand, const char *option, char *text, size_t least, size_t most, size_t *value);

#endif
