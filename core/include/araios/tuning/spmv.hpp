// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

/// Portable defaults of SpMV and SpMM; docs/performance.md has the measurements they come from.
namespace araios::tuning {

/// Lanes that share a row, by mean row length (H200, vector kernels: 1 up to 7 entries, 4 to 8 up to
/// about 40, 16 above).
constexpr int spmv_lanes(double mean) {
  if (mean <= 4.0) return 1;
  if (mean <= 8.0) return 2;
  if (mean <= 16.0) return 4;
  if (mean <= 48.0) return 8;
  if (mean <= 96.0) return 16;
  return 32;
}

/// Lanes that share a slice of the merge path, by mean row length.
constexpr int spmv_merge_lanes(double mean) {
  if (mean <= 2.0) return 2;
  if (mean <= 8.0) return 4;
  if (mean <= 32.0) return 8;
  return 16;
}

/// Steps of the merge path per worker.
inline constexpr int spmv_merge_items = 128;

/// Rows count as even if none is longer than this many times mean plus standard deviation.
inline constexpr double spmv_even_rows = 8.0;

/// Below this many entries a call is bound by its launches, whatever the row lengths.
inline constexpr std::int64_t spmv_small_nnz = 20000;

}  // namespace araios::tuning
