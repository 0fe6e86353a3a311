// tbb_scan.cpp: tbb::parallel_scan.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "cxx_peers.h"

#if __has_include(<tbb/parallel_scan.h>)
#include "tbb_threads.h"
#include <functional>
#include <tbb/blocked_range.h>
#include <tbb/parallel_scan.h>

namespace {
// Sums one range, and in the final pass scans it too.
template <class T> T scan_range(const tbb::blocked_range<size_t> &range, T sum, const T *x, T *y, bool is_final) {
  if (is_final)
    for (size_t i = range.begin(); i < range.end(); i++) y[i] = sum += x[i];
  else
    for (size_t i = range.begin(); i < range.end(); i++) sum += x[i];
  return sum;
}

struct scan {
  template <class T> static void run(size_t n, const T *x, T *y, int threads) {
    const auto body = [=](const tbb::blocked_range<size_t> &range, T sum, bool is_final) {
      return scan_range(range, sum, x, y, is_final);
    };
    on_tbb_threads(threads, [&] { tbb::parallel_scan(tbb::blocked_range<size_t>(0, n), T(0), body, std::plus<T>()); });
  }
};
} // namespace

const peer peer_tbb = cxx_peer<scan>("tbb::parallel_scan", PEER_OWN_THREADS);
#else
const peer peer_tbb = cxx_absent("tbb::parallel_scan", "built without the headers of TBB");
#endif
