/* unit_items.h: what an item of `mmscan bench --units LIST` stands for, where it is more than one name. */
#ifndef UNIT_ITEMS_H
#define UNIT_ITEMS_H

#include <jansson.h>
#include <stdbool.h>

/* The lines of a file, without white space around them, comments (from # at the beginning of a line, or after white
 * space) and lines with nothing else: an array of strings. NULL after a message. */
json_t *unit_lines(const char *file);

bool is_folder(const char *path);

/* The files in a folder, in the order of their names, that define what a unit needs of a BLAS or LIBXSMM. */
json_t *unit_libraries(const char *folder);

#endif
