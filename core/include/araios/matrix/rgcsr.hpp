// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tuple>

#include <araios/impl/stored.hpp>

namespace araios {

/// Row-grouped CSR: `group_size()` rows at a time are stored position by position: the first
/// entries of all rows of the group, then the second, ... A row map says how long each row is, so
/// that slots without an entry, which rows shorter than the longest of their group have, are never
/// read. Where those would take too much, `order` holds the rows sorted by length within windows,
/// and rows too long to be stored that way at all are kept in compressed row storage (`tail`; their
/// length in the groups is 0), or all rows are. `to_rgcsr` makes one.
/// Invariants: row_map has num_rows() + 1 elements (or none) and counts the entries in groups,
/// position by position of `order`; group_begin has ceil(num_rows / group_size) elements (or none,
/// if there are no slots, or width() > 0) and ascends from 0; order is empty or a permutation of the rows.
/// Source: Oberhuber, Suzuki, Vacata, New row-grouped CSR format for storing the sparse matrices on
/// GPU with implementation in CUDA, Acta Technica 56 (2011), section 3; sorting: Kreutzer et al.,
/// SIAM J. Sci. Comput. 36 (2014).
template <class Value, class Ordinal = int, class Offset = std::size_t,
          class MemorySpace = Kokkos::DefaultExecutionSpace::memory_space>
class rgcsr_matrix : public impl::stored<Value, Ordinal, Offset, MemorySpace> {
  using base = impl::stored<Value, Ordinal, Offset, MemorySpace>;

 public:
  typename base::offsets_view row_map;
  typename base::offsets_view group_begin;
  typename base::entries_view entries;
  typename base::values_view values;
  typename base::entries_view order;
  impl::row_list<Value, Ordinal, Offset, MemorySpace> tail;

  rgcsr_matrix() = default;
  rgcsr_matrix(Ordinal num_rows, Ordinal num_cols, Offset nnz, Ordinal group_size)
      : base(num_rows, num_cols, nnz), group_size_(group_size) {}

  Ordinal group_size() const { return group_size_; }
  /// Positions of every group, if all have the same number: then there is no `group_begin`, and slots
  /// without an entry have the column -1. Else 0.
  Ordinal width() const { return width_; }
  void set_width(Ordinal width) { width_ = width; }
  /// Slots without an entry over entries: the artificial zeros of the paper, which are stored but
  /// never multiplied.
  double fill() const {
    auto const grouped = static_cast<double>(this->nnz() - tail.nnz());
    auto const empty = static_cast<double>(entries.extent(0)) - grouped;
    return this->nnz() == 0 ? 0.0 : empty / static_cast<double>(this->nnz());
  }
  auto parts() const {
    using view = impl::slot_view<rgcsr_tiles<Ordinal, Offset>, Ordinal, Value, MemorySpace, true>;
    return std::tuple(
        view{this->num_rows(),
             this->num_cols(),
             {this->num_rows(), group_size_, static_cast<Offset>(this->nnz() - tail.nnz()),
              row_map.data(), group_begin.data(), width_},
             entries.data(),
             values.data(),
             order.data()},
        tail.view(this->num_rows(), this->num_cols()));
  }
  std::size_t bytes() const {
    return impl::bytes_of(row_map, group_begin, entries, values, order) + tail.bytes();
  }

 private:
  Ordinal group_size_ = 1;
  Ordinal width_ = 0;
};

}  // namespace araios
