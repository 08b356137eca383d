// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>
#ifdef ARAIOS_HAVE_KOKKOSKERNELS
#include <KokkosSparse_CrsMatrix.hpp>
#endif

#include <araios/gallery.hpp>
#include <araios/spgemm.hpp>

#include "support/battery.hpp"
#include "support/random.hpp"
#include "support/spgemm.hpp"
#include "support/tools_counter.hpp"

// Products against the reference: shapes, types, options. What decides whether the pattern is right
// is the pattern of the operands alone.

namespace {

using araios::host_crs;
using araios::spgemm_options;
using support::draw;
using support::is_product;

using Default = Kokkos::DefaultExecutionSpace;
#ifdef KOKKOS_ENABLE_SERIAL
using Other = Kokkos::Serial;
#else
using Other = Default;
#endif

/// Computes A * B in all ways there are and compares each with the reference.
template <class Space, class Ordinal, class OffsetA, class OffsetB, class ValueA, class ValueB>
void expect_product(host_crs<ValueA> const& host_a, host_crs<ValueB> const& host_b,
                    std::string const& what) {
  Space const space;
  auto const a = araios::to_crs_matrix<ValueA, Ordinal, OffsetA>(space, host_a);
  auto const b = araios::to_crs_matrix<ValueB, Ordinal, OffsetB>(space, host_b);
  auto const expected = reference::spgemm(host_a, host_b);
  for (auto const accumulator : support::accumulators)
    for (bool const sorted : {true, false}) {
      SCOPED_TRACE(what + ", accumulator " + support::name_of(accumulator) +
                   (sorted ? "" : ", unsorted result"));
      auto const c = araios::spgemm(space, a, b, {.accumulator = accumulator, .sort_rows = sorted});
      using value = typename decltype(c)::value_type;
      static_assert(std::is_same_v<typename decltype(c)::ordinal_type, Ordinal>);
      static_assert(
          std::is_same_v<typename decltype(c)::offset_type, std::common_type_t<OffsetA, OffsetB>>);
      EXPECT_TRUE(is_product(space, c, expected, support::epsilon_of<value>, 0.0L, sorted));
    }
}

template <class Space = Default>
void expect_product(host_crs<double> const& a, host_crs<double> const& b, std::string const& what) {
  expect_product<Space, int, int, int>(a, b, what);
}

/// check(A * B) on the host, computed with each accumulator.
template <class Check>
void with_each_accumulator(host_crs<double> const& a, host_crs<double> const& b,
                           Check const& check) {
  Default const space;
  auto const device_a = araios::to_crs_matrix<double, int, int>(space, a);
  auto const device_b = araios::to_crs_matrix<double, int, int>(space, b);
  for (auto const accumulator : support::accumulators) {
    SCOPED_TRACE(support::name_of(accumulator));
    auto const c = araios::spgemm(space, device_a, device_b, {.accumulator = accumulator});
    check(araios::to_host_crs(space, c));
  }
}

/// Rows of random lengths around `mean`, some of them empty.
host_crs<double> random_matrix(support::engine& random, std::int64_t rows, std::int64_t cols,
                               std::int64_t mean, support::columns order) {
  std::vector<std::int64_t> lengths;
  for (std::int64_t i = 0; i < rows; ++i)
    lengths.push_back(std::min(cols, draw(random, 0, 2 * mean)));
  return support::rows_of(random, lengths, cols, order);
}

/// Overwrites some columns by their neighbours in the row.
void make_duplicates(support::engine& random, host_crs<double>& a) {
  for (std::int64_t i = 0; i < a.num_rows; ++i)
    for (auto k = a.row_map[i] + 1; k < a.row_map[i + 1]; ++k)
      if (draw(random, 0, 3) == 0) a.entries[k] = a.entries[k - 1];
}

/// Sizes from 1 to `most`, small ones as likely as large ones.
std::int64_t draw_size(support::engine& random, std::int64_t most) {
  return std::min(most, std::int64_t{1} << draw(random, 0, 62 - __builtin_clzll(most))) +
         draw(random, 0, most / 8);
}

using SpGEMM = support::random_test;

template <class Space>
class SpGEMMOnSpace : public support::random_test {};
using Spaces = std::conditional_t<std::is_same_v<Default, Other>, testing::Types<Default>,
                                  testing::Types<Default, Other>>;
TYPED_TEST_SUITE(SpGEMMOnSpace, Spaces);

TYPED_TEST(SpGEMMOnSpace, RandomProducts) {
  auto& random = this->random;
  for (int trial = 0; trial < 40; ++trial) {
    auto const m = draw_size(random, 300), k = draw_size(random, 300), n = draw_size(random, 600);
    auto const order = trial % 2 == 0 ? support::columns::sorted : support::columns::unsorted;
    auto a = random_matrix(random, m, k, draw_size(random, 40), order);
    auto b = random_matrix(random, k, n, draw_size(random, 40), order);
    if (trial % 4 == 3) {
      make_duplicates(random, a);
      make_duplicates(random, b);
    }
    expect_product<TypeParam>(a, b,
                              "trial " + std::to_string(trial) + ": " + std::to_string(m) + " x " +
                                  std::to_string(k) + " x " + std::to_string(n));
  }
}

TYPED_TEST(SpGEMMOnSpace, Battery) {
  for (auto const& [name, reason, a] : support::battery(this->random)) {
    if (a.num_rows == a.num_cols) expect_product<TypeParam>(a, a, name + " squared: " + reason);
    auto const b = random_matrix(this->random, a.num_cols, 70, 3, support::columns::sorted);
    expect_product<TypeParam>(a, b, name + " times a random matrix: " + reason);
    auto const left = random_matrix(this->random, 50, a.num_rows, 3, support::columns::unsorted);
    expect_product<TypeParam>(left, a, "a random matrix times " + name + ": " + reason);
  }
}

// More rows than go to a single bin, and lengths for several of them.
TYPED_TEST(SpGEMMOnSpace, SeveralBins) {
  auto const a = support::rows_of(
      this->random, support::repeated({0, 1, 2, 5, 9, 17, 40, 3, 90, 250}, 300), 2500);
  auto const b = support::rows_of(this->random, support::repeated({1, 4, 12, 0, 7}, 500), 4000);
  expect_product<TypeParam>(a, b, "3000 x 2500 x 4000");
}

/// The operand types that users have; values as `draw_value` makes them.
template <class Ordinal, class OffsetA, class OffsetB, class ValueA, class ValueB>
struct types {
  static void run(support::engine& random, host_crs<double> const& a, host_crs<double> const& b) {
    expect_product<Default, Ordinal, OffsetA, OffsetB>(
        support::with_values<ValueA>(random, a), support::with_values<ValueB>(random, b), "types");
  }
};
template <class Types>
class SpGEMMOfTypes : public support::random_test {};
using complex = Kokkos::complex<double>;
using OperandTypes =
    testing::Types<types<int, std::size_t, std::size_t, float, float>,
                   types<std::int64_t, std::int64_t, std::int64_t, complex, complex>,
                   types<int, int, int, std::int64_t, std::int64_t>,
                   types<int, int, std::size_t, int, double>>;
TYPED_TEST_SUITE(SpGEMMOfTypes, OperandTypes);

TYPED_TEST(SpGEMMOfTypes, GiveTheReference) {
  auto& random = this->random;
  TypeParam::run(random, random_matrix(random, 70, 50, 6, support::columns::unsorted),
                 random_matrix(random, 50, 90, 9, support::columns::unsorted));
  TypeParam::run(random, random_matrix(random, 5, 300, 200, support::columns::sorted),
                 random_matrix(random, 300, 3000, 20, support::columns::sorted));
  auto const many = support::rows_of(random, support::repeated({0, 2, 5, 30, 1}, 500), 2500);
  TypeParam::run(random, many, many);
}

// Contracts F36.
TEST_F(SpGEMM, HundredSmallProductsOnceEach) {
  Default const space;
  auto const any = [&] {
    return random_matrix(random, 50, 50, draw(random, 1, 25), support::columns::unsorted);
  };
  for (int trial = 0; trial < 100; ++trial) {
    SCOPED_TRACE("trial " + std::to_string(trial));
    auto const a = any(), b = any();
    auto const c = araios::spgemm(space, araios::to_crs_matrix<double>(space, a),
                                  araios::to_crs_matrix<double>(space, b));
    EXPECT_TRUE(is_product(space, c, reference::spgemm(a, b), support::epsilon_of<double>));
  }
}

// Contracts F05.
TEST_F(SpGEMM, RectangularProducts) {
  auto const sorted = support::columns::sorted;
  for (auto const& [m, k, n] : {std::array<std::int64_t, 3>{3, 5, 2}, {2, 7, 4}, {200, 3, 500}})
    expect_product(random_matrix(random, m, k, 2, sorted), random_matrix(random, k, n, 4, sorted),
                   "rectangular");
  auto const identity = support::band(random, 2, 2, {0});
  expect_product(identity, {2, 10, {0, 1, 2}, {0, 0}, {3.0, 4.0}}, "2x2 times 2x10");
}

TEST_F(SpGEMM, InnerDimensionsMustAgree) {
  Default const space;
  auto const a = araios::to_crs_matrix<double, int, int>(
      space, random_matrix(random, 2, 3, 2, support::columns::sorted));
  support::tools_counter const counter;
  try {
    araios::spgemm(space, a, a);
    FAIL() << "2x3 times 2x3 was accepted";
  } catch (std::invalid_argument const& error) {
    EXPECT_NE(std::string(error.what()).find("A (2 x 3) and B (2 x 3)"), std::string::npos)
        << error.what();
  }
  EXPECT_TRUE(counter.nothing_happened());
}

// Contracts F07: duplicates add up and give one entry.
TEST_F(SpGEMM, DuplicatesAddUp) {
  host_crs<double> const a{1, 2, {0, 3}, {0, 0, 1}, {1.0, 2.0, 5.0}};
  host_crs<double> const identity{2, 2, {0, 1, 2}, {0, 1}, {1.0, 1.0}};
  with_each_accumulator(a, identity, [&](host_crs<double> const& c) {
    EXPECT_EQ(c.row_map, (std::vector<std::int64_t>{0, 2}));
    EXPECT_EQ(c.entries, (std::vector<std::int64_t>{0, 1}));
    EXPECT_EQ(c.values, (std::vector<double>{3.0, 5.0}));
  });
  // A row of A with one entry, and B with duplicates: the products are not the entries.
  host_crs<double> const b{2, 3, {0, 4, 6}, {2, 0, 2, 2, 1, 1}, {1.0, 2.0, 3.0, 4.0, 5.0, 6.0}};
  expect_product(identity, b, "identity times duplicates");
}

// Contracts F11.
TEST_F(SpGEMM, EmptyResultsHaveValidRowMaps) {
  host_crs<double> const corner{5, 5, {0, 1, 1, 1, 1, 1}, {0}, {2.0}};
  expect_product(corner, support::band(random, 5, 5, {0}), "5x5 with the single entry (0,0)");
  host_crs<double> const left{2, 4, {0, 2, 4}, {0, 1, 0, 1}, {1.0, 2.0, 3.0, 4.0}};
  host_crs<double> const lower{4, 2, {0, 0, 0, 2, 4}, {0, 1, 0, 1}, {1.0, 2.0, 3.0, 4.0}};
  expect_product(left, lower, "nothing meets");
  expect_product({0, 10, {0}, {}, {}}, {10, 0, std::vector<std::int64_t>(11, 0), {}, {}},
                 "0x10 times 10x0");
  expect_product({10, 0, std::vector<std::int64_t>(11, 0), {}, {}}, {0, 10, {0}, {}, {}},
                 "10x0 times 0x10");
}

// Contracts F10: the row map of a matrix without rows may have extent 0, or 1 and any element.
TEST_F(SpGEMM, MatricesWithoutRows) {
  using matrix = araios::crs_matrix<double, int, int, Default::memory_space>;
  Default const space;
  auto const b = araios::to_crs_matrix<double, int, int>(
      space, random_matrix(random, 5, 3, 2, support::columns::sorted));
  matrix::row_map_view const garbage("row_map", 1);
  Kokkos::deep_copy(garbage, 12345);
  for (auto const& row_map : {matrix::row_map_view(), garbage}) {
    for (auto const accumulator : support::accumulators) {
      spgemm_options const options{.accumulator = accumulator};
      auto const c = araios::spgemm(space, matrix(0, 5, row_map, {}, {}), b, options);
      EXPECT_EQ(c.num_rows(), 0);
      EXPECT_EQ(c.num_cols(), 3);
      EXPECT_EQ(c.nnz(), 0);
      ASSERT_EQ(c.row_map.extent(0), 1u);
      EXPECT_EQ(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, c.row_map)(0), 0);

      auto const tall = araios::to_crs_matrix<double, int, int>(
          space, host_crs<double>{5, 0, std::vector<std::int64_t>(6, 0), {}, {}});
      auto const empty = araios::spgemm(space, tall, matrix(0, 3, row_map, {}, {}), options);
      auto const host = araios::to_host_crs(space, empty);
      EXPECT_EQ(host.num_rows, 5);
      EXPECT_EQ(host.num_cols, 3);
      EXPECT_EQ(host.row_map, std::vector<std::int64_t>(6, 0));
    }
  }
}

