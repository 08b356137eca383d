// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <araios/impl/frontier.hpp>
#include <araios/impl/graphs.hpp>
#include <araios/pagerank.hpp>
#include <araios/spmv.hpp>
#include <araios/tuning/graphs.hpp>

namespace araios {
namespace impl::graphs {

/// next[v] = how many edges enter v, where `next` is the row map of the transpose after its first
/// element.
template <class Ordinal, class Offset>
struct count_in_edges {
  Ordinal const* entries;
  Offset* next;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    Kokkos::atomic_add(&next[entries[k]], Offset(1));
  }
};
/// next[v] = where the first of them goes.
template <class Offset>
struct place_in_edges {
  Offset* next;
  KOKKOS_FUNCTION void operator()(std::int64_t i, Offset& before, bool final) const {
    auto const count = next[i];
    if (final) next[i] = before;
    before += count;
  }
};
/// Puts every edge where it goes, after which next[v] is the end of those that enter v.
template <class Tiles, class Ordinal, class Offset>
struct turn_edges {
  Tiles tiles;
  Ordinal const* entries;
  Offset* next;
  Ordinal* starts;

  KOKKOS_FUNCTION void operator()(Ordinal row, Offset atom) const {
    auto const end = entries[tiles.slot(row, atom)];
    starts[Kokkos::atomic_fetch_add(&next[end], Offset(1))] = row;
  }
};
/// The same on a host backend: each of 2^n workers goes through all edges for those that enter its
/// own vertices, blocks of 64. Threads that write by turns to the list of one vertex would take
/// each other's cache lines away.
template <class Crs>
struct turn_edges_of_blocks {
  using ordinal = typename Crs::ordinal_type;
  Crs a;
  typename Crs::offset_type* next;
  ordinal* starts;
  std::int64_t workers;

  KOKKOS_FUNCTION void operator()(std::int64_t worker) const {
    for (ordinal row = 0; row < a.num_rows; ++row)
      for (auto k = a.row_map[row]; k < a.row_map[row + 1]; ++k) {
        auto const end = a.entries[k];
        if (((static_cast<std::int64_t>(end) >> 6) & (workers - 1)) == worker)
          starts[next[end]++] = row;
      }
  }
};

/// shares[k] = d / (the number of edges that leave the start of edge k).
template <class Ordinal, class Offset, class Rank>
struct share_out {
  Offset const* row_map;
  Ordinal const* starts;
  double damping;
  Rank* shares;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    auto const edges = row_map[starts[k] + 1] - row_map[starts[k]];
    shares[k] = static_cast<Rank>(damping / static_cast<double>(edges));
  }
};

/// The transpose of A with the share of a rank that goes along each edge.
template <class Rank, class Space, class Crs>
auto shares_of_ranks(Space const& space, Crs const& a, double damping) {
  using ordinal = typename Crs::ordinal_type;
  using offset = typename Crs::offset_type;
  using policy = vertices_policy<Space>;
  auto const edges = static_cast<std::int64_t>(a.nnz);
  auto const row_map = allocate<offset>(space, "araios::pagerank::row_map",
                                        static_cast<std::size_t>(a.num_rows) + 1);
  auto const starts =
      allocate<ordinal>(space, "araios::pagerank::starts", static_cast<std::size_t>(edges));
  auto const shares =
      allocate<Rank>(space, "araios::pagerank::shares", static_cast<std::size_t>(edges));
  Kokkos::deep_copy(space, row_map, offset(0));
  auto* const next = row_map.data() + 1;
  Kokkos::parallel_for("araios::pagerank::count_in_edges", policy(space, 0, edges),
                       count_in_edges<ordinal, offset>{a.entries, next});
  Kokkos::parallel_scan("araios::pagerank::place_in_edges", policy(space, 0, a.num_rows),
                        place_in_edges<offset>{next});
  if constexpr (runs_on_host<Space>) {
    auto const workers = static_cast<std::int64_t>(std::bit_floor(
        static_cast<unsigned>(std::min(space.concurrency(), tuning::pagerank_turning_workers))));
    Kokkos::parallel_for("araios::pagerank::turn_edges", policy(space, 0, workers),
                         turn_edges_of_blocks<Crs>{a, next, starts.data(), workers});
  } else {
    auto const rows = a.tiles();
    visit_atoms_of(space, "araios::pagerank::turn_edges", rows,
                   turn_edges<std::remove_const_t<decltype(rows)>, ordinal, offset>{
                       rows, a.entries, next, starts.data()});
  }
  Kokkos::parallel_for(
      "araios::pagerank::share_out", policy(space, 0, edges),
      share_out<ordinal, offset, Rank>{a.row_map, starts.data(), damping, shares.data()});
  return crs_matrix<Rank, ordinal, offset, typename Space::memory_space>(a.num_rows, a.num_rows,
                                                                         row_map, starts, shares);
}

