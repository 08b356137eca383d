// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

/// Numbers of the CUDA SpGEMM; docs/performance.md has the measurements.
namespace araios::tuning::cuda {

/// A table of bins. Not std::array, whose members device code may not call.
template <class Bin, int N>
struct spgemm_table {
  static constexpr int count = N;
  Bin bins[N];
};

/// Rows with at most `lanes` entries of A, whose rows of B fill at most `items` times `lanes`
/// lanes, are sorted in registers by `lanes` lanes: fewer lanes need fewer shuffles.
struct spgemm_tile_bin {
  int lanes;
  int items;
};
inline constexpr spgemm_table<spgemm_tile_bin, 2> spgemm_tile_bins = {{{4, 4}, {8, 8}}};

/// Other rows with at most lanes * items products are sorted by `lanes` lanes to which the
/// products are dealt evenly, for which each has to be searched.
struct spgemm_sort_bin {
  int lanes;
  int items;
};
inline constexpr spgemm_table<spgemm_sort_bin, 2> spgemm_sort_bins = {{{32, 1}, {32, 2}}};
/// The most products that are sorted.
inline constexpr int spgemm_sort_products =
    spgemm_sort_bins.bins[spgemm_sort_bins.count - 1].lanes *
    spgemm_sort_bins.bins[spgemm_sort_bins.count - 1].items;

/// Rows with at most `products` products are done by a block of `threads`: their columns are
/// marked in a mask and summed at their ranks, for which shared memory holds `products` sums.
struct spgemm_mask_bin {
  int products;
  int threads;
};
inline constexpr spgemm_table<spgemm_mask_bin, 3> spgemm_mask_bins = {
    {{512, 64}, {2048, 128}, {8192, 512}}};

/// Columns that a mask covers, at most: of one row, and of a long row, whose entries are only
/// counted under it. The first row of the table that fits the shared memory of a block is used: 227
/// KiB with Hopper (160 with A100), where 40 KiB of mask and ranks let two blocks of the largest
/// bin fit a multiprocessor; 96 KiB with Volta, which was compiled for but not run. Masks are
/// smaller where the rows of a class span fewer columns.
struct spgemm_mask_limits {
  int row_columns;
  int long_columns;
};
inline constexpr spgemm_table<spgemm_mask_limits, 2> spgemm_masks = {
    {{1 << 18, 1 << 20}, {1 << 17, 1 << 19}}};
/// The same of a run when its entries are counted.
inline constexpr int spgemm_run_columns = 1 << 16;

/// Among so many columns it is looked at how many windows of a mask the rows span; if they are more
/// than so many for each row of A, the portable hash tables are better.
inline constexpr int spgemm_many_columns = 1 << 24;
inline constexpr int spgemm_most_windows = 4;

/// Threads of a block that marks a long row, and columns of the pieces that it is divided into;
/// pieces are joined while a mask covers their columns and shared memory holds their sums.
inline constexpr int spgemm_long_threads = 1024;
inline constexpr int spgemm_piece_columns = 1 << 13;
static_assert(spgemm_piece_columns <= spgemm_mask_bins.bins[spgemm_mask_bins.count - 1].products,
              "pieces are summed where the largest mask bin sums its rows");

/// Products of more terms than this use several streams, if there are several kinds of rows. Not
/// tuned.
inline constexpr std::int64_t spgemm_forked_products = 4'000'000;

/// Products of matrices with at most so many rows, columns and entries are small: their rows are
/// not sorted into classes, which would take longer than the product.
inline constexpr int spgemm_small_rows = 4096;
inline constexpr int spgemm_small_columns = 4096;
inline constexpr int spgemm_small_entries = 1 << 16;
inline constexpr int spgemm_small_threads = 64;

/// Rows of A and B beyond this length are not compared with their neighbours.
inline constexpr int spgemm_longest_pattern = 1024;
/// Rows are done as a run if that saves the search of at least so many places.
inline constexpr int spgemm_run_products = 512;

/// Runs of rows with at most `products` products each are done by a block of `threads`, whose
/// shared memory holds `sums` sums.
struct spgemm_run_bin {
  int products;
  int threads;
  int sums;
};
/// Bins of one warp are of short rows, which a lane each does.
inline constexpr spgemm_table<spgemm_run_bin, 8> spgemm_run_bins = {{{32, 32, 544},
                                                                     {64, 32, 1088},
                                                                     {512, 64, 768},
                                                                     {1024, 128, 1536},
                                                                     {2048, 128, 2880},
                                                                     {4096, 128, 2304},
                                                                     {6144, 128, 3888},
                                                                     {8192, 128, 3888}}};

/// The most threads of a bin of runs, and blocks of them that shall fit a multiprocessor, for bins
/// of up to so many products and beyond, where shared memory does not let in more. 7 leave 72
/// registers a thread, 6 leave 80: lap3d27_80 1.94 ms with 8, 1.78 with 7; fem3_cantlike 1.32 with
/// 8, 1.03 with 6.
inline constexpr int spgemm_run_threads = 128;
inline constexpr int spgemm_run_blocks = 7;
inline constexpr int spgemm_large_run_products = 1024;
inline constexpr int spgemm_large_run_blocks = 6;

}  // namespace araios::tuning::cuda
