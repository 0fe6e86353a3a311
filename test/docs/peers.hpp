/* For the C++ lines of doc/FROM.md: what libraries that are not here are documented to do, as plain loops. Kokkos:
 * kokkos.org/kokkos-core-wiki, parallel_scan. CUB and Thrust: nvidia.github.io/cccl. Armadillo, if it is not installed:
 * arma.sourceforge.net/docs.html, cumsum. The others are the real ones. */
#include "show.hpp"
#ifdef HAS_TBB
#include <execution>
#include <tbb/blocked_range.h>
#include <tbb/parallel_scan.h>
#endif
#if __has_include(<armadillo>)
#include <armadillo>
#else
namespace arma {
struct mat { /* column after column */
  double *memory;
  std::size_t rows, columns;
  mat(double *from, std::size_t n_rows, std::size_t n_columns, bool = true, bool = false)
      : memory(from), rows(n_rows), columns(n_columns) {}
  mat &operator=(const mat &other) {
    std::copy_n(other.memory, rows * columns, memory);
    return *this;
  }
};
/* In each row, if dim is 1 */
inline mat cumsum(const mat &of, int dim) {
  static std::vector<double> sums;
  sums.assign(of.memory, of.memory + of.rows * of.columns);
  const std::size_t before = dim == 1 ? of.rows : 1;
  for (std::size_t i = 0; i < sums.size(); i++)
    if (dim == 1 ? i >= of.rows : i % of.rows != 0) sums[i] += sums[i - before];
  return mat(sums.data(), of.rows, of.columns);
}
} // namespace arma
#endif
static const arma::mat X(x.data(), 2, 4);
static arma::mat Y(y.data(), 2, 4, false, true); /* in the memory of y */

/* The functor may be called with `false` any number of times, and once with `true`. */
#define KOKKOS_LAMBDA [=]
namespace Kokkos {
template <class Functor> void parallel_scan(std::size_t length, const Functor &functor) {
  double s = 0;
  for (std::size_t i = 0; i < length; i++) functor(i, s, false);
  s = 0;
  for (std::size_t i = 0; i < length; i++) functor(i, s, true);
}
} // namespace Kokkos

static void *temporary;
static std::size_t bytes;
namespace cub {
struct DeviceScan {
  template <class T> static void InclusiveSum(void *, std::size_t &, const T *from, T *to, std::size_t length) {
    T sum = 0;
    for (std::size_t i = 0; i < length; i++) to[i] = sum += from[i];
  }
};
} // namespace cub

namespace thrust {
template <class Key, class In, class Out> Out inclusive_scan_by_key(Key key, Key last, In from, Out to) {
  for (Key first = key; key != last; ++key, ++from, ++to)
    *to = key != first && *key == key[-1] ? to[-1] + *from : *from;
  return to;
}
} // namespace thrust
