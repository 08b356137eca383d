// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <araios/matrix/crs.hpp>
#include <vector>

/// Small arrays and matrices to and from the device.
namespace consumer {

using space_type = Kokkos::DefaultExecutionSpace;
using complex = Kokkos::complex<double>;

template <class T>
Kokkos::View<T*> to_device(std::vector<T> const& host) {
  Kokkos::View<T*> const device("consumer", host.size());
  auto const mirror = Kokkos::create_mirror_view(device);
  for (std::size_t i = 0; i < host.size(); ++i) mirror(i) = host[i];
  Kokkos::deep_copy(device, mirror);
  return device;
}

/// Are these the elements, once all work is done?
template <class T, class... Properties>
bool holds(Kokkos::View<T*, Properties...> const& device,
           std::vector<std::remove_const_t<T>> const& expected) {
  Kokkos::fence();
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, device);
  bool same = host.extent(0) == expected.size();
  for (std::size_t i = 0; same && i < expected.size(); ++i) same = host(i) == expected[i];
  return same;
}

/// Has the matrix these rows, once all work is done?
template <class Matrix, class Value>
bool holds(Matrix const& a, araios::host_crs<Value> const& expected) {
  Kokkos::fence();
  auto const host = araios::to_host_crs(space_type{}, a);
  return host.num_rows == expected.num_rows && host.num_cols == expected.num_cols &&
         host.row_map == expected.row_map && host.entries == expected.entries &&
         host.values == expected.values;
}

/// 1 2 0
/// 0 0 0
/// 0 3 0
/// with more columns than its entries need.
inline araios::host_crs<double> three_rows() { return {3, 4, {0, 2, 2, 3}, {0, 1, 1}, {1, 2, 3}}; }

}  // namespace consumer
