/* text.h: a text that grows. */
#ifndef MMS_TEXT_H
#define MMS_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Starts as zeros. */
typedef struct mms_text {
  char *data; /* ended by a null; the owner's to free */
  size_t size, room;
  bool failed; /* there was no memory for all of it, and no more was added */
} mms_text;

void mms_text_add(mms_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The text, the caller's to free; NULL where not all of it is there, or none. */
char *mms_text_end(mms_text *text);

#endif
