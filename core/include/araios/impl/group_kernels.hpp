// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include <araios/impl/slice_kernels.hpp>
#include <araios/schedule/group_mapped.hpp>

/// The kernels of schedules whose teams share groups of tiles, on devices.
namespace araios::impl {

template <class Space, class Schedule>
inline constexpr bool shares_groups = false;
template <class Space, class Schedule>
requires Schedule::shares_groups inline constexpr bool shares_groups<Space, Schedule> =
    !runs_on_host<Space>;

template <class Body>
struct prepare_tile {
  Body body;
  template <class Tile>
  KOKKOS_FUNCTION void operator()(Tile tile) const {
    body.prepare(tile);
  }
};

/// Terms that a thread of a group has in scratch memory if there is room.
inline constexpr int staged_terms_per_thread = 8;

/// Scratch memory that a team of a group may take: level 0 is at most 48 KB in many releases of
/// Kokkos, which needs some of it for reductions itself.
template <class Space, class Sum>
std::size_t group_scratch(int size) {
  auto const all = std::min<std::size_t>(
      48 * 1024, static_cast<std::size_t>(Kokkos::TeamPolicy<Space>::scratch_size_max(0)));
  return all - std::min(all, 2048 + static_cast<std::size_t>(size) * sizeof(Sum));
}

/// Some elements of the scratch memory of a team.
template <class T, class Member>
KOKKOS_FUNCTION T* scratch_array(Member const& member, std::size_t size) {
  return static_cast<T*>(member.team_scratch(0).get_shmem_aligned(size * sizeof(T), 16));
}

/// visit(tile, atom) for the atoms of groups.
template <class Schedule, tile_set Tiles, class Visit>
struct visit_groups_kernel {
  Schedule schedule;
  Tiles tiles;
  Visit visit;

  std::size_t scratch_bytes() const {
    return static_cast<std::size_t>(schedule.size + 1) * sizeof(typename Tiles::atom_type) + 16;
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    using atom_type = typename Tiles::atom_type;
    auto* const borders =
        scratch_array<atom_type>(member, static_cast<std::size_t>(schedule.size) + 1);
    auto const num_tiles = static_cast<std::int64_t>(tiles.num_tiles());
    for (std::int64_t g = member.league_rank(); g * schedule.size < num_tiles;
         g += member.league_size()) {
      auto const group = schedule.load(tiles, member, g, borders);
      for (auto const atom : block_stride(member, group.begin(), group.end()))
        visit(group.tile_of(atom), atom);
      member.team_barrier();
    }
  }
};

/// A sum for every tile of groups. Terms are formed side by side in scratch memory, as many tiles
/// at a time as fit there; tiles with more atoms than the team has threads are summed by all
/// threads from memory.
template <class Schedule, tile_set Tiles, class Body>
struct sum_groups_kernel {
  using atom_type = typename Tiles::atom_type;
  using tile_type = typename Tiles::tile_type;
  using sum_type = typename Body::sum_type;
  Schedule schedule;
  Tiles tiles;
  Body body;
  int stage;  ///< terms in scratch

  /// What groups of so many tiles need besides their terms.
  static std::size_t fixed_bytes(int group_size) {
    auto const size = static_cast<std::size_t>(group_size);
    return (size + 1) * (sizeof(atom_type) + sizeof(int)) + size * sizeof(int) +
           size * sizeof(sum_type) + 6 * 16;
  }
  std::size_t scratch_bytes() const {
    return fixed_bytes(schedule.size) + static_cast<std::size_t>(stage) * sizeof(sum_type);
  }
  /// Longer tiles are not staged.
  template <class Member>
  KOKKOS_FUNCTION int longest(Member const& member) const {
    return Kokkos::min(member.team_size(), stage);
  }

  struct scratch {
    atom_type* borders;  // of the tiles of the group among the atoms
    int* begins;         // of the tiles among the terms that are staged
    int* long_tiles;     // those that are not
    int* num_long;
    sum_type* terms;
    sum_type* parts;  // of sums, one of each thread
  };

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    auto const size = static_cast<std::size_t>(schedule.size);
    scratch const s{scratch_array<atom_type>(member, size + 1),
                    scratch_array<int>(member, size + 1),
                    scratch_array<int>(member, size),
                    scratch_array<int>(member, 1),
                    scratch_array<sum_type>(member, static_cast<std::size_t>(stage)),
                    scratch_array<sum_type>(member, size)};
    if (member.team_rank() == 0) *s.num_long = 0;
    member.team_barrier();
    auto const num_tiles = static_cast<std::int64_t>(tiles.num_tiles());
    for (std::int64_t g = member.league_rank(); g * schedule.size < num_tiles;
         g += member.league_size()) {
      auto const group = load(member, g, s);
      int const num_long = *s.num_long;
      if (num_long > 0) {
        number_terms(member, group, s);
        for (int i = 0; i < num_long; ++i) sum_long_tile(member, group, s.long_tiles[i]);
      }
      for (int first = 0; first < group.count;) {
        int const last = end_of_batch(group, s, first, num_long);
        stage_terms(member, group, s, first, last, num_long);
        sum_batch(member, group, s, first, last, num_long);
        first = last;
      }
    }
  }

