/* not_yet.h: what descriptions may ask for, by names; and what of it the library still refuses.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef NOT_YET_H
#define NOT_YET_H

#include "reference.h"

/* Each line names one thing that this version may answer with MMSCAN_ENOTSUP. Who builds one deletes its line; from
 * then on tests fail where it is refused, and where none of their cases has it. */
static const char *const not_yet[] = {
    "reproducible logaddexp", NULL, /* none may be left */
};

static inline bool is_not_yet(const char *name) {
  for (size_t i = 0; not_yet[i] != NULL; i++)
    if (strcmp(not_yet[i], name) == 0) return true;
  return false;
}

/* ---- Names ------------------------------------------------------------------------------------------------------- */

static const char *const op_names[] = {"",       "op plus", "op max", "op min", "op mul", "op logaddexp",
                                       "op and", "op or",   "op xor"};
static const char *const kind_names[] = {"", "kind inclusive", "kind exclusive", "kind offsets"};
static const char *const flag_names[] = {"flag skip_nan", "flag accurate", "flag reproducible", "flag monotone",
                                         "flag checked"};
_Static_assert(1u << (COUNT(flag_names) - 1) == MMSCAN_CHECKED, "a name for each bit of flags");

/* How elements become what is accumulated: "" if they are of the same type, NULL if they do not. */
static inline const char *conversion_name(const ref_type *x, const ref_type *y) {
  const bool whole = ref_is_whole(x), is_plain = y->kind == 'f' && y->size >= 4;
  if (x == y) return "";
  if (whole && ref_is_whole(y))
    return x->size < y->size && (x->kind == 'u' || y->kind == 'i') ? "from an integer to a wider one" : NULL;
  if (whole) return is_plain ? "from an integer to a float" : NULL;
  if (ref_is_half(x)) return is_plain ? "from a half to a float" : NULL;
  if (x->type == MMSCAN_F32 && y->type == MMSCAN_F64) return "from f32 to f64";
  return x->kind == 'f' && y->kind == 'c' && x->digits == y->digits ? "from a float to complex" : NULL;
}

static inline bool is_legal_op(mmscan_op op, const ref_type *y) {
  if (op == MMSCAN_PLUS || op == MMSCAN_MUL) return true;
  if (ref_is_order(op)) return y->kind != 'c';
  return op == MMSCAN_LOGADDEXP ? y->kind == 'f' : ref_is_whole(y);
}

/* ---- Descriptions ------------------------------------------------------------------------------------------------ */

enum { MOST_NAMES = 16, MOST_FLAGS = 5 };

typedef struct names {
  size_t count;
  const char *name[MOST_NAMES];
} names;

static inline void add_name(names *all, bool is, const char *name) {
  if (is) all->name[all->count++] = name;
}

static inline const char *type_name(const ref_type *t) {
  static char text[COUNT(ref_types)][16];
  char *name = text[t - ref_types];
  snprintf(name, sizeof *text, "type %s", t->name);
  return name;
}

/* All that a legal description asks for. */
static inline names names_of(const mmscan_desc *d) {
  const ref_type *x = ref_type_of(d->x_type), *y = ref_type_of(d->y_type);
  names all = {0};
  add_name(&all, true, op_names[d->op]);
  add_name(&all, true, kind_names[d->kind]);
  add_name(&all, true, type_name(x));
  add_name(&all, x != y, type_name(y));
  add_name(&all, x != y, conversion_name(x, y));
  add_name(&all, d->totals, "totals");
  add_name(&all, d->indices, "indices");
  add_name(&all, d->outer_rank, "outer");
  const bool is_accurate = d->flags & MMSCAN_ACCURATE && (d->op == MMSCAN_PLUS || d->op == MMSCAN_MUL);
  add_name(&all, is_accurate && y->type == MMSCAN_F64, "accurate f64");
  add_name(&all, is_accurate && y->kind == 'c', "accurate complex");
  add_name(&all, is_accurate && y->type == MMSCAN_C64 && d->op == MMSCAN_MUL, "accurate product of c64");
  add_name(&all, d->flags & MMSCAN_REPRODUCIBLE && d->op == MMSCAN_LOGADDEXP, "reproducible logaddexp");
  for (size_t i = 0; i < MOST_FLAGS; i++) add_name(&all, d->flags >> i & 1, flag_names[i]);
  return all;
}

/* What the library may refuse of a legal description; NULL: nothing. */
static inline const char *refused_of(const mmscan_desc *d) {
  const names all = names_of(d);
  for (size_t i = 0; i < all.count; i++)
    if (is_not_yet(all.name[i])) return all.name[i];
  return NULL;
}

#endif /* NOT_YET_H */
