// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <araios/convert.hpp>
#include <araios/gallery.hpp>
#include <araios/matrix/crs.hpp>

#include "support/battery.hpp"
#include "support/device.hpp"
#include "support/formats.hpp"
#include "support/throws.hpp"

// Storage formats, made of compressed rows and turned back.

namespace {

using araios::host_crs;
using std::int64_t;
using support::exec;

std::size_t at(int64_t i) { return static_cast<std::size_t>(i); }

/// Rows sorted, duplicates added.
host_crs<double> tidied(host_crs<double> const& a) {
  host_crs<double> result{a.num_rows, a.num_cols, {0}, {}, {}};
  for (int64_t i = 0; i < a.num_rows; ++i) {
    std::vector<std::pair<int64_t, double>> row;
    for (auto k = a.row_map[at(i)]; k < a.row_map[at(i + 1)]; ++k)
      row.emplace_back(a.entries[at(k)], a.values[at(k)]);
    std::stable_sort(row.begin(), row.end(),
                     [](auto const& x, auto const& y) { return x.first < y.first; });
    for (std::size_t n = 0; n < row.size(); ++n)
      if (n > 0 && row[n].first == row[n - 1].first) {
        result.values.back() += row[n].second;
      } else {
        result.entries.push_back(row[n].first);
        result.values.push_back(row[n].second);
      }
    result.row_map.push_back(static_cast<int64_t>(result.entries.size()));
  }
  return result;
}

void expect_same(host_crs<double> const& got, host_crs<double> const& expected) {
  EXPECT_EQ(got.num_rows, expected.num_rows);
  EXPECT_EQ(got.num_cols, expected.num_cols);
  EXPECT_EQ(got.row_map, expected.row_map);
  EXPECT_EQ(got.entries, expected.entries);
  ASSERT_EQ(got.values.size(), expected.values.size());
  for (std::size_t k = 0; k < got.values.size(); ++k)
    EXPECT_DOUBLE_EQ(got.values[k], expected.values[k]) << k;
}

class formats : public support::random_test {};

}  // namespace

TEST_F(formats, go_back_to_the_same_compressed_rows) {
  for (auto const& [name, reason, host] : support::battery(random)) {
    SCOPED_TRACE(name + ": " + reason);
    auto const a = araios::to_crs_matrix<double>(exec{}, host);
    auto const check = [&](auto const& stored, std::string const& format, bool tidy) {
      SCOPED_TRACE(format);
      auto const back = araios::to_host_crs(exec{}, araios::to_crs(exec{}, stored));
      if (format == "CCS")  // sorted, but duplicates stay
        expect_same(tidied(back), tidied(host));
      else
        expect_same(back, tidy ? tidied(host) : host);
    };
    support::for_each_format(a, check);
    support::for_each_format_with_padding(a, check);
  }
}

TEST_F(formats, are_made_of_each_other) {
  auto const host = support::rows_of(random, {1, 0, 3, 2, 5, 0, 0, 1, 2, 7}, 9);
  auto const a = araios::to_crs_matrix<float, int64_t, int>(exec{}, host);
  auto const blocks = araios::to_bcsr<2>(exec{}, araios::to_rgcsr(exec{}, a));
  static_assert(std::is_same_v<decltype(blocks)::ordinal_type, int64_t> &&
                std::is_same_v<decltype(blocks)::offset_type, int> &&
                std::is_same_v<decltype(blocks)::value_type, float>);
  auto const back = araios::to_crs(exec{}, araios::to_ell(exec{}, araios::to_ccs(exec{}, blocks)));
  EXPECT_EQ(araios::to_host_crs(exec{}, back).entries, host.entries);
  EXPECT_EQ(back.nnz(), a.nnz());
  EXPECT_EQ(blocks.nnz(), a.nnz());
}

// F15
TEST_F(formats, count_slots_cumulatively) {
  auto const host = support::rows_of(random, {1, 0, 3, 2, 5, 0, 0, 1, 2, 7}, 9);
  auto const a = araios::to_crs_matrix<double>(exec{}, host);
  auto const s = araios::to_sliced_ell(exec{}, a, {.slice_size = 4});
  EXPECT_EQ(support::to_host(s.slice_begin), (std::vector<std::size_t>{0, 12, 32, 60}));
  auto const r = araios::to_rgcsr(exec{}, a, {.group_size = 4, .budget = 10, .window = 1});
  EXPECT_EQ(support::to_host(r.group_begin), (std::vector<std::size_t>{0, 12, 32}));
  EXPECT_EQ(r.entries.extent(0), 32u + 14u);  // the last group has two rows
  EXPECT_DOUBLE_EQ(r.fill(), (46.0 - 21.0) / 21.0);
  EXPECT_EQ(support::to_host(araios::group_fill(exec{}, r)),
            (std::vector<double>{(12.0 - 6.0) / 6.0, (20.0 - 6.0) / 6.0, (14.0 - 9.0) / 9.0}));
  auto const all_in_one =
      araios::to_rgcsr(exec{}, a, {.group_size = 100, .budget = 10, .plain_fill = 10});
  EXPECT_EQ(all_in_one.group_begin.extent(0), 1u);
}

