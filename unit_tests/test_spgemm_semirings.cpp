// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <araios/gallery.hpp>
#include <araios/spgemm.hpp>

#include "support/battery.hpp"
#include "support/random.hpp"
#include "support/spgemm.hpp"

// Products over other semirings than plus-times. Smallest and largest values are exact, so results
// are compared bit by bit with a sequential reference.

namespace {

using araios::host_crs;
using Space = Kokkos::DefaultExecutionSpace;

/// The widest path: a semiring as a user may write it. Its zero is below all values of the tests.
struct max_min {
  template <class T>
  KOKKOS_FUNCTION static T zero() {
    return T(-1000);
  }
  template <class T>
  KOKKOS_FUNCTION static T add(T const& a, T const& b) {
    return a < b ? b : a;
  }
  template <class T>
  KOKKOS_FUNCTION static T multiply(T const& a, T const& b) {
    return b < a ? b : a;
  }
};
static_assert(araios::semiring<max_min, float>);
static_assert(araios::semiring<araios::plus_times, Kokkos::complex<double>>);
static_assert(!araios::semiring<int, double>);

template <class Semiring, class Value>
host_crs<Value> reference_product(host_crs<Value> const& a, host_crs<Value> const& b) {
  host_crs<Value> c;
  c.num_rows = a.num_rows;
  c.num_cols = b.num_cols;
  for (int64_t i = 0; i < a.num_rows; ++i) {
    std::map<int64_t, Value> row;
    for (auto k = a.row_map[i]; k < a.row_map[i + 1]; ++k)
      for (auto q = b.row_map[a.entries[k]]; q < b.row_map[a.entries[k] + 1]; ++q) {
        auto const product = Semiring::multiply(a.values[k], b.values[q]);
        auto const [at, fresh] = row.try_emplace(b.entries[q], product);
        if (!fresh) at->second = Semiring::add(at->second, product);
      }
    for (auto const& [column, value] : row) {
      c.entries.push_back(column);
      c.values.push_back(value);
    }
    c.row_map.push_back(static_cast<int64_t>(c.entries.size()));
  }
  return c;
}

template <class Semiring, class Value, class Offset = int>
void check(host_crs<Value> const& host_a, host_crs<Value> const& host_b, std::string const& what,
           std::size_t workspace = 0) {
  SCOPED_TRACE(what);
  Space const space;
  auto const a = araios::to_crs_matrix<Value, int, Offset>(space, host_a);
  auto const b = araios::to_crs_matrix<Value, int, Offset>(space, host_b);
  auto const expected = reference_product<Semiring>(host_a, host_b);
  for (auto const accumulator : support::accumulators) {
    SCOPED_TRACE(support::name_of(accumulator));
    araios::spgemm_options const options{.accumulator = accumulator,
                                         .max_workspace_bytes = workspace};
    araios::spgemm_plan const plan(space, a, b, options, Semiring{});
    auto const c = plan.make_result(space);
    for (int run = 0; run < 2; ++run) {  // the second on sums that the first has left
      plan.multiply(space, a, b, c);
      plan.check(space);
      support::expect_equal(space, c, expected);
    }
    EXPECT_LE(plan.workspace_bytes(), plan.workspace_bound(space, a, b, options));
  }
  support::expect_equal(space, araios::spgemm(space, a, b, {}, Semiring{}), expected);
  support::expect_equal(space, araios::spgemm(araios::portable_on{space}, a, b, {}, Semiring{}),
                        expected);
}

template <class Value>
host_crs<Value> transposed(host_crs<Value> const& a) {
  host_crs<Value> t;
  t.num_rows = a.num_cols;
  t.num_cols = a.num_rows;
  std::vector<std::vector<std::pair<int64_t, Value>>> rows(static_cast<std::size_t>(a.num_cols));
  for (int64_t i = 0; i < a.num_rows; ++i)
    for (auto k = a.row_map[i]; k < a.row_map[i + 1]; ++k)
      rows[a.entries[k]].emplace_back(i, a.values[k]);
  for (auto const& row : rows) {
    for (auto const& [column, value] : row) {
      t.entries.push_back(column);
      t.values.push_back(value);
    }
    t.row_map.push_back(static_cast<int64_t>(t.entries.size()));
  }
  return t;
}

class spgemm_semirings : public support::random_test {};

template <class Semiring, class Value>
void check_battery(support::engine& random) {
  for (auto const& m : support::battery(random)) {
    if (m.a.nnz() > 2500) continue;  // larger ones below
    auto const a = support::with_values<Value>(random, m.a);
    check<Semiring>(a, transposed(a), m.name);
  }
}

TEST_F(spgemm_semirings, min_plus_on_the_battery) {
  check_battery<araios::min_plus, double>(random);
}
TEST_F(spgemm_semirings, or_and_on_the_battery) { check_battery<araios::or_and, int>(random); }
TEST_F(spgemm_semirings, own_semiring_on_the_battery) { check_battery<max_min, float>(random); }

// Rows of every kind: short, in runs with one pattern, long beyond any table, spread over windows.
TEST_F(spgemm_semirings, min_plus_on_all_kinds_of_rows) {
  using araios::min_plus;
  auto const stencil =
      support::with_values<double>(random, araios::gallery::laplace_3d_27pt(17, 17, 17));
  check<min_plus>(stencil, stencil, "27-point Laplacian");
  auto const power = support::with_values<double>(random, araios::gallery::rmat(13, 3, 1));
  check<min_plus>(power, power, "R-MAT");
  auto const scattered =
      support::rows_of(random, support::repeated({1, 3, 40, 200, 0, 900, 2, 7}, 50), 6000);
  auto const wide = support::rows_of(random, std::vector<int64_t>(6000, 5), 30000);
  check<min_plus>(scattered, wide, "rows of all lengths");
  check<min_plus>(scattered, wide, "rows of all lengths, narrow windows", 1 << 16);
}

// Squaring the matrix of edge lengths again and again gives all shortest paths.
TEST_F(spgemm_semirings, min_plus_powers_are_shortest_paths) {
  int64_t const n = 60;
  std::vector<std::vector<double>> length(n, std::vector<double>(n, 1e9));
  host_crs<double> edges;
  edges.num_rows = edges.num_cols = n;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      if (i != j && random() % 20 != 0) continue;
      length[i][j] = i == j ? 0.0 : static_cast<double>(support::draw(random, 1, 100));
      edges.entries.push_back(j);
      edges.values.push_back(length[i][j]);
    }
    edges.row_map.push_back(static_cast<int64_t>(edges.entries.size()));
  }
  for (int64_t k = 0; k < n; ++k)  // Floyd and Warshall
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j)
        length[i][j] = std::min(length[i][j], length[i][k] + length[k][j]);

  Space const space;
  auto paths = araios::to_crs_matrix<double, int, int>(space, edges);
  for (int steps = 1; steps < n; steps *= 2)
    paths = araios::spgemm(space, paths, paths, {}, araios::min_plus{});
  auto const found = araios::to_host_crs(space, paths);
  for (int64_t i = 0; i < n; ++i) {
    std::vector<double> row(n, 1e9);
    for (auto k = found.row_map[i]; k < found.row_map[i + 1]; ++k)
      row[found.entries[k]] = found.values[k];
    EXPECT_EQ(row, length[i]) << "from " << i;
  }
}

