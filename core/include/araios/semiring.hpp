// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <concepts>
#include <limits>

namespace araios {

/// What takes the place of addition and multiplication in a sparse product. `zero` is neutral for
/// `add`; `add` is associative and commutative, since products are added in any order. Entries that
/// a matrix does not have count as zero and are never multiplied, so that zero need not annihilate.
/// Source: GraphBLAS (Buluc et al., 2017).
template <class S, class T>
concept semiring = requires(T const& a) {
  { S::template zero<T>() } -> std::same_as<T>;
  { S::add(a, a) } -> std::same_as<T>;
  { S::multiply(a, a) } -> std::same_as<T>;
};

/// The usual sum of products.
struct plus_times {
  template <class T>
  KOKKOS_FUNCTION static T zero() {
    return T{};
  }
  template <class T>
  KOKKOS_FUNCTION static T add(T const& a, T const& b) {
    return a + b;
  }
  template <class T>
  KOKKOS_FUNCTION static T multiply(T const& a, T const& b) {
    return a * b;
  }
};

/// The smallest of sums, over numbers with infinity: c(i,j) is the length of the shortest way from
/// i to j over one edge of A and one of B. Integers have no infinity; their largest number is
/// taken, and sums that they cannot hold are cut off there and at the smallest. NaN is the smallest
/// of all.
struct min_plus {
  template <class T>
  KOKKOS_FUNCTION static T zero() {
    if constexpr (std::numeric_limits<T>::has_infinity)
      return Kokkos::Experimental::infinity_v<T>;
    else
      return Kokkos::Experimental::finite_max_v<T>;
  }
  template <class T>
  KOKKOS_FUNCTION static T add(T const& a, T const& b) {
    return b < a || b != b ? b : a;
  }
  template <class T>
  KOKKOS_FUNCTION static T multiply(T const& a, T const& b) {
    if constexpr (!std::numeric_limits<T>::has_infinity) {
      constexpr T most = Kokkos::Experimental::finite_max_v<T>;
      constexpr T least = Kokkos::Experimental::finite_min_v<T>;
      if (a == most || b == most || (b > 0 && a > most - b)) return most;
      if (b < 0 && a < least - b) return least;
    }
    return a + b;
  }
};

/// Whether any pair of factors is true: values are 0 or 1, anything but 0 counts as true. For bool,
/// integers of any size and floating point.
struct or_and {
  template <class T>
  KOKKOS_FUNCTION static T zero() {
    return T(0);
  }
  template <class T>
  KOKKOS_FUNCTION static T add(T const& a, T const& b) {
    return a != T(0) || b != T(0) ? T(1) : T(0);
  }
  template <class T>
  KOKKOS_FUNCTION static T multiply(T const& a, T const& b) {
    return a != T(0) && b != T(0) ? T(1) : T(0);
  }
};

}  // namespace araios
