// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include <araios/galerkin.hpp>
#include <araios/gallery.hpp>
#include <araios/spgemm.hpp>
#include <araios/spgemm_add.hpp>

#include "support/battery.hpp"
#include "support/random.hpp"
#include "support/spgemm.hpp"
#include "support/throws.hpp"

// Plans that keep where the factors of each product lie. What they share with other plans is tested
// with those (test_spgemm_plan.cpp).

namespace {

using araios::host_crs;
using araios::spgemm_options;
using support::throws;
using Space = Kokkos::DefaultExecutionSpace;

constexpr spgemm_options keep{.keep_products = true};

/// A matrix whose size alone is looked at.
struct size_only {
  std::uint64_t nnz;
};

}  // namespace

template <>
struct araios::crs_traits<size_only> {
  static crs_view<int, std::uint64_t, double, Space::memory_space> view(size_only const& a) {
    return {1, 1, a.nnz, nullptr, nullptr, nullptr};
  }
};

namespace {

template <class Value>
auto to_device(host_crs<Value> const& a) {
  return araios::to_crs_matrix<Value, int, int>(Space{}, a);
}

host_crs<double> dense(std::int64_t rows, std::int64_t cols) {
  host_crs<double> a{rows, cols, {0}, {}, {}};
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < cols; ++j) a.entries.push_back(j);
    a.row_map.push_back(static_cast<std::int64_t>(a.entries.size()));
  }
  a.values.assign(a.entries.size(), 1.0);
  return a;
}

class spgemm_kept : public support::random_test {
 protected:
  Space space;

  template <class Value>
  void check(host_crs<double> const& pattern_a, host_crs<double> const& pattern_b) {
    auto const a = support::with_values<Value>(random, pattern_a);
    auto const b = support::with_values<Value>(random, pattern_b);
    auto const device_a = to_device(a), device_b = to_device(b);
    araios::spgemm_plan const plan(space, device_a, device_b, keep);
    auto const c = plan.make_result(space);
    Kokkos::deep_copy(c.values, Value(-77));
    plan.multiply(space, device_a, device_b, c);
    plan.check(space);
    EXPECT_TRUE(support::is_product(space, c, reference::spgemm(a, b), support::epsilon_of<Value>));
  }
};

TEST_F(spgemm_kept, battery) {
  for (auto const& named : support::battery(random)) {
    SCOPED_TRACE(named.name);
    if (named.a.num_rows == named.a.num_cols)
      check<double>(named.a, named.a);
    else
      check<double>(named.a, dense(named.a.num_cols, 3));
  }
}

TEST_F(spgemm_kept, value_types) {
  auto const a = support::rows_of(random, support::repeated({3, 0, 12, 40, 1}, 40), 50);
  auto const b = support::rows_of(random, support::repeated({5, 30, 1, 0, 9}, 10), 90);
  check<float>(a, b);
  check<Kokkos::complex<double>>(a, b);
}

// Entries of C at the edges of a chunk.
TEST_F(spgemm_kept, numbers_of_entries) {
  constexpr int chunk = araios::tuning::spgemm_kept_chunk;
  for (std::int64_t const entries : {1, 2, chunk - 1, chunk, chunk + 1, 2 * chunk, 2 * chunk + 1}) {
    SCOPED_TRACE(entries);
    check<double>(araios::gallery::diagonal(entries), dense(entries, 1));
  }
}

// Products of a chunk at the edges of what is formed at a time, and of an entry at the edge of long
// sums.
TEST_F(spgemm_kept, numbers_of_products) {
  constexpr int longest = araios::tuning::spgemm_kept_longest;
  for (std::int64_t const products :
       {1, 3, 4, 5, 7, 8, 9, longest - 1, longest, longest + 1, 2000}) {
    SCOPED_TRACE(products);
    check<double>(dense(32, products), dense(products, 16));
    check<double>(dense(31, products), dense(products, 16));
    check<double>(dense(3, products), dense(products, 200));
  }
  for (std::int64_t const rows : {2047, 2048, 2049}) {  // one product each
    SCOPED_TRACE(rows);
    check<double>(dense(1, rows), araios::gallery::diagonal(rows));
  }
}

// Long sums among short ones.
TEST_F(spgemm_kept, sums_of_all_lengths) {
  check<double>(araios::gallery::arrow(700), araios::gallery::arrow(700));
  check<double>(araios::gallery::rmat(10, 16, 5), araios::gallery::rmat(10, 16, 6));
}

// Rows that a device does as runs beside rows that it does not.
TEST_F(spgemm_kept, grids_and_elements) {
  for (auto const& a :
       {araios::gallery::laplace_3d_27pt(17, 9, 8), araios::gallery::fem_3d(7, 5, 6, 3),
        araios::gallery::fem_2d(20, 11, 6), araios::gallery::qcd_lattice(6, 6, 4, 4),
        araios::gallery::laplace_2d_5pt(90, 70)})
    check<double>(a, a);
}

