// cxx_peers.h: the peers in C++, one to a file, and what they share.
//
// SPDX-License-Identifier: BSD-3-Clause
//
// A file whose headers are missing defines a peer that says why it is absent.
#ifndef CXX_PEERS_H
#define CXX_PEERS_H

#include "peer.h"

#include <cstdint>

extern const peer peer_std_inclusive_scan, peer_std_par, peer_tbb, peer_eigen, peer_armadillo;

// The peer whose scan of type T is Scan::run<T>(n, x, y, threads). A scan that throws leaves wrong results in y, which
// are noticed when they are checked.
template <class Scan, class T> void cxx_scan(size_t n, const void *x, void *y, int threads) {
  try {
    Scan::run(n, static_cast<const T *>(x), static_cast<T *>(y), threads);
  } catch (...) {
  }
}

template <class Scan> constexpr peer cxx_peer(const char *name, peer_threads threads) {
  return {name,
          PEER_BUILT,
          PEER_NEEDS,
          threads,
          nullptr,
          {cxx_scan<Scan, float>, cxx_scan<Scan, double>, cxx_scan<Scan, std::int32_t>, cxx_scan<Scan, std::int64_t>}};
}

constexpr peer cxx_absent(const char *name, const char *why) { return {name, nullptr, 0, PEER_ONE_THREAD, why, {}}; }

#endif