// Even rows: no need to look where a group begins.
TEST_F(formats, give_all_groups_one_width_if_that_leaves_few_slots_empty) {
  auto const host = support::band(random, 100, 100, {-1, 0, 1});
  auto const a = araios::to_crs_matrix<double>(exec{}, host);
  auto const r = araios::to_rgcsr(exec{}, a, {.group_size = 8});
  EXPECT_EQ(r.width(), 3);
  EXPECT_EQ(r.group_begin.extent(0), 0u);
  EXPECT_EQ(r.entries.extent(0), 300u);
  auto const fill = support::to_host(araios::group_fill(exec{}, r));
  ASSERT_EQ(fill.size(), 13u);
  EXPECT_DOUBLE_EQ(fill[0], 1.0 / 23.0);
  EXPECT_DOUBLE_EQ(fill[1], 0.0);
  EXPECT_DOUBLE_EQ(fill[12], 1.0 / 11.0);  // four rows
  expect_same(araios::to_host_crs(exec{}, araios::to_crs(exec{}, r)), host);
}

// Where most entries lie in long rows, nothing is gained by grouping the others.
TEST_F(formats, leave_matrices_of_few_long_rows_in_compressed_rows) {
  std::vector<int64_t> lengths(1000, 1);
  lengths[5] = 3000;
  auto const host = support::rows_of(random, lengths, 4000);
  auto const a = araios::to_crs_matrix<double>(exec{}, host);
  auto const r = araios::to_rgcsr(exec{}, a);
  EXPECT_EQ(r.tail.nnz(), a.nnz());
  EXPECT_EQ(r.tail.rows.extent(0), 0u);  // all rows
  EXPECT_EQ(r.fill(), 0.0);
  expect_same(araios::to_host_crs(exec{}, araios::to_crs(exec{}, r)), host);
}

TEST_F(formats, keep_all_rows_that_the_options_allow) {
  std::vector<int64_t> lengths(1000, 5);
  for (std::size_t i = 0; i < 10; ++i) lengths[100 * i + 7] = 40;
  auto const a = araios::to_crs_matrix<double>(exec{}, support::rows_of(random, lengths, 90));
  EXPECT_EQ(araios::to_rgcsr(exec{}, a, {.longest = 1000}).tail.nnz(), 0u);
  EXPECT_EQ(araios::to_rgcsr(exec{}, a, {.longest = 39}).tail.rows.extent(0), 10u);
}

TEST_F(formats, sort_rows_by_length_within_windows) {
  auto const host = support::rows_of(random, {1, 0, 3, 2, 5, 0, 0, 1, 2, 7}, 9);
  auto const a = araios::to_crs_matrix<double>(exec{}, host);
  auto const r = araios::to_rgcsr(
      exec{}, a, {.group_size = 2, .budget = 10, .plain_fill = 0.0, .window = 4, .longest = 5});
  EXPECT_EQ(support::to_host(r.order), (std::vector<int>{2, 3, 0, 1, 4, 7, 5, 6, 8, 9}));
  EXPECT_EQ(support::to_host(r.row_map),
            (std::vector<std::size_t>{0, 3, 5, 6, 6, 11, 12, 12, 12, 14, 14}));
  EXPECT_EQ(support::to_host(r.tail.rows), std::vector<int>{9});
  EXPECT_EQ(support::to_host(r.tail.row_map), (std::vector<std::size_t>{0, 7}));
}

// The default stays within one and a half times the bytes of compressed rows, whatever the matrix.
TEST_F(formats, row_grouped_keep_to_their_budget) {
  auto const check = [&](auto const& a, std::string const& name) {
    auto const crs = static_cast<double>(a.row_map.span() * sizeof(a.row_map(0)) +
                                         a.entries.span() * sizeof(a.entries(0)) +
                                         a.values.span() * sizeof(a.values(0)));
    for (double const budget : {1.5, 2.0}) {
      auto const r = araios::to_rgcsr(exec{}, a, {.budget = budget});
      EXPECT_LE(static_cast<double>(r.bytes()), budget * crs) << name;
    }
  };
  auto matrices = support::battery(random);
  for (double const share : {0.01, 0.03, 0.1, 0.3, 0.7}) {
    std::vector<int64_t> lengths(5000, 0);
    for (auto& length : lengths)
      if (static_cast<double>(support::draw(random, 0, 999)) < 1000.0 * share)
        length = support::draw(random, 1, 3);
    matrices.push_back({"sparse", "most rows empty", support::rows_of(random, lengths, 500)});
  }
  for (auto const& m : matrices) {
    if (m.a.num_rows == 0) continue;
    check(araios::to_crs_matrix<double>(exec{}, m.a), m.name);
    check(araios::to_crs_matrix<double, int, int>(exec{}, m.a), m.name + ", 32-bit offsets");
    check(araios::to_crs_matrix<float, int, int>(exec{}, m.a), m.name + ", float");
  }
  auto const even = araios::to_crs_matrix<double>(exec{}, support::band(random, 900, 900, {0, 1}));
  EXPECT_TRUE(
      support::throws<std::length_error>([&] { araios::to_rgcsr(exec{}, even, {.budget = 0.5}); },
                                         {"araios::to_rgcsr", "bytes", "900 x 900", "budget"}));
}

