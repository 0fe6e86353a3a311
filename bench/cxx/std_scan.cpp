// std_scan.cpp: std::inclusive_scan on one thread.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "cxx_peers.h"

#include <numeric>

namespace {
struct scan {
  template <class T> static void run(size_t n, const T *x, T *y, int) { std::inclusive_scan(x, x + n, y); }
};
} // namespace

const peer peer_std_inclusive_scan = cxx_peer<scan>("std::inclusive_scan", PEER_ONE_THREAD);
