// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tuple>

#include <araios/impl/stored.hpp>

namespace araios {

/// A list of entries (COO): row, column and value of each, ordered by rows. `to_coo` makes one.
/// Invariants: all arrays have nnz() elements; 0 <= row_of(k) <= row_of(k+1) < num_rows();
/// 0 <= entries(k) < num_cols(). Duplicates add up.
template <class Value, class Ordinal = int, class Offset = std::size_t,
          class MemorySpace = Kokkos::DefaultExecutionSpace::memory_space>
class coo_matrix : public impl::stored<Value, Ordinal, Offset, MemorySpace> {
  using base = impl::stored<Value, Ordinal, Offset, MemorySpace>;

 public:
  typename base::entries_view row_of;
  typename base::entries_view entries;
  typename base::values_view values;

  using base::base;
  auto parts() const {
    using view = impl::slot_view<coo_tiles<Ordinal, Offset>, Ordinal, Value, MemorySpace>;
    return std::tuple(view{this->num_rows(),
                           this->num_cols(),
                           {this->num_rows(), this->nnz(), row_of.data()},
                           entries.data(),
                           values.data()});
  }
  std::size_t bytes() const { return impl::bytes_of(row_of, entries, values); }
};

}  // namespace araios
