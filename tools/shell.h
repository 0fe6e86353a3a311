/* shell.h: words as a shell takes them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SHELL_H
#define SHELL_H

#include <stdio.h>

/* Writes a word, in single quotes where it has to be. */
void shell_put_word(FILE *to, const char *word);

#endif
