// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tuple>

#include <araios/impl/stored.hpp>

namespace araios {

/// Compressed column storage (CCS): column j holds the entries column_map(j) .. column_map(j+1)-1,
/// of which entries(k) is the row. `to_ccs` makes one; its arrays are those of the transpose in
/// compressed row storage. A product with it adds every entry atomically, as a transposed product
/// with compressed rows does, and a transposed one sums whole columns.
/// Invariants: column_map has num_cols() + 1 elements, ascends from 0 to nnz();
/// 0 <= entries(k) < num_rows().
template <class Value, class Ordinal = int, class Offset = std::size_t,
          class MemorySpace = Kokkos::DefaultExecutionSpace::memory_space>
class ccs_matrix : public impl::stored<Value, Ordinal, Offset, MemorySpace> {
  using base = impl::stored<Value, Ordinal, Offset, MemorySpace>;

 public:
  typename base::offsets_view column_map;
  typename base::entries_view entries;
  typename base::values_view values;

  using base::base;
  auto parts() const {
    using view =
        impl::slot_view<ccs_tiles<Ordinal, Offset>, Ordinal, Value, MemorySpace, false, true>;
    return std::tuple(view{this->num_rows(),
                           this->num_cols(),
                           {this->num_cols(), this->nnz(), column_map.data()},
                           entries.data(),
                           values.data()});
  }
  std::size_t bytes() const { return impl::bytes_of(column_map, entries, values); }
};

}  // namespace araios
