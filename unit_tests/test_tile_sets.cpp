// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <araios/gallery.hpp>
#include <araios/matrix/crs.hpp>
#include <araios/spmm.hpp>
#include <araios/spmv.hpp>
#include <araios/tile_sets.hpp>

#include "contracts/schedule.hpp"
#include "contracts/tile_set.hpp"
#include "support/battery.hpp"
#include "support/device.hpp"
#include "support/graphs.hpp"
#include "support/product.hpp"
#include "support/storage.hpp"
#include "support/throws.hpp"

// Tile sets of all formats keep the contract, and every schedule drives a product in each of them.

namespace {

using araios::host_crs;
using araios::mode;
using std::int64_t;
using support::exec;

static_assert(araios::tile_set<araios::ccs_tiles<int, std::size_t>> &&
              araios::tile_set<araios::block_tiles<int, int>> &&
              araios::tile_set<araios::coo_tiles<int64_t, int64_t>> &&
              araios::tile_set<araios::ell_tiles<int>> &&
              araios::tile_set<araios::sliced_ell_tiles<int, int>> &&
              araios::tile_set<araios::rgcsr_tiles<int, std::size_t>> &&
              araios::tile_set<araios::bcsr_tiles<int, std::size_t>> &&
              araios::tile_set<araios::dia_tiles<int64_t>> &&
              araios::tile_set<araios::frontier_tiles<int, std::size_t>> &&
              araios::tile_set<araios::rebinned_tiles<araios::crs_tiles<int, std::size_t>>>);
static_assert(araios::tiled_matrix<araios::crs_view<int, int, double, exec::memory_space>> &&
              araios::tiled_matrix<support::bcsr_view> && araios::tiled_matrix<support::dia_view>);
static_assert(!araios::tiled_matrix<araios::crs_matrix<double>> &&
              araios::sparse_matrix<araios::crs_matrix<double>>);

/// Few of the schedules, each of another kind.
template <class F>
void for_each_kind(F const& f) {
  f(araios::thread_mapped{});
  f(araios::warp_mapped(8));
  f(araios::block_mapped{});
  f(araios::group_mapped(64));
  f(araios::merge_path(1, 4));
  f(araios::nonzero_split(4, 16));
}

class tile_sets : public support::random_test {
 protected:
  exec space;

  template <class View>
  void check(View const& view, host_crs<double> const& a, std::string const& name) {
    SCOPED_TRACE(name);
    auto const tiles = view.tiles();
    contracts::check_tile_set(tiles);
    auto const borders = contracts::borders_of(tiles);
    for (auto const op : {mode::none, mode::transpose}) {
      SCOPED_TRACE(op == mode::none ? "N" : "T");
      support::product<double> const overwrites(random, a, op, 2.0L, 0.0L);
      support::product<double> const adds(random, a, op, -0.5L, 3.0L);
      for_each_kind([&](auto const& schedule) {
        SCOPED_TRACE(contracts::describe(schedule));
        if (op == mode::none) contracts::check_schedule(schedule, tiles, borders);
        EXPECT_TRUE(overwrites.check([&](auto const& x, auto const& y) {
          araios::spmv(space, schedule, 2.0, view, x, 0.0, y, op);
        }));
        EXPECT_TRUE(adds.check([&](auto const& x, auto const& y) {
          araios::spmv(space, schedule, -0.5, view, x, 3.0, y, op);
        }));
      });
      EXPECT_TRUE(adds.check([&](auto const& x, auto const& y) {
        araios::spmv(space, -0.5, view, x, 3.0, y, op);
      })) << "automatic";
      EXPECT_TRUE(adds.check([&](auto const& x, auto const& y) {
        araios::spmv(araios::portable_on{space}, -0.5, view, x, 3.0, y, op);
      })) << "automatic, portable";
    }
  }

