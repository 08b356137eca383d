// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

#include <araios/impl/execution.hpp>

/// Numbers of the storage formats.
namespace araios::tuning {

/// Rows with more entries go to the tail of RgCSR, by the mean of the row lengths: a thread has to
/// go through the others alone.
constexpr std::int64_t rgcsr_longest(double mean) {
  return std::max<std::int64_t>(32, static_cast<std::int64_t>(4.0 * mean));
}

/// Groups all get the width of the longest row if no more than so many slots an entry are empty
/// then: a kernel need not look where a group begins and how long a row is. ms so and with row map and
/// group_begin: lap2d5_1500 0.046 and 0.058, lap3d7_100 0.025 and 0.030; fem3_cantlike (0.046 slots
/// empty an entry) 0.0197 and 0.0181.
inline constexpr double rgcsr_uniform_fill = 0.03;

/// All rows go to the tail if it would hold more than this part of the entries: two kernels are
/// slower than one then (rmat18_ef8 0.032 and 0.021 ms).
inline constexpr double rgcsr_most_in_tail = 0.25;

/// Rows of a group: a warp's on devices, as many as a thread of a host sums at a time.
template <class Space>
inline constexpr int rgcsr_group_size = impl::runs_on_host<Space> ? 8 : 32;

/// Parts of the bandwidth of the STREAM triad that products of each format reach, for
/// `suggest_format`; measured on an H200 in double on matrices beyond its cache.
template <class Space>
struct format_efficiency {
  /// Compressed rows: lap3d27_80 0.86, lap3d7_100 0.84, lap2d5_1500 0.89, trigrid_4m 0.93,
  /// fem6_pwtklike 0.86; split rows: R-MAT 0.34.
  static constexpr double crs(bool splits) { return splits ? 0.34 : 0.87; }
  /// Row-grouped, in groups of one width (lap3d7_100 0.98, lap2d5_1500 0.96, fem6_pwtklike 0.92), or
  /// in their order with some slots empty (trigrid_4m, 0.32 an entry, 0.77; lap3d27_80 0.91).
  static constexpr double rgcsr_uniform = 0.95;
  static constexpr double rgcsr(double fill) { return 0.90 / (1.0 + 0.5 * fill); }
  /// Sorted rows and a tail.
  static constexpr double rgcsr_sorted = 0.25;
  /// The conversion: waits and allocations in launches, and its reading and writing (lap3d27_80
  /// 0.97 ms, tiny_1000 0.08).
  static constexpr double conversion_launches = 20.0;
  static constexpr double conversion = 0.1;
};

}  // namespace araios::tuning
