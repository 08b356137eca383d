// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tuple>

#include <araios/impl/stored.hpp>

namespace araios {

/// ELL: as many slots for every row as the longest has entries, stored column by column: slot n of
/// row i is entries(n * num_rows() + i). `to_ell` makes one.
/// Invariants: entries and values have width() * num_rows() elements; the slots of a row beyond its
/// entries have the column -1 and are never multiplied.
/// Source: Bell and Garland, Implementing sparse matrix-vector multiplication on throughput-oriented
/// processors, SC 2009, section 3.2.
template <class Value, class Ordinal = int, class Offset = std::size_t,
          class MemorySpace = Kokkos::DefaultExecutionSpace::memory_space>
class ell_matrix : public impl::stored<Value, Ordinal, Offset, MemorySpace> {
  using base = impl::stored<Value, Ordinal, Offset, MemorySpace>;

 public:
  typename base::entries_view entries;
  typename base::values_view values;

  ell_matrix() = default;
  ell_matrix(Ordinal num_rows, Ordinal num_cols, Offset nnz, Ordinal width)
      : base(num_rows, num_cols, nnz), width_(width) {}

  Ordinal width() const { return width_; }
  auto parts() const {
    using view = impl::slot_view<ell_tiles<Ordinal>, Ordinal, Value, MemorySpace, true>;
    return std::tuple(view{this->num_rows(),
                           this->num_cols(),
                           {this->num_rows(), width_},
                           entries.data(),
                           values.data()});
  }
  std::size_t bytes() const { return impl::bytes_of(entries, values); }

 private:
  Ordinal width_ = 0;
};

}  // namespace araios