// Contracts rule 5: sums that cancel stay.
TEST_F(SpGEMM, PatternIsStructural) {
  host_crs<double> const a{1, 2, {0, 2}, {0, 1}, {1.0, -1.0}};
  host_crs<double> const b{2, 3, {0, 3, 5}, {0, 1, 2, 0, 2}, {5.0, 6.0, 0.0, 5.0, 0.0}};
  with_each_accumulator(a, b, [&](host_crs<double> const& c) {
    EXPECT_EQ(c.entries, (std::vector<std::int64_t>{0, 1, 2}));
    EXPECT_EQ(c.values, (std::vector<double>{0.0, 6.0, 0.0}));
  });
}

TEST_F(SpGEMM, NaNAndInfinityGoWhereTheyBelong) {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  double const inf = std::numeric_limits<double>::infinity();
  host_crs<double> const a{3, 3, {0, 1, 2, 3}, {0, 1, 2}, {1.0, 1.0, 1.0}};
  host_crs<double> const b{3, 2, {0, 1, 2, 3}, {1, 0, 1}, {nan, inf, 2.0}};
  with_each_accumulator(a, b, [&](host_crs<double> const& c) {
    EXPECT_EQ(c.entries, (std::vector<std::int64_t>{1, 0, 1}));
    EXPECT_TRUE(std::isnan(c.values[0]));
    EXPECT_EQ(c.values[1], inf);
    EXPECT_EQ(c.values[2], 2.0);
  });
}