TEST_F(formats, take_other_values_in_place) {
  for (auto const& m : support::battery(random)) {
    SCOPED_TRACE(m.name);
    auto const a = araios::to_crs_matrix<double>(exec{}, m.a);
    auto const other = support::with_values<double>(random, m.a);
    auto const b = araios::to_crs_matrix<double>(exec{}, other);
    for (auto const& options :
         {araios::rgcsr_options{},
          araios::rgcsr_options{
              .group_size = 5, .budget = 100.0, .plain_fill = 0.0, .longest = 3}}) {
      auto const r = araios::to_rgcsr(exec{}, a, options);
      araios::update_values(exec{}, b, r);
      expect_same(araios::to_host_crs(exec{}, araios::to_crs(exec{}, r)), other);
    }
  }
  auto const a = araios::to_crs_matrix<double>(exec{}, support::rows_of(random, {1, 2}, 5));
  auto const b = araios::to_crs_matrix<double>(exec{}, support::rows_of(random, {1, 3}, 5));
  EXPECT_TRUE(support::throws<std::invalid_argument>(
      [&] { araios::update_values(exec{}, b, araios::to_rgcsr(exec{}, a)); },
      {"araios::update_values", "3 entries", "with 4"}));
}

TEST_F(formats, refuse_what_would_not_fit) {
  std::vector<int64_t> lengths(20'000, 1);
  lengths[77] = 20'000;
  auto const host = support::rows_of(random, lengths, 20'000);
  auto const a = araios::to_crs_matrix<double>(exec{}, host);
  EXPECT_TRUE(support::throws<std::length_error>([&] { araios::to_ell(exec{}, a); },
                                                 {"araios::to_ell", "4.8e+09 bytes", "20000 x"}));
  EXPECT_TRUE(support::throws<std::length_error>([&] { araios::to_dia(exec{}, a); },
                                                 {"araios::to_dia", "bytes", "20000 x 20000"}));
  auto const narrow = araios::to_crs_matrix<double, int, std::int16_t>(
      exec{}, support::rows_of(
                  random, {300, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                           1,   1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                           1,   1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                           1,   1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                           1,   1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
                  400));
  EXPECT_TRUE(support::throws<std::overflow_error>([&] { araios::to_ell(exec{}, narrow); },
                                                   {"araios::to_ell", "33600", "16 bits"}));
  auto const is_refused = [&](auto const& f, std::string const& what) {
    EXPECT_TRUE(support::throws<std::invalid_argument>(f, {what}));
  };
  is_refused([&] { araios::to_rgcsr(exec{}, a, {.group_size = -1}); }, "groups of -1 rows");
  is_refused([&] { araios::to_rgcsr(exec{}, a, {.window = 3}); }, "a window of 3 rows");
  is_refused([&] { araios::to_rgcsr(exec{}, a, {.budget = 0.0}); }, "a budget of 0");
  is_refused([&] { araios::to_rgcsr(exec{}, a, {.longest = -1}); }, "longest is -1");
  is_refused([&] { araios::to_sliced_ell(exec{}, a, {.slice_size = 0}); }, "slices of 0 rows");
  is_refused([&] { araios::to_sliced_ell(exec{}, a, {.window = 8192}); }, "a window of 8192 rows");
  is_refused([&] { araios::to_bcsr(exec{}, a, {.block_size = 65}); }, "blocks of 65 rows");
  is_refused([&] { araios::to_hyb(exec{}, a, {.width = -2}); }, "a width of -2");
}

TEST_F(formats, split_by_the_rule_of_a_third) {
  std::vector<int64_t> lengths(60, 2);
  for (std::size_t i = 0; i < 20; ++i) lengths[3 * i] = 5;
  lengths[7] = 30;
  auto const a = araios::to_crs_matrix<double>(exec{}, support::rows_of(random, lengths, 90));
  auto const h = araios::to_hyb(exec{}, a);
  EXPECT_EQ(h.ell.width(), 5);  // 21 of 60 rows have as many
  EXPECT_EQ(h.rest.nnz(), 25u);
  EXPECT_EQ(h.ell.nnz() + h.rest.nnz(), a.nnz());
}
