// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <araios/load_balance.hpp>
#include <araios/spmm.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "contracts/schedule.hpp"
#include "contracts/tile_set.hpp"
#include "support/battery.hpp"
#include "support/device.hpp"
#include "support/product.hpp"

// What docs/extending.md shows, word for word (the test `extending_document` compares), and that it
// works.

// A format: rows padded to an even number of slots, so that two can be loaded at a time.
struct even_rows {
  using tile_type = int;
  using atom_type = int;

  int rows;
  int entries;
  int const* row_map;  // of the entries
  int const* begin;    // of the rows among the slots, all even

  KOKKOS_FUNCTION int num_tiles() const { return rows; }
  KOKKOS_FUNCTION int num_atoms() const { return entries; }
  KOKKOS_FUNCTION int tile_begin(int row) const { return row_map[row]; }
  KOKKOS_FUNCTION int tile_end(int row) const { return row_map[row + 1]; }
  KOKKOS_FUNCTION std::size_t slot(int row, int atom) const {
    return static_cast<std::size_t>(begin[row] + (atom - row_map[row]));
  }
};

struct even_rows_matrix {
  using ordinal_type = int;
  using value_type = double;

  int num_rows;
  int num_cols;
  even_rows layout;
  int const* columns;
  double const* values;

  even_rows tiles() const { return layout; }
  KOKKOS_FUNCTION int column(int, std::size_t slot) const { return columns[slot]; }
  KOKKOS_FUNCTION double value(std::size_t slot) const { return values[slot]; }
};

// A schedule: workers take runs of neighbouring tiles, as many as they are asked to.
template <class Tiles>
struct run_slices {
  Tiles tiles;
  std::int64_t first;
  std::int64_t last;

  struct iterator {
    Tiles tiles;
    std::int64_t tile;
    std::int64_t last;

    KOKKOS_FUNCTION araios::slice_of<Tiles> operator*() const {
      auto const t = static_cast<typename Tiles::tile_type>(tile);
      return {t, tiles.tile_begin(t), tiles.tile_end(t), true};
    }
    KOKKOS_FUNCTION iterator& operator++() {
      ++tile;
      return *this;
    }
    KOKKOS_FUNCTION bool operator!=(araios::end_of_slices) const { return tile < last; }
  };
  KOKKOS_FUNCTION iterator begin() const { return {tiles, first, last}; }
  KOKKOS_FUNCTION araios::end_of_slices end() const { return {}; }
};

struct runs_of_tiles {
  static constexpr char const* name = "runs_of_tiles";
  static constexpr auto scope = araios::slice_scope::lanes;  // a worker is a thread
  static constexpr bool one_lane = true;                     // of one lane
  static constexpr bool splits_tiles = false;                // every slice is a whole tile

  int length;  // tiles of a run

  template <class Space, araios::tile_set Tiles>
  araios::launch_shape shape(Space const& space, Tiles const& tiles) const {
    auto const count = static_cast<std::int64_t>(tiles.num_tiles());
    return araios::shape_for(space, (count + length - 1) / length, araios::threads_per_team, 1);
  }

  template <araios::tile_set Tiles, class Member>
  KOKKOS_FUNCTION run_slices<Tiles> slices(Tiles const& tiles, Member const& member,
                                           std::int64_t workers) const {
    auto const rank = araios::worker_of<scope>(member).rank;
    auto const count = static_cast<std::int64_t>(tiles.num_tiles());
    std::int64_t const share = (count + workers - 1) / workers;
    return {tiles, Kokkos::min(count, rank * share), Kokkos::min(count, (rank + 1) * share)};
  }
  template <araios::tile_set Tiles, class Member>
  KOKKOS_FUNCTION run_slices<Tiles> slices(Tiles const& tiles, Member const& member) const {
    return slices(tiles, member, araios::worker_of<scope>(member).count);
  }
};

// An algorithm: the largest magnitude of each row.
struct largest {
  double value = 0.0;
  KOKKOS_FUNCTION largest& operator+=(largest const& other) {
    value = Kokkos::max(value, other.value);
    return *this;
  }
};

struct largest_of_rows {
  using sum_type = largest;
  double const* values;
  double* result;

  KOKKOS_FUNCTION largest term(int, int atom) const { return {Kokkos::abs(values[atom])}; }
  KOKKOS_FUNCTION void prepare(int row) const { result[row] = 0.0; }
  KOKKOS_FUNCTION void commit(int row, largest const& part, bool complete) const {
    if (complete)
      result[row] = part.value;
    else
      Kokkos::atomic_max(&result[row], part.value);
  }
};

template <>
struct Kokkos::reduction_identity<largest> {
  KOKKOS_FUNCTION static largest sum() { return {}; }
};

template <class Space, class Schedule, class Matrix>
void largest_magnitudes(Space const& space, Schedule const& schedule, Matrix const& a,
                        Kokkos::View<double*, Space> const& result) {
  auto const view = araios::as_crs(a);
  araios::sum_tiles(space, "largest_magnitudes", schedule, view.tiles(),
                    largest_of_rows{view.values, result.data()});
}

