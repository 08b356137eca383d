// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <ranges>
#include <vector>

#include <araios/impl/execution.hpp>
#include <araios/ranges.hpp>

#include "support/device.hpp"

namespace {

using std::int64_t;
using support::exec;

static_assert(std::ranges::forward_range<araios::step_range<int>> &&
              std::ranges::sized_range<araios::step_range<int64_t>> &&
              std::ranges::view<araios::step_range<std::size_t>> &&
              std::ranges::borrowed_range<araios::step_range<int>> &&
              std::ranges::common_range<araios::step_range<int>>);
static_assert(std::ranges::input_range<araios::infinite_range<int>> &&
              std::ranges::view<araios::infinite_range<int64_t>> &&
              !std::ranges::common_range<araios::infinite_range<int>>);

template <class Range>
std::vector<int64_t> listed(Range const& range) {
  std::vector<int64_t> list;
  for (auto const i : range) list.push_back(static_cast<int64_t>(i));
  return list;
}

TEST(ranges, step_as_asked) {
  using list = std::vector<int64_t>;
  EXPECT_EQ(listed(araios::step_range(0, 7, 3)), (list{0, 3, 6}));
  EXPECT_EQ(listed(araios::step_range(0, 6, 3)), (list{0, 3}));
  EXPECT_EQ(listed(araios::step_range(-5, -4, 100)), (list{-5}));
  EXPECT_EQ(listed(araios::step_range(4, 4, 1)), list{});
  EXPECT_EQ(listed(araios::step_range(9, 4, 2)), list{});
  EXPECT_EQ(listed(araios::step_range<int>{}), list{});
  for (int const last : {0, 1, 5, 6, 7, 100})
    for (int const step : {1, 2, 3, 99, 1000}) {
      araios::step_range const range(0, last, step);
      EXPECT_EQ(range.size(), listed(range).size()) << last << " by " << step;
      EXPECT_EQ(std::ranges::distance(range), static_cast<std::ptrdiff_t>(range.size()));
      EXPECT_EQ(range.empty(), last == 0);
    }
}

TEST(ranges, do_not_overflow_at_the_largest_index) {
  constexpr int most = std::numeric_limits<int>::max();
  EXPECT_EQ(listed(araios::step_range(most - 5, most, 4)),
            (std::vector<int64_t>{most - 5, most - 1}));
  constexpr auto largest = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(listed(araios::step_range(largest - 1, largest, largest)),
            std::vector<int64_t>{largest - 1});
  EXPECT_EQ(listed(araios::step_range(-2'000'000'000, 2'000'000'000, 1'000'000'000)),
            (std::vector<int64_t>{-2'000'000'000, -1'000'000'000, 0, 1'000'000'000}));
  EXPECT_EQ(araios::step_range(-2'000'000'000, 2'000'000'000, 1'000'000'000).size(), 4u);
  EXPECT_EQ(araios::stride_range({0, 1'500'000'000}, -1'500'000'000, 1'500'000'001).size(), 3u);
  EXPECT_EQ(listed(araios::stride_range({2, 3}, -most - 1, -most + 3)),
            (std::vector<int64_t>{-int64_t{most} + 1}));
  constexpr auto wide = std::numeric_limits<std::size_t>::max();
  EXPECT_EQ(araios::step_range<std::size_t>(0, wide, wide / 2).size(), 3u);
  EXPECT_EQ(listed(araios::stride_range({int64_t{1} << 40, int64_t{1} << 41}, 0, most)),
            std::vector<int64_t>{});
  EXPECT_EQ(listed(araios::stride_range({7, int64_t{1} << 41}, 0, most)), std::vector<int64_t>{7});
  EXPECT_EQ(araios::stride_range({1, 2}, wide - 3, wide).size(), 1u);
}

TEST(ranges, work_with_the_algorithms_of_the_standard_library) {
  auto squares = araios::step_range(1, 10, 2) | std::views::transform([](int i) { return i * i; });
  EXPECT_TRUE(std::ranges::equal(squares, std::vector{1, 9, 25, 49, 81}));
  auto first = araios::infinite_range(5, 5) | std::views::take(3);
  EXPECT_EQ(listed(first), (std::vector<int64_t>{5, 10, 15}));
}

TEST(ranges, deal_every_index_once) {
  for (int64_t const workers : {1, 3, 64})
    for (int const last : {0, 1, 63, 64, 65, 1000}) {
      std::vector<int> dealt(static_cast<std::size_t>(last), 0);
      for (int64_t rank = 0; rank < workers; ++rank)
        for (auto const i : araios::stride_range({rank, workers}, 0, last))
          ++dealt[static_cast<std::size_t>(i)];
      EXPECT_EQ(std::ranges::count(dealt, 1), last) << workers << " workers";
    }
}

/// Counts how often each index is dealt in a launch that the caller owns.
struct count_indices {
  int which;
  Kokkos::View<int*, exec> dealt;
  Kokkos::View<int, exec> next;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    int const size = static_cast<int>(dealt.extent(0));
    if (which == 0) {
      for (int const i : araios::grid_stride(member, 0, size)) Kokkos::atomic_inc(&dealt(i));
    } else if (which == 1) {
      for (int const i : araios::block_stride(member, 0, size)) Kokkos::atomic_inc(&dealt(i));
    } else if (which == 2) {
      for (int const i : araios::warp_stride(member, 0, size)) Kokkos::atomic_inc(&dealt(i));
    } else {  // a persistent kernel that takes work until there is none
      auto const lane = araios::vector_lane(member);
      for (int const round : araios::infinite_range(0)) {
        (void)round;
        if (lane.rank != 0) break;
        int const i = Kokkos::atomic_fetch_add(&next(), 1);
        if (i >= size) break;
        Kokkos::atomic_inc(&dealt(i));
      }
    }
  }
};

TEST(ranges, deal_every_index_once_inside_of_kernels) {
  int const most = araios::impl::runs_on_host<exec> ? 1 : 32;
  for (int const vector_length : {1, 8, 32}) {
    if (vector_length > most) continue;
    int const team = most == 1 ? 1 : 64 / vector_length;
    for (int const league : {1, 5})
      for (int const size : {0, 1, 31, 64, 65, 5000}) {
        int const threads[] = {1, league, league * team, 1};  // how often an index is dealt
        for (int const which : {0, 1, 2, 3}) {
          count_indices const kernel{
              which, Kokkos::View<int*, exec>("dealt", static_cast<std::size_t>(size)),
              Kokkos::View<int, exec>("next")};
          Kokkos::parallel_for("tests::ranges",
                               Kokkos::TeamPolicy<exec>(league, team, vector_length), kernel);
          EXPECT_EQ(support::to_host(kernel.dealt),
                    std::vector<int>(static_cast<std::size_t>(size), threads[which]))
              << which << ", " << league << " teams of " << team << " x " << vector_length;
        }
      }
  }
}

}  // namespace
