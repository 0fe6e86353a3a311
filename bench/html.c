/* html.c: pieces of HTML.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "html.h"
#include "json.h"

#include <stdbool.h>
#include <string.h>

static const char *entity(char letter) {
  switch (letter) {
  case '&':
    return "&amp;";
  case '<':
    return "&lt;";
  case '>':
    return "&gt;";
  case '"':
    return "&quot;";
  default:
    return NULL;
  }
}

void html_put_text(FILE *to, const char *text) {
  json_t *valid = json_text(text);
  for (const char *c = json_string_value(valid); c != NULL && *c != '\0'; c++) {
    const char *special = entity(*c);
    if (special != NULL)
      fputs(special, to);
    else
      fputc((unsigned char)*c < ' ' && *c != '\n' ? ' ' : *c, to);
  }
  json_decref(valid);
}

/* The length of the text that introduces an identifier here; 0: none follows. */
static size_t before_name(const char *svg) {
  static const char *const befores[] = {"id='", "id=\"", "href='#", "href=\"#", "url(#"};
  for (size_t i = 0; i < sizeof befores / sizeof *befores; i++)
    if (strncmp(svg, befores[i], strlen(befores[i])) == 0) return strlen(befores[i]);
  return 0;
}

void html_put_svg(FILE *to, const char *svg, int number) {
  bool in_tag = false; /* and not in text, which may look the same */
  svg = strstr(svg, "<svg");
  while (svg != NULL && *svg != '\0') {
    if (*svg == '<' || *svg == '>') in_tag = *svg == '<';
    const size_t length = in_tag ? before_name(svg) : 0;
    fwrite(svg, 1, length > 0 ? length : 1, to);
    if (length > 0) fprintf(to, "p%d-", number);
    svg += length > 0 ? length : 1;
  }
}
