/* test_iterators.cpp: the scans of mmscan.hpp on iterators, beside those of the standard library, and who did them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "checks.hpp"

#include <cstring>
#include <deque>
#include <forward_list>
#include <list>
#include <numeric>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#ifdef WITH_EXECUTION
#include <execution>
#endif

/* ---- Against the standard library -------------------------------------------------------------------------------- */

enum class by { library, loop };

/* How one call of ours, into y, is to end: as the standard's, into `right`, did, by the library or by a loop. */
template <class Y, class Ours, class Standard>
void same(by who, const std::vector<Y> &before, Ours ours, Standard standard) {
  std::vector<Y> right = before, y = before;
  const auto right_end = standard(right.begin()) - right.begin();
  const calls made = calls_of([&] { CHECK(ours(y.begin()) - y.begin() == right_end); });
  CHECK(y == right);
  CHECK((made.sum() > 0) == (who == by::library));
}

/* All ten forms of x, with an operator, into elements of type Y, from an init of type T. */
template <class Y, class X, class T, class Op>
void all_scans(by without_init, by with_init, const std::vector<X> &x, T init, Op op) {
  const std::vector<Y> y(x.size() + 1, Y(77)); /* one more, which is not to be written */
  const auto b = x.begin(), e = x.end();
  same(
      without_init, y, [&](auto r) { return mmscan::inclusive_scan(b, e, r, op); },
      [&](auto r) { return std::inclusive_scan(b, e, r, op); });
  same(
      with_init, y, [&](auto r) { return mmscan::inclusive_scan(b, e, r, op, init); },
      [&](auto r) { return std::inclusive_scan(b, e, r, op, init); });
  same(
      with_init, y, [&](auto r) { return mmscan::exclusive_scan(b, e, r, init, op); },
      [&](auto r) { return std::exclusive_scan(b, e, r, init, op); });
  same(
      without_init, y, [&](auto r) { return mmscan::partial_sum(b, e, r, op); },
      [&](auto r) { return std::partial_sum(b, e, r, op); });
  const by transforms_without = x.size() < 128 ? by::loop : without_init;
  const by transforms_with = x.size() < 128 ? by::loop : with_init;
  const auto unary = [](X v) { return static_cast<X>(v + v); };
  same(
      transforms_without, y, [&](auto r) { return mmscan::transform_inclusive_scan(b, e, r, op, unary); },
      [&](auto r) { return std::transform_inclusive_scan(b, e, r, op, unary); });
  same(
      transforms_with, y, [&](auto r) { return mmscan::transform_inclusive_scan(b, e, r, op, unary, init); },
      [&](auto r) { return std::transform_inclusive_scan(b, e, r, op, unary, init); });
  same(
      transforms_with, y, [&](auto r) { return mmscan::transform_exclusive_scan(b, e, r, init, op, unary); },
      [&](auto r) { return std::transform_exclusive_scan(b, e, r, init, op, unary); });
}

/* The same with the standard's +, which needs no operator. */
template <class X> void default_operator(const std::vector<X> &x) {
  const std::vector<X> y(x.size());
  const auto b = x.begin(), e = x.end();
  same(
      by::library, y, [&](auto r) { return mmscan::inclusive_scan(b, e, r); },
      [&](auto r) { return std::inclusive_scan(b, e, r); });
  same(
      by::library, y, [&](auto r) { return mmscan::exclusive_scan(b, e, r, X(3)); },
      [&](auto r) { return std::exclusive_scan(b, e, r, X(3)); });
  same(
      by::library, y, [&](auto r) { return mmscan::partial_sum(b, e, r); },
      [&](auto r) { return std::partial_sum(b, e, r); });
}

/* has_all: in all forms. A type that is another's by its size and sign has those without an operator. */
template <class T, bool has_all = true> void integers() {
  for (const std::size_t n : lengths()) {
    const std::vector<T> x = numbers<T>(n);
    /* A call on no elements may be the library's or not. */
    if (n == 0) {
      T none[1] = {T(9)};
      CHECK(mmscan::inclusive_scan(x.begin(), x.end(), none) == none && none[0] == 9);
      CHECK(mmscan::exclusive_scan(x.data(), x.data(), none, T(1)) == none && none[0] == 9);
      CHECK(mmscan::partial_sum(x.rbegin(), x.rend(), none) == none && none[0] == 9);
      continue;
    }
    if constexpr (has_all) all_scans<T>(by::library, by::library, x, T(5), std::plus<>());
    default_operator(x);
  }
}

TEST(integers_are_scanned_by_the_library_as_by_the_standard) {
  integers<signed char>(), integers<unsigned char>(), integers<short>(), integers<unsigned short>();
  integers<int>(), integers<unsigned>(), integers<long>(), integers<unsigned long>();
  integers<char, false>(), integers<long long, false>(), integers<unsigned long long, false>();
  integers<char16_t, false>(), integers<wchar_t, false>();
}

