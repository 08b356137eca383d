// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

#include <araios/concepts.hpp>
#include <araios/error.hpp>

namespace araios::impl {

/// How a schedule wants to be launched: how many workers (what shares a slice), threads of a team
/// and lanes of a worker.
struct launch_shape {
  std::int64_t workers;
  int threads;
  int vector_length;
};

inline constexpr int threads_per_team = 128;

/// Workers that deal themselves whole tiles in strides are at most this many times as many as fit
/// the device at a time: starting more teams costs more than another round of the loop
/// (group_mapped(8) on fem6_pwtklike: 0.051 ms against 0.053, lap2d5_1500: 0.213 against 0.230,
/// H200).
inline constexpr std::int64_t rounds_per_worker = 4;

/// On host backends one worker per thread; elsewhere as many as asked for, but at least one.
template <class Space>
launch_shape shape_for(Space const& space, std::int64_t workers, int threads, int vector_length) {
  if constexpr (runs_on_host<Space>)
    return {std::clamp<std::int64_t>(workers, 1, space.concurrency()), 1, 1};
  else
    return {std::max<std::int64_t>(workers, 1), threads, vector_length};
}

/// The same for workers that take whole tiles in strides, `lanes` threads each.
template <class Space>
launch_shape strided_shape(Space const& space, std::int64_t tiles, int lanes, int vector_length) {
  std::int64_t const most = rounds_per_worker * std::max(1, space.concurrency() / lanes);
  return shape_for(space, std::min(tiles, most), threads_per_team, vector_length);
}

inline void require_lanes(char const* schedule, int lanes) {
  require(lanes >= 1 && lanes <= 32 && (lanes & (lanes - 1)) == 0, "araios::", schedule, ": ",
          lanes, " lanes; a power of two from 1 to 32 is needed");
}

/// Which of how many workers this thread is; a worker is what shares a slice.
struct worker_id {
  std::int64_t rank;
  std::int64_t count;
};

template <slice_scope Scope, class Member>
KOKKOS_FUNCTION worker_id worker_of(Member const& member) {
  std::int64_t const team = member.league_rank();
  std::int64_t const teams = member.league_size();
  if constexpr (Scope == slice_scope::team) return {team, teams};
  return {team * member.team_size() + member.team_rank(), teams * member.team_size()};
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

struct end_of_slices {};

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

/// The sum of term(atom) over the atoms of a slice by one thread of a host backend. Four partial sums
/// hide the latency of the addition.
template <class Sum, class Slice, class Term>
KOKKOS_FORCEINLINE_FUNCTION Sum sum_in_turn(Slice const& slice, Term const& term) {
  Sum sum{};
  auto atom = slice.begin;
  if (slice.end - atom >= 4) {
    Sum s1{}, s2{}, s3{};
    for (; slice.end - atom >= 4; atom += 4) {
      sum += term(atom);
      s1 += term(atom + 1);
      s2 += term(atom + 2);
      s3 += term(atom + 3);
    }
    sum += s1;
    s2 += s3;
    sum += s2;
  }
  for (; atom < slice.end; ++atom) sum += term(atom);
  return sum;
}

/// The part of one of `lanes` lanes in the sum of term(atom) over a slice. Several terms are in flight
/// at a time to hide the latency of the loads, which is why the last round reads its first atom again
/// rather than branching around loads. Two in flight are best on the H200 (fem6_pwtklike with 8
/// lanes: 0.063, 0.053 and 0.059 ms for 1, 2 and 4), but for one lane the plain loop is. Atoms are
/// numbered without sign, so that a stride beyond the last does not overflow.
template <bool OneLane, class Sum, class Slice, class Term>
KOKKOS_FORCEINLINE_FUNCTION Sum sum_of_lane(Slice const& slice, int lane, int lanes,
                                            Term const& term) {
  using atom = decltype(Slice::begin);
  using index = std::make_unsigned_t<atom>;
  constexpr index in_flight = OneLane || sizeof(Sum) > 16 ? 1 : 2;
  auto const count = static_cast<index>(slice.end - slice.begin);
  auto const stride = static_cast<index>(lanes);
  auto const at = [&](index i) { return static_cast<atom>(slice.begin + static_cast<atom>(i)); };
  Sum sum{};
  for (auto i = static_cast<index>(lane); i < count; i += in_flight * stride) {
    Sum terms[in_flight];
    for (index n = 0; n < in_flight; ++n)
      terms[n] = term(at(i + n * stride < count ? i + n * stride : i));
    sum += terms[0];
    for (index n = 1; n < in_flight; ++n)
      if (i + n * stride < count) sum += terms[n];
  }
  return sum;
}

/// sum = the sum of term(atom) over a slice, formed by everybody who shares it; all get the result.
template <class Schedule, class Member, class Slice, class Term, class Sum>
KOKKOS_FORCEINLINE_FUNCTION void sum_over(Schedule const& schedule, Member const& member,
                                          Slice const& slice, Term const& term, Sum& sum) {
  if constexpr (runs_on_host<typename Member::execution_space>) {
    sum = sum_in_turn<Sum>(slice, term);
  } else if constexpr (Schedule::one_lane) {
    sum = sum_of_lane<true, Sum>(slice, 0, 1, term);
  } else if constexpr (scope_of<Schedule, Slice> == slice_scope::team) {
    int const lanes = member.team_size();
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(member, lanes),
        [&](int lane, Sum& part) { part += sum_of_lane<false, Sum>(slice, lane, lanes, term); },
        sum);
  } else {
    int const lanes = schedule.lanes;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(member, lanes),
        [&](int lane, Sum& part) { part += sum_of_lane<false, Sum>(slice, lane, lanes, term); },
        sum);
  }
}

