// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <araios/concepts.hpp>
#include <araios/impl/execution.hpp>
#include <araios/matrix/crs.hpp>

namespace araios {

/// What a search from one source finds: for each vertex its distance and the vertex before it on a
/// path of that length. The source is its own predecessor; vertices that no path reaches have
/// `no_vertex` for a predecessor and the distance that the search documents.
template <class Ordinal, class Distance, class MemorySpace>
struct shortest_paths {
  static constexpr Ordinal no_vertex = -1;

  Kokkos::View<Distance*, MemorySpace> distance;
  Kokkos::View<Ordinal*, MemorySpace> predecessor;
};

/// The distance of vertices that no path reaches: -1 in breadth-first search.
template <class Ordinal>
inline constexpr Ordinal unreached_level = -1;

/// Breadth-first search: the least number of edges from `source` to every vertex.
///
/// A: n x n, anything `crs_like` with a signed ordinal; an entry (i, j) is an edge i -> j whatever
/// its value, explicit zeros included; self loops and duplicates do no harm, rows need not be
/// sorted. Level by level: a frontier's edges are dealt by the schedule that its shape asks for, so
/// that one vertex with many edges does not hold up a level. Waits for `space` in every level and
/// returns when the search is done. Distances are the same in every run, predecessors are one of
/// those possible. Memory: two values per vertex for the result, and while it runs 16 or 24 bytes
/// per vertex. Throws std::invalid_argument, before anything is enqueued, if A is not square or the
/// source is no vertex.
///
/// Source: frontiers as tile sets after loops (Osama et al., PPoPP 2023).
template <execution_instance Space, crs_like Matrix>
auto bfs(Space const& space, Matrix const& a, std::int64_t source)
    -> shortest_paths<typename crs_view_of<Matrix>::ordinal_type,
                      typename crs_view_of<Matrix>::ordinal_type,
                      typename impl::execution_space_of<Space>::memory_space>;

/// The same with the edges in the other direction at hand: `transposed` is the transpose of A (for
/// an undirected graph A itself). Levels whose frontier has many edges are done from the vertices
/// not yet reached, each of which looks for one predecessor in the frontier and stops at the first.
/// Throws also if the sizes of the two differ.
/// Source: Beamer, Asanovic, Patterson, Direction-optimizing breadth-first search, SC 2012.
template <execution_instance Space, crs_like Matrix, crs_like Transposed>
auto bfs(Space const& space, Matrix const& a, Transposed const& transposed, std::int64_t source)
    -> shortest_paths<typename crs_view_of<Matrix>::ordinal_type,
                      typename crs_view_of<Matrix>::ordinal_type,
                      typename impl::execution_space_of<Space>::memory_space>;

}  // namespace araios

#include <araios/impl/bfs.hpp>
