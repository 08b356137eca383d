// SPDX-License-Identifier: BSD-3-Clause
#include <araios/convert.hpp>
#include <araios/spmv.hpp>

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  Kokkos::DefaultExecutionSpace const space;
  araios::host_crs<double> host{6,
                                6,
                                {0, 1, 3, 3, 9, 10, 12},
                                {0, 1, 2, 0, 1, 2, 3, 4, 5, 4, 4, 5},
                                {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}};
  auto const a = araios::to_crs_matrix<double>(space, host);
  for (auto& value : host.values) value *= 10.0;
  auto const b = araios::to_crs_matrix<double>(space, host);  // the same pattern

  auto const r = araios::to_rgcsr(space, a, {.group_size = 2, .longest = 2});
  Kokkos::View<double*> const x("x", 6), y("y", 6);
  Kokkos::deep_copy(space, x, 1.0);
  araios::spmv_plan const plan(space, r);      // a schedule for the groups, one for the tail
  plan.apply(space, 1.0, r, x, 0.0, y);        // y = A x = (1, 5, 0, 39, 10, 23)
  araios::update_values(space, b, r);          // r is B now; the plan stays good
  plan.apply(space, 1.0, r, x, 0.0, y);        // y = B x = (10, 50, 0, 390, 100, 230)
  auto const back = araios::to_crs(space, r);  // rows in their order again
  return araios::to_host_crs(space, back).values == host.values ? 0 : 1;
}
