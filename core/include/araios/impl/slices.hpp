// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

#include <araios/concepts.hpp>
#include <araios/error.hpp>
#include <araios/schedule/workers.hpp>

namespace araios::impl {

/// Workers that deal themselves whole tiles in strides are at most this many times as many as fit
/// the device at a time: starting more teams costs more than another round of the loop
/// (warp_mapped(8) on fem6_pwtklike: 0.051 ms against 0.053, lap2d5_1500: 0.213 against 0.230,
/// H200).
inline constexpr std::int64_t rounds_per_worker = 4;

/// The shape for workers that take whole tiles in strides, `lanes` threads each.
template <class Space>
launch_shape strided_shape(Space const& space, std::int64_t tiles, int lanes, int vector_length) {
  std::int64_t const most = rounds_per_worker * std::max(1, space.concurrency() / lanes);
  return shape_for(space, std::min(tiles, most), threads_per_team, vector_length);
}

inline void require_lanes(char const* schedule, int lanes) {
  require(lanes >= 1 && lanes <= 32 && (lanes & (lanes - 1)) == 0, "araios::", schedule, ": ",
          lanes, " lanes; a power of two from 1 to 32 is needed");
}

/// Items first, first + step, ... below last.
struct strided_range {
  std::int64_t first;
  std::int64_t last;
  std::int64_t step;
};

/// The items of `count` that this worker takes: its own run on the host, where a thread reads
/// ahead; every worker.count-th one elsewhere, where neighbouring workers share cache lines.
template <class Member>
KOKKOS_FUNCTION strided_range share_of(worker_id worker, std::int64_t count, Member const&) {
  if (worker.rank >= worker.count) return {count, count, 1};
  if constexpr (runs_on_host<typename Member::execution_space>) {
    std::int64_t const chunk = count / worker.count;
    std::int64_t const rest = count % worker.count;
    std::int64_t const first = worker.rank * chunk + Kokkos::min(worker.rank, rest);
    return {first, first + chunk + (worker.rank < rest ? 1 : 0), 1};
  } else {
    return {worker.rank, count, worker.count};
  }
}

/// A slice that the whole team shares, whatever the scope of its schedule.
template <tile_set Tiles>
struct team_slice : slice_of<Tiles> {};

/// Who shares a slice of this type that a schedule deals.
template <class Schedule, class Slice>
inline constexpr slice_scope scope_of = Schedule::scope;
template <class Schedule, class Tiles>
inline constexpr slice_scope scope_of<Schedule, team_slice<Tiles>> = slice_scope::team;

/// The slices of a schedule that deals whole tiles.
template <tile_set Tiles>
struct whole_tiles {
  Tiles tiles;
  strided_range range;

  struct iterator {
    Tiles tiles;
    std::int64_t tile;
    std::int64_t last;
    std::int64_t step;

    KOKKOS_FUNCTION slice_of<Tiles> operator*() const {
      auto const t = static_cast<typename Tiles::tile_type>(tile);
      return {t, tiles.tile_begin(t), tiles.tile_end(t), true};
    }
    KOKKOS_FUNCTION iterator& operator++() {
      tile += step;
      return *this;
    }
    KOKKOS_FUNCTION bool operator!=(end_of_slices) const { return tile < last; }
  };
  KOKKOS_FUNCTION iterator begin() const { return {tiles, range.first, range.last, range.step}; }
  KOKKOS_FUNCTION end_of_slices end() const { return {}; }
};

/// The same for a run of tiles, each of which begins where the one before ends.
template <tile_set Tiles>
struct run_of_tiles {
  Tiles tiles;
  strided_range range;

  struct iterator {
    Tiles tiles;
    typename Tiles::tile_type tile;
    typename Tiles::tile_type last;
    typename Tiles::atom_type begin;

    KOKKOS_FUNCTION slice_of<Tiles> operator*() const {
      return {tile, begin, tiles.tile_end(tile), true};
    }
    KOKKOS_FUNCTION iterator& operator++() {
      begin = tiles.tile_end(tile);
      ++tile;
      return *this;
    }
    KOKKOS_FUNCTION bool operator!=(end_of_slices) const { return tile < last; }
  };
  KOKKOS_FUNCTION iterator begin() const {
    auto const first = static_cast<typename Tiles::tile_type>(range.first);
    return {tiles, first, static_cast<typename Tiles::tile_type>(range.last),
            range.first < range.last ? tiles.tile_begin(first) : 0};
  }
  KOKKOS_FUNCTION end_of_slices end() const { return {}; }
};

/// What schedules that deal whole tiles have in common.
template <slice_scope Scope>
struct whole_tile_schedule {
  static constexpr slice_scope scope = Scope;
  static constexpr bool one_lane = false;
  static constexpr bool splits_tiles = false;

  template <tile_set Tiles, class Member>
  using range = std::conditional_t<runs_on_host<typename Member::execution_space>,
                                   run_of_tiles<Tiles>, whole_tiles<Tiles>>;

  /// The slices of this member if the tiles are dealt to the first `workers` workers of the league.
  template <tile_set Tiles, class Member>
  KOKKOS_FUNCTION range<Tiles, Member> slices(Tiles const& tiles, Member const& member,
                                              std::int64_t workers) const {
    worker_id const worker{worker_of<Scope>(member).rank, workers};
    return {tiles, share_of(worker, tiles.num_tiles(), member)};
  }
  /// The same with all workers of the league.
  template <tile_set Tiles, class Member>
  KOKKOS_FUNCTION range<Tiles, Member> slices(Tiles const& tiles, Member const& member) const {
    return slices(tiles, member, worker_of<Scope>(member).count);
  }
};

/// The prepared form of a schedule that has nothing to keep: itself.
template <class Schedule>
struct bound_as_it_is {
  template <class Space, tile_set Tiles>
  Schedule bind(Space const&, Tiles const&) const {
    return static_cast<Schedule const&>(*this);
  }
};

}  // namespace araios::impl
