// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <araios/gallery.hpp>
#include <araios/masked_spgemm.hpp>

#include "support/battery.hpp"
#include "support/random.hpp"
#include "support/spgemm.hpp"
#include "support/throws.hpp"
#include "support/tools_counter.hpp"

// Masked products against the reference product, of which the entries outside the mask are dropped.

namespace {

using araios::host_crs;
using support::draw;
using Space = Kokkos::DefaultExecutionSpace;

template <class Value>
reference::product at_mask(host_crs<Value> const& mask, reference::product const& all) {
  reference::product c;
  c.num_rows = all.num_rows;
  c.num_cols = all.num_cols;
  for (int64_t i = 0; i < all.num_rows; ++i) {
    std::set<int64_t> const row(mask.entries.begin() + mask.row_map[i],
                                mask.entries.begin() + mask.row_map[i + 1]);
    for (auto k = all.row_map[i]; k < all.row_map[i + 1]; ++k)
      if (row.contains(all.entries[k])) {
        c.entries.push_back(all.entries[k]);
        c.values.push_back(all.values[k]);
      }
    c.row_map.push_back(static_cast<int64_t>(c.entries.size()));
  }
  return c;
}

template <class Value = double, class Ordinal = int, class Offset = int>
void check(host_crs<double> const& mask, host_crs<Value> const& host_a,
           host_crs<Value> const& host_b, std::string const& what) {
  SCOPED_TRACE(what);
  Space const space;
  auto const m = araios::to_crs_matrix<double, Ordinal, Offset>(space, mask);
  auto const a = araios::to_crs_matrix<Value, Ordinal, Offset>(space, host_a);
  auto const b = araios::to_crs_matrix<Value, Ordinal, Offset>(space, host_b);
  auto const expected = at_mask(mask, reference::spgemm(host_a, host_b));
  araios::masked_spgemm_plan const plan(space, m, a, b);
  EXPECT_EQ(plan.nnz(), expected.nnz());
  auto const c = plan.make_result(space);
  for (int run = 0; run < 2; ++run) {
    plan.multiply(space, m, a, b, c);
    plan.check(space);
    EXPECT_TRUE(support::is_product(space, c, expected, support::epsilon_of<Value>, 0.0L, false));
  }
  EXPECT_TRUE(support::is_product(space, araios::masked_spgemm(space, m, a, b), expected,
                                  support::epsilon_of<Value>, 0.0L, false));
}

class masked_spgemm : public support::random_test {};

TEST_F(masked_spgemm, random_shapes_and_types) {
  for (int i = 0; i < 12; ++i) {
    auto const rows = draw(random, 1, 300), inner = draw(random, 1, 200),
               cols = draw(random, 1, 400);
    auto const order = i % 2 == 0 ? support::columns::sorted : support::columns::unsorted;
    auto const mask = support::random_rows(random, rows, cols, 200, order);
    auto const a = support::random_rows(random, rows, inner, 40, order);
    auto const b = support::random_rows(random, inner, cols, 60, order);
    check(mask, a, b, "double");
    auto const with = [&]<class Value>(Value) {
      check<Value, int, std::size_t>(mask, support::with_values<Value>(random, a),
                                     support::with_values<Value>(random, b), "other values");
    };
    with(float{});
    with(Kokkos::complex<double>{});
    with(int64_t{});
    check<double, int64_t, int64_t>(mask, a, b, "64-bit ordinals");
  }
}

// Rows of the mask around the edges of every table, and far beyond the largest.
TEST_F(masked_spgemm, rows_of_the_mask_around_all_tables) {
  std::vector<int64_t> lengths{0, 1};
  for (auto const& bin : araios::tuning::spgemm_numeric_bins)
    for (int const d : {-1, 0, 1})
      lengths.push_back(
          araios::tuning::spgemm_bin_limit(bin, araios::tuning::spgemm_numeric_slots) + d);
  lengths.insert(lengths.end(), {5000, 9999, 10000});
  int64_t const cols = 10000;
  for (auto const order : {support::columns::sorted, support::columns::unsorted}) {
    auto const mask = support::rows_of(random, lengths, cols, order);
    auto const rows = static_cast<int64_t>(lengths.size());
    auto const a = support::rows_of(random, std::vector<int64_t>(rows, 30), 50);
    auto const b = support::rows_of(random, std::vector<int64_t>(50, 3000), cols);
    check(mask, a, b, "all lengths");
  }
}

TEST_F(masked_spgemm, duplicates_and_sorted_results) {
  host_crs<double> const mask{2, 4, {0, 4, 6}, {3, 1, 3, 1, 0, 0}, {1, 1, 1, 1, 0, 0}};
  host_crs<double> const a{2, 2, {0, 3, 4}, {0, 1, 0, 1}, {1, 2, 4, 8}};
  host_crs<double> const b{2, 4, {0, 3, 5}, {1, 3, 1, 0, 3}, {1, 10, 100, 1000, 10000}};
  check(mask, a, b, "duplicates in all operands");
  Space const space;
  auto const m = support::random_rows(random, 50, 60, 30);
  auto const square = support::random_rows(random, 50, 50, 9);
  auto const wide = support::random_rows(random, 50, 60, 9);
  auto const c = araios::to_host_crs(
      space, araios::masked_spgemm(space, araios::to_crs_matrix<float>(space, m),
                                   araios::to_crs_matrix<double>(space, square),
                                   araios::to_crs_matrix<double>(space, wide)));
  for (int64_t i = 0; i < c.num_rows; ++i)
    EXPECT_TRUE(
        std::is_sorted(c.entries.begin() + c.row_map[i], c.entries.begin() + c.row_map[i + 1]));
}

// Duplicates in rows of the mask that take several tables, in order and not.
TEST_F(masked_spgemm, duplicates_in_long_rows_of_the_mask) {
  int64_t const cols = 3000;
  auto mask = support::rows_of(random, {3000, 2500, 1500}, cols);
  auto const add = [&](int64_t row, std::vector<int64_t> const& columns) {
    mask.entries.insert(mask.entries.begin() + mask.row_map[row + 1], columns.begin(),
                        columns.end());
    for (auto i = row + 1; i <= mask.num_rows; ++i)
      mask.row_map[i] += static_cast<int64_t>(columns.size());
  };
  add(0, {0, 2999, 1, 1});  // far from where they were before
  add(1, {mask.entries[mask.row_map[1] + 7], mask.entries[mask.row_map[1] + 2400]});
  mask.values.assign(mask.entries.size(), 1.0);
  auto const a = support::rows_of(random, {20, 20, 20}, 20);
  auto const b = support::rows_of(random, std::vector<int64_t>(20, 1000), cols);
  check(mask, a, b, "appended");
  for (int64_t i = 0; i < 3; ++i)
    std::shuffle(mask.entries.begin() + mask.row_map[i], mask.entries.begin() + mask.row_map[i + 1],
                 random);
  check(mask, a, b, "shuffled");
}

TEST_F(masked_spgemm, empty_operands) {
  host_crs<double> const none{0, 0, {0}, {}, {}};
  check(none, none, none, "0 x 0");
  host_crs<double> const zero{3, 4, {0, 0, 0, 0}, {}, {}};
  auto const full = support::rows_of(random, {4, 4, 4}, 4);
  auto const square = support::rows_of(random, {3, 2, 1}, 3);
  check(zero, square, full, "empty mask");
  check(full, square, zero, "empty B");
  host_crs<double> const no_a{3, 3, {0, 0, 0, 0}, {}, {}};
  check(full, no_a, full, "empty A");
}

TEST_F(masked_spgemm, semirings) {
  Space const space;
  auto const mask = support::random_rows(random, 40, 40, 20);
  auto const a = support::random_rows(random, 40, 40, 12);
  auto const m = araios::to_crs_matrix<double, int, int>(space, mask);
  auto const da = araios::to_crs_matrix<double, int, int>(space, a);
  auto const all =
      araios::to_host_crs(space, araios::spgemm(space, da, da, {}, araios::min_plus{}));
  auto const c =
      araios::to_host_crs(space, araios::masked_spgemm(space, m, da, da, araios::min_plus{}));
  int64_t found = 0;
  for (int64_t i = 0; i < 40; ++i)
    for (auto k = all.row_map[i]; k < all.row_map[i + 1]; ++k) {
      auto const first = mask.entries.begin() + mask.row_map[i];
      auto const last = mask.entries.begin() + mask.row_map[i + 1];
      if (std::find(first, last, all.entries[k]) == last) continue;
      ASSERT_LT(found, c.nnz());
      EXPECT_EQ(c.entries[found], all.entries[k]);
      EXPECT_EQ(c.values[found++], all.values[k]);
    }
  EXPECT_EQ(found, c.nnz());
}

// The sum of L .* (L L), L the lower triangle of an undirected graph, is its number of triangles.
TEST_F(masked_spgemm, counts_triangles) {
  int64_t const n = 200;
  std::vector<std::vector<char>> joined(n, std::vector<char>(n, 0));
  host_crs<std::int32_t> lower;
  lower.num_rows = lower.num_cols = n;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < i; ++j) {
      if (random() % 8 != 0) continue;
      joined[i][j] = joined[j][i] = 1;
      lower.entries.push_back(j);
      lower.values.push_back(1);
    }
    lower.row_map.push_back(static_cast<int64_t>(lower.entries.size()));
  }
  int64_t expected = 0;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < i; ++j)
      for (int64_t k = 0; joined[i][j] && k < j; ++k) expected += joined[i][k] && joined[j][k];
  Space const space;
  auto const l = araios::to_crs_matrix<std::int32_t, int, int>(space, lower);
  auto const c = araios::to_host_crs(space, araios::masked_spgemm(space, l, l, l));
  int64_t triangles = 0;
  for (auto const paths : c.values) triangles += paths;
  EXPECT_EQ(triangles, expected);
}

