/* settings.h: environment variables as JSON.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SETTINGS_H
#define SETTINGS_H

#include <jansson.h>
#include <stddef.h>

/* The text as a JSON string; null for NULL. JSON requires UTF-8, but the environment and file names may hold any bytes:
 * in text that is not UTF-8, all bytes above 126 become '?'. */
json_t *settings_text(const char *text);

/* An object of the environment variables that begin with one of the prefixes. */
json_t *settings_that_begin(const char *const prefixes[], size_t count);

#endif
