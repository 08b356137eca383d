// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <araios/spmm.hpp>
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

using plan_type = araios::spmv_plan_for<exec, araios::crs_matrix<double>>;
static_assert(!std::is_copy_constructible_v<plan_type> && !std::is_copy_assignable_v<plan_type>);
static_assert(std::is_move_constructible_v<plan_type> && std::is_move_assignable_v<plan_type>);

class spmv_plan : public support::random_test {};

template <class F>
void with_every_schedule(F const& f) {
  contracts::for_each_schedule(f);
  f(araios::automatic{});
}

TEST_F(spmv_plan, every_schedule_and_mode_on_the_battery) {
  for (auto const& m : support::battery(random)) {
    SCOPED_TRACE(m.name + ": " + m.reason);
    auto const a = araios::to_crs_matrix<double>(exec{}, m.a);
    std::vector<std::pair<mode, support::product<double>>> products;
    for (auto const op : support::all_modes)
      for (double const beta : {0.0, -1.0})
        products.emplace_back(op, support::product(random, m.a, op, 2.5L, beta));
    with_every_schedule([&](auto const& schedule) {
      SCOPED_TRACE(contracts::describe(schedule));
      araios::spmv_plan const plan(exec{}, schedule, a);
      for (std::size_t i = 0; i < products.size(); ++i)
        EXPECT_TRUE(products[i].second.check([&](auto const& x, auto const& y) {
          plan.apply(exec{}, 2.5, a, x, i % 2 == 0 ? 0.0 : -1.0, y, products[i].first);
        })) << "mode "
            << static_cast<char>(products[i].first);
    });
  }
}

araios::host_crs<double> uneven(support::engine& random) {
  return support::rows_of(random, support::repeated({3, 0, 11, 4, 250}, 200), 1000);
}

// F36
TEST_F(spmv_plan, apply_neither_allocates_nor_fences) {
  auto const host = uneven(random);
  auto const a = araios::to_crs_matrix<double>(exec{}, host);
  support::product const p(random, host, mode::none, 1.0L, 0.0L);
  auto const y = support::to_device(p.y);
  with_every_schedule([&](auto const& schedule) {
    SCOPED_TRACE(contracts::describe(schedule));
    araios::spmv_plan const plan(exec{}, schedule, a);
    plan.apply(exec{}, 1.0, a, p.x_device, 0.0, y);  // warms Kokkos up
    Kokkos::fence();
    support::tools_counter const counter;
    for (int run = 0; run < 3; ++run) plan.apply(exec{}, 1.0, a, p.x_device, 0.0, y);
    EXPECT_TRUE(counter.fences.empty()) << counter.fences[0].name;
    EXPECT_TRUE(counter.allocations.empty()) << counter.allocations[0].label;
    EXPECT_TRUE(counter.deep_copies.empty());
    bool const splits = contracts::splits_tiles(plan.schedule_name());
    std::vector<std::string> names(splits ? 0 : 3, "araios::spmv::rows");
    if (splits) {
      EXPECT_LE(counter.launches.size(), 6u);
      EXPECT_EQ(counter.not_labelled("araios::spmv::"), "");
    } else {
      EXPECT_EQ(counter.launches, names);
    }
    EXPECT_TRUE(counter.all_on(exec{}));
    EXPECT_EQ(std::set<std::string>(counter.regions.begin(), counter.regions.end()),
              std::set<std::string>{std::string("araios::spmv::") + plan.schedule_name()});
  });
}

TEST_F(spmv_plan, is_made_with_one_reduction_and_no_global_fence) {
  auto const a = araios::to_crs_matrix<double>(exec{}, uneven(random));
  with_every_schedule([&](auto const& schedule) {
    SCOPED_TRACE(contracts::describe(schedule));
    { araios::spmv_plan const warm(exec{}, schedule, a); }
    Kokkos::fence();
    support::tools_counter const counter;
    araios::spmv_plan const plan(exec{}, schedule, a);
    EXPECT_EQ(counter.global_fences(), 0);
    EXPECT_LE(counter.fences.size(), 2u);  // Kokkos may wait twice for the result of a reduction
    EXPECT_LE(counter.launches.size(), 2u);
    EXPECT_EQ(counter.not_labelled("araios::"), "");
    EXPECT_TRUE(counter.all_on(exec{}));
    EXPECT_EQ(counter.bytes, plan.workspace_bytes());
    EXPECT_EQ(counter.peak_bytes, plan.workspace_bytes());
  });
}