TEST(operators_of_integers_are_the_library_s_but_not_those_of_the_caller_s) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{200}, std::size_t{5000}}) {
    const std::vector<short> x = numbers<short>(n);
    const std::vector<unsigned long> bits = numbers<unsigned long>(n);
    all_scans<short>(by::library, by::library, x, short(1), std::multiplies<>());
    all_scans<unsigned long>(by::library, by::library, bits, 5ul, std::bit_xor<unsigned long>());
    all_scans<unsigned long>(by::library, by::library, bits, 5ul, std::bit_or<>());
    all_scans<unsigned long>(by::library, by::library, bits, ~0ul, std::bit_and<>());
    all_scans<short>(by::loop, by::loop, x, short(5), [](short a, short b) { return static_cast<short>(a - b); });
  }
}

TEST(floats_that_add_up_exactly_are_scanned_as_by_the_standard) {
  for (const std::size_t n : lengths()) {
    if (n == 0) continue;
    all_scans<float>(by::library, by::library, numbers<float>(n), 5.f, std::plus<>());
    all_scans<double>(by::library, by::library, numbers<double>(n), 5., std::plus<double>());
    default_operator(numbers<float>(n)), default_operator(numbers<double>(n));
    std::vector<double> powers(n);
    for (std::size_t i = 0; i < n; i++) powers[i] = i % 2 ? 0.5 : 2;
    all_scans<double>(by::library, by::library, powers, 1., std::multiplies<>());
  }
  std::vector<std::complex<double>> z(5000);
  for (auto &e : z) e = {static_cast<double>(below(9)), static_cast<double>(below(9))};
  default_operator(z);
  all_scans<std::complex<double>>(by::loop, by::loop, std::vector<std::complex<double>>(9, {0, 1}),
                                  std::complex<double>(1), std::multiplies<>());
}

TEST(the_accumulator_has_the_type_of_init) {
  const std::vector<double> halves(1000, 0.5);
  const std::vector<float> floats(1000, 0.5f);
  const std::vector<int> ints = numbers<int>(1000);
  const std::vector<short> shorts = numbers<short>(1000);
  const std::vector<unsigned char> bytes = numbers<unsigned char>(1000);
  const std::plus<> plus;
  /* int adds doubles up as ints: 0 + 0.5 is 0. */
  all_scans<double>(by::library, by::loop, halves, 0, plus);
  CHECK([&] {
    std::vector<double> y(1000);
    mmscan::exclusive_scan(halves.begin(), halves.end(), y.begin(), 0);
    return y[999];
  }() == 0);
  all_scans<double>(by::loop, by::library, floats, 0., plus);
  all_scans<float>(by::library, by::loop, floats, 0., plus);
  all_scans<long>(by::loop, by::library, ints, 0L, plus);
  all_scans<float>(by::loop, by::library, ints, 0.f, plus);
  all_scans<double>(by::loop, by::library, ints, 0., plus);
  all_scans<short>(by::loop, by::library, bytes, short(3), plus);
  all_scans<unsigned>(by::loop, by::library, bytes, 3u, std::bit_xor<>());
  all_scans<long>(by::loop, by::library, shorts, 1L, std::bit_and<>());
  /* An operator with a type of its own converts to that first. */
  all_scans<double>(by::loop, by::loop, halves, 0., std::plus<int>());
  all_scans<double>(by::loop, by::library, floats, 0., std::plus<double>());
  all_scans<double>(by::loop, by::loop, floats, 0., std::plus<float>());
  /* Signed into unsigned, wider into narrower, and types that the library has not. */
  all_scans<unsigned long>(by::loop, by::loop, ints, 0ul, plus);
  all_scans<unsigned>(by::loop, by::loop, ints, 0u, plus);
  all_scans<int>(by::library, by::loop, ints, 0L, plus);
  all_scans<int>(by::loop, by::loop, numbers<unsigned>(1000), 0, plus);
  all_scans<long long>(by::loop, by::library, numbers<long>(1000), 0LL, plus); /* the same to the library */
  all_scans<long double>(by::loop, by::loop, halves, 0.L, plus);
  /* Results of another type than the accumulator. */
  all_scans<long>(by::loop, by::loop, ints, 0, plus);
  all_scans<float>(by::loop, by::loop, halves, 0., plus);
}

template <class X, class T, class Op> void pair_is_the_library_s() {
  if constexpr (mmscan::detail::scans<X, T, Op>) {
    const mmscan_desc d = mmscan::detail::describe<X, T, Op>(MMSCAN_INCLUSIVE, 1);
    CHECK(mmscan_desc_check(&d, nullptr, 0) == MMSCAN_OK);
  }
}
template <class X, class... T> void pairs_of() {
  (pair_is_the_library_s<X, T, std::plus<>>(), ...), (pair_is_the_library_s<X, T, mmscan::maximum>(), ...);
}
template <class... T> void all_pairs() { (pairs_of<T, T...>(), ...); }

TEST(pairs_of_types_that_go_to_the_library_are_its_own) {
  all_pairs<bool, char, signed char, unsigned char, short, unsigned short, int, unsigned, long, unsigned long,
            long long, unsigned long long, char16_t, char32_t, wchar_t, float, double, long double, std::complex<float>,
            std::complex<double>>();
}

