// eigen_scan.cpp: the cumsum() of Eigen's tensors.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "cxx_peers.h"

#if __has_include(<unsupported/Eigen/CXX11/Tensor>)
#include <unsupported/Eigen/CXX11/Tensor>

namespace {
struct scan {
  template <class T> static void run(size_t n, const T *x, T *y, int) {
    using vector = Eigen::Tensor<T, 1>;
    const Eigen::TensorMap<const vector> from(x, static_cast<Eigen::Index>(n));
    Eigen::TensorMap<vector> to(y, static_cast<Eigen::Index>(n));
    to = from.cumsum(0);
  }
};
} // namespace

const peer peer_eigen = cxx_peer<scan>("Eigen cumsum", PEER_ONE_THREAD);
#else
const peer peer_eigen = cxx_absent("Eigen cumsum", "built without the headers of Eigen");
#endif
