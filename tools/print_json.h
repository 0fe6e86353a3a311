/* print_json.h: JSON on standard output.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef PRINT_JSON_H
#define PRINT_JSON_H

struct json_t;

/* Prints an object and releases it. NULL: there was no memory to make it. Errors of standard output are reported when
 * it is closed. */
int print_json(struct json_t *object);

#endif