TEST(flags_are_counted_by_the_library) {
  bool flags[1000];
  for (bool &f : flags) f = below(2) != 0;
  std::vector<int> y(1000), right(1000);
  std::exclusive_scan(flags, flags + 1000, right.begin(), 0);
  CHECK(calls_of([&] { mmscan::exclusive_scan(flags, flags + 1000, y.begin(), 0); }).general == 1);
  CHECK(y == right);
  bool any[1000], right_any[1000]; /* true + true is true: not the sum of bytes */
  std::inclusive_scan(flags, flags + 1000, right_any);
  CHECK(calls_of([&] { mmscan::inclusive_scan(flags, flags + 1000, any); }).sum() == 0);
  CHECK(std::memcmp(any, right_any, sizeof any) == 0);
}

TEST(sums_of_floats_are_accurate) {
  const std::size_t n = 300000;
  const std::vector<float> x(n, 0.1f); /* a block's carry that is rounded to a float is always off to one side */
  std::vector<float> y(n);
  const auto same = [](float v) { return v; };
  const auto is_near = [&](std::size_t more) { /* exact: 24 bits times n */
                                               for (std::size_t i = 0; i < n; i++) {
                                                 const double sum =
                                                     static_cast<double>(0.1f) * static_cast<double>(i + more);
                                                 if (std::fabs(y[i] - sum) > 7 * std::ldexp(sum, -24)) return false;
                                               }
                                               return true;
  };
  mmscan::inclusive_scan(x.begin(), x.end(), y.begin());
  CHECK(is_near(1));
  mmscan::exclusive_scan(x.begin(), x.end(), y.begin(), 0.f);
  CHECK(is_near(0));
  mmscan::partial_sum(x.begin(), x.end(), y.begin());
  CHECK(is_near(1));
  mmscan::transform_inclusive_scan(x.begin(), x.end(), y.begin(), std::plus<>(), same);
  CHECK(is_near(1));
  mmscan::transform_exclusive_scan(x.begin(), x.end(), y.begin(), 0.f, std::plus<>(), same);
  CHECK(is_near(0));
  const std::vector<float> zeros(200, -0.f);
  mmscan::inclusive_scan(zeros.begin(), zeros.end(), y.begin());
  CHECK(std::signbit(y[199]));
  mmscan::transform_inclusive_scan(zeros.begin(), zeros.end(), y.begin(), std::plus<>(), same);
  CHECK(std::signbit(y[199]));
}

/* ---- Operators of mmscan ----------------------------------------------------------------------------------------- */

template <class T> bool same_bits(const std::vector<T> &a, const std::vector<T> &b) {
  for (std::size_t i = 0; i < a.size(); i++)
    if (!(a[i] != a[i] && b[i] != b[i]) && std::memcmp(&a[i], &b[i], sizeof(T)) != 0) return false;
  return a.size() == b.size();
}

/* The library and a loop, which a list has, give the same. */
template <class T, class Op> void as_in_a_list(const std::vector<T> &x, Op op, T init) {
  const std::list<T> list(x.begin(), x.end());
  std::vector<T> y(x.size()), right(x.size());
  CHECK(calls_of([&] { mmscan::inclusive_scan(list.begin(), list.end(), right.begin(), op); }).sum() == 0);
  CHECK(calls_of([&] { mmscan::inclusive_scan(x.begin(), x.end(), y.begin(), op); }).general == 1);
  CHECK(same_bits(y, right));
  const auto same = [](T v) { return v; };
  mmscan::transform_inclusive_scan(x.begin(), x.end(), y.begin(), op, same);
  CHECK(same_bits(y, right));
  mmscan::exclusive_scan(list.begin(), list.end(), right.begin(), init, op);
  CHECK(calls_of([&] { mmscan::exclusive_scan(x.begin(), x.end(), y.begin(), init, op); }).general == 1);
  CHECK(same_bits(y, right));
  mmscan::transform_exclusive_scan(x.begin(), x.end(), y.begin(), init, op, same);
  CHECK(same_bits(y, right));
}

TEST(maximum_and_minimum_are_the_library_s) {
  as_in_a_list(std::vector<short>(200, short(-3)), mmscan::maximum{}, short(-9));
  as_in_a_list(std::vector<float>(200, -3.f), mmscan::maximum{}, -9.f);
  as_in_a_list(std::vector<unsigned>(200, 3u), mmscan::minimum{}, 9u);
  as_in_a_list(std::vector<double>(200, 3.), mmscan::minimum{}, 9.);
  for (int turn = 0; turn < 20; turn++) {
    std::vector<float> x(1 + below(500));
    const float odd[] = {0.f, -0.f, INFINITY, -INFINITY, NAN};
    for (float &e : x) e = below(8) ? static_cast<float>(below(1000)) - 500 : odd[below(turn % 2 ? 5 : 4)];
    as_in_a_list(x, mmscan::maximum{}, 0.f), as_in_a_list(x, mmscan::minimum{}, -0.f);
    as_in_a_list(numbers<short>(300), mmscan::maximum{}, short(1));
    as_in_a_list(numbers<unsigned long>(300), mmscan::minimum{}, 5ul);
  }
  as_in_a_list(std::vector<float>{-0.f, 0.f, -0.f}, mmscan::maximum{}, -0.f);
  as_in_a_list(std::vector<float>{0.f, -0.f, 0.f}, mmscan::minimum{}, 0.f);
  const std::vector<std::string> words = {"b", "a", "c"};
  std::vector<std::string> y(3);
  mmscan::inclusive_scan(words.begin(), words.end(), y.begin(), mmscan::maximum{});
  CHECK(y[1] == "b" && y[2] == "c");
}

