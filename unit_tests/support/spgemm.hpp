// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include <araios/spgemm.hpp>

#include "reference/spgemm.hpp"
#include "support/compare.hpp"

namespace support {

inline constexpr araios::spgemm_accumulator accumulators[] = {araios::spgemm_accumulator::automatic,
                                                              araios::spgemm_accumulator::hash,
                                                              araios::spgemm_accumulator::dense};

inline char const* name_of(araios::spgemm_accumulator accumulator) {
  constexpr char const* names[] = {"automatic", "hash", "dense"};
  return names[static_cast<int>(accumulator)];
}

/// The ways in which a plan can be asked to do a product.
struct spgemm_way {
  char const* name;
  araios::spgemm_options options;
};
inline constexpr spgemm_way spgemm_ways[] = {
    {"automatic", {}},
    {"hash", {.accumulator = araios::spgemm_accumulator::hash}},
    {"dense", {.accumulator = araios::spgemm_accumulator::dense}},
    {"kept", {.keep_products = true}}};

/// The same matrix with the entries of each row sorted by column.
template <class Value>
araios::host_crs<Value> with_sorted_rows(araios::host_crs<Value> a) {
  std::vector<std::int64_t> order(a.entries.size());
  std::iota(order.begin(), order.end(), 0);
  for (std::int64_t i = 0; i < a.num_rows; ++i)
    std::stable_sort(order.begin() + a.row_map[i], order.begin() + a.row_map[i + 1],
                     [&](auto x, auto y) { return a.entries[x] < a.entries[y]; });
  auto const unsorted = a;
  for (std::size_t k = 0; k < order.size(); ++k) {
    a.entries[k] = unsorted.entries[order[k]];
    a.values[k] = unsorted.values[order[k]];
  }
  return a;
}

/// Is a matrix in host memory the expected product: sizes, row map, columns, and values up to
/// rounding?
template <class Value>
::testing::AssertionResult is_product(araios::host_crs<Value> const& c,
                                      reference::product const& expected, long double sum_epsilon,
                                      long double store_epsilon = 0.0L) {
  if (c.num_rows != expected.num_rows || c.num_cols != expected.num_cols)
    return ::testing::AssertionFailure()
           << "C is " << c.num_rows << " x " << c.num_cols << " instead of " << expected.num_rows
           << " x " << expected.num_cols;
  if (c.row_map.size() != expected.row_map.size())
    return ::testing::AssertionFailure() << "the row map has " << c.row_map.size() << " elements";
  for (std::size_t i = 0; i + 1 < c.row_map.size(); ++i)
    if (c.row_map[i + 1] - c.row_map[i] != expected.row_map[i + 1] - expected.row_map[i])
      return ::testing::AssertionFailure()
             << "row " << i << " has " << c.row_map[i + 1] - c.row_map[i] << " entries instead of "
             << expected.row_map[i + 1] - expected.row_map[i];
  if (c.row_map.front() != 0 || c.nnz() != expected.nnz())
    return ::testing::AssertionFailure()
           << "C has " << c.nnz() << " entries instead of " << expected.nnz();
  auto const wrong = std::mismatch(c.entries.begin(), c.entries.end(), expected.entries.begin());
  if (wrong.first != c.entries.end())
    return ::testing::AssertionFailure()
           << "entry " << wrong.first - c.entries.begin() << " is in column " << *wrong.first
           << " instead of " << *wrong.second;
  return close(c.values, expected.values, sum_epsilon, store_epsilon);
}

/// The same for a matrix in the memory of `space`. Rows that are not sorted are compared as sets.
template <class Space, class Matrix>
::testing::AssertionResult is_product(Space const& space, Matrix const& matrix,
                                      reference::product const& expected, long double sum_epsilon,
                                      long double store_epsilon = 0.0L, bool sorted = true) {
  auto c = araios::to_host_crs(space, matrix);
  return is_product(sorted ? c : with_sorted_rows(std::move(c)), expected, sum_epsilon,
                    store_epsilon);
}

/// A matrix in the memory of `space` is the expected one, values included, to the last bit.
template <class Space, class Matrix, class Value>
void expect_equal(Space const& space, Matrix const& matrix,
                  araios::host_crs<Value> const& expected) {
  auto const c = araios::to_host_crs(space, matrix);
  ASSERT_EQ(c.num_rows, expected.num_rows);
  ASSERT_EQ(c.num_cols, expected.num_cols);
  ASSERT_EQ(c.row_map, expected.row_map);
  ASSERT_EQ(c.entries, expected.entries);
  for (std::size_t k = 0; k < c.values.size(); ++k)
    ASSERT_EQ(static_cast<Value>(c.values[k]), expected.values[k]) << "entry " << k;
}

}  // namespace support
