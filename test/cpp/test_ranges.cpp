/* test_ranges.cpp: the scans of mmscan.hpp on ranges, and along the axes of mdspans.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "checks.hpp"

#include <array>
#include <list>
#include <numeric>
#include <string>
#if __cplusplus >= 202002L
#include <ranges>
#include <span>
#include <sstream>
#include <version>
#endif
#ifdef __cpp_lib_mdspan
#include <mdspan>
#endif

/* ---- Ranges ------------------------------------------------------------------------------------------------------ */

TEST(ranges_have_the_results_of_their_iterators) {
  const std::vector<int> x = numbers<int>(5000);
  std::vector<int> y(5000), right(5000);
  const auto twice = [](int v) { return 2 * v; };
  const std::plus<> plus;
  std::inclusive_scan(x.begin(), x.end(), right.begin());
  CHECK(mmscan::inclusive_scan(x, y) == y.end() && y == right);
  CHECK(mmscan::partial_sum(x, y) == y.end() && y == right);
  CHECK(mmscan::partial_sum(x, y, plus) == y.end() && y == right);
  std::inclusive_scan(x.begin(), x.end(), right.begin(), plus, 4);
  CHECK(mmscan::inclusive_scan(x, y, plus, 4) == y.end() && y == right);
  std::exclusive_scan(x.begin(), x.end(), right.begin(), 0);
  CHECK(mmscan::exclusive_scan(x, y) == y.end() && y == right);
  std::exclusive_scan(x.begin(), x.end(), right.begin(), 9, std::bit_xor<>());
  CHECK(mmscan::exclusive_scan(x, y, 9, std::bit_xor<>()) == y.end() && y == right);
  std::transform_inclusive_scan(x.begin(), x.end(), right.begin(), plus, twice);
  CHECK(mmscan::transform_inclusive_scan(x, y, plus, twice) == y.end() && y == right);
  std::transform_inclusive_scan(x.begin(), x.end(), right.begin(), plus, twice, 4);
  CHECK(mmscan::transform_inclusive_scan(x, y, plus, twice, 4) == y.end() && y == right);
  std::transform_exclusive_scan(x.begin(), x.end(), right.begin(), 4, plus, twice);
  CHECK(mmscan::transform_exclusive_scan(x, y, 4, plus, twice) == y.end() && y == right);
  mmscan::inclusive_scan(y, y, mmscan::minimum{});
  std::inclusive_scan(right.begin(), right.end(), right.begin(), mmscan::minimum{});
  CHECK(y == right);
}

TEST(ranges_accumulate_in_the_type_of_y) {
  const std::vector<double> halves(100, 0.5);
  std::vector<double> y(100);
  mmscan::exclusive_scan(halves, y, 0); /* by iterators it would be all zeros */
  CHECK(y[99] == 49.5);
  const std::vector<unsigned char> bytes(1000, 200);
  std::vector<unsigned> wide(1000);
  CHECK(calls_of([&] { mmscan::inclusive_scan(bytes, wide); }).general == 1);
  CHECK(wide[999] == 200000);
  const std::vector<float> floats(1000, 0.25f);
  std::vector<double> sums(1000);
  CHECK(calls_of([&] { mmscan::inclusive_scan(floats, sums); }).general == 1);
  CHECK(sums[999] == 250);
  CHECK(calls_of([&] {
          mmscan::transform_inclusive_scan(floats, sums, std::plus<>(), [](float v) { return v * v; });
        }).blocks > 0);
  CHECK(sums[999] == 62.5);
  std::vector<int> ints(100);
  CHECK(calls_of([&] { mmscan::inclusive_scan(halves, ints); }).sum() == 0);
  CHECK(ints[99] == 0);
}

TEST(ranges_of_every_kind_are_taken) {
  int a[4] = {1, 2, 3, 4}, b[4];
  CHECK(mmscan::inclusive_scan(a, b) == b + 4 && b[3] == 10);
  CHECK(mmscan::inclusive_scan(a, b, std::multiplies<>()) == b + 4 && b[3] == 24);
  std::array<int, 6> longer{};
  CHECK(mmscan::exclusive_scan(a, longer, 5) == longer.begin() + 4 && longer[3] == 11 && longer[4] == 0);
  const std::list<std::string> words = {"a", "b", "c"};
  std::vector<std::string> joined(3);
  mmscan::exclusive_scan(words, joined, "_");
  CHECK(joined[2] == "_ab");
  const std::vector<int> none;
  CHECK(mmscan::inclusive_scan(none, longer) == longer.begin());
  CHECK(mmscan::transform_exclusive_scan(none, longer, 1, std::plus<>(), [](int v) { return v; }) == longer.begin());
  mmscan_status status = MMSCAN_OK;
  try {
    mmscan::inclusive_scan(std::vector<int>(5), b);
  } catch (const mmscan::error &e) {
    status = e.status();
  }
  CHECK(status == MMSCAN_EINVAL && b[3] == 24);
}

