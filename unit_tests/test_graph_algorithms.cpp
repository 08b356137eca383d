// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <araios/connected_components.hpp>
#include <araios/gallery.hpp>
#include <araios/pagerank.hpp>

#include "support/battery.hpp"
#include "support/device.hpp"
#include "support/graphs.hpp"
#include "support/random.hpp"
#include "support/throws.hpp"
#include "support/tools_counter.hpp"

// Connected components and PageRank against plain sequential ones.

namespace {

using araios::host_crs;
using std::int64_t;
using support::exec;
using support::graph;
using support::throws;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Floods the graph from each vertex not yet reached, in ascending order, along edges both ways.
std::vector<int> components(host_crs<double> const& a) {
  auto const n = static_cast<std::size_t>(a.num_rows);
  std::vector<std::vector<int64_t>> neighbours(n);
  for (std::size_t i = 0; i < n; ++i)
    for (auto k = a.row_map[i]; k < a.row_map[i + 1]; ++k) {
      auto const j = a.entries[static_cast<std::size_t>(k)];
      neighbours[i].push_back(j);
      neighbours[static_cast<std::size_t>(j)].push_back(static_cast<int64_t>(i));
    }
  std::vector<int> component(n, -1);
  std::vector<std::size_t> waiting;
  for (std::size_t first = 0; first < n; ++first) {
    if (component[first] >= 0) continue;
    component[first] = static_cast<int>(first);
    waiting.assign(1, first);
    while (!waiting.empty()) {
      auto const i = waiting.back();
      waiting.pop_back();
      for (auto const j : neighbours[i]) {
        auto& known = component[static_cast<std::size_t>(j)];
        if (known >= 0) continue;
        known = static_cast<int>(first);
        waiting.push_back(static_cast<std::size_t>(j));
      }
    }
  }
  return component;
}

struct rank_reference {
  std::vector<long double> ranks;
  std::vector<long double> differences;  ///< of each iteration
};

/// The formula, `iterations` times, one edge after the other.
rank_reference ranks_after(host_crs<double> const& a, long double damping, int iterations) {
  auto const n = static_cast<std::size_t>(a.num_rows);
  rank_reference result;
  result.ranks.assign(n, 1.0L / static_cast<long double>(n));
  for (int k = 0; k < iterations; ++k) {
    std::vector<long double> next(n, 0.0L);
    long double kept = 0.0L;
    for (std::size_t i = 0; i < n; ++i) {
      auto const edges = a.row_map[i + 1] - a.row_map[i];
      if (edges == 0) kept += result.ranks[i];
      for (auto e = a.row_map[i]; e < a.row_map[i + 1]; ++e)
        next[static_cast<std::size_t>(a.entries[static_cast<std::size_t>(e)])] +=
            damping * result.ranks[i] / static_cast<long double>(edges);
    }
    long double difference = 0.0L;
    for (std::size_t i = 0; i < n; ++i) {
      next[i] += (1.0L - damping + damping * kept) / static_cast<long double>(n);
      difference += std::abs(next[i] - result.ranks[i]);
    }
    result.ranks = next;
    result.differences.push_back(difference);
  }
  return result;
}

class graph_algorithms : public support::random_test {
 protected:
  exec space;

  void check_components(host_crs<double> const& a) {
    auto const expected = components(a);
    auto const narrow = araios::to_crs_matrix<double, int, int>(space, a);
    ASSERT_EQ(support::to_host(araios::connected_components(space, narrow)), expected);
    auto const other = araios::to_crs_matrix<float, int, std::size_t>(space, a);
    ASSERT_EQ(support::to_host(araios::connected_components(araios::portable_on{space}, other)),
              expected);
  }

