/* settings.c: environment variables as JSON.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "settings.h"
#include "json.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool begins(const char *entry, const char *const prefixes[], size_t count) {
  for (size_t i = 0; i < count; i++)
    if (strncmp(entry, prefixes[i], strlen(prefixes[i])) == 0) return true;
  return false;
}

/* Names that differ only in bytes replaced by '?' become one name, with the last value. */
json_t *settings_that_begin(const char *const prefixes[], size_t count) {
  json_t *set = json_object();
  for (char **entry = environ; *entry != NULL; entry++) {
    const char *equals = strchr(*entry, '=');
    if (equals == NULL || !begins(*entry, prefixes, count)) continue;
    char *name = strndup(*entry, (size_t)(equals - *entry));
    json_t *valid = name != NULL ? json_text(name) : NULL;
    if (valid != NULL) json_object_set_new(set, json_string_value(valid), json_text(equals + 1));
    json_decref(valid);
    free(name);
  }
  return set;
}
