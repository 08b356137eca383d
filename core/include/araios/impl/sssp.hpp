// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include <araios/impl/bfs.hpp>
#include <araios/sssp.hpp>

namespace araios {
namespace impl::graphs {

/// distance + weight, or unreached if an integer sum does not fit.
template <class Distance>
KOKKOS_FUNCTION Distance farther(Distance distance, Distance weight) {
  if constexpr (std::is_integral_v<Distance>)
    if (distance > unreached_distance<Distance> - weight) return unreached_distance<Distance>;
  return static_cast<Distance>(distance + weight);
}

template <class Value>
struct first_bad_weight {
  Value const* values;
  KOKKOS_FUNCTION void operator()(std::int64_t k, std::int64_t& first) const {
    if (!(values[k] >= Value(0)) && k < first) first = k;
  }
};
/// Infinite weights are no measure of the others.
template <class Value>
struct sum_weights {
  Value const* values;
  KOKKOS_FUNCTION void operator()(std::int64_t k, double& sum) const {
    if (values[k] < unreached_distance<std::remove_const_t<Value>>)
      sum += static_cast<double>(values[k]);
  }
};

/// Which vertices are followed next.
template <class Distance>
struct horizon {
  Distance least;
  Distance limit;
  KOKKOS_FUNCTION bool holds(Distance distance) const {
    return distance <= least || distance < limit;
  }
};

/// Whether an entry is an edge that makes the distance of its end less, and that has to be followed
/// in the next round: once in a round. What is behind the horizon waits, once.
template <class Crs, class Distance>
struct relax_end {
  using ordinal = typename Crs::ordinal_type;
  Crs a;
  Distance* distance;
  std::int64_t* round_of;  // the last in which a vertex was put in the frontier
  int* waits;
  horizon<Distance> within;
  vertex_queue<ordinal> far;

  KOKKOS_FUNCTION bool operator()(std::int64_t round, ordinal vertex, std::size_t entry) const {
    auto const end = a.entries[entry];
    auto const length = farther<Distance>(load_written(&distance[vertex]), a.values[entry]);
    if (!(length < load_written(&distance[end]))) return false;
    if (!(length < Kokkos::atomic_fetch_min(&distance[end], length))) return false;
    if (within.holds(length)) return Kokkos::atomic_exchange(&round_of[end], round) != round;
    if (Kokkos::atomic_exchange(&waits[end], 1) == 0) far.push(end);
    return false;
  }
};

/// The least distance of what waits and has not been followed within the horizon before.
template <class Ordinal, class Distance>
struct least_waiting {
  Ordinal const* vertices;
  Distance const* distance;
  horizon<Distance> followed;
  KOKKOS_FUNCTION void operator()(std::int64_t i, Distance& least) const {
    auto const own = distance[vertices[i]];
    if (!followed.holds(own) && own < least) least = own;
  }
};
/// Divides what waits once more: what has been followed meanwhile goes.
template <class Ordinal, class Distance>
struct divide_waiting {
  Ordinal const* vertices;
  Distance const* distance;
  horizon<Distance> followed;
  horizon<Distance> within;
  vertex_queue<Ordinal> near;
  vertex_queue<Ordinal> far;
  int* waits;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    auto const vertex = vertices[i];
    auto const own = distance[vertex];
    if (followed.holds(own)) {
      waits[vertex] = 0;
    } else if (within.holds(own)) {
      waits[vertex] = 0;
      near.push(vertex);
    } else {
      far.push(vertex);
    }
  }
};

/// The edges by which a vertex has the distance it has.
template <class Crs, class Distance>
struct tight_edge {
  Crs a;
  Distance const* distance;
  KOKKOS_FUNCTION bool operator()(typename Crs::ordinal_type vertex, std::size_t entry) const {
    auto const own = distance[a.entries[entry]];
    return own < unreached_distance<Distance> &&
           farther<Distance>(distance[vertex], a.values[entry]) == own;
  }
};

template <class Ordinal, class Distance>
struct start_weighted {
  Ordinal source;
  Distance* distance;
  vertex_queue<Ordinal> queue;
  KOKKOS_FUNCTION void operator()(std::int64_t) const {
    distance[source] = Distance(0);
    queue.push(source);
  }
};

template <class Distance>
horizon<Distance> horizon_from(Distance least, double delta) {
  double const limit = static_cast<double>(least) + delta;
  auto const fits = limit < static_cast<double>(std::numeric_limits<Distance>::max());
  return {least, fits ? static_cast<Distance>(limit) : unreached_distance<Distance>};
}

}  // namespace impl::graphs

