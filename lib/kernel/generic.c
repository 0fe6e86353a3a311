/* generic.c: kernels that are the plain loop, and slots made of a kernel's core.
 *
 * A plain loop may regroup nothing where the row's results depend on it: what it finds is then not ordinary, so that
 * engines take the carry through the elements, and results have the bits of one loop over all of them. */
#include "kernel/kernel.h"

/* ---- The plain loop ------------------------------------------------------------------------------------------- */

static void total(const mms_kernel *self, size_t n, const void *x, bool reverse, mms_found *found) {
  const mms_algebra *a = self->algebra;
  *found =
      (mms_found){.total = mms_algebra_value(a, a->identity), .is_ordinary = a->is_exact, .is_finite = a->is_exact};
  if (a->is_exact && n > 0) a->loop.fold[reverse](n, x, &found->total);
}

static bool advance(const mms_kernel *self, mms_value *carry, const mms_value *more) {
  self->algebra->loop.fold[0](1, more, carry);
  return true;
}

/* Its own elements are added up before they may be overwritten. Without y the carry alone is wanted. */
static void scan(const mms_kernel *self, size_t n, const void *x, void *y, mms_value *carry, const mms_aside *aside,
                 mmscan_kind kind, bool reverse) {
  if (aside && aside->found) total(self, n, aside->ahead ? aside->ahead : x, reverse, aside->found);
  if (n > 0 && y) self->algebra->loop.scan[kind][reverse](n, x, y, carry);
  if (n > 0 && !y) self->algebra->loop.fold[reverse](n, x, carry);
}

static void inclusive(const mms_kernel *self, size_t n, const void *x, void *y, mms_value *carry,
                      const mms_aside *aside) {
  scan(self, n, x, y, carry, aside, MMSCAN_INCLUSIVE, false);
}

static void inclusive_reverse(const mms_kernel *self, size_t n, const void *x, void *y, mms_value *carry,
                              const mms_aside *aside) {
  scan(self, n, x, y, carry, aside, MMSCAN_INCLUSIVE, true);
}

static void exclusive(const mms_kernel *self, size_t n, const void *x, void *y, mms_value *carry,
                      const mms_aside *aside) {
  scan(self, n, x, y, carry, aside, MMSCAN_EXCLUSIVE, false);
}

static void exclusive_reverse(const mms_kernel *self, size_t n, const void *x, void *y, mms_value *carry,
                              const mms_aside *aside) {
  scan(self, n, x, y, carry, aside, MMSCAN_EXCLUSIVE, true);
}

mms_kernel mms_kernel_of_loop(const mms_algebra *algebra) {
  return (mms_kernel){
      .scan =
          {[MMSCAN_INCLUSIVE] = {inclusive, inclusive_reverse}, [MMSCAN_EXCLUSIVE] = {exclusive, exclusive_reverse}},
      .total = total,
      .advance = advance,
      .few = SIZE_MAX,
      .algebra = algebra,
      .origin = {[MMS_SLOT_CORE] = "loop"}};
}

/* ---- Slots made of the core ----------------------------------------------------------------------------------- */

static mmscan_status inclusive_simple(const mms_kernel *self, size_t n, const void *x, void *y, mms_first carry) {
  mms_value value = mms_first_value(carry);
  self->scan[MMSCAN_INCLUSIVE][0](self, n, x, y, &value, NULL);
  return MMSCAN_OK;
}

static mmscan_status exclusive_simple(const mms_kernel *self, size_t n, const void *x, void *y, mms_first carry) {
  mms_value value = mms_first_value(carry);
  self->scan[MMSCAN_EXCLUSIVE][0](self, n, x, y, &value, NULL);
  return MMSCAN_OK;
}

static void batch(const mms_kernel *self, const mms_batch *r, mmscan_kind kind, bool reverse) {
  const ptrdiff_t size = (ptrdiff_t)self->algebra->size;
  const char *x = r->x;
  char *y = r->y;
  if (!self->vector || mms_kernel_is_in_order(self, r->n)) {
    mms_algebra_batch(self->algebra, r, kind, reverse);
    return;
  }
  for (size_t k = 0; k < r->count; k++, x += r->x_dist * size, y += r->y_dist * size) {
    mms_value carry = r->first;
    self->scan[kind][reverse](self, r->n, x, y, &carry, NULL);
  }
}