#if __cplusplus >= 202002L
TEST(spans_and_views_are_taken) {
  const std::vector<float> x(1000, 2.f);
  std::vector<float> y(1000);
  CHECK(calls_of([&] { mmscan::inclusive_scan(std::span(x), std::span(y)); }).simple == 1);
  CHECK(y[999] == 2000);
  CHECK(calls_of([&] {
          mmscan::exclusive_scan(std::span(x).subspan(10, 20), std::span<float, 20>(y.data(), 20), 1);
        }).simple == 1);
  CHECK(y[19] == 39);
#if !defined(__clang__) || __clang_major__ >= 16 /* earlier ones do not compile libstdc++'s views */
  std::vector<int> z(1000);
  mmscan::inclusive_scan(std::views::iota(1, 101), z);
  CHECK(z[99] == 5050);
  mmscan::inclusive_scan(std::views::iota(1) | std::views::take_while([](int v) { return v < 5; }), z);
  CHECK(z[3] == 10);
  CHECK(calls_of([&] { mmscan::inclusive_scan(x | std::views::reverse, y | std::views::reverse); }).general == 1);
  CHECK(y[0] == 2000 && y[999] == 2);
  CHECK(calls_of([&] {
          mmscan::transform_inclusive_scan(x | std::views::transform([](float v) { return v + 1; }), y, std::plus<>(),
                                           [](float v) { return v; });
        }).blocks == 1);
  CHECK(y[999] == 3000);
  CHECK(calls_of([&] { mmscan::inclusive_scan(x | std::views::drop(3) | std::views::take(5), y); }).simple == 1);
  CHECK(y[4] == 10);
#endif
}

#if !defined(__clang__) || __clang_major__ >= 16
TEST(ranges_may_have_iterators_that_only_move) {
  std::istringstream text;
  const auto read = [&] {
    text.clear();
    text.str("1 2 3 4 5");
    return std::views::istream<int>(text);
  };
  static_assert(!std::copyable<std::ranges::iterator_t<decltype(read())>>);
  const auto twice = [](int v) { return 2 * v; };
  const std::plus<> plus;
  using ints = std::vector<int>;
  ints y(5);
  CHECK(mmscan::inclusive_scan(read(), y) == y.end() && y == ints({1, 3, 6, 10, 15}));
  CHECK(mmscan::inclusive_scan(read(), y, plus, 10) == y.end() && y == ints({11, 13, 16, 20, 25}));
  CHECK(mmscan::exclusive_scan(read(), y) == y.end() && y == ints({0, 1, 3, 6, 10}));
  CHECK(mmscan::partial_sum(read(), y, mmscan::maximum{}) == y.end() && y == ints({1, 2, 3, 4, 5}));
  CHECK(mmscan::transform_inclusive_scan(read(), y, plus, twice) == y.end() && y == ints({2, 6, 12, 20, 30}));
  CHECK(mmscan::transform_inclusive_scan(read(), y, plus, twice, 1) == y.end() && y == ints({3, 7, 13, 21, 31}));
  CHECK(mmscan::transform_exclusive_scan(read(), y, 1, plus, twice) == y.end() && y == ints({1, 3, 7, 13, 21}));
}
#endif
#endif

/* ---- mdspans ----------------------------------------------------------------------------------------------------- */

/* What mmscan.hpp asks of an mdspan, where the compiler has none: elements at strides. */
template <class T, std::size_t Rank> struct grid {
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  using extents_type = std::array<std::size_t, Rank>;
  using layout_type = void;
  using accessor_type = void;
  using data_handle_type = T *;
  using reference = T &;
  T *data;
  extents_type extents;
  std::array<std::ptrdiff_t, Rank> strides;
  bool has_strides = true;
  static constexpr std::size_t rank() { return Rank; }
  T *const &data_handle() const { return data; }
  std::size_t extent(std::size_t r) const { return extents[r]; }
  std::ptrdiff_t stride(std::size_t r) const { return strides[r]; }
  bool is_strided() const { return has_strides; }
  std::size_t size() const {
    std::size_t product = 1;
    for (const std::size_t n : extents) product *= n;
    return product;
  }
};

/* Of a three-dimensional array, row-major or with the first axis innermost, with room for `gap` between elements. */
template <class T> grid<T, 3> view(T *data, std::array<std::size_t, 3> n, bool is_left, std::ptrdiff_t gap) {
  const auto at = [&](std::size_t r) { return static_cast<std::ptrdiff_t>(n[r]); };
  if (is_left) return {data, n, {gap, gap * at(0), gap * at(0) * at(1)}};
  return {data, n, {gap * at(2) * at(1), gap * at(2), gap}};
}

