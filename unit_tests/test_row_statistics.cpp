// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <variant>
#include <vector>

#include <araios/row_statistics.hpp>
#include <araios/schedule/automatic.hpp>

#include "contracts/schedule.hpp"
#include "support/battery.hpp"
#include "support/device.hpp"
#include "support/tools_counter.hpp"

namespace tests {

using std::int64_t;
using support::exec;

class row_statistics : public support::random_test {};

/// The statistics of row lengths, of which only the row map exists.
template <class Offset>
araios::row_statistics of_lengths(std::vector<int64_t> const& lengths) {
  std::vector<Offset> row_map{0};
  for (auto const l : lengths) row_map.push_back(row_map.back() + static_cast<Offset>(l));
  auto const device = support::to_device(row_map);
  return araios::tile_statistics(
      exec{}, araios::crs_tiles<int, Offset>{static_cast<int>(lengths.size()), row_map.back(),
                                             device.data()});
}

TEST_F(row_statistics, agree_with_the_lengths_on_the_battery) {
  for (auto const& m : support::battery(random)) {
    SCOPED_TRACE(m.name + ": " + m.reason);
    std::vector<int64_t> lengths;
    for (std::size_t i = 0; i + 1 < m.a.row_map.size(); ++i)
      lengths.push_back(m.a.row_map[i + 1] - m.a.row_map[i]);
    auto const s = araios::statistics(exec{}, araios::to_crs_matrix<double>(exec{}, m.a));
    EXPECT_EQ(s.rows, m.a.num_rows);
    EXPECT_EQ(s.nnz, m.a.nnz());
    EXPECT_EQ(s.longest, lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end()));
    EXPECT_EQ(s.empty, std::count(lengths.begin(), lengths.end(), 0));
    double squares = 0.0;
    for (auto const l : lengths) squares += static_cast<double>(l) * static_cast<double>(l);
    EXPECT_EQ(s.sum_of_squares, squares);
    if (lengths.empty()) {
      EXPECT_EQ(s.mean(), 0.0);
      EXPECT_EQ(s.standard_deviation(), 0.0);
      continue;
    }
    auto const n = static_cast<double>(lengths.size());
    double const mean = static_cast<double>(m.a.nnz()) / n;
    double variance = 0.0;
    for (auto const l : lengths) variance += std::pow(static_cast<double>(l) - mean, 2) / n;
    EXPECT_DOUBLE_EQ(s.mean(), mean);
    EXPECT_NEAR(s.standard_deviation(), std::sqrt(variance), 1e-6 * (1.0 + mean));
  }
}

TEST_F(row_statistics, portable_and_plain_instances_agree) {
  auto const a = araios::to_crs_matrix<double>(exec{}, support::rows_of(random, {1, 5, 0, 3}, 9));
  EXPECT_EQ(araios::statistics(araios::portable_on{exec{}}, a).fingerprint,
            araios::statistics(exec{}, a).fingerprint);
}

// F29: lengths whose sum does not fit 32 bits.
TEST_F(row_statistics, count_in_64_bits) {
  auto const s = of_lengths<std::size_t>(std::vector<int64_t>(4, int64_t{1} << 30));
  EXPECT_EQ(s.nnz, int64_t{1} << 32);
  EXPECT_EQ(s.longest, int64_t{1} << 30);
  EXPECT_EQ(s.sum_of_squares, std::ldexp(1.0, 62));
  EXPECT_EQ(s.mean(), std::ldexp(1.0, 30));
  EXPECT_EQ(s.standard_deviation(), 0.0);
}

TEST_F(row_statistics, fingerprints_tell_row_maps_apart) {
  std::vector<int64_t> lengths;
  for (int i = 0; i < 500; ++i) lengths.push_back(support::draw(random, 0, 9));
  lengths[0] = 3;
  lengths[499] = 7;
  auto const print = [](std::vector<int64_t> const& l) { return of_lengths<int>(l).fingerprint; };
  auto const first = print(lengths);
  EXPECT_EQ(print(lengths), first) << "the same row map elsewhere";
  EXPECT_EQ(of_lengths<std::size_t>(lengths).fingerprint, first) << "the same in wider offsets";
  for (int run = 0; run < 50; ++run) {
    auto other = lengths;
    auto const i = static_cast<std::size_t>(support::draw(random, 0, 499));
    auto const j = static_cast<std::size_t>(support::draw(random, 0, 499));
    if (i == j || other[i] == 0) continue;
    --other[i];  // the same number of entries
    ++other[j];
    EXPECT_NE(print(other), first) << "rows " << i << " and " << j;
  }
  auto reversed = lengths;
  std::reverse(reversed.begin(), reversed.end());
  EXPECT_NE(print(reversed), first);
}

