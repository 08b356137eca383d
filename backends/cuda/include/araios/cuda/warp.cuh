// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

#include <araios/config.hpp>
#include <araios/impl/hash_table.hpp>
#include <araios/impl/numbers.hpp>
#include <araios/impl/semiring.hpp>

/// What the threads of a warp and of a block do together.
namespace araios::impl::cuda {

inline constexpr int warp_size = 32;
inline constexpr unsigned full_warp = 0xffffffffu;

__device__ inline int lane_of_warp() { return static_cast<int>(threadIdx.x) % warp_size; }

/// Read-only global memory.
template <class T>
__device__ T load(T const* from) {
  if constexpr (is_in_semiring<T>)
    return T(load(&from->value));
  else if constexpr (requires { __ldg(from); })
    return __ldg(from);
  else
    return *from;
}

/// Lets the kernel that follows in the stream start, if it was launched by `launch_early`; it sees
/// what this one has done when it has waited for it.
__device__ inline void let_next_kernel_start() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && ARAIOS_CUDA_ARCH >= 90
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}
__device__ inline void wait_for_kernel_before() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && ARAIOS_CUDA_ARCH >= 90
  cudaGridDependencySynchronize();
#endif
}

/// `value` of lane `source` among `width` lanes.
template <class T>
__device__ T shuffle(unsigned mask, T const& value, int source, int width = warp_size) {
  if constexpr (is_complex_v<T>)
    return {__shfl_sync(mask, value.real(), source, width),
            __shfl_sync(mask, value.imag(), source, width)};
  else if constexpr (is_in_semiring<T>)
    return T(shuffle(mask, value.value, source, width));
  else
    return __shfl_sync(mask, value, source, width);
}
template <class T>
__device__ T shuffle_up(unsigned mask, T const& value, int distance, int width) {
  if constexpr (is_complex_v<T>)
    return {__shfl_up_sync(mask, value.real(), distance, width),
            __shfl_up_sync(mask, value.imag(), distance, width)};
  else if constexpr (is_in_semiring<T>)
    return T(shuffle_up(mask, value.value, distance, width));
  else
    return __shfl_up_sync(mask, value, distance, width);
}

template <class T>
__device__ T shuffle_down(unsigned mask, T const& value, int distance, int width) {
  if constexpr (is_complex_v<T>)
    return {__shfl_down_sync(mask, value.real(), distance, width),
            __shfl_down_sync(mask, value.imag(), distance, width)};
  else if constexpr (is_in_semiring<T>)
    return T(shuffle_down(mask, value.value, distance, width));
  else
    return __shfl_down_sync(mask, value, distance, width);
}

/// The sum of `value` over the lanes up to this one, for `width` lanes.
template <class T>
__device__ T inclusive_sum(unsigned mask, T value, int lane, int width = warp_size) {
  for (int distance = 1; distance < width; distance *= 2) {
    T const before = __shfl_up_sync(mask, value, distance, width);
    if (lane >= distance) value += before;
  }
  return value;
}

/// The sum over a group of lanes, for all of them; `width` is a power of two.
template <class T>
__device__ T sum_of_lanes(unsigned mask, T value, int width = warp_size) {
  for (int distance = width / 2; distance > 0; distance /= 2)
    value += __shfl_xor_sync(mask, value, distance, width);
  return value;
}

/// The lanes of the group of `width` to which this lane belongs.
__device__ inline unsigned lanes_of_group(int width) {
  return width == warp_size ? full_warp : ((1u << width) - 1) << (lane_of_warp() / width * width);
}

/// Shared memory for the sums of a block; every use ends with a barrier.
struct block_sums {
  int parts[warp_size + 1];

  /// The sum of `value` over the threads before this one; `total` over all.
  __device__ int exclusive(int value, int& total) {
    int const warps = static_cast<int>(blockDim.x) / warp_size;
    int const warp = static_cast<int>(threadIdx.x) / warp_size;
    int const inclusive = inclusive_sum(full_warp, value, lane_of_warp());
    if (lane_of_warp() == warp_size - 1) parts[warp] = inclusive;
    __syncthreads();
    if (warp == 0) {
      int const part = lane_of_warp() < warps ? parts[lane_of_warp()] : 0;
      int const before = inclusive_sum(full_warp, part, lane_of_warp());
      if (lane_of_warp() < warps) parts[lane_of_warp()] = before - part;
      if (lane_of_warp() == warp_size - 1) parts[warp_size] = before;
    }
    __syncthreads();
    total = parts[warp_size];
    int const result = parts[warp] + inclusive - value;
    __syncthreads();
    return result;
  }
  __device__ int sum(int value) {
    int total = 0;
    exclusive(value, total);
    return total;
  }
  __device__ int max(int value) {
    int const warp = static_cast<int>(threadIdx.x) / warp_size;
    for (int distance = warp_size / 2; distance > 0; distance /= 2)
      value = ::max(value, __shfl_xor_sync(full_warp, value, distance));
    if (lane_of_warp() == 0) parts[warp] = value;
    __syncthreads();
    int const warps = static_cast<int>(blockDim.x) / warp_size;
    for (int other = 0; other < warps; ++other) value = ::max(value, parts[other]);
    __syncthreads();
    return value;
  }
};

/// *target += value in shared memory while others do the same.
template <class T>
__device__ void add_shared(T* target, T const& value) {
  if constexpr (std::is_same_v<T, double> || std::is_same_v<T, float> || std::is_same_v<T, int>)
    ::atomicAdd(target, value);
  else
    accumulate(target, value);
}

/// Zeroes `count` elements at `to`, all threads of the block together.
template <class T>
__device__ void clear(T* to, int count) {
  for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x))
    to[i] = T{};
}

}  // namespace araios::impl::cuda