// F54: the complete graph on 4 vertices has 4 triangles. F18: masks with as many entries as the
// matrix has rows, and more than it has entries.
TEST_F(masked_spgemm, small_products_by_hand) {
  Space const space;
  host_crs<std::int32_t> const lower{4, 4, {0, 0, 1, 3, 6}, {0, 0, 1, 0, 1, 2}, {1, 1, 1, 1, 1, 1}};
  auto const l = araios::to_crs_matrix<std::int32_t, int, int>(space, lower);
  std::int32_t triangles = 0;
  for (auto const paths : araios::to_host_crs(space, araios::masked_spgemm(space, l, l, l)).values)
    triangles += paths;
  EXPECT_EQ(triangles, 4);
  host_crs<double> const empty{100, 100, std::vector<int64_t>(101, 0), {}, {}};
  for (int64_t const each : {1, 100})
    check(support::rows_of(random, std::vector<int64_t>(100, each), 100), empty, empty, "empty");
}

TEST_F(masked_spgemm, repeated_products_allocate_and_fence_nothing) {
  Space const space;
  auto const mask = support::random_rows(random, 300, 300, 250);
  auto a = support::random_rows(random, 300, 300, 30);
  auto const m = araios::to_crs_matrix<double, int, int>(space, mask);
  auto const da = araios::to_crs_matrix<double, int, int>(space, a);
  araios::masked_spgemm_plan const plan(space, m, da, da);
  auto const c = plan.make_result(space);
  a.values = support::draw_values<double>(random, a.nnz());
  auto const changed = araios::to_crs_matrix<double, int, int>(space, a);
  Kokkos::deep_copy(da.values, changed.values);
  Kokkos::fence();
  {
    support::tools_counter const counted;
    plan.multiply(space, m, da, da, c);
    EXPECT_TRUE(counted.allocations.empty());
    EXPECT_TRUE(counted.fences.empty());
  }
  plan.check(space);
  EXPECT_TRUE(support::is_product(space, c, at_mask(mask, reference::spgemm(a, a)),
                                  support::epsilon_of<double>));
}

