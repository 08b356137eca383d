// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

/// Numbers of the storage formats.
namespace araios::tuning {

/// Rows with more entries go to the tail of RgCSR, by the mean of the row lengths: a thread has to
/// go through the others alone.
constexpr std::int64_t rgcsr_longest(double mean) {
  return std::max<std::int64_t>(32, static_cast<std::int64_t>(4.0 * mean));
}

}  // namespace araios::tuning
