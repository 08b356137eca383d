// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <araios/matrix/crs.hpp>
#include <araios/schedule/automatic.hpp>
#include <araios/spmv.hpp>

#include "contracts/schedule.hpp"
#include "contracts/tile_set.hpp"
#include "reference/spmv.hpp"
#include "support/battery.hpp"
#include "support/device.hpp"
#include "support/throws.hpp"

namespace tests {

using std::int64_t;
using support::exec;

/// Rows as tiles, stored column by column with one slot for each row in each: ELL with padding.
template <class Ordinal, class Offset>
struct ell_tiles {
  using tile_type = Ordinal;
  using atom_type = Offset;

  Ordinal rows;
  Offset nnz;
  Offset const* row_map;

  KOKKOS_FUNCTION Ordinal num_tiles() const { return rows; }
  KOKKOS_FUNCTION Offset num_atoms() const { return nnz; }
  KOKKOS_FUNCTION Offset tile_begin(Ordinal row) const { return row_map[row]; }
  KOKKOS_FUNCTION Offset tile_end(Ordinal row) const { return row_map[row + 1]; }
  KOKKOS_FUNCTION std::size_t slot(Ordinal row, Offset atom) const {
    return static_cast<std::size_t>(atom - row_map[row]) * static_cast<std::size_t>(rows) +
           static_cast<std::size_t>(row);
  }
};

/// Tiles of equal size that need no memory.
struct even_tiles {
  using tile_type = int;
  using atom_type = int64_t;

  int count;
  int64_t size;

  KOKKOS_FUNCTION int num_tiles() const { return count; }
  KOKKOS_FUNCTION int64_t num_atoms() const { return count * size; }
  KOKKOS_FUNCTION int64_t tile_begin(int tile) const { return tile * size; }
  KOKKOS_FUNCTION int64_t tile_end(int tile) const { return (tile + 1) * size; }
  KOKKOS_FUNCTION std::size_t slot(int, int64_t atom) const {
    return static_cast<std::size_t>(atom);
  }
};

using member = Kokkos::TeamPolicy<exec>::member_type;
using plain_tiles = araios::crs_tiles<int, std::size_t>;
static_assert(araios::tile_set<araios::crs_tiles<int, int>>);
static_assert(araios::tile_set<plain_tiles>);
static_assert(araios::tile_set<araios::crs_tiles<int64_t, int64_t>>);
static_assert(araios::tile_set<ell_tiles<int, std::size_t>>);
static_assert(araios::tile_set<even_tiles>);
static_assert(!araios::tile_set<int>);
static_assert(araios::schedule_for<araios::thread_mapped, plain_tiles, member>);
static_assert(araios::schedule_for<araios::warp_mapped, plain_tiles, member>);
static_assert(araios::schedule_for<araios::block_mapped, plain_tiles, member>);
static_assert(araios::schedule_for<araios::merge_path, plain_tiles, member>);
static_assert(
    araios::schedule_for<araios::bound_merge_path<exec, plain_tiles>, plain_tiles, member>);
static_assert(araios::schedule_for<araios::merge_path, even_tiles, member>);
static_assert(!araios::schedule_for<araios::automatic, plain_tiles, member>);

class schedules : public support::random_test {};

/// The row map at the very end of an allocation, what lies before it spoilt.
template <class Offset>
struct row_map_at_end {
  support::device_vector<Offset> all;
  Offset const* data;

