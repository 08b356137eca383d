// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <type_traits>

#include <araios/cuda/spmv.cuh>

/// Y = beta Y + alpha A X for X and Y stored by rows: lanes share the columns, not the entries of
/// A, so that rows of X are read coalesced and nothing has to be added across lanes.
namespace araios::impl::cuda {

/// Neighbouring columns that a lane takes together.
template <class T, int Width>
struct alignas(sizeof(T) * Width <= 16 ? sizeof(T) * Width : alignof(T)) neighbours {
  T at[Width];
};

/// What both kernels below are made of. `Width` columns at a time are read and written together.
template <int Width, class Tiles, class Terms, class Sum, class X, class Y>
struct spmm_columns_of_rows {
  using tile_type = typename Tiles::tile_type;
  using atom_type = typename Tiles::atom_type;
  using ordinal = typename Terms::ordinal_type;
  using sum_type = Sum;
  using x_value = typename X::non_const_value_type;
  using y_value = typename Y::value_type;
  using x_columns = neighbours<x_value, Width>;
  using y_columns = neighbours<y_value, Width>;
  Tiles tiles;
  Terms terms;
  Sum alpha;
  Sum beta;
  X x;
  Y y;

  struct sums {
    Sum at[Width];
    __device__ sums() : at{} {}
  };

  __device__ int num_columns() const { return static_cast<int>(y.extent(1)); }

  /// Adds the products of the atoms begin .. end-1 of a tile with the columns from `column` on.
  __device__ void add(tile_type tile, atom_type begin, atom_type end, int column,
                      sums& total) const {
    constexpr int in_flight = tuning::cuda::spmm_in_flight;
    auto const count = static_cast<std::int64_t>(end - begin);
    for (std::int64_t i = 0; i < count; i += in_flight) {
      typename Terms::value_type values[in_flight];
      ordinal rows[in_flight];
      x_columns factors[in_flight];
#pragma unroll
      for (int n = 0; n < in_flight; ++n) {  // the last one again where there are no more
        auto const slot = tiles.slot(
            tile, static_cast<atom_type>(begin + static_cast<atom_type>(::min(i + n, count - 1))));
        rows[n] = terms.matrix.column(tile, slot);
        values[n] = terms.matrix.value(slot);
      }
#pragma unroll
      for (int n = 0; n < in_flight; ++n) {
        if constexpr (has_padding<Tiles>)
          if (is_padding(rows[n])) continue;
        factors[n] = *reinterpret_cast<x_columns const*>(&x(rows[n], column));
      }
#pragma unroll
      for (int n = 0; n < in_flight; ++n) {
        if (i + n >= count) break;
        if constexpr (has_padding<Tiles>)
          if (is_padding(rows[n])) continue;
        auto const value = terms.value_of(values[n]);
#pragma unroll
        for (int c = 0; c < Width; ++c)
          total.at[c] += value * static_cast<Sum>(accumulator_t<x_value>(factors[n].at[c]));
      }
    }
  }

  __device__ void commit(tile_type tile, int column, sums const& total, bool complete) const {
    auto* const target = &y(row_of(terms.matrix, tile), column);
    if (complete) {
      y_columns result{};
      if (beta != Sum(0)) result = *reinterpret_cast<y_columns const*>(target);
#pragma unroll
      for (int c = 0; c < Width; ++c) scale_and_add(beta, result.at[c], alpha * total.at[c]);
      *reinterpret_cast<y_columns*>(target) = result;
    } else {
#pragma unroll
      for (int c = 0; c < Width; ++c)
        Kokkos::atomic_add(target + c, static_cast<y_value>(alpha * total.at[c]));
    }
  }
  __device__ void prepare(tile_type tile, int column) const {
#pragma unroll
    for (int c = 0; c < Width; ++c)
      scale_and_add(beta, y(row_of(terms.matrix, tile), column + c), Sum(0));
  }
};

/// The shares of a schedule that splits tiles, each divided into some parts.
template <class Schedule>
struct divided {
  Schedule schedule;
  int parts;

