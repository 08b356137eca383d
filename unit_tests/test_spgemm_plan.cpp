// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <araios/gallery.hpp>
#include <araios/spgemm.hpp>

#include "support/battery.hpp"
#include "support/random.hpp"
#include "support/spgemm.hpp"
#include "support/throws.hpp"
#include "support/tools_counter.hpp"

// Plans: one symbolic phase, many numeric ones; what they refuse; what they enqueue.

namespace {

using araios::host_crs;
using araios::spgemm_accumulator;
using araios::spgemm_options;
using araios::spgemm_plan;
using support::is_product;
using support::throws;
using support::tools_counter;

using Space = Kokkos::DefaultExecutionSpace;
using matrix = araios::crs_matrix<double, int, int, Space::memory_space>;
using plan_type = spgemm_plan<Space, int, int, double>;
constexpr bool on_host = Kokkos::SpaceAccessibility<Space, Kokkos::HostSpace>::accessible;

static_assert(!std::is_copy_constructible_v<plan_type> && !std::is_copy_assignable_v<plan_type>);
static_assert(std::is_move_constructible_v<plan_type> && std::is_move_assignable_v<plan_type>);

matrix to_device(host_crs<double> const& a) {
  return araios::to_crs_matrix<double, int, int>(Space{}, a);
}

/// The kernels that were launched, without those by which Kokkos fills Views (mere memset, mostly).
std::vector<std::string> kernels(tools_counter const& counter) {
  std::vector<std::string> names;
  for (auto const& name : counter.launches)
    if (!name.starts_with("Kokkos::View")) names.push_back(name);
  return names;
}

/// Overwrites the arrays of a matrix of the same size.
void overwrite(matrix const& a, host_crs<double> const& by) {
  auto const from = to_device(by);
  Kokkos::deep_copy(a.row_map, from.row_map);
  Kokkos::deep_copy(a.entries, from.entries);
  Kokkos::deep_copy(a.values, from.values);
}

class SpGEMMPlan : public support::random_test {
 protected:
  Space space;

