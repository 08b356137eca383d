// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include <araios/impl/split_schedule.hpp>

namespace araios {

/// Equal shares of tiles plus atoms: every worker gets the same number of steps on the path that
/// merges tile ends with atoms, so one huge tile costs no more than many small ones, nor do many
/// empty ones. Tiles are split between workers; their parts are added atomically, so the last bits
/// of a split row can differ from run to run. Source: Merrill and Garland, SC 2016; loops (Osama et
/// al., PPoPP 2023).
struct merge_path : impl::split_schedule<merge_path> {
  static constexpr char const* name = "merge_path";

  explicit merge_path(int lanes_per_slice = 1, int items_per_worker = 8)
      : split_schedule(name, lanes_per_slice, items_per_worker) {}

  template <tile_set Tiles>
  std::int64_t workers_for(Tiles const& tiles) const {
    return impl::ceil_div(impl::merge_steps(tiles), items);
  }
  /// Where worker `rank` starts.
  template <tile_set Tiles>
  KOKKOS_FUNCTION impl::merge_point<Tiles> start(Tiles const& tiles, std::int64_t rank,
                                                 std::int64_t workers) const {
    return impl::merge_start(tiles, rank, workers);
  }
  /// Whether a start can lie at `atom` in a tile with these borders: every diagonal has one point.
  template <class Atom>
  static KOKKOS_FUNCTION bool may_be_start(Atom begin, Atom end, Atom atom) {
    return begin <= atom && atom <= end;
  }
  /// The first and the last worker that have a step of a tile.
  template <tile_set Tiles>
  KOKKOS_FUNCTION std::int64_t worker_of_begin(Tiles const& tiles, typename Tiles::tile_type tile,
                                               std::int64_t workers) const {
    return (static_cast<std::int64_t>(tile) + static_cast<std::int64_t>(tiles.tile_begin(tile))) /
           impl::merge_share(tiles, workers);
  }
  template <tile_set Tiles>
  KOKKOS_FUNCTION std::int64_t worker_of_end(Tiles const& tiles, typename Tiles::tile_type tile,
                                             std::int64_t workers) const {
    return (static_cast<std::int64_t>(tile) + static_cast<std::int64_t>(tiles.tile_end(tile))) /
           impl::merge_share(tiles, workers);
  }
};

template <class Space, tile_set Tiles>
using bound_merge_path = bound_split<merge_path, Space, Tiles>;

}  // namespace araios
