// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <araios/spmm.hpp>

#include "contracts/schedule.hpp"
#include "support/battery.hpp"
#include "support/device.hpp"
#include "support/product.hpp"
#include "support/throws.hpp"
#include "support/tools_counter.hpp"

namespace tests {

using araios::mode;
using std::int64_t;
using support::exec;

class spmm : public support::random_test {};

using left = Kokkos::View<double**, Kokkos::LayoutLeft, exec>;
using right = Kokkos::View<double**, Kokkos::LayoutRight, exec>;

/// Y = alpha * op(A) * X + beta * Y, each column a product of its own.
struct columns {
  std::vector<support::product<double>> each;
  std::size_t x_rows, y_rows;

  columns(support::engine& random, araios::host_crs<double> const& a, mode op, double alpha,
          double beta, int count)
      : x_rows(static_cast<std::size_t>(araios::transposes(op) ? a.num_rows : a.num_cols)),
        y_rows(static_cast<std::size_t>(araios::transposes(op) ? a.num_cols : a.num_rows)) {
    for (int c = 0; c < count; ++c) each.emplace_back(random, a, op, alpha, beta);
  }

  void fill(auto const& x, auto const& y) const {
    for (std::size_t c = 0; c < each.size(); ++c) {
      Kokkos::deep_copy(exec{}, Kokkos::subview(x, Kokkos::ALL, c), each[c].x_device);
      Kokkos::deep_copy(exec{}, Kokkos::subview(y, Kokkos::ALL, c), support::to_device(each[c].y));
    }
  }
  ::testing::AssertionResult right_in(auto const& y) const {
    for (std::size_t c = 0; c < each.size(); ++c)
      if (auto const result = each[c].right(support::to_host(Kokkos::subview(y, Kokkos::ALL, c)));
          !result)
        return ::testing::AssertionFailure() << "column " << c << ": " << result.message();
    return ::testing::AssertionSuccess();
  }
  /// With X and Y of these types.
  template <class X, class Y, class Call>
  ::testing::AssertionResult check(Call const& call) const {
    X const x("x", x_rows, each.size());
    Y const y("y", y_rows, each.size());
    fill(x, y);
    call(x, y);
    return right_in(y);
  }
};

TEST_F(spmm, every_schedule_and_mode_on_the_battery) {
  for (auto const& m : support::battery(random)) {
    SCOPED_TRACE(m.name + ": " + m.reason);
    auto const a = araios::to_crs_matrix<double>(exec{}, m.a);
    for (auto const op : support::all_modes)
      for (double const beta : {0.0, -1.0}) {
        columns const p(random, m.a, op, 2.5, beta, 13);  // 8 + 4 + 1 columns at a time
        auto const check = [&](auto const& schedule) {
          auto const result = p.check<left, left>([&](auto const& x, auto const& y) {
            araios::spmm(exec{}, schedule, 2.5, a, x, beta, y, op);
          });
          EXPECT_TRUE(result) << contracts::describe(schedule) << ", mode "
                              << static_cast<char>(op);
        };
        contracts::for_each_schedule(check);
        check(araios::automatic{});
      }
  }
}

TEST_F(spmm, any_number_of_columns_and_any_layout) {
  auto const host = support::rows_of(random, support::repeated({3, 0, 11, 1, 70}, 30), 90);
  auto const a = araios::to_crs_matrix<double>(exec{}, host);
  for (auto const op : {mode::none, mode::transpose})
    for (int const count : {0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 21}) {
      SCOPED_TRACE(std::to_string(count) + " columns, mode " + static_cast<char>(op));
      columns const p(random, host, op, -1.0, 0.5, count);
      auto const product = [&](auto const& x, auto const& y) {
        araios::spmm(exec{}, araios::merge_path(1, 5), -1.0, a, x, 0.5, y, op);
      };
      EXPECT_TRUE((p.check<left, left>(product)));
      EXPECT_TRUE((p.check<right, right>(product)));
      EXPECT_TRUE((p.check<left, right>(product)));

      // Every second column of X, every second row of Y; what lies between stays as it is.
      right const xs("xs", p.x_rows, 2 * static_cast<std::size_t>(count) + 1);
      left const ys("ys", p.y_rows + 2, static_cast<std::size_t>(count) + 3);
      Kokkos::deep_copy(xs, NAN);
      Kokkos::deep_copy(ys, 77.0);
      auto const x = Kokkos::subview(xs, Kokkos::ALL, std::pair(1, 1 + count));
      auto const y = Kokkos::subview(ys, std::pair<std::size_t, std::size_t>(1, 1 + p.y_rows),
                                     std::pair(2, 2 + count));
      p.fill(x, y);
      araios::spmm(exec{}, araios::warp_mapped(4), -1.0, a, x, 0.5, y, op);
      EXPECT_TRUE(p.right_in(y));
      double sum = 0.0;
      for (std::size_t c = 0; c < ys.extent(1); ++c) {
        auto const column = support::to_host(Kokkos::subview(ys, Kokkos::ALL, c));
        bool const outside = c < 2 || c >= 2 + static_cast<std::size_t>(count);
        for (std::size_t i = 0; i < column.size(); ++i)
          if (outside || i == 0 || i + 1 == column.size()) sum += std::abs(column[i] - 77.0);
      }
      EXPECT_EQ(sum, 0.0) << "written beside y";
    }
}

// F01
TEST_F(spmm, zero_beta_never_reads_y_and_zero_alpha_neither_matrix_nor_x) {
  auto host = support::rows_of(random, support::repeated({3, 0, 40}, 20), 60);
  auto const good = araios::to_crs_matrix<double>(exec{}, host);
  columns const p(random, host, mode::none, 1.0, 0.0, 5);
  auto spoilt = host;
  spoilt.values.assign(spoilt.values.size(), NAN);
  auto const bad = araios::to_crs_matrix<double>(exec{}, spoilt);
  for (auto const op : support::all_modes)
    contracts::for_each_schedule([&](auto const& schedule) {
      SCOPED_TRACE(contracts::describe(schedule) + ", mode " + static_cast<char>(op));
      for (double const beta : {0.0, 1.0, 3.0}) {
        columns const zero(random, spoilt, op, 0.0, beta, 5);
        EXPECT_TRUE((zero.check<left, left>([&](auto const& x, auto const& y) {
          araios::spmm(exec{}, schedule, 0.0, bad, x, beta, y, op);
        })));
      }
    });
  EXPECT_TRUE((p.check<left, left>(
      [&](auto const& x, auto const& y) { araios::spmm(exec{}, 1.0, good, x, 0.0, y); })));
}

TEST_F(spmm, complex_numbers) {
  using complex = Kokkos::complex<double>;
  auto const host = support::with_values<complex>(
      random, support::rows_of(random, support::repeated({3, 0, 40}, 20), 60));
  auto const a = araios::to_crs_matrix<complex, int, int>(exec{}, host);
  complex const alpha(0.5, -2.0), beta(-1.0, 0.25);
  for (auto const op : support::all_modes) {
    std::vector<support::product<complex>> p;
    for (int c = 0; c < 5; ++c)
      p.emplace_back(random, host, op, support::widen(alpha), support::widen(beta));
    Kokkos::View<complex*[5], Kokkos::LayoutLeft, exec> const x("x", 60), y("y", 60);
    for (std::size_t c = 0; c < 5; ++c) {
      Kokkos::deep_copy(Kokkos::subview(x, Kokkos::ALL, c), p[c].x_device);
      Kokkos::deep_copy(Kokkos::subview(y, Kokkos::ALL, c), support::to_device(p[c].y));
    }
    araios::spmm(exec{}, araios::merge_path(1, 5), alpha, a, x, beta, y, op);
    for (std::size_t c = 0; c < 5; ++c)
      EXPECT_TRUE(p[c].right(support::to_host(Kokkos::subview(y, Kokkos::ALL, c))))
          << "column " << c << ", mode " << static_cast<char>(op);
  }
}

// F36, rule 8
TEST_F(spmm, neither_allocates_nor_fences) {
  auto const host = support::rows_of(random, support::repeated({3, 0, 11, 4, 250}, 200), 1000);
  auto const a = araios::to_crs_matrix<double>(exec{}, host);
  left const x("x", 1000, 9), y("y", 1000, 9);
  contracts::for_each_schedule([&](auto const& schedule) {
    SCOPED_TRACE(contracts::describe(schedule));
    araios::spmv_plan const plan(exec{}, schedule, a);
    for (auto const op : support::all_modes) {
      plan.apply(exec{}, 1.0, a, x, 0.0, y, op);  // warms Kokkos up
      araios::spmm(exec{}, schedule, 1.0, a, x, 0.0, y, op);
      Kokkos::fence();
      support::tools_counter const counter;
      plan.apply(exec{}, 1.0, a, x, 0.0, y, op);
      araios::spmm(exec{}, schedule, 1.0, a, x, 0.0, y, op);
      EXPECT_TRUE(counter.fences.empty()) << counter.fences[0].name;
      EXPECT_TRUE(counter.allocations.empty()) << counter.allocations[0].label;
      EXPECT_LE(counter.launches.size(), schedule.splits_tiles || araios::transposes(op) ? 4u : 2u);
      EXPECT_EQ(counter.not_labelled("araios::spmm::"), "");
      EXPECT_EQ(counter.regions,
                std::vector<std::string>(2, std::string("araios::spmm::") + schedule.name));
    }
  });
}

TEST_F(spmm, plans_serve_several_columns) {
  for (auto const& m : support::battery(random)) {
    SCOPED_TRACE(m.name + ": " + m.reason);
    auto const a = araios::to_crs_matrix<double>(exec{}, m.a);
    for (auto const op : {mode::none, mode::transpose}) {
      columns const p(random, m.a, op, 2.0, 0.0, 6);
      auto const check = [&](auto const& schedule) {
        araios::spmv_plan const plan(exec{}, schedule, a);
        EXPECT_TRUE((p.check<left, left>([&](auto const& x, auto const& y) {
          plan.apply(exec{}, 2.0, a, x, 0.0, y, op);
        }))) << contracts::describe(schedule);
      };
      contracts::for_each_schedule(check);
      check(araios::automatic{});
    }
  }
}

// F34, with the schedule that the library picks.
TEST_F(spmm, rows_far_longer_than_all_others) {
  std::vector<int64_t> one(1'000'001, 1);
  one[333'333] = 1'000'000;
  std::vector<int64_t> four(69'904, 50);  // a tenth of the rows that were reported
  four[100] = 42254;
  four[300] = 31980;
  four[40'000] = 5088;
  four[7] = 237;
  std::string const single_call = exec{}.concurrency() > 1 ? "merge_path" : "thread_mapped";
  for (auto const& lengths : {one, four}) {
    auto const rows = static_cast<int64_t>(lengths.size());
    SCOPED_TRACE(std::to_string(rows) + " rows");
    auto const host = support::rows_of(random, lengths, rows);
    auto const a = araios::to_crs_matrix<double>(exec{}, host);
    columns const p(random, host, mode::none, 1.5, 0.0, 2);
    araios::spmv_plan const plan(exec{}, a);
    EXPECT_EQ(contracts::splits_tiles(plan.schedule_name()), exec{}.concurrency() > 1);
    support::tools_counter const counter;
    EXPECT_TRUE(p.each[0].check(
        [&](auto const& x, auto const& y) { araios::spmv(exec{}, 1.5, a, x, 0.0, y); }));
    EXPECT_TRUE((p.check<left, left>(
        [&](auto const& x, auto const& y) { araios::spmm(exec{}, 1.5, a, x, 0.0, y); })));
    EXPECT_EQ(counter.regions, (std::vector<std::string>{"araios::spmv::" + single_call,
                                                         "araios::spmm::" + single_call}));
    auto const planned = [&](auto const& x, auto const& y) {
      plan.apply(exec{}, 1.5, a, x, 0.0, y);
    };
    EXPECT_TRUE(p.each[0].check(planned));
    EXPECT_TRUE((p.check<right, right>(planned)));
  }
}

TEST_F(spmm, wrong_arguments_are_refused_before_anything_starts) {
  auto const a = araios::to_crs_matrix<double>(exec{}, support::rows_of(random, {2, 1, 3}, 5));
  auto const square = araios::to_crs_matrix<double>(exec{}, support::rows_of(random, {2, 1, 3}, 3));
  left const x54("x", 5, 4), y34("y", 3, 4), y33("y", 3, 3), y44("y", 4, 4), both("both", 3, 8);
  auto const part = [&](int c) { return Kokkos::subview(both, Kokkos::ALL, std::pair(c, c + 4)); };
  araios::spmv_plan const plan(exec{}, a);
  support::tools_counter const counter;
  auto const refused = [&](auto const& f, std::initializer_list<std::string> parts) {
    EXPECT_TRUE(support::throws<std::invalid_argument>(f, parts));
    EXPECT_TRUE(counter.nothing_happened());
  };
  refused([&] { araios::spmm(exec{}, 1.0, a, x54, 0.0, y33); },
          {"araios::spmm", "x is 5 x 4", "y is 3 x 3"});
  refused([&] { araios::spmm(exec{}, 1.0, a, x54, 0.0, y44); },
          {"araios::spmm", "op(A) is 3 x 5", "y is 4 x 4"});
  refused([&] { araios::spmm(exec{}, 1.0, a, x54, 0.0, y34, mode::transpose); },
          {"araios::spmm", "op(A) is 5 x 3"});
  refused([&] { plan.apply(exec{}, 1.0, a, x54, 0.0, y33); },
          {"araios::spmv_plan::apply", "3 x 3"});
  refused([&] { araios::spmm(exec{}, 1.0, square, y34, 0.0, y34); }, {"share memory"});
  refused([&] { araios::spmm(exec{}, 1.0, square, part(0), 0.0, part(3)); }, {"share memory"});
  araios::spmm(exec{}, 1.0, square, part(0), 0.0, part(4));  // side by side is no overlap
}

}  // namespace tests