// A kernel of your own, whose launch is yours: a histogram of row lengths.
struct count_lengths {
  int const* row_map;
  int rows;
  int* count;  // of rows with 0, 1, ... 31 and more entries

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    for (int const row : araios::grid_stride(member, 0, rows))
      Kokkos::atomic_inc(&count[Kokkos::min(31, row_map[row + 1] - row_map[row])]);
  }
};

namespace {

using araios::host_crs;
using std::int64_t;
using support::exec;

static_assert(araios::tile_set<even_rows>);
static_assert(araios::tiled_matrix<even_rows_matrix>);
using member = Kokkos::TeamPolicy<exec>::member_type;
static_assert(araios::schedule_for<runs_of_tiles, even_rows, member>);
static_assert(araios::tile_sums<largest_of_rows, araios::crs_tiles<int, int>>);

class extending : public support::random_test {
 protected:
  exec space;
};

TEST_F(extending, by_a_format) {
  for (auto const& m : support::battery(random)) {
    SCOPED_TRACE(m.name + ": " + m.reason);
    std::vector<int> row_map(m.a.row_map.begin(), m.a.row_map.end()), begin, columns;
    std::vector<double> values;
    for (std::size_t i = 0; i + 1 < row_map.size(); ++i) {
      begin.push_back(static_cast<int>(columns.size()));
      for (auto k = m.a.row_map[i]; k < m.a.row_map[i + 1]; ++k) {
        columns.push_back(static_cast<int>(m.a.entries[static_cast<std::size_t>(k)]));
        values.push_back(m.a.values[static_cast<std::size_t>(k)]);
      }
      if (columns.size() % 2 != 0) {
        columns.push_back(1 << 30);
        values.push_back(support::poison<double>());
      }
    }
    auto const r = support::to_device(row_map), b = support::to_device(begin),
               c = support::to_device(columns);
    auto const v = support::to_device(values);
    even_rows const layout{static_cast<int>(m.a.num_rows), static_cast<int>(m.a.nnz()), r.data(),
                           b.data()};
    contracts::check_tile_set(layout);
    even_rows_matrix const a{layout.rows, static_cast<int>(m.a.num_cols), layout, c.data(),
                             v.data()};
    for (auto const op : {araios::mode::none, araios::mode::transpose}) {
      support::product<double> const p(random, m.a, op, 2.0L, -1.0L);
      auto const with = [&](auto const& schedule) {
        EXPECT_TRUE(p.check([&](auto const& x, auto const& y) {
          araios::spmv(space, schedule, 2.0, a, x, -1.0, y, op);
        })) << schedule.name;
      };
      with(araios::automatic{});
      with(araios::group_mapped{});
      with(araios::merge_path{});
      with(runs_of_tiles{3});
    }
  }
}

TEST_F(extending, by_a_schedule) {
  for (auto const& m : support::battery(random)) {
    SCOPED_TRACE(m.name + ": " + m.reason);
    auto const a = araios::to_crs_matrix<double, int, int>(space, m.a);
    auto const tiles = araios::as_crs(a).tiles();
    auto const borders = contracts::borders_of(tiles);
    for (int const length : {1, 4, 1000}) {
      contracts::check_schedule(runs_of_tiles{length}, tiles, borders);
      contracts::check_league(runs_of_tiles{length}, tiles, borders, 7, 1);
    }
    support::product<double> const p(random, m.a, araios::mode::none, 1.0L, 0.0L);
    EXPECT_TRUE(p.check([&](auto const& x, auto const& y) {
      araios::spmv(space, runs_of_tiles{4}, 1.0, a, x, 0.0, y);
    }));
  }
}

TEST_F(extending, by_an_algorithm) {
  for (auto const& m : support::battery(random)) {
    SCOPED_TRACE(m.name + ": " + m.reason);
    auto const a = araios::to_crs_matrix<double, int, int>(space, m.a);
    std::vector<double> expected(static_cast<std::size_t>(m.a.num_rows), 0.0);
    for (std::size_t i = 0; i < expected.size(); ++i)
      for (auto k = m.a.row_map[i]; k < m.a.row_map[i + 1]; ++k)
        expected[i] = std::max(expected[i], std::abs(m.a.values[static_cast<std::size_t>(k)]));
    contracts::for_each_schedule([&](auto const& schedule) {
      Kokkos::View<double*, exec> const result("result", expected.size());
      Kokkos::deep_copy(result, -1.0);
      largest_magnitudes(space, schedule, a, result);
      EXPECT_EQ(support::to_host(result), expected) << contracts::describe(schedule);
    });
  }
}

TEST_F(extending, by_a_kernel) {
  auto const host = support::random_rows(random, 3000, 200, 40);
  auto const a = araios::to_crs_matrix<double, int, int>(space, host);
  Kokkos::View<int*, exec> const count("count", 32);
  Kokkos::parallel_for("histogram", Kokkos::TeamPolicy<exec>(7, 1),
                       count_lengths{a.row_map.data(), a.num_rows(), count.data()});
  std::vector<int> expected(32, 0);
  for (std::size_t i = 0; i + 1 < host.row_map.size(); ++i)
    ++expected[static_cast<std::size_t>(
        std::min<int64_t>(31, host.row_map[i + 1] - host.row_map[i]))];
  EXPECT_EQ(support::to_host(count), expected);
}

}  // namespace
