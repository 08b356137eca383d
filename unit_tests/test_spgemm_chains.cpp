// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <araios/galerkin.hpp>
#include <araios/gallery.hpp>
#include <araios/spgemm_add.hpp>

#include "support/battery.hpp"
#include "support/random.hpp"
#include "support/spgemm.hpp"
#include "support/throws.hpp"
#include "support/tools_counter.hpp"

namespace {

/// A matrix that is too large to have arrays: it must be refused before they are looked at.
struct sizes {
  int rows;
  int cols;
};

}  // namespace

template <>
struct araios::crs_traits<sizes> {
  static crs_view<int, int, double, Kokkos::DefaultExecutionSpace::memory_space> view(
      sizes const& a) {
    return {a.rows, a.cols, 0, nullptr, nullptr, nullptr};
  }
};

// Products with a sum or another product behind them. Values are whole numbers, small enough that
// every sum is exact, so that results are equal to the reference whatever the order.

namespace {

using araios::host_crs;
using support::draw;
using Space = Kokkos::DefaultExecutionSpace;

template <class Value>
host_crs<Value> whole(support::engine& random, host_crs<double> const& a) {
  host_crs<Value> result{a.num_rows, a.num_cols, a.row_map, a.entries, {}};
  for (int64_t k = 0; k < a.nnz(); ++k)
    result.values.push_back(static_cast<Value>(draw(random, 1, 9) * (random() % 2 == 0 ? 1 : -1)));
  return result;
}

template <class Value>
host_crs<double> in_double(host_crs<Value> const& a) {
  return {a.num_rows, a.num_cols, a.row_map, a.entries, {a.values.begin(), a.values.end()}};
}

host_crs<double> to_host(reference::product const& c) {
  host_crs<double> host{c.num_rows, c.num_cols, c.row_map, c.entries, {}};
  for (auto const& value : c.values) host.values.push_back(static_cast<double>(value.value.real()));
  return host;
}

/// alpha A B + beta D, row by row with a dense row.
template <class Value>
host_crs<double> reference_sum(double alpha, host_crs<Value> const& a, host_crs<Value> const& b,
                               double beta, host_crs<Value> const& d) {
  auto const product = reference::spgemm(a, b);
  host_crs<double> c;
  c.num_rows = d.num_rows;
  c.num_cols = d.num_cols;
  std::vector<double> sums(static_cast<std::size_t>(d.num_cols));
  std::vector<char> used(static_cast<std::size_t>(d.num_cols));
  for (int64_t i = 0; i < d.num_rows; ++i) {
    for (auto k = product.row_map[i]; k < product.row_map[i + 1]; ++k) {
      used[product.entries[k]] = 1;
      sums[product.entries[k]] += alpha * static_cast<double>(product.values[k].value.real());
    }
    for (auto k = d.row_map[i]; k < d.row_map[i + 1]; ++k) {
      used[d.entries[k]] = 1;
      sums[d.entries[k]] += beta * static_cast<double>(d.values[k]);
    }
    for (int64_t j = 0; j < d.num_cols; ++j) {
      if (!used[j]) continue;
      c.entries.push_back(j);
      c.values.push_back(sums[j]);
      used[j] = 0;
      sums[j] = 0.0;
    }
    c.row_map.push_back(static_cast<int64_t>(c.entries.size()));
  }
  return c;
}

class spgemm_chains : public support::random_test {};

template <class Value, class Ordinal, class Offset>
void check_sum(support::engine& random, host_crs<double> const& pattern_a,
               host_crs<double> const& pattern_b, host_crs<double> const& pattern_d) {
  Space const space;
  auto a = whole<Value>(random, pattern_a);
  auto b = whole<Value>(random, pattern_b);
  auto d = whole<Value>(random, pattern_d);
  auto const on_device = [&](auto const& m) {
    return araios::to_crs_matrix<Value, Ordinal, Offset>(space, m);
  };
  auto const da = on_device(a), db = on_device(b), dd = on_device(d);
  support::expect_equal(space, araios::spgemm_add(space, 2, da, db, -3, dd),
                        reference_sum(2, a, b, -3, d));
  araios::spgemm_add_plan const plan(space, da, db, dd);
  auto const c = plan.make_result(space);
  EXPECT_GT(plan.workspace_bytes(), 0u);
  for (auto const& [alpha, beta] : {std::pair{1, 1}, {0, 2}, {-4, 0}}) {
    a = whole<Value>(random, pattern_a);
    d = whole<Value>(random, pattern_d);
    Kokkos::deep_copy(da.values, on_device(a).values);
    Kokkos::deep_copy(dd.values, on_device(d).values);
    Kokkos::fence();
    {
      support::tools_counter const counted;
      plan.multiply(space, alpha, da, db, beta, dd, c);
      EXPECT_TRUE(counted.allocations.empty());
      EXPECT_TRUE(counted.fences.empty());
    }
    plan.check(space);
    support::expect_equal(space, c, reference_sum(alpha, a, b, beta, d));
  }
}

TEST_F(spgemm_chains, sums_of_random_shapes_and_types) {
  for (int i = 0; i < 8; ++i) {
    auto const rows = draw(random, 1, 300), inner = draw(random, 1, 200),
               cols = draw(random, 1, 400);
    auto const order = i % 2 == 0 ? support::columns::sorted : support::columns::unsorted;
    auto const a = support::random_rows(random, rows, inner, 30, order);
    auto const b = support::random_rows(random, inner, cols, 30, order);
    auto const d = support::random_rows(random, rows, cols, 50, order);
    check_sum<double, int, int>(random, a, b, d);
    check_sum<float, int, std::size_t>(random, a, b, d);
    check_sum<int64_t, int64_t, int64_t>(random, a, b, d);
  }
}

TEST_F(spgemm_chains, sums_of_special_shapes) {
  auto const stencil = araios::gallery::laplace_2d_5pt(90, 80);
  check_sum<double, int, int>(random, stencil, stencil, stencil);
  check_sum<double, int, int>(random, stencil, stencil,
                              support::random_rows(random, 7200, 7200, 3));
  auto const heavy = support::rows_of(random, {0, 3000, 1, 0, 2000, 0}, 3000);
  auto const square = support::random_rows(random, 6, 6, 4);
  check_sum<double, int, int>(random, square, heavy, heavy);
  host_crs<double> const none{6, 6, std::vector<int64_t>(7, 0), {}, {}};
  check_sum<double, int, int>(random, none, square, square);  // no product
  check_sum<double, int, int>(random, square, square, none);  // no D
  check_sum<double, int, int>(random, none, none, none);      // nothing
  host_crs<double> const no_rows{0, 6, {0}, {}, {}};
  check_sum<double, int, int>(random, no_rows, square, no_rows);
}

TEST_F(spgemm_chains, sums_refuse_what_does_not_fit) {
  Space const space;
  auto const matrix = [&](int64_t rows, int64_t cols, int64_t each) {
    return araios::to_crs_matrix<double, int, int>(
        space, support::rows_of(random, std::vector<int64_t>(rows, each), cols));
  };
  auto const a = matrix(6, 7, 2), b = matrix(7, 8, 2), d = matrix(6, 8, 1), e = matrix(8, 6, 2);
  EXPECT_TRUE(support::throws<std::invalid_argument>(
      [&] { araios::spgemm_add(space, 1.0, a, b, 1.0, e); },
      {"araios::spgemm_add_plan", "6 x 7", "7 x 8", "8 x 6"}));
  araios::spgemm_add_plan const plan(space, a, b, d);
  auto const c = plan.make_result(space);
  auto const other = matrix(6, 8, 2);
  EXPECT_TRUE(support::throws<std::invalid_argument>(
      [&] { plan.multiply(space, 1.0, a, b, 1.0, other, c); },
      {"araios::spgemm_add_plan::multiply", "matrix D", "12"}));
  EXPECT_TRUE(support::throws<std::invalid_argument>(
      [&] { plan.multiply(space, 1.0, a, b, 1.0, matrix(6, 8, 1), c); },
      {"araios::spgemm_add_plan::multiply", "D (6 x 8", "another pattern"}));
  int const most = std::numeric_limits<int>::max();
  EXPECT_TRUE(support::throws<std::overflow_error>(
      [&] {
        araios::spgemm_add(space, 1.0, sizes{1, most}, sizes{most, 8}, 1.0, sizes{1, 8});
      },
      {"araios::spgemm_add_plan", "2147483648"}));
}

// alpha == 0 leaves A and B out, beta == 0 leaves D out, NaN and infinity included.
TEST_F(spgemm_chains, factors_of_zero_leave_out_what_they_multiply) {
  Space const space;
  double const nan = std::numeric_limits<double>::quiet_NaN();
  double const infinity = std::numeric_limits<double>::infinity();
  auto const diagonal = [&](double first) {
    return araios::to_crs_matrix<double, int, int>(
        space, host_crs<double>{2, 2, {0, 1, 2}, {0, 1}, {first, 1.0}});
  };
  auto const values = [&](double alpha, auto const& a, auto const& b, double beta, auto const& d) {
    return araios::to_host_crs(space, araios::spgemm_add(space, alpha, a, b, beta, d)).values;
  };
  using list = std::vector<double>;
  EXPECT_EQ(values(0.0, diagonal(nan), diagonal(infinity), 2.0, diagonal(3.0)), (list{6.0, 2.0}));
  EXPECT_EQ(values(2.0, diagonal(3.0), diagonal(1.0), 0.0, diagonal(nan)), (list{6.0, 2.0}));
  EXPECT_EQ(values(0.0, diagonal(nan), diagonal(nan), 0.0, diagonal(nan)), (list{0.0, 0.0}));
  EXPECT_EQ(values(0.0, diagonal(5.0), diagonal(7.0), 2.0, diagonal(1.0)),
            (list{2.0, 2.0}));  // F54
}

TEST_F(spgemm_chains, sums_refuse_a_result_that_is_an_operand) {  // F54: D aliasing C
  Space const space;
  auto const a = araios::to_crs_matrix<double, int, int>(
      space, host_crs<double>{2, 2, {0, 1, 2}, {0, 1}, {2.0, 3.0}});
  araios::spgemm_add_plan const plan(space, a, a, a);
  auto const c = plan.make_result(space);
  plan.multiply(space, 1.0, a, a, 1.0, a, c);
  EXPECT_TRUE(support::throws<std::invalid_argument>(
      [&] { plan.multiply(space, 1.0, a, a, 1.0, c, c); },
      {"araios::spgemm_add_plan::multiply", "shares arrays"}));
  EXPECT_EQ(araios::to_host_crs(space, c).values, (std::vector<double>{6.0, 12.0}));
}

TEST_F(spgemm_chains, sums_report_patterns_that_were_changed_in_place) {
  Space const space;
  auto const matrix = [&] {
    return araios::to_crs_matrix<double, int, int>(
        space, host_crs<double>{2, 3, {0, 2, 3}, {0, 1, 2}, {1.0, 2.0, 3.0}});
  };
  auto const square = araios::to_crs_matrix<double, int, int>(
      space, host_crs<double>{3, 3, {0, 1, 2, 3}, {0, 1, 2}, {1.0, 1.0, 1.0}});
  for (int changed = 0; changed < 4; ++changed) {
    auto const a = matrix(), d = matrix();
    araios::spgemm_add_plan const plan(space, a, square, d);
    auto const c = plan.make_result(space);
    plan.multiply(space, 1.0, a, square, 1.0, d, c);
    plan.check(space);
    auto const& m = changed < 2 ? a : d;
    Kokkos::deep_copy(
        changed % 2 == 0 ? Kokkos::subview(m.row_map, 1) : Kokkos::subview(m.entries, 0),
        changed % 2 == 0 ? 1 : 2);
    plan.multiply(space, 1.0, a, square, 1.0, d, c);
    EXPECT_TRUE(support::throws<std::runtime_error>(
        [&] { plan.check(space); }, {"araios::spgemm_add_plan::check", "2 x 3", "3 x 3"}))
        << changed;
    plan.check(space);
  }
}

template <class Value, class Ordinal, class Offset>
void check_galerkin(support::engine& random, host_crs<double> const& pattern_r,
                    host_crs<double> const& pattern_a, host_crs<double> const& pattern_p) {
  Space const space;
  auto const r = whole<Value>(random, pattern_r);
  auto a = whole<Value>(random, pattern_a);
  auto const p = whole<Value>(random, pattern_p);
  auto const on_device = [&](auto const& m) {
    return araios::to_crs_matrix<Value, Ordinal, Offset>(space, m);
  };
  auto const expected = [&] {
    return to_host(reference::spgemm(in_double(r), to_host(reference::spgemm(a, p))));
  };
  auto const dr = on_device(r), da = on_device(a), dp = on_device(p);
  support::expect_equal(space, araios::galerkin(space, dr, da, dp), expected());
  araios::galerkin_plan const plan(space, dr, da, dp);
  auto const c = plan.make_result(space);
  for (int run = 0; run < 2; ++run) {  // as AMG does when A has changed
    a = whole<Value>(random, pattern_a);
    Kokkos::deep_copy(da.values, on_device(a).values);
    Kokkos::fence();
    {
      support::tools_counter const counted;
      plan.multiply(space, dr, da, dp, c);
      EXPECT_TRUE(counted.allocations.empty());
      EXPECT_TRUE(counted.fences.empty());
    }
    plan.check(space);
    support::expect_equal(space, c, expected());
  }
  auto const product = reference::spgemm(a, p);
  EXPECT_EQ(plan.products(),
            product.products + reference::spgemm(in_double(r), to_host(product)).products);
  EXPECT_EQ(plan.nnz(), expected().nnz());
}

TEST_F(spgemm_chains, galerkin_products_of_random_shapes_and_types) {
  for (int i = 0; i < 6; ++i) {
    auto const coarse = draw(random, 1, 60), rows = draw(random, 1, 200),
               inner = draw(random, 1, 200), cols = draw(random, 1, 60);
    auto const r = support::random_rows(random, coarse, rows, 9);
    auto const a = support::random_rows(random, rows, inner, 9);
    auto const p = support::random_rows(random, inner, cols, 4);
    check_galerkin<double, int, int>(random, r, a, p);
    check_galerkin<float, int, std::size_t>(random, r, a, p);
    check_galerkin<int64_t, int64_t, int64_t>(random, r, a, p);
  }
}

// Linear interpolation on a grid, as in multigrid, and its transpose.
TEST_F(spgemm_chains, galerkin_product_of_a_grid) {
  int64_t const fine = 81, coarse = 41;  // points a side
  host_crs<double> p, r;
  p.num_rows = r.num_cols = fine * fine;
  p.num_cols = r.num_rows = coarse * coarse;
  std::vector<std::vector<int64_t>> columns(static_cast<std::size_t>(r.num_rows));
  for (int64_t y = 0; y < fine; ++y)
    for (int64_t x = 0; x < fine; ++x) {
      for (int64_t cy = y / 2; cy <= (y + 1) / 2; ++cy)
        for (int64_t cx = x / 2; cx <= (x + 1) / 2; ++cx) {
          p.entries.push_back(cy * coarse + cx);
          columns[cy * coarse + cx].push_back(y * fine + x);
        }
      p.row_map.push_back(static_cast<int64_t>(p.entries.size()));
    }
  for (auto const& row : columns) {
    r.entries.insert(r.entries.end(), row.begin(), row.end());
    r.row_map.push_back(static_cast<int64_t>(r.entries.size()));
  }
  p.values.assign(p.entries.size(), 1.0);
  r.values.assign(r.entries.size(), 1.0);
  check_galerkin<double, int, int>(random, r, araios::gallery::laplace_2d_5pt(fine, fine), p);
}

TEST_F(spgemm_chains, galerkin_products_refuse_what_does_not_fit) {
  Space const space;
  auto const matrix = [&](int64_t rows, int64_t cols) {
    return araios::to_crs_matrix<double, int, int>(
        space, support::rows_of(random, std::vector<int64_t>(rows, 2), cols));
  };
  EXPECT_TRUE(support::throws<std::invalid_argument>(
      [&] { araios::galerkin(space, matrix(3, 9), matrix(9, 9), matrix(8, 3)); },
      {"araios::galerkin_plan", "3 x 9", "9 x 9", "8 x 3"}));
  EXPECT_TRUE(support::throws<std::invalid_argument>(
      [&] { araios::galerkin(space, matrix(3, 8), matrix(9, 9), matrix(9, 3)); },
      {"araios::galerkin_plan", "3 x 8"}));
}

}  // namespace
