// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <araios/spgemm.hpp>
#include <araios/tuning/spgemm.hpp>

#include "support/spgemm.hpp"

// Contracts F04, F18: rows whose numbers of columns are exactly those at which something changes.
// For every hash table of both phases: one column less than it has slots, as many, one more; the
// same around the most that the bin is meant to take.

namespace {

using araios::host_crs;
using Space = Kokkos::DefaultExecutionSpace;

std::vector<std::int64_t> critical_counts() {
  std::set<std::int64_t> counts;
  auto const around = [&](std::int64_t count) { counts.insert({count - 1, count, count + 1}); };
  for (auto const bin : araios::tuning::spgemm_symbolic_bins) {
    around(bin.table_size);
    around(araios::tuning::spgemm_bin_limit(bin, araios::tuning::spgemm_symbolic_slots));
  }
  for (auto const bin : araios::tuning::spgemm_numeric_bins) {
    around(bin.table_size);
    around(araios::tuning::spgemm_bin_limit(bin, araios::tuning::spgemm_numeric_slots));
  }
  return {counts.begin(), counts.end()};
}

/// Rows of ones with the given numbers of entries, in the first columns.
host_crs<double> rows_of_ones(std::vector<std::int64_t> const& lengths, std::int64_t num_cols) {
  host_crs<double> a;
  a.num_rows = static_cast<std::int64_t>(lengths.size());
  a.num_cols = num_cols;
  for (auto const length : lengths) {
    for (std::int64_t j = 0; j < length; ++j) a.entries.push_back(j);
    a.row_map.push_back(static_cast<std::int64_t>(a.entries.size()));
  }
  a.values.assign(a.entries.size(), 1.0);
  return a;
}

/// Row i holds i + 1 in column i * stride, and the same again `copies` - 1 times: that many
/// products for one entry of C.
host_crs<double> scaled_diagonal(std::int64_t n, std::int64_t stride, int copies) {
  host_crs<double> b;
  b.num_rows = n;
  b.num_cols = copies * n * stride;
  for (std::int64_t i = 0; i < n; ++i) {
    b.entries.insert(b.entries.end(), static_cast<std::size_t>(copies), i * stride);
    b.values.insert(b.values.end(), static_cast<std::size_t>(copies), static_cast<double>(i + 1));
    b.row_map.push_back(static_cast<std::int64_t>(b.entries.size()));
  }
  return b;
}

/// All values are whole numbers far below 2^53, so C must come out exactly, in any order of
/// summation.
template <class Ordinal>
void expect_exact(host_crs<double> const& host_a, host_crs<double> const& host_b,
                  std::string const& what) {
  Space const space;
  auto const a = araios::to_crs_matrix<double, Ordinal, Ordinal>(space, host_a);
  auto const b = araios::to_crs_matrix<double, Ordinal, Ordinal>(space, host_b);
  auto const expected = reference::spgemm(host_a, host_b);
  for (auto const accumulator : support::accumulators)
    for (bool const sorted : {true, false}) {
      auto const c = araios::spgemm(space, a, b, {.accumulator = accumulator, .sort_rows = sorted});
      EXPECT_TRUE(support::is_product(space, c, expected, 0.0L, 0.0L, sorted))
          << what << ", accumulator " << support::name_of(accumulator)
          << (sorted ? "" : ", unsorted result");
    }
}

template <class Ordinal>
class SpGEMMBins : public testing::Test {};
using Ordinals = testing::Types<int, std::int64_t>;
TYPED_TEST_SUITE(SpGEMMBins, Ordinals);

TYPED_TEST(SpGEMMBins, OneRow) {
  for (auto const count : critical_counts())
    expect_exact<TypeParam>(rows_of_ones({count}, count), scaled_diagonal(count, 1, 1),
                            "one row of " + std::to_string(count));
}

TYPED_TEST(SpGEMMBins, OneRowWithMoreProductsThanEntries) {
  for (auto const count : critical_counts())
    expect_exact<TypeParam>(rows_of_ones({count}, count), scaled_diagonal(count, 1, 2),
                            "one row of " + std::to_string(count) + ", twice");
}

// Columns at a stride that is a power of two.
TYPED_TEST(SpGEMMBins, OneRowWithColumnsFarApart) {
  for (auto const count : critical_counts())
    expect_exact<TypeParam>(rows_of_ones({count}, count), scaled_diagonal(count, 64, 1),
                            "one row of " + std::to_string(count) + " columns at stride 64");
}

// Few rows go to one bin, that of the longest.
TYPED_TEST(SpGEMMBins, FewRows) {
  for (auto const count : critical_counts())
    expect_exact<TypeParam>(rows_of_ones({1, count, 0, 2, count / 2, count}, count),
                            scaled_diagonal(count, 1, 1),
                            "few rows up to " + std::to_string(count));
}

// All lengths side by side among thousands of rows: every bin is in use.
TYPED_TEST(SpGEMMBins, ManyRows) {
  auto const counts = critical_counts();
  std::vector<std::int64_t> lengths;
  for (std::size_t i = 0; i < 4000; ++i)
    lengths.push_back(i % 40 == 0 && i / 40 < counts.size() ? counts[i / 40]
                                                            : static_cast<std::int64_t>(i % 7));
  auto const longest = counts.back();
  ASSERT_EQ(*std::max_element(lengths.begin(), lengths.end()), longest);
  ASSERT_GT(static_cast<std::int64_t>(lengths.size()), araios::tuning::spgemm_one_bin_rows);
  for (int const copies : {1, 2})
    expect_exact<TypeParam>(rows_of_ones(lengths, longest), scaled_diagonal(longest, 1, copies),
                            "many rows, " + std::to_string(copies) + " products an entry");
}

// The same lengths without the longest rows, which would keep a few rows from sharing one bin.
TYPED_TEST(SpGEMMBins, OneLongRowAmongMany) {
  for (auto const count : critical_counts()) {
    std::vector<std::int64_t> lengths(2100, std::min<std::int64_t>(count, 3));
    lengths[1234] = count;
    expect_exact<TypeParam>(rows_of_ones(lengths, count), scaled_diagonal(count, 1, 1),
                            "one row of " + std::to_string(count) + " among 2100");
  }
}

}  // namespace
