// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

#include <araios/concepts.hpp>
#include <araios/impl/numbers.hpp>
#include <araios/semiring.hpp>

namespace araios::impl {

/// A T whose + and * are those of a semiring, so that kernels are written once. Default is zero.
template <class Semiring, class T>
struct in_semiring {
  T value;

  KOKKOS_FUNCTION in_semiring() : value(Semiring::template zero<T>()) {}
  KOKKOS_FUNCTION explicit in_semiring(T const& v) : value(v) {}
  template <class U>
  KOKKOS_FUNCTION explicit in_semiring(in_semiring<Semiring, U> const& other)
      : value(static_cast<T>(other.value)) {}
  KOKKOS_FUNCTION friend in_semiring operator+(in_semiring const& a, in_semiring const& b) {
    return in_semiring(Semiring::add(a.value, b.value));
  }
  KOKKOS_FUNCTION friend in_semiring operator*(in_semiring const& a, in_semiring const& b) {
    return in_semiring(Semiring::multiply(a.value, b.value));
  }
  KOKKOS_FUNCTION in_semiring& operator+=(in_semiring const& other) {
    return *this = *this + other;
  }
};

template <class T>
inline constexpr bool is_in_semiring = false;
template <class S, class T>
inline constexpr bool is_in_semiring<in_semiring<S, T>> = true;

/// Values of 1 and 2 bytes are summed in 4, since no smaller ones can be added to atomically.
template <class S, class T>
struct accumulator<in_semiring<S, T>> {
  using type = in_semiring<
      S, std::conditional_t<sizeof(T) >= 4, T,
                            std::conditional_t<std::is_integral_v<T>, int, accumulator_t<T>>>>;
};

/// The type of the values as kernels see them.
template <class Semiring, class T>
using semiring_value = std::conditional_t<
    std::is_same_v<Semiring, plus_times>, T,
    std::conditional_t<std::is_const_v<T>, in_semiring<Semiring, std::remove_const_t<T>> const,
                       in_semiring<Semiring, std::remove_const_t<T>>>>;

/// The same matrix with values of that type. No copies.
template <class Semiring, class Ordinal, class Offset, class Value, class MemorySpace>
auto with_semiring(crs_view<Ordinal, Offset, Value, MemorySpace> const& a) {
  using value = semiring_value<Semiring, Value>;
  static_assert(sizeof(value) == sizeof(Value));
  return crs_view<Ordinal, Offset, value, MemorySpace>{
      a.num_rows, a.num_cols, a.nnz, a.row_map, a.entries, reinterpret_cast<value*>(a.values)};
}

/// *target = *target + value while others may do the same; nobody reads in between.
template <class S, class T>
KOKKOS_FUNCTION void accumulate(in_semiring<S, T>* target, in_semiring<S, T> const& value) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "sums of semirings take 4 or 8 bytes");
  using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  auto* const word = reinterpret_cast<bits*>(target);  // compared bit by bit, as NaN is not itself
  bits old = Kokkos::atomic_load(word);
  for (;;) {
    auto const sum = Kokkos::bit_cast<T>(old);
    auto const next = Kokkos::bit_cast<bits>(S::add(sum, value.value));
    if (next == old) return;
    bits const seen = Kokkos::atomic_compare_exchange(word, old, next);
    if (seen == old) return;
    old = seen;
  }
}

}  // namespace araios::impl
