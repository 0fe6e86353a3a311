// armadillo_scan.cpp: Armadillo's cumsum(), on memory that it does not own.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "cxx_peers.h"

#if __has_include(<armadillo>)
#define ARMA_DONT_USE_WRAPPER // the libraries behind it are not needed
#define ARMA_DONT_USE_BLAS
#define ARMA_DONT_USE_LAPACK
#define ARMA_DONT_USE_HDF5
#include <armadillo>

namespace {
struct scan {
  // The constructor takes no pointer to const, but `from` is only read.
  template <class T> static void run(size_t n, const T *x, T *y, int) {
    const arma::Col<T> from(const_cast<T *>(x), n, false, true);
    arma::Col<T> to(y, n, false, true);
    to = arma::cumsum(from);
  }
};
} // namespace

const peer peer_armadillo = cxx_peer<scan>("Armadillo cumsum", PEER_ONE_THREAD);
#else
const peer peer_armadillo = cxx_absent("Armadillo cumsum", "built without the headers of Armadillo");
#endif
