// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <type_traits>

namespace araios::impl {

/// What nothing writes while the kernel runs. On CUDA the compiler may then load ahead of any store.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T constant_load(T const* from) {
#ifdef __CUDA_ARCH__
  if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) return __ldg(from);
#endif
  return *from;
}

}  // namespace araios::impl
