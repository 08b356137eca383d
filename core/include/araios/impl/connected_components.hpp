// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <type_traits>

#include <araios/connected_components.hpp>
#include <araios/impl/frontier.hpp>
#include <araios/impl/graphs.hpp>

namespace araios {
namespace impl::graphs {

/// Trees of vertices that are connected: `above[v]` is the vertex above v, or v itself if that is a
/// root. What was once above a vertex is in its tree for good, and all writes make numbers less:
/// hence there are no circles, a root is the least of its tree, and a thread that reads an old
/// number only takes a longer way.
template <class Ordinal>
struct vertex_trees {
  Ordinal* above;

  /// The root over a vertex. Leaves half of the vertices on the way hanging two steps higher.
  KOKKOS_FUNCTION Ordinal root(Ordinal vertex) const {
    for (;;) {
      auto const next = load_written(&above[vertex]);
      if (next == vertex) return vertex;
      auto const after = load_written(&above[next]);
      if (after == next) return next;
      Kokkos::atomic_fetch_min(&above[vertex], after);
      vertex = after;
    }
  }

  /// Makes one tree of two. The greater of the two roots goes below the other; if somebody else has
  /// hung it elsewhere meanwhile, what is above it there takes its place, which is less.
  KOKKOS_FUNCTION void join(Ordinal one, Ordinal other) const {
    for (one = root(one), other = root(other); one != other;) {
      auto const low = Kokkos::min(one, other), high = Kokkos::max(one, other);
      auto const found = Kokkos::atomic_compare_exchange(&above[high], high, low);
      if (found == high) return;
      one = low;
      other = root(found);
    }
  }
};

/// Every vertex is a root.
template <class Ordinal>
struct plant_trees {
  vertex_trees<Ordinal> trees;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    trees.above[i] = static_cast<Ordinal>(i);
  }
};

template <class Tiles, class Ordinal>
struct join_ends {
  Tiles tiles;
  Ordinal const* entries;
  vertex_trees<Ordinal> trees;

  KOKKOS_FUNCTION void operator()(Ordinal row, typename Tiles::atom_type atom) const {
    trees.join(row, entries[tiles.slot(row, atom)]);
  }
};

/// Hangs every vertex directly below its root.
template <class Ordinal>
struct level_trees {
  vertex_trees<Ordinal> trees;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    auto const vertex = static_cast<Ordinal>(i);
    auto const root = trees.root(vertex);
    if (load_written(&trees.above[vertex]) != root)
      Kokkos::atomic_fetch_min(&trees.above[vertex], root);
  }
};

}  // namespace impl::graphs

template <execution_instance Space, crs_like Matrix>
auto connected_components(Space const& execution, Matrix const& matrix)
    -> Kokkos::View<typename crs_view_of<Matrix>::ordinal_type*,
                    typename impl::execution_space_of<Space>::memory_space> {
  namespace graphs = impl::graphs;
  auto const a = as_crs(matrix);
  using ordinal = typename crs_view_of<Matrix>::ordinal_type;
  constexpr char const* function = "araios::connected_components";
  graphs::check_graph(function, a);
  Kokkos::Profiling::ScopedRegion const region(function);
  auto const& space = impl::instance(execution);
  using policy = graphs::vertices_policy<impl::execution_space_of<Space>>;
  auto const component = impl::allocate<ordinal>(space, "araios::connected_components::component",
                                                 static_cast<std::size_t>(a.num_rows));
  graphs::vertex_trees<ordinal> const trees{component.data()};
  Kokkos::parallel_for("araios::connected_components::plant_trees", policy(space, 0, a.num_rows),
                       graphs::plant_trees<ordinal>{trees});
  auto const rows = a.tiles();
  impl::visit_atoms_of(
      space, "araios::connected_components::join_ends", rows,
      graphs::join_ends<std::remove_const_t<decltype(rows)>, ordinal>{rows, a.entries, trees});
  Kokkos::parallel_for("araios::connected_components::level_trees", policy(space, 0, a.num_rows),
                       graphs::level_trees<ordinal>{trees});
  return component;
}

}  // namespace araios
