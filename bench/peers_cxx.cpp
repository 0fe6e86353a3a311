// peers_cxx.cpp: other people's scans in C++, in a table that peers.c finds by its name.
//
// A peer whose headers are missing says that it is absent.
#include "peer.h"

#include <mmscan.hpp>

#include <cstdint>
#include <functional>
#include <new>
#include <numeric>

namespace {

// The peer whose scan of type T is Scan::run<T>(n, x, y, threads). A scan that throws leaves wrong results in y, which
// are noticed when they are checked.
template <class Scan, class T> void scan(size_t n, const void *x, void *y, int threads) {
  try {
    Scan::run(n, static_cast<const T *>(x), static_cast<T *>(y), threads);
  } catch (...) {
  }
}

template <class Scan> constexpr peer make_peer(const char *name, peer_threads threads) {
  return {name,       PEER_BUILT,
          PEER_NEEDS, threads,
          nullptr,    {scan<Scan, float>, scan<Scan, double>, scan<Scan, std::int32_t>, scan<Scan, std::int64_t>}};
}

constexpr peer make_absent(const char *name, const char *why) { return {name, nullptr, 0, PEER_ONE_THREAD, why, {}}; }

// ---- The C++ library
// -------------------------------------------------------------------------------------------------

struct std_scan {
  template <class T> static void run(size_t n, const T *x, T *y, int) { std::inclusive_scan(x, x + n, y); }
};

const peer one_thread = make_peer<std_scan>("std::inclusive_scan", PEER_ONE_THREAD);

// A number in a class of the caller's.
template <class T> struct number {
  T value;
  friend number operator+(number a, number b) { return {static_cast<T>(a.value + b.value)}; }
};

template <class T> const number<T> *of_class(const T *x) { return reinterpret_cast<const number<T> *>(x); }
template <class T> number<T> *of_class(T *y) { return reinterpret_cast<number<T> *>(y); }

struct std_class_scan {
  template <class T> static void run(size_t n, const T *x, T *y, int) {
    std::inclusive_scan(of_class(x), of_class(x) + n, of_class(y));
  }
};

const peer one_thread_of_class = make_peer<std_class_scan>("std::inclusive_scan class", PEER_ONE_THREAD);

// ---- mmscan.hpp: of numbers by the shared library beside this one; of a class by the header's own loop

// The call of mmscan.h, as a program in C++ makes it.
mmscan_status call(size_t n, const float *x, float *y) { return mmscan_inclusive_f32(n, x, y); }
mmscan_status call(size_t n, const double *x, double *y) { return mmscan_inclusive_f64(n, x, y); }
mmscan_status call(size_t n, const std::int32_t *x, std::int32_t *y) { return mmscan_inclusive_i32(n, x, y); }
mmscan_status call(size_t n, const std::int64_t *x, std::int64_t *y) { return mmscan_inclusive_i64(n, x, y); }

struct mmscan_call {
  template <class T> static void run(size_t n, const T *x, T *y, int) {
    if (call(n, x, y) != MMSCAN_OK) throw std::bad_alloc();
  }
};

struct mmscan_scan {
  template <class T> static void run(size_t n, const T *x, T *y, int) { mmscan::inclusive_scan(x, x + n, y); }
};

struct mmscan_class_scan {
  template <class T> static void run(size_t n, const T *x, T *y, int) {
    mmscan::inclusive_scan(of_class(x), of_class(x) + n, of_class(y));
  }
};

const peer by_call = make_peer<mmscan_call>("mmscan_inclusive, shared", PEER_ONE_THREAD);
// It is a row on one thread and on several.
const peer by_library = make_peer<mmscan_scan>("mmscan::inclusive_scan", PEER_ONE_THREAD);
const peer by_library_threads = make_peer<mmscan_scan>("mmscan::inclusive_scan", PEER_OPENMP);
const peer by_header = make_peer<mmscan_class_scan>("mmscan::inclusive_scan class", PEER_ONE_THREAD);

} // namespace

// ---- TBB
// ------------------------------------------------------------------------------------------------------------- The C++
// library hands the policy par_unseq to TBB.

