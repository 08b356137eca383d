// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <limits>

#include <araios/convert.hpp>
#include <araios/row_statistics.hpp>
#include <araios/schedule/automatic.hpp>

namespace araios {

/// What a choice of a format has to know of a machine.
struct machine_speed {
  double bandwidth = 0.0;  ///< bytes per second of reading two large arrays and writing a third
  double launch = 0.0;     ///< seconds of a kernel that does next to nothing, in a queue of them
};

/// Measures the machine behind `space`: takes some milliseconds and 96 MB of its memory, and waits.
template <execution_instance Space>
machine_speed measure_speed(Space const& space);

enum class storage_format { crs, rgcsr };

/// A format for repeated products y = A x with one matrix, and what it is expected to take.
struct format_suggestion {
  storage_format format = storage_format::crs;
  rgcsr_options options;            ///< for `to_rgcsr`, if that is the format
  double crs_seconds = 0.0;         ///< a product in compressed rows, by a `spmv_plan`
  double rgcsr_seconds = 0.0;       ///< a product in row-grouped CSR
  double conversion_seconds = 0.0;  ///< `to_rgcsr`, once

  /// How many times as fast a product is in the format suggested.
  double gain() const {
    return format == storage_format::rgcsr ? crs_seconds / rgcsr_seconds : 1.0;
  }
  /// From how many products on conversion to RgCSR pays; infinity if it never does.
  double pays_after() const {
    return rgcsr_seconds < crs_seconds ? conversion_seconds / (crs_seconds - rgcsr_seconds)
                                       : std::numeric_limits<double>::infinity();
  }
};

/// Compressed rows or row-grouped CSR, whichever takes less time for `repeats` products, conversion
/// included. The model: a product takes the bytes of matrix and vectors at the part of the bandwidth
/// that the kernels of each format have been measured to reach for rows of this evenness
/// (`tuning::format_efficiency`), but at least a launch; a conversion takes its waits and
/// allocations and twice the bytes. One pass over the row map and at most one over the groups; waits
/// for both. Other formats are not suggested (docs/performance.md says why).
/// Throws std::invalid_argument if `repeats` is negative or the speed is not positive.
template <execution_instance Space, crs_like Matrix>
format_suggestion suggest_format(Space const& space, Matrix const& a, double repeats,
                                 machine_speed const& speed);

/// The same with the speed measured first.
template <execution_instance Space, crs_like Matrix>
format_suggestion suggest_format(Space const& space, Matrix const& a, double repeats) {
  return suggest_format(space, a, repeats, measure_speed(space));
}

}  // namespace araios

#include <araios/impl/suggest_format.hpp>
