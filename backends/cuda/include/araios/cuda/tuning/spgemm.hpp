// SPDX-License-Identifier: BSD-3-Clause
#pragma once

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
    {{512, 128}, {2048, 256}, {8192, 512}}};

/// Columns that a mask covers: of one row, of a long row. The first takes 40 KiB with its ranks,
/// so that two blocks of the largest bin fit a multiprocessor.
inline constexpr int spgemm_mask_columns = 1 << 18;
inline constexpr int spgemm_long_columns = 1 << 20;

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
/// shared memory holds `sums` sums and a mask of `columns` columns.
struct spgemm_run_bin {
  int products;
  int threads;
  int sums;
  int columns;
};
/// Bins of one warp are of short rows, which a lane each does.
inline constexpr spgemm_table<spgemm_run_bin, 6> spgemm_run_bins = {{{32, 32, 544, 1 << 13},
                                                                     {64, 32, 1088, 1 << 13},
                                                                     {512, 64, 768, 1 << 14},
                                                                     {2048, 128, 1536, 1 << 15},
                                                                     {4096, 128, 2048, 1 << 15},
                                                                     {8192, 128, 3072, 1 << 15}}};

/// The most threads of a bin of runs, and blocks of them that shall fit a multiprocessor: 8 leave
/// 64 registers a thread (lap3d27_80: 1.58 ms against 1.66 with 7 and 1.8 without a limit).
inline constexpr int spgemm_run_threads = 128;
inline constexpr int spgemm_run_blocks = 8;

}  // namespace araios::tuning::cuda