// Infinity is an ordinary value, and the largest integer takes its place.
TEST_F(spgemm_semirings, infinite_lengths) {
  using araios::min_plus;
  double const infinity = std::numeric_limits<double>::infinity();
  host_crs<double> const a{2, 2, {0, 2, 3}, {0, 1, 1}, {infinity, 1.0, infinity}};
  check<min_plus>(a, a, "infinite values");
  constexpr int most = std::numeric_limits<int>::max();
  constexpr int least = std::numeric_limits<int>::min();
  host_crs<int> const b{2, 2, {0, 2, 3}, {0, 1, 1}, {most, least, most}};
  check<min_plus>(b, b, "the largest and the smallest integer");
  EXPECT_EQ(min_plus::zero<int>(), most);
  EXPECT_EQ(min_plus::zero<float>(), std::numeric_limits<float>::infinity());
  EXPECT_EQ(min_plus::multiply(most, -5), most);
  EXPECT_EQ(min_plus::multiply(most - 3, 5), most);
  EXPECT_EQ(min_plus::multiply(least + 3, -5), least);
  EXPECT_EQ(min_plus::multiply(7, -5), 2);
  EXPECT_EQ(araios::or_and::multiply(2, 3), 1);
  EXPECT_EQ(araios::or_and::add(0, -7), 1);
}