static void inclusive_batch(const mms_kernel *self, const mms_batch *r) { batch(self, r, MMSCAN_INCLUSIVE, false); }
static void exclusive_batch(const mms_kernel *self, const mms_batch *r) { batch(self, r, MMSCAN_EXCLUSIVE, false); }

static void inclusive_batch_reverse(const mms_kernel *self, const mms_batch *r) {
  batch(self, r, MMSCAN_INCLUSIVE, true);
}

static void exclusive_batch_reverse(const mms_kernel *self, const mms_batch *r) {
  batch(self, r, MMSCAN_EXCLUSIVE, true);
}

/* The elements of a piece, of which the first in the order of the scan is a head or not. */
static size_t piece_of(const mms_cut *cut, size_t low, size_t high, bool reverse) {
  if (reverse) return high - (mms_bits_last(cut->heads, cut->at + low + 1, cut->at + high) - cut->at - 1);
  return mms_bits_next(cut->heads, cut->at + low + 1, cut->at + high) - cut->at - low;
}

void mms_kernel_segments_plainly(const mms_kernel *self, size_t n, const void *x, void *y, const mms_cut *cut,
                                 mms_value *carry, mmscan_kind kind, bool reverse) {
  const size_t size = self->algebra->size;
  for (size_t low = 0, high = n, m; low < high;) {
    const size_t head = cut->at + (reverse ? high : low);
    m = piece_of(cut, low, high, reverse);
    if (mms_bits_at(cut->heads, head) & 1) *carry = *cut->first;
    const size_t at = (reverse ? high - m : low) * size;
    self->algebra->loop.scan[kind][reverse](m, (const char *)x + at, (char *)y + at, carry);
    *(reverse ? &high : &low) = reverse ? high - m : low + m;
  }
}

static void inclusive_segments(const mms_kernel *self, size_t n, const void *x, void *y, const mms_cut *cut,
                               mms_value *carry) {
  mms_kernel_segments_plainly(self, n, x, y, cut, carry, MMSCAN_INCLUSIVE, false);
}

static void exclusive_segments(const mms_kernel *self, size_t n, const void *x, void *y, const mms_cut *cut,
                               mms_value *carry) {
  mms_kernel_segments_plainly(self, n, x, y, cut, carry, MMSCAN_EXCLUSIVE, false);
}

static void inclusive_segments_back(const mms_kernel *self, size_t n, const void *x, void *y, const mms_cut *cut,
                                    mms_value *carry) {
  mms_kernel_segments_plainly(self, n, x, y, cut, carry, MMSCAN_INCLUSIVE, true);
}

static void exclusive_segments_back(const mms_kernel *self, size_t n, const void *x, void *y, const mms_cut *cut,
                                    mms_value *carry) {
  mms_kernel_segments_plainly(self, n, x, y, cut, carry, MMSCAN_EXCLUSIVE, true);
}

void mms_kernel_complete(mms_kernel *k) {
  if (!k->segments[MMSCAN_INCLUSIVE][0]) {
    k->segments[MMSCAN_INCLUSIVE][0] = inclusive_segments;
    k->segments[MMSCAN_EXCLUSIVE][0] = exclusive_segments;
    k->segments[MMSCAN_INCLUSIVE][1] = inclusive_segments_back;
    k->segments[MMSCAN_EXCLUSIVE][1] = exclusive_segments_back;
    k->origin[MMS_SLOT_SEGMENTS] = "loop";
  }
  if (!k->simple[MMSCAN_INCLUSIVE]) {
    k->simple[MMSCAN_INCLUSIVE] = inclusive_simple;
    k->simple[MMSCAN_EXCLUSIVE] = exclusive_simple;
    k->origin[MMS_SLOT_SIMPLE] = "scan";
  }
  if (!k->batch[MMSCAN_INCLUSIVE][0]) {
    k->batch[MMSCAN_INCLUSIVE][0] = inclusive_batch;
    k->batch[MMSCAN_EXCLUSIVE][0] = exclusive_batch;
    k->origin[MMS_SLOT_BATCH] = "scan";
  }
  if (!k->batch[MMSCAN_INCLUSIVE][1]) {
    k->batch[MMSCAN_INCLUSIVE][1] = inclusive_batch_reverse;
    k->batch[MMSCAN_EXCLUSIVE][1] = exclusive_batch_reverse;
    k->origin[MMS_SLOT_BATCH_REVERSE] = "scan";
  }
}
