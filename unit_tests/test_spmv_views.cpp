// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <araios/spmv.hpp>

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

class spmv_views : public support::random_test {};

template <class F>
void with_some_schedules(F const& f) {
  f(araios::thread_mapped{});
  f(araios::warp_mapped(4));
  f(araios::merge_path(1, 3));
}

// Columns of a matrix stored by rows, rows of one stored by columns.
TEST_F(spmv_views, strided_vectors) {
  for (auto const& m : support::battery(random)) {
    SCOPED_TRACE(m.name + ": " + m.reason);
    auto const a = araios::to_crs_matrix<double>(exec{}, m.a);
    for (auto const op : {mode::none, mode::transpose})
      for (double const beta : {0.0, -1.0}) {
        support::product const p(random, m.a, op, 1.5L, beta);
        with_some_schedules([&](auto const& schedule) {
          Kokkos::View<double**, Kokkos::LayoutRight, exec> const xs("xs", p.x.size(), 3);
          Kokkos::View<double**, Kokkos::LayoutLeft, exec> const ys("ys", 5, p.y.size());
          Kokkos::deep_copy(xs, NAN);
          Kokkos::deep_copy(ys, 77.0);
          auto const x = Kokkos::subview(xs, Kokkos::ALL, 1);
          auto const y = Kokkos::subview(ys, 2, Kokkos::ALL);
          Kokkos::deep_copy(exec{}, x, p.x_device);
          Kokkos::deep_copy(exec{}, y, support::to_device(p.y));
          araios::spmv(exec{}, schedule, 1.5, a, x, beta, y, op);
          EXPECT_TRUE(p.right(support::to_host(y))) << contracts::describe(schedule);
          for (int const row : {0, 1, 3, 4})
            EXPECT_EQ(support::to_host(Kokkos::subview(ys, row, Kokkos::ALL)),
                      std::vector<double>(p.y.size(), 77.0))
                << "row " << row << " beside y is written to";
        });
      }
  }
}

TEST_F(spmv_views, constant_right_static_and_unmanaged_vectors) {
  auto const host = support::rows_of(random, {3, 0, 6, 1}, 6);
  auto const a = araios::to_crs_matrix<double>(exec{}, host);
  support::product const p(random, host, mode::none, 1.0L, 1.0L);
  Kokkos::View<double const*, Kokkos::LayoutRight, exec> const x(p.x_device);
  Kokkos::View<double[4], exec> const y("y");
  Kokkos::deep_copy(y, support::to_device(p.y));
  araios::spmv(exec{}, araios::merge_path(1, 3), 1.0, a, x, 1.0, y);
  EXPECT_TRUE(p.right(support::to_host(y)));

  auto const memory = support::to_device(p.y);
  Kokkos::View<double*, exec, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const view(memory.data(), 4);
  araios::spmv(exec{}, araios::merge_path(1, 3), 1.0, a, x, 1.0, view);
  EXPECT_TRUE(p.right(support::to_host(memory)));
}

/// 1000 rows, some of them long, with vectors and the scratch memory of Kokkos in place.
struct example {
  araios::host_crs<double> host;
  araios::crs_matrix<double> a;
  support::product<double> p;
  support::device_vector<double> y;

  explicit example(support::engine& random)
      : host(support::rows_of(random, support::repeated({3, 0, 11, 4, 250}, 200), 1000)),
        a(araios::to_crs_matrix<double>(exec{}, host)),
        p(random, host, mode::none, 1.0L, 0.0L),
        y(support::to_device(p.y)) {}
};

// F36, rule 8
TEST_F(spmv_views, a_single_call_neither_allocates_nor_fences) {
  example const e(random);
  auto const check = [&](auto const& schedule, std::string const& region) {
    SCOPED_TRACE(contracts::describe(schedule));
    for (auto const op : support::all_modes) {
      araios::spmv(exec{}, schedule, 1.0, e.a, e.p.x_device, 0.0, e.y, op);  // warms Kokkos up
      Kokkos::fence();
      support::tools_counter const counter;
      araios::spmv(exec{}, schedule, 1.0, e.a, e.p.x_device, 0.0, e.y, op);
      EXPECT_TRUE(counter.fences.empty()) << counter.fences[0].name;
      EXPECT_TRUE(counter.allocations.empty()) << counter.allocations[0].label;
      EXPECT_TRUE(counter.deep_copies.empty());
      EXPECT_LE(counter.launches.size(), 2u);
      EXPECT_EQ(counter.not_labelled("araios::spmv::"), "");
      EXPECT_TRUE(counter.all_on(exec{}));
      ASSERT_EQ(counter.regions.size(), 1u);
      EXPECT_EQ(counter.regions[0].find("araios::spmv::" + region), 0u) << counter.regions[0];
      EXPECT_EQ(counter.open_regions, 0);
    }
  };
  contracts::for_each_schedule([&](auto const& schedule) { check(schedule, schedule.name); });
  check(araios::automatic{}, "");  // which one was chosen, the region says
}

