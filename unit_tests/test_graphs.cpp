// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <araios/bfs.hpp>
#include <araios/gallery.hpp>
#include <araios/sssp.hpp>

#include "contracts/schedule.hpp"
#include "support/battery.hpp"
#include "support/device.hpp"
#include "support/graphs.hpp"
#include "support/random.hpp"
#include "support/throws.hpp"
#include "support/tools_counter.hpp"

// Breadth-first search and shortest paths against plain sequential ones.

namespace {

using araios::host_crs;
using std::int64_t;
using support::exec;
using support::graph;
using support::throws;
using support::transposed;

std::vector<int> levels(host_crs<double> const& a, int source) {
  std::vector<int> level(static_cast<std::size_t>(a.num_rows), -1);
  std::queue<int64_t> queue;
  level[static_cast<std::size_t>(source)] = 0;
  queue.push(source);
  for (; !queue.empty(); queue.pop()) {
    auto const i = static_cast<std::size_t>(queue.front());
    for (auto k = a.row_map[i]; k < a.row_map[i + 1]; ++k) {
      auto const j = a.entries[static_cast<std::size_t>(k)];
      if (level[static_cast<std::size_t>(j)] >= 0) continue;
      level[static_cast<std::size_t>(j)] = level[i] + 1;
      queue.push(j);
    }
  }
  return level;
}

/// Dijkstra's algorithm. Sums are rounded as those along a path are, so that results can be
/// compared exactly.
template <class Value>
std::vector<Value> distances(host_crs<Value> const& a, int source) {
  constexpr auto far = araios::unreached_distance<Value>;
  std::vector<Value> distance(static_cast<std::size_t>(a.num_rows), far);
  using waiting = std::pair<Value, int64_t>;
  std::priority_queue<waiting, std::vector<waiting>, std::greater<>> queue;
  distance[static_cast<std::size_t>(source)] = 0;
  queue.emplace(Value(0), source);
  while (!queue.empty()) {
    auto const [length, vertex] = queue.top();
    queue.pop();
    auto const i = static_cast<std::size_t>(vertex);
    if (length > distance[i]) continue;
    for (auto k = static_cast<std::size_t>(a.row_map[i]);
         k < static_cast<std::size_t>(a.row_map[i + 1]); ++k) {
      if (std::is_integral_v<Value> && length > far - a.values[k]) continue;
      auto const next = static_cast<Value>(length + a.values[k]);
      auto& known = distance[static_cast<std::size_t>(a.entries[k])];
      if (!(next < known)) continue;
      known = next;
      queue.emplace(next, a.entries[k]);
    }
  }
  return distance;
}

/// Does every vertex that is reached have a predecessor from which an edge leads to it that
/// explains its distance, and do predecessors lead to the source?
template <class Value, class Distance, class Length>
void check_predecessors(host_crs<Value> const& a, int source, std::vector<Distance> const& distance,
                        std::vector<int> const& predecessor, Distance unreached,
                        Length const& length) {
  ASSERT_EQ(predecessor[static_cast<std::size_t>(source)], source);
  std::vector<int> steps(distance.size(), -1);  // to the source
  steps[static_cast<std::size_t>(source)] = 0;
  for (std::size_t j = 0; j < distance.size(); ++j) {
    if (distance[j] == unreached) {
      ASSERT_EQ(predecessor[j], -1) << j;
      continue;
    }
    std::vector<std::size_t> path;
    for (auto at = j; steps[at] < 0; at = static_cast<std::size_t>(predecessor[at])) {
      path.push_back(at);
      ASSERT_GE(predecessor[at], 0) << at;
      ASSERT_LE(path.size(), distance.size()) << "a cycle of predecessors";
    }
    for (auto const at : path) steps[at] = 1;
    if (static_cast<int>(j) == source) continue;
    auto const i = static_cast<std::size_t>(predecessor[j]);
    bool explained = false;
    for (auto k = static_cast<std::size_t>(a.row_map[i]);
         k < static_cast<std::size_t>(a.row_map[i + 1]); ++k)
      explained = explained || (a.entries[k] == static_cast<int64_t>(j) &&
                                length(distance[i], a.values[k]) == distance[j]);
    ASSERT_TRUE(explained) << "vertex " << j << " after " << i;
  }
}

class graphs : public support::random_test {
 protected:
  exec space;