  explicit row_map_at_end(std::vector<int64_t> const& row_map) {
    std::vector<Offset> host(7, std::numeric_limits<Offset>::max());
    for (auto const o : row_map) host.push_back(static_cast<Offset>(o));
    all = support::to_device(host);
    data = all.data() + 7;
  }
};

template <araios::tile_set Tiles>
void check_all_schedules(Tiles const& tiles) {
  auto const borders = contracts::borders_of(tiles);
  contracts::for_each_schedule([&](auto const& schedule) {
    SCOPED_TRACE(contracts::describe(schedule));
    contracts::check_schedule(schedule, tiles, borders);
    if constexpr (requires { schedule.bind(exec{}, tiles); }) {
      SCOPED_TRACE("bound");
      auto const bound = schedule.bind(exec{}, tiles);
      contracts::check_schedule(bound, tiles, borders);
      for (int const league : {1, 7}) contracts::check_league(bound, tiles, borders, league, 1);
    }
    for (int const league : {1, 2, 7, 61}) {
      SCOPED_TRACE("league of " + std::to_string(league));
      contracts::check_league(schedule, tiles, borders, league, 1);
    }
    contracts::check_league(schedule, tiles, borders, 5, 96);
  });
}

template <template <class, class> class Tiles, class Ordinal, class Offset>
void check_battery(support::engine& random) {
  for (auto const& m : support::battery(random)) {
    SCOPED_TRACE(m.name + ": " + m.reason);
    row_map_at_end<Offset> const row_map(m.a.row_map);
    Tiles<Ordinal, Offset> const tiles{static_cast<Ordinal>(m.a.num_rows),
                                       static_cast<Offset>(m.a.nnz()), row_map.data};
    contracts::check_tile_set(tiles);
    check_all_schedules(tiles);
  }
}

TEST_F(schedules, keep_the_contract_on_crs_int_size_t) {
  check_battery<araios::crs_tiles, int, std::size_t>(random);
}

TEST_F(schedules, keep_the_contract_on_strided_tiles) {
  check_battery<ell_tiles, int, std::size_t>(random);
}

template <class Ordinal, class Offset>
void check_merge_path_types(support::engine& random) {
  for (auto const& m : support::battery(random)) {
    SCOPED_TRACE(m.name + ": " + m.reason);
    row_map_at_end<Offset> const row_map(m.a.row_map);
    araios::crs_tiles<Ordinal, Offset> const tiles{static_cast<Ordinal>(m.a.num_rows),
                                                   static_cast<Offset>(m.a.nnz()), row_map.data};
    contracts::check_tile_set(tiles);
    auto const borders = contracts::borders_of(tiles);
    contracts::check_schedule(araios::merge_path(1, 4), tiles, borders);
    contracts::check_schedule(araios::merge_path(1, 4).bind(exec{}, tiles), tiles, borders);
    contracts::check_schedule(araios::warp_mapped(4), tiles, borders);
    contracts::check_league(araios::merge_path(1, 4), tiles, borders, 61, 1);
  }
}

TEST_F(schedules, keep_the_contract_on_crs_int_int) { check_merge_path_types<int, int>(random); }

TEST_F(schedules, keep_the_contract_on_crs_int64_int64) {
  check_merge_path_types<int64_t, int64_t>(random);
}

TEST_F(schedules, keep_the_contract_on_tiles_without_memory) {
  for (auto const& tiles : {even_tiles{0, 3}, even_tiles{1, 0}, even_tiles{1, 1},
                            even_tiles{1, 999}, even_tiles{700, 0}, even_tiles{33, 33}}) {
    SCOPED_TRACE(std::to_string(tiles.count) + " tiles of " + std::to_string(tiles.size));
    contracts::check_tile_set(tiles);
    auto const borders = contracts::borders_of(tiles);
    contracts::check_schedule(araios::thread_mapped{}, tiles, borders);
    contracts::check_schedule(araios::merge_path(1, 1), tiles, borders);
    contracts::check_league(araios::merge_path(1, 1), tiles, borders, 61, 1);
  }
}

TEST_F(schedules, bound_merge_path_gives_a_long_tile_to_whole_teams) {
  if constexpr (araios::impl::runs_on_host<exec>) {
    GTEST_SKIP() << "a worker of a host backend is a team of its own";
  } else {
    even_tiles const tiles{2, 500000};
    int const items = 8;
    auto const schedule = araios::merge_path(1, items).bind(exec{}, tiles);
    auto const workers = schedule.shape(exec{}, tiles).workers;
    contracts::slice_record const record(workers + 2);
    araios::for_each_slice(
        exec{}, "tests::record", schedule, tiles,
        contracts::record_body<std::remove_const_t<decltype(schedule)>, even_tiles>{record});
    auto const slices = contracts::slices_in(record);
    contracts::check_slices(slices, contracts::borders_of(tiles), true);
    // All teams but those at the two ends of a tile take one slice each.
    auto const long_slices = std::count_if(slices.begin(), slices.end(), [&](auto const& slice) {
      return slice.end - slice.begin > items;
    });
    EXPECT_GE(long_slices, workers / araios::threads_per_team - 3);
  }
}

// F29: no count is ever narrowed, although tiles and shares have 32-bit numbers.
template <class Ordinal, class Offset>
void check_huge_partition(std::vector<int64_t> const& row_map_host, int workers) {
  row_map_at_end<Offset> const row_map(row_map_host);
  araios::crs_tiles<Ordinal, Offset> const tiles{static_cast<Ordinal>(row_map_host.size() - 1),
                                                 static_cast<Offset>(row_map_host.back()),
                                                 row_map.data};
  auto const borders = contracts::check_tile_borders(tiles);
  auto slices = contracts::check_league(araios::merge_path(1, 1), tiles, borders, workers, 1);
  ASSERT_FALSE(slices.empty());

  // Monotone and even: workers in order get atoms in order, and no worker more than its share.
  int64_t const steps = static_cast<int64_t>(row_map_host.size()) - 1 + row_map_host.back();
  std::sort(slices.begin(), slices.end(),
            [](auto const& a, auto const& b) { return a.begin < b.begin; });
  std::map<int64_t, int64_t> taken;
  int64_t last_worker = 0;
  for (auto const& s : slices) {
    EXPECT_GE(s.worker, last_worker);
    last_worker = s.worker;
    taken[s.worker] += s.end - s.begin;
  }
  EXPECT_EQ(last_worker, workers - 1);
  for (auto const& [worker, atoms] : taken)
    EXPECT_LE(atoms, (steps + workers - 1) / workers) << "worker " << worker;
}

TEST_F(schedules, partition_of_two_to_the_32_atoms) {
  std::vector<int64_t> const row_map{0, int64_t{1} << 30, int64_t{1} << 31, 3 * (int64_t{1} << 30),
                                     int64_t{1} << 32};
  check_huge_partition<int, std::size_t>(row_map, 1000);
  check_huge_partition<int64_t, int64_t>(row_map, 1000);
}

TEST_F(schedules, partition_of_as_many_atoms_as_an_int_counts) {
  constexpr int64_t most = std::numeric_limits<int>::max();
  check_huge_partition<int, int>({0, int64_t{1} << 30, most - 1, most}, 1000);
}

/// Sums of ones over the last atoms that an int can number: nothing is read from memory.
template <class Schedule>
struct sum_last_atoms {
  Schedule schedule;
  araios::slice_of<araios::crs_tiles<int, int>> slice;
  Kokkos::View<double, exec> result;

