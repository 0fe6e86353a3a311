/* text.c: a text that grows by doubling. A memory stream would do, but does not say when memory runs out. */
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static bool make_room(mms_text *t, size_t more) {
  size_t room = t->room ? t->room : 256;
  while (room - t->size <= more) room *= 2;
  if (room == t->room) return true;
  char *data = realloc(t->data, room);
  if (!data) return false;
  t->data = data;
  t->room = room;
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
  vsnprintf(t->data + t->size, t->room - t->size, format, list);
  va_end(list);
  t->size += (size_t)more;
}

char *mms_text_end(mms_text *t) {
  if (!t->failed) return t->data;
  free(t->data);
  return NULL;
}