 private:
  KOKKOS_FUNCTION static std::int64_t length(tile_group<Tiles> const& group, int tile) {
    return static_cast<std::int64_t>(group.borders[tile + 1] - group.borders[tile]);
  }

  /// The borders of the tiles of a group, and which of them are long.
  template <class Member>
  KOKKOS_FUNCTION tile_group<Tiles> load(Member const& member, std::int64_t g,
                                         scratch const& s) const {
    auto const first = g * schedule.size;
    auto const left = static_cast<std::int64_t>(tiles.num_tiles()) - first;
    int const count = static_cast<int>(Kokkos::min<std::int64_t>(left, schedule.size));
    for (int const i : block_stride(member, 0, count)) {
      auto const tile = static_cast<tile_type>(first + i);
      auto const begin = tiles.tile_begin(tile);
      auto const end = tiles.tile_end(tile);
      s.borders[i] = begin;
      if (i + 1 == count) s.borders[count] = end;
      if (static_cast<std::int64_t>(end - begin) > longest(member))
        s.long_tiles[Kokkos::atomic_fetch_add(s.num_long, 1)] = i;
    }
    member.team_barrier();
    return {static_cast<tile_type>(first), count, s.borders};
  }

  /// Numbers the terms that are staged if there are long tiles, whose are not; else the borders say
  /// it.
  template <class Member>
  KOKKOS_FUNCTION void number_terms(Member const& member, tile_group<Tiles> const& group,
                                    scratch const& s) const {
    int const longest_staged = longest(member);
    Kokkos::parallel_scan(Kokkos::TeamThreadRange(member, group.count + 1),
                          [&](int i, int& before, bool final) {
                            if (final) s.begins[i] = before;
                            if (i < group.count && length(group, i) <= longest_staged)
                              before += static_cast<int>(length(group, i));
                          });
    if (member.team_rank() == 0) *s.num_long = 0;  // all have read it: a scan waits for the team
    member.team_barrier();
  }
  KOKKOS_FUNCTION static int term_begin(tile_group<Tiles> const& group, scratch const& s, int tile,
                                        int num_long) {
    return num_long > 0 ? s.begins[tile] : static_cast<int>(group.borders[tile] - group.begin());
  }

