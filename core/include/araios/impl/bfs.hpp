// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <araios/bfs.hpp>
#include <araios/error.hpp>
#include <araios/impl/frontier.hpp>
#include <araios/impl/graphs.hpp>
#include <araios/tuning/graphs.hpp>

namespace araios {
namespace impl::graphs {

/// All edges of a graph belong to the search.
struct every_edge {
  template <class Ordinal>
  KOKKOS_FUNCTION bool operator()(Ordinal, std::size_t) const {
    return true;
  }
};

/// Whether an entry is an edge that `belongs(vertex, entry)` names and the first to reach its end.
template <class Crs, class Belongs>
struct reach_end {
  using ordinal = typename Crs::ordinal_type;
  Crs a;
  Belongs belongs;
  ordinal* distance;
  ordinal* predecessor;

  KOKKOS_FUNCTION bool operator()(ordinal level, ordinal vertex, std::size_t entry) const {
    auto const end = a.entries[entry];
    constexpr auto unreached = unreached_level<ordinal>;
    if (load_written(&distance[end]) != unreached || !belongs(vertex, entry)) return false;
    if (Kokkos::atomic_compare_exchange(&distance[end], unreached, level) != unreached)
      return false;
    predecessor[end] = vertex;
    return true;
  }
};

/// The same from level to level, counted from `first`.
template <class Reach, class Level>
struct reach_in_level {
  Reach reach;
  Level first;
  template <class Ordinal>
  KOKKOS_FUNCTION bool operator()(std::int64_t level, Ordinal vertex, std::size_t entry) const {
    return reach(static_cast<Level>(first + static_cast<Level>(level)), vertex, entry);
  }
};

/// Reaches the ends of the frontier's edges.
template <class Tiles, class Reach, class Level>
struct reach_ends {
  using ordinal = typename Tiles::tile_type;
  Tiles tiles;
  Reach reach;
  Level level;
  vertex_queue<ordinal> queue;

  KOKKOS_FUNCTION void operator()(ordinal tile, std::int64_t edge) const {
    auto const entry = tiles.slot(tile, edge);
    if (reach(level, tiles.vertices[tile], entry)) queue.push(reach.a.entries[entry]);
  }
};

/// What is done by one team on this instance: everything if that is one thread.
template <class Space>
narrow_limits limits_of_narrow(Space const& space) {
  if (space.concurrency() == 1) return {};
  return {tuning::bfs_narrow_vertices<runs_on_host<Space>>,
          tuning::bfs_narrow_edges<runs_on_host<Space>>,
          tuning::bfs_narrow_degree<runs_on_host<Space>>};
}

/// Vertices not yet reached look for a predecessor in the frontier.
template <class Transposed>
struct find_predecessor {
  using ordinal = typename Transposed::ordinal_type;
  Transposed in_edges;
  ordinal level;  // of those that find one
  ordinal* distance;
  ordinal* predecessor;
  vertex_queue<ordinal> queue;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    auto const vertex = static_cast<ordinal>(i);
    if (load_written(&distance[vertex]) != unreached_level<ordinal>) return;
    for (auto k = in_edges.row_map[vertex]; k < in_edges.row_map[vertex + 1]; ++k) {
      auto const start = in_edges.entries[k];
      if (load_written(&distance[start]) != level - 1) continue;
      predecessor[vertex] = start;
      store_read(&distance[vertex], level);
      queue.push(vertex);
      return;
    }
  }
};

template <class Ordinal>
struct start_at {
  Ordinal source;
  Ordinal* distance;
  Ordinal* predecessor;
  vertex_queue<Ordinal> queue;

