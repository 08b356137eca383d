// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

/// Portable defaults of SpGEMM; docs/performance.md has the measurements they come from.
namespace araios::tuning {

/// Rows whose hash table has `table_size` slots (a power of two): each row is done by `lanes` lanes
/// of a warp, or by a team of `threads` threads if `lanes` is 0. On host backends by one thread.
struct spgemm_bin {
  int table_size;
  int lanes;
  int threads;
};

/// Slots per entry: symbolic tables are sized by products, an upper bound that is rarely reached,
/// numeric ones by the entries themselves. Source: OpSparse (Du et al., 2022), section 5.5.
inline constexpr double spgemm_symbolic_slots = 1.2;
inline constexpr double spgemm_numeric_slots = 2.0;

/// The largest number of keys that a table takes, from its size and the slots per key.
constexpr std::int64_t spgemm_bin_limit(spgemm_bin bin, double slots_per_key) {
  return static_cast<std::int64_t>(static_cast<double>(bin.table_size) / slots_per_key);
}

inline constexpr std::array spgemm_symbolic_bins = {
    spgemm_bin{32, 8, 128},   spgemm_bin{64, 8, 128},   spgemm_bin{256, 32, 128},
    spgemm_bin{512, 0, 64},   spgemm_bin{1024, 0, 128}, spgemm_bin{2048, 0, 256},
    spgemm_bin{4096, 0, 256}, spgemm_bin{8192, 0, 512},
};
inline constexpr std::array spgemm_numeric_bins = {
    spgemm_bin{32, 8, 128},   spgemm_bin{64, 8, 128},  spgemm_bin{128, 16, 128},
    spgemm_bin{256, 0, 64},   spgemm_bin{512, 0, 128}, spgemm_bin{1024, 0, 256},
    spgemm_bin{2048, 0, 512},
};
static_assert(spgemm_bin_limit(spgemm_numeric_bins[0], spgemm_numeric_slots) == 16);

/// Threads of a team that works in the global workspace.
inline constexpr int spgemm_global_threads = 512;

/// Host rows with at most this many products are sorted instead of summed in a dense window: half
/// the time on er20_4, a quarter less on lap3d7_100.
inline constexpr int spgemm_short_row = 32;

/// Masks of the symbolic phase are in scratch memory if that takes at most so many passes over a
/// row: 22 ms against 88 in the global workspace for rmat18_ef8 (one pass, H200).
inline constexpr std::int64_t spgemm_scratch_masks = 3;

/// Below this many rows all rows go to one bin: fewer launches gain more than fitting tables.
inline constexpr std::int64_t spgemm_one_bin_rows = 2048;

/// The workspace may take this many times what the operands take, and always the least given here.
inline constexpr std::size_t spgemm_workspace_factor = 16;
inline constexpr std::size_t spgemm_least_workspace = std::size_t{32} << 20;

/// Entries of C whose kept products are added by one team, its threads, and products that it forms
/// at a time; sums of more than `spgemm_kept_longest` products get a team each. Not tuned.
inline constexpr int spgemm_kept_chunk = 512;
inline constexpr int spgemm_kept_threads = 256;
inline constexpr int spgemm_kept_terms = 2048;
inline constexpr int spgemm_kept_longest = 127;
static_assert(spgemm_kept_chunk * spgemm_kept_longest < 1 << 16, "16 bits hold a begin in a chunk");

}  // namespace araios::tuning