  template <class Member>
  KOKKOS_FUNCTION void sum_long_tile(Member const& member, tile_group<Tiles> const& group,
                                     int i) const {
    auto const tile = static_cast<tile_type>(group.first + static_cast<tile_type>(i));
    slice_of<Tiles> const slice{tile, group.borders[i], group.borders[i + 1], true};
    int const lanes = member.team_size();
    sum_type sum{};
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(member, lanes),
        [&](int lane, sum_type& part) {
          part += sum_of_lane<false, sum_type>(
              slice, lane, lanes, [&](atom_type atom) { return body.term(tile, atom); });
        },
        sum);
    Kokkos::single(Kokkos::PerTeam(member), [&] { body.commit(tile, sum, true); });
  }

  /// Where the tiles from `first` on stop fitting the stage; at least one fits.
  KOKKOS_FUNCTION int end_of_batch(tile_group<Tiles> const& group, scratch const& s, int first,
                                   int num_long) const {
    int low = first + 1, high = group.count;
    int const begin = term_begin(group, s, first, num_long);
    if (term_begin(group, s, high, num_long) - begin <= stage) return high;
    while (low < high) {
      int const middle = (low + high + 1) / 2;
      if (term_begin(group, s, middle, num_long) - begin <= stage)
        low = middle;
      else
        high = middle - 1;
    }
    return low;
  }

  /// Term k of the tiles from `first` on.
  KOKKOS_FORCEINLINE_FUNCTION sum_type term(tile_group<Tiles> const& group, scratch const& s,
                                            int first, int last, int k, int num_long) const {
    if (num_long == 0) {
      auto const atom = static_cast<atom_type>(group.borders[first] + static_cast<atom_type>(k));
      if constexpr (requires { body.term(atom); })
        return static_cast<sum_type>(body.term(atom));
      else
        return static_cast<sum_type>(body.term(group.tile_of(atom), atom));
    }
    int low = first, high = last - 1;
    while (low < high) {
      int const middle = (low + high) / 2;
      if (s.begins[middle + 1] - s.begins[first] <= k)
        low = middle + 1;
      else
        high = middle;
    }
    int const within = k - (s.begins[low] - s.begins[first]);
    return static_cast<sum_type>(
        body.term(static_cast<tile_type>(group.first + static_cast<tile_type>(low)),
                  static_cast<atom_type>(group.borders[low] + static_cast<atom_type>(within))));
  }

  template <class Member>
  KOKKOS_FUNCTION void stage_terms(Member const& member, tile_group<Tiles> const& group,
                                   scratch const& s, int first, int last, int num_long) const {
    constexpr int in_flight = sizeof(sum_type) > 16 ? 1 : 4;
    int const count = term_begin(group, s, last, num_long) - term_begin(group, s, first, num_long);
    int const threads = member.team_size();
    for (int k = member.team_rank(); k < count; k += in_flight * threads) {
      sum_type terms[in_flight];
      for (int n = 0; n < in_flight; ++n)
        terms[n] =
            term(group, s, first, last, k + n * threads < count ? k + n * threads : k, num_long);
      for (int n = 0; n < in_flight; ++n)
        if (k + n * threads < count) s.terms[k + n * threads] = terms[n];
    }
    member.team_barrier();
  }

  /// As many threads for each tile as there are for so many tiles, up to 32: their parts are added
  /// in order.
  template <class Member>
  KOKKOS_FUNCTION void sum_batch(Member const& member, tile_group<Tiles> const& group,
                                 scratch const& s, int first, int last, int num_long) const {
    int const longest_staged = longest(member);
    int const tiles_here = last - first;
    int lanes = 1;
    while (2 * lanes * tiles_here <= member.team_size() && lanes < 32) lanes *= 2;
    int const at_a_time = member.team_size() / lanes;
    int const begin = term_begin(group, s, first, num_long);
    for (int from = first; from < last; from += at_a_time) {
      int const mine = from + member.team_rank() / lanes;
      bool const exists = member.team_rank() < at_a_time * lanes && mine < last &&
                          (num_long == 0 || length(group, mine) <= longest_staged);
      sum_type part{};
      if (exists) {
        int const end = term_begin(group, s, mine + 1, num_long) - begin;
        for (int k = term_begin(group, s, mine, num_long) - begin + member.team_rank() % lanes;
             k < end; k += lanes)
          part += s.terms[k];
      }
      if (lanes > 1) {
        s.parts[member.team_rank()] = part;
        member.team_barrier();
        if (exists && member.team_rank() % lanes == 0)
          for (int n = 1; n < lanes; ++n) part += s.parts[member.team_rank() + n];
      }
      if (exists && member.team_rank() % lanes == 0)
        body.commit(static_cast<tile_type>(group.first + static_cast<tile_type>(mine)), part, true);
    }
    member.team_barrier();
  }
};

/// Launches a kernel over groups, a team for each as far as the cap on rounds allows.
template <class Space, class Schedule, tile_set Tiles, class Kernel>
void launch_groups(Space const& space, std::string const& label, Schedule const& schedule,
                   Tiles const& tiles, Kernel const& kernel) {
  auto const groups = ceil_div(static_cast<std::int64_t>(tiles.num_tiles()), schedule.size);
  std::int64_t const most = rounds_per_worker * std::max(1, space.concurrency() / schedule.size);
  auto const bytes = kernel.scratch_bytes();
  int const team_size = team_size_for(space, schedule.size, 1, kernel, bytes);
  Kokkos::parallel_for(label, team_policy(space, std::min(groups, most), team_size, 1, bytes),
                       kernel);
}

/// With smaller groups than asked for where scratch memory does not hold them.
template <class Space, class Schedule, tile_set Tiles, class Body>
void sum_groups(Space const& space, std::string const& label, Schedule schedule, Tiles const& tiles,
                Body const& body) {
  using kernel_type = sum_groups_kernel<Schedule, Tiles, Body>;
  using sum_type = typename Body::sum_type;
  auto const terms_that_fit = [&] {
    auto const all = group_scratch<Space, sum_type>(schedule.size);
    auto const fixed = kernel_type::fixed_bytes(schedule.size);
    return all > fixed ? static_cast<int>((all - fixed) / sizeof(sum_type)) : 0;
  };
  while (schedule.size > 32 && terms_that_fit() < schedule.size) schedule.size /= 2;
  int const stage = std::min(staged_terms_per_thread * schedule.size, terms_that_fit());
  require(stage > 0, "araios::sum_tiles: scratch memory does not hold sums of ", sizeof(sum_type),
          " bytes for a group of ", schedule.size, " tiles");
  launch_groups(space, label, schedule, tiles, kernel_type{schedule, tiles, body, stage});
}

template <class Space, class Schedule, tile_set Tiles, class Visit>
void visit_groups(Space const& space, std::string const& label, Schedule const& schedule,
                  Tiles const& tiles, Visit const& visit) {
  launch_groups(space, label, schedule, tiles,
                visit_groups_kernel<Schedule, Tiles, Visit>{schedule, tiles, visit});
}

}  // namespace araios::impl