template <execution_instance Space, crs_like Matrix>
auto sssp(Space const& execution, Matrix const& matrix, std::int64_t source,
          sssp_options const& options)
    -> shortest_paths<typename crs_view_of<Matrix>::ordinal_type,
                      std::remove_const_t<typename crs_view_of<Matrix>::value_type>,
                      typename impl::execution_space_of<Space>::memory_space> {
  namespace graphs = impl::graphs;
  auto const a = as_crs(matrix);
  using crs = std::remove_const_t<decltype(a)>;
  using ordinal = typename crs::ordinal_type;
  using value = typename crs::value_type;
  using distance_type = std::remove_const_t<value>;
  using space_type = impl::execution_space_of<Space>;
  static_assert(std::is_arithmetic_v<distance_type> && !std::is_same_v<distance_type, bool>,
                "weights are float, double or integers");
  constexpr char const* function = "araios::sssp";
  graphs::check_graph(function, a, source);
  impl::require(options.delta >= 0.0, function, ": delta is ", options.delta);
  Kokkos::Profiling::ScopedRegion const region(function);
  auto const& space = impl::instance(execution);
  using policy = graphs::vertices_policy<space_type>;
  auto const nnz = static_cast<std::int64_t>(a.nnz);
  std::int64_t first = nnz;
  Kokkos::parallel_reduce("araios::sssp::check_weights", policy(space, 0, nnz),
                          graphs::first_bad_weight<value>{a.values},
                          Kokkos::Min<std::int64_t>(first));
  impl::require(first >= nnz, function, ": entry ", first, " of A (", a.num_rows, " x ", a.num_cols,
                ", ", a.nnz, " entries) is negative or not a number");
  double delta = options.delta;
  if (delta == 0.0 && nnz > 0) {
    Kokkos::parallel_reduce("araios::sssp::sum_weights", policy(space, 0, nnz),
                            graphs::sum_weights<value>{a.values}, delta);
    delta /= static_cast<double>(nnz);
  }

  auto const vertices = static_cast<std::size_t>(a.num_rows);
  auto const lengths = impl::allocate<distance_type>(space, "araios::sssp::distance", vertices);
  auto const round_of = impl::allocate<std::int64_t>(space, "araios::sssp::round", vertices);
  auto const waits = impl::allocate<int>(space, "araios::sssp::waits", vertices);
  Kokkos::deep_copy(space, lengths, unreached_distance<distance_type>);
  Kokkos::deep_copy(space, round_of, std::int64_t{-1});
  Kokkos::deep_copy(space, waits, 0);
  auto* const distance = lengths.data();
  impl::frontier<space_type, ordinal> near(space, "araios::sssp::near_", vertices);
  impl::frontier<space_type, ordinal> far(space, "araios::sssp::far_", vertices);
  Kokkos::parallel_for("araios::sssp::start", policy(space, 0, 1),
                       graphs::start_weighted<ordinal, distance_type>{static_cast<ordinal>(source),
                                                                      distance, near.next()});
  near.turn();
  auto within = graphs::horizon_from(distance_type(0), delta);
  auto const narrow = graphs::limits_of_narrow(space);
  std::int64_t round = 0;
  for (;;) {
    graphs::relax_end<crs, distance_type> const reach{
        a, distance, round_of.data(), waits.data(), within, far.next()};
    using reach_type = std::remove_const_t<decltype(reach)>;
    while (near.size() > 0) {
      if (near.size() <= narrow.vertices) {
        auto const done =
            near.narrow(a, graphs::reach_in_level<reach_type, std::int64_t>{reach, round}, narrow);
        round += done.levels;
        if (done.levels > 0) continue;
      }
      auto const tiles = near.tiles(a);
      impl::visit_atoms_of(
          space, "araios::sssp::relax", tiles,
          graphs::reach_ends<std::remove_const_t<decltype(tiles)>, reach_type, std::int64_t>{
              tiles, reach, round, near.next()});
      near.turn();
      ++round;
    }
    far.turn();
    if (far.size() == 0) break;
    auto least = unreached_distance<distance_type>;
    Kokkos::parallel_reduce(
        "araios::sssp::least_waiting", policy(space, 0, far.size()),
        graphs::least_waiting<ordinal, distance_type>{far.vertices(), distance, within},
        Kokkos::Min<distance_type>(least));
    auto const followed = within;
    within = graphs::horizon_from(least, delta);
    Kokkos::parallel_for(
        "araios::sssp::divide_waiting", policy(space, 0, far.size()),
        graphs::divide_waiting<ordinal, distance_type>{far.vertices(), distance, followed, within,
                                                       near.next(), far.next(), waits.data()});
    near.turn();
  }
  auto const tree = graphs::search(space, "araios::sssp::", a,
                                   graphs::tight_edge<crs, distance_type>{a, distance}, nullptr,
                                   static_cast<ordinal>(source));
  return {lengths, tree.predecessor};
}

}  // namespace araios
