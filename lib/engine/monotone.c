/* monotone.c: scans whose results never fall. */
#include "engine/monotone.h"

#include "pack/bounds.h"
#include <string.h>

static double number(const mms_job *job, const void *element) {
  return job->storage->size == sizeof(float) ? (double)*(const float *)element : *(const double *)element;
}

/* The last element, in the order of the scan, that is not neutral; m: there is none. */
static size_t last_of(const mms_job *job, const mms_tile *t) {
  const double neutral = number(job, job->extras->neutral);
  const size_t size = job->storage->size;
  for (size_t k = t->m; k-- > 0;) {
    const size_t i = job->reverse ? t->m - 1 - k : k;
    if (number(job, (const char *)t->x + i * size) != neutral) return i;
  }
  return t->m;
}

/* The largest so far, of what is bounded, to where results go. */
static void put_largest(const mms_job *job, const mms_tile *t, const void *bounded, const mms_value *low) {
  const mms_kernel *kernel = mms_kernel_of(job->isa, mms_algebra_of(MMSCAN_MAX, job->storage->arithmetic));
  mms_kernel_scan *stream = job->streams ? kernel->stream[job->kind][job->reverse] : NULL;
  mms_value largest = *low;
  (stream ? stream : kernel->scan[job->kind][job->reverse])(kernel, t->m, bounded, t->y, &largest,
                                                            &(mms_aside){.prefetch = t->next, .to_second = true});
}

/* As the inner engine does it. */
static void scan_plainly(const mms_job *job, void *work, const mms_tile *t, mms_value *carry) {
  mms_value after = *carry;
  job->inner->at_once(job, work, t, &after);
  *carry = after;
}

void mms_monotone_scan(const mms_job *job, void *work, void *scanned, const mms_tile *packed, const void *after,
                       mms_value *carry) {
  const size_t size = job->storage->size;
  mms_job inclusive = *job;
  mms_tile to_scanned = *packed;
  mms_value out = *carry, low = {0}, high = {0};
  if (!mms_bounds_are_least(size, packed->m, packed->x, job->extras->neutral)) {
    scan_plainly(job, work, packed, carry);
    return;
  }
  inclusive.kind = MMSCAN_INCLUSIVE;
  inclusive.streams = false;
  to_scanned.y = scanned;
  to_scanned.next = NULL;
  job->inner->at_once(&inclusive, work, &to_scanned, &out);
  if (number(job, carry) != 0) memcpy(&low, carry, size); /* all zeros have one sign */
  memcpy(&high, after ? after : out.bytes, size);
  if (!(number(job, &low) <= number(job, &high))) {
    scan_plainly(job, work, packed, carry);
    return;
  }
  const size_t last = last_of(job, packed);
  mms_bounds_bind(size, &(mms_bounds){packed->m, packed->x, scanned, job->extras->neutral, &low, &high});
  if (last < packed->m) memcpy((char *)scanned + last * size, &high, size);
  put_largest(job, packed, scanned, &low);
  *carry = out;
}
