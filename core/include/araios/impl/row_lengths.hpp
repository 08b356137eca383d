// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <araios/error.hpp>
#include <araios/impl/execution.hpp>
#include <araios/ranges.hpp>

/// Lengths of rows, of the longest of some neighbours, and rows sorted by length.
namespace araios::impl {

template <class Crs>
struct row_lengths {
  typename Crs::offset_type const* row_map;
  std::int64_t rows;
  typename Crs::ordinal_type const* order = nullptr;  // of the rows, if they are sorted
  std::int64_t dropped = std::numeric_limits<std::int64_t>::max();  // longer rows count as empty
  std::int64_t most = std::numeric_limits<std::int64_t>::max();     // and only so many entries do

  KOKKOS_FUNCTION std::int64_t row(std::int64_t at) const {
    return order == nullptr ? at : static_cast<std::int64_t>(order[at]);
  }
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t at) const {
    auto const i = row(at);
    auto const length = static_cast<std::int64_t>(row_map[i + 1] - row_map[i]);
    return length > dropped ? 0 : Kokkos::min(length, most);
  }
};

/// Slots of the groups of rows: `size` times the longest, or as many times as there are rows.
template <class Crs>
struct group_slots {
  row_lengths<Crs> lengths;
  std::int64_t size;
  bool whole;

  KOKKOS_FUNCTION std::int64_t width(std::int64_t group) const {
    std::int64_t longest = 0;
    auto const last = Kokkos::min((group + 1) * size, lengths.rows);
    for (auto i = group * size; i < last; ++i) longest = Kokkos::max(longest, lengths(i));
    return longest;
  }
  KOKKOS_FUNCTION std::int64_t rows_of(std::int64_t group) const {
    return Kokkos::min(size, lengths.rows - group * size);
  }
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t group) const {
    return width(group) * (whole ? size : rows_of(group));
  }
};

/// Sorts the rows of each window by falling length, those of equal length as they come: a bitonic
/// sort in scratch memory. Source: Batcher, Sorting networks and their applications, AFIPS 1968.
template <class Crs>
struct sort_windows {
  static constexpr int most_rows = 4096;
  row_lengths<Crs> lengths;
  int window;  // a power of two up to most_rows
  typename Crs::ordinal_type* order;

  std::size_t scratch_bytes() const {
    return (static_cast<std::size_t>(window) + 1) * sizeof(std::uint64_t);
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    auto* const keys = static_cast<std::uint64_t*>(member.team_scratch(0).get_shmem_aligned(
        static_cast<std::size_t>(window) * sizeof(std::uint64_t), sizeof(std::uint64_t)));
    std::int64_t const windows = (lengths.rows + window - 1) / window;
    for (std::int64_t w = member.league_rank(); w < windows; w += member.league_size()) {
      auto const first = w * window;
      for (int const i : block_stride(member, 0, window)) {
        // the place in the window is in the lower bits; rows that there are not come last
        auto const length = first + i < lengths.rows ? lengths(first + i) + 1 : 0;
        auto const falling = (std::uint64_t{1} << 51) - static_cast<std::uint64_t>(length);
        keys[i] = falling * most_rows + static_cast<std::uint64_t>(i);
      }
      member.team_barrier();
      for (int run = 2; run <= window; run *= 2)
        for (int distance = run / 2; distance > 0; distance /= 2) {
          for (int const pair : block_stride(member, 0, window / 2)) {
            int const low = pair / distance * 2 * distance + pair % distance;
            auto& a = keys[low];
            auto& b = keys[low + distance];
            if ((a > b) == ((low & run) == 0)) Kokkos::kokkos_swap(a, b);
          }
          member.team_barrier();
        }
      for (int const i : block_stride(member, 0, window))
        if (first + i < lengths.rows)
          order[first + i] = static_cast<typename Crs::ordinal_type>(
              first + static_cast<std::int64_t>(keys[i] % most_rows));
      member.team_barrier();
    }
  }
};

inline void require_window(char const* function, int window) {
  require(window >= 1 && window <= 4096 && std::has_single_bit(static_cast<unsigned>(window)),
          function, ": a window of ", window, " rows; a power of two up to 4096 is needed");
}

/// The rows of each window by falling length.
template <class Crs, class Space>
auto sorted_rows(Space const& space, row_lengths<Crs> const& lengths, int window) {
  auto const order = allocate<typename Crs::ordinal_type>(space, "araios::convert::order",
                                                          static_cast<std::size_t>(lengths.rows));
  sort_windows<Crs> const kernel{lengths, window, order.data()};
  int const team = team_size_for(space, 256, 1, kernel, kernel.scratch_bytes());
  Kokkos::parallel_for(
      "araios::convert::sort_windows",
      team_policy(space, ceil_div(lengths.rows, window), team, 1, kernel.scratch_bytes()), kernel);
  return order;
}

}  // namespace araios::impl