// F36: a product that is made once costs its launch.
TEST_F(spmv_views, a_hundred_small_products_once_each) {
  constexpr int64_t n = 50;
  for (int trial = -1; trial < 100; ++trial) {  // the first one warms Kokkos up
    SCOPED_TRACE("trial " + std::to_string(trial));
    std::vector<int64_t> lengths;
    for (int64_t i = 0; i < n; ++i) lengths.push_back(support::draw(random, 0, n));
    auto const host = support::rows_of(random, lengths, n);
    auto const a = araios::to_crs_matrix<double>(exec{}, host);
    support::product const p(random, host, mode::none, 1.5L, 0.0L);
    auto const y = support::to_device(p.y);
    Kokkos::fence();
    {
      support::tools_counter const counter;
      araios::spmv(exec{}, 1.5, a, p.x_device, 0.0, y);
      if (trial >= 0) {
        EXPECT_TRUE(counter.fences.empty()) << counter.fences[0].name;
        EXPECT_TRUE(counter.allocations.empty()) << counter.allocations[0].label;
        EXPECT_TRUE(counter.deep_copies.empty());
        EXPECT_EQ(counter.launches, std::vector<std::string>{"araios::spmv::rows"});
      }
    }
    EXPECT_TRUE(p.right(support::to_host(y)));
  }
}

TEST_F(spmv_views, whole_row_schedules_take_one_launch) {
  example const e(random);
  contracts::for_each_schedule([&](auto const& schedule) {
    if (schedule.splits_tiles) return;
    support::tools_counter const counter;
    araios::spmv(exec{}, schedule, 1.0, e.a, e.p.x_device, 0.0, e.y);
    EXPECT_EQ(counter.launches, std::vector<std::string>{"araios::spmv::rows"});
  });
}

TEST_F(spmv_views, without_work_nothing_or_only_a_scaling_is_launched) {
  example const e(random);
  araios::crs_matrix<double> const empty(
      1000, 1000, support::to_device(std::vector<std::size_t>(1001, 0)), {}, {});
  using names = std::vector<std::string>;
  contracts::for_each_schedule([&](auto const& schedule) {
    for (auto const op : support::all_modes)
      for (auto const& [alpha, a] : {std::pair{1.0, empty}, {0.0, empty}, {0.0, e.a}})
        for (double const beta : {0.0, 1.0, 2.0}) {
          support::tools_counter const counter;
          araios::spmv(exec{}, schedule, alpha, a, e.p.x_device, beta, e.y, op);
          EXPECT_EQ(counter.launches, beta == 1.0 ? names{} : names{"araios::spmv::scale"})
              << contracts::describe(schedule);
        }
  });
}

TEST_F(spmv_views, specialisations_can_be_switched_off) {
  example const e(random);
  with_some_schedules([&](auto const& schedule) {
    EXPECT_TRUE(e.p.check([&](auto const& x, auto const& y) {
      araios::spmv(araios::portable_on{exec{}}, schedule, 1.0, e.a, x, 0.0, y);
    })) << contracts::describe(schedule);
  });
  EXPECT_TRUE(e.p.check([&](auto const& x, auto const& y) {
    araios::spmv(araios::portable_on{exec{}}, 1.0, e.a, x, 0.0, y);
  }));
}

