// SPDX-License-Identifier: BSD-3-Clause
#include <Kokkos_Core.hpp>
#include <araios/mode.hpp>
#include <araios/spmm.hpp>
#include <araios/spmv.hpp>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "checks.hpp"
#include "device.hpp"

namespace consumer {

using araios::mode;
using vector = std::vector<complex>;

template <class F>
void for_each_schedule(F const& f) {
  f(araios::thread_mapped{});
  f(araios::warp_mapped(4));
  f(araios::block_mapped{});
  f(araios::merge_path(1, 2));
  f(araios::automatic{});
}

/// A = 1 i   and what op(A) (1, 1) is.
///     0 2
araios::host_crs<complex> two_rows() {
  complex const i(0, 1);
  return {2, 2, {0, 2, 3}, {0, 1, 1}, {1, i, 2}};
}
std::pair<mode, vector> const products[] = {
    {mode::none, {{1, 1}, 2}},
    {mode::transpose, {1, {2, 1}}},
    {mode::conjugate, {{1, -1}, 2}},
    {mode::conjugate_transpose, {1, {2, -1}}},
};

static_assert(araios::transposes(mode::transpose) && !araios::transposes(mode::conjugate));
static_assert(araios::conjugates(mode::conjugate) && !araios::conjugates(mode::none));

/// 2 op(A) (1, 1) - (1, 1)
vector twice_less_one(vector product) {
  for (auto& value : product) value = 2.0 * value - 1.0;
  return product;
}

/// call(alpha, x, beta, y, op) must be y = alpha op(A) x + beta y in all modes.
template <class Call>
void multiplies(Call const& call, std::string const& what) {
  auto const x = to_device(vector{1, 1});
  for (auto const& [op, product] : products) {
    auto const y = to_device(vector{NAN, NAN});
    call(1.0, x, 0.0, y, op);  // NaN is not read
    expect(holds(y, product), what);
    auto const z = to_device(vector{1, 1});
    call(2.0, x, -1.0, z, op);
    expect(holds(z, twice_less_one(product)), what);
  }
}

void spmv() {
  space_type const space;
  auto const a = araios::to_crs_matrix<complex>(space, two_rows());
  multiplies([&](auto alpha, auto x, auto beta, auto y,
                 mode op) { araios::spmv(space, alpha, a, x, beta, y, op); },
             "spmv without a schedule");
  for_each_schedule([&](auto const& schedule) {
    multiplies([&](auto alpha, auto x, auto beta, auto y,
                   mode op) { araios::spmv(space, schedule, alpha, a, x, beta, y, op); },
               std::string("spmv, ") + schedule.name);
  });
  multiplies([&](auto alpha, auto x, auto beta, auto y,
                 mode op) { araios::spmv(araios::portable_on{space}, alpha, a, x, beta, y, op); },
             "spmv without specialisations");
  auto const x = to_device(vector{1, 1, 1});
  expect(throws<std::invalid_argument>([&] { araios::spmv(space, 1.0, a, x, 0.0, x); }),
         "spmv: a size that does not fit");
}

void spmv_plan() {
  space_type const space;
  auto const a = araios::to_crs_matrix<complex>(space, two_rows());
  for_each_schedule([&](auto const& schedule) {
    araios::spmv_plan made(space, schedule, a);
    auto const plan = std::move(made);
    multiplies([&](auto alpha, auto x, auto beta, auto y,
                   mode op) { plan.apply(space, alpha, a, x, beta, y, op); },
               std::string("spmv_plan, ") + schedule.name);
    std::string const name = schedule.name;
    expect(name == "automatic" || name == plan.schedule_name(), "spmv_plan::schedule_name");
    std::string const used = plan.schedule_name();
    expect((plan.workspace_bytes() > 0) == (used == "merge_path" || used == "nonzero_split"),
           "spmv_plan::workspace_bytes");
  });

  araios::spmv_plan_for<space_type, decltype(a)> plan(space, a);
  plan = araios::spmv_plan(space, a);
  auto const x = to_device(vector{1, 1}), y = to_device(vector{0, 0});
  plan.apply(space, 1.0, a, x, 0.0, y);
  expect(holds(y, products[0].second), "spmv_plan without a schedule");
  auto const other = araios::to_crs_matrix<complex>(
      space, araios::host_crs<complex>{2, 2, {0, 1, 3}, {0, 0, 1}, {1, 1, 1}});
  expect(throws<std::invalid_argument>([&] { plan.apply(space, 1.0, other, x, 0.0, y); }),
         "spmv_plan: another row map");
}

/// The rows of a View of rank 2.
template <class View>
View multivector(std::vector<std::vector<double>> const& rows) {
  View const device("consumer", rows.size(), rows.front().size());
  auto const mirror = Kokkos::create_mirror_view(device);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < rows[i].size(); ++j) mirror(i, j) = rows[i][j];
  Kokkos::deep_copy(device, mirror);
  return device;
}
template <class View>
bool rows_are(View const& device, std::vector<std::vector<double>> const& expected) {
  Kokkos::fence();
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, device);
  bool same = host.extent(0) == expected.size() && host.extent(1) == expected.front().size();
  for (std::size_t i = 0; same && i < expected.size(); ++i)
    for (std::size_t j = 0; j < expected[i].size(); ++j)
      same = same && host(i, j) == expected[i][j];
  return same;
}

/// call(x, y, op) must be Y = 2 op(A) X - Y for columns in this layout.
template <class Layout, class Call>
void multiplies_columns(Call const& call, std::string const& what) {
  using view = Kokkos::View<double**, Layout>;
  auto const x = multivector<view>({{1, 0, 1}, {1, 1, 0}, {5, 5, 5}, {5, 5, 5}});
  auto const y = multivector<view>({{1, 1, 1}, {1, 1, 1}, {1, 1, 1}});
  call(x, y, mode::none);
  expect(rows_are(y, {{5, 3, 1}, {-1, -1, -1}, {5, 5, -1}}), what);
  auto const x_rows = multivector<view>({{1, 0, 1}, {5, 5, 5}, {1, 1, 0}});
  auto const y_rows = multivector<view>({{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}});
  call(x_rows, y_rows, mode::transpose);
  expect(rows_are(y_rows, {{1, -1, 1}, {9, 5, 3}, {-1, -1, -1}, {-1, -1, -1}}), what);
}

template <class Layout>
void spmm_with() {
  space_type const space;
  auto const a = araios::to_crs_matrix<double>(space, three_rows());
  multiplies_columns<Layout>(
      [&](auto x, auto y, mode op) { araios::spmm(space, 2.0, a, x, -1.0, y, op); },
      "spmm without a schedule");
  for_each_schedule([&](auto const& schedule) {
    multiplies_columns<Layout>(
        [&](auto x, auto y, mode op) { araios::spmm(space, schedule, 2.0, a, x, -1.0, y, op); },
        std::string("spmm, ") + schedule.name);
  });
  araios::spmv_plan const plan(space, a);
  multiplies_columns<Layout>(
      [&](auto x, auto y, mode op) { plan.apply(space, 2.0, a, x, -1.0, y, op); },
      "spmv_plan with several columns");
  multiplies_columns<Layout>(
      [&](auto x, auto y, mode op) {
        araios::spmm(araios::portable_on{space}, 2.0, a, x, -1.0, y, op);
      },
      "spmm without specialisations");
}

void spmm() {
  spmm_with<Kokkos::LayoutLeft>();
  spmm_with<Kokkos::LayoutRight>();
}

}  // namespace consumer
