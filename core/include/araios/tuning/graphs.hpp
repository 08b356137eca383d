// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

/// Numbers of the graph searches.
namespace araios::tuning {

/// Breadth-first search goes backwards when the edges of the frontier are more than those of
/// vertices yet to come divided by the first number, and forwards again when the frontier has less
/// vertices than all divided by the second. Source: Beamer et al., SC 2012, section 6 (14 and 24).
inline constexpr std::int64_t bfs_edges_left_per_edge = 14;
inline constexpr std::int64_t bfs_vertices_per_frontier = 24;

/// Up to so many vertices and edges, and edges of one vertex, a level is done by one team, without
/// a launch and a wait of its own: laplace_2d_5pt:1414, 2,827 levels, takes 34 ms. Without the
/// limit for one vertex rmat:20:8 took 18 ms, as one thread followed all edges of the source
/// (H200).
template <bool Host>
inline constexpr std::int64_t bfs_narrow_vertices = Host ? 256 : 4096;
template <bool Host>
inline constexpr std::int64_t bfs_narrow_edges = Host ? 2048 : 32768;
template <bool Host>
inline constexpr std::int64_t bfs_narrow_degree = Host ? 2048 : 64;

/// On host backends at most so many workers form the transpose for PageRank, each of which reads
/// all edges: more would hardly save time. Two took 130 ms for rmat:20:8, where two threads that
/// add atomically to the places of edges took 890 ms (OpenMP, two cores).
inline constexpr int pagerank_turning_workers = 8;

}  // namespace araios::tuning