  void check_bfs(host_crs<double> const& a, int source) {
    SCOPED_TRACE("source " + std::to_string(source));
    auto const expected = levels(a, source);
    auto const device = araios::to_crs_matrix<double, int, int>(space, a);
    auto const other = araios::to_crs_matrix<double, int, int>(space, transposed(a));
    auto const check = [&](auto const& paths, char const* what) {
      SCOPED_TRACE(what);
      auto const distance = support::to_host(paths.distance);
      ASSERT_EQ(distance, expected);
      check_predecessors(a, source, distance, support::to_host(paths.predecessor), -1,
                         [](int before, double) { return before + 1; });
    };
    check(araios::bfs(space, device, source), "forwards");
    check(araios::bfs(space, device, other, source), "both ways");
    check(araios::bfs(araios::portable_on{space}, device, source), "portable");
  }

  template <class Value>
  void check_sssp(host_crs<Value> const& a, int source, double delta = 0.0) {
    SCOPED_TRACE("source " + std::to_string(source) + ", delta " + std::to_string(delta));
    auto const device = araios::to_crs_matrix<Value, int, std::size_t>(space, a);
    auto const paths = araios::sssp(space, device, source, {.delta = delta});
    auto const distance = support::to_host(paths.distance);
    ASSERT_EQ(distance, distances(a, source));
    check_predecessors(
        a, source, distance, support::to_host(paths.predecessor), araios::unreached_distance<Value>,
        [](Value before, Value weight) { return static_cast<Value>(before + weight); });
  }

  template <class Value>
  host_crs<Value> with_weights(host_crs<double> const& pattern, double largest) {
    host_crs<Value> a{pattern.num_rows, pattern.num_cols, pattern.row_map, pattern.entries, {}};
    for (std::size_t k = 0; k < a.entries.size(); ++k)
      a.values.push_back(static_cast<Value>(largest * std::abs(support::draw_number(random)) / 2));
    return a;
  }

