/* shell.h: quotes words for a shell.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SHELL_H
#define SHELL_H

#include <stdio.h>

/* Writes a word, in single quotes if necessary. */
void shell_put_word(FILE *to, const char *word);

#endif