TEST(logaddexp_is_that_of_the_library_but_for_its_last_digits) {
  std::vector<double> x(200), y(200);
  for (double &e : x) e = static_cast<double>(below(2000)) / 100 - 30; /* sums are far below 0 */
  const std::list<double> list(x.begin(), x.end());
  std::vector<double> right(200);
  mmscan::inclusive_scan(list.begin(), list.end(), right.begin(), mmscan::logaddexp{});
  CHECK(calls_of([&] { mmscan::inclusive_scan(x.begin(), x.end(), y.begin(), mmscan::logaddexp{}); }).general == 1);
  const auto is_near = [&] {
    for (std::size_t i = 0; i < 200; i++)
      if (!(std::fabs(y[i] - right[i]) <= 1e-13 * (1 + std::fabs(right[i])))) return false;
    return true;
  };
  CHECK(is_near());
  mmscan::transform_inclusive_scan(x.begin(), x.end(), y.begin(), mmscan::logaddexp{}, [](double v) { return v; });
  CHECK(is_near());
  const mmscan::logaddexp op;
  CHECK(op(-INFINITY, -INFINITY) == -INFINITY && op(INFINITY, 1.) == INFINITY && std::isnan(op(1., double(NAN))));
}

/* ---- Iterators --------------------------------------------------------------------------------------------------- */

TEST(reversed_iterators_are_scanned_by_the_library) {
  for (const std::size_t n : lengths()) {
    if (n == 0) continue;
    const std::vector<int> x = numbers<int>(n);
    std::vector<int> y(n), right(n);
    std::inclusive_scan(x.rbegin(), x.rend(), right.rbegin());
    CHECK(calls_of([&] { CHECK(mmscan::inclusive_scan(x.rbegin(), x.rend(), y.rbegin()) == y.rend()); }).general == 1);
    CHECK(y == right);
    std::exclusive_scan(x.rbegin(), x.rend(), right.rbegin(), 7);
    CHECK(calls_of([&] { mmscan::exclusive_scan(x.rbegin(), x.rend(), y.rbegin(), 7); }).general == 1);
    CHECK(y == right);
    std::inclusive_scan(x.rbegin(), x.rend(), right.begin());
    CHECK(calls_of([&] { mmscan::inclusive_scan(x.rbegin(), x.rend(), y.begin()); }).sum() == 0);
    CHECK(y == right);
    const auto twice = [](int v) { return 2 * v; };
    std::transform_inclusive_scan(x.rbegin(), x.rend(), right.begin(), std::plus<>(), twice);
    mmscan::transform_inclusive_scan(x.rbegin(), x.rend(), y.begin(), std::plus<>(), twice);
    CHECK(y == right);
    y = right = x;
    std::transform_inclusive_scan(right.rbegin(), right.rend(), right.begin(), std::plus<>(), twice);
    mmscan::transform_inclusive_scan(y.rbegin(), y.rend(), y.begin(), std::plus<>(), twice);
    CHECK(y == right);
  }
}

TEST(iterators_of_every_category_are_scanned) {
  const std::vector<int> x = numbers<int>(200);
  std::vector<int> right(200), y;
  std::inclusive_scan(x.begin(), x.end(), right.begin());
  const auto is_right = [&](auto scan) {
    y.clear();
    const bool by_loop = calls_of([&] { scan(std::back_inserter(y)); }).sum() == 0;
    return by_loop && y == right;
  };
  const std::deque<int> deque(x.begin(), x.end());
  const std::list<int> list(x.begin(), x.end());
  const std::forward_list<int> forward(x.begin(), x.end());
  std::ostringstream text;
  for (const int e : x) text << e << ' ';
  CHECK(is_right([&](auto out) { mmscan::inclusive_scan(x.begin(), x.end(), out); }));
  CHECK(is_right([&](auto out) { mmscan::inclusive_scan(deque.begin(), deque.end(), out); }));
  CHECK(is_right([&](auto out) { mmscan::inclusive_scan(list.begin(), list.end(), out, std::plus<>(), 0); }));
  CHECK(is_right([&](auto out) { mmscan::partial_sum(forward.begin(), forward.end(), out); }));
  CHECK(is_right([&](auto out) {
    std::istringstream in(text.str());
    mmscan::inclusive_scan(std::istream_iterator<int>(in), std::istream_iterator<int>(), out);
  }));
  /* The transformed are scanned in y, whatever x is, if it has random access. */
  std::vector<int> z(200);
  const auto same = [](int v) { return v; };
  CHECK(calls_of([&] {
          mmscan::transform_inclusive_scan(deque.begin(), deque.end(), z.begin(), std::plus<>(), same);
        }).blocks > 0);
  CHECK(z == right);
  CHECK(calls_of([&] {
          mmscan::transform_inclusive_scan(list.begin(), list.end(), z.begin(), std::plus<>(), same);
        }).sum() == 0);
  CHECK(z == right);
  const std::vector<bool> bits(200, true);
  mmscan::exclusive_scan(bits.begin(), bits.end(), z.begin(), 0);
  CHECK(z[199] == 199);
}

