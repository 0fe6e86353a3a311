/* exports.h: what a shared library defines, without loading it. */
#ifndef EXPORTS_H
#define EXPORTS_H

#include <stdbool.h>

/* Whether the file is a 64-bit shared library that defines a function with `part` in its name. */
bool exports(const char *file, const char *part);

#endif
