// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace araios {

/// An execution space instance with the specialisations of its backend switched off: every
/// operation that gets it runs its portable implementation.
template <class Space>
struct portable_on {
  Space space;
};
template <class Space>
portable_on(Space) -> portable_on<Space>;

namespace impl {

template <class Space>
Space const& instance(Space const& space) {
  return space;
}
template <class Space>
Space const& instance(portable_on<Space> const& space) {
  return space.space;
}
/// The Kokkos execution space behind `Space` or `portable_on<Space>`.
template <class Space>
using execution_space_of = std::remove_cvref_t<decltype(instance(std::declval<Space const&>()))>;

/// Whether code of this execution space runs on the host, where a worker is one thread that reads
/// ahead along its own run of memory; elsewhere neighbouring workers share cache lines.
template <class Space>
inline constexpr bool runs_on_host =
    Kokkos::SpaceAccessibility<Space, Kokkos::HostSpace>::accessible;

/// Uninitialised memory in the memory space of `space`, allocated in its order.
template <class T, class Space>
auto allocate(Space const& space, std::string const& label, std::size_t size) {
  return Kokkos::View<T*, typename Space::memory_space>(
      Kokkos::view_alloc(space, Kokkos::WithoutInitializing, label), size);
}

/// The same elements without ownership, so that a kernel's instantiation does not depend on how the
/// caller holds them.
template <class View>
using unmanaged_t =
    Kokkos::View<typename View::data_type, typename View::array_layout, typename View::device_type,
                 Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Leagues are capped here and kernels stride in 64 bits, so no launch depends on the grid limits.
inline constexpr std::int64_t max_league_size = std::int64_t{1} << 30;

/// The threads a team may have for this functor and scratch request, at most `threads` lanes in
/// all. Host backends get teams of one thread: a team that shares work there only adds barriers.
template <class Space, class Functor>
int team_size_for(Space const& space, int threads, int vector_length, Functor const& functor,
                  std::size_t scratch_bytes = 0) {
  if constexpr (runs_on_host<Space>) {
    return 1;
  } else {
    Kokkos::TeamPolicy<Space> policy(space, 1, 1, vector_length);
    policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch_bytes)));
    return std::clamp(threads / vector_length, 1,
                      policy.team_size_max(functor, Kokkos::ParallelForTag()));
  }
}

template <class Space>
auto team_policy(Space const& space, std::int64_t league_size, int team_size, int vector_length,
                 std::size_t scratch_bytes = 0) {
  auto const league = static_cast<int>(std::clamp<std::int64_t>(league_size, 1, max_league_size));
  Kokkos::TeamPolicy<Space> policy(space, league, team_size, vector_length);
  if (scratch_bytes > 0)
    policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch_bytes)));
  return policy;
}

}  // namespace impl
}  // namespace araios
