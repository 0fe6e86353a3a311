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
  bool exact;         /* refuse integers that the type rounds */
  bool changes;       /* the type is u8: 1 where a field, of any text, is unlike the one above it, and first; else 0 */
  char delimiter;     /* between the fields of a table; '\0': they are separated by white space */
  const char *column; /* a name, or a number from 1 on; NULL: the only one, or all of a file that is no table */
  textfile_header header; /* HEADER_YES: a file that is no table has columns too */
} textfile_request;

/* Reads the text and replaces the input by a temporary file of its *count numbers. *heading is the name of the column
 * if the table has a row of names, else NULL; the caller frees it. */
int textfile_read(input *in, const textfile_request *request, uint64_t *count, char **heading);

/* The tab or the semicolon that seems to separate the fields of a text, by its first bytes, if `delimiter` is not in
 * its first line; else '\0'. */
char textfile_other_delimiter(const char *start, size_t size, char delimiter);

/* The end of a message that advises it: "; --delimiter tab may fit"; "" for '\0'. */
const char *textfile_advice(char delimiter);

/* Whether up to INPUT_PEEK bytes from the beginning of a file hold what no text does; look like text; and whether text
 * without a name is .csv. */
bool textfile_is_binary(const unsigned char *start, size_t size);
bool textfile_looks_like_text(const unsigned char *start, size_t size);
bool textfile_looks_like_csv(const unsigned char *start, size_t size);

#endif
