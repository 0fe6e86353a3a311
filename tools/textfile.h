/* textfile.h: numbers from text: a column of a table, or all that a file holds. */
#ifndef TEXTFILE_H
#define TEXTFILE_H

#include "element.h"
#include "input.h"

#include <stdbool.h>

/* Whether the first row holds names. HEADER_GUESS: it does if a field starts like a name, or is what --column asks for.
 * If the field over the chosen column does not start like a name, and --column does not ask for a name, it may be
 * either, and the user has to say. In the order of the names in scan.c. */
typedef enum textfile_header { HEADER_GUESS, HEADER_YES, HEADER_NO } textfile_header;

typedef struct textfile_request {
  const element *type;
  bool exact;             /* refuse integers that the type rounds */
  bool commas;            /* a .csv file; else fields are separated by white space */
  const char *column;     /* a name, or a number from 1 on; NULL: the only one, or all of a file without commas */
  textfile_header header; /* HEADER_YES: a file without commas has columns too */
} textfile_request;

/* Reads the text and replaces the input by a temporary file of its *count numbers. *heading is the name of the column
 * if the table has a row of names, else NULL; the caller frees it. */
int textfile_read(input *in, const textfile_request *request, uint64_t *count, char **heading);

/* Whether up to INPUT_PEEK bytes from the beginning of a file look like text; and whether text without a name is
 * .csv. */
bool textfile_looks_like_text(const unsigned char *start, size_t size);
bool textfile_looks_like_csv(const unsigned char *start, size_t size);

#endif
