// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdint>

#include <araios/impl/fingerprint.hpp>
#include <araios/matrix/crs.hpp>

namespace araios {

/// What is known of a matrix without looking at its rows.
struct matrix_shape {
  std::int64_t rows = 0;
  std::int64_t cols = 0;  ///< 0 if not known
  std::int64_t nnz = 0;

  double mean() const {  ///< entries of a row
    return rows > 0 ? static_cast<double>(nnz) / static_cast<double>(rows) : 0.0;
  }
};

/// What one pass over the row map tells of the row lengths l_i of a matrix.
struct row_statistics : matrix_shape {
  std::int64_t longest = 0;       ///< max l_i
  std::int64_t empty = 0;         ///< number of rows with l_i = 0
  double sum_of_squares = 0.0;    ///< sum of l_i^2
  std::uint64_t fingerprint = 0;  ///< hash of the row map

  double standard_deviation() const {
    if (rows == 0) return 0.0;
    double const variance = sum_of_squares / static_cast<double>(rows) - mean() * mean();
    return std::sqrt(std::fmax(variance, 0.0));
  }
};

namespace impl {

struct row_sums {
  std::int64_t nnz = 0;
  std::int64_t longest = 0;
  std::int64_t empty = 0;
  double squares = 0.0;
  std::uint64_t fingerprint = 0;

  KOKKOS_FUNCTION row_sums& operator+=(row_sums const& other) {
    nnz += other.nnz;
    longest = Kokkos::max(longest, other.longest);
    empty += other.empty;
    squares += other.squares;
    fingerprint += other.fingerprint;
    return *this;
  }
};

template <tile_set Tiles>
struct sum_rows {
  Tiles tiles;

  KOKKOS_FUNCTION void operator()(std::int64_t i, row_sums& sums) const {
    auto const tile = static_cast<typename Tiles::tile_type>(i);
    auto const length = static_cast<std::int64_t>(tiles.tile_end(tile) - tiles.tile_begin(tile));
    sums +=
        {length, length, length == 0 ? 1 : 0,
         static_cast<double>(length) * static_cast<double>(length),
         mixed(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(tiles.tile_end(tile)))};
  }
};

}  // namespace impl

/// Row statistics of a tile set of a matrix with `cols` columns, by one reduction on `space`. Waits
/// for the result.
template <class Space, tile_set Tiles>
row_statistics tile_statistics(Space const& space, Tiles const& tiles, std::int64_t cols = 0);

/// Row statistics of a matrix, by one reduction on `space`. Waits for the result.
template <execution_instance Space, crs_like Matrix>
row_statistics statistics(Space const& space, Matrix const& a) {
  auto const view = as_crs(a);
  return tile_statistics(impl::instance(space), view.tiles(),
                         static_cast<std::int64_t>(view.num_cols));
}

}  // namespace araios

template <>
struct Kokkos::reduction_identity<araios::impl::row_sums> {
  KOKKOS_FUNCTION static araios::impl::row_sums sum() { return {}; }
};

template <class Space, araios::tile_set Tiles>
araios::row_statistics araios::tile_statistics(Space const& space, Tiles const& tiles,
                                               std::int64_t cols) {
  auto const rows = static_cast<std::int64_t>(tiles.num_tiles());
  impl::row_sums sums;
  if (rows > 0)
    Kokkos::parallel_reduce(
        "araios::statistics::rows",
        Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(space, 0, rows),
        impl::sum_rows<Tiles>{tiles}, Kokkos::Sum<impl::row_sums>(sums));
  return {{rows, cols, sums.nnz}, sums.longest, sums.empty, sums.squares, sums.fingerprint};
}
