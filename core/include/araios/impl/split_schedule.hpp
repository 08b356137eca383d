// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>

#include <araios/concepts.hpp>
#include <araios/impl/merge_path.hpp>
#include <araios/impl/slices.hpp>
#include <araios/tuning/spmv.hpp>

namespace araios {

template <class Schedule, class Space, tile_set Tiles>
class bound_split;

namespace impl {

/// What schedules have in common that give every worker a stretch of the merge path, and so split
/// tiles. `Schedule` says how many workers it wants, `workers_for(tiles)`, and where each starts,
/// `start(tiles, rank, workers)`.
template <class Schedule>
struct split_schedule {
  static constexpr slice_scope scope = slice_scope::lanes;
  static constexpr bool splits_tiles = true;
  static constexpr bool one_lane = false;
  static constexpr bool keeps_starts = false;

  int lanes;  ///< lanes that share a slice, a power of two from 1 to 32; one on host backends
  int items;  ///< what a worker takes, except on host backends, where every thread is one worker

  split_schedule(char const* name, int lanes_per_slice, int items_per_worker)
      : lanes(lanes_per_slice), items(items_per_worker) {
    require_lanes(name, lanes);
    require(items >= 1, "araios::", name, ": ", items, " items per worker");
  }

  template <class Space, tile_set Tiles>
  launch_shape shape(Space const& space, Tiles const& tiles) const {
    return shape_for(space, self().workers_for(tiles), threads_per_team, lanes);
  }

  template <tile_set Tiles, class Member>
  KOKKOS_FUNCTION merge_slices<Tiles> slices(Tiles const& tiles, Member const& member,
                                             std::int64_t workers) const {
    auto const rank = worker_of<scope>(member).rank;
    return {tiles, self().start(tiles, rank, workers), self().start(tiles, rank + 1, workers)};
  }
  template <tile_set Tiles, class Member>
  KOKKOS_FUNCTION merge_slices<Tiles> slices(Tiles const& tiles, Member const& member) const {
    return slices(tiles, member, worker_of<scope>(member).count);
  }

  /// Where worker `rank` starts, as far as is known without looking: searched here.
  template <tile_set Tiles>
  KOKKOS_FUNCTION merge_point<Tiles> known_start(Tiles const& tiles, std::int64_t rank,
                                                 std::int64_t workers) const {
    return self().start(tiles, rank, workers);
  }

  /// The tile that worker `rank` must prepare because nobody gets it whole, or num_tiles().
  template <tile_set Tiles>
  KOKKOS_FUNCTION typename Tiles::tile_type split_tile(Tiles const& tiles, std::int64_t rank,
                                                       std::int64_t workers) const {
    return split_at(tiles, rank > 0 ? self().start(tiles, rank - 1, workers) : merge_point<Tiles>{},
                    self().start(tiles, rank, workers));
  }

  /// The prepared form: the starts of all workers, found once. Asynchronous in `space`.
  template <class Space, tile_set Tiles>
  bound_split<Schedule, Space, Tiles> bind(Space const& space, Tiles const& tiles) const {
    return {space, tiles, self()};
  }

 private:
  KOKKOS_FUNCTION Schedule const& self() const { return static_cast<Schedule const&>(*this); }
};

template <class Schedule, tile_set Tiles>
struct fill_starts {
  Schedule schedule;
  Tiles tiles;
  std::int64_t workers;
  merge_point<Tiles>* starts;

  KOKKOS_FUNCTION void operator()(std::int64_t rank) const {
    starts[rank] = schedule.start(tiles, rank, workers);
  }
};

}  // namespace impl

/// A schedule that splits tiles, with the starts of its workers in memory: 16 bytes per worker or
/// less. A start that is not on the merge path of the tiles at hand is searched again, so that
/// tiles whose ends have moved since (with as many atoms) are still dealt right, at the price of
/// the search.
template <class Schedule, class Space, tile_set Tiles>
class bound_split {
 public:
  static constexpr char const* name = Schedule::name;
  static constexpr slice_scope scope = Schedule::scope;
  static constexpr bool splits_tiles = true;
  static constexpr bool one_lane = false;
  static constexpr bool keeps_starts = true;

  int lanes;  ///< as those of the schedule
  int items;

