/* affixes.h: names of functions in a library that multiplies: builds of it add different prefixes and suffixes.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef AFFIXES_H
#define AFFIXES_H

/* The function of that name, with whatever is added to it, in a library that is open. NULL: there is none. */
void *affixes_find(void *handle, const char *name);

#endif
