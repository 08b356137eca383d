// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>

#include <araios/concepts.hpp>
#include <araios/impl/group_kernels.hpp>
#include <araios/impl/slice_kernels.hpp>
#include <araios/schedule/workers.hpp>

/// Load balancing apart from work: a tile set says which atoms belong to which tile, a schedule
/// deals them to workers, and what is done with an atom or a sum is the caller's. Everything is
/// enqueued on the execution space instance; nothing is allocated and nothing fenced.
/// docs/extending.md shows it in use.
/// Source: loops (Osama, Porumbescu, Owens, A programming model for GPU load balancing, PPoPP
/// 2023).
namespace araios {

// --- inside a kernel: a slice, shared by those that its schedule names
// ------------------------------

/// sum = the sum of term(atom) over a slice, formed by everybody who shares it; all get the result.
template <class Schedule, class Member, class Slice, class Term, class Sum>
KOKKOS_FORCEINLINE_FUNCTION void sum_over(Schedule const& schedule, Member const& member,
                                          Slice const& slice, Term const& term, Sum& sum) {
  if constexpr (impl::runs_on_host<typename Member::execution_space>) {
    sum = impl::sum_in_turn<Sum>(slice, term);
  } else if constexpr (Schedule::one_lane) {
    sum = impl::sum_of_lane<true, Sum>(slice, 0, 1, term);
  } else if constexpr (impl::scope_of<Schedule, Slice> == slice_scope::team) {
    int const lanes = member.team_size();
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(member, lanes),
        [&](int lane, Sum& part) {
          part += impl::sum_of_lane<false, Sum>(slice, lane, lanes, term);
        },
        sum);
  } else {
    int const lanes = schedule.lanes;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(member, lanes),
        [&](int lane, Sum& part) {
          part += impl::sum_of_lane<false, Sum>(slice, lane, lanes, term);
        },
        sum);
  }
}

/// f(atom) for each atom of a slice, by everybody who shares it.
template <class Schedule, class Member, class Slice, class F>
KOKKOS_FORCEINLINE_FUNCTION void for_each_atom(Member const& member, Slice const& slice,
                                               F const& f) {
  using atom = decltype(Slice::begin);
  if constexpr (impl::runs_on_host<typename Member::execution_space> || Schedule::one_lane) {
    for (atom k = slice.begin; k < slice.end; ++k) f(k);
  } else {
    using index = std::make_unsigned_t<atom>;
    auto const count = static_cast<index>(slice.end - slice.begin);
    auto const at = [&](index i) { f(static_cast<atom>(slice.begin + static_cast<atom>(i))); };
    if constexpr (impl::scope_of<Schedule, Slice> == slice_scope::team)
      Kokkos::parallel_for(Kokkos::TeamVectorRange(member, count), at);
    else
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, count), at);
  }
}

/// f() once for the slice.
template <class Schedule, class Member, class Slice, class F>
KOKKOS_FORCEINLINE_FUNCTION void once(Member const& member, Slice const&, F const& f) {
  if constexpr (impl::runs_on_host<typename Member::execution_space> || Schedule::one_lane) {
    f();
  } else if constexpr (impl::scope_of<Schedule, Slice> == slice_scope::team) {
    Kokkos::single(Kokkos::PerTeam(member), f);
  } else {
    Kokkos::single(Kokkos::PerThread(member), f);
  }
}

// --- whole launches
// -----------------------------------------------------------------------------------

/// body(member, slice) for every slice that a schedule deals, by everybody who shares it.
template <class Space, class Schedule, tile_set Tiles, class Body>
void for_each_slice(Space const& space, std::string const& label, Schedule const& schedule,
                    Tiles const& tiles, Body const& body) {
  auto const shape = schedule.shape(space, tiles);
  impl::slice_kernel<Schedule, Tiles, Body> const kernel{schedule, tiles, body, shape.workers};
  if constexpr (impl::runs_on_host<Space>) {
    impl::launch_on_host(space, label, shape.workers, kernel);
  } else {
    int const team_size = impl::team_size_for(space, shape.threads, shape.vector_length, kernel);
    auto const league = Schedule::scope == slice_scope::team
                            ? shape.workers
                            : impl::ceil_div(shape.workers, team_size);
    Kokkos::parallel_for(label, impl::team_policy(space, league, team_size, shape.vector_length),
                         kernel);
  }
}