TEST_F(spgemm_kept, agrees_with_itself_bit_for_bit) {
  auto const a = to_device(support::with_values<double>(random, araios::gallery::rmat(11, 16, 3)));
  araios::spgemm_plan const plan(space, a, a, keep);
  auto const first = plan.make_result(space), second = plan.make_result(space);
  plan.multiply(space, a, a, first);
  plan.multiply(space, a, a, second);
  support::expect_equal(space, second, araios::to_host_crs(space, first));
}

TEST_F(spgemm_kept, other_semirings) {
  auto const host = support::with_values<float>(random, araios::gallery::rmat(9, 8, 2));
  auto const a = to_device(host);
  auto const expected = araios::spgemm(space, a, a, {}, araios::min_plus{});
  araios::spgemm_plan const plan(space, a, a, keep, araios::min_plus{});
  auto const c = plan.make_result(space);
  plan.multiply(space, a, a, c);
  support::expect_equal(space, c, araios::to_host_crs(space, expected));  // minima are exact
}

TEST_F(spgemm_kept, results_share_columns) {
  auto const host = support::rows_of(random, support::repeated({3, 0, 2}, 20), 60);
  auto const a = to_device(host);
  araios::spgemm_plan const plan(space, a, a, {.sort_rows = false, .keep_products = true});
  auto const c = plan.make_result(space), other = plan.make_result(space);
  EXPECT_EQ(c.entries.data(), other.entries.data());
  EXPECT_NE(c.values.data(), other.values.data());
  auto const expected = reference::spgemm(host, host);
  plan.multiply(space, a, a, c);
  EXPECT_TRUE(support::is_product(space, c, expected, support::epsilon_of<double>));  // sorted
  EXPECT_GE(plan.workspace_bytes(), static_cast<std::size_t>(8 * plan.products() + 2 * plan.nnz()));

  auto wrong = c;
  wrong.entries = decltype(c.entries)("entries", c.entries.extent(0));
  EXPECT_TRUE(
      throws<std::invalid_argument>([&] { plan.multiply(space, a, a, wrong); },
                                    {"spgemm_plan::multiply", "was not made by this plan"}));
}

TEST_F(spgemm_kept, empty_products) {
  auto const a = to_device(support::rows_of(random, {0, 2, 0}, 4));
  auto const b = to_device(support::rows_of(random, {0, 0, 0, 0}, 5));
  araios::spgemm_plan const plan(space, a, b, keep);
  auto const c = plan.make_result(space);
  plan.multiply(space, a, b, c);
  plan.check(space);
  EXPECT_EQ(c.nnz(), 0);
}

TEST_F(spgemm_kept, refuses_operands_of_too_many_entries) {
  size_only const most{std::numeric_limits<std::uint32_t>::max() + std::uint64_t{1}};
  EXPECT_TRUE(
      throws<std::invalid_argument>([&] { araios::spgemm_plan(space, most, most, keep); },
                                    {"spgemm_plan", "keep_products", "2^32", "4294967296"}));
}

TEST_F(spgemm_kept, in_sums_and_chains) {
  auto const a = support::with_values<double>(random, araios::gallery::laplace_2d_5pt(15, 12));
  auto const device = to_device(a);
  {
    araios::spgemm_add_plan const plan(space, device, device, device, keep);
    araios::spgemm_add_plan const other(space, device, device, device);
    auto const c = plan.make_result(space), expected = other.make_result(space);
    for (double const beta : {2.0, -0.5}) {
      plan.multiply(space, 3.0, device, device, beta, device, c);
      other.multiply(space, 3.0, device, device, beta, device, expected);
      plan.check(space);
      auto const x = araios::to_host_crs(space, c), y = araios::to_host_crs(space, expected);
      EXPECT_EQ(x.entries, y.entries);
      for (std::size_t k = 0; k < x.values.size(); ++k)
        EXPECT_NEAR(x.values[k], y.values[k], 1e-13) << k;
    }
  }
  araios::galerkin_plan const plan(space, device, device, device, keep);
  auto const c = plan.make_result(space);
  plan.multiply(space, device, device, device, c);
  plan.check(space);
  auto const x = araios::to_host_crs(space, c);
  auto const y = araios::to_host_crs(space, araios::galerkin(space, device, device, device));
  EXPECT_EQ(x.entries, y.entries);
  for (std::size_t k = 0; k < x.values.size(); ++k)
    EXPECT_NEAR(x.values[k], y.values[k], 1e-12) << k;
}

}  // namespace
