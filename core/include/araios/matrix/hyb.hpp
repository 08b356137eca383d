// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tuple>

#include <araios/matrix/ell.hpp>

namespace araios {

/// HYB: the first `ell.width()` entries of every row in ELL, the others in a list. The list is kept
/// by rows (`rest.rows` are those that have any), so that it can be shared out evenly. `to_hyb`
/// makes one.
/// Source: Bell and Garland, SC 2009, section 3.4.
template <class Value, class Ordinal = int, class Offset = std::size_t,
          class MemorySpace = Kokkos::DefaultExecutionSpace::memory_space>
class hyb_matrix : public impl::stored<Value, Ordinal, Offset, MemorySpace> {
  using base = impl::stored<Value, Ordinal, Offset, MemorySpace>;

 public:
  ell_matrix<Value, Ordinal, Offset, MemorySpace> ell;
  impl::row_list<Value, Ordinal, Offset, MemorySpace> rest;

  using base::base;
  auto parts() const {
    return std::tuple_cat(ell.parts(), std::tuple(rest.view(this->num_rows(), this->num_cols())));
  }
  std::size_t bytes() const { return ell.bytes() + rest.bytes(); }
};

}  // namespace araios
