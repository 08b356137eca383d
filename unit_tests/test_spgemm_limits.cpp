// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <araios/gallery.hpp>
#include <araios/spgemm.hpp>

#include "support/battery.hpp"
#include "support/random.hpp"
#include "support/spgemm.hpp"
#include "support/tools_counter.hpp"

// Large counts, long rows, and how much memory they take.

namespace {

using araios::host_crs;
using araios::spgemm_accumulator;
using araios::spgemm_options;
using araios::spgemm_plan;
using support::tools_counter;

using Space = Kokkos::DefaultExecutionSpace;
constexpr bool on_host = Kokkos::SpaceAccessibility<Space, Kokkos::HostSpace>::accessible;

using SpGEMMLimits = support::random_test;

host_crs<double> ones(std::int64_t rows, std::int64_t cols) {
  host_crs<double> a{rows, cols, {0}, {}, {}};
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < cols; ++j) a.entries.push_back(j);
    a.row_map.push_back((i + 1) * cols);
  }
  a.values.assign(a.entries.size(), 1.0);
  return a;
}

/// The most that Kokkos itself adds: the headers of allocations and what its reductions return
/// into.
constexpr std::size_t overhead = std::size_t{64} << 10;

/// Memory of C besides its row map, and of its row map, which the plan shares.
template <class Plan>
std::size_t result_bytes(Plan const& plan, std::int64_t rows) {
  using result = typename Plan::result_type;
  return static_cast<std::size_t>(plan.nnz()) *
             (sizeof(typename result::value_type) + sizeof(typename result::ordinal_type)) +
         static_cast<std::size_t>(rows + 1) * sizeof(typename result::offset_type);
}

/// Multiplies once while memory is counted. What is held, ever and beyond C, is within the bound
/// that was known before; nothing is left when plan and C are gone.
template <class A, class B>
void expect_bounded_memory(A const& a, B const& b, spgemm_options const& options = {}) {
  Space const space;
  (void)araios::spgemm(space, a, b, options);  // Kokkos keeps the scratch memory that it needs
  tools_counter const counter;
  {
    auto const bound = decltype(spgemm_plan(space, a, b))::workspace_bound(space, a, b, options);
    spgemm_plan const plan(space, a, b, options);
    auto const row_map_bytes = result_bytes(plan, a.num_rows()) - result_bytes(plan, -1);
    EXPECT_LE(plan.workspace_bytes(), bound);
    EXPECT_LE(counter.peak_bytes, bound + row_map_bytes + overhead);
    EXPECT_LE(counter.bytes, plan.workspace_bytes() + row_map_bytes + overhead);
    EXPECT_GE(counter.bytes, plan.workspace_bytes());
    auto const c = plan.make_result(space);
    plan.multiply(space, a, b, c);
    space.fence();
    EXPECT_LE(counter.peak_bytes, bound + result_bytes(plan, a.num_rows()) + overhead);
  }
  EXPECT_EQ(counter.bytes, 0u);
}

