/* settings.h: variables of the environment, as JSON.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SETTINGS_H
#define SETTINGS_H

#include <jansson.h>
#include <stddef.h>

/* The text; null for NULL. JSON takes UTF-8 only, and the environment and names of files may be anything: it then has
 * '?' in it. */
json_t *settings_text(const char *text);

/* An object of the variables that are set and begin with one of the prefixes. */
json_t *settings_that_begin(const char *const prefixes[], size_t count);

#endif