  /// Compares with as many steps of the reference, and the end with its differences.
  template <class Rank>
  void check_pagerank(host_crs<double> const& a, araios::pagerank_options const& options = {}) {
    SCOPED_TRACE("damping " + std::to_string(options.damping));
    auto const device = araios::to_crs_matrix<double, int, int>(space, a);
    auto const result = araios::pagerank<Rank>(space, device, options);
    auto const ranks = support::to_host(result.ranks);
    ASSERT_EQ(static_cast<int64_t>(ranks.size()), a.num_rows);
    ASSERT_GE(result.iterations, 1);
    ASSERT_LE(result.iterations, options.max_iterations);
    auto const expected = ranks_after(a, options.damping, result.iterations);

    // Rounding: a unit for each term of the longest sum, and of the sums of all ranks, which are
    // formed in double; what one step adds is damped in the next.
    std::vector<int64_t> in_edges(ranks.size(), 3);
    for (auto const j : a.entries) ++in_edges[static_cast<std::size_t>(j)];
    long double const longest = *std::max_element(in_edges.begin(), in_edges.end());
    long double const unit =
        (std::numeric_limits<Rank>::epsilon() * longest +
         std::numeric_limits<double>::epsilon() * static_cast<long double>(a.num_rows)) /
        (1.0L - options.damping);
    long double sum = 0.0L, error = 0.0L;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      ASSERT_TRUE(ranks[i] >= 0) << "vertex " << i << " has rank " << ranks[i];
      sum += ranks[i];
      error += std::abs(ranks[i] - expected.ranks[i]);
    }
    EXPECT_LE(error, unit);
    EXPECT_LE(std::abs(sum - 1.0L), unit);
    EXPECT_LE(std::abs(result.difference - expected.differences.back()), 2.0L * unit);
    EXPECT_EQ(result.converged, result.difference <= options.tolerance);
    EXPECT_TRUE(result.converged || result.iterations == options.max_iterations);
    for (std::size_t k = 0; k + 1 < expected.differences.size(); ++k)  // it ended when it could
      ASSERT_GT(expected.differences[k], options.tolerance - 2.0L * unit) << k;
  }

  std::vector<host_crs<double>> examples() {
    return {araios::gallery::rmat(10, 8, 3),
            araios::gallery::laplace_2d_5pt(40, 30),
            araios::gallery::erdos_renyi(3000, 1),  // many small components
            araios::gallery::bidiagonal(700),       // a path
            araios::gallery::arrow(600),            // a star
            araios::gallery::diagonal(5),
            araios::gallery::dense_row(3000),
            graph(1, {}),
            graph(1, {{0, 0, 1.0}}),
            graph(6, {})};
  }

  /// The vertices of a graph under other names, in which nothing ascends any more.
  host_crs<double> shuffled(host_crs<double> const& a) {
    auto const n = static_cast<std::size_t>(a.num_rows);
    std::vector<int64_t> old_name(n), new_name(n);
    std::iota(old_name.begin(), old_name.end(), int64_t{0});
    std::shuffle(old_name.begin(), old_name.end(), random);
    for (std::size_t i = 0; i < n; ++i)
      new_name[static_cast<std::size_t>(old_name[i])] = static_cast<int64_t>(i);
    host_crs<double> b;
    b.num_rows = b.num_cols = a.num_rows;
    for (auto const i : old_name) {
      for (auto k = static_cast<std::size_t>(a.row_map[static_cast<std::size_t>(i)]);
           k < static_cast<std::size_t>(a.row_map[static_cast<std::size_t>(i) + 1]); ++k) {
        b.entries.push_back(new_name[static_cast<std::size_t>(a.entries[k])]);
        b.values.push_back(a.values[k]);
      }
      b.row_map.push_back(b.nnz());
    }
    return b;
  }
};

TEST_F(graph_algorithms, components_on_the_battery) {
  for (auto const& m : support::battery(random)) {
    if (m.a.num_rows != m.a.num_cols) continue;
    SCOPED_TRACE(m.name + ": " + m.reason);
    check_components(m.a);
  }
}

TEST_F(graph_algorithms, components_on_examples) {
  for (auto const& a : examples()) {
    SCOPED_TRACE(std::to_string(a.num_rows) + " vertices, " + std::to_string(a.nnz()) + " edges");
    check_components(a);
    check_components(shuffled(a));
  }
}