// F37: everything runs on the instance given, and nobody waits for others.
TEST_F(spmv_views, two_instances_side_by_side) {
  auto const host = support::rows_of(random, support::repeated({3, 0, 11, 4, 40}, 2000), 10000);
  auto const a = araios::to_crs_matrix<double>(exec{}, host);
  support::product const p(random, host, mode::none, 1.0L, 1.0L);
  auto const spaces = support::two_instances();
  if (spaces.empty()) GTEST_SKIP() << "one thread cannot be shared by two instances";
  support::device_vector<double> const y[2] = {support::to_device(p.y), support::to_device(p.y)};
  for (auto const& space : spaces) {  // warms Kokkos up
    auto const scratch = support::to_device(p.y);
    with_some_schedules([&](auto const& schedule) {
      araios::spmv(space, schedule, 1.0, a, p.x_device, 1.0, scratch);
      space.fence();
    });
  }
  Kokkos::fence();
  with_some_schedules([&](auto const& schedule) {
    SCOPED_TRACE(contracts::describe(schedule));
    for (std::size_t i : {0, 1}) {
      auto const fresh = support::to_device(p.y);
      Kokkos::deep_copy(spaces[i], y[i], fresh);
      spaces[i].fence();
    }
    for (int run = 0; run <= 100; ++run)
      for (std::size_t i : {0, 1}) {
        support::tools_counter const counter;
        double const alpha =
            run % 2 == 0 ? 1.0 : -1.0;  // A x is added 51 times, taken off 50 times
        araios::spmv(spaces[i], schedule, alpha, a, p.x_device, 1.0, y[i]);
        ASSERT_TRUE(counter.all_on(spaces[i]));
        ASSERT_TRUE(counter.fences.empty()) << counter.fences[0].name;
        ASSERT_TRUE(counter.allocations.empty()) << counter.allocations[0].label;
      }
    for (std::size_t i : {0, 1}) {
      spaces[i].fence();
      auto loose = p.expected;
      for (auto& e : loose) e.terms += 101;
      EXPECT_TRUE(support::close(support::to_host(y[i]), loose, support::epsilon_of<double>))
          << "instance " << i;
    }
  });
}

/// f() throws std::invalid_argument with these parts in its text, and has not started anything.
template <class F>
void expect_refused(F const& f, std::initializer_list<std::string> parts) {
  support::tools_counter const counter;
  EXPECT_TRUE(support::throws<std::invalid_argument>(f, parts));
  EXPECT_TRUE(counter.nothing_happened());
}

TEST_F(spmv_views, wrong_arguments_are_refused_before_anything_starts) {
  auto const a = araios::to_crs_matrix<double>(exec{}, support::rows_of(random, {2, 1, 3}, 5));
  auto const vector = [](int n) { return support::to_device(std::vector<double>(n, 1.0)); };
  auto const three = vector(3), five = vector(5), four = vector(4), none = vector(0);
  contracts::for_each_schedule([&](auto const& schedule) {
    auto const call = [&](auto const& x, auto const& y, mode op) {
      return [&, op] { araios::spmv(exec{}, schedule, 1.0, a, x, 0.0, y, op); };
    };
    expect_refused(call(four, three, mode::none), {"araios::spmv", "op(A) is 3 x 5", "x is 4"});
    expect_refused(call(none, three, mode::none), {"araios::spmv", "op(A) is 3 x 5", "x is 0"});
    expect_refused(call(five, four, mode::none), {"araios::spmv", "op(A) is 3 x 5", "y is 4"});
    expect_refused(call(three, five, mode::conjugate), {"araios::spmv", "op(A) is 3 x 5"});
    expect_refused(call(five, three, mode::transpose),
                   {"araios::spmv", "op(A) is 5 x 3", "x is 5"});
    expect_refused(call(five, three, mode::conjugate_transpose), {"op(A) is 5 x 3"});
    expect_refused(call(five, three, static_cast<mode>('Z')), {"araios::spmv", "mode 'Z'"});
  });
  expect_refused([&] { araios::spmv(exec{}, 1.0, a, four, 0.0, three); }, {"araios::spmv"});

  auto const square = araios::to_crs_matrix<double>(exec{}, support::rows_of(random, {2, 1, 3}, 3));
  auto const memory = vector(6);
  auto const part = [&](int first) { return Kokkos::subview(memory, std::pair(first, first + 3)); };
  for (auto const op : support::all_modes) {
    expect_refused([&] { araios::spmv(exec{}, 1.0, square, three, 0.0, three, op); },
                   {"araios::spmv", "x and y share memory"});
    for (int const first : {0, 1, 2})
      expect_refused([&] { araios::spmv(exec{}, 1.0, square, part(first), 0.0, part(2), op); },
                     {"araios::spmv", "x and y share memory"});
    araios::spmv(exec{}, 1.0, square, part(0), 0.0, part(3), op);  // side by side is no overlap
  }
}

}  // namespace tests
