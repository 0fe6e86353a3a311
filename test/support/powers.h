/* powers.h: powers of s and their logarithms, as integers.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef POWERS_H
#define POWERS_H

#include <stddef.h>

static inline size_t power_of(size_t s, size_t k) { return k == 0 ? 1 : s * power_of(s, k - 1); }

/* The largest k with s^k <= n. */
static inline size_t floor_log(size_t s, size_t n) { return n < s ? 0 : 1 + floor_log(s, n / s); }

/* The smallest k with n <= s^k. */
static inline size_t ceil_log(size_t s, size_t n) { return n <= 1 ? 0 : 1 + ceil_log(s, (n - 1) / s + 1); }

#endif