// Contracts F23: more than 2^31 entries of C from few entries of A and B.
TEST_F(SpGEMMLimits, CountsEntriesBeyond32Bits) {
  constexpr std::int64_t n = 46341;
  Space const space;
  auto const a = araios::to_crs_matrix<double, int, std::size_t>(space, ones(n, 1));
  auto const b = araios::to_crs_matrix<double, int, std::size_t>(space, ones(1, n));
  spgemm_plan plan(space, a, b);
  EXPECT_EQ(plan.nnz(), 2'147'488'281);
  EXPECT_EQ(plan.products(), 2'147'488'281);
}

TEST_F(SpGEMMLimits, EntriesBeyondTheOffsetTypeAreAnError) {
  constexpr std::int64_t n = 46341;
  Space const space;
  auto const a = araios::to_crs_matrix<double, int, int>(space, ones(n, 1));
  auto const b = araios::to_crs_matrix<double, int, int>(space, ones(1, n));
  EXPECT_THROW(spgemm_plan(space, a, b), std::overflow_error);  // Kokkos keeps what it takes once
  tools_counter const counter;
  try {
    spgemm_plan const plan(space, a, b);
    FAIL() << plan.nnz() << " entries";
  } catch (std::overflow_error const& error) {
    EXPECT_NE(std::string(error.what()).find("2147488281"), std::string::npos) << error.what();
  }
  EXPECT_EQ(counter.bytes, 0u);
  EXPECT_EQ(counter.open_regions, 0);
  using plan = spgemm_plan<Space, int, int, double>;
  auto const bound = plan::workspace_bound(space, a, b);
  EXPECT_LE(counter.peak_bytes, bound + (n + 1) * sizeof(int) + overhead);
}

// Contracts F24: 2^31 products for 2^21 entries.
TEST_F(SpGEMMLimits, ProductsBeyond32Bits) {
  Space const space;
  auto const a = araios::to_crs_matrix<double, int, int>(space, ones(2048, 1024));
  auto const b = araios::to_crs_matrix<double, int, int>(space, ones(1024, 1024));
  for (auto const accumulator : support::accumulators) {
    if (on_host && accumulator == spgemm_accumulator::hash) continue;  // takes a minute
    spgemm_plan const plan(space, a, b, {.accumulator = accumulator});
    EXPECT_EQ(plan.products(), std::int64_t{1} << 31);
    ASSERT_EQ(plan.nnz(), std::int64_t{1} << 21);
    auto const matrix = plan.make_result(space);
    plan.multiply(space, a, b, matrix);
    plan.check(space);
    auto const c = araios::to_host_crs(space, matrix);
    std::int64_t wrong = 0;
    for (std::size_t k = 0; k < c.values.size(); ++k)
      wrong += c.values[k] != 1024.0 || c.entries[k] != static_cast<std::int64_t>(k % 1024);
    for (std::size_t i = 0; i < c.row_map.size(); ++i)
      wrong += c.row_map[i] != static_cast<std::int64_t>(1024 * i);
    EXPECT_EQ(wrong, 0) << support::name_of(accumulator);
  }
}

/// Contracts F27: rows of as many columns as take 48 and 96 KiB, with slots of several sizes.
template <class T>
class SpGEMMLongRows : public testing::Test {};
template <class Ordinal, class Value>
struct slot {
  using ordinal = Ordinal;
  using value = Value;
};
using Slots = testing::Types<slot<int, double>, slot<std::int64_t, Kokkos::complex<double>>,
                             slot<int, Kokkos::Experimental::half_t>>;
TYPED_TEST_SUITE(SpGEMMLongRows, Slots);

TYPED_TEST(SpGEMMLongRows, OfThousandsOfColumns) {
  using ordinal = typename TypeParam::ordinal;
  using value = typename TypeParam::value;
  constexpr std::int64_t n = 9000;
  host_crs<double> host_a{0, n, {0}, {}, {}};
  for (std::int64_t const length : {4096, 8192, 4095, 8193, 1, 4097, 0, 9000}) {
    for (std::int64_t j = 0; j < length; ++j) host_a.entries.push_back(j);
    host_a.row_map.push_back(static_cast<std::int64_t>(host_a.entries.size()));
    ++host_a.num_rows;
  }
  host_a.values.assign(host_a.entries.size(), 1.0);
  host_crs<double> host_b{n, n, {0}, {}, {}};
  for (std::int64_t i = 0; i < n; ++i) {  // row i: columns i and n - 1 - i
    host_b.entries.insert(host_b.entries.end(), {i, n - 1 - i});
    host_b.values.insert(host_b.values.end(), {static_cast<double>(i % 13 + 1), 2.0});
    host_b.row_map.push_back(2 * (i + 1));
  }
  Space const space;
  auto const a = araios::to_crs_matrix<value, ordinal, ordinal>(space, host_a);
  auto const b = araios::to_crs_matrix<value, ordinal, ordinal>(space, host_b);
  auto const expected = reference::spgemm(host_a, host_b);
  for (auto const accumulator : support::accumulators) {
    auto const c = araios::spgemm(space, a, b, {.accumulator = accumulator});
    EXPECT_TRUE(support::is_product(space, c, expected, 0.0L)) << support::name_of(accumulator);
  }
}

// Contracts F27: rows of 200,000 products each. Whole numbers, so that the result is exact.
TEST_F(SpGEMMLimits, RowsOfManyProducts) {
  constexpr std::int64_t columns = 5000;
  auto host_b = support::rows_of(random, std::vector<std::int64_t>(400, 1000), columns);
  for (auto& value : host_b.values) value = static_cast<double>(support::draw(random, 1, 9));
  host_crs<double> two{2, 400, {0, 200, 400}, {}, std::vector<double>(400, 1.0)};
  for (std::int64_t j = 0; j < 400; ++j) two.entries.push_back(j);
  auto const expected = reference::spgemm(two, host_b);  // of even and odd rows
  ASSERT_EQ(expected.products, 400'000);

  Space const space;
  auto const b = araios::to_crs_matrix<double, int, int>(space, host_b);
  for (auto const accumulator : support::accumulators) {
    bool const slow = on_host && accumulator == spgemm_accumulator::hash;
    std::int64_t const rows = slow ? 100 : 2000;
    host_crs<double> host_a{rows, 400, {0}, {}, {}};
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < 200; ++j) host_a.entries.push_back(200 * (i % 2) + j);
      host_a.values.insert(host_a.values.end(), 200, static_cast<double>(1 + i % 7));
      host_a.row_map.push_back(200 * (i + 1));
    }
    auto const a = araios::to_crs_matrix<double, int, int>(space, host_a);
    auto const c =
        araios::to_host_crs(space, araios::spgemm(space, a, b, {.accumulator = accumulator}));
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < rows; ++i) {
      auto const begin = expected.row_map[i % 2], end = expected.row_map[i % 2 + 1];
      ASSERT_EQ(c.row_map[i + 1] - c.row_map[i], end - begin) << "row " << i;
      for (std::int64_t k = 0; k < end - begin; ++k) {
        auto const at = static_cast<std::size_t>(c.row_map[i] + k);
        auto const e = static_cast<std::size_t>(begin + k);
        wrong += c.entries[at] != expected.entries[e] ||
                 c.values[at] != static_cast<double>(1 + i % 7) *
                                     static_cast<double>(expected.values[e].value.real());
      }
    }
    EXPECT_EQ(wrong, 0) << support::name_of(accumulator);
  }
}