TEST(volatile_elements_are_read_one_by_one) {
  volatile int x[3] = {1, 2, 3};
  int y[3];
  CHECK(calls_of([&] { mmscan::inclusive_scan(x, x + 3, y); }).sum() == 0);
  CHECK(y[2] == 6);
}

TEST(in_place_and_overlapping_ranges_are_as_by_the_standard) {
  const auto twice = [](unsigned v) { return 2 * v; };
  for (const std::size_t n : lengths())
    for (const std::ptrdiff_t shift : {-130, -1, 0, 1, 130}) {
      const std::vector<unsigned> before = numbers<unsigned>(n + 300);
      const auto from = [](std::vector<unsigned> &v) { return v.begin() + 150; };
      const std::ptrdiff_t length = static_cast<std::ptrdiff_t>(n);
      const auto same = [&](auto ours, auto standard) {
        std::vector<unsigned> right = before, y = before;
        const auto right_end = standard(from(right), from(right) + length, from(right) + shift) - right.begin();
        return ours(from(y), from(y) + length, from(y) + shift) - y.begin() == right_end && y == right;
      };
      CHECK(same([](auto b, auto e, auto r) { return mmscan::inclusive_scan(b, e, r); },
                 [](auto b, auto e, auto r) { return std::inclusive_scan(b, e, r); }));
      CHECK(same([](auto b, auto e, auto r) { return mmscan::exclusive_scan(b, e, r, 3u); },
                 [](auto b, auto e, auto r) { return std::exclusive_scan(b, e, r, 3u); }));
      CHECK(same([](auto b, auto e, auto r) { return mmscan::partial_sum(b, e, r); },
                 [](auto b, auto e, auto r) { return std::partial_sum(b, e, r); }));
      CHECK(
          same([&](auto b, auto e, auto r) { return mmscan::transform_inclusive_scan(b, e, r, std::plus<>(), twice); },
               [&](auto b, auto e, auto r) { return std::transform_inclusive_scan(b, e, r, std::plus<>(), twice); }));
      CHECK(same(
          [&](auto b, auto e, auto r) { return mmscan::transform_exclusive_scan(b, e, r, 3u, std::plus<>(), twice); },
          [&](auto b, auto e, auto r) { return std::transform_exclusive_scan(b, e, r, 3u, std::plus<>(), twice); }));
    }
}

/* ---- Operators of the caller's ----------------------------------------------------------------------------------- */

TEST(operators_are_applied_in_order_once_each) {
  std::vector<std::string> words = {"a", "b", "c", "d"}, y(4);
  mmscan::inclusive_scan(words.begin(), words.end(), y.begin());
  CHECK(y[3] == "abcd");
  mmscan::exclusive_scan(words.begin(), words.end(), y.begin(), std::string("_"));
  CHECK(y[0] == "_" && y[3] == "_abc");
  mmscan::transform_inclusive_scan(words.begin(), words.end(), y.begin(), std::plus<>(),
                                   [](const std::string &w) { return w + "."; });
  CHECK(y[3] == "a.b.c.d.");
  mmscan::exclusive_scan(words.begin(), words.end(), words.begin(), std::string());
  CHECK(words[0].empty() && words[3] == "abc");
  /* A function with a state sees the elements in order, each once, across blocks too. */
  std::vector<int> x(10000, 1), z(10000);
  mmscan::transform_inclusive_scan(x.begin(), x.end(), z.begin(), std::plus<>(),
                                   [i = 0](int v) mutable { return v * (i++ % 3); });
  for (int i = 0, sum = 0; i < 10000; i++) CHECK(z[static_cast<std::size_t>(i)] == (sum += i % 3));
}

struct thrown {};

TEST(exceptions_of_the_caller_s_are_passed_on) {
  const std::vector<int> x(500, 1);
  std::vector<int> y(500);
  const auto throws = [](int a, int b) { return a + b > 300 ? throw thrown() : a + b; };
  bool is_caught = false;
  try {
    mmscan::inclusive_scan(x.begin(), x.end(), y.begin(), throws);
  } catch (const thrown &) {
    is_caught = true;
  }
  CHECK(is_caught && y[200] == 201);
  is_caught = false;
  try {
    mmscan::transform_exclusive_scan(x.begin(), x.end(), y.begin(), 0, std::plus<>(),
                                     [](int) -> int { throw thrown(); });
  } catch (const thrown &) {
    is_caught = true;
  }
  CHECK(is_caught);
}

