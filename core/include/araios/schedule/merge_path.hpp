// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include <araios/concepts.hpp>
#include <araios/impl/merge_path.hpp>
#include <araios/impl/slices.hpp>

namespace araios {

template <class Space, tile_set Tiles>
class bound_merge_path;

/// Equal shares of tiles plus atoms: every worker gets the same number of steps on the path that
/// merges tile ends with atoms, so one huge tile costs no more than many small ones. Tiles are
/// split between workers; their parts are added atomically, so the last bits of a split row can
/// differ from run to run. Source: Merrill and Garland, SC 2016; loops (Osama et al., PPoPP 2023).
struct merge_path {
  static constexpr char const* name = "merge_path";
  static constexpr slice_scope scope = slice_scope::lanes;
  static constexpr bool splits_tiles = true;
  static constexpr bool one_lane = false;

  int lanes;  ///< lanes that share a slice, a power of two from 1 to 32; one on host backends
  int items;  ///< steps of one worker, except on host backends, where every thread is one worker

  explicit merge_path(int lanes_per_slice = 1, int items_per_worker = 8)
      : lanes(lanes_per_slice), items(items_per_worker) {
    impl::require_lanes(name, lanes);
    impl::require(items >= 1, "araios::merge_path: ", items, " items per worker");
  }

  template <class Space, tile_set Tiles>
  impl::launch_shape shape(Space const& space, Tiles const& tiles) const {
    auto const workers = impl::ceil_div(impl::merge_steps(tiles), items);
    return impl::shape_for(space, workers, impl::threads_per_team, lanes);
  }

  /// Where worker `rank` starts.
  template <tile_set Tiles>
  KOKKOS_FUNCTION impl::merge_point<Tiles> start(Tiles const& tiles, std::int64_t rank,
                                                 std::int64_t workers) const {
    return impl::merge_start(tiles, rank, workers);
  }

  template <tile_set Tiles, class Member>
  KOKKOS_FUNCTION impl::merge_slices<Tiles> slices(Tiles const& tiles, Member const& member,
                                                   std::int64_t workers) const {
    auto const rank = impl::worker_of<scope>(member).rank;
    return {tiles, start(tiles, rank, workers), start(tiles, rank + 1, workers)};
  }
  template <tile_set Tiles, class Member>
  KOKKOS_FUNCTION impl::merge_slices<Tiles> slices(Tiles const& tiles, Member const& member) const {
    return slices(tiles, member, impl::worker_of<scope>(member).count);
  }

  /// The tile that worker `rank` must prepare because nobody gets it whole, or num_tiles().
  template <tile_set Tiles>
  KOKKOS_FUNCTION typename Tiles::tile_type split_tile(Tiles const& tiles, std::int64_t rank,
                                                       std::int64_t workers) const {
    return impl::split_at(tiles,
                          rank > 0 ? start(tiles, rank - 1, workers) : impl::merge_point<Tiles>{},
                          start(tiles, rank, workers));
  }

  /// The prepared form: the starts of all workers, found once. Asynchronous in `space`.
  template <class Space, tile_set Tiles>
  bound_merge_path<Space, Tiles> bind(Space const& space, Tiles const& tiles) const {
    return {space, tiles, *this};
  }
};

/// `merge_path` with the starts of its workers in memory: 16 bytes per worker or less. A start
/// that is not on the path of the tiles at hand is searched again, so that tiles whose ends have
/// moved since (with as many atoms) are still dealt right, at the price of the search.
template <class Space, tile_set Tiles>
class bound_merge_path {
 public:
  static constexpr char const* name = merge_path::name;
  static constexpr slice_scope scope = merge_path::scope;
  static constexpr bool splits_tiles = true;
  static constexpr bool one_lane = false;

  int lanes;  ///< as those of the schedule
  int items;

  bound_merge_path(Space const& space, Tiles const& tiles, merge_path const& schedule)
      : lanes(schedule.lanes),
        items(schedule.items),
        shape_(schedule.shape(space, tiles)),
        starts_(impl::allocate<impl::merge_point<Tiles>>(
            space, "araios::merge_path::starts", static_cast<std::size_t>(shape_.workers) + 1)) {
    Kokkos::parallel_for(
        "araios::merge_path::bind",
        Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(space, 0, shape_.workers + 1),
        impl::fill_merge_starts<Tiles>{tiles, shape_.workers, starts_.data()});
  }

  impl::launch_shape shape(Space const&, Tiles const&) const { return shape_; }

  /// Where worker `rank` of all of them starts.
  KOKKOS_FUNCTION impl::merge_point<Tiles> start(Tiles const& tiles, std::int64_t rank,
                                                 std::int64_t) const {
    auto const known = starts_(rank);
    return impl::on_merge_path(tiles, known) ? known
                                             : impl::merge_start(tiles, rank, shape_.workers);
  }

  template <class Member>
  KOKKOS_FUNCTION impl::merge_slices<Tiles> slices(Tiles const& tiles, Member const& member,
                                                   std::int64_t workers) const {
    auto const rank = Kokkos::min(impl::worker_of<scope>(member).rank, workers);
    return {tiles, start(tiles, rank, workers),
            start(tiles, Kokkos::min(rank + 1, workers), workers)};
  }

  template <class Member>
  KOKKOS_FUNCTION impl::merge_slices<Tiles> slices(Tiles const& tiles, Member const& member) const {
    return slices(tiles, member, shape_.workers);
  }

  /// The atoms of all workers of this team if they belong to one tile, which does not end there; else
  /// nothing; for workers of one lane. The team reads them side by side and adds one sum.
  template <class Member>
  KOKKOS_FUNCTION impl::team_slice<Tiles> whole_team(Tiles const& tiles, Member const& member,
                                                     std::int64_t workers) const {
    std::int64_t const rank = std::int64_t{member.league_rank()} * member.team_size();
    auto const first = start(tiles, Kokkos::min(rank, workers), workers);
    auto const last = start(tiles, Kokkos::min(rank + member.team_size(), workers), workers);
    bool const whole = lanes == 1 && first.tile == last.tile;
    return {{first.tile, first.atom, whole ? last.atom : first.atom, false}};
  }

  KOKKOS_FUNCTION typename Tiles::tile_type split_tile(Tiles const& tiles, std::int64_t rank,
                                                       std::int64_t workers) const {
    return impl::split_at(tiles,
                          rank > 0 ? start(tiles, rank - 1, workers) : impl::merge_point<Tiles>{},
                          start(tiles, rank, workers));
  }

  std::size_t bytes() const { return starts_.span() * sizeof(impl::merge_point<Tiles>); }

 private:
  impl::launch_shape shape_;
  Kokkos::View<impl::merge_point<Tiles>*, typename Space::memory_space> starts_;
};

}  // namespace araios
