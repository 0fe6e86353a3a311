// table.cpp: the table of peers in C++, which peers.c finds by its name.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "cxx_peers.h"

extern "C" __attribute__((visibility("default"))) const peer *const *mmscan_bench_peers() {
  static const peer *const table[] = {&peer_std_inclusive_scan, &peer_std_par, &peer_tbb, &peer_eigen,
                                      &peer_armadillo,          nullptr};
  return table;
}