// Contracts F58: the error of a single-precision square is within c n eps |A| |B|, and also entry
// by entry within what the sum of sizes allows, which is the stronger statement.
TEST_F(SpGEMM, ErrorOfASinglePrecisionSquare) {
  constexpr int n = 400;
  Default const space;
  auto const host = support::with_values<float>(
      random, support::rows_of(random, std::vector<std::int64_t>(n, n), n));
  auto const a = araios::to_crs_matrix<float, int, std::size_t>(space, host);
  auto const expected = reference::spgemm(host, host);
  long double norm_squared = 0.0L;
  for (float const value : host.values) norm_squared += static_cast<long double>(value) * value;
  for (auto const accumulator : support::accumulators) {
    auto const c =
        araios::to_host_crs(space, araios::spgemm(space, a, a, {.accumulator = accumulator}));
    EXPECT_TRUE(is_product(c, expected, support::epsilon_of<float>));
    long double error_squared = 0.0L;
    for (std::size_t k = 0; k < c.values.size(); ++k)
      error_squared += norm(support::widen(c.values[k]) - expected.values[k].value);
    EXPECT_LE(std::sqrt(error_squared), n * support::epsilon_of<float> * norm_squared);
  }
}

TEST_F(SpGEMM, CountsOfTheAnchors) {
  Default const space;
  for (auto const& anchor : araios::gallery::anchor_suite()) {
    if (anchor.products > 10'000'000) continue;
    auto const a =
        araios::to_crs_matrix<double, int, int>(space, araios::gallery::make(anchor.spec));
    for (auto const accumulator : support::accumulators) {
      araios::spgemm_plan const plan(space, a, a, {.accumulator = accumulator});
      EXPECT_EQ(plan.nnz(), anchor.product_nnz) << anchor.name;
      EXPECT_EQ(plan.products(), anchor.products) << anchor.name;
    }
  }
}