/// A path along which names ascend, descend or neither, with edges in one direction.
TEST_F(graph_algorithms, components_of_long_paths) {
  constexpr int64_t n = 100'000;
  auto const up = support::band(random, n, n, {1});
  auto const down = support::band(random, n, n, {-1});
  std::vector<int> const all_zero(n, 0);
  for (auto const& a : {up, down, shuffled(up), shuffled(down)}) {
    auto const device = araios::to_crs_matrix<double, int, int>(space, a);
    EXPECT_EQ(support::to_host(araios::connected_components(space, device)), all_zero);
  }
}

/// Large enough that threads get in each other's way: one heavy vertex, one large component, many.
TEST_F(graph_algorithms, components_of_larger_graphs) {
  check_components(araios::gallery::rmat(15, 8, 2));
  check_components(shuffled(araios::gallery::arrow(100'000)));
  check_components(araios::gallery::erdos_renyi(200'000, 1));
  check_components(shuffled(araios::gallery::laplace_2d_5pt(300, 300)));
}

TEST_F(graph_algorithms, components_joined_by_one_directed_edge) {
  // 0-3-4 and 1-2-5; 6 is alone
  auto const apart = graph(7, {{3, 0, 1.0}, {3, 4, 1.0}, {2, 1, 1.0}, {5, 2, 1.0}});
  auto const of = [&](host_crs<double> const& a) {
    return support::to_host(
        araios::connected_components(space, araios::to_crs_matrix<double, int, int>(space, a)));
  };
  EXPECT_EQ(of(apart), (std::vector<int>{0, 1, 1, 0, 0, 1, 6}));
  std::vector<int> const together{0, 0, 0, 0, 0, 0, 6};
  for (int const from : {0, 3, 4})
    for (int const to : {1, 2, 5}) {
      SCOPED_TRACE(std::to_string(from) + ", " + std::to_string(to));
      auto edges = std::vector<std::tuple<int, int, double>>{
          {3, 0, 1.0}, {3, 4, 1.0}, {2, 1, 1.0}, {5, 2, 1.0}, {from, to, 1.0}};
      EXPECT_EQ(of(graph(7, edges)), together);
      edges.back() = {to, from, 1.0};
      EXPECT_EQ(of(graph(7, edges)), together);
    }
}

// Neither loops, nor duplicates, nor values, nor the order of a row.
TEST_F(graph_algorithms, only_the_pattern_counts) {
  auto const a =
      graph(6, {{0, 0, 1.0}, {1, 4, 0.0}, {1, 2, nan}, {1, 4, -1.0}, {1, 1, 0.0}, {5, 5, nan}});
  auto const device = araios::to_crs_matrix<double, int, int>(space, a);
  EXPECT_EQ(support::to_host(araios::connected_components(space, device)),
            (std::vector<int>{0, 1, 1, 3, 1, 5}));
  check_pagerank<double>(a);
}

TEST_F(graph_algorithms, no_vertices) {
  check_components(host_crs<double>{});
  araios::crs_matrix<double, int, int> const empty;
  support::tools_counter const counter;
  EXPECT_EQ(araios::connected_components(space, empty).extent(0), 0u);
  auto const result = araios::pagerank(space, empty);
  EXPECT_EQ(result.ranks.extent(0), 0u);
  EXPECT_EQ(result.iterations, 0);
  EXPECT_EQ(result.difference, 0.0);
  EXPECT_TRUE(result.converged);
}

TEST_F(graph_algorithms, wide_ordinals) {
  auto const host = araios::gallery::rmat(9, 4, 5);
  auto const a = araios::to_crs_matrix<float, int64_t, int64_t>(space, host);
  auto const expected = components(host);
  EXPECT_EQ(support::to_host(araios::connected_components(space, a)),
            (std::vector<int64_t>(expected.begin(), expected.end())));
  auto const narrow = araios::to_crs_matrix<double, int, int>(space, host);
  auto const wide_ranks = support::to_host(araios::pagerank(space, a).ranks);
  auto const ranks = support::to_host(araios::pagerank(space, narrow).ranks);
  ASSERT_EQ(wide_ranks.size(), ranks.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) EXPECT_NEAR(wide_ranks[i], ranks[i], 1e-12);
}

TEST_F(graph_algorithms, pagerank_on_the_battery) {
  for (auto const& m : support::battery(random)) {
    if (m.a.num_rows != m.a.num_cols || m.a.num_rows == 0) continue;
    SCOPED_TRACE(m.name + ": " + m.reason);
    check_pagerank<double>(m.a);
    check_pagerank<float>(m.a, {.damping = 0.5, .tolerance = 1e-4});
  }
}

TEST_F(graph_algorithms, pagerank_on_examples) {
  for (auto const& a : examples()) {
    SCOPED_TRACE(std::to_string(a.num_rows) + " vertices, " + std::to_string(a.nnz()) + " edges");
    for (double const damping : {0.0, 0.3, 0.85, 0.99})
      check_pagerank<double>(a, {.damping = damping, .tolerance = 1e-9, .max_iterations = 60});
    check_pagerank<double>(shuffled(a), {.tolerance = 1e-12, .max_iterations = 300});
    check_pagerank<float>(a);
  }
  check_pagerank<double>(araios::gallery::rmat(15, 8, 2));
}

// By hand: in a circle all are alike; 1 of 0 -> 1 keeps nothing for itself; two shares beat one.
TEST_F(graph_algorithms, pagerank_by_hand) {
  auto const ranks_of = [&](host_crs<double> const& a, double damping) {
    auto const result =
        araios::pagerank(space, araios::to_crs_matrix<double, int, int>(space, a),
                         {.damping = damping, .tolerance = 1e-14, .max_iterations = 1000});
    EXPECT_TRUE(result.converged);
    return support::to_host(result.ranks);
  };
  for (auto const rank : ranks_of(graph(3, {{0, 1, 1.0}, {1, 2, 1.0}, {2, 0, 1.0}}), 0.85))
    EXPECT_NEAR(rank, 1.0 / 3.0, 1e-13);
  // r0 = (1 - d) / 2 + d r1 / 2 and r0 + r1 = 1
  auto const dangling = ranks_of(graph(2, {{0, 1, 1.0}}), 0.5);
  EXPECT_NEAR(dangling[0], 0.4, 1e-13);
  EXPECT_NEAR(dangling[1], 0.6, 1e-13);
  // r0 = (1 - d) / 3 + d (r1 + r2), r1 = (1 - d) / 3 + d 2/3 r0, with r1 + r2 = 1 - r0
  auto const twice =
      ranks_of(graph(3, {{0, 1, 1.0}, {0, 1, 1.0}, {0, 2, 1.0}, {1, 0, 1.0}, {2, 0, 1.0}}), 0.5);
  EXPECT_NEAR(twice[0], 4.0 / 9.0, 1e-13);
  EXPECT_NEAR(twice[1], 1.0 / 6.0 + 4.0 / 27.0, 1e-13);
  EXPECT_NEAR(twice[2], 1.0 / 6.0 + 2.0 / 27.0, 1e-13);
}

TEST_F(graph_algorithms, pagerank_says_whether_it_converged) {
  // Along two edges and back ranks swing by a factor of -d from step to step.
  auto const a = araios::to_crs_matrix<double, int, int>(
      space, graph(3, {{0, 1, 1.0}, {1, 0, 1.0}, {2, 0, 1.0}}));
  auto const few = araios::pagerank(space, a, {.tolerance = 1e-12, .max_iterations = 7});
  EXPECT_FALSE(few.converged);
  EXPECT_EQ(few.iterations, 7);
  EXPECT_GT(few.difference, 1e-12);
  auto const enough = araios::pagerank(space, a, {.tolerance = 1e-12, .max_iterations = 1000});
  EXPECT_TRUE(enough.converged);
  EXPECT_LT(enough.iterations, 1000);
  EXPECT_GT(enough.iterations, 7);
  EXPECT_LE(enough.difference, 1e-12);
  auto const at_once = araios::pagerank(space, a, {.tolerance = 1e9});
  EXPECT_TRUE(at_once.converged);
  EXPECT_EQ(at_once.iterations, 1);
}

TEST_F(graph_algorithms, bad_arguments_are_refused_before_anything_is_done) {
  auto const wide =
      araios::to_crs_matrix<double, int, int>(space, host_crs<double>{1, 2, {0, 1}, {1}, {1.0}});
  auto const a = araios::to_crs_matrix<double, int, int>(space, graph(2, {{0, 1, 1.0}}));
  araios::crs_matrix<double, int, int> const empty;
  support::tools_counter const counter;
  EXPECT_TRUE(
      throws<std::invalid_argument>([&] { araios::connected_components(space, wide); },
                                    {"araios::connected_components", "1 x 2", "not square"}));
  EXPECT_TRUE(throws<std::invalid_argument>([&] { araios::pagerank(space, wide); },
                                            {"araios::pagerank", "1 x 2", "not square"}));
  for (auto const& matrix : {a, empty}) {
    auto const refused = [&](araios::pagerank_options const& options, std::string const& what) {
      return throws<std::invalid_argument>([&] { araios::pagerank(space, matrix, options); },
                                           {"araios::pagerank", what});
    };
    EXPECT_TRUE(refused({.damping = 1.0}, "damping is 1"));
    EXPECT_TRUE(refused({.damping = -0.5}, "damping is -0.5"));
    EXPECT_TRUE(refused({.damping = nan}, "damping is nan"));
    EXPECT_TRUE(refused({.tolerance = 0.0}, "tolerance is 0"));
    EXPECT_TRUE(refused({.tolerance = -1.0}, "tolerance is -1"));
    EXPECT_TRUE(refused({.tolerance = nan}, "tolerance is nan"));
    EXPECT_TRUE(refused({.max_iterations = 0}, "max_iterations is 0"));
    EXPECT_TRUE(refused({.max_iterations = -3}, "max_iterations is -3"));
  }
  EXPECT_TRUE(counter.nothing_happened());
}

TEST_F(graph_algorithms, components_wait_for_nothing) {
  auto const a = araios::to_crs_matrix<double, int, int>(space, araios::gallery::rmat(8, 8, 1));
  (void)araios::connected_components(space, a);
  support::tools_counter const counter;
  auto const component = araios::connected_components(space, a);
  EXPECT_EQ(counter.launches.size(), 3u);
  EXPECT_EQ(counter.global_fences(), 0);
  EXPECT_TRUE(counter.fences.empty() || !araios::impl::runs_on_host<exec>);
  EXPECT_TRUE(counter.launched_on(space));
  EXPECT_EQ(counter.not_labelled("araios::connected_components::"), "");
  EXPECT_EQ(counter.peak_bytes, counter.bytes);
  EXPECT_EQ(counter.allocations.size(), 1u);
  EXPECT_EQ(counter.regions, (std::vector<std::string>{"araios::connected_components"}));
  EXPECT_EQ(counter.open_regions, 0);
}

TEST_F(graph_algorithms, pagerank_works_on_its_instance) {
  auto const a = araios::to_crs_matrix<double, int, int>(space, araios::gallery::rmat(8, 8, 1));
  (void)araios::pagerank(space, a);
  support::tools_counter const counter;
  auto const result = araios::pagerank(space, a);
  EXPECT_TRUE(counter.launched_on(space));
  EXPECT_LE(counter.global_fences(), std::ssize(counter.deallocations));  // Kokkos waits to free
  for (auto const& allocation : counter.allocations)
    EXPECT_TRUE(allocation.label.starts_with("araios::")) << allocation.label;
  for (auto const& launch : counter.launches)
    EXPECT_TRUE(launch.starts_with("araios::") || launch.starts_with("Kokkos::")) << launch;
  ASSERT_FALSE(counter.regions.empty());
  EXPECT_EQ(counter.regions.front(), "araios::pagerank");
  EXPECT_EQ(counter.open_regions, 0);
}

}  // namespace