// F32: held while the plan lives, gone with it; in proportion to the matrix.
TEST_F(spmv_plan, owns_and_releases_its_workspace) {
  auto const a = araios::to_crs_matrix<double>(exec{}, uneven(random));
  with_every_schedule([&](auto const& schedule) {
    SCOPED_TRACE(contracts::describe(schedule));
    { araios::spmv_plan const warm(exec{}, schedule, a); }
    support::tools_counter const counter;
    {
      araios::spmv_plan plan(exec{}, schedule, a);
      EXPECT_LE(plan.workspace_bytes(), 16 * (1000 + a.nnz() + 2));
      auto moved = std::move(plan);
      EXPECT_EQ(counter.bytes, moved.workspace_bytes());
    }
    EXPECT_EQ(counter.bytes, 0u);
  });
}

// Rule 7
TEST_F(spmv_plan, serves_other_values_and_other_columns_of_the_same_rows) {
  auto const host = uneven(random);
  auto a = araios::to_crs_matrix<double>(exec{}, host);
  with_every_schedule([&](auto const& schedule) {
    SCOPED_TRACE(contracts::describe(schedule));
    araios::spmv_plan const plan(exec{}, schedule, a);
    for (int run = 0; run < 3; ++run) {
      auto const other = support::with_values<double>(random, host);
      Kokkos::deep_copy(a.values, support::to_device(other.values));
      support::product const p(random, other, mode::none, 1.0L, 0.0L);
      EXPECT_TRUE(
          p.check([&](auto const& x, auto const& y) { plan.apply(exec{}, 1.0, a, x, 0.0, y); }));
    }
    auto mirrored = host;
    for (auto& j : mirrored.entries) j = host.num_cols - 1 - j;
    auto const b = araios::to_crs_matrix<double>(exec{}, mirrored);
    support::product const p(random, mirrored, mode::none, 1.0L, 0.0L);
    EXPECT_TRUE(p.check([&](auto const& x, auto const& y) {
      plan.apply(exec{}, 1.0, b, x, 0.0, y);
    })) << "other arrays with the same row map";
    auto const floats = support::with_values<float>(random, host);
    auto const c = araios::to_crs_matrix<float>(exec{}, floats);
    support::product<float, double> const q(random, floats, mode::none, 1.0L, 0.0L);
    EXPECT_TRUE(q.check([&](auto const& x, auto const& y) {
      plan.apply(exec{}, 1.0, c, x, 0.0, y);
    })) << "values of another type";
  });
}

// Contract rule 7: coordinates bound for the old row map must not lead to wrong sums.
TEST_F(spmv_plan, is_right_when_the_row_map_is_changed_in_place) {
  auto const host = uneven(random);
  auto const a = araios::to_crs_matrix<double>(exec{}, host);
  with_every_schedule([&](auto const& schedule) {
    SCOPED_TRACE(contracts::describe(schedule));
    Kokkos::deep_copy(a.row_map, support::to_device(host.row_map));
    araios::spmv_plan const plan(exec{}, schedule, a);
    auto moved = host;  // the same entries, dealt to rows at random
    std::uniform_int_distribution<std::size_t> end(0, host.entries.size());
    for (std::size_t i = 1; i + 1 < moved.row_map.size(); ++i) moved.row_map[i] = end(random);
    std::sort(moved.row_map.begin(), moved.row_map.end());
    Kokkos::deep_copy(a.row_map, support::to_device(moved.row_map));
    support::product const p(random, moved, mode::none, 1.0L, 0.0L);
    EXPECT_TRUE(
        p.check([&](auto const& x, auto const& y) { plan.apply(exec{}, 1.0, a, x, 0.0, y); }));
  });
}

