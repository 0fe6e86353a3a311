/* json.h: texts and environment variables as JSON, and JSON on standard output. */
#ifndef JSON_H
#define JSON_H

#include <jansson.h>

/* The text as a JSON string; null for NULL. JSON requires UTF-8, but the environment and file names may hold any bytes:
 * in text that is not UTF-8, all bytes above 126 become '?'. */
json_t *json_text(const char *text);

/* An object of the environment variables that begin with one of the prefixes. */
json_t *json_environment(const char *const prefixes[], size_t count);

/* Prints an object and releases it. NULL: there was no memory to make it. Errors of standard output are reported when
 * it is closed. */
int print_json(json_t *object);

#endif