// Contracts F30.
TEST_F(SpGEMMLimits, DenseSquareTakesLittleMemory) {
  Space const space;
  auto const a = araios::to_crs_matrix<double, int, int>(space, ones(600, 600));
  for (auto const accumulator : support::accumulators) {
    if (on_host && accumulator == spgemm_accumulator::hash) continue;  // 10 seconds
    SCOPED_TRACE(support::name_of(accumulator));
    expect_bounded_memory(a, a, {.accumulator = accumulator});
  }
  auto const c = araios::to_host_crs(space, araios::spgemm(space, a, a));
  EXPECT_EQ(c.nnz(), 360'000);
  EXPECT_EQ(std::count(c.values.begin(), c.values.end(), 600.0), 360'000);
  // The documented bound: 16 times the operands or 32 MiB, one ordinal a row, and the control
  // block.
  using plan = spgemm_plan<Space, int, int, double>;
  EXPECT_LE(plan::workspace_bound(space, a, a),
            16 * 2 * (360'000 * 12 + 600 * 4) + (std::size_t{32} << 20) + 600 * 4 + 1024);
}

TEST_F(SpGEMMLimits, OnePercentSquareTakesLittleMemory) {
  constexpr std::int64_t n = 10'000;
  auto host = support::rows_of(random, std::vector<std::int64_t>(n, n / 100), n);
  for (auto& value : host.values) value = static_cast<double>(support::draw(random, 1, 3));
  Space const space;
  auto const a = araios::to_crs_matrix<double, int, std::size_t>(space, host);
  expect_bounded_memory(a, a);

  // Whole numbers: the sum of all entries of C is exact.
  std::vector<double> column_sum(n), row_sum(n);
  for (std::int64_t i = 0; i < n; ++i)
    for (auto k = host.row_map[i]; k < host.row_map[i + 1]; ++k) {
      row_sum[i] += host.values[k];
      column_sum[host.entries[k]] += host.values[k];
    }
  double expected_sum = 0.0;
  for (std::int64_t k = 0; k < n; ++k) expected_sum += column_sum[k] * row_sum[k];

  spgemm_plan const plan(space, a, a);
  EXPECT_EQ(plan.products(), 100'000'000);
  auto const c = plan.make_result(space);
  plan.multiply(space, a, a, c);
  plan.check(space);
  auto const row_map = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, c.row_map);
  auto const entries = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, c.entries);
  auto const values = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, c.values);
  double sum = 0.0;
  for (std::size_t k = 0; k < values.extent(0); ++k) sum += values(k);
  EXPECT_EQ(sum, expected_sum);
  for (int trial = 0; trial < 50; ++trial) {
    auto const i = support::draw(random, 0, n - 1);
    auto const begin = host.row_map[i], end = host.row_map[i + 1];
    auto const expected = reference::spgemm(
        host_crs<double>{1,
                         n,
                         {0, end - begin},
                         {host.entries.begin() + begin, host.entries.begin() + end},
                         {host.values.begin() + begin, host.values.begin() + end}},
        host);
    ASSERT_EQ(static_cast<std::int64_t>(row_map(i + 1) - row_map(i)), expected.nnz())
        << "row " << i;
    std::int64_t wrong = 0;
    for (std::size_t k = 0; k < expected.entries.size(); ++k)
      wrong += entries(row_map(i) + k) != expected.entries[k] ||
               values(row_map(i) + k) != static_cast<double>(expected.values[k].value.real());
    EXPECT_EQ(wrong, 0) << "row " << i;
  }
}

// Contracts F32.
TEST_F(SpGEMMLimits, NothingIsHeldAfterwards) {
  Space const space;
  auto const a = araios::to_crs_matrix<double, int, int>(space, araios::gallery::tridiagonal(10));
  for (auto const accumulator : support::accumulators) {
    SCOPED_TRACE(support::name_of(accumulator));
    expect_bounded_memory(a, a, {.accumulator = accumulator});
  }
}

// Contracts F33.
TEST_F(SpGEMMLimits, DiagonalSquareTakesLinearMemory) {
  constexpr std::int64_t n = 200'000;
  Space const space;
  auto const host = araios::gallery::diagonal(n);
  auto const a = araios::to_crs_matrix<double, int, int>(space, host);
  auto const expected = reference::spgemm(host, host);
  for (auto const accumulator : support::accumulators) {
    SCOPED_TRACE(support::name_of(accumulator));
    expect_bounded_memory(a, a, {.accumulator = accumulator});
    auto const c = araios::spgemm(space, a, a, {.accumulator = accumulator});
    EXPECT_EQ(c.nnz(), n);
    EXPECT_TRUE(support::is_product(space, c, expected, support::epsilon_of<double>));
  }
}

// Contracts rule 9: with little workspace long rows take several passes, and come out the same.
TEST_F(SpGEMMLimits, LittleWorkspaceMeansMorePasses) {
  using support::repeated;
  auto const host_a = support::rows_of(random, repeated({300, 0, 1, 40, 2, 500}, 5), 600,
                                       support::columns::unsorted);
  auto const host_b =
      support::rows_of(random, repeated({17, 33, 0, 60}, 150), 7000, support::columns::unsorted);
  Space const space;
  auto const a = araios::to_crs_matrix<double, int, int>(space, host_a);
  auto const b = araios::to_crs_matrix<double, int, int>(space, host_b);
  auto const expected = reference::spgemm(host_a, host_b);
  using plan_type = spgemm_plan<Space, int, int, double>;
  for (auto const accumulator : support::accumulators)
    for (std::size_t const bytes : {1, 3000, 5000, 20'000, 70'000, 300'000}) {
      SCOPED_TRACE(std::string(support::name_of(accumulator)) + ", " + std::to_string(bytes));
      for (bool const sorted : {true, false}) {
        spgemm_options const options{
            .accumulator = accumulator, .sort_rows = sorted, .max_workspace_bytes = bytes};
        plan_type const plan(space, a, b, options);
        EXPECT_LE(plan.workspace_bytes(), plan_type::workspace_bound(space, a, b, options));
        EXPECT_LE(plan.workspace_bytes(), std::max<std::size_t>(bytes, 4096) + 30 * 4 + 1024);
        auto const c = plan.make_result(space);
        for (int repeat = 0; repeat < 2; ++repeat) {
          plan.multiply(space, a, b, c);
          plan.check(space);
          EXPECT_TRUE(
              support::is_product(space, c, expected, support::epsilon_of<double>, 0.0L, sorted));
        }
      }
      expect_bounded_memory(a, b, {.accumulator = accumulator, .max_workspace_bytes = bytes});
    }
}

// The same over so many columns that bit masks of them do not fit scratch memory, not even in
// parts.
TEST_F(SpGEMMLimits, LongRowsAmongMillionsOfColumns) {
  Space const space;
  auto const host_a = support::rows_of(random, {5000, 4000, 3, 0, 4500, 5000, 1}, 5000);
  auto const a = araios::to_crs_matrix<double, int, int>(space, host_a);
  auto const scratch = static_cast<std::int64_t>(Kokkos::TeamPolicy<Space>::scratch_size_max(0));
  auto const too_many = (araios::tuning::spgemm_scratch_masks + 1) * 8 * scratch;
  for (std::int64_t const columns : {std::int64_t{200'000}, 8 * scratch + 1, too_many}) {
    auto const host_b = support::rows_of(random, std::vector<std::int64_t>(5000, 2), columns);
    auto const b = araios::to_crs_matrix<double, int, int>(space, host_b);
    auto const expected = reference::spgemm(host_a, host_b);
    for (auto const accumulator : support::accumulators)
      for (std::size_t const bytes : {0, 1'000'000}) {
        SCOPED_TRACE(std::string(support::name_of(accumulator)) + ", " + std::to_string(columns) +
                     " columns, " + std::to_string(bytes));
        spgemm_options const options{.accumulator = accumulator, .max_workspace_bytes = bytes};
        auto const c = araios::spgemm(space, a, b, options);
        EXPECT_TRUE(support::is_product(space, c, expected, support::epsilon_of<double>));
        expect_bounded_memory(a, b, options);
      }
  }
}

// Work does not grow with columns that no row has: 12 entries per row among 4e10 columns.
TEST_F(SpGEMMLimits, RowsSpreadOverBillionsOfColumns) {
  Space const space;
  constexpr std::int64_t n = 300;
  constexpr std::int64_t columns = 40'000'000'000;
  araios::host_crs<double> host_b;
  host_b.num_rows = n;
  host_b.num_cols = columns;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t k = 0; k < 12; ++k) {
      host_b.entries.push_back((k * 3'000'000'019 + (i % 7) * 1'000'003) % columns);
      host_b.values.push_back(static_cast<double>(i + k + 1));
    }
    host_b.row_map.push_back(12 * (i + 1));
  }
  auto const host_a = support::rows_of(random, std::vector<std::int64_t>(n, 20), n);
  auto const a = araios::to_crs_matrix<double, std::int64_t, std::int64_t>(space, host_a);
  auto const b = araios::to_crs_matrix<double, std::int64_t, std::int64_t>(space, host_b);
  // The reference knows the columns in use by their ranks, which keep their order.
  auto columns_in_use = host_b.entries;
  std::sort(columns_in_use.begin(), columns_in_use.end());
  columns_in_use.erase(std::unique(columns_in_use.begin(), columns_in_use.end()),
                       columns_in_use.end());
  auto ranked_b = host_b;
  ranked_b.num_cols = static_cast<std::int64_t>(columns_in_use.size());
  for (auto& column : ranked_b.entries)
    column = std::lower_bound(columns_in_use.begin(), columns_in_use.end(), column) -
             columns_in_use.begin();
  auto expected = reference::spgemm(host_a, ranked_b);
  expected.num_cols = columns;
  for (auto& column : expected.entries) column = columns_in_use[static_cast<std::size_t>(column)];
  for (auto const accumulator : {spgemm_accumulator::automatic, spgemm_accumulator::hash})
    EXPECT_TRUE(support::is_product(space,
                                    araios::spgemm(space, a, b, {.accumulator = accumulator}),
                                    expected, support::epsilon_of<double>))
        << support::name_of(accumulator);
}

}  // namespace
