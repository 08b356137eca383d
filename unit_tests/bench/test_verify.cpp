// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <araios/gallery.hpp>
#include <cmath>
#include <limits>
#include <map>

#include "bench/graph_reference.hpp"
#include "bench/verify.hpp"

namespace {

using namespace araios::bench;
using araios::host_crs;

/// A * B by a map for each row, nothing like the code under test.
host_crs<double> multiply(host_crs<double> const& a, host_crs<double> const& b) {
  host_crs<double> c;
  c.num_rows = a.num_rows;
  c.num_cols = b.num_cols;
  for (std::int64_t i = 0; i < a.num_rows; ++i) {
    std::map<std::int64_t, double> row;
    for (auto ka = a.row_map[i]; ka < a.row_map[i + 1]; ++ka)
      for (auto kb = b.row_map[a.entries[ka]]; kb < b.row_map[a.entries[ka] + 1]; ++kb)
        row[b.entries[kb]] += a.values[ka] * b.values[kb];
    for (auto const& [column, value] : row) {
      c.entries.push_back(column);
      c.values.push_back(value);
    }
    c.row_map.push_back(c.nnz());
  }
  return c;
}

sparse_result as_result(host_crs<double> const& c) {
  return {c.row_map, [&c](std::int64_t begin, std::int64_t end, int* columns, double* values) {
            std::copy(c.entries.begin() + begin, c.entries.begin() + end, columns);
            std::copy(c.values.begin() + begin, c.values.begin() + end, values);
          }};
}

/// Both ways of checking a product: entry by entry, and rows with a sample.
class product_check : public testing::TestWithParam<bool> {
 protected:
  product_check() {
    in_.a = araios::gallery::make("triangulated_grid:150");  // ten times as many rows as samples
    counts_ = count_product(in_.a, in_.a);
    c_ = multiply(in_.a, in_.a);
  }
  verdict check() const {
    reference const expected(in_, &counts_, GetParam() ? reference::default_full_limit : 0);
    return expected.check(as_result(c_));
  }
  /// The first entry of the longest row: always compared, however large the product.
  std::size_t entry() const {
    auto const longest = std::ranges::max_element(counts_.row_nnz) - counts_.row_nnz.begin();
    return static_cast<std::size_t>(c_.row_map[longest]);
  }

