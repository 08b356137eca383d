// SPDX-License-Identifier: BSD-3-Clause
#include <KokkosSparse_CrsMatrix.hpp>
#include <araios/interop/kokkos_kernels.hpp>
#include <araios/spgemm.hpp>
#include <araios/spmv.hpp>
#include <cstddef>

#include "checks.hpp"
#include "device.hpp"

namespace consumer {

using kernels_matrix = KokkosSparse::CrsMatrix<double, int, space_type, void, std::size_t>;
static_assert(araios::kokkos_sparse_crs<kernels_matrix> && araios::crs_like<kernels_matrix>);

void kokkos_kernels() {
  space_type const space;
  auto const ours = araios::to_crs_matrix<double>(
      space, araios::host_crs<double>{2, 2, {0, 2, 3}, {0, 1, 1}, {1, 2, 3}});
  auto const a = araios::to_kokkos_kernels<kernels_matrix>(ours);
  expect(a.numRows() == 2 && a.numCols() == 2 && a.nnz() == 3, "to_kokkos_kernels: sizes");
  expect(araios::as_crs(a).values == ours.values.data(), "to_kokkos_kernels shares the arrays");

  auto const x = to_device<double>({1, 1}), y = to_device<double>({0, 0});
  araios::spmv(space, 1.0, a, x, 0.0, y);
  expect(holds(y, {3, 3}), "spmv of a KokkosSparse::CrsMatrix");
  araios::spmv_plan const plan(space, a);
  plan.apply(space, 2.0, a, x, 0.0, y);
  expect(holds(y, {6, 6}), "spmv_plan of a KokkosSparse::CrsMatrix");
  araios::host_crs<double> const squared{2, 2, {0, 2, 3}, {0, 1, 1}, {1, 8, 9}};
  expect(holds(araios::spgemm(space, a, a), squared), "spgemm of a KokkosSparse::CrsMatrix");
  expect(holds(araios::spgemm(space, a, ours), squared), "spgemm of both matrix types");
}

}  // namespace consumer
