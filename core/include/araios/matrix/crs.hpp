// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

#include <araios/concepts.hpp>
#include <araios/error.hpp>
#include <araios/interop/kokkos_kernels.hpp>
#include <araios/matrix/host.hpp>

namespace araios {

/// A small owning matrix in compressed row storage, for use without Kokkos Kernels. Copies share
/// their arrays, as Kokkos Views do.
/// Invariants: row_map has num_rows() + 1 elements (or none, if there are no rows), it ascends from
/// 0 to the number of entries; entries and values have equal extents; 0 <= entries(k) < num_cols().
template <class Value, class Ordinal = int, class Offset = std::size_t,
          class MemorySpace = Kokkos::DefaultExecutionSpace::memory_space>
class crs_matrix {
 public:
  using value_type = Value;
  using ordinal_type = Ordinal;
  using offset_type = Offset;
  using memory_space = MemorySpace;
  using row_map_view = Kokkos::View<Offset*, MemorySpace>;
  using entries_view = Kokkos::View<Ordinal*, MemorySpace>;
  using values_view = Kokkos::View<Value*, MemorySpace>;

  row_map_view row_map;
  entries_view entries;
  values_view values;

  crs_matrix() = default;

  /// Throws std::invalid_argument if the extents do not fit together. What the arrays hold is a
  /// precondition; `check_crs` tests it.
  crs_matrix(Ordinal num_rows, Ordinal num_cols, row_map_view rows, entries_view cols,
             values_view vals)
      : row_map(rows), entries(cols), values(vals), num_rows_(num_rows), num_cols_(num_cols) {
    impl::require(num_rows >= 0 && num_cols >= 0, "araios::crs_matrix: negative size ", num_rows,
                  " x ", num_cols);
    bool const no_map = num_rows == 0 && row_map.extent(0) == 0;
    impl::require(no_map || row_map.extent(0) == static_cast<std::size_t>(num_rows) + 1,
                  "araios::crs_matrix: row_map has ", row_map.extent(0), " elements for ", num_rows,
                  " rows");
    impl::require(num_rows > 0 || entries.extent(0) == 0, "araios::crs_matrix: ", entries.extent(0),
                  " entries but no rows");
    impl::require(entries.extent(0) == values.extent(0), "araios::crs_matrix: ", entries.extent(0),
                  " entries but ", values.extent(0), " values");
  }

  Ordinal num_rows() const { return num_rows_; }
  Ordinal num_cols() const { return num_cols_; }
  Offset nnz() const { return static_cast<Offset>(entries.extent(0)); }

 private:
  Ordinal num_rows_ = 0;
  Ordinal num_cols_ = 0;
};

template <class Value, class Ordinal, class Offset, class MemorySpace>
struct crs_traits<crs_matrix<Value, Ordinal, Offset, MemorySpace>> {
  static crs_view<Ordinal, Offset, Value, MemorySpace> view(
      crs_matrix<Value, Ordinal, Offset, MemorySpace> const& a) {
    return {a.num_rows(),     a.num_cols(),     a.nnz(),
            a.row_map.data(), a.entries.data(), a.values.data()};
  }
};

/// Copies a host matrix to the memory of `space` as a `crs_matrix`. Returns when the copy is done.
/// Throws std::overflow_error if a dimension does not fit `Ordinal` or the number of entries does
/// not fit `Offset`, or if a finite value is out of the range of `Value` (values are rounded
/// otherwise); std::invalid_argument if the host matrix breaks its invariants. Nothing is allocated
/// on the device before sizes and columns have been checked.
template <class Value, class Ordinal = int, class Offset = std::size_t, class Space,
          class HostValue>
auto to_crs_matrix(Space const& space, host_crs<HostValue> const& a)
    -> crs_matrix<Value, Ordinal, Offset, typename Space::memory_space>;

/// Copies a matrix back to the host. Returns when the copy is done.
template <class Space, crs_like Matrix>
auto to_host_crs(Space const& space, Matrix const& a)
    -> host_crs<std::remove_const_t<typename crs_view_of<Matrix>::value_type>>;

/// Checks what the constructors take on trust: that the row map ascends from 0 to nnz and that the
/// columns are in range. Waits for `space`. Throws std::invalid_argument naming the first bad row.
template <class Space, crs_like Matrix>
void check_crs(Space const& space, Matrix const& a);

}  // namespace araios

#include <araios/impl/crs.hpp>
