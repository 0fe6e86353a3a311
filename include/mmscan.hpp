/* mmscan.hpp: the scans of C++'s <numeric>, by libmmscan. C++17 or later; nothing to compile, link with -lmmscan.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * namespace mmscan has inclusive_scan, exclusive_scan, transform_inclusive_scan, transform_exclusive_scan and
 * partial_sum, with the parameters and results that ISO C++ states (ISO/IEC 14882:2020, [numeric.ops]), each with or
 * without an execution policy before them:
 *
 *   mmscan::inclusive_scan(x.begin(), x.end(), y.begin());
 *   mmscan::exclusive_scan(std::execution::par, x.begin(), x.end(), y.begin(), 0.0);
 *
 * and each of whole ranges as well: containers, arrays, C++20's spans and views, those among them whose iterators can
 * only be moved; and along an axis of mdspans.
 *
 *   mmscan::inclusive_scan(x, y, mmscan::maximum{});
 *   mmscan::inclusive_scan(matrix, sums, 0);
 *
 * THE LIBRARY scans where x and y are contiguous, or both are the reverse of contiguous (rbegin()), the operator is one
 * of its own, and the standard's accumulator, which has init's type or else that of x's elements, has the type of y's
 * elements:
 *
 *   types       float, double; std::complex of these;
 *               integers of 8 to 64 bits, signed or not, characters too
 *   operators   std::plus, std::multiplies (not of complex numbers), std::bit_and, std::bit_or, std::bit_xor,
 *               with no type of their own or the accumulator's; mmscan::maximum, mmscan::minimum, mmscan::logaddexp
 *   init        of the type of x's elements; or, as mmscan_scan() converts: a wider integer, but no unsigned one
 *               of signed elements (bool counts as an unsigned integer of 8 bits);
 *               float or double of integers; double of floats
 *
 * Results are as mmscan.h says: sums of floats are grouped otherwise than by a loop, and are more accurate;
 * partial_sum, too. Integers wrap around. It uses as many threads as mmscan.h says, unless the policy is seq or unseq.
 * For transform scans the results of the unary operator, in the place of x's elements, have the accumulator's type, or
 * are converted to it, and x may be anything with random access; they go to y, block by block, and are scanned there by
 * one thread.
 *
 * EVERYTHING ELSE gives the standard's result by loops in this file, by the calling thread, in order, whatever the
 * policy: other iterators, types and operators; y of another type than the accumulator; and arrays x and y that share
 * memory and are not the same.
 *
 * INIT has its own type in the standard, and sums are of that type: mmscan::exclusive_scan(x.begin(), x.end(),
 * y.begin(), 0) adds doubles up as int, as std:: does. Calls on ranges and mdspans, which the standard has not, take
 * init as an element of y, and accumulate in that type: mmscan::exclusive_scan(x, y, 0) adds up doubles.
 *
 * In place: x and y may be the same. Iterators and elements are copied and moved as ISO C++ says. Any number of threads
 * may call. Policies are any class that is no iterator and no range: <execution> is not included, as a program that
 * does is linked with -ltbb where TBB is installed (libstdc++). seq and unseq are known by what libstdc++ and oneDPL
 * define in them; another library's are taken for par.
 *
 * ERRORS are exceptions: std::bad_alloc for MMSCAN_ENOMEM, and else mmscan::error, where the environment asks for what
 * cannot be done (mmscan.h, ENVIRONMENT; with no elements it is not looked at), where a range y is shorter than x, or
 * where mdspans do not fit. y is then as it was, but for transform scans. What operators of the caller throw, and
 * iterators as they are read, is passed on, some results being written; under a policy it ends in std::terminate().
 * -fno-exceptions does not go with this header. */
#ifndef MMSCAN_HPP
#define MMSCAN_HPP

#if __cplusplus < 201703L
#error "mmscan.hpp needs C++17: -std=c++17"
#endif

#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "mmscan.h"

