// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <araios/config.hpp>
#include <cstddef>
#include <cstdint>

/// Portable defaults of SpMV and SpMM, measured on an H200 (FP64, 32-bit indices); host backends
/// use one lane throughout.
namespace araios::tuning {

/// Lanes that share a row, by mean row length. ms with 1, 2, 4, 8, 16 lanes: lap2d5_1500 (5 per
/// row) 0.054 0.092 0.124 0.213 0.405; lap3d27_80 (26) 0.256 0.072 0.067 0.072 0.107; fem6_pwtklike
/// (54) 0.200 0.069 0.055 0.051 0.058.
constexpr int spmv_lanes(double mean) {
  if (mean <= 8.0) return 1;
  if (mean <= 16.0) return 2;
  if (mean <= 48.0) return 4;
  if (mean <= 128.0) return 8;
  if (mean <= 256.0) return 16;
  return 32;
}

/// Steps of the merge path per worker of one lane. Few, since lanes do not read coalesced along
/// their own run of atoms: rmat18_ef8 takes 0.037 ms with 8, 0.046 with 16, 0.062 with 32, and
/// 0.087 at best with 4 lanes and 64; rmat20_ef3 0.060 with 8, 0.077 with 16.
inline constexpr int spmv_merge_items = 8;

/// The same for a single call, where each worker looks for its start: twice as much work for it.
inline constexpr int spmv_merge_items_once = 2 * spmv_merge_items;

/// What `automatic` chooses on `Space`; a backend with kernels of its own may want something else.
template <class Space>
struct spmv_shape {
  static constexpr int lanes(double mean) { return spmv_lanes(mean); }
  static constexpr int merge_lanes = 1;
  static constexpr int merge_items = spmv_merge_items;
  static constexpr int merge_items_once = spmv_merge_items_once;
  static constexpr int nonzero_items = spmv_merge_items;
  /// Whether uneven rows are split by entries instead of by the merge path.
  static constexpr bool splits_nonzeros([[maybe_unused]] std::int64_t empty_rows) { return false; }
  /// Bytes that a prepared schedule keeps for the kernels, zeroed when it is made.
  static constexpr std::size_t room_for_shares(std::int64_t /*workers*/,
                                               std::int64_t /*concurrency*/) {
    return 0;
  }
};

/// Rows count as even if none is longer than this many times the mean plus the lanes of a row.
inline constexpr double spmv_even_rows = 8.0;

/// Uneven rows are given to a warp each, in one launch instead of two, if the longest row plus a
/// sixteenth of the number of rows is at most this: wiki-Vote (7,115 rows, longest 893) 0.0055 ms
/// instead of 0.0097 by equal shares, rajat01 (6,833, 1,442) 0.0073 and 0.0100; rmat18_ef8 (262,144)
/// 0.041 and 0.020 (H200).
inline constexpr std::int64_t spmv_uneven_short = 2500;

/// Longer rows are split if a warp for each would not fill the device: one row of 100,000 entries
/// takes a warp 0.31 ms, equal shares 0.007.
inline constexpr std::int64_t spmv_long_row = 4096;

/// On host backends rows count as even up to this ratio of standard deviation to mean.
inline constexpr double spmv_even_deviation = 0.5;

/// Below this many entries a call is bound by its launches, whatever the row lengths.
inline constexpr std::int64_t spmv_small_nnz = 20000;

}  // namespace araios::tuning

#ifdef ARAIOS_ENABLE_CUDA
#include <araios/cuda/tuning/spmv.hpp>
#endif
