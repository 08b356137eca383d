// SPDX-License-Identifier: BSD-3-Clause
#include <araios/matrix_market.hpp>
#include <araios/spgemm.hpp>
#include <araios/spmv.hpp>
#include <cstdio>

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  Kokkos::DefaultExecutionSpace const space;
  auto const text = "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 2\n1 2 1\n2 2 3\n";
  auto const a = araios::to_crs_matrix<double>(
      space, araios::to_host_crs(araios::parse_matrix_market<double>(text, "example")));

  Kokkos::View<double*> const x("x", 2), y("y", 2);
  Kokkos::deep_copy(space, x, 1.0);
  araios::spmv_plan const plan(space, a);  // chooses a schedule once ...
  plan.apply(space, 1.0, a, x, 0.0, y);    // ... y = A x, as often as needed

  auto const c = araios::to_host_crs(space, araios::spgemm(space, a, a));  // C = A A, sorted rows
  auto const y_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, y);
  std::printf("y = (%g, %g), C has %zu entries\n", y_host(0), y_host(1), c.values.size());
  return y_host(0) == 3 && y_host(1) == 3 && c.values == std::vector{4.0, 5.0, 9.0} ? 0 : 1;
}
