/* settings.h: environment variables as JSON.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SETTINGS_H
#define SETTINGS_H

#include <jansson.h>
#include <stddef.h>

/* An object of the environment variables that begin with one of the prefixes. */
json_t *settings_that_begin(const char *const prefixes[], size_t count);

#endif
