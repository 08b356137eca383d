// SPDX-License-Identifier: BSD-3-Clause
#include <araios/convert.hpp>
#include <araios/spmv.hpp>
#include <araios/suggest_format.hpp>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "checks.hpp"
#include "device.hpp"

namespace consumer {

/// A = 1 2 .    and what it makes of (1, 10, 100).
///     . . .
///     . 3 4
araios::host_crs<double> small_rows() { return {3, 3, {0, 2, 2, 4}, {0, 1, 1, 2}, {1, 2, 3, 4}}; }

template <class Matrix>
void is_stored(Matrix const& a, std::string const& format) {
  static_assert(araios::stored_matrix<Matrix> && araios::sparse_matrix<Matrix>);
  space_type const space;
  auto const x = to_device<double>({1, 10, 100}), y = to_device<double>({NAN, NAN, NAN});
  araios::spmv(space, 1.0, a, x, 0.0, y);
  expect(holds(y, {21, 0, 430}), "spmv of " + format);
  araios::spmv_plan const plan(space, a);
  plan.apply(space, 2.0, a, x, -1.0, y);
  expect(holds(y, {21, 0, 430}), "spmv_plan of " + format);
  auto const back = araios::to_host_crs(space, araios::to_crs(space, a));
  expect(back.row_map == small_rows().row_map && back.entries == small_rows().entries &&
             back.values == small_rows().values,
         "to_crs of " + format);
  expect(a.nnz() == 4 && a.bytes() > 0, "size of " + format);
}

void storage_formats() {
  space_type const space;
  auto const a = araios::to_crs_matrix<double>(space, small_rows());
  is_stored(araios::to_coo(space, a), "COO");
  is_stored(araios::to_ccs(space, a), "CCS");
  is_stored(araios::to_ell(space, a, {.most_growth = 2.0}), "ELL");
  is_stored(araios::to_sliced_ell(space, a, {.slice_size = 2, .window = 2}), "sliced ELL");
  is_stored(araios::to_hyb(space, a, {.width = 1}), "HYB");
  is_stored(araios::to_bcsr<2>(space, a), "BCSR<2>");
  is_stored(araios::to_bcsr(space, a, {.block_size = 3}), "BCSR");
  is_stored(araios::to_dia(space, a, araios::dia_options{}), "DIA");
  auto const r =
      araios::to_rgcsr(space, a, {.group_size = 2, .budget = 4.0, .plain_fill = 1.0, .window = 1});
  is_stored(r, "RgCSR");
  expect(r.group_size() == 2 && r.fill() == 0.5, "rgcsr_matrix::fill");
  expect(holds(araios::group_fill(space, r), {1.0, 0.0}), "group_fill");
  araios::update_values(space, a, r);
  is_stored(r, "RgCSR with other values");
  expect(throws<std::length_error>([&] { araios::to_rgcsr(space, a, {.budget = 0.1}); }),
         "to_rgcsr beyond its budget");
  araios::host_crs<double> const swap{2, 2, {0, 1, 2}, {1, 0}, {3.0, 4.0}};
  auto const even = araios::to_rgcsr(space, araios::to_crs_matrix<double>(space, swap));
  expect(even.width() == 1, "rgcsr_matrix::width");
  auto const speed = araios::measure_speed(space);
  auto const format = araios::suggest_format(space, a, 1, speed);
  expect(format.format == araios::storage_format::crs && format.gain() == 1.0 &&
             format.pays_after() > 1.0 && araios::suggest_format(space, a, 0).gain() == 1.0,
         "suggest_format");
  expect(araios::tuning::rgcsr_longest(100.0) >= 100, "rgcsr_longest");
}

}  // namespace consumer
