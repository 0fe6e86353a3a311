/* print_json.c: JSON on standard output.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "print_json.h"
#include "message.h"

#include <jansson.h>
#include <stdio.h>

int print_json(json_t *object) {
  if (object == NULL) return fail_memory();
  const int failed = json_dumpf(object, stdout, JSON_INDENT(2));
  json_decref(object);
  putchar('\n');
  return failed && !ferror(stdout) ? fail_memory() : DONE;
}
