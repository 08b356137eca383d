// SPDX-License-Identifier: BSD-3-Clause
// Calls every public function and type through the installed headers. Returns non-zero if a result
// is not what it should be.
#include <Kokkos_Core.hpp>
#include <araios/config.hpp>
#include <cstdio>
#include <string>

#include "checks.hpp"

namespace {
int checks = 0;
int differences = 0;
}  // namespace

void consumer::expect(bool holds, std::string const& what) {
  ++checks;
  if (holds) return;
  ++differences;
  std::printf("DIFFERENT: %s\n", what.c_str());
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  using namespace consumer;
  for (auto const check : {version,
                           gallery,
                           host_matrices,
                           matrix_market,
                           compressed_files,
                           crs,
                           own_matrix_types,
                           row_statistics,
                           schedules,
                           choice_of_schedules,
                           tuning,
                           spmv,
                           spmv_plan,
                           spmm,
                           spgemm,
                           spgemm_plan,
                           spgemm_options,
                           semirings,
                           masked_spgemm,
                           spgemm_add,
                           galerkin,
                           bfs,
                           sssp,
                           connected_components,
                           pagerank,
                           load_balance,
                           ranges,
                           formats,
                           storage_formats})
    check();
#ifdef CONSUMER_HAS_KOKKOSKERNELS
  kokkos_kernels();
#endif
  std::printf("Araios %s: %d checks, %d differences\n", ARAIOS_VERSION_STRING, checks, differences);
  return differences == 0 ? 0 : 1;
}
