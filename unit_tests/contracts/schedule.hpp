// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <araios/concepts.hpp>
#include <araios/load_balance.hpp>
#include <araios/schedule/group_mapped.hpp>
#include <araios/schedule/merge_path.hpp>
#include <araios/schedule/nonzero_split.hpp>
#include <araios/schedule/thread_mapped.hpp>
#include <araios/schedule/warp_mapped.hpp>

#include "contracts/tile_set.hpp"
#include "support/device.hpp"

namespace contracts {

/// f(schedule) for every schedule, with each number of lanes and many sizes of shares.
template <class F>
void for_each_schedule(F const& f) {
  f(araios::thread_mapped{});
  for (int const lanes : {1, 2, 4, 8, 16, 32}) f(araios::warp_mapped(lanes));
  f(araios::block_mapped{});
  for (auto const& [lanes, items] : {std::pair{1, 1}, {1, 8}, {2, 3}, {4, 16}, {32, 1}, {32, 64}})
    f(araios::merge_path(lanes, items));
  for (auto const& [lanes, items] : {std::pair{1, 1}, {1, 8}, {2, 3}, {32, 128}})
    f(araios::nonzero_split(lanes, items));
  for (int const size : {1, 32, 100, 256}) f(araios::group_mapped(size));
}

/// Is this a schedule that splits tiles, and so prepares them in a launch of its own?
inline bool splits_tiles(std::string const& name) {
  return name == araios::merge_path::name || name == araios::nonzero_split::name;
}

template <class Schedule>
std::string describe(Schedule const& schedule) {
  std::ostringstream text;
  text << Schedule::name;
  if constexpr (requires { schedule.lanes; }) text << " lanes=" << schedule.lanes;
  if constexpr (requires { schedule.items; }) text << " items=" << schedule.items;
  if constexpr (requires { schedule.size; }) text << " size=" << schedule.size;
  return text.str();
}

struct recorded_slice {
  std::int64_t worker;
  std::int64_t tile;
  std::int64_t begin;
  std::int64_t end;
  bool complete;
};

/// Where kernels write down the slices that they get: all that fit, and the number of all.
struct slice_record {
  Kokkos::View<recorded_slice*, support::exec> slices;
  Kokkos::View<std::uint64_t, support::exec> count;

  explicit slice_record(std::int64_t capacity)
      : slices("contracts::slices", static_cast<std::size_t>(capacity)),
        count("contracts::count") {}

  KOKKOS_FUNCTION void add(recorded_slice const& slice) const {
    auto const at = Kokkos::atomic_fetch_add(&count(), std::uint64_t{1});
    if (at < slices.extent(0)) slices(at) = slice;
  }
};

template <class Schedule, araios::tile_set Tiles>
struct record_body {
  slice_record record;

  template <class Member, class Slice>
  KOKKOS_FUNCTION void operator()(Member const& member, Slice const& slice) const {
    recorded_slice const seen{araios::worker_of<Schedule::scope>(member).rank,
                              static_cast<std::int64_t>(slice.tile),
                              static_cast<std::int64_t>(slice.begin),
                              static_cast<std::int64_t>(slice.end), slice.complete};
    araios::once<Schedule>(member, slice, [&] { record.add(seen); });
  }
};

/// A league of any size that asks the schedule for its slices, through the call that
/// `schedule_for` demands.
template <class Schedule, araios::tile_set Tiles>
struct record_kernel {
  Schedule schedule;
  Tiles tiles;
  record_body<Schedule, Tiles> body;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    for (auto const slice : schedule.slices(tiles, member)) body(member, slice);
  }
};

/// Asks for the tile that each worker must prepare.
template <class Schedule, araios::tile_set Tiles>
struct record_split_tiles {
  Schedule schedule;
  Tiles tiles;
  std::int64_t workers;
  support::device_vector<std::int64_t> named;

  KOKKOS_FUNCTION void operator()(std::int64_t rank) const {
    named(rank) = static_cast<std::int64_t>(schedule.split_tile(tiles, rank, workers));
  }
};

inline std::vector<recorded_slice> slices_in(slice_record const& record) {
  Kokkos::fence();
  std::uint64_t count = 0;
  Kokkos::deep_copy(count, record.count);
  EXPECT_LE(count, record.slices.extent(0)) << "more slices than tiles and workers";
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, record.slices);
  return {host.data(), host.data() + std::min<std::uint64_t>(count, host.extent(0))};
}

