/* json.c: texts as JSON, and JSON on standard output.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "json.h"
#include "message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *json_text(const char *text) {
  if (text == NULL) return json_null();
  json_t *value = json_string(text);
  char *copy = value == NULL ? strdup(text) : NULL;
  if (copy == NULL) return value;
  for (char *c = copy; *c != '\0'; c++)
    if ((unsigned char)*c > 126) *c = '?';
  value = json_string(copy);
  free(copy);
  return value;
}

int print_json(json_t *object) {
  if (object == NULL) return fail_memory();
  const int failed = json_dumpf(object, stdout, JSON_INDENT(2));
  json_decref(object);
  putchar('\n');
  return failed && !ferror(stdout) ? fail_memory() : DONE;
}
