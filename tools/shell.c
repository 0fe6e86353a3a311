/* shell.c: quotes words for a shell.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "shell.h"

#include <string.h>

void shell_put_word(FILE *to, const char *word) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+./:,@%";
  if (*word != '\0' && strspn(word, plain) == strlen(word)) {
    fputs(word, to);
    return;
  }
  fputc('\'', to);
  for (; *word != '\0'; word++) fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, to);
  fputc('\'', to);
}