/// Invariants 1 to 3 of a schedule, for the slices that all workers got.
inline void check_slices(std::vector<recorded_slice> slices, tile_borders const& borders,
                         bool splits_tiles) {
  auto const tiles = static_cast<std::int64_t>(borders.begin.size());
  std::vector<int> complete(borders.begin.size()), parts(borders.begin.size());
  std::sort(slices.begin(), slices.end(), [](auto const& a, auto const& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  std::int64_t next = 0;
  for (auto const& s : slices) {
    ASSERT_TRUE(0 <= s.tile && s.tile < tiles) << "tile " << s.tile;
    auto const t = static_cast<std::size_t>(s.tile);
    ASSERT_LE(s.begin, s.end) << "tile " << s.tile;
    ASSERT_EQ(s.begin, next) << "invariant 1: atoms left out or dealt twice in tile " << s.tile;
    ASSERT_TRUE(borders.begin[t] <= s.begin && s.end <= borders.end[t])
        << "tile " << s.tile << " has no atoms " << s.begin << ".." << s.end;
    if (s.complete) {
      ++complete[t];
      ASSERT_TRUE(s.begin == borders.begin[t] && s.end == borders.end[t])
          << "invariant 2: only a part of tile " << s.tile << " is said to be complete";
    } else {
      ++parts[t];
      ASSERT_LT(s.begin, s.end) << "invariant 2: an empty part of tile " << s.tile;
      ASSERT_TRUE(splits_tiles) << "invariant 2: tile " << s.tile << " is split";
    }
    next = s.end;
  }
  ASSERT_EQ(next, tiles > 0 ? borders.end.back() : 0) << "invariant 1: last atoms left out";
  for (std::size_t t = 0; t < borders.begin.size(); ++t) {
    ASSERT_EQ(complete[t], parts[t] > 0 ? 0 : 1) << "invariant 2, tile " << t;
    bool const empty = borders.begin[t] == borders.end[t];
    ASSERT_TRUE(!empty || complete[t] == 1) << "invariant 3, tile " << t;
  }
}

/// Invariant 4: each tile without a complete slice is named once, no other tile is named.
template <class Schedule, araios::tile_set Tiles>
void check_split_tiles(Schedule const& schedule, Tiles const& tiles, std::int64_t workers,
                       std::vector<recorded_slice> const& slices) {
  auto const num_tiles = static_cast<std::int64_t>(tiles.num_tiles());
  std::vector<int> due(static_cast<std::size_t>(num_tiles), 0);
  for (auto const& s : slices)
    if (!s.complete) due[static_cast<std::size_t>(s.tile)] = 1;
  support::device_vector<std::int64_t> const named("contracts::named",
                                                   static_cast<std::size_t>(workers));
  Kokkos::parallel_for(
      "contracts::split_tiles",
      Kokkos::RangePolicy<support::exec, Kokkos::IndexType<std::int64_t>>(0, workers),
      record_split_tiles<Schedule, Tiles>{schedule, tiles, workers, named});
  for (auto const tile : support::to_host(named)) {
    if (tile == num_tiles) continue;
    ASSERT_TRUE(0 <= tile && tile < num_tiles) << "invariant 4: no tile " << tile;
    ASSERT_EQ(--due[static_cast<std::size_t>(tile)], 0)
        << "invariant 4: tile " << tile << " is named although it is not split, or twice";
  }
  for (std::size_t t = 0; t < due.size(); ++t)
    ASSERT_EQ(due[t], 0) << "invariant 4: split tile " << t << " is not named";
}

/// All invariants of a schedule, launched as operations launch it.
template <class Schedule, araios::tile_set Tiles>
void check_schedule(Schedule const& schedule, Tiles const& tiles, tile_borders const& borders) {
  support::exec const space;
  auto const workers = schedule.shape(space, tiles).workers;
  slice_record const record(static_cast<std::int64_t>(tiles.num_tiles()) + workers);
  araios::for_each_slice(space, "contracts::record", schedule, tiles,
                         record_body<Schedule, Tiles>{record});
  auto const slices = slices_in(record);
  check_slices(slices, borders, Schedule::splits_tiles);
  if constexpr (Schedule::splits_tiles) check_split_tiles(schedule, tiles, workers, slices);
}

/// The same with a league of any size, of teams of at most `threads` threads. Returns the slices.
template <class Schedule, araios::tile_set Tiles>
std::vector<recorded_slice> check_league(Schedule const& schedule, Tiles const& tiles,
                                         tile_borders const& borders, int league, int threads) {
  support::exec const space;
  int vector_length = 1;
  if constexpr (!araios::impl::runs_on_host<support::exec> && requires { schedule.lanes; })
    vector_length = schedule.lanes;
  std::int64_t const most_workers = std::int64_t{league} * threads;
  slice_record const record(static_cast<std::int64_t>(tiles.num_tiles()) + most_workers);
  record_kernel<Schedule, Tiles> const kernel{schedule, tiles, {record}};
  int const team_size =
      araios::impl::team_size_for(space, threads * vector_length, vector_length, kernel);
  Kokkos::parallel_for("contracts::record",
                       araios::impl::team_policy(space, league, team_size, vector_length), kernel);
  auto const slices = slices_in(record);
  check_slices(slices, borders, Schedule::splits_tiles);
  if constexpr (Schedule::splits_tiles)
    check_split_tiles(schedule, tiles, std::int64_t{league} * team_size, slices);
  return slices;
}

}  // namespace contracts
