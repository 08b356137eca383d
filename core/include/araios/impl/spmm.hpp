// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <araios/impl/spmv.hpp>

namespace araios::impl {

/// The first column of a multivector, as a vector.
template <class View>
auto only_column(View const& v) {
  return Kokkos::subview(v, Kokkos::ALL, 0);
}

/// Partial sums of some columns of a row of Y, kept in registers.
template <class Sum, int Width>
struct column_sums {
  Sum at[Width] = {};

  KOKKOS_FUNCTION column_sums& operator+=(column_sums const& other) {
    for (int c = 0; c < Width; ++c) at[c] += other.at[c];
    return *this;
  }
};

/// Columns first .. first + Width - 1 of Y for the slices of a schedule.
template <class Schedule, tile_set Tiles, class Terms, class Sum, class X, class Y>
struct spmm_rows {
  Schedule schedule;
  Tiles tiles;
  Terms terms;
  Sum alpha;
  Sum beta;
  X x;
  Y y;

  template <int Width, class Member, class Slice>
  KOKKOS_FORCEINLINE_FUNCTION void columns(Member const& member, Slice const& slice,
                                           int first) const {
    column_sums<Sum, Width> sums;
    sum_over(
        schedule, member, slice,
        [&](typename Tiles::atom_type atom) {
          auto const slot = tiles.slot(slice.tile, atom);
          auto const row = terms.matrix.column(slice.tile, slot);
          column_sums<Sum, Width> products;
          if constexpr (has_padding<Tiles>)
            if (is_padding(row)) return products;
          auto const value = terms.value_of(terms.matrix.value(slot));
          for (int c = 0; c < Width; ++c)
            products.at[c] =
                value * static_cast<Sum>(
                            accumulator_t<typename X::non_const_value_type>(x(row, first + c)));
          return products;
        },
        sums);
    once<Schedule>(member, slice, [&] {
      for (int c = 0; c < Width; ++c) {
        auto& result = y(row_of(terms.matrix, slice.tile), first + c);
        if (slice.complete)
          scale_and_add(beta, result, alpha * sums.at[c]);
        else
          Kokkos::atomic_add(&result, static_cast<typename Y::value_type>(alpha * sums.at[c]));
      }
    });
  }

  template <class Member, class Slice>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Member const& member, Slice const& slice) const {
    int const count = static_cast<int>(y.extent(1));
    int c = 0;
    for (; count - c >= 8; c += 8) columns<8>(member, slice, c);
    if (count - c >= 4) {
      columns<4>(member, slice, c);
      c += 4;
    }
    for (; c < count; ++c) columns<1>(member, slice, c);
  }
};

/// Y(column k, :) += alpha a(k) X(i, :): the transposed product. Y has been scaled before.
template <bool Atomic, tile_set Tiles, class Terms, class Sum, class X, class Y>
struct spmm_columns {
  Tiles tiles;
  Terms terms;
  Sum alpha;
  X x;
  Y y;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(typename Tiles::tile_type tile,
                                              typename Tiles::atom_type atom) const {
    auto const slot = tiles.slot(tile, atom);
    auto const column = terms.matrix.column(tile, slot);
    if constexpr (has_padding<Tiles>)
      if (is_padding(column)) return;
    Sum const factor = alpha * terms.value_of(terms.matrix.value(slot));
    for (std::size_t c = 0; c < y.extent(1); ++c) {
      auto const term = static_cast<typename Y::value_type>(
          factor * static_cast<Sum>(accumulator_t<typename X::non_const_value_type>(
                       x(row_of(terms.matrix, tile), c))));
      auto& result = y(column, c);
      if constexpr (Atomic)
        Kokkos::atomic_add(&result, term);
      else
        result += term;
    }
  }
};

/// Row i of Y scaled by beta, where beta == 0 means that Y is not read.
template <class Sum, class Y>
struct scale_row {
  Sum beta;
  Y y;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    for (std::size_t c = 0; c < y.extent(1); ++c) scale_and_add(beta, y(i, c), Sum(0));
  }
};

/// The same for the row that a tile of a matrix is.
template <class Matrix, class Scale>
struct scale_tile {
  Matrix matrix;
  Scale scale;
  template <class Tile>
  KOKKOS_FUNCTION void operator()(Tile tile) const {
    scale(static_cast<std::int64_t>(row_of(matrix, tile)));
  }
};

struct spmm_operation {
  template <class Space, class Schedule, tile_set Tiles, tiled_matrix Matrix, class Alpha, class X,
            class Beta, class Y>
  static void run(Space const& space, Schedule const& schedule, Tiles const& tiles, Matrix const& a,
                  Alpha const& alpha_in, X const& x_in, Beta const& beta_in, Y const& y_in,
                  mode op) {
    static std::string const name = std::string("araios::spmm::") + Schedule::name;
    Kokkos::Profiling::ScopedRegion const region(name);
    using value = std::remove_const_t<typename Matrix::value_type>;
    using sum = sum_t<value, typename X::value_type, typename Y::value_type>;
    unmanaged_t<typename X::const_type> const x(x_in);
    unmanaged_t<Y> const y(y_in);
    auto const alpha = coefficient<sum>(alpha_in);
    auto const beta = coefficient<sum>(beta_in);
    matrix_terms<Matrix, sum> const terms{a, conjugates(op)};
    scale_row<sum, unmanaged_t<Y>> const scale{beta, y};
    require_whole_sums<Y>("araios::spmm", Schedule::splits_tiles || transposes(op));
    bool const nothing_to_add = alpha == sum(0) || tiles.num_atoms() == 0;
    if (y.extent(1) == 0) return;
    if ((nothing_to_add || transposes(op)) && beta != sum(1) && y.extent(0) > 0)
      Kokkos::parallel_for("araios::spmm::scale",
                           Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(
                               space, 0, static_cast<std::int64_t>(y.extent(0))),
                           scale);
    if (nothing_to_add) return;
    if (!transposes(op)) {
      for_each_split_tile(space, "araios::spmm::rows_split", schedule, tiles,
                          scale_tile<Matrix, std::remove_const_t<decltype(scale)>>{a, scale});
      for_each_slice(space, "araios::spmm::rows", schedule, tiles,
                     spmm_rows<Schedule, Tiles, decltype(terms), sum, decltype(x), decltype(y)>{
                         schedule, tiles, terms, alpha, beta, x, y});
    } else {
      visit_atoms(
          space, "araios::spmm::columns", schedule, tiles,
          spmm_columns<needs_atomics<Space>, Tiles, decltype(terms), sum, decltype(x), decltype(y)>{
              tiles, terms, alpha, x, y});
    }
  }
};

}  // namespace araios::impl

template <class Value, int Width>
struct Kokkos::reduction_identity<araios::impl::column_sums<Value, Width>> {
  KOKKOS_FUNCTION static araios::impl::column_sums<Value, Width> sum() { return {}; }
};