namespace mmscan {

/* ---- Errors ------------------------------------------------------------------------------------------------------ */

/* A call that failed. what() is mmscan_strerror(status()). */
class error : public std::runtime_error {
public:
  explicit error(mmscan_status status) : std::runtime_error(mmscan_strerror(status)), status_(status) {}
  mmscan_status status() const noexcept { return status_; }

private:
  mmscan_status status_;
};

/* ---- Operators that <functional> has not ------------------------------------------------------------------------- */

/* The greater of both; a NaN, if one is; of equal ones a. Of other types than numbers they are b only if a < b. */
struct maximum {
  using is_transparent = void;
  template <class A, class B> constexpr std::common_type_t<A, B> operator()(const A &a, const B &b) const {
    using T = std::common_type_t<A, B>;
    const T left(a), right(b);
    if constexpr (std::is_floating_point_v<T>) return left >= right || left != left ? left : right;
    return left < right ? right : left;
  }
};

/* The lesser of both; a NaN, if one is; of equal ones a. Of other types than numbers they are b only if b < a. */
struct minimum {
  using is_transparent = void;
  template <class A, class B> constexpr std::common_type_t<A, B> operator()(const A &a, const B &b) const {
    using T = std::common_type_t<A, B>;
    const T left(a), right(b);
    if constexpr (std::is_floating_point_v<T>) return left <= right || left != left ? left : right;
    return right < left ? right : left;
  }
};

/* log(exp(a) + exp(b)), which does not overflow: m + log(1 + exp(d)), m the greater of both, d <= 0. Floats only. */
struct logaddexp {
  using is_transparent = void;
  template <class A, class B> std::common_type_t<A, B> operator()(const A &a, const B &b) const {
    using T = std::common_type_t<A, B>;
    static_assert(std::is_floating_point_v<T>, "mmscan::logaddexp is for floats");
    const T left(a), right(b), most = maximum{}(left, right);
    if (most != most || std::isinf(most)) return most;
    return most + std::log1p(std::exp((left < right ? left : right) - most));
  }
};

/* ---- What goes to the library ------------------------------------------------------------------------------------ */

namespace detail {

template <class T, class = void> struct is_iterator : std::false_type {};
template <class T>
struct is_iterator<T, std::void_t<typename std::iterator_traits<T>::iterator_category>>
    : std::integral_constant<bool, !std::is_function_v<std::remove_pointer_t<T>>> {};

template <class It> struct traits_of : std::iterator_traits<It> {};
#ifdef __cpp_lib_concepts
/* Iterators that cannot be copied have no std::iterator_traits. */
template <class It>
requires(!is_iterator<It>::value) && std::input_iterator<It> struct traits_of<It> {
  using value_type = std::iter_value_t<It>;
  using iterator_category = std::input_iterator_tag;
};
#endif
template <class It> using value_t = typename traits_of<It>::value_type;
template <class It> using reference_t = decltype(*std::declval<It &>());

/* The type that the library has of T, or 0. */
template <class T> constexpr int type_of() {
  constexpr int integers[4][2] = {
      {MMSCAN_U8, MMSCAN_I8}, {MMSCAN_U16, MMSCAN_I16}, {MMSCAN_U32, MMSCAN_I32}, {MMSCAN_U64, MMSCAN_I64}};
  if constexpr (std::is_same_v<T, float>) return MMSCAN_F32;
  if constexpr (std::is_same_v<T, double>) return MMSCAN_F64;
  if constexpr (std::is_same_v<T, std::complex<float>>) return MMSCAN_C32;
  if constexpr (std::is_same_v<T, std::complex<double>>) return MMSCAN_C64;
  if constexpr (std::is_integral_v<T> && sizeof(T) <= 8)
    return integers[(sizeof(T) > 1) + (sizeof(T) > 2) + (sizeof(T) > 4)][std::is_signed_v<T>];
  return 0;
}

/* Whether a T in the operator's own type, void or T, is left as it is. */
template <class Own, class T> constexpr bool is_own = std::is_void_v<Own> || std::is_same_v<Own, T>;

/* Operators: the library's, if it is to combine elements of type T, and 0 if not. */
template <class Op, class T> struct operator_of { static constexpr int value = 0; };
template <class Own, class T> struct operator_of<std::plus<Own>, T> {
  static constexpr int value = is_own<Own, T> ? MMSCAN_PLUS : 0;
};
/* std::complex has products of its own with infinities (ISO C, Annex G). */
template <class Own, class T> struct operator_of<std::multiplies<Own>, T> {
  static constexpr int value = is_own<Own, T> && std::is_arithmetic_v<T> ? MMSCAN_MUL : 0;
};
template <class Own, class T> struct operator_of<std::bit_and<Own>, T> {
  static constexpr int value = is_own<Own, T> && std::is_integral_v<T> ? MMSCAN_AND : 0;
};
template <class Own, class T> struct operator_of<std::bit_or<Own>, T> {
  static constexpr int value = is_own<Own, T> && std::is_integral_v<T> ? MMSCAN_OR : 0;
};
template <class Own, class T> struct operator_of<std::bit_xor<Own>, T> {
  static constexpr int value = is_own<Own, T> && std::is_integral_v<T> ? MMSCAN_XOR : 0;
};
template <class T> struct operator_of<maximum, T> {
  static constexpr int value = std::is_arithmetic_v<T> ? MMSCAN_MAX : 0;
};
template <class T> struct operator_of<minimum, T> {
  static constexpr int value = std::is_arithmetic_v<T> ? MMSCAN_MIN : 0;
};
template <class T> struct operator_of<logaddexp, T> {
  static constexpr int value = std::is_floating_point_v<T> ? MMSCAN_LOGADDEXP : 0;
};

/* Whether an accumulator of type T, combined with an X as C++ does it, is as if X were converted to T first; of pairs
 * that mmscan_scan() converts. */
template <class X, class T> constexpr bool widens() {
  if constexpr (std::is_same_v<T, bool>) return false;
  if constexpr (type_of<X>() == type_of<T>()) return true;
  if constexpr (std::is_integral_v<X> && std::is_integral_v<T>)
    return sizeof(X) < sizeof(T) && (std::is_unsigned_v<X> || std::is_signed_v<T>);
  return std::is_floating_point_v<T> && (std::is_integral_v<X> || sizeof(X) < sizeof(T)) && std::is_arithmetic_v<X>;
}

/* Whether the library combines elements X into an accumulator T by Op. */
template <class X, class T, class Op>
constexpr bool scans = type_of<X>() != 0 && type_of<T>() != 0 && operator_of<Op, T>::value != 0 && widens<X, T>();

/* Iterators whose elements are neighbours in memory, and can be read by a pointer. */
template <class It> struct is_array_iterator : std::false_type {};
template <class T> struct is_array_iterator<T *> : std::true_type {};
#ifdef __GLIBCXX__
template <class T, class Container>
struct is_array_iterator<__gnu_cxx::__normal_iterator<T *, Container>> : std::true_type {};
#endif
#ifdef _LIBCPP_VERSION
template <class T> struct is_array_iterator<std::__wrap_iter<T *>> : std::true_type {};
#endif
template <class It> constexpr bool is_contiguous() {
  if constexpr (std::is_lvalue_reference_v<reference_t<It>>) {
    using element = std::remove_reference_t<reference_t<It>>;
    if constexpr (!std::is_same_v<std::remove_const_t<element>, value_t<It>>) return false; /* volatile, say */
#ifdef __cpp_lib_concepts
    /* Others are not asked: clang 14 stumbles over those that have an element_type which is not public. */
    if constexpr (std::is_base_of_v<std::random_access_iterator_tag, typename traits_of<It>::iterator_category>)
      if constexpr (std::contiguous_iterator<It>) return true;
#endif
    return is_array_iterator<It>::value;
  }
  return false;
}
template <class It> struct is_reversed : std::false_type {};
template <class It>
struct is_reversed<std::reverse_iterator<It>> : std::integral_constant<bool, is_contiguous<It>()> {};

template <class It> constexpr bool has_random_access() {
#ifdef __cpp_lib_concepts
  /* A view's iterators may be of C++17's input category for what they refer to alone. */
  if constexpr (requires { typename It::iterator_concept; })
    if constexpr (std::random_access_iterator<It>) return true;
#endif
  return std::is_base_of_v<std::random_access_iterator_tag, typename traits_of<It>::iterator_category>;
}

template <class In, class Last, class = void> struct has_length : std::false_type {};
template <class In, class Last>
struct has_length<In, Last, std::void_t<decltype(std::declval<Last>() - std::declval<In>())>> : std::true_type {};

/* Whether the library scans [first, last) into `result` with an accumulator T. */
template <class In, class Last, class Out, class T, class Op> constexpr bool goes_to_library() {
  if constexpr (scans<value_t<In>, T, Op> && std::is_same_v<value_t<Out>, T>)
    return has_length<In, Last>::value &&
           ((is_contiguous<In>() && is_contiguous<Out>()) || (is_reversed<In>::value && is_reversed<Out>::value));
  return false;
}

/* Where an iterator points, also past the end. */
template <class T> T *address(T *it) { return it; }
#ifdef __cpp_lib_to_address
template <class It> auto *address(const It &it) { return std::to_address(it); }
#else
template <class It> auto *address(const It &it) { return it.base(); }
#endif

/* The element that comes first in memory, of n. */
template <class It> auto *lowest(It first, std::ptrdiff_t n) {
  if constexpr (is_reversed<It>::value)
    return detail::address((first + n).base());
  else
    return (void)n, detail::address(first);
}

/* ---- Policies ---------------------------------------------------------------------------------------------------- */

struct no_policy {};

/* Whether threads may share the work. The members are libstdc++'s, and oneDPL's. */
template <class Policy, class = void> constexpr bool may_share = true;
template <class Policy>
constexpr bool may_share<Policy, std::void_t<decltype(Policy::__allow_parallel())>> =
    decltype(Policy::__allow_parallel())::value;

/* Runs code of the caller's, which must not throw where there is a policy. */
template <class Policy, class Code> decltype(auto) run_code(Code &&code) noexcept(!std::is_same_v<Policy, no_policy>) {
  return code();
}

/* ---- Calls of the library ---------------------------------------------------------------------------------------- */

[[noreturn]] inline void fail(mmscan_status status) {
  if (status == MMSCAN_ENOMEM) throw std::bad_alloc();
  throw error(status);
}
inline void check(mmscan_status status) {
  if (status != MMSCAN_OK) detail::fail(status);
}

/* The simple calls of mmscan.h, and whether there are some for T. */
template <class T> constexpr bool has_simple_call = std::is_arithmetic_v<T> && sizeof(T) >= 4;

template <class T> mmscan_status add_up(std::size_t n, const T *x, T *y) {
  constexpr int type = type_of<T>();
  const void *from = x;
  void *to = y;
  if constexpr (type == MMSCAN_F32) return mmscan_inclusive_f32(n, x, y);
  if constexpr (type == MMSCAN_F64) return mmscan_inclusive_f64(n, x, y);
  if constexpr (type == MMSCAN_I32)
    return mmscan_inclusive_i32(n, static_cast<const std::int32_t *>(from), static_cast<std::int32_t *>(to));
  if constexpr (type == MMSCAN_U32)
    return mmscan_inclusive_u32(n, static_cast<const std::uint32_t *>(from), static_cast<std::uint32_t *>(to));
  if constexpr (type == MMSCAN_I64)
    return mmscan_inclusive_i64(n, static_cast<const std::int64_t *>(from), static_cast<std::int64_t *>(to));
  return mmscan_inclusive_u64(n, static_cast<const std::uint64_t *>(from), static_cast<std::uint64_t *>(to));
}

template <class T> mmscan_status add_up_before(std::size_t n, T init, const T *x, T *y) {
  constexpr int type = type_of<T>();
  const void *from = x;
  void *to = y;
  if constexpr (type == MMSCAN_F32) return mmscan_exclusive_f32(n, init, x, y);
  if constexpr (type == MMSCAN_F64) return mmscan_exclusive_f64(n, init, x, y);
  if constexpr (type == MMSCAN_I32)
    return mmscan_exclusive_i32(n, init, static_cast<const std::int32_t *>(from), static_cast<std::int32_t *>(to));
  if constexpr (type == MMSCAN_U32)
    return mmscan_exclusive_u32(n, init, static_cast<const std::uint32_t *>(from), static_cast<std::uint32_t *>(to));
  if constexpr (type == MMSCAN_I64)
    return mmscan_exclusive_i64(n, init, static_cast<const std::int64_t *>(from), static_cast<std::int64_t *>(to));
  return mmscan_exclusive_u64(n, static_cast<std::uint64_t>(init), static_cast<const std::uint64_t *>(from),
                              static_cast<std::uint64_t *>(to));
}

template <class X, class T, class Op> mmscan_desc describe(mmscan_kind kind, std::size_t n) {
  mmscan_desc d = MMSCAN_DESC(mmscan_type(type_of<T>()), mmscan_op(operator_of<Op, T>::value), kind, n);
  d.x_type = mmscan_type(type_of<X>());
  return d;
}

/* By the calling thread alone. */
inline mmscan_status scan_alone(const mmscan_desc &d, const void *x, void *y) {
  mmscan_choice choice = {};
  mmscan_plan *plan;
  choice.struct_size = sizeof choice;
  choice.threads = 1;
  mmscan_status status = mmscan_plan_create_with(&plan, &d, MMSCAN_ESTIMATE, &choice);
  if (status == MMSCAN_OK) status = mmscan_execute(plan, x, y);
  mmscan_plan_destroy(plan);
  return status;
}

/* Scans n elements as goes_to_library() says; init may be NULL. */
template <class Policy, class Op, class In, class Out, class T>
mmscan_status scan_by_library(mmscan_kind kind, In first, std::ptrdiff_t n, Out result, const T *init) {
  using X = value_t<In>;
  constexpr bool is_sum = std::is_same_v<X, T> && operator_of<Op, T>::value == MMSCAN_PLUS;
  const std::size_t count = static_cast<std::size_t>(n);
  const X *x = detail::lowest(first, n);
  T *y = detail::lowest(result, n);
  if constexpr (is_sum && has_simple_call<T> && !is_reversed<In>::value && may_share<Policy>)
    if ((kind == MMSCAN_EXCLUSIVE) == (init != nullptr))
      return init ? detail::add_up_before(count, *init, x, y) : detail::add_up(count, x, y);
  mmscan_desc d = detail::describe<X, T, Op>(kind, count);
  d.reverse = is_reversed<In>::value;
  d.init = init;
  if constexpr (!may_share<Policy>) return detail::scan_alone(d, x, y);
  return mmscan_scan(&d, x, y);
}

/* ---- The loops --------------------------------------------------------------------------------------------------- */

#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion" /* what an operator gives becomes a T, as in the standard library */
#pragma GCC diagnostic ignored "-Wfloat-conversion"
#endif

/* What x's elements are before they are combined, in scans that do not transform them. */
struct as_it_is {
  template <class X> constexpr X &&operator()(X &&x) const noexcept { return static_cast<X &&>(x); }
};

struct loop_inclusive_from {
  template <class In, class Last, class Out, class Op, class T, class Unary = as_it_is>
  Out operator()(In first, Last last, Out result, Op op, T total, Unary unary = Unary()) const {
    for (; first != last; ++first, (void)++result) {
      total = op(total, unary(*first));
      *result = total;
    }
    return result;
  }
};

/* The first element is taken as a T. */
template <class T> struct loop_inclusive {
  template <class In, class Last, class Out, class Op, class Unary = as_it_is>
  Out operator()(In first, Last last, Out result, Op op, Unary unary = Unary()) const {
    if (first == last) return result;
    T total = unary(*first);
    *result = total;
    ++first;
    ++result;
    return loop_inclusive_from()(std::move(first), last, std::move(result), op, std::move(total), unary);
  }
};

struct loop_exclusive {
  template <class In, class Last, class Out, class Op, class T, class Unary = as_it_is>
  Out operator()(In first, Last last, Out result, Op op, T total, Unary unary = Unary()) const {
    while (first != last) {
      T before = total;
      total = op(total, unary(*first));
      ++first; /* before the result is written, in whose place *first may have been */
      *result = std::move(before);
      ++result;
    }
    return result;
  }
};

/* [partial.sum]: C++20 moves the accumulator. */
template <class T> struct loop_partial_sum {
  template <class In, class Last, class Out, class Op> Out operator()(In first, Last last, Out result, Op op) const {
    if (first == last) return result;
    T total = *first;
    *result = total;
    while (++first != last) {
#if __cplusplus > 201703L
      total = op(std::move(total), *first);
#else
      total = op(total, *first);
#endif
      *++result = total;
    }
    return ++result;
  }
};

#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif

/* ---- The scans --------------------------------------------------------------------------------------------------- */

template <class T> constexpr const T *address_of() { return nullptr; }
template <class T> constexpr const T *address_of(const T &init) { return std::addressof(init); }

/* What is left to do after a call that failed, out of the way of what is inlined, as a short scan takes few cycles. */
template <class Policy, class Loop, class In, class Last, class Out, class Op, class... Init>
[[gnu::cold, gnu::noinline]] Out scan_aside(mmscan_status status, In first, Last last, Out result, Op op,
                                            Init... init) {
  if (first == last) return result; /* the library wants pointers all the same */
  if (status != MMSCAN_EOVERLAP) detail::fail(status);
  return detail::run_code<Policy>([&] { return Loop()(first, last, result, op, init...); });
}

/* Scans with an accumulator T, from init if it is given: by the library, or else by Loop. */
template <class Policy, class T, class Loop, class In, class Last, class Out, class Op, class... Init>
Out scan(mmscan_kind kind, In first, Last last, Out result, Op op, Init... init) {
  if constexpr (goes_to_library<In, Last, Out, T, Op>()) {
    const auto n = last - first;
    const mmscan_status status =
        detail::scan_by_library<Policy, Op>(kind, first, n, result, detail::address_of<T>(init...));
    if (status != MMSCAN_OK) return detail::scan_aside<Policy, Loop>(status, first, last, result, op, init...);
    return result + n;
  } else {
    return detail::run_code<Policy>(
        [&] { return Loop()(std::move(first), last, std::move(result), op, std::move(init)...); });
  }
}

template <class Policy, class In, class Last, class Out, class Op, class T>
Out inclusive_from(In first, Last last, Out result, Op op, T init) {
  return detail::scan<Policy, T, loop_inclusive_from>(MMSCAN_INCLUSIVE, std::move(first), last, std::move(result), op,
                                                      std::move(init));
}

template <class Policy, class T, class In, class Last, class Out, class Op>
Out inclusive(In first, Last last, Out result, Op op) {
  return detail::scan<Policy, T, loop_inclusive<T>>(MMSCAN_INCLUSIVE, std::move(first), last, std::move(result), op);
}

template <class Policy, class In, class Last, class Out, class T, class Op>
Out exclusive(In first, Last last, Out result, T init, Op op) {
  return detail::scan<Policy, T, loop_exclusive>(MMSCAN_EXCLUSIVE, std::move(first), last, std::move(result), op,
                                                 std::move(init));
}

template <class Policy, class T, class In, class Last, class Out, class Op>
Out partial_sums(In first, Last last, Out result, Op op) {
  return detail::scan<Policy, T, loop_partial_sum<T>>(MMSCAN_INCLUSIVE, std::move(first), last, std::move(result), op);
}

/* ---- Transforming scans ------------------------------------------------------------------------------------------ */

/* What an inclusive sum may start from (mmscan_algebra.identity). */
template <class T> constexpr T identity(int op) {
  using limits = std::numeric_limits<T>;
  switch (op) {
  case MMSCAN_PLUS:
    return T(-T(0));
  case MMSCAN_MUL:
    return T(1);
  default:
    break;
  }
  if constexpr (std::is_arithmetic_v<T>) {
    if (op == MMSCAN_MAX || op == MMSCAN_LOGADDEXP)
      return limits::has_infinity ? -limits::infinity() : limits::lowest();
    if (op == MMSCAN_MIN) return limits::has_infinity ? limits::infinity() : limits::max();
  }
  if constexpr (std::is_integral_v<T>)
    if (op == MMSCAN_AND) return static_cast<T>(~T(0));
  return T(0);
}

/* Whether the library scans what Unary makes of [first, last). */
template <class In, class Last, class Out, class T, class Op, class Unary> constexpr bool transforms_for_library() {
  using X = std::decay_t<std::invoke_result_t<Unary &, reference_t<In>>>;
  if constexpr (scans<X, T, Op> && std::is_same_v<value_t<Out>, T>)
    return has_random_access<In>() && has_length<In, Last>::value && is_contiguous<Out>();
  return false;
}

/* Whether a block of y may be written before the next elements of x are read: not if they share memory, except each
 * with the one in whose place it is. What lies between the first and the last element of x counts as x. */
template <class In, class Out> bool is_apart(In first, std::ptrdiff_t n, Out result) {
  if constexpr (std::is_lvalue_reference_v<reference_t<In>>) {
    using byte = const volatile char *;
    const std::less<byte> before{};
    const byte one = reinterpret_cast<byte>(std::addressof(*first));
    const byte other = reinterpret_cast<byte>(std::addressof(*(first + (n - 1))));
    const byte x = before(other, one) ? other : one, x_end = (x == one ? other : one) + sizeof(value_t<In>);
    const byte y = reinterpret_cast<byte>(detail::address(result)),
               y_end = y + n * std::ptrdiff_t{sizeof(value_t<Out>)};
    const bool is_in_place = is_contiguous<In>() && x == y && x_end == y_end;
    return is_in_place || !before(y, x_end) || !before(x, y_end);
  }
  return true;
}

/* Transforms a block into y, scans it there while it is in a cache, and so on; n > 0. */
template <class Policy, class Op, class In, class Out, class Unary, class T>
[[gnu::noinline]] Out transform_by_blocks(mmscan_kind kind, In first, std::ptrdiff_t n, Out result, Unary unary,
                                          T carry) {
  constexpr std::ptrdiff_t most = 16384 / sizeof(T);
  alignas(std::max_align_t) unsigned char state[1024] = {}; /* no type needs more */
  mmscan_desc d = detail::describe<T, T, Op>(kind, 0);
  d.state = state;
  while (n > 0) {
    const std::ptrdiff_t part = n < most ? n : most;
    T *y = detail::lowest(result, part);
    detail::run_code<Policy>([=, &unary] {
      for (std::ptrdiff_t i = 0; i < part; i++) y[i] = static_cast<T>(unary(first[i]));
    });
    d.n = static_cast<std::size_t>(part);
    detail::check(mmscan_scan_block(&d, y, y, &carry));
    first += part;
    result += part;
    n -= part;
  }
  return result;
}

/* Scans what Unary makes of x, with an accumulator T, from init if it is given: by the library, or else by Loop. */
template <class Policy, class T, class Loop, class In, class Last, class Out, class Op, class Unary, class... Init>
Out transform(mmscan_kind kind, In first, Last last, Out result, Op op, Unary unary, Init... init) {
  constexpr std::ptrdiff_t few = 128; /* which a loop does in less time */
  if constexpr (transforms_for_library<In, Last, Out, T, Op, Unary>())
    if (const auto n = last - first; n >= few && detail::is_apart(first, n, result)) {
      const T *start = detail::address_of<T>(init...);
      return detail::transform_by_blocks<Policy, Op>(kind, first, n, result, unary,
                                                     start ? *start : detail::identity<T>(operator_of<Op, T>::value));
    }
  return detail::run_code<Policy>(
      [&] { return Loop()(std::move(first), last, std::move(result), op, std::move(init)..., unary); });
}

template <class Policy, class In, class Last, class Out, class Op, class Unary, class T>
Out transform_inclusive_from(In first, Last last, Out result, Op op, Unary unary, T init) {
  return detail::transform<Policy, T, loop_inclusive_from>(MMSCAN_INCLUSIVE, std::move(first), last, std::move(result),
                                                           op, unary, std::move(init));
}

template <class Policy, class T, class In, class Last, class Out, class Op, class Unary>
Out transform_inclusive(In first, Last last, Out result, Op op, Unary unary) {
  return detail::transform<Policy, T, loop_inclusive<T>>(MMSCAN_INCLUSIVE, std::move(first), last, std::move(result),
                                                         op, unary);
}

template <class Policy, class In, class Last, class Out, class T, class Op, class Unary>
Out transform_exclusive(In first, Last last, Out result, T init, Op op, Unary unary) {
  return detail::transform<Policy, T, loop_exclusive>(MMSCAN_EXCLUSIVE, std::move(first), last, std::move(result), op,
                                                      unary, std::move(init));
}

template <class In, class Unary> using transformed_t = std::decay_t<std::invoke_result_t<Unary &, reference_t<In>>>;

/* ---- Ranges ------------------------------------------------------------------------------------------------------ */

template <class Range, class = void> struct is_range : std::false_type {};
template <class Range>
struct is_range<Range,
                std::void_t<decltype(std::begin(std::declval<Range &>())), decltype(std::end(std::declval<Range &>()))>>
    : std::true_type {};

template <class Range> using iterator_t = decltype(std::begin(std::declval<Range &>()));
template <class Range> using element_t = value_t<iterator_t<Range>>;

/* Where both know how long they are, y has an element for each of x. */
template <class X, class Y> void check_lengths(X &x, Y &y) {
  if constexpr (has_length<iterator_t<X>, decltype(std::end(x))>::value &&
                has_length<iterator_t<Y>, decltype(std::end(y))>::value)
    if (const auto room = std::end(y) - std::begin(y); room < std::end(x) - std::begin(x)) throw error(MMSCAN_EINVAL);
}

/* What tells the overloads apart: 0 has this type only where the condition holds. */
template <class In, class Out>
using if_iterators = std::enable_if_t<is_iterator<In>::value && is_iterator<Out>::value, int>;
template <class X, class Y> using if_ranges = std::enable_if_t<is_range<X>::value && is_range<Y>::value, int>;
template <class Policy>
using if_policy = std::enable_if_t<std::is_class_v<std::decay_t<Policy>> && !is_iterator<std::decay_t<Policy>>::value &&
                                       !is_range<Policy>::value,
                                   int>;

} // namespace detail

/* ---- inclusive_scan: y[i] = init op x[0] op ... op x[i] ---------------------------------------------------------- */

/* Of iterators: result + (last - first). Without init the accumulator has the type of x's elements. */
template <class In, class Out, class Op = std::plus<>, detail::if_iterators<In, Out> = 0>
Out inclusive_scan(In first, In last, Out result, Op op = Op()) {
  return detail::inclusive<detail::no_policy, detail::value_t<In>>(first, last, result, op);
}
template <class In, class Out, class Op, class T, detail::if_iterators<In, Out> = 0>
Out inclusive_scan(In first, In last, Out result, Op op, T init) {
  return detail::inclusive_from<detail::no_policy>(first, last, result, op, std::move(init));
}
template <class Policy, class In, class Out, class Op = std::plus<>, detail::if_policy<Policy> = 0,
          detail::if_iterators<In, Out> = 0>
Out inclusive_scan(Policy &&, In first, In last, Out result, Op op = Op()) {
  return detail::inclusive<std::decay_t<Policy>, detail::value_t<In>>(first, last, result, op);
}
template <class Policy, class In, class Out, class Op, class T, detail::if_policy<Policy> = 0,
          detail::if_iterators<In, Out> = 0>
Out inclusive_scan(Policy &&, In first, In last, Out result, Op op, T init) {
  return detail::inclusive_from<std::decay_t<Policy>>(first, last, result, op, std::move(init));
}

/* Of ranges: where in y the results end. The accumulator has the type of y's elements. A y that is shorter than x gives
 * MMSCAN_EINVAL, if both know their lengths, and else is not noticed. */
template <class Policy, class X, class Y, class Op = std::plus<>, detail::if_policy<Policy> = 0,
          detail::if_ranges<X, Y> = 0>
detail::iterator_t<Y> inclusive_scan(Policy &&, X &&x, Y &&y, Op op = Op()) {
  detail::check_lengths(x, y);
  return detail::inclusive<std::decay_t<Policy>, detail::element_t<Y>>(std::begin(x), std::end(x), std::begin(y), op);
}
template <class Policy, class X, class Y, class Op, detail::if_policy<Policy> = 0, detail::if_ranges<X, Y> = 0>
detail::iterator_t<Y> inclusive_scan(Policy &&, X &&x, Y &&y, Op op, detail::element_t<Y> init) {
  detail::check_lengths(x, y);
  return detail::inclusive_from<std::decay_t<Policy>>(std::begin(x), std::end(x), std::begin(y), op, std::move(init));
}
template <class X, class Y, class Op = std::plus<>, detail::if_ranges<X, Y> = 0>
detail::iterator_t<Y> inclusive_scan(X &&x, Y &&y, Op op = Op()) {
  return mmscan::inclusive_scan(detail::no_policy{}, x, y, op);
}
template <class X, class Y, class Op, detail::if_ranges<X, Y> = 0>
detail::iterator_t<Y> inclusive_scan(X &&x, Y &&y, Op op, detail::element_t<Y> init) {
  return mmscan::inclusive_scan(detail::no_policy{}, x, y, op, std::move(init));
}

/* ---- exclusive_scan: y[i] = init op x[0] op ... op x[i - 1] ------------------------------------------------------ */

/* As above. */
template <class In, class Out, class T, class Op = std::plus<>, detail::if_iterators<In, Out> = 0>
Out exclusive_scan(In first, In last, Out result, T init, Op op = Op()) {
  return detail::exclusive<detail::no_policy>(first, last, result, std::move(init), op);
}
template <class Policy, class In, class Out, class T, class Op = std::plus<>, detail::if_policy<Policy> = 0,
          detail::if_iterators<In, Out> = 0>
Out exclusive_scan(Policy &&, In first, In last, Out result, T init, Op op = Op()) {
  return detail::exclusive<std::decay_t<Policy>>(first, last, result, std::move(init), op);
}
template <class Policy, class X, class Y, class Op = std::plus<>, detail::if_policy<Policy> = 0,
          detail::if_ranges<X, Y> = 0>
detail::iterator_t<Y> exclusive_scan(Policy &&, X &&x, Y &&y, detail::element_t<Y> init = {}, Op op = Op()) {
  detail::check_lengths(x, y);
  return detail::exclusive<std::decay_t<Policy>>(std::begin(x), std::end(x), std::begin(y), std::move(init), op);
}
template <class X, class Y, class Op = std::plus<>, detail::if_ranges<X, Y> = 0>
detail::iterator_t<Y> exclusive_scan(X &&x, Y &&y, detail::element_t<Y> init = {}, Op op = Op()) {
  return mmscan::exclusive_scan(detail::no_policy{}, x, y, std::move(init), op);
}

/* ---- transform_inclusive_scan, transform_exclusive_scan: the same of unary(x[i]) --------------------------------- */

/* As above; without init the accumulator has the type of what unary gives, without references: so it has in libstdc++,
 * where others take the type of x's elements. */
template <class In, class Out, class Op, class Unary, detail::if_iterators<In, Out> = 0>
Out transform_inclusive_scan(In first, In last, Out result, Op op, Unary unary) {
  return detail::transform_inclusive<detail::no_policy, detail::transformed_t<In, Unary>>(first, last, result, op,
                                                                                          unary);
}
template <class In, class Out, class Op, class Unary, class T, detail::if_iterators<In, Out> = 0>
Out transform_inclusive_scan(In first, In last, Out result, Op op, Unary unary, T init) {
  return detail::transform_inclusive_from<detail::no_policy>(first, last, result, op, unary, std::move(init));
}
template <class Policy, class In, class Out, class Op, class Unary, detail::if_policy<Policy> = 0,
          detail::if_iterators<In, Out> = 0>
Out transform_inclusive_scan(Policy &&, In first, In last, Out result, Op op, Unary unary) {
  return detail::transform_inclusive<std::decay_t<Policy>, detail::transformed_t<In, Unary>>(first, last, result, op,
                                                                                             unary);
}
template <class Policy, class In, class Out, class Op, class Unary, class T, detail::if_policy<Policy> = 0,
          detail::if_iterators<In, Out> = 0>
Out transform_inclusive_scan(Policy &&, In first, In last, Out result, Op op, Unary unary, T init) {
  return detail::transform_inclusive_from<std::decay_t<Policy>>(first, last, result, op, unary, std::move(init));
}
template <class Policy, class X, class Y, class Op, class Unary, detail::if_policy<Policy> = 0,
          detail::if_ranges<X, Y> = 0>
detail::iterator_t<Y> transform_inclusive_scan(Policy &&, X &&x, Y &&y, Op op, Unary unary) {
  detail::check_lengths(x, y);
  return detail::transform_inclusive<std::decay_t<Policy>, detail::element_t<Y>>(std::begin(x), std::end(x),
                                                                                 std::begin(y), op, unary);
}
template <class Policy, class X, class Y, class Op, class Unary, detail::if_policy<Policy> = 0,
          detail::if_ranges<X, Y> = 0>
detail::iterator_t<Y> transform_inclusive_scan(Policy &&, X &&x, Y &&y, Op op, Unary unary, detail::element_t<Y> init) {
  detail::check_lengths(x, y);
  return detail::transform_inclusive_from<std::decay_t<Policy>>(std::begin(x), std::end(x), std::begin(y), op, unary,
                                                                std::move(init));
}
template <class X, class Y, class Op, class Unary, detail::if_ranges<X, Y> = 0>
detail::iterator_t<Y> transform_inclusive_scan(X &&x, Y &&y, Op op, Unary unary) {
  return mmscan::transform_inclusive_scan(detail::no_policy{}, x, y, op, unary);
}
template <class X, class Y, class Op, class Unary, detail::if_ranges<X, Y> = 0>
detail::iterator_t<Y> transform_inclusive_scan(X &&x, Y &&y, Op op, Unary unary, detail::element_t<Y> init) {
  return mmscan::transform_inclusive_scan(detail::no_policy{}, x, y, op, unary, std::move(init));
}

template <class In, class Out, class T, class Op, class Unary, detail::if_iterators<In, Out> = 0>
Out transform_exclusive_scan(In first, In last, Out result, T init, Op op, Unary unary) {
  return detail::transform_exclusive<detail::no_policy>(first, last, result, std::move(init), op, unary);
}
template <class Policy, class In, class Out, class T, class Op, class Unary, detail::if_policy<Policy> = 0,
          detail::if_iterators<In, Out> = 0>
Out transform_exclusive_scan(Policy &&, In first, In last, Out result, T init, Op op, Unary unary) {
  return detail::transform_exclusive<std::decay_t<Policy>>(first, last, result, std::move(init), op, unary);
}
template <class Policy, class X, class Y, class Op, class Unary, detail::if_policy<Policy> = 0,
          detail::if_ranges<X, Y> = 0>
detail::iterator_t<Y> transform_exclusive_scan(Policy &&, X &&x, Y &&y, detail::element_t<Y> init, Op op, Unary unary) {
  detail::check_lengths(x, y);
  return detail::transform_exclusive<std::decay_t<Policy>>(std::begin(x), std::end(x), std::begin(y), std::move(init),
                                                           op, unary);
}
template <class X, class Y, class Op, class Unary, detail::if_ranges<X, Y> = 0>
detail::iterator_t<Y> transform_exclusive_scan(X &&x, Y &&y, detail::element_t<Y> init, Op op, Unary unary) {
  return mmscan::transform_exclusive_scan(detail::no_policy{}, x, y, std::move(init), op, unary);
}

/* ---- partial_sum: as inclusive_scan, in the order of the loop but by the library --------------------------------- */

template <class In, class Out, detail::if_iterators<In, Out> = 0> Out partial_sum(In first, In last, Out result) {
  return detail::partial_sums<detail::no_policy, detail::value_t<In>>(first, last, result, std::plus<>());
}
template <class In, class Out, class Op, detail::if_iterators<In, Out> = 0>
Out partial_sum(In first, In last, Out result, Op op) {
  return detail::partial_sums<detail::no_policy, detail::value_t<In>>(first, last, result, op);
}
template <class Policy, class In, class Out, class Op = std::plus<>, detail::if_policy<Policy> = 0,
          detail::if_iterators<In, Out> = 0>
Out partial_sum(Policy &&, In first, In last, Out result, Op op = Op()) {
  return detail::partial_sums<std::decay_t<Policy>, detail::value_t<In>>(first, last, result, op);
}
template <class Policy, class X, class Y, class Op = std::plus<>, detail::if_policy<Policy> = 0,
          detail::if_ranges<X, Y> = 0>
detail::iterator_t<Y> partial_sum(Policy &&, X &&x, Y &&y, Op op = Op()) {
  detail::check_lengths(x, y);
  return detail::partial_sums<std::decay_t<Policy>, detail::element_t<Y>>(std::begin(x), std::end(x), std::begin(y),
                                                                          op);
}
template <class X, class Y, class Op = std::plus<>, detail::if_ranges<X, Y> = 0>
detail::iterator_t<Y> partial_sum(X &&x, Y &&y, Op op = Op()) {
  return mmscan::partial_sum(detail::no_policy{}, x, y, op);
}

/* ---- Along an axis of mdspans ------------------------------------------------------------------------------------ */

namespace detail {

/* std::mdspan, and others that are like it, whose elements are what a pointer points to. */
template <class M, class = void> struct is_mdspan : std::false_type {};
template <class M>
struct is_mdspan<M, std::void_t<typename M::extents_type, typename M::layout_type, typename M::accessor_type,
                                decltype(std::declval<const M &>().stride(0)), decltype(M::rank())>>
    : std::integral_constant<bool, std::is_pointer_v<typename M::data_handle_type> &&
                                       std::is_same_v<typename M::reference, typename M::element_type &>> {};
template <class X, class Y> using if_mdspans = std::enable_if_t<is_mdspan<X>::value && is_mdspan<Y>::value, int>;

/* Element i of a line is first[i * stride]. */
template <class T> struct line_iterator {
  T *first;
  std::ptrdiff_t stride, i;
  T &operator*() const { return first[i * stride]; }
  line_iterator &operator++() { return ++i, *this; }
  bool operator==(const line_iterator &other) const { return i == other.i; }
  bool operator!=(const line_iterator &other) const { return i != other.i; }
};

/* Scans n elements from x and y on by Loop; and so for every line along the axis, in the order of their indices. */
template <class Loop, class X, class T, class Op, class... Init>
void loop_lines(std::ptrdiff_t n, line_iterator<X> x, line_iterator<T> y, std::size_t outer_rank,
                const mmscan_dim *outer, Op op, const Init &...init) {
  if (outer_rank == 0) {
    Loop()(x, line_iterator<X>{x.first, x.stride, n}, y, op, init...);
    return;
  }
  for (std::ptrdiff_t i = 0; i < static_cast<std::ptrdiff_t>(outer->n); i++)
    detail::loop_lines<Loop>(n, line_iterator<X>{x.first + i * outer->x_stride, x.stride, 0},
                             line_iterator<T>{y.first + i * outer->y_stride, y.stride, 0}, outer_rank - 1, outer + 1,
                             op, init...);
}

/* Checks x and y, and scans from init if it is given: by the library, or else by Loop. */
template <class Loop, class X, class Y, class Op, class... Init>
void scan_axis(mmscan_kind kind, X x, Y y, std::size_t axis, Op op, const Init &...init) {
  using T = typename Y::value_type;
  using element = typename X::value_type;
  constexpr std::size_t rank = X::rank(), others = rank > 1 ? rank - 1 : 1;
  static_assert(rank == Y::rank() && rank > 0, "mdspans of the same rank, which have an axis");
  static_assert(rank <= 9, "mmscan_scan() has 8 dimensions around a scan");
  static_assert(!std::is_const_v<typename Y::element_type>, "y is written");
  if (axis >= rank) throw error(MMSCAN_EINVAL);
  if (!x.is_strided() || !y.is_strided()) throw error(MMSCAN_ENOTSUP);
  std::array<mmscan_dim, others> outer{};
  std::size_t count = 0;
  for (std::size_t r = 0; r < rank; r++) {
    if (static_cast<std::size_t>(x.extent(r)) != static_cast<std::size_t>(y.extent(r))) throw error(MMSCAN_EINVAL);
    if (r != axis)
      outer[count++] = {static_cast<std::size_t>(x.extent(r)), static_cast<std::ptrdiff_t>(x.stride(r)),
                        static_cast<std::ptrdiff_t>(y.stride(r))};
  }
  if (y.size() == 0) return;
  if constexpr (scans<element, T, Op>) {
    mmscan_desc d = detail::describe<element, T, Op>(kind, static_cast<std::size_t>(x.extent(axis)));
    d.x_stride = static_cast<std::ptrdiff_t>(x.stride(axis));
    d.y_stride = static_cast<std::ptrdiff_t>(y.stride(axis));
    d.outer_rank = count;
    d.outer = outer.data();
    d.init = detail::address_of<T>(init...);
    detail::check(mmscan_scan(&d, x.data_handle(), y.data_handle()));
  } else {
    using from = line_iterator<typename X::element_type>;
    detail::loop_lines<Loop>(static_cast<std::ptrdiff_t>(x.extent(axis)),
                             from{x.data_handle(), static_cast<std::ptrdiff_t>(x.stride(axis)), 0},
                             line_iterator<T>{y.data_handle(), static_cast<std::ptrdiff_t>(y.stride(axis)), 0}, count,
                             outer.data(), op, init...);
  }
}

} // namespace detail

/* x and y have the same extents. The accumulator has the type of y's elements, and starts from init anew in each scan
 * along the axis. By the library as above, whatever the strides; else by loops. x and y may be the same.
 *
 * MMSCAN_EINVAL    the extents differ, or there is no such axis
 * MMSCAN_EOVERLAP  x and y share memory and are not the same, and the library scans
 * MMSCAN_ENOTSUP   a layout without strides */
template <class X, class Y, class Op = std::plus<>, detail::if_mdspans<X, Y> = 0>
void inclusive_scan(X x, Y y, std::size_t axis, Op op = Op()) {
  detail::scan_axis<detail::loop_inclusive<typename Y::value_type>>(MMSCAN_INCLUSIVE, x, y, axis, op);
}
template <class X, class Y, class Op, detail::if_mdspans<X, Y> = 0>
void inclusive_scan(X x, Y y, std::size_t axis, Op op, typename Y::value_type init) {
  detail::scan_axis<detail::loop_inclusive_from>(MMSCAN_INCLUSIVE, x, y, axis, op, init);
}
template <class X, class Y, class Op = std::plus<>, detail::if_mdspans<X, Y> = 0>
void exclusive_scan(X x, Y y, std::size_t axis, typename Y::value_type init = {}, Op op = Op()) {
  detail::scan_axis<detail::loop_exclusive>(MMSCAN_EXCLUSIVE, x, y, axis, op, init);
}

} // namespace mmscan

#endif /* MMSCAN_HPP */
