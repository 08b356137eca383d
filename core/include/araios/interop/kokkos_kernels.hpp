// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>

#include <araios/concepts.hpp>

namespace araios {

/// A matrix shaped like `KokkosSparse::CrsMatrix`, which is also what `getLocalMatrixDevice()` and
/// `getLocalMatrixHost()` of a Tpetra matrix return. Recognised by its members, so neither library
/// has to be there.
template <class Matrix>
concept kokkos_sparse_crs = requires(Matrix const& a) {
  typename Matrix::ordinal_type;
  typename Matrix::size_type;
  typename Matrix::value_type;
  typename Matrix::memory_space;
  { a.numRows() } -> std::convertible_to<typename Matrix::ordinal_type>;
  { a.numCols() } -> std::convertible_to<typename Matrix::ordinal_type>;
  a.graph.row_map.data();
  a.graph.entries.data();
  a.values.data();
};

template <kokkos_sparse_crs Matrix>
struct crs_traits<Matrix> {
  using ordinal_type = std::remove_const_t<typename Matrix::ordinal_type>;
  using offset_type = std::remove_const_t<typename Matrix::size_type>;

  static crs_view<ordinal_type, offset_type, typename Matrix::value_type,
                  typename Matrix::memory_space>
  view(Matrix const& a) {
    return {a.numRows(),
            a.numCols(),
            static_cast<offset_type>(a.graph.entries.extent(0)),
            a.graph.row_map.data(),
            a.graph.entries.data(),
            a.values.data()};
  }
};

/// The arrays of a `crs_matrix` as a `KokkosSparse::CrsMatrix` of the caller's choice (named by
/// `Matrix`, from <KokkosSparse_CrsMatrix.hpp>). No copies; both share the arrays.
template <class Matrix, class CrsMatrix>
Matrix to_kokkos_kernels(CrsMatrix const& a) {
  return Matrix("araios::to_kokkos_kernels", a.num_rows(), a.num_cols(), a.nnz(), a.values,
                a.row_map, a.entries);
}

}  // namespace araios