  /// Two columns, by a multivector of each layout.
  template <class View>
  void check_columns(View const& view, host_crs<double> const& a, std::string const& name) {
    SCOPED_TRACE(name);
    support::product<double> const p(random, a, mode::none, 2.0L, 0.0L);
    support::product<double> const q(random, a, mode::none, 2.0L, 0.0L);
    auto const with_layout = [&]<class Layout>(Layout) {
      using columns = Kokkos::View<double**, Layout, exec>;
      columns const x("x", p.x.size(), 2), y("y", p.y.size(), 2);
      Kokkos::deep_copy(Kokkos::subview(x, Kokkos::ALL, 0), p.x_device);
      Kokkos::deep_copy(Kokkos::subview(x, Kokkos::ALL, 1), q.x_device);
      for_each_kind([&](auto const& schedule) {
        SCOPED_TRACE(contracts::describe(schedule));
        Kokkos::deep_copy(y, support::poison<double>());
        araios::spmm(space, schedule, 2.0, view, x, 0.0, y);
        EXPECT_TRUE(p.right(support::to_host(Kokkos::subview(y, Kokkos::ALL, 0))));
        EXPECT_TRUE(q.right(support::to_host(Kokkos::subview(y, Kokkos::ALL, 1))));
      });
    };
    with_layout(Kokkos::LayoutLeft{});
    with_layout(Kokkos::LayoutRight{});
  }
};

TEST_F(tile_sets, of_every_storage_on_the_battery) {
  for (auto const& m : support::battery(random)) {
    if (m.a.nnz() > 60'000) continue;
    SCOPED_TRACE(m.name + ": " + m.reason);
    support::for_each_storage(
        m.a, [&](auto const& view, std::string const& name, host_crs<double> const& filled) {
          check(view, filled, name);
        });
  }
}

// F15
TEST_F(tile_sets, of_groups_of_four_rows_of_which_the_last_has_two) {
  auto const a = support::rows_of(random, {1, 0, 3, 2, 5, 0, 0, 1, 2, 7}, 9);
  auto const empty = support::rows_of(random, std::vector<int64_t>(10, 0), 9);
  for (auto const& matrix : {a, empty})
    support::for_each_storage(
        matrix, [&](auto const& view, std::string const& name, host_crs<double> const& filled) {
          check(view, filled, name);
        });
}

TEST_F(tile_sets, of_several_columns) {
  auto const a = support::rows_of(random, {1, 0, 3, 2, 5, 0, 0, 1, 2, 7, 40, 300, 1}, 500);
  support::for_each_storage(
      a, [&](auto const& view, std::string const& name, host_crs<double> const& filled) {
        check_columns(view, filled, name);
      });
}

TEST_F(tile_sets, of_dense_blocks) {
  for (int const size : {1, 2, 3, 8})
    for (auto const& lengths :
         {std::vector<int64_t>{3, 0, 1, 5, 2, 0, 0, 0, 0, 0, 4, 1}, std::vector<int64_t>{},
          std::vector<int64_t>(50, 7), std::vector<int64_t>{200, 0, 0, 1}})
      support::with_blocks(support::rows_of(random, lengths, 240), size,
                           [&](auto const& view, host_crs<double> const& filled) {
                             check(view, filled, "BCSR of " + std::to_string(size));
                           });
}

// Compressed columns are the rows of the transpose, which spread their terms over y.
TEST_F(tile_sets, of_compressed_columns) {
  auto const a = support::rows_of(random, {1, 0, 3, 2, 5, 0, 0, 1, 2, 7}, 12);
  auto const columns = araios::to_crs_matrix<double, int, int>(space, support::transposed(a));
  araios::ccs_tiles<int, int> const tiles = araios::as_crs(columns).tiles();
  contracts::check_tile_set(tiles);
  EXPECT_EQ(tiles.num_tiles(), 12);
  support::product<double> const p(random, a, mode::none, 1.0L, 0.0L);
  for_each_kind([&](auto const& schedule) {
    EXPECT_TRUE(p.check([&](auto const& x, auto const& y) {
      araios::spmv(space, schedule, 1.0, columns, x, 0.0, y, mode::transpose);
    })) << contracts::describe(schedule);
  });
}

// F29: more atoms than the offsets of the format count.
TEST_F(tile_sets, of_padded_storage_count_in_64_bits) {
  araios::ell_tiles<int> const ell{70'000, 70'000};
  EXPECT_EQ(ell.num_atoms(), int64_t{4'900'000'000});
  EXPECT_EQ(ell.tile_begin(69'999), int64_t{4'899'930'000});
  araios::dia_tiles<int> const diagonals{2'000'000'000, 3};
  EXPECT_EQ(diagonals.num_atoms(), int64_t{6'000'000'000});
  EXPECT_EQ(diagonals.slot(1'999'999'999, diagonals.num_atoms() - 1), std::size_t{5'999'999'999});
}

TEST_F(tile_sets, of_another_number_of_rows_are_refused) {
  auto const columns = support::to_device(std::vector<int>(8, 0));
  auto const values = support::to_device(std::vector<double>(8, 1.0));
  support::stored_view<araios::ell_tiles<int>> const a{2, 2, {4, 2}, columns.data(), values.data()};
  auto const x = support::to_device(std::vector<double>(2, 1.0));
  auto const y = support::to_device(std::vector<double>(2, 7.0));
  EXPECT_TRUE(support::throws<std::invalid_argument>(
      [&] { araios::spmv(space, 1.0, a, x, 0.0, y); }, {"araios::spmv", "2 rows", "4 tiles"}));
  EXPECT_EQ(support::to_host(y), (std::vector<double>{7.0, 7.0}));
}

static_assert(araios::has_padding<araios::rebinned_tiles<araios::ell_tiles<int>>> &&
              !araios::has_padding<araios::rebinned_tiles<araios::crs_tiles<int, int>>>);

// Groups of every size, with sums of which scratch memory does not hold as many, and tiles around
// what is staged.
TEST_F(tile_sets, of_long_and_short_tiles_in_groups) {
  auto lengths = support::repeated({0, 1, 5, 63, 64, 65, 255, 256, 257}, 3);
  lengths.insert(lengths.end(), {1023, 1024, 1025, 4000, 0, 0, 7});
  lengths.insert(lengths.end(), 300, 2);
  auto const host = support::with_values<Kokkos::complex<double>>(
      random, support::rows_of(random, lengths, 5000));
  auto const a = araios::to_crs_matrix<Kokkos::complex<double>, int, std::size_t>(space, host);
  support::product<Kokkos::complex<double>> const p(random, host, mode::none, 1.0L, 0.0L);
  for (int const size : {1, 2, 31, 32, 33, 64, 128, 500, 756, 1008, 1024})
    EXPECT_TRUE(p.check([&](auto const& x, auto const& y) {
      araios::spmv(space, araios::group_mapped(size), Kokkos::complex<double>(1.0), a, x,
                   Kokkos::complex<double>(0.0), y);
    })) << size;
}

TEST_F(tile_sets, of_atoms_regrouped) {
  for (auto const& m : support::battery(random)) {
    SCOPED_TRACE(m.name);
    auto const a = araios::to_crs_matrix<double, int, int>(space, m.a);
    for (int const size : {1, 3, 64, 1 << 30}) {
      SCOPED_TRACE(size);
      araios::rebinned_tiles<araios::crs_tiles<int, int>> const tiles{araios::as_crs(a).tiles(),
                                                                      size};
      EXPECT_EQ(tiles.num_tiles(), (m.a.nnz() + size - 1) / size);
      contracts::check_tile_set(tiles);
      auto const borders = contracts::borders_of(tiles);
      contracts::check_schedule(araios::thread_mapped{}, tiles, borders);
      contracts::check_schedule(araios::merge_path(1, 4), tiles, borders);
    }
  }
}

struct note_owners {
  araios::rebinned_tiles<araios::crs_tiles<int, int>> tiles;
  support::device_vector<int> owner;
  KOKKOS_FUNCTION void operator()(int, int atom) const { owner(atom) = tiles.owner(atom); }
};

// Whichever schedule deals the atoms, each is visited once, and its owner is the row that it came
// from.
TEST_F(tile_sets, of_atoms_regrouped_know_their_owners) {
  auto const host = support::rows_of(random, {0, 3, 0, 0, 200, 1, 7, 0}, 300);
  auto const a = araios::to_crs_matrix<double, int, int>(space, host);
  std::vector<int> expected;
  for (std::size_t i = 0; i + 1 < host.row_map.size(); ++i)
    expected.insert(expected.end(), static_cast<std::size_t>(host.row_map[i + 1] - host.row_map[i]),
                    static_cast<int>(i));
  for_each_kind([&](auto const& schedule) {
    support::device_vector<int> const owner("owner", expected.size());
    note_owners const note{{araios::as_crs(a).tiles(), 7}, owner};
    araios::visit_atoms(space, "tests::owners", schedule, note.tiles, note);
    EXPECT_EQ(support::to_host(owner), expected) << contracts::describe(schedule);
  });
}

TEST_F(tile_sets, of_a_frontier) {
  auto const a = araios::to_crs_matrix<double, int, int>(space, araios::gallery::rmat(8, 8, 3));
  auto const map = support::to_host(a.row_map);
  std::vector<int> const vertices{200, 3, 0, 255, 7, 100};
  std::vector<int64_t> begin;
  int64_t edges = 0;
  for (auto const v : vertices) {
    begin.push_back(edges);
    edges += map[static_cast<std::size_t>(v) + 1] - map[static_cast<std::size_t>(v)];
  }
  auto const v = support::to_device(vertices);
  auto const b = support::to_device(begin);
  araios::frontier_tiles<int, int> const tiles{static_cast<int>(vertices.size()), edges, v.data(),
                                               b.data(), a.row_map.data()};
  contracts::check_tile_set(tiles);
  auto const borders = contracts::borders_of(tiles);
  contracts::for_each_schedule(
      [&](auto const& schedule) { contracts::check_schedule(schedule, tiles, borders); });
}

}  // namespace
