// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

#include <araios/concepts.hpp>
#include <araios/impl/execution.hpp>
#include <araios/ranges.hpp>

/// What a schedule is written with; docs/extending.md shows one.
namespace araios {

/// How a schedule wants to be launched: how many workers (what shares a slice), threads of a team
/// and lanes of a worker.
struct launch_shape {
  std::int64_t workers;
  int threads;
  int vector_length;
};

/// Threads of a team of the schedules here, unless they say otherwise.
inline constexpr int threads_per_team = 128;

/// On host backends one worker per thread; elsewhere as many as asked for, but at least one.
template <class Space>
launch_shape shape_for(Space const& space, std::int64_t workers, int threads, int vector_length) {
  if constexpr (impl::runs_on_host<Space>)
    return {std::clamp<std::int64_t>(workers, 1, space.concurrency()), 1, 1};
  else
    return {std::max<std::int64_t>(workers, 1), threads, vector_length};
}

/// Which worker of the league this thread is, if workers are threads with their vector lanes, or
/// teams.
template <slice_scope Scope, class Member>
KOKKOS_FUNCTION worker_id worker_of(Member const& member) {
  std::int64_t const team = member.league_rank();
  std::int64_t const teams = member.league_size();
  if constexpr (Scope == slice_scope::team) return {team, teams};
  return {team * member.team_size() + member.team_rank(), teams * member.team_size()};
}

/// Where the slices of a worker end.
struct end_of_slices {};

}  // namespace araios