  inputs in_;
  product_counts counts_;
  host_crs<double> c_;
};
INSTANTIATE_TEST_SUITE_P(bench, product_check, testing::Bool(),
                         [](auto const& info) { return info.param ? "full" : "sample"; });

TEST_P(product_check, counts_the_product) {
  EXPECT_EQ(counts_.nnz, c_.nnz());
  std::int64_t products = 0;
  for (auto const k : in_.a.entries) products += in_.a.row_map[k + 1] - in_.a.row_map[k];
  EXPECT_EQ(counts_.products, products);
}

TEST_P(product_check, accepts_the_right_product) {
  auto const result = check();
  EXPECT_TRUE(result.verified) << result.problem;
  EXPECT_TRUE(result.sorted);
  EXPECT_EQ(result.kind, GetParam() ? "full" : "rows+sample");
}

TEST_P(product_check, finds_a_wrong_value) {
  c_.values[entry()] *= 1.0 + 1e-9;
  EXPECT_FALSE(check().verified);
}

TEST_P(product_check, finds_nan) {
  c_.values[entry()] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(check().verified);
}

TEST_P(product_check, finds_a_wrong_value_anywhere) {
  for (std::size_t k = 0; k < c_.values.size(); k += c_.values.size() / 20) {
    double const right = c_.values[k];
    c_.values[k] += 1e-6;
    EXPECT_FALSE(check().verified) << "entry " << k;
    c_.values[k] = right;
  }
}

TEST_P(product_check, finds_a_column_that_comes_twice) {
  c_.entries[entry() + 1] = c_.entries[entry()];
  EXPECT_FALSE(check().verified);
}

TEST_P(product_check, finds_a_column_out_of_range) {
  c_.entries.back() = c_.num_cols;
  EXPECT_FALSE(check().verified);
  c_.entries.back() = -1;
  EXPECT_FALSE(check().verified);
}

TEST_P(product_check, finds_an_entry_in_the_wrong_row) {
  std::size_t row = 0;
  while (counts_.row_nnz[row] == 0) ++row;
  --c_.row_map[row + 1];
  auto const result = check();
  EXPECT_FALSE(result.verified);
  EXPECT_NE(result.problem.find("row " + std::to_string(row)), std::string::npos);
}

TEST_P(product_check, tells_that_rows_are_not_sorted) {
  std::swap(c_.entries[entry()], c_.entries[entry() + 1]);
  std::swap(c_.values[entry()], c_.values[entry() + 1]);
  auto const result = check();
  EXPECT_TRUE(result.verified) << result.problem;
  EXPECT_FALSE(result.sorted);
}

TEST_P(product_check, finds_a_column_that_is_not_in_the_pattern) {
  auto const row = std::ranges::max_element(counts_.row_nnz) - counts_.row_nnz.begin();
  auto const begin = c_.entries.begin() + c_.row_map[row];
  auto const end = c_.entries.begin() + c_.row_map[row + 1];
  std::int64_t absent = 0;
  while (std::find(begin, end, absent) != end) ++absent;
  *begin = absent;
  auto const result = check();
  EXPECT_FALSE(result.verified);
  EXPECT_NE(result.problem.find("not in the pattern"), std::string::npos) << result.problem;
}

TEST(vector_check, compares_every_column) {
  inputs in;
  in.a = araios::gallery::make("laplace_2d_5pt:20");
  in.columns = 3;
  for (std::int64_t k = 0; k < in.a.num_cols * in.columns; ++k)
    in.x.push_back(0.25f * static_cast<float>(k % 7) - 0.5f);
  dense_result y;
  for (std::int64_t i = 0; i < in.a.num_rows; ++i)
    for (std::int64_t c = 0; c < in.columns; ++c) {
      double sum = 0.0;
      for (auto k = in.a.row_map[i]; k < in.a.row_map[i + 1]; ++k)
        sum += in.a.values[k] * in.x[in.a.entries[k] * in.columns + c];
      y.push_back(sum);
    }
  reference const expected(in, nullptr);
  EXPECT_TRUE(expected.check(y).verified);
  y.back() += 1e-9;
  EXPECT_FALSE(expected.check(y).verified);
  y.back() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(expected.check(y).verified);
}

TEST(vector_check, bounds_rounding_by_the_scalar_and_the_number_of_terms) {
  inputs in;
  in.a = araios::gallery::make("arrow:100");
  in.x.assign(100, 1.0f);
  in.single_precision = true;
  dense_result y;
  double absolute = 0.0;
  for (std::int64_t i = 0; i < 100; ++i) {
    double sum = 0.0;
    for (auto k = in.a.row_map[i]; k < in.a.row_map[i + 1]; ++k) {
      sum += in.a.values[k];
      if (i == 0) absolute += std::abs(in.a.values[k]);
    }
    y.push_back(sum);
  }
  reference const expected(in, nullptr);
  double const bound = 2.0 * 100 * std::numeric_limits<float>::epsilon() * absolute;
  double const right = y.front();
  y.front() = right + 0.9 * bound;
  EXPECT_TRUE(expected.check(y).verified);
  y.front() = right + 1.1 * bound;
  EXPECT_FALSE(expected.check(y).verified);
}

TEST(vector_check, takes_infinity_and_nan_for_what_they_are) {
  inputs in;
  in.a = araios::gallery::make("diagonal:2");
  in.a.values = {std::numeric_limits<double>::infinity(), 1.0};
  in.x = {1.0f, 1.0f};
  reference const expected(in, nullptr);
  EXPECT_TRUE(expected.check(dense_result{std::numeric_limits<double>::infinity(), 1.0}).verified);
  EXPECT_FALSE(expected.check(dense_result{1.0, 1.0}).verified);
}

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

TEST(vertex_check, finds_what_differs) {
  inputs const in;
  vertex_result const right{{0.0, 1.5, -1.0, infinity}};
  reference const exact(in, right, 0.0);
  EXPECT_TRUE(exact.check(right).verified);
  for (std::size_t v = 0; v < right.values.size(); ++v)
    for (double const value : {2.0, 1.0 + 1e-15, not_a_number, -infinity}) {
      auto wrong = right;
      wrong.values[v] = value;
      auto const result = exact.check(wrong);
      EXPECT_FALSE(result.verified) << v << ", " << value;
      EXPECT_NE(result.problem.find("vertex " + std::to_string(v)), std::string::npos);
    }
  EXPECT_FALSE(exact.check(vertex_result{{0.0, 1.5, -1.0}}).verified);
  EXPECT_FALSE(exact.check(vertex_result{}).verified);
}

TEST(vertex_check, bounds_the_relative_error) {
  inputs const in;
  vertex_result const right{{0.0, 8.0, infinity}};
  reference const close(in, right, 0.125);
  EXPECT_TRUE(close.check(vertex_result{{0.0, 9.0, infinity}}).verified);
  EXPECT_TRUE(close.check(vertex_result{{0.0, 7.0, infinity}}).verified);
  EXPECT_FALSE(close.check(vertex_result{{0.0, 9.1, infinity}}).verified);
  EXPECT_FALSE(close.check(vertex_result{{0.1, 8.0, infinity}}).verified);
  EXPECT_FALSE(close.check(vertex_result{{0.0, 8.0, 1e300}}).verified);
}

// 0 -> 1 of weight 4, 0 -> 2 of weight 1, 2 -> 1 of weight 2, 4 -> 3; from 0.
TEST(graph_reference, by_hand) {
  inputs in;
  in.a = {5, 5, {0, 2, 2, 3, 3, 4}, {1, 2, 1, 3}, {4.0, 1.0, 2.0, 1.0}};
  auto const levels = solve("bfs", in);
  EXPECT_EQ(levels.expected.values, (std::vector<double>{0, 1, 1, -1, -1}));
  EXPECT_EQ(levels.reached, 3);
  EXPECT_EQ(levels.edges, 3);
  auto const distances = solve("sssp", in);
  EXPECT_EQ(distances.expected.values, (std::vector<double>{0, 3, 1, infinity, infinity}));
  EXPECT_EQ(distances.reached, 3);
  EXPECT_EQ(distances.edges, 3);
  auto const components = solve("components", in);
  EXPECT_EQ(components.expected.values, (std::vector<double>{0, 0, 0, 3, 3}));
  EXPECT_EQ(components.edges, 4);
  in.source = 4;
  EXPECT_EQ(solve("bfs", in).expected.values, (std::vector<double>{-1, -1, -1, 1, 0}));

  in.a = {2, 2, {0, 1, 1}, {1}, {1.0}};  // r0 = (1 + d) / 2 - d r0 / 2, as r0 + r1 = 1
  auto const ranks = solve("pagerank", in);
  double const r0 = 0.5 / (1.0 + 0.5 * pagerank_damping);
  EXPECT_NEAR(ranks.expected.values[0], r0, 1e-6);
  EXPECT_NEAR(ranks.expected.values[1], 1.0 - r0, 1e-6);
  EXPECT_EQ(ranks.edges, pagerank_iterations);
  EXPECT_GT(ranks.relative_error, 0.0);
  EXPECT_LT(ranks.relative_error, 1e-12);
}

}  // namespace
