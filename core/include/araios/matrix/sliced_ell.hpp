// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tuple>

#include <araios/impl/stored.hpp>

namespace araios {

/// Sliced ELL: `slice_size()` rows at a time are stored column by column with as many columns as
/// the longest of them needs. If rows were sorted by length within windows (SELL-C-sigma), `order`
/// says which row each position holds. `to_sliced_ell` makes one.
/// Invariants: slice_begin has ceil(num_rows / slice_size) + 1 elements and ascends from 0 to the
/// number of slots in multiples of slice_size(); slots without an entry have the column -1 and are
/// never multiplied; order is empty or a permutation of the rows.
/// Source: Monakov, Lokhmotov, Avetisyan, HiPEAC 2010; Kreutzer, Hager, Wellein, Fehske, Bishop,
/// SIAM J. Sci. Comput. 36 (2014).
template <class Value, class Ordinal = int, class Offset = std::size_t,
          class MemorySpace = Kokkos::DefaultExecutionSpace::memory_space>
class sliced_ell_matrix : public impl::stored<Value, Ordinal, Offset, MemorySpace> {
  using base = impl::stored<Value, Ordinal, Offset, MemorySpace>;

 public:
  typename base::offsets_view slice_begin;
  typename base::entries_view entries;
  typename base::values_view values;
  typename base::entries_view order;

  sliced_ell_matrix() = default;
  /// `atoms`: sum over the rows of the width of their slice.
  sliced_ell_matrix(Ordinal num_rows, Ordinal num_cols, Offset nnz, Ordinal slice_size,
                    std::int64_t atoms)
      : base(num_rows, num_cols, nnz), slice_size_(slice_size), atoms_(atoms) {}

  Ordinal slice_size() const { return slice_size_; }
  auto parts() const {
    using view =
        impl::slot_view<sliced_ell_tiles<Ordinal, Offset>, Ordinal, Value, MemorySpace, true>;
    return std::tuple(view{this->num_rows(),
                           this->num_cols(),
                           {this->num_rows(), slice_size_, atoms_, slice_begin.data()},
                           entries.data(),
                           values.data(),
                           order.data()});
  }
  std::size_t bytes() const { return impl::bytes_of(slice_begin, entries, values, order); }

 private:
  Ordinal slice_size_ = 1;
  std::int64_t atoms_ = 0;
};

}  // namespace araios