  std::vector<host_crs<double>> examples() {
    return {araios::gallery::rmat(10, 8, 3),       araios::gallery::laplace_2d_5pt(40, 30),
            araios::gallery::erdos_renyi(3000, 1),  // many that are not reached
            araios::gallery::bidiagonal(700),       // a path
            araios::gallery::arrow(600),            // a star
            araios::gallery::diagonal(5),          araios::gallery::dense_row(3000)};
  }
};

TEST_F(graphs, bfs_on_the_battery) {
  for (auto const& m : support::battery(random)) {
    if (m.a.num_rows != m.a.num_cols || m.a.num_rows == 0) continue;
    SCOPED_TRACE(m.name + ": " + m.reason);
    check_bfs(m.a, 0);
    check_bfs(m.a, static_cast<int>(support::draw(random, 0, m.a.num_rows - 1)));
  }
}

TEST_F(graphs, bfs_on_examples) {
  for (auto const& a : examples())
    for (int const source : {0, static_cast<int>(a.num_rows / 2), static_cast<int>(a.num_rows - 1)})
      check_bfs(a, source);
}

TEST_F(graphs, sssp_on_the_battery) {
  for (auto const& m : support::battery(random)) {
    if (m.a.num_rows != m.a.num_cols || m.a.num_rows == 0) continue;
    SCOPED_TRACE(m.name + ": " + m.reason);
    check_sssp(with_weights<double>(m.a, 1.0), 0);
    check_sssp(with_weights<int>(m.a, 20.0), static_cast<int>(m.a.num_rows - 1));
  }
}

TEST_F(graphs, sssp_on_examples) {
  for (auto const& a : examples()) {
    auto const middle = static_cast<int>(a.num_rows / 2);
    for (double const delta : {0.0, 1e-30, 0.3, 1e30})
      check_sssp(with_weights<double>(a, 1.0), middle, delta);
    check_sssp(with_weights<float>(a, 1000.0), 0);
    check_sssp(with_weights<int64_t>(a, 5.0), middle);
    check_sssp(with_weights<int>(a, 1.9), 0);  // zeros and ones
  }
}

TEST_F(graphs, wide_ordinals) {
  auto const host = with_weights<float>(araios::gallery::rmat(9, 8, 5), 3.0);
  auto const a = araios::to_crs_matrix<float, int64_t, int64_t>(space, host);
  EXPECT_EQ(support::to_host(araios::sssp(space, a, 7).distance), distances(host, 7));
  auto const expected = levels(araios::gallery::rmat(9, 8, 5), 7);
  EXPECT_EQ(support::to_host(araios::bfs(space, a, 7).distance),
            (std::vector<int64_t>(expected.begin(), expected.end())));
}

// F19
TEST_F(graphs, vertices_without_edges_end_the_search) {
  auto const a = graph(5, {{0, 1, 1.0}, {0, 2, 1.0}, {0, 3, 1.0}, {0, 4, 1.0}});
  auto const device = araios::to_crs_matrix<double, int, int>(space, a);
  EXPECT_EQ(support::to_host(araios::sssp(space, device, 0).distance),
            (std::vector<double>{0, 1, 1, 1, 1}));
  EXPECT_EQ(support::to_host(araios::bfs(space, device, 0).distance),
            (std::vector<int>{0, 1, 1, 1, 1}));
}

// F20
TEST_F(graphs, unreached_vertices_are_told_from_others) {
  auto const check = [&](auto weight) {
    using value = decltype(weight);
    auto const a = graph<value>(4, {{2, 3, weight}});
    auto const device = araios::to_crs_matrix<value, int, int>(space, a);
    auto const paths = araios::sssp(space, device, 0);
    auto const far = araios::unreached_distance<value>;
    EXPECT_EQ(support::to_host(paths.distance), (std::vector<value>{0, far, far, far}));
    EXPECT_EQ(support::to_host(paths.predecessor), (std::vector<int>{0, -1, -1, -1}));
    EXPECT_EQ(support::to_host(araios::bfs(space, device, 0).distance),
              (std::vector<int>{0, -1, -1, -1}));
  };
  check(1.0);
  check(1.0f);
  check(1);
  check(int64_t{1});
}

// F22
TEST_F(graphs, bad_weights_and_sources_are_refused) {
  auto const cycle =
      araios::to_crs_matrix<double, int, int>(space, graph(2, {{0, 1, -1.0}, {1, 0, -1.0}}));
  auto const loop =
      araios::to_crs_matrix<int, int, int>(space, graph<int>(3, {{0, 1, 1}, {2, 2, -1}}));
  auto const nan = araios::to_crs_matrix<double, int, int>(space, graph(2, {{0, 1, double(NAN)}}));
  EXPECT_TRUE(throws<std::invalid_argument>([&] { araios::sssp(space, cycle, 0); },
                                            {"araios::sssp", "entry 0", "2 x 2", "negative"}));
  EXPECT_TRUE(throws<std::invalid_argument>([&] { araios::sssp(space, loop, 0); },
                                            {"araios::sssp", "entry 1", "3 x 3"}));
  EXPECT_TRUE(throws<std::invalid_argument>([&] { araios::sssp(space, nan, 0); },
                                            {"araios::sssp", "not a number"}));
  auto const a = araios::to_crs_matrix<double, int, int>(space, graph(3, {{0, 1, 1.0}}));
  araios::crs_matrix<double, int, int> const empty;
  auto const wide =
      araios::to_crs_matrix<double, int, int>(space, host_crs<double>{1, 2, {0, 1}, {1}, {1.0}});
  for (int64_t const source : {int64_t{-1}, int64_t{3}, int64_t{1} << 32}) {
    auto const text = "source " + std::to_string(source);
    EXPECT_TRUE(throws<std::invalid_argument>([&] { araios::bfs(space, a, source); },
                                              {"araios::bfs", text, "3 vertices"}));
    EXPECT_TRUE(throws<std::invalid_argument>([&] { araios::sssp(space, a, source); },
                                              {"araios::sssp", text, "3 vertices"}));
  }
  EXPECT_TRUE(throws<std::invalid_argument>([&] { araios::bfs(space, empty, 0); }, {"0 vertices"}));
  EXPECT_TRUE(
      throws<std::invalid_argument>([&] { araios::sssp(space, empty, 0); }, {"0 vertices"}));
  EXPECT_TRUE(throws<std::invalid_argument>([&] { araios::bfs(space, wide, 0); },
                                            {"araios::bfs", "1 x 2", "not square"}));
  EXPECT_TRUE(throws<std::invalid_argument>([&] { araios::bfs(space, a, cycle, 0); },
                                            {"araios::bfs", "3 x 3", "2 x 2"}));
  EXPECT_TRUE(throws<std::invalid_argument>([&] { araios::sssp(space, a, 0, {.delta = -1.0}); },
                                            {"araios::sssp", "delta is -1"}));
}

TEST_F(graphs, lengths_that_do_not_fit) {
  constexpr int most = std::numeric_limits<int>::max();
  auto const a = araios::to_crs_matrix<int, int, int>(
      space, graph<int>(4, {{0, 1, most - 1}, {1, 2, 5}, {1, 3, 0}}));
  auto const paths = araios::sssp(space, a, 0);
  EXPECT_EQ(support::to_host(paths.distance), (std::vector<int>{0, most - 1, most, most - 1}));
  EXPECT_EQ(support::to_host(paths.predecessor), (std::vector<int>{0, 0, -1, 1}));
  constexpr double infinite = std::numeric_limits<double>::infinity();
  auto const b = araios::to_crs_matrix<double, int, int>(
      space, graph(3, {{0, 1, infinite}, {0, 2, 1e308}, {2, 1, 1e308}}));
  EXPECT_EQ(support::to_host(araios::sssp(space, b, 0).distance),
            (std::vector<double>{0, infinite, 1e308}));
}

template <class Frontier>
struct put_in {
  Frontier queue;
  KOKKOS_FUNCTION void operator()(int64_t i) const { queue.push(static_cast<int>(7 * i % 600)); }
};

// The vertices of a frontier and their edges keep the contract of tile sets under every schedule.
TEST_F(graphs, frontiers_are_tile_sets) {
  auto host = support::rows_of(random, support::repeated({0, 3, 70, 1, 0, 0, 9}, 100), 700);
  auto const a = araios::to_crs_matrix<double, int, int>(space, host);
  araios::impl::frontier<exec, int> front(space, "araios::test::", 700);
  for (int const size : {0, 1, 300}) {
    SCOPED_TRACE(size);
    Kokkos::parallel_for(Kokkos::RangePolicy<exec, Kokkos::IndexType<int64_t>>(space, 0, size),
                         put_in<decltype(front.next())>{front.next()});
    front.turn();
    ASSERT_EQ(front.size(), size);
    auto const tiles = front.tiles(araios::as_crs(a));
    contracts::check_tile_set(tiles);
    auto const borders = contracts::check_tile_borders(tiles);
    contracts::for_each_schedule([&](auto const& schedule) {
      SCOPED_TRACE(contracts::describe(schedule));
      contracts::check_schedule(schedule, tiles, borders);
    });
  }
}

// Edges that weigh nothing must not make predecessors go round in a circle.
TEST_F(graphs, circles_that_weigh_nothing) {
  auto const a =
      graph<int>(5, {{0, 1, 2}, {1, 2, 0}, {2, 3, 0}, {3, 1, 0}, {0, 3, 2}, {3, 4, 0}, {4, 4, 0}});
  check_sssp(a, 0);
}

TEST_F(graphs, work_on_their_instance) {
  auto const host = with_weights<double>(araios::gallery::rmat(8, 8, 1), 1.0);
  auto const a = araios::to_crs_matrix<double, int, int>(space, host);
  (void)araios::sssp(space, a, 0);
  support::tools_counter const counter;
  auto const levels = araios::bfs(space, a, a, 0);
  auto const paths = araios::sssp(space, a, 0);
  EXPECT_TRUE(counter.launched_on(space));
  for (auto const& allocation : counter.allocations)
    EXPECT_TRUE(allocation.label.starts_with("araios::")) << allocation.label;
  for (auto const& launch : counter.launches)
    EXPECT_TRUE(launch.starts_with("araios::") || launch.starts_with("Kokkos::")) << launch;
  EXPECT_EQ(counter.regions, (std::vector<std::string>{"araios::bfs", "araios::sssp"}));
  EXPECT_EQ(counter.open_regions, 0);
}

}  // namespace
