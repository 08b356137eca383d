// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <araios/matrix_market.hpp>
#include <araios/spgemm.hpp>

#include "support/spgemm.hpp"

// Matrices from applications: A * A, or A * A^T where A is not square.

namespace {

using araios::host_crs;
using Space = Kokkos::DefaultExecutionSpace;

/// Larger products would take longer than all others together.
constexpr std::int64_t most_products = 12'000'000;

#ifdef ARAIOS_MATRICES_DIR
std::vector<std::filesystem::path> matrix_files() {
  std::vector<std::filesystem::path> files;
  for (auto const& entry : std::filesystem::directory_iterator(ARAIOS_MATRICES_DIR))
    if (entry.path().extension() == ".mtx") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

template <class Value>
host_crs<Value> transpose(araios::coordinate_matrix<Value> a) {
  std::swap(a.num_rows, a.num_cols);
  std::swap(a.rows, a.cols);
  return araios::to_host_crs(a);
}

template <class ValueA, class ValueB>
std::int64_t count_products(host_crs<ValueA> const& a, host_crs<ValueB> const& b) {
  std::int64_t products = 0;
  for (auto const k : a.entries) products += b.row_map[k + 1] - b.row_map[k];
  return products;
}

template <class Value, class Offset>
void expect_right_product(std::filesystem::path const& file, std::int64_t& tested) {
  auto const entries = araios::read_matrix_market<Value>(file);
  auto const host_a = araios::to_host_crs(entries);
  auto const host_b = host_a.num_rows == host_a.num_cols ? host_a : transpose(entries);
  if (count_products(host_a, host_b) > most_products) return;
  Space const space;
  auto const a = araios::to_crs_matrix<Value, int, Offset>(space, host_a);
  auto const b = araios::to_crs_matrix<Value, int, Offset>(space, host_b);
  auto expected = reference::spgemm(host_a, host_b);
  for (auto& value : expected.values)  // some files hold numbers whose products underflow
    value.magnitude += std::numeric_limits<double>::min();
  for (auto const accumulator : support::accumulators) {
    araios::spgemm_plan const plan(space, a, b, {.accumulator = accumulator});
    EXPECT_EQ(plan.products(), expected.products);
    auto const c = plan.make_result(space);
    plan.multiply(space, a, b, c);
    plan.check(space);
    EXPECT_TRUE(support::is_product(space, c, expected, support::epsilon_of<Value>))
        << file.filename() << ", accumulator " << support::name_of(accumulator);
  }
  ++tested;
}
#endif

TEST(SpGEMMReal, Squares) {
#ifndef ARAIOS_MATRICES_DIR
  GTEST_SKIP() << "no folder of matrices: configure with ARAIOS_MATRICES_DIR";
#else
  std::int64_t real = 0, complex = 0;
  for (auto const& file : matrix_files()) {
    SCOPED_TRACE(file.filename().string());
    auto const header = araios::read_matrix_market_header(file);
    if (header.field == araios::matrix_market_field::complex)
      expect_right_product<Kokkos::complex<double>, std::size_t>(file, complex);
    else
      expect_right_product<double, int>(file, real);
  }
  RecordProperty("real", std::to_string(real));
  RecordProperty("complex", std::to_string(complex));
  EXPECT_GE(real, 40);
  EXPECT_GE(complex, 4);
#endif
}

}  // namespace