  bound_split(Space const& space, Tiles const& tiles, Schedule const& schedule)
      : lanes(schedule.lanes),
        items(schedule.items),
        schedule_(schedule),
        shape_(schedule.shape(space, tiles)),
        starts_(impl::allocate<impl::merge_point<Tiles>>(
            space, std::string("araios::") + name + "::starts",
            static_cast<std::size_t>(shape_.workers) + 1)) {
    auto const room =
        tuning::spmv_shape<Space>::room_for_shares(shape_.workers, space.concurrency());
    owner_ = Kokkos::Tools::Experimental::device_id(space);
    if (room > 0) {
      room_ = impl::allocate<char>(space, std::string("araios::") + name + "::room", room);
      Kokkos::deep_copy(space, room_, char{});
    }
    Kokkos::parallel_for(
        std::string("araios::") + name + "::bind",
        Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(space, 0, shape_.workers + 1),
        impl::fill_starts<Schedule, Tiles>{schedule, tiles, shape_.workers, starts_.data()});
  }

  launch_shape shape(Space const&, Tiles const&) const { return shape_; }

  /// Where worker `rank` starts.
  KOKKOS_FUNCTION impl::merge_point<Tiles> start(Tiles const& tiles, std::int64_t rank,
                                                 std::int64_t workers) const {
    if (workers != shape_.workers) return schedule_.start(tiles, rank, workers);
    auto const known = starts_(rank);
    return fits(tiles, known) ? known : schedule_.start(tiles, rank, shape_.workers);
  }

  /// Whether a start can be one of these tiles.
  static KOKKOS_FUNCTION bool fits(Tiles const& tiles, impl::merge_point<Tiles> start) {
    if (start.tile == tiles.num_tiles()) return start.atom == tiles.num_atoms();
    return may_be_start(tiles.tile_begin(start.tile), tiles.tile_end(start.tile), start.atom);
  }
  /// The same for a tile of which the borders are known.
  static KOKKOS_FUNCTION bool may_be_start(typename Tiles::atom_type begin,
                                           typename Tiles::atom_type end,
                                           typename Tiles::atom_type atom) {
    return Schedule::may_be_start(begin, end, atom);
  }

  /// The same as it is in memory: right only if it fits.
  KOKKOS_FUNCTION impl::merge_point<Tiles> known_start(Tiles const&, std::int64_t rank,
                                                       std::int64_t) const {
    return starts_(rank);
  }

  /// The starts in memory are those of as many workers as `shape` says; others look for theirs.
  template <class Member>
  KOKKOS_FUNCTION impl::merge_slices<Tiles> slices(Tiles const& tiles, Member const& member,
                                                   std::int64_t workers) const {
    if (workers != shape_.workers) return schedule_.slices(tiles, member, workers);
    auto const rank = Kokkos::min(worker_of<scope>(member).rank, workers);
    return {tiles, start(tiles, rank, workers),
            start(tiles, Kokkos::min(rank + 1, workers), workers)};
  }
  template <class Member>
  KOKKOS_FUNCTION impl::merge_slices<Tiles> slices(Tiles const& tiles, Member const& member) const {
    return slices(tiles, member, worker_of<scope>(member).count);
  }

  /// The atoms of all workers of this team if they belong to one tile, which does not end there;
  /// else nothing; for workers of one lane. The team reads them side by side and adds one sum.
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

  /// The first and the last worker that have a step of a tile with atoms.
  KOKKOS_FUNCTION std::int64_t worker_of_begin(Tiles const& tiles, typename Tiles::tile_type tile,
                                               std::int64_t workers) const {
    return schedule_.worker_of_begin(tiles, tile, workers);
  }
  KOKKOS_FUNCTION std::int64_t worker_of_end(Tiles const& tiles, typename Tiles::tile_type tile,
                                             std::int64_t workers) const {
    return schedule_.worker_of_end(tiles, tile, workers);
  }

  /// For the kernels of a backend on the instance that this was made on; zero between launches.
  KOKKOS_FUNCTION char* room() const { return room_.data(); }
  bool has_room(Space const& space) const {
    return room_.span() > 0 && owner_ == Kokkos::Tools::Experimental::device_id(space);
  }

  std::size_t bytes() const {
    return starts_.span() * sizeof(impl::merge_point<Tiles>) + room_.span();
  }

 private:
  Schedule schedule_;
  launch_shape shape_;
  Kokkos::View<impl::merge_point<Tiles>*, typename Space::memory_space> starts_;
  Kokkos::View<char*, typename Space::memory_space> room_;
  std::uint32_t owner_ = 0;
};

}  // namespace araios
