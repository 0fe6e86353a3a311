/* text.h: a text that grows. */
#ifndef MMS_TEXT_H
#define MMS_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Starts as zeros. */
typedef struct mms_text {
  char *data; /* null-terminated; to be freed by the owner */
  size_t size, capacity;
  bool failed; /* memory ran out; nothing more is added */
} mms_text;

void mms_text_add(mms_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The text, which the caller frees; NULL: it is incomplete, or nothing was added. */
char *mms_text_end(mms_text *text);

#endif