#ifdef ARAIOS_HAVE_KOKKOSKERNELS
TEST_F(SpGEMM, TakesMatricesOfKokkosKernels) {
  using matrix = KokkosSparse::CrsMatrix<double, int, Default, void, int>;
  Default const space;
  auto const host_a = random_matrix(random, 60, 40, 5, support::columns::sorted);
  auto const host_b = random_matrix(random, 40, 80, 5, support::columns::sorted);
  auto const a = araios::to_crs_matrix<double, int, int>(space, host_a);
  auto const b = araios::to_crs_matrix<double, int, int>(space, host_b);
  auto const expected = reference::spgemm(host_a, host_b);
  auto const foreign_a = araios::to_kokkos_kernels<matrix>(a);
  auto const foreign_b = araios::to_kokkos_kernels<matrix>(b);
  EXPECT_TRUE(is_product(space, araios::spgemm(space, foreign_a, foreign_b), expected,
                         support::epsilon_of<double>));
  EXPECT_TRUE(is_product(space, araios::spgemm(space, foreign_a, b), expected,
                         support::epsilon_of<double>));
  auto const c = araios::to_kokkos_kernels<matrix>(araios::spgemm(space, a, foreign_b));
  EXPECT_TRUE(is_product(space, c, expected, support::epsilon_of<double>));
}
#endif

}  // namespace
