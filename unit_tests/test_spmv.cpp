// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <araios/spmv.hpp>

#include "contracts/schedule.hpp"
#include "support/battery.hpp"
#include "support/device.hpp"
#include "support/product.hpp"
#include "support/tools_counter.hpp"

namespace tests {

using araios::mode;
using std::int64_t;
using support::exec;

class spmv : public support::random_test {};

/// Every schedule, and the one that the library picks.
template <class F>
void with_every_schedule(F const& f) {
  contracts::for_each_schedule(f);
  f(araios::automatic{});
}

TEST_F(spmv, every_schedule_and_mode_on_the_battery) {
  std::pair<double, double> const scalars[] = {{1.0, 0.0}, {2.5, -1.0}};
  for (auto const& m : support::battery(random)) {
    SCOPED_TRACE(m.name + ": " + m.reason);
    auto const a = araios::to_crs_matrix<double>(exec{}, m.a);
    for (auto const op : support::all_modes)
      for (auto const& [alpha, beta] : scalars) {
        support::product const p(random, m.a, op, alpha, beta);
        with_every_schedule([&](auto const& schedule) {
          EXPECT_TRUE(p.check([&](auto const& x, auto const& y) {
            araios::spmv(exec{}, schedule, alpha, a, x, beta, y, op);
          })) << contracts::describe(schedule)
              << ", mode " << static_cast<char>(op) << ", alpha " << alpha << ", beta " << beta;
        });
        EXPECT_TRUE(p.check([&](auto const& x, auto const& y) {
          araios::spmv(exec{}, alpha, a, x, beta, y, op);
        })) << "no schedule";
      }
  }
}

// F02
TEST_F(spmv, all_pairs_of_special_scalars_are_exact) {
  araios::host_crs<double> const host{
      4, 4, {0, 2, 5, 8, 10}, {0, 1, 0, 1, 2, 1, 2, 3, 2, 3}, {2, -1, -1, 2, -1, -1, 2, -1, -1, 2}};
  auto const a = araios::to_crs_matrix<double>(exec{}, host);
  std::vector<double> const x{1, -2, 3, 5}, y{7, 11, -13, 17};
  auto const x_device = support::to_device(x);
  for (double const alpha : {0.0, 1.0, -1.0, 2.5})
    for (double const beta : {0.0, 1.0, -1.0, 2.5})
      for (auto const op : support::all_modes) {
        auto const expected = reference::spmv(op, alpha, host, x, beta, y);
        with_every_schedule([&](auto const& schedule) {
          auto const y_device = support::to_device(y);
          araios::spmv(exec{}, schedule, alpha, a, x_device, beta, y_device, op);
          auto const result = support::to_host(y_device);
          for (std::size_t i = 0; i < 4; ++i)
            EXPECT_EQ(result[i], static_cast<double>(expected[i].value.real()))
                << contracts::describe(schedule) << ", mode " << static_cast<char>(op) << ", alpha "
                << alpha << ", beta " << beta << ", row " << i;
        });
      }
}

// F01
TEST_F(spmv, zero_beta_never_reads_y) {
  auto const a = araios::to_crs_matrix<double>(
      exec{}, araios::host_crs<double>{3, 3, {0, 1, 2, 3}, {0, 1, 2}, {1, 1, 1}});
  auto const x = support::to_device<double>({1, 2, 3});
  for (auto const op : support::all_modes)
    with_every_schedule([&](auto const& schedule) {
      for (double const alpha : {1.0, 0.0}) {
        auto const y = support::to_device<double>({NAN, INFINITY, 7});
        araios::spmv(exec{}, schedule, alpha, a, x, 0.0, y, op);
        auto const result = support::to_host(y);
        EXPECT_EQ(result, (std::vector<double>{alpha, 2 * alpha, 3 * alpha}))
            << contracts::describe(schedule) << ", mode " << static_cast<char>(op);
      }
    });
}

TEST_F(spmv, zero_alpha_reads_neither_matrix_nor_x) {
  for (auto const& m : support::battery(random)) {
    SCOPED_TRACE(m.name + ": " + m.reason);
    auto spoilt = m.a;
    std::fill(spoilt.values.begin(), spoilt.values.end(), NAN);
    auto const a = araios::to_crs_matrix<double>(exec{}, spoilt);
    for (auto const op : {mode::none, mode::transpose})
      for (double const beta : {0.0, 1.0, -3.0}) {
        support::product const p(random, spoilt, op, 0.0L, beta);
        with_every_schedule([&](auto const& schedule) {
          EXPECT_TRUE(p.check([&](auto const& x, auto const& y) {
            araios::spmv(exec{}, schedule, 0.0, a, x, beta, y, op);
          })) << contracts::describe(schedule);
        });
      }
  }
}

// F12
TEST_F(spmv, without_entries_y_is_still_scaled) {
  using vector = std::vector<double>;
  araios::crs_matrix<double, int, int> const no_columns(3, 0, support::to_device<int>({0, 0, 0, 0}),
                                                        {}, {});
  araios::crs_matrix<double, int, int> const no_entries(3, 3, support::to_device<int>({0, 0, 0, 0}),
                                                        {}, {});
  with_every_schedule([&](auto const& schedule) {
    for (auto const& [a, x] : {std::pair{no_columns, support::to_device(vector{})},
                               {no_entries, support::to_device(vector{NAN, NAN, NAN})}})
      for (double const beta : {0.0, 2.0}) {
        auto const y = support::to_device(vector{9, 9, 9});
        araios::spmv(exec{}, schedule, 1.0, a, x, beta, y);
        EXPECT_EQ(support::to_host(y), vector(3, 9 * beta)) << contracts::describe(schedule);
      }
    auto const y = support::to_device(vector{});
    araios::spmv(exec{}, schedule, 1.0, no_columns, support::to_device(vector{1, 2, 3}), 2.0, y,
                 mode::transpose);
  });
}

// F10
TEST_F(spmv, without_rows_nothing_is_launched) {
  araios::crs_matrix<double> const no_map(0, 5, {}, {}, {});
  araios::crs_matrix<double> const uninitialised_map(
      0, 5, support::to_device<std::size_t>({std::numeric_limits<std::size_t>::max() / 5}), {}, {});
  for (auto const& a : {no_map, uninitialised_map}) {
    auto const five = support::to_device<double>({1, 2, 3, 4, 5});
    auto const none = support::to_device<double>({});
    with_every_schedule([&](auto const& schedule) {
      {
        support::tools_counter const counter;
        araios::spmv(exec{}, schedule, 1.0, a, five, 0.0, none);
        EXPECT_TRUE(counter.nothing_happened()) << contracts::describe(schedule);
      }
      auto const y = support::to_device<double>({1, 2, 3, 4, NAN});
      araios::spmv(exec{}, schedule, 1.0, a, none, 0.0, y, mode::transpose);
      EXPECT_EQ(support::to_host(y), std::vector<double>(5, 0.0)) << contracts::describe(schedule);
    });
  }
}

// F13, F07: exact results.
TEST_F(spmv, ones_and_duplicates_are_exact) {
  araios::host_crs<double> ones;
  ones.num_rows = ones.num_cols = 20;
  for (int64_t i = 0; i < 20; ++i) {
    for (int64_t j = 0; j < 20; ++j) ones.entries.push_back(j);
    ones.row_map.push_back(20 * (i + 1));
  }
  ones.values.assign(400, 1.0);
  auto const a = araios::to_crs_matrix<double>(exec{}, ones);
  auto const twice = araios::to_crs_matrix<double>(
      exec{}, araios::host_crs<double>{1, 2, {0, 3}, {0, 0, 1}, {1, 2, 5}});
  auto const x = support::to_device(std::vector<double>(20, 1.0));
  auto const x2 = support::to_device<double>({1, 1});
  with_every_schedule([&](auto const& schedule) {
    auto const y = support::to_device(std::vector<double>(20, NAN));
    araios::spmv(exec{}, schedule, 1.0, a, x, 0.0, y);
    EXPECT_EQ(support::to_host(y), std::vector<double>(20, 20.0)) << contracts::describe(schedule);
    auto const y1 = support::to_device<double>({NAN});
    araios::spmv(exec{}, schedule, 1.0, twice, x2, 0.0, y1);
    EXPECT_EQ(support::to_host(y1), std::vector<double>{8.0}) << contracts::describe(schedule);
  });
}

/// A copy at the very end of an allocation.
template <class T>
support::device_vector<T> at_end(std::vector<T> host, T before) {
  auto const size = host.size();
  host.insert(host.begin(), 13, before);
  return Kokkos::subview(support::to_device(host),
                         std::pair<std::size_t, std::size_t>(13, 13 + size));
}

// F13, F11: with an address checker this shows reads past the end, without one some before it.
TEST_F(spmv, arrays_at_the_end_of_their_allocations) {
  for (auto const& m : support::battery(random)) {
    SCOPED_TRACE(m.name + ": " + m.reason);
    constexpr int far = std::numeric_limits<int>::max();
    araios::crs_matrix<double, int, int> const a(
        static_cast<int>(m.a.num_rows), static_cast<int>(m.a.num_cols),
        at_end<int>({m.a.row_map.begin(), m.a.row_map.end()}, far),
        at_end<int>({m.a.entries.begin(), m.a.entries.end()}, far),
        at_end(m.a.values, double(NAN)));
    for (auto const op : {mode::none, mode::transpose}) {
      support::product const p(random, m.a, op, 1.0L, 1.0L);
      auto const x = at_end(p.x, double(NAN));
      for (int const lanes : {1, 32}) {
        auto const y = at_end(p.y, double(NAN));
        araios::spmv(exec{}, araios::merge_path(lanes, 3), 1.0, a, x, 1.0, y, op);
        EXPECT_TRUE(p.right(support::to_host(y))) << "merge_path lanes=" << lanes;
      }
      auto const y = at_end(p.y, double(NAN));
      araios::spmv(exec{}, araios::warp_mapped(8), 1.0, a, x, 1.0, y, op);
      EXPECT_TRUE(p.right(support::to_host(y))) << "warp_mapped";
    }
  }
}

// F51
TEST_F(spmv, whole_row_schedules_repeat_bit_for_bit) {
  constexpr int64_t n = 1000;
  auto const pattern = support::rows_of(random, std::vector<int64_t>(n, n * 6 / 10), n);
  auto const host = support::with_values<float>(random, pattern);
  auto const a = araios::to_crs_matrix<float>(exec{}, host);
  auto const x = support::to_device(support::draw_values<float>(random, n));
  auto const check = [&](auto const& schedule) {
    std::vector<float> first;
    for (int run = 0; run < 100; ++run) {
      auto const y = support::to_device(std::vector<float>(n, NAN));
      araios::spmv(exec{}, schedule, 1.0f, a, x, 0.0f, y);
      auto const result = support::to_host(y);
      if (run == 0) first = result;
      ASSERT_EQ(std::memcmp(result.data(), first.data(), n * sizeof(float)), 0)
          << contracts::describe(schedule) << ", run " << run;
    }
  };
  check(araios::thread_mapped{});
  check(araios::warp_mapped(4));
  check(araios::warp_mapped(32));
  check(araios::block_mapped{});
  check(araios::group_mapped{});
  check(araios::group_mapped(1024));
}

}  // namespace tests
