/* number_option.h: the value of an option that is a whole number.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef NUMBER_OPTION_H
#define NUMBER_OPTION_H

#include <stddef.h>

/* Sets *value to the number from least to most that text is; else that is wrong usage of the subcommand's option. */
int number_option(const char *subcommand, const char *option, const char *text, size_t least, size_t most,
                  size_t *value);

/* The same for a number of elements, which may also be a power: 4^6. */
int length_option(const char *subcommand, const char *option, char *text, size_t least, size_t most, size_t *value);

#endif