// A sum with NaN is NaN, whatever the order of its terms and the accumulator.
TEST_F(spgemm_semirings, nan_is_not_lost_in_a_minimum) {
  Space const space;
  for (int64_t const size : {8, 40, 700, 5000}) {
    host_crs<double> a, b;
    a.num_rows = 1;
    a.num_cols = b.num_rows = 3;
    a.row_map = {0, 3};
    a.entries = {0, 1, 2};
    a.values = {1.0, std::numeric_limits<double>::quiet_NaN(), 2.0};
    b.num_cols = size;
    for (int64_t i = 0; i < 3; ++i) {
      for (int64_t j = 0; j < size; ++j) b.entries.push_back(j);
      b.row_map.push_back(static_cast<int64_t>(b.entries.size()));
    }
    b.values.assign(b.entries.size(), 1.0);
    auto const da = araios::to_crs_matrix<double, int, int>(space, a);
    auto const db = araios::to_crs_matrix<double, int, int>(space, b);
    for (auto const accumulator : support::accumulators) {
      auto const c = araios::to_host_crs(
          space, araios::spgemm(space, da, db, {.accumulator = accumulator}, araios::min_plus{}));
      for (auto const value : c.values) ASSERT_TRUE(std::isnan(value)) << size;
    }
  }
}

// Values of one byte are summed in four.
TEST_F(spgemm_semirings, or_and_of_bytes) {
  for (auto const& m : support::battery(random)) {
    if (m.a.nnz() > 2500) continue;
    auto const a = support::with_values<std::int8_t>(random, m.a);
    check<araios::or_and>(a, transposed(a), m.name);
  }
}

// F53: min-plus is not plus-times, absent entries are infinite, and booleans have their own
// product.
TEST_F(spgemm_semirings, small_products_by_hand) {
  Space const space;
  host_crs<double> const a{2, 2, {0, 2, 4}, {0, 1, 0, 1}, {1, 2, 3, 4}};
  auto const square = [&](host_crs<double> const& host) {
    auto const m = araios::to_crs_matrix<double, int, int>(space, host);
    return araios::to_host_crs(space, araios::spgemm(space, m, m, {}, araios::min_plus{}));
  };
  EXPECT_EQ(square(a).values, (std::vector<double>{2, 3, 4, 5}));
  auto const with_empty_row = square({2, 2, {0, 2, 2}, {0, 1}, {1, 2}});
  EXPECT_EQ(with_empty_row.row_map, (std::vector<int64_t>{0, 2, 2}));
  EXPECT_EQ(with_empty_row.values, (std::vector<double>{2, 3}));

  Kokkos::View<int*, Space> const row_map("row map", 3), entries("entries", 3);
  Kokkos::View<bool*, Space> const values("values", 3);
  auto const fill = [](auto const& view, auto... elements) {
    auto const host = Kokkos::create_mirror_view(view);
    int at = 0;
    ((host(at++) = elements), ...);
    Kokkos::deep_copy(view, host);
  };
  fill(row_map, 0, 2, 3);  // true false
  fill(entries, 0, 1, 1);  //      true
  fill(values, true, false, true);
  araios::crs_matrix<bool, int, int> const b(2, 2, row_map, entries, values);
  auto const c = araios::spgemm(space, b, b, {}, araios::or_and{});
  static_assert(std::is_same_v<decltype(c)::value_type, bool>);
  auto const found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, c.values);
  ASSERT_EQ(c.nnz(), 3);
  EXPECT_TRUE(found(0));
  EXPECT_FALSE(found(1));
  EXPECT_TRUE(found(2));
}

}  // namespace
