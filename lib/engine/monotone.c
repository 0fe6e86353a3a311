/* monotone.c: scans whose results never fall. */
#include "engine/monotone.h"

#include "pack/bounds.h"
#include <string.h>

/* The last element, in the order of the scan, that is not neutral; m: there is none. */
static size_t last_of(const mms_job *job, const mms_tile *t) {
  const double neutral = mms_storage_number(job->storage, job->extras->neutral);
  const size_t size = job->storage->size;
  for (size_t k = t->m; k-- > 0;) {
    const size_t i = job->reverse ? t->m - 1 - k : k;
    if (mms_storage_number(job->storage, (const char *)t->x + i * size) != neutral) return i;
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

/* Scans the tile to where it is looked at, and bounds what is there. Returns false where an element is less than what
 * is neutral, or the carry falls. *carry goes in and comes out. */
static bool scan_bounded(const mms_job *job, void *work, void *scanned, const mms_tile *packed, const void *after,
                         mms_value *carry, mms_value *low) {
  const size_t size = job->storage->size;
  mms_job inclusive = *job;
  mms_tile tile = *packed;
  inclusive.kind = MMSCAN_INCLUSIVE;
  inclusive.streams = false;
  tile.y = scanned;
  tile.next = NULL;
  job->inner->at_once(&inclusive, work, &tile, carry);
  const void *high = after ? after : carry->bytes;
  const mms_bounds bounds = {packed->m, packed->x, scanned, job->extras->neutral, low, high};
  if (!(mms_storage_number(job->storage, low) <= mms_storage_number(job->storage, high)) ||
      !mms_bounds_bind(size, &bounds))
    return false;
  const size_t last = last_of(job, packed);
  if (last < packed->m) memcpy((char *)scanned + last * size, high, size);
  return true;
}

void mms_monotone_scan(const mms_job *job, void *work, void *scanned, const mms_tile *packed, const void *after,
                       mms_value *carry) {
  mms_value out = *carry, low = {0};
  if (mms_storage_number(job->storage, carry) != 0)
    memcpy(&low, carry, job->storage->size); /* all zeros have one sign */
  if (scan_bounded(job, work, scanned, packed, after, &out, &low))
    put_largest(job, packed, scanned, &low);
  else
    job->inner->at_once(job, work, packed, carry);
  *carry = out;
}