struct rank_sums {
  double difference = 0.0;
  double kept = 0.0;  ///< the ranks of vertices that no edge leaves

  KOKKOS_FUNCTION rank_sums& operator+=(rank_sums const& other) {
    difference += other.difference;
    kept += other.kept;
    return *this;
  }
};

/// Adds to the ranks what all vertices get alike.
template <class Offset, class Rank>
struct add_to_all {
  Offset const* row_map;
  Rank amount;
  Rank const* before;
  Rank* rank;

  KOKKOS_FUNCTION void operator()(std::int64_t i, rank_sums& sums) const {
    auto const now = rank[i] + amount;
    rank[i] = now;
    auto const change = static_cast<double>(now) - static_cast<double>(before[i]);
    sums += {change < 0.0 ? -change : change,
             row_map[i] == row_map[i + 1] ? static_cast<double>(now) : 0.0};
  }
};

}  // namespace impl::graphs
}  // namespace araios

template <>
struct Kokkos::reduction_identity<araios::impl::graphs::rank_sums> {
  KOKKOS_FUNCTION static araios::impl::graphs::rank_sums sum() { return {}; }
};

namespace araios {

template <class Rank, execution_instance Space, crs_like Matrix>
auto pagerank(Space const& space, Matrix const& matrix, pagerank_options const& options)
    -> pagerank_result<Rank, typename impl::execution_space_of<Space>::memory_space> {
  static_assert(std::is_same_v<Rank, double> || std::is_same_v<Rank, float>,
                "ranks are double or float");
  namespace graphs = impl::graphs;
  auto const a = as_crs(matrix);
  using offset = typename std::remove_const_t<decltype(a)>::offset_type;
  constexpr char const* function = "araios::pagerank";
  graphs::check_graph(function, a);
  impl::require(options.damping >= 0.0 && options.damping < 1.0, function, ": damping is ",
                options.damping, ", not in [0, 1)");
  impl::require(options.tolerance > 0.0, function, ": tolerance is ", options.tolerance,
                ", not above 0");
  impl::require(options.max_iterations >= 1, function, ": max_iterations is ",
                options.max_iterations, ", less than 1");
  Kokkos::Profiling::ScopedRegion const region(function);
  auto const& exec = impl::instance(space);
  auto const vertices = static_cast<std::size_t>(a.num_rows);
  pagerank_result<Rank, typename impl::execution_space_of<Space>::memory_space> result;
  result.ranks = impl::allocate<Rank>(exec, "araios::pagerank::ranks", vertices);
  result.converged = vertices == 0;
  if (result.converged) return result;

  auto const shares = graphs::shares_of_ranks<Rank>(exec, a, options.damping);
  spmv_plan const plan(space, shares);
  auto next = impl::allocate<Rank>(exec, "araios::pagerank::ranks", vertices);
  auto const n = static_cast<double>(vertices);
  auto const add_to_all = [&](double amount) {
    graphs::rank_sums sums;
    Kokkos::parallel_reduce(
        "araios::pagerank::add_to_all",
        graphs::vertices_policy<impl::execution_space_of<Space>>(exec, 0, a.num_rows),
        graphs::add_to_all<offset, Rank>{a.row_map, static_cast<Rank>(amount), result.ranks.data(),
                                         next.data()},
        Kokkos::Sum<graphs::rank_sums>(sums));
    std::swap(result.ranks, next);
    return sums;
  };
  Kokkos::deep_copy(exec, result.ranks, Rank(0));
  Kokkos::deep_copy(exec, next, Rank(0));
  auto sums = add_to_all(1.0 / n);  // equal ranks
  while (!result.converged && result.iterations < options.max_iterations) {
    plan.apply(space, Rank(1), shares, result.ranks, Rank(0), next);
    sums = add_to_all((1.0 - options.damping + options.damping * sums.kept) / n);
    ++result.iterations;
    result.difference = sums.difference;
    result.converged = sums.difference <= options.tolerance;
  }
  return result;
}

}  // namespace araios
