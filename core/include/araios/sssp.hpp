// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <araios/bfs.hpp>

namespace araios {

/// The distance of vertices that no path reaches: infinity, or the largest integer.
template <class Distance>
inline constexpr Distance unreached_distance = std::numeric_limits<Distance>::has_infinity
                                                   ? std::numeric_limits<Distance>::infinity()
                                                   : std::numeric_limits<Distance>::max();

struct sssp_options {
  /// Paths up to this much longer than the shortest one that is waiting are followed at the same
  /// time; 0: the mean weight. Small values save work, large ones rounds.
  double delta = 0.0;
};

/// Single-source shortest paths: the least sum of weights from `source` to every vertex.
///
/// A: n x n, anything `crs_like` with a signed ordinal and float, double or integer values; an
/// entry (i, j) is an edge i -> j of weight a(i,j) >= 0, explicit zeros included; of duplicates the
/// lightest counts, self loops do no harm, rows need not be sorted. Weights may be infinite.
/// Distances are of the value type of A; a sum of integers that reaches the largest one or does not
/// fit counts as unreached. Vertices whose distance has become less are relaxed as frontiers; those
/// more than `delta` behind wait. Waits for `space` in every round and returns when the search is
/// done. Distances are the same in every run; predecessors are one of those possible, found last
/// among the edges that end at the distance of their vertex, so that they lead back to the source
/// even where edges weigh nothing. Memory: two values per vertex for the result, and while it runs
/// 56 (32-bit ordinals) or 84 bytes per vertex. Throws std::invalid_argument, before a search is
/// begun, if A is not square, the source is no vertex, delta is negative or not a number, or a
/// weight is negative or not a number (which waits for `space`).
///
/// Source: near-far piles after Davidson et al., Work-efficient parallel GPU methods for
/// single-source shortest paths, IPDPS 2014.
template <execution_instance Space, crs_like Matrix>
auto sssp(Space const& space, Matrix const& a, std::int64_t source,
          sssp_options const& options = {})
    -> shortest_paths<typename crs_view_of<Matrix>::ordinal_type,
                      std::remove_const_t<typename crs_view_of<Matrix>::value_type>,
                      typename impl::execution_space_of<Space>::memory_space>;

}  // namespace araios

#include <araios/impl/sssp.hpp>
