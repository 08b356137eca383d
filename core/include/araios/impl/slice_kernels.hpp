// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
#include <type_traits>

#include <araios/concepts.hpp>
#include <araios/impl/slices.hpp>

namespace araios::impl {

/// The sum of term(atom) over the atoms of a slice by one thread of a host backend. Four partial
/// sums hide the latency of the addition.
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

/// The part of one of `lanes` lanes in the sum of term(atom) over a slice. Several terms are in
/// flight at a time to hide the latency of the loads, which is why the last round reads its first
/// atom again rather than branching around loads. Two in flight are best on the H200 (fem6_pwtklike
/// with 8 lanes: 0.063, 0.053 and 0.059 ms for 1, 2 and 4), but for one lane the plain loop is.
/// Atoms are numbered without sign, so that a stride beyond the last does not overflow.
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

/// Forms the sum of a slice and hands it over: the body of `sum_tiles` for slices.
template <class Schedule, class Body>
struct sum_slices {
  Schedule schedule;
  Body body;

  template <class Member, class Slice>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Member const& member, Slice const& slice) const;
};

/// Visits the atoms of a slice.
template <class Schedule, class Visit>
struct visit_slices {
  Visit visit;

  template <class Member, class Slice>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Member const& member, Slice const& slice) const;
};

}  // namespace araios::impl
