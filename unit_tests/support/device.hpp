// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <type_traits>
#include <vector>

namespace support {

using exec = Kokkos::DefaultExecutionSpace;

template <class T>
using device_vector = Kokkos::View<T*, exec>;

/// A new device array with these elements. Returns when they are there.
template <class T>
device_vector<T> to_device(std::vector<T> const& host) {
  device_vector<T> const device("araios::test::vector", host.size());
  Kokkos::View<T const*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const from(
      host.data(), host.size());
  Kokkos::deep_copy(device, from);
  return device;
}

/// The elements of a View of rank 1 of any layout, after all work is done.
template <class View>
auto to_host(View const& device) {
  using value_type = typename View::non_const_value_type;
  Kokkos::View<value_type*, typename View::memory_space> const packed("araios::test::packed",
                                                                      device.extent(0));
  Kokkos::fence();
  Kokkos::deep_copy(exec{}, packed, device);
  std::vector<value_type> host(device.extent(0));
  Kokkos::View<value_type*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const to(
      host.data(), host.size());
  Kokkos::fence();
  Kokkos::deep_copy(to, packed);
  return host;
}

/// Two instances that share the device. None if they cannot: OpenMP needs a thread for each.
inline std::vector<exec> two_instances() {
#ifdef KOKKOS_ENABLE_OPENMP
  if constexpr (std::is_same_v<exec, Kokkos::OpenMP>)
    if (exec{}.concurrency() < 2) return {};
#endif
  auto const parts = Kokkos::Experimental::partition_space(exec{}, 1, 1);
  return {parts[0], parts[1]};
}

}  // namespace support