  struct one {
    int begin, end;
    KOKKOS_FUNCTION double operator()(int atom) const {
      return begin <= atom && atom < end ? 1.0 : 1e30;
    }
  };

  KOKKOS_FUNCTION void operator()(member const& m) const {
    double sum = 0.0;
    araios::sum_over(schedule, m, slice, one{slice.begin, slice.end}, sum);
    araios::once<Schedule>(m, slice, [&] { result() = sum; });
  }
};

template <class Schedule>
void check_last_atoms(Schedule const& schedule, int count) {
  SCOPED_TRACE(contracts::describe(schedule) + ", " + std::to_string(count) + " atoms");
  constexpr int most = std::numeric_limits<int>::max();
  Kokkos::View<double, exec> const result("result");
  int vector_length = 1;
  int threads = 1;
  if constexpr (!araios::impl::runs_on_host<exec>) {
    if constexpr (requires { schedule.lanes; }) vector_length = schedule.lanes;
    if constexpr (Schedule::scope == araios::slice_scope::team) threads = 128;
  }
  sum_last_atoms<Schedule> const kernel{schedule, {0, most - count, most, true}, result};
  Kokkos::parallel_for("tests::sum_last_atoms", Kokkos::TeamPolicy<exec>(1, threads, vector_length),
                       kernel);
  double sum = 0.0;
  Kokkos::deep_copy(sum, result);
  EXPECT_EQ(sum, count);
}

TEST_F(schedules, sum_up_to_the_last_atom_that_an_int_counts) {
  for (int const count : {1, 3, 40, 200}) {
    check_last_atoms(araios::thread_mapped{}, count);
    check_last_atoms(araios::warp_mapped(8), count);
    check_last_atoms(araios::warp_mapped(32), count);
    check_last_atoms(araios::block_mapped{}, count);
  }
}

// One kernel body serves every tile set: the same product from padded, strided storage. Rule 4: the
// padding holds NaN and columns far outside.
TEST_F(schedules, drive_a_product_in_strided_storage) {
  for (auto const& m : support::battery(random)) {
    if (m.a.nnz() == 0) continue;
    SCOPED_TRACE(m.name + ": " + m.reason);
    int64_t width = 0;
    for (int64_t i = 0; i < m.a.num_rows; ++i)
      width = std::max(width, m.a.row_map[i + 1] - m.a.row_map[i]);
    if (width * m.a.num_rows > 1'000'000) continue;
    std::vector<int> entries(width * m.a.num_rows, std::numeric_limits<int>::min());
    std::vector<double> values(entries.size(), NAN);
    std::vector<std::size_t> row_map_host(m.a.row_map.begin(), m.a.row_map.end());
    for (int64_t i = 0; i < m.a.num_rows; ++i)
      for (auto k = m.a.row_map[i]; k < m.a.row_map[i + 1]; ++k) {
        auto const slot = (k - m.a.row_map[i]) * m.a.num_rows + i;
        entries[slot] = static_cast<int>(m.a.entries[k]);
        values[slot] = m.a.values[k];
      }
    auto const row_map_dev = support::to_device(row_map_host);
    auto const entries_dev = support::to_device(entries);
    auto const values_dev = support::to_device(values);
    auto const rows = static_cast<int>(m.a.num_rows);
    auto const cols = static_cast<int>(m.a.num_cols);
    auto const nnz = static_cast<std::size_t>(m.a.nnz());
    ell_tiles<int, std::size_t> const tiles{rows, nnz, row_map_dev.data()};
    araios::crs_view<int, std::size_t, double, exec::memory_space> const view{
        rows, cols, nnz, row_map_dev.data(), entries_dev.data(), values_dev.data()};
    for (auto const op : {araios::mode::none, araios::mode::transpose}) {
      bool const t = araios::transposes(op);
      auto const x = support::draw_values<double>(random, t ? rows : cols);
      auto const x_dev = support::to_device(x);
      std::vector<double> const spoilt(t ? cols : rows, NAN);
      auto const expected = reference::spmv(op, 2.0, m.a, x, 0.0, spoilt);
      auto const check = [&](auto const& schedule) {
        auto const y = support::to_device(spoilt);
        araios::impl::dispatch<araios::impl::spmv_operation>(exec{}, schedule, tiles, view, 2.0,
                                                             x_dev, 0.0, y, op);
        EXPECT_TRUE(support::close(support::to_host(y), expected, support::epsilon_of<double>))
            << contracts::describe(schedule) << (t ? " transposed" : "");
      };
      check(araios::thread_mapped{});
      check(araios::warp_mapped(8));
      check(araios::merge_path(1, 4));
    }
  }
}

TEST_F(schedules, refuse_wrong_numbers_of_lanes_and_items) {
  for (int const lanes : {-1, 0, 3, 24, 33, 64}) {
    auto const text = std::to_string(lanes) + " lanes";
    EXPECT_TRUE(support::throws<std::invalid_argument>([&] { araios::warp_mapped{lanes}; },
                                                       {"araios::warp_mapped", text}));
    EXPECT_TRUE(support::throws<std::invalid_argument>([&] { araios::merge_path(lanes, 8); },
                                                       {"araios::merge_path", text}));
  }
  for (int const items : {-5, 0})
    EXPECT_TRUE(support::throws<std::invalid_argument>(
        [&] { araios::merge_path(1, items); },
        {"araios::merge_path", std::to_string(items) + " items"}));
}

}  // namespace tests