/* ---- Policies ---------------------------------------------------------------------------------------------------- */

struct some_policy {};

/* As libstdc++ and oneDPL say it. */
struct one_threaded {
  static constexpr std::false_type __allow_parallel() { return {}; }
};

/* The exit status of a child that runs code, 3 where that ends in std::terminate(). */
template <class Code> int child(Code code) {
  std::fflush(stdout);
  const pid_t pid = fork();
  if (pid == 0) {
    std::set_terminate([] { _exit(3); });
    try {
      code();
    } catch (...) {
      _exit(4);
    }
    _exit(0);
  }
  int status = 0;
  CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status));
  return WEXITSTATUS(status);
}

/* Every form takes the policy; by_threads: it allows them. */
template <class Policy> void takes(const Policy &policy, bool by_threads) {
  const std::vector<int> x = numbers<int>(100000);
  const auto b = x.begin(), e = x.end();
  const auto twice = [](int v) { return 2 * v; };
  const std::plus<> plus;
  std::vector<int> y(x.size()), right(x.size());
  const auto is = [&](auto ours, auto standard) {
    standard(right.begin());
    const calls made = calls_of([&] { CHECK(ours(y.begin()) == y.end()); });
    CHECK(made.blocks > 0 || (made.plans == 1) == !by_threads);
    return y == right;
  };
  CHECK(is([&](auto r) { return mmscan::inclusive_scan(policy, b, e, r); },
           [&](auto r) { std::inclusive_scan(b, e, r); }));
  CHECK(is([&](auto r) { return mmscan::inclusive_scan(policy, b, e, r, plus); },
           [&](auto r) { std::inclusive_scan(b, e, r); }));
  CHECK(is([&](auto r) { return mmscan::inclusive_scan(policy, b, e, r, plus, 4); },
           [&](auto r) { std::inclusive_scan(b, e, r, plus, 4); }));
  CHECK(is([&](auto r) { return mmscan::exclusive_scan(policy, b, e, r, 4); },
           [&](auto r) { std::exclusive_scan(b, e, r, 4); }));
  CHECK(is([&](auto r) { return mmscan::exclusive_scan(policy, b, e, r, 4, plus); },
           [&](auto r) { std::exclusive_scan(b, e, r, 4); }));
  CHECK(is([&](auto r) { return mmscan::partial_sum(policy, b, e, r); }, [&](auto r) { std::partial_sum(b, e, r); }));
  CHECK(is([&](auto r) { return mmscan::partial_sum(policy, b, e, r, plus); },
           [&](auto r) { std::partial_sum(b, e, r); }));
  CHECK(is([&](auto r) { return mmscan::transform_inclusive_scan(policy, b, e, r, plus, twice); },
           [&](auto r) { std::transform_inclusive_scan(b, e, r, plus, twice); }));
  CHECK(is([&](auto r) { return mmscan::transform_inclusive_scan(policy, b, e, r, plus, twice, 4); },
           [&](auto r) { std::transform_inclusive_scan(b, e, r, plus, twice, 4); }));
  CHECK(is([&](auto r) { return mmscan::transform_exclusive_scan(policy, b, e, r, 4, plus, twice); },
           [&](auto r) { std::transform_exclusive_scan(b, e, r, 4, plus, twice); }));
  CHECK((calls_of([&] { mmscan::inclusive_scan(policy, b, b + 100, y.begin()); }).plans == 1) == !by_threads);
  /* Ranges. */
  mmscan::inclusive_scan(policy, x, y, plus);
  CHECK(y == (std::inclusive_scan(b, e, right.begin()), right));
  mmscan::exclusive_scan(policy, x, y);
  CHECK(y == (std::exclusive_scan(b, e, right.begin(), 0), right));
  /* What the caller's operators throw. */
  const auto throws = [](int, int) -> int { throw thrown(); };
  const auto throws_too = [](int) -> int { throw thrown(); };
  CHECK(child([&] { mmscan::inclusive_scan(policy, b, e, y.begin(), throws); }) == 3);
  CHECK(child([&] { mmscan::exclusive_scan(policy, b, e, y.begin(), 0, throws); }) == 3);
  CHECK(child([&] { mmscan::transform_inclusive_scan(policy, b, e, y.begin(), plus, throws_too); }) == 3);
}

TEST(any_policy_is_taken) {
  takes(some_policy{}, true);
  takes(one_threaded{}, false);
#ifdef WITH_EXECUTION
  takes(std::execution::seq, false);
  takes(std::execution::par, true);
  takes(std::execution::par_unseq, true);
#if __cplusplus >= 202002L
  takes(std::execution::unseq, false);
#endif
#else
  std::puts("skipped: the policies of <execution>, as there is no TBB");
#endif
}

/* ---- Public reports of faults of other libraries ----------------------------------------------------------------- */