TEST_F(spmv_plan, refuses_another_row_map) {
  auto const host = support::rows_of(random, {2, 3, 4, 1}, 9);
  auto const a = araios::to_crs_matrix<double>(exec{}, host);
  auto const other = [&](std::vector<int64_t> const& lengths) {
    return araios::to_crs_matrix<double>(exec{}, support::rows_of(random, lengths, 9));
  };
  auto const shifted = other({2, 4, 3, 1}), longer = other({2, 3, 4, 2}),
             more = other({2, 3, 4, 1, 0});
  support::product const p(random, host, mode::none, 1.0L, 0.0L);
  auto const y4 = support::to_device(std::vector<double>(4, 5.0));
  auto const y5 = support::to_device(std::vector<double>(5, 5.0));
  auto const x = p.x_device;
  with_every_schedule([&](auto const& schedule) {
    SCOPED_TRACE(contracts::describe(schedule));
    araios::spmv_plan const plan(exec{}, schedule, a);
    for (int again = 0; again < 2; ++again) {
      using refusal = std::invalid_argument;
      EXPECT_TRUE(support::throws<refusal>(
          [&] { plan.apply(exec{}, 1.0, longer, x, 0.0, y4); },
          {"araios::spmv_plan::apply", "4 rows and 10 entries", "4 and 11"}));
      EXPECT_TRUE(support::throws<refusal>([&] { plan.apply(exec{}, 1.0, more, x, 0.0, y5); },
                                           {"araios::spmv_plan::apply", "4 rows", "5 and 10"}));
      EXPECT_TRUE(support::throws<refusal>([&] { plan.apply(exec{}, 1.0, shifted, x, 0.0, y4); },
                                           {"araios::spmv_plan::apply", "another row map"}));
    }
    EXPECT_EQ(support::to_host(y4), std::vector<double>(4, 5.0)) << "y is written to";
    EXPECT_TRUE(
        p.check([&](auto const& x, auto const& y) { plan.apply(exec{}, 1.0, a, x, 0.0, y); }));
  });
}

TEST_F(spmv_plan, refuses_wrong_arguments_before_anything_starts) {
  auto const a = araios::to_crs_matrix<double>(exec{}, support::rows_of(random, {2, 1, 3}, 3));
  araios::spmv_plan const plan(exec{}, a);
  auto const three = support::to_device(std::vector<double>(3, 1.0));
  auto const four = support::to_device(std::vector<double>(4, 1.0));
  auto const longer = araios::to_crs_matrix<double>(exec{}, support::rows_of(random, {2, 2, 3}, 3));
  auto const other = support::to_device(std::vector<double>(3, 1.0));
  support::tools_counter const counter;
  using refusal = std::invalid_argument;
  EXPECT_TRUE(support::throws<refusal>([&] { plan.apply(exec{}, 1.0, a, four, 0.0, three); },
                                       {"araios::spmv_plan::apply", "op(A) is 3 x 3", "x is 4"}));
  EXPECT_TRUE(support::throws<refusal>([&] { plan.apply(exec{}, 1.0, a, three, 0.0, three); },
                                       {"araios::spmv_plan::apply", "share memory"}));
  EXPECT_TRUE(support::throws<refusal>([&] { plan.apply(exec{}, 1.0, longer, three, 0.0, other); },
                                       {"araios::spmv_plan::apply", "6 entries", "and 7"}));
  EXPECT_TRUE(counter.nothing_happened());
}

TEST_F(spmv_plan, refuses_a_row_map_that_does_not_end_at_the_entries) {
  araios::crs_matrix<double, int, int> const a(2, 3, support::to_device<int>({0, 1, 2}),
                                               support::to_device<int>({0, 1, 2}),
                                               support::to_device<double>({1, 1, 1}));
  EXPECT_TRUE(
      support::throws<std::invalid_argument>([&] { araios::spmv_plan const plan(exec{}, a); },
                                             {"araios::spmv_plan", "ends at 2", "has 3"}));
}