/// f(atom) for each atom of a slice, by everybody who shares it.
template <class Schedule, class Member, class Slice, class F>
KOKKOS_FORCEINLINE_FUNCTION void for_each_atom(Member const& member, Slice const& slice,
                                               F const& f) {
  using atom = decltype(Slice::begin);
  if constexpr (runs_on_host<typename Member::execution_space> || Schedule::one_lane) {
    for (atom k = slice.begin; k < slice.end; ++k) f(k);
  } else {
    using index = std::make_unsigned_t<atom>;
    auto const count = static_cast<index>(slice.end - slice.begin);
    auto const at = [&](index i) { f(static_cast<atom>(slice.begin + static_cast<atom>(i))); };
    if constexpr (scope_of<Schedule, Slice> == slice_scope::team)
      Kokkos::parallel_for(Kokkos::TeamVectorRange(member, count), at);
    else
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, count), at);
  }
}

/// f() once for the slice.
template <class Schedule, class Member, class Slice, class F>
KOKKOS_FORCEINLINE_FUNCTION void once(Member const& member, Slice const&, F const& f) {
  if constexpr (runs_on_host<typename Member::execution_space> || Schedule::one_lane) {
    f();
  } else if constexpr (scope_of<Schedule, Slice> == slice_scope::team) {
    Kokkos::single(Kokkos::PerTeam(member), f);
  } else {
    Kokkos::single(Kokkos::PerThread(member), f);
  }
}

/// A team of one thread on a host backend, where a loop over workers costs less than a league.
template <class Space>
struct host_member {
  using execution_space = Space;
  std::int64_t rank;
  std::int64_t size;

  KOKKOS_FUNCTION std::int64_t league_rank() const { return rank; }
  KOKKOS_FUNCTION std::int64_t league_size() const { return size; }
  KOKKOS_FUNCTION int team_rank() const { return 0; }
  KOKKOS_FUNCTION int team_size() const { return 1; }
};

/// kernel(host_member) for every worker.
template <class Space, class Kernel>
struct on_host_members {
  Kernel kernel;
  std::int64_t workers;

  void operator()(std::int64_t rank) const {
    Kernel const local = kernel;  // stores of the kernel cannot change what is on the stack
    local(host_member<Space>{rank, workers});
  }
};

template <class Space, class Kernel>
void launch_on_host(Space const& space, std::string const& label, std::int64_t workers,
                    Kernel const& kernel) {
  Kokkos::parallel_for(
      label, Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(space, 0, workers),
      on_host_members<Space, Kernel>{kernel, workers});
}

/// Whether a schedule can find teams all of whose atoms belong to one tile.
template <class Schedule, class Tiles, class Member>
concept deals_team_slices =
    !runs_on_host<typename Member::execution_space> &&
    requires(Schedule const s, Tiles const& tiles, Member const& member, std::int64_t workers) {
  { s.whole_team(tiles, member, workers) } -> std::same_as<team_slice<Tiles>>;
};

/// The one kernel that all schedules drive: body(member, slice) for every slice.
template <class Schedule, tile_set Tiles, class Body>
struct slice_kernel {
  Schedule schedule;
  Tiles tiles;
  Body body;
  std::int64_t workers;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    if constexpr (deals_team_slices<Schedule, Tiles, Member>) {
      auto const slice = schedule.whole_team(tiles, member, workers);
      if (slice.begin < slice.end) {
        body(member, slice);
        return;
      }
    }
    for (auto const slice : schedule.slices(tiles, member, workers)) body(member, slice);
  }
};

/// prepare(tile) for every tile that no worker gets whole.
template <class Schedule, tile_set Tiles, class Prepare>
struct split_tile_kernel {
  Schedule schedule;
  Tiles tiles;
  Prepare prepare;
  std::int64_t workers;

  KOKKOS_FUNCTION void operator()(std::int64_t rank) const {
    auto const tile = schedule.split_tile(tiles, rank, workers);
    if (tile < tiles.num_tiles()) prepare(tile);
  }
};

template <class Space, class Schedule, tile_set Tiles, class Prepare>
void for_each_split_tile(Space const& space, std::string const& label, Schedule const& schedule,
                         Tiles const& tiles, Prepare const& prepare) {
  if constexpr (Schedule::splits_tiles) {
    auto const workers = schedule.shape(space, tiles).workers;
    if (workers == 1) return;
    Kokkos::parallel_for(
        label, Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(space, 0, workers),
        split_tile_kernel<Schedule, Tiles, Prepare>{schedule, tiles, prepare, workers});
  }
}

template <class Space, class Schedule, tile_set Tiles, class Body>
void for_each_slice(Space const& space, std::string const& label, Schedule const& schedule,
                    Tiles const& tiles, Body const& body) {
  auto const shape = schedule.shape(space, tiles);
  slice_kernel<Schedule, Tiles, Body> const kernel{schedule, tiles, body, shape.workers};
  if constexpr (runs_on_host<Space>) {
    launch_on_host(space, label, shape.workers, kernel);
  } else {
    int const team_size = team_size_for(space, shape.threads, shape.vector_length, kernel);
    auto const league =
        Schedule::scope == slice_scope::team ? shape.workers : ceil_div(shape.workers, team_size);
    Kokkos::parallel_for(label, team_policy(space, league, team_size, shape.vector_length), kernel);
  }
}

}  // namespace araios::impl
