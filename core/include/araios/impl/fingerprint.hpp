// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace araios::impl {

/// A well mixed hash of element `value` at position `index` (the finaliser of splitmix64). The sum
/// of these over an array does not depend on the order of summation and tells arrays apart.
KOKKOS_INLINE_FUNCTION std::uint64_t mixed(std::uint64_t index, std::uint64_t value) {
  std::uint64_t z = index * 0x9e3779b97f4a7c15u + value + 0x632be59bd9b4e019u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace araios::impl