/// prepare(tile) for every tile that no worker gets whole, so that parts can be added to it
/// afterwards. No launch if the schedule does not split tiles.
template <class Space, class Schedule, tile_set Tiles, class Prepare>
void for_each_split_tile(Space const& space, std::string const& label, Schedule const& schedule,
                         Tiles const& tiles, Prepare const& prepare) {
  if constexpr (Schedule::splits_tiles) {
    auto const workers = schedule.shape(space, tiles).workers;
    if (workers == 1) return;
    Kokkos::parallel_for(
        label, Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(space, 0, workers),
        impl::split_tile_kernel<Schedule, Tiles, Prepare>{schedule, tiles, prepare, workers});
  }
}

/// What `sum_tiles` forms: a sum for every tile.
///   sum_type                    has +=, is zero by default, and has a Kokkos::reduction_identity
///   term(tile, atom)            the term of an atom
///   term(atom)                  the same, offered by those that need no tile: saves looking for it
///   commit(tile, sum, true)     takes the sum of a tile, by one thread, once
///   commit(tile, part, false)   adds a part of it, by several threads at a time: atomically
///   prepare(tile)               makes a tile ready for parts, in a kernel before
/// The last two are called only if the schedule splits tiles, and then not for tiles that one worker
/// gets whole.
template <class B, class Tiles>
concept tile_sums = tile_set<Tiles> &&
    requires(B const b, typename Tiles::tile_type tile, typename Tiles::atom_type atom,
             typename B::sum_type sum) {
  { b.term(tile, atom) } -> std::convertible_to<typename B::sum_type>;
  b.commit(tile, sum, true);
  b.prepare(tile);
  {Kokkos::reduction_identity<typename B::sum_type>::sum()};
};

/// For every tile the sum of the terms of its atoms, shared out as the schedule says; a tile
/// without atoms gets an empty sum. Schedules that do not split tiles form each sum in one fixed
/// order.
template <class Space, class Schedule, tile_set Tiles, tile_sums<Tiles> Body>
void sum_tiles(Space const& space, std::string const& label, Schedule const& schedule,
               Tiles const& tiles, Body const& body) {
  for_each_split_tile(space, label + "_split", schedule, tiles, impl::prepare_tile<Body>{body});
  if constexpr (impl::shares_groups<Space, Schedule>)
    impl::sum_groups(space, label, schedule, tiles, body);
  else
    for_each_slice(space, label, schedule, tiles, impl::sum_slices<Schedule, Body>{schedule, body});
}

/// visit(tile, atom) for every atom, in no order, shared out as the schedule says.
template <class Space, class Schedule, tile_set Tiles, class Visit>
void visit_atoms(Space const& space, std::string const& label, Schedule const& schedule,
                 Tiles const& tiles, Visit const& visit) {
  if constexpr (impl::shares_groups<Space, Schedule>)
    impl::visit_groups(space, label, schedule, tiles, visit);
  else
    for_each_slice(space, label, schedule, tiles, impl::visit_slices<Schedule, Visit>{visit});
}

}  // namespace araios

template <class Schedule, class Body>
template <class Member, class Slice>
KOKKOS_FORCEINLINE_FUNCTION void araios::impl::sum_slices<Schedule, Body>::operator()(
    Member const& member, Slice const& slice) const {
  typename Body::sum_type sum{};
  sum_over(
      schedule, member, slice, [&](auto atom) { return body.term(slice.tile, atom); }, sum);
  once<Schedule>(member, slice, [&] { body.commit(slice.tile, sum, slice.complete); });
}

template <class Schedule, class Visit>
template <class Member, class Slice>
KOKKOS_FORCEINLINE_FUNCTION void araios::impl::visit_slices<Schedule, Visit>::operator()(
    Member const& member, Slice const& slice) const {
  for_each_atom<Schedule>(member, slice, [&](auto atom) { visit(slice.tile, atom); });
}