TEST_F(row_statistics, take_one_reduction_on_the_instance) {
  auto const a = araios::to_crs_matrix<double>(exec{}, support::rows_of(random, {1, 5, 0, 3}, 9));
  araios::crs_matrix<double> const none(0, 5, {}, {}, {});
  araios::statistics(exec{}, a);  // warms Kokkos up
  {
    support::tools_counter const counter;
    araios::statistics(exec{}, a);
    EXPECT_EQ(counter.launches, std::vector<std::string>{"araios::statistics::rows"});
    EXPECT_EQ(counter.global_fences(), 0);
    EXPECT_TRUE(counter.all_on(exec{}));
    EXPECT_TRUE(counter.allocations.empty());
  }
  support::tools_counter const counter;
  EXPECT_EQ(araios::statistics(exec{}, none).rows, 0);
  EXPECT_TRUE(counter.nothing_happened());
}

std::string chosen_for(araios::row_statistics const& s, araios::automatic const& how = {}) {
  return araios::name_of(araios::choose_schedule(exec{}, s, how));
}

// F34: what decides is how far the longest row is from the mean.
TEST_F(row_statistics, decide_on_the_schedule) {
  constexpr std::size_t n = 1'000'000;
  std::vector<int64_t> one_heavy(n + 1, 1);
  one_heavy[n / 2] = n;
  std::vector<int64_t> four_heavy(699'000, 50);
  for (auto const& [row, length] :
       {std::pair{1000, 42254}, {3000, 31980}, {400000, 5088}, {7, 237}})
    four_heavy[static_cast<std::size_t>(row)] = length;
  std::vector<int64_t> const short_rows(n, 5), long_rows(1000, 200);
  bool const one_thread = exec{}.concurrency() == 1;
  for (auto const& heavy : {one_heavy, four_heavy}) {
    auto const s = of_lengths<std::size_t>(heavy);
    auto const choice = chosen_for(s);
    if (one_thread)
      EXPECT_EQ(choice, "thread_mapped");
    else
      EXPECT_TRUE(choice == "merge_path" || choice == "nonzero_split") << choice;
  }
  auto const choice = [](auto const& lengths) {
    return chosen_for(of_lengths<std::size_t>(lengths));
  };
  EXPECT_EQ(choice(short_rows), "thread_mapped");
  EXPECT_EQ(choice(long_rows), araios::impl::runs_on_host<exec> ? "thread_mapped" : "warp_mapped");
  if constexpr (!araios::impl::runs_on_host<exec>) {
    std::vector<int64_t> few(7000, 5), some(7000, 5);
    few[3] = 900;  // one warp does it sooner than another launch starts
    some[3] = 90'000;
    EXPECT_EQ(choice(few), "warp_mapped");
    EXPECT_TRUE(contracts::splits_tiles(choice(some))) << choice(some);
  }
  choice(std::vector<int64_t>{});  // no rows: any schedule, but no division by zero
}

// The rule of the loops paper knows nothing but sizes.
TEST_F(row_statistics, decide_as_the_loops_paper_does) {
  araios::automatic const how{araios::selection::loops};
  auto const choice = [&](int64_t rows, int64_t cols, int64_t nnz) {
    araios::row_statistics s;
    s.rows = rows;
    s.cols = cols;
    s.nnz = nnz;
    EXPECT_EQ(araios::name_of(araios::choose_schedule(
                  exec{}, static_cast<araios::matrix_shape const&>(s), how)),
              chosen_for(s, how));
    return chosen_for(s, how);
  };
  EXPECT_EQ(choice(499, 1000, 9999), "thread_mapped");
  EXPECT_EQ(choice(1000, 499, 9999), "thread_mapped");
  EXPECT_EQ(choice(499, 499, 10000), "merge_path");
  EXPECT_EQ(choice(500, 500, 9999), "merge_path");
  EXPECT_EQ(choice(100, 500, 3201), "group_mapped");  // more than a warp in a row
  EXPECT_EQ(choice(100, 500, 3200), "thread_mapped");
  EXPECT_EQ(choice(0, 0, 0), "thread_mapped");
}

}  // namespace tests
