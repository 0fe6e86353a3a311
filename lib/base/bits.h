/* bits.h: words of 64 bits, the first bit of which is the lowest. */
#ifndef MMS_BITS_H
#define MMS_BITS_H

#include <stddef.h>
#include <stdint.h>

enum { MMS_BITS_WORD = 64 };

/* Bits from number `at` on. The word after the one of that bit is read, too. */
static inline uint64_t mms_bits_at(const uint64_t *words, size_t at) {
  const size_t word = at / MMS_BITS_WORD, shift = at % MMS_BITS_WORD;
  return words[word] >> shift | words[word + 1] << 1 << (MMS_BITS_WORD - 1 - shift);
}

/* The first bit from number `from` on, up to `to`, that is set; or `to`. */
static inline size_t mms_bits_next(const uint64_t *words, size_t from, size_t to) {
  if (from >= to) return to;
  size_t word = from / MMS_BITS_WORD;
  uint64_t rest = words[word] & UINT64_MAX << from % MMS_BITS_WORD;
  while (!rest && word < (to - 1) / MMS_BITS_WORD) rest = words[++word];
  const size_t found = rest ? word * MMS_BITS_WORD + (size_t)__builtin_ctzll(rest) : to;
  return found < to ? found : to;
}

/* After the last bit below number `to`, down to `from`, that is set; or `from`. */
static inline size_t mms_bits_last(const uint64_t *words, size_t from, size_t to) {
  if (from >= to) return from;
  size_t word = (to - 1) / MMS_BITS_WORD;
  uint64_t rest = words[word] & UINT64_MAX >> (MMS_BITS_WORD - 1 - (to - 1) % MMS_BITS_WORD);
  while (!rest && word > from / MMS_BITS_WORD) rest = words[--word];
  const size_t end = rest ? (word + 1) * MMS_BITS_WORD - (size_t)__builtin_clzll(rest) : from;
  return end > from ? end : from;
}

#endif