#if __has_include(<tbb/parallel_scan.h>)
#include <execution>
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_scan.h>
#include <tbb/task_arena.h>

namespace {

// The first call fixes the count. More threads than cores have to be allowed, or TBB complains.
template <class Work> void on_tbb_threads(int threads, const Work &work) {
  static tbb::global_control allowed(tbb::global_control::max_allowed_parallelism, static_cast<size_t>(threads));
  static tbb::task_arena arena(threads);
  arena.execute(work);
}

struct std_par {
  template <class T> static void run(size_t n, const T *x, T *y, int threads) {
    on_tbb_threads(threads, [=] { std::inclusive_scan(std::execution::par_unseq, x, x + n, y, std::plus<T>(), T(0)); });
  }
};

// Sums one range, and in the final pass scans it too.
template <class T> T scan_range(const tbb::blocked_range<size_t> &range, T sum, const T *x, T *y, bool is_final) {
  if (is_final)
    for (size_t i = range.begin(); i < range.end(); i++) y[i] = sum += x[i];
  else
    for (size_t i = range.begin(); i < range.end(); i++) sum += x[i];
  return sum;
}

struct tbb_scan {
  template <class T> static void run(size_t n, const T *x, T *y, int threads) {
    const auto body = [=](const tbb::blocked_range<size_t> &range, T sum, bool is_final) {
      return scan_range(range, sum, x, y, is_final);
    };
    on_tbb_threads(threads, [&] { tbb::parallel_scan(tbb::blocked_range<size_t>(0, n), T(0), body, std::plus<T>()); });
  }
};

const peer par = make_peer<std_par>("std::inclusive_scan par", PEER_OWN_THREADS);
const peer parallel = make_peer<tbb_scan>("tbb::parallel_scan", PEER_OWN_THREADS);

} // namespace
#else
static const peer par = make_absent("std::inclusive_scan par", "built without the headers of TBB");
static const peer parallel = make_absent("tbb::parallel_scan", "built without the headers of TBB");
#endif

// ---- Eigen's tensors
// -------------------------------------------------------------------------------------------------

#if __has_include(<unsupported/Eigen/CXX11/Tensor>)
#include <unsupported/Eigen/CXX11/Tensor>

namespace {

struct eigen_scan {
  template <class T> static void run(size_t n, const T *x, T *y, int) {
    using vector = Eigen::Tensor<T, 1>;
    const Eigen::TensorMap<const vector> from(x, static_cast<Eigen::Index>(n));
    Eigen::TensorMap<vector> to(y, static_cast<Eigen::Index>(n));
    to = from.cumsum(0);
  }
};

const peer eigen = make_peer<eigen_scan>("Eigen cumsum", PEER_ONE_THREAD);

} // namespace
#else
static const peer eigen = make_absent("Eigen cumsum", "built without the headers of Eigen");
#endif

// ---- Armadillo, on memory that it does not own
// -----------------------------------------------------------------------

#if __has_include(<armadillo>)
#define ARMA_DONT_USE_WRAPPER // the libraries behind it are not needed
#define ARMA_DONT_USE_BLAS
#define ARMA_DONT_USE_LAPACK
#define ARMA_DONT_USE_HDF5
#include <armadillo>

namespace {

struct armadillo_scan {
  // The constructor takes no pointer to const, but `from` is only read.
  template <class T> static void run(size_t n, const T *x, T *y, int) {
    const arma::Col<T> from(const_cast<T *>(x), n, false, true);
    arma::Col<T> to(y, n, false, true);
    to = arma::cumsum(from);
  }
};

const peer armadillo = make_peer<armadillo_scan>("Armadillo cumsum", PEER_ONE_THREAD);

} // namespace
#else
static const peer armadillo = make_absent("Armadillo cumsum", "built without the headers of Armadillo");
#endif

// ---- The table
// -------------------------------------------------------------------------------------------------------

extern "C" __attribute__((visibility("default"))) const peer *const *mmscan_bench_peers() {
  static const peer *const table[] = {&one_thread, &one_thread_of_class, &by_call, &by_library,
                                      &by_header,  &by_library_threads,  &par,     &parallel,
                                      &eigen,      &armadillo,           nullptr};
  return table;
}
