/* monoid.c: the unit that multiplies over any associative operator, by plain loops. The ones of A select the entries of
 * a column that are combined, in their order. */
#include "unit/unit.h"

#include <string.h>

/* w = w op x */
static void combine(const mms_monoid *m, void *w, const void *x) {
  m->combine(m->context, w, x, m->spare);
  memcpy(w, m->spare, m->size);
}

static void entry(const mms_product *p, size_t row, const char *x, char *w) {
  const size_t size = p->monoid->size;
  const float *a = p->a;
  bool first = true;
  memcpy(w, p->monoid->identity, size);
  for (size_t k = 0; k < p->s; k++) {
    if (a[k * p->s + row] == 0) continue;
    if (first)
      memcpy(w, x + k * size, size);
    else
      combine(p->monoid, w, x + k * size);
    first = false;
  }
}

/* A column of padding is copied. */
static void multiply(const mms_unit *self, const mms_product *p) {
  (void)self;
  size_t size = p->monoid->size;
  const char *x = p->x;
  char *w = p->w;
  for (size_t column = 0; column < p->columns; column++, x += p->s * size, w += p->s * size)
    if (column * p->s < p->elements)
      for (size_t row = 0; row < p->s; row++) entry(p, row, x, w + row * size);
    else
      memcpy(w, x, p->s * size);
}

const mms_unit mms_unit_monoid = {
    .name = "monoid", .description = "plain loops over the caller's operator", .multiply = multiply};
