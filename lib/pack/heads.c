/* heads.c: heads of segments, by starts; and by flags and keys with the best instruction set. */
#include "pack/heads.h"

#include "pack/storages.h"
#include <string.h>

/* The first segment, from one that begins before it on, that does not begin before an element: by steps that double,
 * and then halve. */
static size_t segment_from(const mms_heads *h, size_t from, size_t segment) {
  size_t step = 1, high = segment;
  while (high < h->count && mms_heads_start(h, high) < (int64_t)from) segment = high + 1, high += step, step *= 2;
  if (high > h->count) high = h->count;
  while (segment < high) {
    const size_t middle = segment + (high - segment) / 2;
    if (mms_heads_start(h, middle) < (int64_t)from)
      segment = middle + 1;
    else
      high = middle;
  }
  return segment;
}

/* Sets the bits of starts from segment k on, below from + m. Returns the first segment that begins later. A loop for
 * each type. */
static inline __attribute__((always_inline)) size_t set_starts(const mms_heads *h, size_t k, size_t from, size_t m,
                                                               uint64_t *bits) {
  for (size_t at; k < h->count && (at = (size_t)mms_heads_start(h, k) - from) < m; k++)
    bits[at / MMS_BITS_WORD] |= (uint64_t)1 << at % MMS_BITS_WORD;
  return k;
}

static void find_starts(const mms_heads *h, size_t from, size_t m, size_t *segment, uint64_t *bits) {
  size_t k = segment_from(h, from, *segment);
  memset(bits, 0, ((m - 1) / MMS_BITS_WORD + 1) * sizeof *bits);
  const mms_heads of_4 = {h->form, MMSCAN_I32, h->count, h->data}, of_8 = {h->form, MMSCAN_I64, h->count, h->data};
  k = h->type == MMSCAN_I32 ? set_starts(&of_4, k, from, m, bits) : set_starts(&of_8, k, from, m, bits);
  *segment = k > 0 ? k - 1 : 0;
}

enum { RUN = 1024 }; /* keys that are compared at a time */

/* The first element has none before it. */
static void find_keys(const mms_heads *h, size_t from, size_t m, uint64_t *bits) {
  const mms_storages *best = mms_storages_best();
  const size_t size = mms_type_of(h->type)->size;
  uint8_t marks[RUN];
  for (size_t done = 0, some; done < m; done += some) {
    const size_t at = from + done, skips = at == 0;
    some = m - done < RUN ? m - done : RUN;
    marks[0] = 1;
    best->mark[h->type](some - skips, (const char *)h->data + (at + skips) * size, marks + skips);
    best->to_bits(some, marks, bits + done / MMS_BITS_WORD);
  }
}

void mms_heads_find(const mms_heads *h, size_t from, size_t m, size_t *segment, uint64_t *bits) {
  if (h->form == MMSCAN_STARTS)
    find_starts(h, from, m, segment, bits);
  else if (h->form == MMSCAN_KEYS)
    find_keys(h, from, m, bits);
  else
    mms_storages_best()->to_bits(m, (const uint8_t *)h->data + from, bits);
  if (from == 0) bits[0] |= 1;
}

size_t mms_heads_next(const mms_heads *h, size_t element, size_t n) {
  enum { SOME = 512 };
  uint64_t bits[SOME / MMS_BITS_WORD];
  size_t segment = 0;
  for (size_t from = element + 1, m; from < n; from += m) {
    m = n - from < SOME ? n - from : SOME;
    mms_heads_find(h, from, m, &segment, bits);
    const size_t found = mms_bits_next(bits, 0, m);
    if (found < m) return from + found;
  }
  return n;
}
