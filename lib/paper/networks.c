/* networks.c: which elements each level combines. Below, d is their distance: 1, 2, 4, ... */
#include "paper/method.h"

static void begin_level(mms_machine *m, mmscan_phase phase, size_t level) {
  m->depth++;
  mms_machine_begin(m, (mmscan_event){.step = 1, .phase = phase, .level = level, .matrix = MMSCAN_MATRIX_L, .s = 2});
}

/* x[to] = x[a] op x[b] */
static void adder(mms_machine *m, size_t a, size_t b, size_t to) {
  mms_machine_entry(m, a, MMSCAN_NO_ELEMENT);
  mms_machine_entry(m, b, to);
}

static mms_machine_size size_of(size_t n, size_t s) {
  (void)s;
  return (mms_machine_size){.positions = n, .entries = 2 * n, .s = 2};
}

/* ---- Sklansky ------------------------------------------------------------------------------------------------- */

/* The last element of each lower half of d elements is added to all elements of the upper half. */
static void sklansky(mms_machine *m) {
  for (size_t d = 1, level = 0; d < m->n; d *= 2, level++) {
    begin_level(m, MMSCAN_COMBINE, level);
    for (size_t upper = d; upper < m->n; upper += 2 * d)
      for (size_t i = upper; i < upper + d && i < m->n; i++) adder(m, upper - 1, i, i);
    mms_machine_take(m);
  }
}

const mms_method mms_method_sklansky = {.about = {.name = "sklansky",
                                                  .description = "Sklansky: least depth, fan-out grows with n",
                                                  .kind = MMSCAN_INCLUSIVE},
                                        .size = size_of,
                                        .run = sklansky};

/* ---- Hillis and Steele ---------------------------------------------------------------------------------------- */

static void hillis_steele(mms_machine *m) {
  for (size_t d = 1, level = 0; d < m->n; d *= 2, level++) {
    begin_level(m, MMSCAN_COMBINE, level);
    for (size_t i = d; i < m->n; i++) adder(m, i - d, i, i);
    mms_machine_take(m);
  }
}

const mms_method mms_method_hillis_steele = {
    .about = {.name = "hillis-steele",
              .description = "Hillis-Steele (Kogge-Stone): least depth, most work",
              .kind = MMSCAN_INCLUSIVE},
    .size = size_of,
    .run = hillis_steele};

/* ---- Brent and Kung ------------------------------------------------------------------------------------------- */

static void brent_kung(mms_machine *m) {
  size_t d = 1, level = 0;
  for (; d <= m->n / 2; d *= 2, level++) {
    begin_level(m, MMSCAN_UP_SWEEP, level);
    for (size_t i = 2 * d - 1; i < m->n; i += 2 * d) adder(m, i - d, i, i);
    mms_machine_take(m);
  }
  while (3 * d > m->n && d > 0) d /= 2;
  for (level = 0; d > 0; d /= 2, level++) {
    begin_level(m, MMSCAN_DOWN_SWEEP, level);
    for (size_t i = 3 * d - 1; i < m->n; i += 2 * d) adder(m, i - d, i, i);
    mms_machine_take(m);
  }
}

const mms_method mms_method_brent_kung = {
    .about = {.name = "brent-kung", .description = "Brent-Kung: least work", .kind = MMSCAN_INCLUSIVE},
    .size = size_of,
    .run = brent_kung};

/* ---- Blelloch ------------------------------------------------------------------------------------------------- */

static size_t power_of_two(size_t n) {
  size_t power = 1;
  while (power < n) power *= 2;
  return power;
}

static mms_machine_size tree_size(size_t n, size_t s) { return size_of(power_of_two(n), s); }

/* A node of the tree, at x[i], covers x[i-2d+1..i]; its children are at x[i-d] and x[i]. From n on all is padding. */
static void up_node(mms_machine *m, size_t d, size_t i) {
  size_t right = i - d + 1 < m->n ? i : MMSCAN_NO_ELEMENT;
  adder(m, i - d, right, i);
}

/* x[i] holds the prefix of the node: the left child gets it, the right one gets it combined with the left one's sum. */
static void down_node(mms_machine *m, size_t d, size_t i) {
  mms_machine_entry(m, i, i - d);
  mms_machine_entry(m, i - d, i - d + 1 < m->n ? i : MMSCAN_NO_ELEMENT);
}

static void tree_level(mms_machine *m, mmscan_phase phase, size_t level, size_t d) {
  begin_level(m, phase, level);
  for (size_t i = 2 * d - 1; i - 2 * d + 1 < m->n; i += 2 * d)
    if (phase == MMSCAN_UP_SWEEP)
      up_node(m, d, i);
    else
      down_node(m, d, i);
  mms_machine_take(m);
}

static void clear_root(mms_machine *m, size_t root) {
  mms_machine_begin(m, (mmscan_event){.step = 1, .phase = MMSCAN_GATHER, .matrix = MMSCAN_MATRIX_L, .s = 1});
  mms_machine_entry(m, MMSCAN_NO_ELEMENT, root);
  mms_machine_take(m);
}

static void blelloch(mms_machine *m) {
  size_t length = power_of_two(m->n), d = 1, level = 0;
  for (; d < length; d *= 2) tree_level(m, MMSCAN_UP_SWEEP, level++, d);
  clear_root(m, length - 1);
  for (level = 0; d > 1; d /= 2) tree_level(m, MMSCAN_DOWN_SWEEP, level++, d / 2);
}

const mms_method mms_method_blelloch = {
    .about = {.name = "blelloch", .description = "Blelloch: exclusive, by a tree", .kind = MMSCAN_EXCLUSIVE},
    .size = tree_size,
    .run = blelloch};