// F34: the choice follows the row lengths, and can be asked for.
TEST_F(spmv_plan, reports_its_choice) {
  contracts::for_each_schedule([&](auto const& schedule) {
    auto const a = araios::to_crs_matrix<double>(exec{}, support::rows_of(random, {2, 1, 3}, 3));
    araios::spmv_plan const plan(exec{}, schedule, a);
    EXPECT_STREQ(plan.schedule_name(), schedule.name);
  });

  constexpr int64_t n = 1'000'000;
  araios::host_crs<double> heavy;
  heavy.num_rows = heavy.num_cols = n;
  heavy.row_map.reserve(n + 1);
  for (int64_t i = 0; i < n; ++i) {
    if (i == n / 3)
      for (int64_t j = 0; j < n; ++j) heavy.entries.push_back(j);
    else
      heavy.entries.push_back(i);
    heavy.row_map.push_back(static_cast<int64_t>(heavy.entries.size()));
  }
  heavy.values.assign(heavy.entries.size(), 1.0);
  auto const a = araios::to_crs_matrix<double>(exec{}, heavy);
  araios::spmv_plan const plan(exec{}, a);
  bool const balances = exec{}.concurrency() > 1;
  EXPECT_EQ(contracts::splits_tiles(plan.schedule_name()), balances)
      << "one row as long as all others together: " << plan.schedule_name();
  auto const x = support::to_device(std::vector<double>(n, 1.0));
  auto const y = support::to_device(std::vector<double>(n, NAN));
  plan.apply(exec{}, 1.0, a, x, 0.0, y);
  std::vector<double> expected(n, 1.0);
  expected[n / 3] = n;
  EXPECT_EQ(support::to_host(y), expected);
  support::tools_counter const counter;
  araios::spmv(exec{}, 1.0, a, x, 0.0, y);
  EXPECT_EQ(counter.regions, std::vector<std::string>{balances ? "araios::spmv::merge_path"
                                                               : "araios::spmv::thread_mapped"});
  EXPECT_EQ(support::to_host(y), expected);
}

TEST_F(spmv_plan, works_on_another_instance_and_without_specialisations) {
  auto const host = uneven(random);
  auto const a = araios::to_crs_matrix<double>(exec{}, host);
  support::product const p(random, host, mode::none, 1.0L, 0.0L);
  araios::spmv_plan const portable(araios::portable_on{exec{}}, araios::merge_path(1, 3), a);
  EXPECT_TRUE(p.check([&](auto const& x, auto const& y) {
    portable.apply(araios::portable_on{exec{}}, 1.0, a, x, 0.0, y);
  }));
  auto const spaces = support::two_instances();
  if (spaces.empty()) GTEST_SKIP() << "one thread cannot be shared by two instances";
  for (auto const& space : spaces) {
    support::tools_counter const counter;
    araios::spmv_plan const plan(space, araios::merge_path(1, 3), a);
    EXPECT_TRUE(counter.all_on(space));
    EXPECT_EQ(counter.global_fences(), 0);
    EXPECT_TRUE(p.check([&](auto const& x, auto const& y) {
      space.fence();
      plan.apply(space, 1.0, a, x, 0.0, y);
      space.fence();
    }));
  }
}

/// F36: rows of one length are dealt whole, in one launch, on every backend.
TEST_F(spmv_plan, a_tridiagonal_apply_is_one_launch) {
  auto const a = araios::to_crs_matrix<double>(
      exec{}, support::rows_of(random, std::vector<int64_t>(1000, 3), 1000));
  araios::spmv_plan const plan(exec{}, a);
  auto const x = support::to_device(std::vector<double>(1000, 1.0));
  auto const y = support::to_device(std::vector<double>(1000, 1.0));
  plan.apply(exec{}, 1.0, a, x, 0.0, y);
  support::tools_counter const counter;
  plan.apply(exec{}, 1.0, a, x, 0.0, y);
  EXPECT_EQ(counter.launches.size(), 1u) << plan.schedule_name();
  EXPECT_TRUE(counter.fences.empty());
  EXPECT_TRUE(counter.allocations.empty());
}

}  // namespace tests
