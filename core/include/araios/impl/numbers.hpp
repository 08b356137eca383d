// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <type_traits>

namespace araios::impl {

/// The type in which products of T are summed: float for the 16-bit types, else T itself.
template <class T>
struct accumulator {
  using type = std::conditional_t<std::is_same_v<T, Kokkos::Experimental::half_t> ||
                                      std::is_same_v<T, Kokkos::Experimental::bhalf_t>,
                                  float, T>;
};
template <class T>
using accumulator_t = typename accumulator<T>::type;

/// The type in which the products of an A and a B are formed and summed.
template <class A, class B>
using product_t = decltype(accumulator_t<std::remove_const_t<A>>{} *
                           accumulator_t<std::remove_const_t<B>>{});

/// The type in which y = alpha A x + beta y is computed: that of the products, or of y if wider.
template <class A, class X, class Y>
using sum_t = product_t<product_t<A, X>, Y>;

/// alpha or beta in the type of the sums. A fraction is not cut off for integer sums.
template <class Sum, class Scalar>
Sum coefficient(Scalar const& value) {
  static_assert(!(std::is_integral_v<Sum> && std::is_floating_point_v<Scalar>),
                "alpha and beta must be integers if A, x and y are");
  return static_cast<Sum>(value);
}

template <class T>
inline constexpr bool is_complex_v = false;
template <class T>
inline constexpr bool is_complex_v<Kokkos::complex<T>> = true;

template <class T>
KOKKOS_FORCEINLINE_FUNCTION T conjugate_if([[maybe_unused]] bool conjugate, T const& value) {
  if constexpr (is_complex_v<T>)
    return conjugate ? Kokkos::conj(value) : value;
  else
    return value;
}

/// Whether a column says that its slot holds no entry.
template <class Ordinal>
KOKKOS_FORCEINLINE_FUNCTION bool is_padding(Ordinal column) {
  if constexpr (std::is_signed_v<Ordinal>)
    return column < 0;
  else
    return column == static_cast<Ordinal>(-1);
}

/// beta * y + sum, where beta == 0 means that y is not read.
template <class Sum, class Y>
KOKKOS_FORCEINLINE_FUNCTION void scale_and_add(Sum const& beta, Y& y, Sum const& sum) {
  if (beta == Sum(0))
    y = static_cast<std::remove_reference_t<Y>>(sum);
  else
    y = static_cast<std::remove_reference_t<Y>>(beta * static_cast<Sum>(y) + sum);
}

}  // namespace araios::impl
