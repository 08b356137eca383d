// SPDX-License-Identifier: BSD-3-Clause
#include <Kokkos_Core.hpp>
#include <araios/galerkin.hpp>
#include <araios/masked_spgemm.hpp>
#include <araios/spgemm.hpp>
#include <araios/spgemm_add.hpp>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "checks.hpp"
#include "device.hpp"

namespace consumer {

using araios::host_crs;

/// A = 1 2   A A = 1 8
///     0 3         0 9
host_crs<double> upper() { return {2, 2, {0, 2, 3}, {0, 1, 1}, {1, 2, 3}}; }
host_crs<double> upper_squared() { return {2, 2, {0, 2, 3}, {0, 1, 1}, {1, 8, 9}}; }

void spgemm() {
  space_type const space;
  auto const a = araios::to_crs_matrix<double>(space, upper());
  expect(holds(araios::spgemm(space, a, a), upper_squared()), "spgemm");
  expect(holds(araios::spgemm(araios::portable_on{space}, a, a), upper_squared()),
         "spgemm without specialisations");

  auto const b = araios::to_crs_matrix<float, int, int>(
      space, host_crs<double>{2, 1, {0, 1, 2}, {0, 0}, {4, 5}});
  auto const c = araios::spgemm(space, a, b);  // double times float
  static_assert(std::is_same_v<decltype(c)::value_type, double>);
  static_assert(std::is_same_v<decltype(c)::offset_type, std::size_t>);
  expect(holds(c, host_crs<double>{2, 1, {0, 1, 2}, {0, 0}, {14, 15}}), "spgemm: 2 x 2 x 1");
  expect(throws<std::invalid_argument>([&] { araios::spgemm(space, b, a); }),
         "spgemm: dimensions that do not fit");
}

void spgemm_plan() {
  space_type const space;
  auto const a = araios::to_crs_matrix<double>(space, upper());
  using plan_type = araios::spgemm_plan<space_type, int, std::size_t, double>;
  auto const bound = plan_type::workspace_bound(space, a, a);
  araios::spgemm_plan made(space, a, a);
  plan_type plan(std::move(made));
  plan = plan_type(space, a, a);
  expect(plan.nnz() == 3, "spgemm_plan::nnz");
  expect(plan.products() == 4, "spgemm_plan::products");
  expect(plan.workspace_bytes() <= bound, "spgemm_plan: workspace_bytes and workspace_bound");

  plan_type::result_type const c = plan.make_result(space);
  expect(c.num_rows() == 2 && c.num_cols() == 2 && c.nnz() == 3, "spgemm_plan::make_result");
  plan.multiply(space, a, a, c);
  plan.check(space);
  expect(holds(c, upper_squared()), "spgemm_plan::multiply");

  Kokkos::deep_copy(a.values, 1.0);  // other values: 1 2
  plan.multiply(space, a, a, c);     //               0 1
  plan.check(space);
  expect(holds(c, host_crs<double>{2, 2, {0, 2, 3}, {0, 1, 1}, {1, 2, 1}}),
         "spgemm_plan::multiply again");
  auto const diagonal =
      araios::to_crs_matrix<double>(space, host_crs<double>{2, 2, {0, 1, 2}, {0, 1}, {1, 1}});
  expect(throws<std::invalid_argument>([&] { plan.multiply(space, diagonal, a, c); }),
         "spgemm_plan: another pattern");
}

void spgemm_options() {
  space_type const space;
  auto const a = araios::to_crs_matrix<double>(space, upper());
  using araios::spgemm_accumulator;
  for (auto const accumulator :
       {spgemm_accumulator::automatic, spgemm_accumulator::hash, spgemm_accumulator::dense}) {
    araios::spgemm_options const options{
        .accumulator = accumulator, .sort_rows = true, .max_workspace_bytes = 1 << 16};
    expect(holds(araios::spgemm(space, a, a, options), upper_squared()), "spgemm_options");
    araios::spgemm_plan const plan(space, a, a, options);
    expect(plan.workspace_bytes() <= decltype(plan)::workspace_bound(space, a, a, options),
           "spgemm_options: workspace");
  }
  auto const unsorted =
      araios::to_host_crs(space, araios::spgemm(space, a, a, {.sort_rows = false}));
  bool const in_order = unsorted.entries[0] == 0;
  expect(unsorted.row_map == upper_squared().row_map && unsorted.values[in_order ? 0 : 1] == 1 &&
             unsorted.values[in_order ? 1 : 0] == 8,
         "spgemm_options: rows in any order");
}

void semirings() {
  space_type const space;
  auto const a = araios::to_crs_matrix<double, int, int>(space, upper());
  expect(holds(araios::spgemm(space, a, a, {}, araios::min_plus{}),
               host_crs<double>{2, 2, {0, 2, 3}, {0, 1, 1}, {2, 3, 6}}),
         "min_plus");
  araios::spgemm_plan const plan(space, a, a, araios::spgemm_options{}, araios::or_and{});
  auto const c = plan.make_result(space);
  plan.multiply(space, a, a, c);
  plan.check(space);
  expect(holds(c, host_crs<double>{2, 2, {0, 2, 3}, {0, 1, 1}, {1, 1, 1}}), "or_and");
  expect(araios::plus_times::zero<int>() == 0 && araios::plus_times::add(2, 3) == 5 &&
             araios::plus_times::multiply(2, 3) == 6,
         "plus_times");
}

void masked_spgemm() {
  space_type const space;
  auto const a = araios::to_crs_matrix<double, int, int>(space, upper());
  auto const mask =
      araios::to_crs_matrix<float, int, int>(space, host_crs<float>{2, 2, {0, 1, 1}, {1}, {7}});
  host_crs<double> const expected{2, 2, {0, 1, 1}, {1}, {8}};
  expect(holds(araios::masked_spgemm(space, mask, a, a), expected), "masked_spgemm");
  araios::masked_spgemm_plan const plan(space, mask, a, a);
  auto const c = plan.make_result(space);
  plan.multiply(space, mask, a, a, c);
  plan.check(space);
  expect(holds(c, expected) && plan.nnz() == 1, "masked_spgemm_plan");
  expect(plan.workspace_bytes() < 4096, "masked_spgemm_plan::workspace_bytes");
}

void spgemm_add() {
  space_type const space;
  auto const a = araios::to_crs_matrix<double, int, int>(space, upper());
  host_crs<double> const expected{2, 2, {0, 2, 3}, {0, 1, 1}, {5, 22, 27}};  // 2 A A + 3 A
  expect(holds(araios::spgemm_add(space, 2.0, a, a, 3.0, a), expected), "spgemm_add");
  araios::spgemm_add_plan const plan(space, a, a, a);
  auto const c = plan.make_result(space);
  plan.multiply(space, 2.0, a, a, 3.0, a, c);
  plan.check(space);
  expect(holds(c, expected) && plan.nnz() == 3, "spgemm_add_plan");
  expect(plan.workspace_bytes() > 0, "spgemm_add_plan::workspace_bytes");
}

void galerkin() {
  space_type const space;
  auto const a = araios::to_crs_matrix<double, int, int>(space, upper());
  host_crs<double> const cubed{2, 2, {0, 2, 3}, {0, 1, 1}, {1, 26, 27}};
  expect(holds(araios::galerkin(space, a, a, a), cubed), "galerkin");
  araios::galerkin_plan const plan(space, a, a, a);
  auto const c = plan.make_result(space);
  plan.multiply(space, a, a, a, c);
  plan.check(space);
  expect(holds(c, cubed) && plan.nnz() == 3 && plan.products() == 8, "galerkin_plan");
  expect(plan.workspace_bytes() > 0, "galerkin_plan::workspace_bytes");
}

}  // namespace consumer