TEST_F(masked_spgemm, refuses_what_does_not_fit) {
  Space const space;
  auto const matrix = [&](int64_t rows, int64_t cols, int64_t each) {
    return araios::to_crs_matrix<double, int, int>(
        space, support::rows_of(random, std::vector<int64_t>(rows, each), cols));
  };
  auto const m = matrix(6, 8, 2), a = matrix(6, 7, 2), b = matrix(7, 8, 2);
  EXPECT_TRUE(
      support::throws<std::invalid_argument>([&] { araios::masked_spgemm(space, m, a, a); },
                                             {"araios::masked_spgemm_plan", "6 x 8", "6 x 7"}));
  EXPECT_TRUE(support::throws<std::invalid_argument>([&] { araios::masked_spgemm(space, b, a, b); },
                                                     {"araios::masked_spgemm_plan", "7 x 8"}));
  araios::masked_spgemm_plan const plan(space, m, a, b);
  auto const c = plan.make_result(space);
  auto const other = matrix(6, 8, 3);
  EXPECT_TRUE(
      support::throws<std::invalid_argument>([&] { plan.multiply(space, other, a, b, c); },
                                             {"masked_spgemm_plan::multiply", "mask", "18"}));
  plan.multiply(space, m, a, b, c);
  araios::crs_matrix<double, int, int> const shared(6, 8, c.row_map, c.entries, c.values);
  EXPECT_TRUE(support::throws<std::invalid_argument>(
      [&] {
        araios::masked_spgemm_plan const own(space, shared, a, b);
        araios::crs_matrix<double, int, int> const same(6, 8, own.make_result(space).row_map,
                                                        c.entries, c.values);
        own.multiply(space, shared, a, b, same);
      },
      {"shares arrays"}));
  araios::masked_spgemm_plan const another(space, m, a, b);
  EXPECT_TRUE(support::throws<std::invalid_argument>([&] { another.multiply(space, m, a, b, c); },
                                                     {"was not made by this plan"}));
}

// Every product meets the mask in the plan; afterwards none does.
TEST_F(masked_spgemm, reports_changed_patterns) {
  Space const space;
  host_crs<double> const mask{2, 4, {0, 2, 4}, {0, 1, 0, 1}, {1, 1, 1, 1}};
  host_crs<double> const a{2, 2, {0, 1, 2}, {0, 1}, {1, 1}};
  host_crs<double> const b{2, 4, {0, 2, 4}, {0, 1, 0, 1}, {1, 1, 1, 1}};
  auto const m = araios::to_crs_matrix<double, int, int>(space, mask);
  auto const da = araios::to_crs_matrix<double, int, int>(space, a);
  auto const db = araios::to_crs_matrix<double, int, int>(space, b);
  araios::masked_spgemm_plan const plan(space, m, da, db);
  auto const c = plan.make_result(space);
  EXPECT_EQ(plan.nnz(), 4);
  Kokkos::deep_copy(db.entries, 3);
  plan.multiply(space, m, da, db, c);
  EXPECT_TRUE(support::throws<std::runtime_error>([&] { plan.check(space); },
                                                  {"araios::masked_spgemm_plan::check"}));
  plan.check(space);
}

}  // namespace