  /// Rows for several bins, one row that takes the global workspace, and equal neighbours.
  host_crs<double> random_a() {
    auto a = support::rows_of(random, support::repeated({3, 0, 12, 40, 1, 100, 2}, 400), 400);
    return a;
  }
  host_crs<double> random_b() {
    return support::rows_of(random, support::repeated({5, 60, 1, 0}, 100), 6000);
  }
};

TEST_F(SpGEMMPlan, IsRepeatedWithNewValues) {
  auto const host_a = random_a(), host_b = random_b();
  for (auto const& [name, options] : support::spgemm_ways) {
    SCOPED_TRACE(name);
    auto const a = to_device(host_a), b = to_device(host_b);
    plan_type const plan(space, a, b, options);
    auto const c = plan.make_result(space), other_c = plan.make_result(space);
    for (int repeat = 0; repeat < 4; ++repeat) {
      auto const new_a = support::with_values<double>(random, host_a);
      auto const new_b = support::with_values<double>(random, host_b);
      auto const expected = reference::spgemm(new_a, new_b);
      if (repeat % 2 == 0) {  // in the same arrays
        overwrite(a, new_a);
        overwrite(b, new_b);
        plan.multiply(space, a, b, c);
      } else {  // in others
        plan.multiply(space, to_device(new_a), to_device(new_b), other_c);
      }
      plan.check(space);
      EXPECT_TRUE(
          is_product(space, repeat % 2 == 0 ? c : other_c, expected, support::epsilon_of<double>))
          << "repeat " << repeat;
    }
    EXPECT_EQ(c.row_map.data(), other_c.row_map.data());
  }
}

TEST_F(SpGEMMPlan, RefusesAnotherPattern) {
  auto const host_a = random_a(), host_b = random_b();
  auto const a = to_device(host_a), b = to_device(host_b);
  auto moved_column = host_a;  // the same row map
  auto& column = moved_column.entries.back();
  column = column == 0 ? 1 : column - 1;
  auto moved_row = host_b;  // the same entries, one of them in the next row
  auto const full = std::find_if(moved_row.row_map.begin() + 1, moved_row.row_map.end(),
                                 [&](auto end) { return end > 0; });
  --*full;
  plan_type const plan(space, a, b);
  auto const c = plan.make_result(space);
  auto const other_a = to_device(moved_column), other_b = to_device(moved_row);
  {
    tools_counter const counter;
    EXPECT_TRUE(throws<std::invalid_argument>([&] { plan.multiply(space, other_a, b, c); },
                                              {"spgemm_plan::multiply", "A (2800 x 400"}));
    EXPECT_TRUE(throws<std::invalid_argument>([&] { plan.multiply(space, a, other_b, c); },
                                              {"spgemm_plan::multiply", "B (400 x 6000"}));
    EXPECT_EQ(counter.launches, (std::vector<std::string>(2, "araios::spgemm::check_pattern")));
    EXPECT_EQ(counter.open_regions, 0);
  }
  plan.multiply(space, a, b, c);
  plan.check(space);
  EXPECT_TRUE(is_product(space, c, reference::spgemm(host_a, host_b), support::epsilon_of<double>));
}

TEST_F(SpGEMMPlan, RefusesOtherSizes) {
  auto const host_a = support::rows_of(random, {3, 2, 4}, 5);
  auto const a = to_device(host_a);
  auto const b = to_device(support::rows_of(random, {1, 2, 0, 3, 1}, 7));
  plan_type const plan(space, a, b);
  plan_type const other_plan(space, a, b);
  auto const c = plan.make_result(space);
  auto const wrong_c = other_plan.make_result(space);  // the same pattern, but another row map
  auto const more_rows = to_device(support::rows_of(random, {3, 2, 4, 0}, 5));
  auto const fewer_entries = to_device(support::rows_of(random, {3, 2, 3}, 5));
  auto const more_columns = to_device(support::rows_of(random, {1, 2, 0, 3, 1}, 8));
  tools_counter const counter;
  EXPECT_TRUE(throws<std::invalid_argument>([&] { plan.multiply(space, more_rows, b, c); },
                                            {"3 x 5 matrix A with 9", "A is 4 x 5 with 9"}));
  EXPECT_TRUE(throws<std::invalid_argument>([&] { plan.multiply(space, fewer_entries, b, c); },
                                            {"3 x 5 matrix A with 9", "A is 3 x 5 with 8"}));
  EXPECT_TRUE(throws<std::invalid_argument>([&] { plan.multiply(space, a, more_columns, c); },
                                            {"5 x 7 matrix B with 7", "B is 5 x 8 with 7"}));
  EXPECT_TRUE(throws<std::invalid_argument>([&] { plan.multiply(space, a, b, wrong_c); },
                                            {"C (3 x 7", "was not made by this plan"}));
  EXPECT_TRUE(counter.nothing_happened());
}

// A pattern that was changed in the arrays that the plan knows, so that rows of C have other sizes,
// is found by the kernels. What they write meanwhile stays in bounds, and the next product is
// right.
TEST_F(SpGEMMPlan, FindsAPatternThatWasChangedInPlace) {
  // Rows of A come in equal pairs. Row k of B has 10 or 40 columns; after the change the longer
  // ones are in the other half.
  std::vector<std::int64_t> lengths, changed_lengths;
  for (int k = 0; k < 200; ++k) {
    lengths.push_back(k < 100 ? 10 : 40);
    changed_lengths.push_back(k < 100 ? 40 : 10);
  }
  auto const host_b = support::rows_of(random, lengths, 9000);
  auto const changed_b = support::rows_of(random, changed_lengths, 9000);
  host_crs<double> host_a{0, 200, {0}, {}, {}};
  for (int pair = 0; pair < 60; ++pair) {
    auto const first = support::draw(random, 0, 1) * 100;
    auto const length = support::draw(random, 1, 100);
    for (int twice = 0; twice < 2; ++twice) {
      for (std::int64_t k = 0; k < length; ++k) host_a.entries.push_back(first + k);
      host_a.row_map.push_back(static_cast<std::int64_t>(host_a.entries.size()));
      ++host_a.num_rows;
    }
  }
  host_a.values = support::draw_values<double>(random, host_a.row_map.back());
  auto const expected = reference::spgemm(host_a, host_b);
  for (auto const accumulator : support::accumulators) {
    SCOPED_TRACE(support::name_of(accumulator));
    auto const a = to_device(host_a), b = to_device(host_b);
    plan_type const plan(space, a, b, {.accumulator = accumulator});
    auto const c = plan.make_result(space);
    overwrite(b, changed_b);
    plan.multiply(space, a, b, c);
    EXPECT_TRUE(throws<std::runtime_error>([&] { plan.check(space); },
                                           {"spgemm_plan::check", "A (120 x 200)"}));
    plan.check(space);  // reported once
    overwrite(b, host_b);
    plan.multiply(space, a, b, c);
    plan.check(space);
    EXPECT_TRUE(is_product(space, c, expected, support::epsilon_of<double>));
  }
}

TEST_F(SpGEMMPlan, IsMoved) {
  auto const host_a = random_a(), host_b = random_b();
  auto const a = to_device(host_a), b = to_device(host_b);
  auto const small = to_device(support::rows_of(random, {1, 2}, 2));
  auto const expected = reference::spgemm(host_a, host_b);
  plan_type first(space, a, b);
  auto const c = first.make_result(space);
  plan_type second(std::move(first));
  second.multiply(space, a, b, c);
  second.check(space);
  EXPECT_TRUE(is_product(space, c, expected, support::epsilon_of<double>));
  plan_type third(space, small, small);
  third = std::move(second);
  EXPECT_EQ(third.nnz(), expected.nnz());
  EXPECT_EQ(third.products(), expected.products);
  Kokkos::deep_copy(c.values, 0.0);
  third.multiply(space, a, b, c);
  third.check(space);
  EXPECT_TRUE(is_product(space, c, expected, support::epsilon_of<double>));
}

TEST_F(SpGEMMPlan, ResultsOutliveIt) {
  auto const host_a = random_a(), host_b = random_b();
  auto const a = to_device(host_a), b = to_device(host_b);
  auto const c = araios::spgemm(space, a, b);
  EXPECT_TRUE(is_product(space, c, reference::spgemm(host_a, host_b), support::epsilon_of<double>));
}

// Contracts F36, F37: a prepared product launches its kernels and does nothing else.
TEST_F(SpGEMMPlan, PreparedProductsNeitherAllocateNorWait) {
  auto const a = to_device(random_a()), b = to_device(random_b());
  for (auto const& [name, options] : support::spgemm_ways) {
    SCOPED_TRACE(name);
    plan_type const plan(space, a, b, options);
    auto const c = plan.make_result(space);
    plan.multiply(space, a, b, c);
    space.fence();
    tools_counter const counter;
    plan.multiply(space, a, b, c);
    EXPECT_TRUE(counter.allocations.empty());
    EXPECT_TRUE(counter.fences.empty());
    EXPECT_TRUE(counter.deep_copies.empty());
    EXPECT_EQ(counter.not_labelled("araios::spgemm::"), "");
    EXPECT_EQ(counter.regions, (std::vector<std::string>{"araios::spgemm::numeric"}));
    EXPECT_EQ(counter.open_regions, 0);
    EXPECT_TRUE(counter.all_on(space));
    bool const one_kernel = on_host && options.accumulator != spgemm_accumulator::hash;
    EXPECT_LE(counter.launches.size(), one_kernel ? 1u : 8u);  // else one for each bin
  }
}

// Everything a plan does is on the instance it is given, and carries the name of the library.
TEST_F(SpGEMMPlan, WorksOnItsInstanceAlone) {
  auto const a = to_device(random_a()), b = to_device(random_b());
  for (auto const& [name, options] : support::spgemm_ways) {
    SCOPED_TRACE(name);
    (void)araios::spgemm(space, a, b, options);  // scratch memory of Kokkos
    tools_counter const counter;
    plan_type const plan(space, a, b, options);
    auto const c = plan.make_result(space);
    plan.multiply(space, a, b, c);
    plan.check(space);
    for (auto const& kernel : kernels(counter))
      EXPECT_TRUE(kernel.starts_with("araios::spgemm::")) << kernel;
    for (auto const& allocation : counter.allocations)
      EXPECT_TRUE(allocation.label.starts_with("araios::spgemm::")) << allocation.label;
    EXPECT_TRUE(counter.launched_on(space));
    if (!options
             .keep_products) {  // making such a plan frees memory, for which Kokkos waits for all
      EXPECT_EQ(counter.global_fences(), 0);
      EXPECT_TRUE(counter.all_on(space));
    }
    EXPECT_EQ(counter.regions,
              (std::vector<std::string>{"araios::spgemm::symbolic", "araios::spgemm::numeric"}));
    EXPECT_EQ(counter.open_regions, 0);
  }
}

// Small products are bound by launches. The least for a product in two phases is 5: count products,
// count entries, sum them, scan them, compute. One more collects what the host must know
// beforehand; Kokkos fills row map, workspace and control block. Without rows nothing is launched.
TEST_F(SpGEMMPlan, FewLaunchesForSmallProducts) {
  auto const empty = to_device(support::rows_of(random, {}, 0));
  auto const one = to_device(support::rows_of(random, {1}, 1));
  auto const thousand = to_device(araios::gallery::make("tiny_1000"));
  for (auto const accumulator : support::accumulators) {
    for (auto const& [rows, a] :
         {std::pair(0, empty), std::pair(1, one), std::pair(1000, thousand)}) {
      tools_counter const counter;
      (void)araios::spgemm(space, a, a, {.accumulator = accumulator});
      std::string list;
      for (auto const& launch : counter.launches) list += launch + ", ";
      auto const what = support::name_of(accumulator) + ("_" + std::to_string(rows));
      RecordProperty("launches_" + what, list);
      EXPECT_LE(kernels(counter).size(), rows == 0 ? 0u : 6u) << what << ": " << list;
      EXPECT_LE(counter.launches.size(), rows == 0 ? 2u : 9u) << what << ": " << list;
    }
  }
}

TEST_F(SpGEMMPlan, EmptyProductsLaunchNothing) {
  auto const a = to_device(support::rows_of(random, {0, 0, 0}, 4));
  auto const b = to_device(support::rows_of(random, {1, 2, 0, 3}, 5));
  plan_type const plan(space, a, b);
  auto const c = plan.make_result(space);
  tools_counter const counter;
  plan.multiply(space, a, b, c);
  EXPECT_TRUE(counter.nothing_happened());
}

// Contracts rule 8, F37: two instances, each with plans of its own, their work interleaved.
TEST_F(SpGEMMPlan, TwoInstancesSideBySide) {
  if (on_host && space.concurrency() < 2) GTEST_SKIP() << "one thread cannot be divided";
  auto const spaces = Kokkos::Experimental::partition_space(space, 1, 1);
  auto const lengths = support::repeated({4, 0, 9, 1, 30, 2, 2, 5, 0, 7}, 1000);
  for (auto const& [name, options] : support::spgemm_ways) {
    SCOPED_TRACE(name);
    std::vector<host_crs<double>> host;
    std::vector<matrix> a, c;
    std::vector<plan_type> plans;
    for (int i = 0; i < 2; ++i) {
      host.push_back(support::rows_of(random, lengths, 10'000));
      a.push_back(to_device(host[i]));
      plans.emplace_back(spaces[i], a[i], a[i], options);
      c.push_back(plans[i].make_result(spaces[i]));
      plans[i].multiply(spaces[i], a[i], a[i], c[i]);
      spaces[i].fence();
    }
    {
      tools_counter const counter;
      for (int repeat = 0; repeat < 20; ++repeat)
        for (int i = 0; i < 2; ++i) plans[i].multiply(spaces[i], a[i], a[i], c[i]);
      EXPECT_TRUE(counter.fences.empty());
      EXPECT_TRUE(counter.allocations.empty());
    }
    for (int i = 0; i < 2; ++i) {
      plans[i].check(spaces[i]);
      EXPECT_TRUE(is_product(spaces[i], c[i], reference::spgemm(host[i], host[i]),
                             support::epsilon_of<double>))
          << "instance " << i;
    }
  }
}

// Contracts F51: what is promised to agree bit for bit does. The pattern always agrees; values do
// where one thread sums a row: dense accumulators on host backends, and every one on one thread.
TEST_F(SpGEMMPlan, RepeatedRunsAgree) {
  auto const host = support::with_values<float>(
      random, support::rows_of(random, std::vector<std::int64_t>(300, 180), 300));
  auto const a = araios::to_crs_matrix<float, int, std::size_t>(space, host);
  auto const expected = reference::spgemm(host, host);
  for (auto const accumulator : support::accumulators) {
    SCOPED_TRACE(support::name_of(accumulator));
    // Teams have one thread on host backends, so a row is always summed by one.
    auto const first =
        araios::to_host_crs(space, araios::spgemm(space, a, a, {.accumulator = accumulator}));
    for (int run = 1; run < 20; ++run) {
      spgemm_plan const plan(space, a, a, {.accumulator = accumulator});
      auto const matrix = plan.make_result(space);
      plan.multiply(space, a, a, matrix);
      auto const c = araios::to_host_crs(space, matrix);
      ASSERT_EQ(c.row_map, first.row_map);
      ASSERT_EQ(c.entries, first.entries);
      if (on_host)
        ASSERT_EQ(c.values, first.values) << "run " << run;
      else
        ASSERT_TRUE(is_product(c, expected, support::epsilon_of<float>)) << "run " << run;
    }
  }
}

// C is written while A and B are read.
TEST_F(SpGEMMPlan, ResultMayNotShareArraysWithAnOperand) {
  auto const a = to_device(support::rows_of(random, {2, 2}, 2));
  plan_type const plan(space, a, a);
  auto const c = plan.make_result(space);
  plan.multiply(space, a, a, c);
  for (auto const accumulate : {true, false})
    EXPECT_TRUE(throws<std::invalid_argument>(
        [&] { plan.multiply(space, accumulate ? c : a, accumulate ? a : c, c); },
        {"araios::spgemm_plan::multiply", "shares arrays"}));
}

}  // namespace