  KOKKOS_FUNCTION void operator()(std::int64_t) const {
    distance[source] = 0;
    predecessor[source] = source;
    queue.push(source);
  }
};

template <class Crs>
void check_graph(char const* function, Crs const& a, std::int64_t source) {
  check_graph(function, a);
  require(0 <= source && source < static_cast<std::int64_t>(a.num_rows), function, ": the source ",
          source, " is none of the ", a.num_rows, " vertices");
}

/// Breadth-first search along the edges that `belongs` names; with `in_edges`, a matrix or nullptr,
/// in both directions.
template <class Space, class Crs, class Belongs, class InEdges>
auto search(Space const& space, std::string const& operation, Crs const& a, Belongs const& belongs,
            InEdges const& in_edges, typename Crs::ordinal_type source) {
  using ordinal = typename Crs::ordinal_type;
  auto const vertices = static_cast<std::size_t>(a.num_rows);
  shortest_paths<ordinal, ordinal, typename Space::memory_space> const paths{
      allocate<ordinal>(space, operation + "distance", vertices),
      allocate<ordinal>(space, operation + "predecessor", vertices)};
  Kokkos::deep_copy(space, paths.distance, unreached_level<ordinal>);
  Kokkos::deep_copy(space, paths.predecessor, paths.no_vertex);
  auto* const distance = paths.distance.data();
  auto* const predecessor = paths.predecessor.data();
  frontier<Space, ordinal> front(space, operation, vertices);
  Kokkos::parallel_for(operation + "start", vertices_policy<Space>(space, 0, 1),
                       start_at<ordinal>{source, distance, predecessor, front.next()});
  front.turn();
  auto edges_left = static_cast<std::int64_t>(a.nnz);
  bool backwards = false;
  reach_end<Crs, Belongs> const reach{a, belongs, distance, predecessor};
  auto narrow = limits_of_narrow(space);
  if (!std::is_null_pointer_v<InEdges> && space.concurrency() == 1) narrow.vertices = 0;
  for (ordinal level = 1; front.size() > 0;) {
    if (!backwards && front.size() <= narrow.vertices) {
      auto const done =
          front.narrow(a, reach_in_level<reach_end<Crs, Belongs>, ordinal>{reach, level}, narrow);
      level += static_cast<ordinal>(done.levels);
      edges_left -= done.edges;
      if (done.levels > 0) continue;
    }
    auto const tiles = front.tiles(a);
    edges_left -= tiles.edges;
    if constexpr (!std::is_null_pointer_v<InEdges>) {
      static_assert(std::is_same_v<Belongs, every_edge>, "backwards every edge is looked at");
      backwards = backwards ? front.size() > a.num_rows / tuning::bfs_vertices_per_frontier
                            : tiles.edges > edges_left / tuning::bfs_edges_left_per_edge;
    }
    if (backwards) {
      if constexpr (!std::is_null_pointer_v<InEdges>)
        Kokkos::parallel_for(
            operation + "find_predecessor", vertices_policy<Space>(space, 0, a.num_rows),
            find_predecessor<InEdges>{in_edges, level, distance, predecessor, front.next()});
    } else {
      visit_atoms_of(space, operation + "reach_ends", tiles,
                     reach_ends<decltype(front.tiles(a)), reach_end<Crs, Belongs>, ordinal>{
                         tiles, reach, level, front.next()});
    }
    front.turn();
    ++level;
  }
  return paths;
}

}  // namespace impl::graphs

template <execution_instance Space, crs_like Matrix>
auto bfs(Space const& space, Matrix const& matrix, std::int64_t source)
    -> shortest_paths<typename crs_view_of<Matrix>::ordinal_type,
                      typename crs_view_of<Matrix>::ordinal_type,
                      typename impl::execution_space_of<Space>::memory_space> {
  auto const a = as_crs(matrix);
  impl::graphs::check_graph("araios::bfs", a, source);
  Kokkos::Profiling::ScopedRegion const region("araios::bfs");
  return impl::graphs::search(impl::instance(space), "araios::bfs::", a, impl::graphs::every_edge{},
                              nullptr, source);
}

template <execution_instance Space, crs_like Matrix, crs_like Transposed>
auto bfs(Space const& space, Matrix const& matrix, Transposed const& transposed,
         std::int64_t source)
    -> shortest_paths<typename crs_view_of<Matrix>::ordinal_type,
                      typename crs_view_of<Matrix>::ordinal_type,
                      typename impl::execution_space_of<Space>::memory_space> {
  auto const a = as_crs(matrix);
  auto const t = as_crs(transposed);
  static_assert(
      std::is_same_v<typename decltype(a)::ordinal_type, typename decltype(t)::ordinal_type>,
      "A and its transpose must have one ordinal type");
  impl::graphs::check_graph("araios::bfs", a, source);
  impl::require(t.num_rows == a.num_rows && t.num_cols == a.num_cols &&
                    static_cast<std::int64_t>(t.nnz) == static_cast<std::int64_t>(a.nnz),
                "araios::bfs: A is ", a.num_rows, " x ", a.num_cols, " with ", a.nnz,
                " entries, but its transpose ", t.num_rows, " x ", t.num_cols, " with ", t.nnz);
  Kokkos::Profiling::ScopedRegion const region("araios::bfs");
  return impl::graphs::search(impl::instance(space), "araios::bfs::", a, impl::graphs::every_edge{},
                              t, source);
}

}  // namespace araios