/* NVIDIA/thrust#1896: an init of int is an element of the result, where the standard does not say otherwise. */
TEST(an_init_of_int_does_not_cut_sums_of_64_bits) {
  const std::vector<std::int64_t> x = {INT64_MAX - 1, 1, 0};
  std::vector<std::int64_t> y(3);
  mmscan::exclusive_scan(x, y, 0);
  CHECK(y == std::vector<std::int64_t>{0, INT64_MAX - 1, INT64_MAX});
}

/* uxlfoundation/oneDPL#780: T() is no identity. */
TEST(maxima_and_products_do_not_start_from_zero) {
  const std::vector<double> below_zero = {-5, -3, -4}, factors = {2, 3, 4};
  std::vector<double> y(3);
  mmscan::inclusive_scan(some_policy{}, below_zero.begin(), below_zero.end(), y.begin(), mmscan::maximum{});
  CHECK(y == std::vector<double>{-5, -3, -3});
  mmscan::inclusive_scan(some_policy{}, factors.begin(), factors.end(), y.begin(), std::multiplies<>());
  CHECK(y == std::vector<double>{2, 6, 24});
}

/* llvm/llvm-project#59810, uxlfoundation/oneDPL#514 and #637: exclusive scans in place, with a policy. */
TEST(exclusive_scans_in_place_with_a_policy) {
  const auto by_loop = [](int a, int b) { return a + b; };
  for (const bool is_library : {true, false}) {
    std::vector<int> ones(10, 1), pi = {3, 1, 4, 1, 5, 9, 2, 6}, counted_up(10);
    std::iota(counted_up.begin(), counted_up.end(), 0);
    if (is_library) {
      mmscan::exclusive_scan(one_threaded{}, ones.begin(), ones.end(), ones.begin(), 0);
      mmscan::exclusive_scan(some_policy{}, pi.begin(), pi.end(), pi.begin(), 0);
    } else {
      mmscan::exclusive_scan(one_threaded{}, ones.begin(), ones.end(), ones.begin(), 0, by_loop);
      mmscan::exclusive_scan(some_policy{}, pi.begin(), pi.end(), pi.begin(), 0, by_loop);
    }
    CHECK(ones == counted_up);
    CHECK(pi == std::vector<int>{0, 3, 4, 8, 9, 14, 23, 25});
  }
}

/* ---- Hostile code ------------------------------------------------------------------------------------------------ */

/* Functions with the names of those inside, which would be found by the types of arguments. */
namespace hostile {

template <class... Arguments> void check(Arguments &&...) = delete;
template <class... Arguments> void fail(Arguments &&...) = delete;
template <class... Arguments> void scan(Arguments &&...) = delete;
template <class... Arguments> void transform(Arguments &&...) = delete;
template <class... Arguments> void lowest(Arguments &&...) = delete;
template <class... Arguments> void address(Arguments &&...) = delete;
template <class... Arguments> void is_apart(Arguments &&...) = delete;
template <class... Arguments> void run_code(Arguments &&...) = delete;
template <class... Arguments> void inclusive(Arguments &&...) = delete;
template <class... Arguments> void exclusive(Arguments &&...) = delete;
template <class... Arguments> void check_lengths(Arguments &&...) = delete;

/* Neither its address nor a comma beside it is what it seems. */
struct number {
  int value;
  number *operator&() const = delete;
  friend number operator+(number a, number b) { return {a.value + b.value}; }
};
template <class T> void operator,(const number &, T &&) = delete;

/* Random access to ints; it is no pointer. */
struct iterator {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = int;
  using difference_type = std::ptrdiff_t;
  using pointer = const int *;
  using reference = const int &;
  const int *at;
  const int &operator*() const { return *at; }
  const int &operator[](std::ptrdiff_t i) const { return at[i]; }
  iterator &operator++() { return ++at, *this; }
  iterator &operator+=(std::ptrdiff_t n) { return at += n, *this; }
  friend iterator operator+(iterator a, std::ptrdiff_t n) { return a += n; }
  friend std::ptrdiff_t operator-(iterator a, iterator b) { return a.at - b.at; }
  friend bool operator==(iterator a, iterator b) { return a.at == b.at; }
  friend bool operator!=(iterator a, iterator b) { return a.at != b.at; }
};
template <class T> void operator,(const iterator &, T &&) = delete;
template <class T> void operator,(T &&, const iterator &) = delete;

} // namespace hostile

static int add(int a, int b) { return a + b; }
[[maybe_unused]] static void check(mmscan_status) {}
[[maybe_unused]] static void fail(mmscan_status) {}

