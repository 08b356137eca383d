// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>

#include <araios/tuning/spmv.hpp>

/// Numbers of SpMV on CUDA, measured on an H200; docs/performance.md has the measurements.
namespace araios::tuning::cuda {

/// Threads of a block, also where they are too few to fill the device: those kernels are not
/// launched while the one before still runs either. qcd_49152 with one lane for each row: 0.0091
/// instead of 0.0109 ms in small blocks, and 0.021 if launched early, as its blocks then crowd on
/// the multiprocessors that are free; fem3_cantlike with 8 lanes 0.0169 if launched early, else
/// 0.0186.
inline constexpr int spmv_threads = 256;
inline constexpr int spmv_threads_of_few = 64;

/// Lanes that share a row, by mean row length. ms with 1, 2, 4, 8, 16 lanes: lap2d5_1500 (5 per
/// row) 0.049 0.051 0.069 0.118 -; lap3d7_100 (7) 0.029 0.030 0.036 0.056 -; lap3d27_80 (26) 0.112
/// 0.065 0.052 0.049 0.070; qcd_49152 (39) - 0.0077 0.0077 0.0075 0.0077; fem6_pwtklike (54) -
/// 0.067 0.050 0.041 0.040; fem3_cantlike (75) - 0.024 0.023 0.0185 0.0195.
constexpr int spmv_lanes(double mean) {
  if (mean <= 8.0) return 1;
  if (mean <= 16.0) return 4;
  if (mean <= 128.0) return 8;
  if (mean <= 256.0) return 16;
  return 32;
}

/// Atoms that a lane has in flight where lanes take whole rows. 8 instead of 4 for one lane:
/// trigrid_4m (6 per row) 0.090 instead of 0.095, lap3d7_100 0.029 instead of 0.032, but
/// mc2depi_like (4) 0.0095 instead of 0.0082.
constexpr int spmv_in_flight(int lanes, double mean) { return lanes == 1 && mean > 5.5 ? 8 : 4; }

/// Warps that share the rows of their lanes where rows are stored side by side, and entries that a
/// lane has in flight: RgCSR in ms with 1, 2, 4, 8 warps and 8 in flight: fem3_cantlike (62,400
/// rows of 75) 0.0213 0.0208 0.0188 0.0182, fem6_pwtklike (216,000 of 54) 0.0430 0.0385 0.0399
/// 0.0392, lap3d27_80 (512,000 of 26) 0.0447 0.0460 0.0459 0.0565; with 4 in flight fem6 0.059
/// 0.048 0.047 0.049, lap3d7_100 (7) 0.0335 instead of 0.0299.
constexpr int side_by_side_parts(std::int64_t rows, double mean, std::int64_t concurrency) {
  int parts = 1;
  while (parts < 8 && rows * parts < concurrency && mean >= 8.0 * parts) parts *= 2;
  return parts;
}
constexpr int side_by_side_in_flight(double mean_of_part) { return mean_of_part > 5.5 ? 8 : 4; }

/// Rows of X that a lane has in flight in SpMM.
inline constexpr int spmm_in_flight = 4;

/// In SpMM shares are halved until threads would fill the device or they would have less items:
/// rmat18_ef8 0.074 instead of 0.207 ms with 4 columns, 0.106 instead of 0.179 with 8.
inline constexpr int spmm_least_items = 8;

/// Strips of 128 atoms that a warp takes of the merge path, blocks of 256 threads that a
/// multiprocessor is to have room for, and the steps that fit the strips: loads of four neighbours
/// may begin up to three atoms before the first. ms with 1 strip and 6 blocks, 2 and 5, 2 and 6, 3
/// and 4, 4 and 3: rmat18_ef8 0.0214 0.0208 0.0242 0.0238 0.0255, rmat18_ef16 0.0362 0.0387 0.0422
/// 0.0418 0.0453, rmat20_ef8 0.0729 0.0790 0.0858 0.0830 0.0888. With 8 blocks (32 registers) instead
/// of 6: lap3d27_80 0.0856 and 0.0811, rmat18_ef16 0.0366 and 0.0336, rmat20_ef8 0.0828 and 0.0759.
inline constexpr int spmv_merge_strips = 1;
inline constexpr int spmv_merge_blocks = 6;
inline constexpr int spmv_merge_items = spmv_merge_strips * 128 - 4;

/// Entries of a share if entries are split evenly: all that fit, since shares begin at multiples of
/// four.
inline constexpr int spmv_nonzero_items = spmv_merge_strips * 128;

/// Room for a part of the sum of a row that several blocks share.
inline constexpr std::size_t spmv_shared_sum_bytes = 16;

}  // namespace araios::tuning::cuda

namespace araios::tuning {

/// The merge path by warps with as many steps as they have room for.
template <>
struct spmv_shape<Kokkos::Cuda> {
  static constexpr int lanes(double mean) { return cuda::spmv_lanes(mean); }
  static constexpr int merge_lanes = 32;
  static constexpr int merge_items = cuda::spmv_merge_items;
  static constexpr int merge_items_once = cuda::spmv_merge_items;
  static constexpr int nonzero_items = cuda::spmv_nonzero_items;
  /// Splitting entries is faster by a tenth, but a warp goes over a run of empty rows alone (ms,
  /// merge path and nonzero split: trigrid_4m 0.184 and 0.152, lap3d27_80 0.088 and 0.081,
  /// rmat20_ef3 0.040 and 0.146).
  static constexpr bool splits_nonzeros(std::int64_t empty_rows) { return empty_rows <= 1024; }
  static constexpr std::size_t ceil_to(std::size_t bytes, std::size_t unit) {
    return (bytes + unit - 1) / unit * unit;
  }
  /// For shared sums, if all warps fill half of the device at most: denserow_100k (300,000 steps)
  /// 0.0070 instead of 0.0079 ms with merge_path, tiny_1000 0.0053 instead of 0.0092, but
  /// m133b3_like (1 million) 0.0144 instead of 0.0118 and rmat18_ef8 (2.3 million) 0.027 instead
  /// of 0.020.
  static constexpr std::size_t room_for_shares(std::int64_t workers, std::int64_t concurrency) {
    if (64 * workers > concurrency) return 0;
    auto const blocks = static_cast<std::size_t>(workers / (cuda::spmv_threads / 32) + 1);
    return ceil_to(blocks * (2 * cuda::spmv_shared_sum_bytes + sizeof(int)), 16);
  }
};

}  // namespace araios::tuning
