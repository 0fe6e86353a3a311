/* json.c: texts and environment variables as JSON, and JSON on standard output. */
#include "json.h"
#include "message.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static bool begins(const char *entry, const char *const prefixes[], size_t count) {
  for (size_t i = 0; i < count; i++)
    if (strncmp(entry, prefixes[i], strlen(prefixes[i])) == 0) return true;
  return false;
}

/* Names that differ only in bytes replaced by '?' become one name, with the last value. */
json_t *json_environment(const char *const prefixes[], size_t count) {
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

int print_json(json_t *object) {
  if (object == NULL) return fail_memory();
  const int failed = json_dumpf(object, stdout, JSON_INDENT(2));
  json_decref(object);
  putchar('\n');
  return failed && !ferror(stdout) ? fail_memory() : DONE;
}
