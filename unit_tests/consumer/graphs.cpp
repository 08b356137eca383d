// SPDX-License-Identifier: BSD-3-Clause
#include <Kokkos_Core.hpp>
#include <araios/bfs.hpp>
#include <araios/connected_components.hpp>
#include <araios/pagerank.hpp>
#include <araios/sssp.hpp>
#include <stdexcept>

#include "checks.hpp"
#include "device.hpp"

namespace consumer {

/// 0 -> 1 of weight 4, 0 -> 2 of weight 1, 2 -> 1 of weight 2, and 3 by itself.
araios::host_crs<double> four_vertices() {
  return {4, 4, {0, 2, 2, 3, 3}, {1, 2, 1}, {4.0, 1.0, 2.0}};
}

void bfs() {
  space_type const space;
  auto const a = araios::to_crs_matrix<double, int, int>(space, four_vertices());
  auto const paths = araios::bfs(space, a, 0);
  expect(holds(paths.distance, {0, 1, 1, araios::unreached_level<int>}), "bfs: distance");
  expect(holds(paths.predecessor, {0, 0, 0, paths.no_vertex}), "bfs: predecessor");
  auto const transposed = araios::to_crs_matrix<double, int, int>(
      space, araios::host_crs<double>{4, 4, {0, 0, 2, 3, 3}, {0, 2, 0}, {4.0, 2.0, 1.0}});
  expect(holds(araios::bfs(space, a, transposed, 0).distance, {0, 1, 1, -1}), "bfs: both ways");
}

void sssp() {
  space_type const space;
  auto const a = araios::to_crs_matrix<double, int, int>(space, four_vertices());
  auto const paths = araios::sssp(space, a, 0, {.delta = 1.5});
  expect(holds(paths.distance, {0.0, 3.0, 1.0, araios::unreached_distance<double>}),
         "sssp: distance");
  expect(holds(paths.predecessor, {0, 2, 0, -1}), "sssp: predecessor");
}

void connected_components() {
  space_type const space;
  auto const a = araios::to_crs_matrix<double, int, int>(space, four_vertices());
  expect(holds(araios::connected_components(space, a), {0, 0, 0, 3}), "connected_components");
  expect(throws<std::invalid_argument>([&] {
           araios::connected_components(space, araios::to_crs_matrix<double>(space, three_rows()));
         }),
         "connected_components: not square");
}

void pagerank() {
  space_type const space;
  auto const a = araios::to_crs_matrix<double, int, int>(  // 0 -> 1
      space, araios::host_crs<double>{2, 2, {0, 1, 1}, {1}, {7.0}});
  auto const once =
      araios::pagerank(space, a, {.damping = 0.5, .tolerance = 1e-9, .max_iterations = 1});
  expect(holds(once.ranks, {0.375, 0.625}), "pagerank: one iteration");
  expect(once.iterations == 1 && once.difference == 0.25 && !once.converged,
         "pagerank: not converged");
  auto const single = araios::pagerank<float>(space, a);
  expect(single.converged && single.ranks.extent(0) == 2, "pagerank: float");
  expect(throws<std::invalid_argument>([&] { araios::pagerank(space, a, {.damping = 1.0}); }),
         "pagerank: damping");
}

}  // namespace consumer
