/* hurst.cpp: Hurst's rescaled range of the Nile, in C++: hurst nile.csv
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How large must a reservoir be, so that each year the mean flow of n years can be let out? As large as the range R of
 * the running sums of what each year had more or less than the mean. Of years that do not depend on each other R / S,
 * with the standard deviation S, grows as n^0.5; Hurst found that of the Nile it grows faster: R / S = (n / 2)^K, with
 * K about 0.7 (H. E. Hurst, "Long-term storage capacity of reservoirs", Transactions of the ASCE 116, 1951).
 *
 *   c++ -std=c++17 hurst.cpp $(pkg-config --cflags --libs mmscan) */
#include <mmscan.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

/* The second column of a file with a line of names. */
static std::vector<double> read_flows(const char *path) {
  std::ifstream file(path);
  std::vector<double> flows;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) flows.push_back(std::stod(line.substr(line.find(',') + 1)));
  return flows;
}

int main(int argc, char **argv) {
  const std::vector<double> flows = argc == 2 ? read_flows(argv[1]) : std::vector<double>();
  if (flows.empty()) return std::fprintf(stderr, "usage: hurst nile.csv\n"), 2;
  const double n = static_cast<double>(flows.size());
  const double mean = std::accumulate(flows.begin(), flows.end(), 0.0) / n;
  std::vector<double> stored(flows.size()), squares(flows.size());
  mmscan::transform_inclusive_scan(flows, stored, std::plus<>(), [mean](double flow) { return flow - mean; });
  mmscan::transform_inclusive_scan(flows, squares, std::plus<>(),
                                   [mean](double flow) { return (flow - mean) * (flow - mean); });
  const auto [least, most] = std::minmax_element(stored.begin(), stored.end());
  const double range = *most - *least, deviation = std::sqrt(squares.back() / n);
  std::printf("%.0f years of %.0f on average: R %.0f, S %.0f, K = log(R/S) / log(n/2) = %.2f\n", n, mean, range,
              deviation, std::log(range / deviation) / std::log(n / 2));
  /* How far the store was ever below its fullest: the running maximum says what that was. */
  std::vector<double> fullest(flows.size());
  mmscan::inclusive_scan(stored, fullest, mmscan::maximum{});
  double deepest = 0;
  for (std::size_t i = 0; i < stored.size(); i++) deepest = std::max(deepest, fullest[i] - stored[i]);
  std::printf("a full store that lets out the mean would have needed %.0f\n", deepest);
}