  template <class Tiles>
  __device__ impl::merge_point<Tiles> start(Tiles const& tiles, std::int64_t rank,
                                            std::int64_t workers) const {
    auto const from = schedule.start(tiles, rank / parts, workers / parts);
    auto const part = rank % parts;
    if (part == 0) return from;
    auto const to = schedule.start(tiles, rank / parts + 1, workers / parts);
    auto const first = static_cast<std::int64_t>(from.tile) + static_cast<std::int64_t>(from.atom);
    auto const last = static_cast<std::int64_t>(to.tile) + static_cast<std::int64_t>(to.atom);
    return impl::merge_path_search(tiles, first + part * (last - first) / parts, from, to);
  }
  template <class Tiles>
  __device__ typename Tiles::tile_type split_tile(Tiles const& tiles, std::int64_t rank,
                                                  std::int64_t workers) const {
    return impl::split_at(tiles,
                          rank > 0 ? start(tiles, rank - 1, workers) : impl::merge_point<Tiles>{},
                          start(tiles, rank, workers));
  }
};

/// Whole tiles, `Lanes` lanes for each, which share the columns.
template <int Lanes, int Width, class Rows>
__global__ void __launch_bounds__(spmv_threads) multiply_whole_tiles(Rows rows) {
  std::int64_t const number = (std::int64_t{blockIdx.x} * spmv_threads + threadIdx.x) / Lanes;
  if (number >= static_cast<std::int64_t>(rows.tiles.num_tiles())) return;
  auto const tile = static_cast<typename Rows::tile_type>(number);
  auto const begin = rows.tiles.tile_begin(tile);
  auto const end = rows.tiles.tile_end(tile);
  for (int column = static_cast<int>(threadIdx.x) % Lanes * Width; column < rows.num_columns();
       column += Lanes * Width) {
    typename Rows::sums total;
    rows.add(tile, begin, end, column, total);
    rows.commit(tile, column, total, true);
  }
}

/// Makes the tiles that no worker gets whole ready for the sums of their parts.
template <int Lanes, int Width, class Schedule, class Rows>
__global__ void __launch_bounds__(spmv_threads)
    prepare_split_rows(Schedule schedule, Rows rows, std::int64_t workers) {
  let_next_kernel_start();
  std::int64_t const worker = (std::int64_t{blockIdx.x} * spmv_threads + threadIdx.x) / Lanes;
  if (worker >= workers) return;
  auto const tile = schedule.split_tile(rows.tiles, worker, workers);
  if (tile >= rows.tiles.num_tiles()) return;
  for (int column = static_cast<int>(threadIdx.x) % Lanes * Width; column < rows.num_columns();
       column += Lanes * Width)
    rows.prepare(tile, column);
}

/// Adds the atoms of all workers of a block, which lie in one tile that does not end there: one
/// addition to Y for the block.
template <int Lanes, int Width, class Rows>
__device__ void add_inside_tile(Rows const& rows, typename Rows::tile_type tile,
                                typename Rows::atom_type begin, typename Rows::atom_type end) {
  using sum = typename Rows::sum_type;
  constexpr int warps = spmv_threads / warp_size;
  __shared__ alignas(sum) char sums_of[warps * Lanes * Width * sizeof(sum)];
  auto* const sums = reinterpret_cast<sum*>(sums_of);
  int const thread = static_cast<int>(threadIdx.x);
  wait_for_kernel_before();
  for (int chunk = 0; chunk < rows.num_columns(); chunk += Lanes * Width) {
    int const column = chunk + thread % Lanes * Width;
    bool const exists = column < rows.num_columns();
    typename Rows::sums total;
    if (exists) rows.add(tile, begin, end, column, total);
#pragma unroll
    for (int c = 0; c < Width; ++c) {
#pragma unroll
      for (int distance = warp_size / 2; distance >= Lanes; distance /= 2)
        total.at[c] += shuffle_down(full_warp, total.at[c], distance, warp_size);
      if (lane_of_warp() < Lanes)
        sums[(thread / warp_size * Width + c) * Lanes + lane_of_warp()] = total.at[c];
    }
    __syncthreads();
    if (thread < Lanes && exists) {
#pragma unroll
      for (int c = 0; c < Width; ++c)
        for (int warp = 1; warp < warps; ++warp)
          total.at[c] += sums[(warp * Width + c) * Lanes + thread];
      rows.commit(tile, column, total, false);
    }
    __syncthreads();
  }
}

/// Equal shares of the merge path, `Lanes` lanes for each, which walk it together and share the
/// columns.
template <int Lanes, int Width, class Schedule, class Rows>
__global__ void __launch_bounds__(spmv_threads)
    multiply_merge_path(Schedule schedule, Rows rows, std::int64_t workers) {
  using atom_type = typename Rows::atom_type;
  std::int64_t const worker = (std::int64_t{blockIdx.x} * spmv_threads + threadIdx.x) / Lanes;
  auto const& tiles = rows.tiles;
  auto const num_tiles = tiles.num_tiles();
  auto const from = schedule.start(tiles, ::min(worker, workers), workers);
  auto const to = schedule.start(tiles, ::min(worker + 1, workers), workers);
  if (__syncthreads_and(from.tile == to.tile && from.tile < num_tiles)) {
    add_inside_tile<Lanes, Width>(rows, from.tile, from.atom, to.atom);
    return;
  }
  if (worker >= workers) return;
  bool const continues = from.tile < num_tiles && tiles.tile_begin(from.tile) < from.atom;
  bool const has_first = continues && from.atom < to.atom && from.atom < tiles.tile_end(from.tile);
  for (int column = static_cast<int>(threadIdx.x) % Lanes * Width; column < rows.num_columns();
       column += Lanes * Width) {
    typename Rows::sums first_part;  // of a tile that continues from the worker before
    atom_type at = from.atom;
    for (auto tile = from.tile; tile < to.tile; ++tile) {
      auto const end = tiles.tile_end(tile);
      if (continues && tile == from.tile) {
        rows.add(tile, at, end, column, first_part);
      } else {
        typename Rows::sums total;
        rows.add(tile, at, end, column, total);
        rows.commit(tile, column, total, true);
      }
      at = end;
    }
    bool const part_of_first = continues && to.tile == from.tile;
    typename Rows::sums last_part;
    if (at < to.atom && to.tile < num_tiles)
      rows.add(to.tile, at, to.atom, column, part_of_first ? first_part : last_part);
    wait_for_kernel_before();
    if (has_first) rows.commit(from.tile, column, first_part, false);
    if (at < to.atom && to.tile < num_tiles && !part_of_first)
      rows.commit(to.tile, column, last_part, false);
  }
}

}  // namespace araios::impl::cuda
