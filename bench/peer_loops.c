/* peer_loops.c: the plain loops of operations, as programs have them. */
#include "peer_loops.h"

#include <string.h>

#define BODY "peer_segments_body.inc"
#include "each_peer_type.inc"
#undef BODY

#define T       float
#define NAME(f) f##_f32
#include "peer_filters_body.inc"
#undef T
#undef NAME

#define T       double
#define NAME(f) f##_f64
#include "peer_filters_body.inc"
#undef T
#undef NAME

const peer peer_loops_built = {.name = "loops of operations", .built = PEER_BUILT, .needs = PEER_NEEDS};

const peer_loops *peer_loops_of(const char *type) {
  static const peer_loops table[] = {{"f32", flags_f32, starts_f32, decay_f32, recurrence_f32, filter_f32},
                                     {"f64", flags_f64, starts_f64, decay_f64, recurrence_f64, filter_f64},
                                     {"i32", flags_i32, starts_i32, NULL, NULL, NULL},
                                     {"i64", flags_i64, starts_i64, NULL, NULL, NULL}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (strcmp(table[i].type, type) == 0) return &table[i];
  return NULL;
}

void peer_loops_combine(size_t n, size_t size, peer_combine *combine, void *context, const void *x, void *y) {
  const char *from = x;
  char *to = y;
  memcpy(to, from, size);
  for (size_t i = 1; i < n; i++) combine(context, to + (i - 1) * size, from + i * size, to + i * size);
}
