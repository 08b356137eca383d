// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <araios/gallery.hpp>
#include <araios/matrix/host.hpp>

namespace {

namespace gallery = araios::gallery;
using matrix = araios::host_crs<double>;
using std::int64_t;
using std::uint64_t;

constexpr int64_t huge = std::numeric_limits<int64_t>::max();

std::size_t index(int64_t i) { return static_cast<std::size_t>(i); }

int64_t row_length(matrix const& a, int64_t i) {
  return a.row_map[index(i + 1)] - a.row_map[index(i)];
}

std::vector<int64_t> columns(matrix const& a, int64_t i) {
  return {a.entries.begin() + a.row_map[index(i)], a.entries.begin() + a.row_map[index(i + 1)]};
}

int64_t products(matrix const& a) {
  int64_t count = 0;
  for (auto const j : a.entries) count += row_length(a, j);
  return count;
}

int64_t product_nnz(matrix const& a) {
  std::vector<int64_t> last_row_with(index(a.num_cols), -1);
  int64_t count = 0;
  for (int64_t i = 0; i < a.num_rows; ++i)
    for (auto p = a.row_map[index(i)]; p < a.row_map[index(i + 1)]; ++p) {
      auto const k = a.entries[index(p)];
      for (auto q = a.row_map[index(k)]; q < a.row_map[index(k + 1)]; ++q) {
        auto& last = last_row_with[index(a.entries[index(q)])];
        if (last != i) ++count;
        last = i;
      }
    }
  return count;
}

uint64_t checksum(matrix const& a) {
  uint64_t sum = 0;
  auto const add = [&sum](uint64_t word) {
    sum = (std::rotl(sum, 23) ^ word) * 0x9e3779b97f4a7c15U;
  };
  for (auto const offset : a.row_map) add(static_cast<uint64_t>(offset));
  for (auto const j : a.entries) add(static_cast<uint64_t>(j));
  for (auto const v : a.values) add(std::bit_cast<uint64_t>(v));
  return sum;
}

// What every generated matrix promises: square, consistent sizes, ascending distinct columns in
// range.
void expect_valid(matrix const& a, std::string const& what) {
  SCOPED_TRACE(what);
  ASSERT_GE(a.num_rows, 0);
  ASSERT_EQ(a.num_cols, a.num_rows);
  ASSERT_EQ(a.row_map.size(), index(a.num_rows) + 1);
  ASSERT_EQ(a.row_map.front(), 0);
  ASSERT_EQ(index(a.row_map.back()), a.entries.size());
  ASSERT_EQ(a.entries.size(), a.values.size());
  for (int64_t i = 0; i < a.num_rows; ++i) {
    ASSERT_GE(row_length(a, i), 0);
    int64_t previous = -1;
    for (auto p = a.row_map[index(i)]; p < a.row_map[index(i + 1)]; ++p) {
      ASSERT_LT(previous, a.entries[index(p)]) << "row " << i;
      previous = a.entries[index(p)];
    }
    ASSERT_LT(previous, a.num_cols) << "row " << i;
  }
}

bool has(matrix const& a, int64_t i, int64_t j) {
  return std::binary_search(a.entries.begin() + a.row_map[index(i)],
                            a.entries.begin() + a.row_map[index(i + 1)], j);
}

bool has_symmetric_pattern(matrix const& a) {
  for (int64_t i = 0; i < a.num_rows; ++i)
    for (auto const j : columns(a, i))
      if (!has(a, j, i)) return false;
  return true;
}

bool same(matrix const& a, matrix const& b) {
  return a.num_rows == b.num_rows && a.num_cols == b.num_cols && a.row_map == b.row_map &&
         a.entries == b.entries && a.values == b.values;
}

// Runs `call` and checks that it throws Error with a message that holds each of `parts`.
template <class Error, class Call>
void expect_error(Call call, std::vector<std::string> const& parts) {
  try {
    call();
    ADD_FAILURE() << "nothing was thrown, expected: " << parts.front();
  } catch (Error const& error) {
    std::string const text = error.what();
    for (auto const& part : parts)
      EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in: " << text;
  }
}

// ---- anchors ------------------------------------------------------------------------------------

struct expected_anchor {
  std::string_view name;
  int64_t rows, nnz, products, product_nnz;
  uint64_t checksum;  // of the reference definition of these matrices
};

constexpr expected_anchor expected_anchors[] = {
    {"lap3d27_80", 512000, 13481272, 357911000, 61162984, 0x8e7caf03bbab12cf},
    {"lap3d7_100", 1000000, 6940000, 48222400, 24581200, 0xc2a6a983745438ef},
    {"fem3_cantlike", 62400, 4662504, 357377400, 20199096, 0xab4cad29c49d94f4},
    {"rmat18_ef8", 262144, 2017736, 867058165, 495871671, 0xe0bf70c2061d120c},
    {"qcd_49152", 49152, 1916928, 74760192, 11649024, 0x5034931f6528c406},
    {"er20_4", 1048576, 4194295, 16777142, 16777040, 0xb00eab0bc5000755},
    {"fem6_pwtklike", 216000, 11579904, 622296000, 31980096, 0xb391a051db61c178},
    {"trigrid_4m", 4000000, 23984002, 147836548, 79916526, 0xcbd98ea1f595e176},
    {"lap2d5_1500", 2250000, 11244000, 56196008, 29220004, 0x3469b0619a9a4d47},
    {"mc2depi_like", 525825, 2100225, 8391680, 5245952, 0xac5a7fe41abf7c0e},
    {"m133b3_like", 200200, 800800, 3203200, 3203095, 0x7da6401859d87a03},
    {"rmat20_ef3", 1048576, 3108590, 965238503, 745699142, 0x4022d092204ac212},
    {"denserow_100k", 100000, 199999, 299998, 199999, 0xa928cc125589ad75},
    {"tiny_1000", 1000, 8000, 64000, 62294, 0xd6ceae12e6191f96},
    {"rmat18_ef16", 262144, 3940153, 2932589973, 1277072390, 0xdb95cfcaaf2d086e},
    {"rmat20_ef8", 1048576, 8175315, 5998188877, 3582037892, 0x53c7f0bdda315e38},
};

class gallery_anchor : public testing::TestWithParam<expected_anchor> {};

TEST_P(gallery_anchor, is_the_reference_matrix) {
  auto const& expected = GetParam();
  auto const a = gallery::make(expected.name);
  expect_valid(a, std::string(expected.name));
  EXPECT_EQ(a.num_rows, expected.rows);
  EXPECT_EQ(a.nnz(), expected.nnz);
  EXPECT_EQ(products(a), expected.products);
  EXPECT_EQ(checksum(a), expected.checksum);
  if (expected.products < 20'000'000) {
    EXPECT_EQ(product_nnz(a), expected.product_nnz);
  }
}

INSTANTIATE_TEST_SUITE_P(all, gallery_anchor, testing::ValuesIn(expected_anchors),
                         [](auto const& test) { return std::string(test.param.name); });

TEST(gallery, lists_the_anchors_with_their_counts) {
  auto const listed = gallery::anchor_suite();
  ASSERT_EQ(listed.size(), std::size(expected_anchors));
  for (std::size_t k = 0; k < listed.size(); ++k) {
    auto const& expected = expected_anchors[k];
    SCOPED_TRACE(std::string(expected.name));
    EXPECT_EQ(listed[k].name, expected.name);
    EXPECT_EQ(listed[k].rows, expected.rows);
    EXPECT_EQ(listed[k].nnz, expected.nnz);
    EXPECT_EQ(listed[k].products, expected.products);
    EXPECT_EQ(listed[k].product_nnz, expected.product_nnz);
    EXPECT_FALSE(listed[k].description.empty());
    EXPECT_EQ(listed[k].product_fits_32_bit(), expected.name != "rmat20_ef8");
  }
}

// ---- small suite, families ----------------------------------------------------------------------

TEST(gallery, small_suite_has_every_family_and_is_small) {
  std::multiset<std::string_view> names;
  for (auto const spec : gallery::small_suite()) {
    auto const a = gallery::make(spec);
    expect_valid(a, std::string(spec));
    EXPECT_GT(a.nnz(), 0) << spec;
    EXPECT_LE(products(a), 10'000'000) << spec;
    names.insert(spec.substr(0, spec.find(':')));
  }
  for (auto const& family : gallery::families()) {
    EXPECT_EQ(names.count(family.name), 1u) << family.name;
    EXPECT_EQ(family.usage.substr(0, family.name.size() + 1), std::string(family.name) + ":");
    EXPECT_FALSE(family.description.empty()) << family.name;
  }
  EXPECT_EQ(names.size(), gallery::families().size());
}

TEST(gallery, every_family_makes_empty_and_one_by_one_matrices) {
  for (auto const& [spec, nnz] :
       std::vector<std::pair<std::string, int64_t>>{{"laplace_2d_5pt:", 1},
                                                    {"laplace_2d_9pt:", 1},
                                                    {"laplace_3d_7pt:", 1},
                                                    {"laplace_3d_27pt:", 1},
                                                    {"fem_2d:1:", 1},
                                                    {"fem_3d:1:", 1},
                                                    {"triangulated_grid:", 0},
                                                    {"markov_grid:", 1},
                                                    {"diagonal:", 1},
                                                    {"bidiagonal:", 1},
                                                    {"tridiagonal:", 1},
                                                    {"arrow:", 1},
                                                    {"dense_row:", 1},
                                                    {"exponential_decay:", 1},
                                                    {"algebraic_decay:", 1}}) {
    auto const empty = gallery::make(spec + "0");
    expect_valid(empty, spec + "0");
    EXPECT_EQ(empty.num_rows, 0) << spec;
    auto const one = gallery::make(spec + "1");
    expect_valid(one, spec + "1");
    EXPECT_EQ(one.num_rows, 1) << spec;
    EXPECT_EQ(one.nnz(), nnz) << spec;
  }
  expect_valid(gallery::erdos_renyi(0, 4), "erdos_renyi:0:4");
  expect_valid(gallery::random_rows(0, 4), "random_rows:0:4");
  expect_valid(gallery::qcd_lattice(0, 4, 4, 4), "qcd_lattice:0:4:4:4");
  EXPECT_EQ(gallery::random_rows(1, 1).nnz(), 1);
  EXPECT_EQ(gallery::erdos_renyi(1, 7).nnz(), 1);  // seven times the same entry
  EXPECT_EQ(gallery::rmat(0, 5).nnz(), 1);
  EXPECT_EQ(gallery::rmat(5, 0).nnz(), 0);
  EXPECT_EQ(gallery::rmat(5, 0).num_rows, 32);
}

TEST(gallery, one_empty_extent_empties_the_grid) {
  EXPECT_EQ(gallery::laplace_2d_5pt(0, huge).num_rows, 0);
  EXPECT_EQ(gallery::laplace_3d_27pt(huge, huge, 0).num_rows, 0);
  EXPECT_EQ(gallery::fem_3d(huge, 2, huge, 0).num_rows, 0);
  EXPECT_EQ(gallery::triangulated_grid(0, huge).num_rows, 0);
  EXPECT_EQ(gallery::markov_grid(huge, 0).num_rows, 0);
  EXPECT_EQ(gallery::qcd_lattice(huge, huge, huge, 0).num_rows, 0);
}

TEST(gallery, values_are_functions_of_the_position) {
  auto const a = gallery::laplace_2d_9pt(7, 5);
  std::set<double> distinct;
  for (int64_t i = 0; i < a.num_rows; ++i)
    for (auto p = a.row_map[index(i)]; p < a.row_map[index(i + 1)]; ++p) {
      auto const value = a.values[index(p)];
      EXPECT_EQ(value, gallery::value_at(i, a.entries[index(p)]));
      EXPECT_GE(value, 0.5);
      EXPECT_LT(value, 1.5);
      distinct.insert(value);
    }
  EXPECT_EQ(distinct.size(), a.values.size());
}

TEST(gallery, laplacians_couple_the_neighbours_on_the_grid) {
  auto const a = gallery::laplace_2d_5pt(3, 4);
  EXPECT_EQ(columns(a, 0), (std::vector<int64_t>{0, 1, 3}));
  EXPECT_EQ(columns(a, 4), (std::vector<int64_t>{1, 3, 4, 5, 7}));
  EXPECT_EQ(columns(a, 11), (std::vector<int64_t>{8, 10, 11}));
  EXPECT_EQ(columns(gallery::laplace_2d_9pt(3, 4), 4),
            (std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(columns(gallery::laplace_3d_7pt(3, 4, 5), 16),
            (std::vector<int64_t>{4, 13, 15, 16, 17, 19, 28}));
  EXPECT_EQ(row_length(gallery::laplace_3d_27pt(3, 4, 5), 16), 27);

  EXPECT_EQ(gallery::laplace_2d_5pt(6, 9).nnz(), 5 * 54 - 2 * 6 - 2 * 9);
  EXPECT_EQ(gallery::laplace_2d_9pt(6, 9).nnz(), (3 * 6 - 2) * (3 * 9 - 2));
  EXPECT_EQ(gallery::laplace_3d_27pt(6, 9, 4).nnz(), (3 * 6 - 2) * (3 * 9 - 2) * (3 * 4 - 2));
  for (auto const& grid : {gallery::laplace_2d_5pt(6, 9), gallery::laplace_2d_9pt(6, 9),
                           gallery::laplace_3d_7pt(3, 4, 5), gallery::laplace_3d_27pt(3, 4, 5)})
    EXPECT_TRUE(has_symmetric_pattern(grid));
}

TEST(gallery, thin_grids_are_lines) {
  auto const line = gallery::tridiagonal(10);
  EXPECT_EQ(line.nnz(), 28);
  for (auto const& grid : {gallery::laplace_2d_5pt(1, 10), gallery::laplace_2d_5pt(10, 1),
                           gallery::laplace_2d_9pt(1, 10), gallery::laplace_2d_9pt(10, 1),
                           gallery::laplace_3d_7pt(1, 10, 1), gallery::laplace_3d_27pt(1, 1, 10)})
    EXPECT_TRUE(same(grid, line));
  EXPECT_TRUE(same(gallery::markov_grid(10, 1), gallery::bidiagonal(10)));
  EXPECT_TRUE(same(gallery::markov_grid(1, 10), gallery::bidiagonal(10)));
  for (auto const& path : {gallery::triangulated_grid(1, 10), gallery::triangulated_grid(10, 1)}) {
    EXPECT_EQ(path.nnz(), 18);
    for (int64_t i = 0; i < 9; ++i) EXPECT_TRUE(has(path, i, i + 1) && has(path, i + 1, i));
  }
}

TEST(gallery, fem_replaces_entries_by_blocks) {
  auto const nodes = gallery::laplace_3d_27pt(3, 2, 4);
  auto const a = gallery::fem_3d(3, 2, 4, 3);
  expect_valid(a, "fem_3d");
  ASSERT_EQ(a.num_rows, 3 * nodes.num_rows);
  EXPECT_EQ(a.nnz(), 9 * nodes.nnz());
  for (int64_t i = 0; i < a.num_rows; ++i)
    for (auto const j : columns(a, i)) EXPECT_TRUE(has(nodes, i / 3, j / 3));
  EXPECT_TRUE(same(gallery::fem_3d(3, 2, 1, 4), gallery::fem_2d(3, 2, 4)));
  EXPECT_TRUE(same(gallery::fem_2d(3, 5, 1), gallery::laplace_2d_9pt(3, 5)));
}

TEST(gallery, rmat_is_skewed_and_seeded) {
  auto const a = gallery::rmat(10, 8, 5);
  expect_valid(a, "rmat");
  EXPECT_EQ(a.num_rows, 1024);
  EXPECT_LE(a.nnz(), 8 * 1024);
  EXPECT_GT(a.nnz(), 4 * 1024);
  // Three quarters of the edges drawn start in the first half of the vertices.
  EXPECT_GT(a.row_map[512], 2 * (a.nnz() - a.row_map[512]));
  EXPECT_TRUE(same(a, gallery::rmat(10, 8, 5)));
  EXPECT_FALSE(same(a, gallery::rmat(10, 8, 6)));
}

TEST(gallery, random_columns) {
  auto const merged = gallery::erdos_renyi(50, 10, 5);
  expect_valid(merged, "erdos_renyi");
  EXPECT_LT(merged.nnz(), 500);  // 50 rows without a single duplicate have odds below 1e-20
  EXPECT_GT(merged.nnz(), 400);
  EXPECT_TRUE(same(merged, gallery::erdos_renyi(50, 10, 5)));
  EXPECT_FALSE(same(merged, gallery::erdos_renyi(50, 10, 6)));

  for (int64_t const per_row : {0, 1, 32, 33, 150, 199, 200}) {
    auto const a = gallery::random_rows(200, per_row, 5);
    expect_valid(a, "random_rows");
    for (int64_t i = 0; i < 200; ++i) EXPECT_EQ(row_length(a, i), per_row);
  }
  EXPECT_FALSE(same(gallery::random_rows(200, 8, 5), gallery::random_rows(200, 8, 6)));
}

// Long rows must not share the draws of their neighbours: two independent rows of 100 out of 10000
// have one column in common on average.
TEST(gallery, long_random_rows_are_independent) {
  auto const a = gallery::random_rows(10000, 100);
  int64_t common = 0;
  for (int64_t i = 0; i + 1 < 100; ++i)
    for (auto const j : columns(a, i)) common += has(a, i + 1, j) ? 1 : 0;
  EXPECT_LT(common, 200);
}

TEST(gallery, qcd_lattice_is_periodic) {
  auto const a = gallery::qcd_lattice(4, 5, 4, 6);
  expect_valid(a, "qcd_lattice");
  EXPECT_EQ(a.num_rows, 3 * 4 * 5 * 4 * 6);
  for (int64_t i = 0; i < a.num_rows; ++i) ASSERT_EQ(row_length(a, i), 39);
  // Row 1 belongs to site 0: itself, then +1, +2 and -1 along the axes with strides 1, 4, 20, 80.
  std::vector<int64_t> expected;
  for (int64_t const site : {0, 1, 2, 3, 4, 8, 16, 20, 40, 60, 80, 160, 400})
    for (int64_t colour = 0; colour < 3; ++colour) expected.push_back(3 * site + colour);
  EXPECT_EQ(columns(a, 1), expected);

  auto const small = gallery::qcd_lattice(1, 2, 3, 4);  // 1 + 0 + 1 + 2 + 3 different sites
  expect_valid(small, "qcd_lattice:1:2:3:4");
  for (int64_t i = 0; i < small.num_rows; ++i) EXPECT_EQ(row_length(small, i), 21);
}

TEST(gallery, triangulated_grid_cuts_each_cell_once) {
  constexpr int64_t nx = 9, ny = 6;
  auto const a = gallery::triangulated_grid(nx, ny, 3);
  expect_valid(a, "triangulated_grid");
  EXPECT_TRUE(has_symmetric_pattern(a));
  EXPECT_EQ(a.nnz(), 2 * ((nx - 1) * ny + nx * (ny - 1) + (nx - 1) * (ny - 1)));
  int64_t falling = 0;
  for (int64_t y = 0; y + 1 < ny; ++y)
    for (int64_t x = 0; x + 1 < nx; ++x) {
      auto const p = y * nx + x;
      EXPECT_NE(has(a, p, p + nx + 1), has(a, p + 1, p + nx)) << x << " " << y;
      falling += has(a, p, p + nx + 1) ? 1 : 0;
    }
  EXPECT_GT(falling, 10);
  EXPECT_LT(falling, 30);
  for (int64_t i = 0; i < a.num_rows; ++i) EXPECT_FALSE(has(a, i, i));
  EXPECT_FALSE(same(a, gallery::triangulated_grid(nx, ny, 4)));
}

TEST(gallery, markov_grid_transitions) {
  auto const a = gallery::markov_grid(3, 4);
  EXPECT_EQ(columns(a, 0), (std::vector<int64_t>{0, 1, 3}));
  EXPECT_EQ(columns(a, 4), (std::vector<int64_t>{0, 4, 5, 7}));
  EXPECT_EQ(columns(a, 3), (std::vector<int64_t>{3, 4, 6}));
  EXPECT_EQ(columns(a, 11), (std::vector<int64_t>{7, 11}));
}

TEST(gallery, bands_arrow_and_dense_row) {
  EXPECT_EQ(gallery::diagonal(5).entries, (std::vector<int64_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(gallery::bidiagonal(3).entries, (std::vector<int64_t>{0, 1, 1, 2, 2}));
  EXPECT_EQ(gallery::tridiagonal(3).entries, (std::vector<int64_t>{0, 1, 0, 1, 2, 1, 2}));
  EXPECT_EQ(gallery::arrow(4).entries, (std::vector<int64_t>{0, 1, 2, 3, 0, 1, 0, 2, 0, 3}));
  EXPECT_EQ(gallery::arrow(4).row_map, (std::vector<int64_t>{0, 4, 6, 8, 10}));
  EXPECT_EQ(product_nnz(gallery::arrow(30)), 900);
  EXPECT_EQ(gallery::dense_row(5).row_map, (std::vector<int64_t>{0, 1, 2, 7, 8, 9}));
  EXPECT_EQ(columns(gallery::dense_row(5), 2), (std::vector<int64_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(columns(gallery::dense_row(5), 3), (std::vector<int64_t>{3}));
  EXPECT_EQ(columns(gallery::dense_row(2), 1), (std::vector<int64_t>{0, 1}));
}

TEST(gallery, decay_has_the_values_of_its_formula) {
  auto const exponential = gallery::exponential_decay(4, 8.0, 0.5);
  expect_valid(exponential, "exponential_decay");
  EXPECT_EQ(exponential.values, (std::vector<double>{8, 4, 2, 1,  //
                                                     4, 8, 4, 2,  //
                                                     2, 4, 8, 4,  //
                                                     1, 2, 4, 8}));
  auto const algebraic = gallery::algebraic_decay(3, 10.0, 2.0);
  EXPECT_EQ(algebraic.values, (std::vector<double>{10, 5, 2, 5, 10, 5, 2, 5, 10}));

  auto const defaults = gallery::algebraic_decay(50);
  for (int64_t i = 0; i < 50; ++i)
    for (int64_t j = 0; j < 50; ++j)
      EXPECT_DOUBLE_EQ(defaults.values[index(50 * i + j)],
                       0.1 / (std::pow(std::fabs(static_cast<double>(i - j)), 0.1) + 1));
  // Entries that underflow stay in the pattern.
  auto const long_range = gallery::exponential_decay(40, 1.0, 1e-20);
  EXPECT_EQ(long_range.nnz(), 1600);
  EXPECT_EQ(long_range.values[39], 0.0);
}

// ---- specs --------------------------------------------------------------------------------------

TEST(gallery, make_reads_arguments_and_shorthands) {
  auto const expect_same = [](std::string_view spec, matrix const& expected) {
    EXPECT_TRUE(same(gallery::make(spec), expected)) << spec;
  };
  expect_same("laplace_2d_5pt:4", gallery::laplace_2d_5pt(4, 4));
  expect_same("laplace_2d_5pt:4:3", gallery::laplace_2d_5pt(4, 3));
  expect_same("laplace_2d_9pt:4", gallery::laplace_2d_9pt(4, 4));
  expect_same("laplace_2d_9pt:4:3", gallery::laplace_2d_9pt(4, 3));
  expect_same("laplace_3d_7pt:3", gallery::laplace_3d_7pt(3, 3, 3));
  expect_same("laplace_3d_7pt:2:3:4", gallery::laplace_3d_7pt(2, 3, 4));
  expect_same("laplace_3d_27pt:3", gallery::laplace_3d_27pt(3, 3, 3));
  expect_same("laplace_3d_27pt:2:3:4", gallery::laplace_3d_27pt(2, 3, 4));
  expect_same("fem_2d:4:2", gallery::fem_2d(4, 4, 2));
  expect_same("fem_2d:4:3:2", gallery::fem_2d(4, 3, 2));
  expect_same("fem_3d:3:2", gallery::fem_3d(3, 3, 3, 2));
  expect_same("fem_3d:2:3:4:5", gallery::fem_3d(2, 3, 4, 5));
  expect_same("rmat:6:4", gallery::rmat(6, 4, gallery::default_seed));
  expect_same("rmat:6:4:18446744073709551615",
              gallery::rmat(6, 4, std::numeric_limits<uint64_t>::max()));
  expect_same("erdos_renyi:30:4", gallery::erdos_renyi(30, 4));
  expect_same("erdos_renyi:30:4:9", gallery::erdos_renyi(30, 4, 9));
  expect_same("random_rows:30:4", gallery::random_rows(30, 4));
  expect_same("random_rows:30:4:9", gallery::random_rows(30, 4, 9));
  expect_same("qcd_lattice:4", gallery::qcd_lattice(4, 4, 4, 4));
  expect_same("qcd_lattice:2:3:4:5", gallery::qcd_lattice(2, 3, 4, 5));
  expect_same("triangulated_grid:4", gallery::triangulated_grid(4, 4));
  expect_same("triangulated_grid:4:3", gallery::triangulated_grid(4, 3));
  expect_same("triangulated_grid:4:3:9", gallery::triangulated_grid(4, 3, 9));
  expect_same("markov_grid:4", gallery::markov_grid(4, 4));
  expect_same("markov_grid:4:3", gallery::markov_grid(4, 3));
  expect_same("diagonal:7", gallery::diagonal(7));
  expect_same("bidiagonal:7", gallery::bidiagonal(7));
  expect_same("tridiagonal:7", gallery::tridiagonal(7));
  expect_same("arrow:7", gallery::arrow(7));
  expect_same("dense_row:7", gallery::dense_row(7));
  expect_same("exponential_decay:7", gallery::exponential_decay(7));
  expect_same("exponential_decay:7:2.5:0.25", gallery::exponential_decay(7, 2.5, 0.25));
  expect_same("algebraic_decay:7", gallery::algebraic_decay(7));
  expect_same("algebraic_decay:7:2.5:1e-1", gallery::algebraic_decay(7, 2.5, 0.1));
}

TEST(gallery, make_refuses_bad_specs_with_a_reason) {
  auto const expect_refused = [](std::string spec, std::vector<std::string> const& parts) {
    SCOPED_TRACE(spec);
    expect_error<std::invalid_argument>([&] { gallery::make(spec); }, parts);
  };
  // Unknown names: the message lists what there is.
  for (std::string const name : {"", "lap3d27", "LAP3D27_80", "laplace_2d_5pt ", ":3", "rmat 14 8"})
    expect_refused(name, {"araios::gallery::make: '" + name + "': no such matrix", "lap3d27_80",
                          "rmat20_ef8", "fem_3d:NX[:NY:NZ]:DOFS", "algebraic_decay"});
  expect_refused("tiny_1000:3", {"make: 'tiny_1000:3': ", "takes no arguments"});
  // Numbers of arguments.
  expect_refused("laplace_2d_5pt",
                 {"wrong number of arguments (0), usage: laplace_2d_5pt:NX[:NY]"});
  expect_refused("laplace_2d_5pt:1:2:3", {"wrong number of arguments (3)"});
  expect_refused("laplace_3d_7pt:1:2", {"wrong number of arguments (2)"});
  expect_refused("fem_3d:1:2:3", {"wrong number of arguments (3)"});
  expect_refused("rmat:3", {"wrong number of arguments (1), usage: rmat:SCALE:EDGE_FACTOR[:SEED]"});
  expect_refused("algebraic_decay:3:1", {"wrong number of arguments (2)"});
  // Arguments that are not numbers of their type.
  expect_refused("diagonal:", {"make: 'diagonal:': argument 1, '', is not an integer"});
  expect_refused("diagonal:x", {"argument 1, 'x', is not an integer"});
  expect_refused("diagonal:3x", {"argument 1, '3x', is not an integer"});
  expect_refused("diagonal: 3", {"argument 1, ' 3', is not an integer"});
  expect_refused("diagonal:1e6", {"argument 1, '1e6', is not an integer"});
  expect_refused("laplace_2d_5pt:3:", {"argument 2, '', is not an integer"});
  expect_refused("rmat:3:4:-1", {"argument 3, '-1', is not an integer >= 0"});
  expect_refused("algebraic_decay:3:1:x", {"argument 3, 'x', is not a number"});
  expect_refused("diagonal:9223372036854775808",
                 {"argument 1, '9223372036854775808', is out of range of 64 bits"});
  expect_refused("algebraic_decay:3:1e999:1", {"argument 2, '1e999', is out of range"});
}

TEST(gallery, families_refuse_arguments_out_of_range) {
  auto const expect_refused = [](std::string spec, std::vector<std::string> const& parts) {
    SCOPED_TRACE(spec);
    expect_error<std::invalid_argument>([&] { gallery::make(spec); }, parts);
  };
  for (auto const& [spec, argument] : std::vector<std::pair<std::string, std::string>>{
           {"laplace_2d_5pt:-3:4", "laplace_2d_5pt: nx"},
           {"laplace_2d_9pt:4:-3", "laplace_2d_9pt: ny"},
           {"laplace_3d_7pt:4:4:-3", "laplace_3d_7pt: nz"},
           {"laplace_3d_27pt:4:-3:4", "laplace_3d_27pt: ny"},
           {"fem_2d:4:4:-3", "fem_2d: dofs"},
           {"fem_3d:4:4:4:-3", "fem_3d: dofs"},
           {"rmat:4:-3", "rmat: edge_factor"},
           {"erdos_renyi:-3:4", "erdos_renyi: rows"},
           {"erdos_renyi:4:-3", "erdos_renyi: per_row"},
           {"random_rows:-3:4", "random_rows: rows"},
           {"random_rows:4:-3", "random_rows: per_row"},
           {"qcd_lattice:4:4:4:-3", "qcd_lattice: lt"},
           {"triangulated_grid:-3:4", "triangulated_grid: nx"},
           {"markov_grid:4:-3", "markov_grid: ny"},
           {"diagonal:-3", "diagonal: n"},
           {"bidiagonal:-3", "bidiagonal: n"},
           {"tridiagonal:-3", "tridiagonal: n"},
           {"arrow:-3", "arrow: n"},
           {"dense_row:-3", "dense_row: n"},
           {"exponential_decay:-3", "exponential_decay: n"},
           {"algebraic_decay:-3", "algebraic_decay: n"}})
    expect_refused(spec, {"araios::gallery::" + argument + " = -3 must not be negative"});
  expect_refused("rmat:-1:8", {"rmat: scale = -1 must be in 0 .. 62"});
  expect_refused("rmat:63:8", {"rmat: scale = 63 must be in 0 .. 62"});
  expect_refused("random_rows:4:5", {"random_rows: per_row = 5 must not exceed rows = 4"});
  expect_refused("exponential_decay:4:1:0", {"exponential_decay: base = 0", "between 0 and 1"});
  expect_refused("exponential_decay:4:1:1", {"exponential_decay: base = 1", "between 0 and 1"});
  expect_refused("exponential_decay:4:1:nan", {"exponential_decay: base = nan"});
  expect_refused("exponential_decay:4:inf:0.5", {"exponential_decay: scale = inf", "finite"});
  expect_refused("algebraic_decay:4:nan:1", {"algebraic_decay: scale = nan", "finite"});
  expect_refused("algebraic_decay:4:1:0", {"algebraic_decay: power = 0", "positive"});
  expect_refused("algebraic_decay:4:1:inf", {"algebraic_decay: power = inf", "finite"});
}

TEST(gallery, counts_that_do_not_fit_64_bits_are_named) {
  auto const expect_overflow = [](std::string spec, std::string const& part) {
    SCOPED_TRACE(spec);
    expect_error<std::overflow_error>([&] { gallery::make(spec); }, {part});
  };
  expect_overflow("laplace_3d_7pt:3000000",
                  "araios::gallery::laplace_3d_7pt: the number of rows, "
                  "3000000 * 3000000 * 3000000 * 1, does not fit 64 bits");
  expect_overflow("laplace_2d_5pt:3000000000:2000000000",
                  "the number of entries, 6000000000000000000 * 5 * 1, does not fit 64 bits");
  expect_overflow("fem_2d:3000000:3000000:3000000", "the number of rows, 3000000 * ");
  expect_overflow("rmat:62:8", "the number of edges, 4611686018427387904 * 8, does not fit");
  expect_overflow("erdos_renyi:4000000000:4000000000", "the number of entries, 4000000000 * ");
  expect_overflow("random_rows:4000000000:4000000000", "the number of entries, 4000000000 * ");
  expect_overflow("qcd_lattice:100000", "qcd_lattice: the number of rows, 100000 * ");
  expect_overflow("triangulated_grid:4000000000", "the number of rows, 4000000000 * 4000000000");
  expect_overflow("markov_grid:4000000000", "the number of rows, 4000000000 * 4000000000");
  expect_overflow("tridiagonal:4000000000000000000", "the number of entries, 4000000000000000000");
  expect_overflow("arrow:4000000000000000000", "the number of entries, 4000000000000000000");
  expect_overflow("dense_row:5000000000000000000", "the number of entries, 5000000000000000000");
  expect_overflow("exponential_decay:4000000000", "the number of entries, 4000000000 * 4000000000");
  expect_overflow("algebraic_decay:4000000000", "the number of entries, 4000000000 * 4000000000");
}

TEST(gallery, what_cannot_be_allocated_is_named) {
  // More than a vector can ever hold, so that no allocator is asked.
  expect_error<std::length_error>(
      [] { gallery::diagonal(huge); },
      {"araios::gallery::diagonal: cannot allocate 9223372036854775808 row offsets"});
  expect_error<std::length_error>([] { gallery::rmat(61, 1); },
                                  {"rmat: cannot allocate 2305843009213693952 edges"});
}

}  // namespace