TEST(names_commas_and_addresses_of_the_caller_s_make_no_difference) {
  const std::vector<hostile::number> x(300, hostile::number{2});
  std::vector<hostile::number> y(300);
  const auto same = [](hostile::number v) { return v; };
  mmscan::inclusive_scan(x.begin(), x.end(), y.begin());
  CHECK(y[299].value == 600);
  mmscan::exclusive_scan(x, y, hostile::number{1});
  CHECK(y[299].value == 599);
  mmscan::transform_inclusive_scan(x.begin(), x.end(), y.begin(), std::plus<>(), same);
  mmscan::partial_sum(some_policy{}, x, y);
  CHECK(y[299].value == 600);
  const std::vector<int> numbers_of(300, 3);
  const hostile::iterator b = {numbers_of.data()}, e = b + 300;
  std::vector<int> z(300);
  mmscan::inclusive_scan(b, e, z.begin());
  mmscan::exclusive_scan(b, e, z.begin(), 0);
  mmscan::transform_inclusive_scan(b, e, z.begin(), std::plus<>(), [](int v) { return v; });
  CHECK(z[299] == 900);
  /* Not a block at a time where y is in between. */
  std::vector<int> shared(301, 1), right = shared;
  const auto twice = [](int v) { return 2u * static_cast<unsigned>(v) % 1000; };
  std::transform_inclusive_scan(right.begin(), right.end() - 1, right.begin() + 1, std::plus<>(), twice, 0u);
  const hostile::iterator first = {shared.data()};
  mmscan::transform_inclusive_scan(first, first + 300, shared.begin() + 1, std::plus<>(), twice, 0u);
  CHECK(shared == right);
  /* A function is no iterator. */
  const int four[4] = {1, 2, 3, 4};
  int sums[4];
  mmscan::inclusive_scan(four, sums, add);
  CHECK(sums[3] == 10);
}

/* Counts how often it was copied. */
struct counted {
  int value, copies = 0;
  explicit counted(int v) : value(v) {}
  counted(const counted &other) : value(other.value), copies(other.copies + 1) {}
  counted &operator=(const counted &other) { return value = other.value, copies = other.copies + 1, *this; }
  counted(counted &&other) = default;
  counted &operator=(counted &&other) = default;
  friend counted operator+(counted a, const counted &b) { return a.value += b.value, a; }
};

TEST(partial_sum_moves_the_accumulator_where_the_standard_does) {
  const std::vector<counted> x(5, counted(1));
  std::vector<counted> y(5, counted(0)), right = y;
  std::partial_sum(x.begin(), x.end(), right.begin());
  mmscan::partial_sum(x.begin(), x.end(), y.begin());
  for (std::size_t i = 0; i < 5; i++) CHECK(y[i].value == right[i].value && y[i].copies == right[i].copies);
}

/* ---- Errors ------------------------------------------------------------------------------------------------------ */

/* The status that a call throws, if the library's fails with it. */
template <class Code> mmscan_status thrown_by(mmscan_status status, Code code) {
  made() = calls{};
  made().fails_with = status;
  mmscan_status caught = MMSCAN_OK;
  try {
    code();
  } catch (const mmscan::error &e) {
    caught = e.status();
    CHECK(std::strcmp(e.what(), mmscan_strerror(caught)) == 0);
  } catch (const std::bad_alloc &) {
    caught = MMSCAN_ENOMEM;
  }
  made().fails_with = MMSCAN_OK;
  return caught;
}

TEST(failures_are_exceptions) {
  const std::vector<float> x(50000, 1.f);
  std::vector<float> y(50000, 7.f);
  const auto as_it_was = y;
  const auto same = [](float v) { return v; };
  for (const mmscan_status status : {MMSCAN_ENOMEM, MMSCAN_EBLAS, MMSCAN_EINVAL, MMSCAN_EIO}) {
    CHECK(thrown_by(status, [&] { mmscan::inclusive_scan(x.begin(), x.end(), y.begin()); }) == status);
    CHECK(thrown_by(status, [&] { mmscan::exclusive_scan(x, y, 1); }) == status);
    CHECK(thrown_by(status, [&] { mmscan::inclusive_scan(x, y, mmscan::maximum{}); }) == status);
    CHECK(thrown_by(status, [&] { mmscan::partial_sum(some_policy{}, x, y); }) == status);
    CHECK(y == as_it_was);
    /* With no elements nothing can fail. */
    CHECK(thrown_by(status, [&] { mmscan::inclusive_scan(x.end(), x.end(), y.begin()); }) == MMSCAN_OK);
  }
  CHECK(thrown_by(MMSCAN_ENOMEM, [&] {
          mmscan::transform_inclusive_scan(x.begin(), x.end(), y.begin(), std::plus<>(), same);
        }) == MMSCAN_ENOMEM);
}

TEST(an_illegal_environment_is_an_exception) {
  const int status = child([] {
    char *const arguments[] = {const_cast<char *>("test_iterators"), const_cast<char *>("--scan"), nullptr};
    char *const environment[] = {const_cast<char *>("MMSCAN_ENGINE=nonsense"), nullptr};
    execve("/proc/self/exe", arguments, environment);
  });
  CHECK(status == 10 + MMSCAN_EINVAL);
}

int main(int argc, char **) {
  if (argc == 1) return run_tests();
  const int x[2] = {1, 2};
  int y[2];
  return 10 + thrown_by(MMSCAN_OK, [&] { mmscan::inclusive_scan(x, y); });
}
