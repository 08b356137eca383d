// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

/// Numbers of the CUDA SpGEMM; docs/performance.md has the measurements.
namespace araios::tuning::cuda {

/// Rows with at most so many products are sorted in registers, by `lanes` lanes with `items` products
/// each. Up to 32 products a sort is two to six times as fast as a hash table (H200).
struct spgemm_sort_bin {
  int lanes;
  int items;
  constexpr int products() const { return lanes * items; }
};
inline constexpr std::array spgemm_sort_bins = {spgemm_sort_bin{8, 1}, spgemm_sort_bin{16, 1},
                                                spgemm_sort_bin{32, 1}, spgemm_sort_bin{32, 2}};

/// Rows with at most `products` products are done by a block of `threads`: their columns are marked in
/// a mask and summed at their ranks, for which shared memory holds `products` sums.
struct spgemm_mask_bin {
  int products;
  int threads;
};
inline constexpr std::array spgemm_mask_bins = {
    spgemm_mask_bin{512, 128}, spgemm_mask_bin{2048, 256}, spgemm_mask_bin{8192, 512}};

/// Columns that a mask covers: of one row, of a run of rows with one pattern, of a long row. The first
/// takes 48 KiB with its ranks, so that two blocks of the largest bin fit a multiprocessor.
inline constexpr int spgemm_mask_columns = 1 << 18;
inline constexpr int spgemm_run_columns = 1 << 15;
inline constexpr int spgemm_long_columns = 1 << 20;

/// Threads of a block that marks a long row, and columns of the pieces that it is divided into; pieces
/// are joined while a mask covers their columns and shared memory holds their sums.
inline constexpr int spgemm_long_threads = 1024;
inline constexpr int spgemm_piece_columns = 1 << 13;

/// Rows of A and B beyond this length are not compared with their neighbours.
inline constexpr int spgemm_longest_pattern = 1024;
/// Rows are done as a run if that saves the search of at least so many places.
inline constexpr int spgemm_run_products = 128;

}  // namespace araios::tuning::cuda
