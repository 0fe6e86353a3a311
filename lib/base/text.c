/* text.c: a text that grows by doubling. A memory stream would do, but does not say when memory runs out. */
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static bool make_room(mms_text *t, size_t more) {
  size_t capacity = t->capacity ? t->capacity : 256;
  while (capacity - t->size <= more) capacity *= 2;
  if (capacity == t->capacity) return true;
  char *data = realloc(t->data, capacity);
  if (!data) return false;
  t->data = data;
  t->capacity = capacity;
  return true;
}

void mms_text_add(mms_text *t, const char *format, ...) {
  va_list list;
  va_start(list, format);
  const int more = vsnprintf(NULL, 0, format, list);
  va_end(list);
  t->failed = t->failed || more < 0 || !make_room(t, (size_t)more);
  if (t->failed) return;
  va_start(list, format);
  vsnprintf(t->data + t->size, t->capacity - t->size, format, list);
  va_end(list);
  t->size += (size_t)more;
}

char *mms_text_end(mms_text *t) {
  if (!t->failed) return t->data;
  free(t->data);
  return NULL;
}