template <class T, class M> T &element(const M &m, std::size_t i, std::size_t j, std::size_t k) {
  return m.data_handle()[static_cast<std::ptrdiff_t>(i) * m.stride(0) + static_cast<std::ptrdiff_t>(j) * m.stride(1) +
                         static_cast<std::ptrdiff_t>(k) * m.stride(2)];
}

/* Scans along each axis, beside a loop over all indices. */
template <class X, class T, class Op> void along_axes(bool by_library, std::array<std::size_t, 3> n, Op op) {
  const std::size_t count = n[0] * n[1] * n[2];
  const std::vector<X> x = numbers<X>(2 * count);
  for (int turn = 0; turn < 8; turn++)
    for (std::size_t axis = 0; axis < 3; axis++) {
      const T init = T(turn % 3);
      std::vector<T> y(3 * count, T(99)), right = y;
      const auto from = view(x.data(), n, turn & 1, turn & 2 ? 2 : 1);
      const auto to = view(y.data(), n, turn & 4, turn & 2 ? 1 : 3),
                 to_right = view(right.data(), n, turn & 4, turn & 2 ? 1 : 3);
      for (int kind = 0; kind < 3; kind++) {
        const calls made = calls_of([&] {
          if (kind == 0) mmscan::inclusive_scan(from, to, axis, op);
          if (kind == 1) mmscan::inclusive_scan(from, to, axis, op, init);
          if (kind == 2) mmscan::exclusive_scan(from, to, axis, init, op);
        });
        CHECK(made.general == (by_library && count > 0 ? 1 : 0) && made.sum() == made.general);
        for (std::size_t i = 0; i < n[0]; i++)
          for (std::size_t j = 0; j < n[1]; j++)
            for (std::size_t k = 0; k < n[2]; k++) {
              std::size_t at[3] = {i, j, k};
              const std::size_t last = at[axis];
              T total = init;
              if (kind == 0) at[axis] = 0, total = static_cast<T>(element<const X>(from, at[0], at[1], at[2]));
              for (std::size_t p = kind == 0; p < last + (kind != 2); p++)
                at[axis] = p, total = op(total, element<const X>(from, at[0], at[1], at[2]));
              element<T>(to_right, i, j, k) = total;
            }
        CHECK(y == right);
      }
    }
}

TEST(axes_of_mdspans_are_scanned) {
  for (const auto n : {std::array<std::size_t, 3>{3, 4, 5}, {1, 7, 2}, {20, 1, 30}, {0, 3, 2}, {2, 3, 0}}) {
    along_axes<float, float>(true, n, std::plus<>());
    along_axes<unsigned char, int>(true, n, std::plus<>());
    along_axes<int, int>(true, n, mmscan::maximum{});
    along_axes<int, int>(false, n, [](int a, int b) { return a - b; });
    along_axes<long double, long double>(false, n, std::plus<>());
  }
}

TEST(mdspans_in_place_of_one_axis_and_wrong_ones) {
  std::vector<float> x(12, 1.f);
  const grid<float, 2> m = {x.data(), {3, 4}, {4, 1}};
  mmscan::inclusive_scan(m, m, 0);
  CHECK(x[0] == 1 && x[11] == 3);
  mmscan::inclusive_scan(m, m, 1);
  CHECK(x[11] == 12);
  const grid<float, 1> line = {x.data(), {6}, {2}};
  mmscan::exclusive_scan(line, line, 0);
  CHECK(x[0] == 0 && x[2] == 1 && x[1] == 2);
  const auto status_of = [](auto code) {
    try {
      code();
    } catch (const mmscan::error &e) {
      return e.status();
    }
    return MMSCAN_OK;
  };
  const grid<float, 2> other = {x.data(), {4, 3}, {3, 1}};
  CHECK(status_of([&] { mmscan::inclusive_scan(m, other, 0); }) == MMSCAN_EINVAL);
  CHECK(status_of([&] { mmscan::inclusive_scan(m, m, 2); }) == MMSCAN_EINVAL);
  grid<float, 2> without = m;
  without.has_strides = false;
  CHECK(status_of([&] { mmscan::inclusive_scan(m, without, 0); }) == MMSCAN_ENOTSUP);
  const grid<float, 2> shifted = {x.data() + 1, {2, 4}, {4, 1}}, start = {x.data(), {2, 4}, {4, 1}};
  CHECK(status_of([&] { mmscan::inclusive_scan(start, shifted, 1); }) == MMSCAN_EOVERLAP);
}

#ifdef __cpp_lib_mdspan
TEST(std_mdspan_is_taken) {
  std::vector<int> x(6, 1), y(6);
  mmscan::inclusive_scan(std::mdspan(x.data(), 2, 3), std::mdspan(y.data(), 2, 3), 1);
  CHECK(y[2] == 3 && y[5] == 3);
  mmscan::exclusive_scan(std::mdspan(x.data(), 2, 3), std::mdspan(y.data(), 2, 3), 0, 5);
  CHECK(y[2] == 5 && y[5] == 6);
}
#endif

int main() { return run_tests(); }
