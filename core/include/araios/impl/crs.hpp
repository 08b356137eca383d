// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <araios/matrix/crs.hpp>

namespace araios {
namespace impl {

/// The value as a `To`, if it fits; otherwise an overflow error that names it.
template <class To, class From>
To narrow(From value, char const* function, char const* what) {
  require<std::overflow_error>(std::in_range<To>(value), function, ": ", what, " is ", value,
                               ", which does not fit in ", 8 * sizeof(To), " bits");
  return static_cast<To>(value);
}

/// Host memory as Kokkos sees it. A managed View there would wait for all instances when it is
/// freed.
template <class T>
using host_array = Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// A value as a `To`, rounded. A finite value that `To` cannot hold is an error, not infinity.
template <class To, class From>
To converted(From const& value) {
  bool fits = true;
  if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>)
    fits = value >= static_cast<From>(std::numeric_limits<To>::min()) &&
           value < std::ldexp(From(1), std::numeric_limits<To>::digits);
  else if constexpr (std::is_integral_v<To> && std::is_integral_v<From>)
    fits = std::in_range<To>(value);
  else if constexpr (std::is_floating_point_v<From> && sizeof(To) < sizeof(From) &&
                     std::is_convertible_v<To, float>)
    fits = !std::isfinite(value) || std::isfinite(static_cast<float>(static_cast<To>(value)));
  require<std::overflow_error>(fits, "araios::to_crs_matrix: a value does not fit in ",
                               8 * sizeof(To), " bits");
  return static_cast<To>(value);
}

template <class To, class From, class Space>
auto copy_to_device(Space const& space, std::string const& label, std::vector<From> const& from) {
  std::vector<To> host(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) host[i] = converted<To>(from[i]);
  auto const device = allocate<To>(space, label, from.size());
  Kokkos::deep_copy(space, device, host_array<To const>(host.data(), host.size()));
  space.fence("araios::to_crs_matrix: copied");
  return device;
}

template <class MemorySpace, class To, class From, class Space>
void copy_to_host(Space const& space, From const* from, std::size_t size, std::vector<To>& to) {
  using device_array =
      Kokkos::View<From const*, MemorySpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  std::vector<From> copied(size);
  Kokkos::deep_copy(space, host_array<From>(copied.data(), size), device_array(from, size));
  space.fence("araios::to_host_crs: copied");
  to.resize(size);
  for (std::size_t i = 0; i < size; ++i) to[i] = static_cast<To>(copied[i]);
}

/// The smallest row that breaks an invariant of compressed row storage.
template <class Crs>
struct first_bad_row {
  using ordinal = typename Crs::ordinal_type;
  using offset = typename Crs::offset_type;
  Crs a;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& first) const {
    offset const begin = a.row_map[i];
    offset const end = a.row_map[i + 1];
    bool good = begin <= end && end <= a.nnz && (i > 0 || begin == 0) &&
                (i + 1 < a.num_rows || end == a.nnz);
    if (good)
      for (offset k = begin; k < end; ++k)
        good = good && a.entries[k] >= 0 && a.entries[k] < a.num_cols;
    if (!good && i < first) first = i;
  }
};

}  // namespace impl

template <class Value, class Ordinal, class Offset, class Space, class HostValue>
auto to_crs_matrix(Space const& space, host_crs<HostValue> const& a)
    -> crs_matrix<Value, Ordinal, Offset, typename Space::memory_space> {
  constexpr char const* name = "araios::to_crs_matrix";
  auto const rows = impl::narrow<Ordinal>(a.num_rows, name, "the number of rows");
  auto const cols = impl::narrow<Ordinal>(a.num_cols, name, "the number of columns");
  impl::narrow<Offset>(a.nnz(), name, "the number of entries");
  impl::require(a.entries.size() == a.values.size() &&
                    a.row_map.size() == static_cast<std::size_t>(a.num_rows) + 1 &&
                    a.row_map.back() == a.nnz(),
                name, ": row map of ", a.row_map.size(), " elements, ", a.entries.size(),
                " entries and ", a.values.size(), " values do not make a matrix of ", a.num_rows,
                " rows");
  impl::require(a.row_map.front() == 0 && std::is_sorted(a.row_map.begin(), a.row_map.end()), name,
                ": the row map of ", a.num_rows, " rows does not ascend from 0 to ", a.nnz());
  for (auto const j : a.entries)
    impl::require(0 <= j && j < a.num_cols, name, ": column ", j, " in a ", a.num_rows, " x ",
                  a.num_cols, " matrix");
  return {rows, cols, impl::copy_to_device<Offset>(space, "araios::crs_matrix::row_map", a.row_map),
          impl::copy_to_device<Ordinal>(space, "araios::crs_matrix::entries", a.entries),
          impl::copy_to_device<Value>(space, "araios::crs_matrix::values", a.values)};
}

template <class Space, crs_like Matrix>
auto to_host_crs(Space const& space, Matrix const& matrix)
    -> host_crs<std::remove_const_t<typename crs_view_of<Matrix>::value_type>> {
  auto const a = as_crs(matrix);
  using memory_space = typename decltype(a)::memory_space;
  host_crs<std::remove_const_t<typename crs_view_of<Matrix>::value_type>> host;
  host.num_rows = a.num_rows;
  host.num_cols = a.num_cols;
  auto const nnz = static_cast<std::size_t>(a.nnz);
  if (a.num_rows > 0)
    impl::copy_to_host<memory_space>(space, a.row_map, static_cast<std::size_t>(a.num_rows) + 1,
                                     host.row_map);
  impl::copy_to_host<memory_space>(space, a.entries, nnz, host.entries);
  impl::copy_to_host<memory_space>(space, a.values, nnz, host.values);
  return host;
}

template <class Space, crs_like Matrix>
void check_crs(Space const& space, Matrix const& matrix) {
  auto const a = as_crs(matrix);
  if (a.num_rows == 0) return;
  auto bad = static_cast<std::int64_t>(a.num_rows);
  Kokkos::parallel_reduce(
      "araios::check_crs::rows",
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(space, 0, bad),
      impl::first_bad_row<crs_view_of<Matrix>>{a}, Kokkos::Min<std::int64_t>(bad));
  impl::require(bad >= static_cast<std::int64_t>(a.num_rows), "araios::check_crs: row ", bad,
                " of a ", a.num_rows, " x ", a.num_cols, " matrix with ", a.nnz,
                " entries: the row map must ascend from 0 to the number of entries and columns lie "
                "in 0..",
                a.num_cols, "-1");
}

}  // namespace araios
