// std_par.cpp: std::inclusive_scan with the policy par_unseq, which the C++ library hands to TBB.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "cxx_peers.h"

#if __has_include(<tbb/tbb.h>)
#include "tbb_threads.h"
#include <execution>
#include <functional>
#include <numeric>

namespace {
struct scan {
  template <class T> static void run(size_t n, const T *x, T *y, int threads) {
    on_tbb_threads(threads, [=] { std::inclusive_scan(std::execution::par_unseq, x, x + n, y, std::plus<T>(), T(0)); });
  }
};
} // namespace

const peer peer_std_par = cxx_peer<scan>("std::inclusive_scan par", PEER_OWN_THREADS);
#else
const peer peer_std_par = cxx_absent("std::inclusive_scan par", "built without the headers of TBB");
#endif
