// SPDX-License-Identifier: BSD-3-Clause
#include <Kokkos_Core.hpp>
#include <araios/concepts.hpp>
#include <araios/load_balance.hpp>
#include <araios/matrix/crs.hpp>
#include <araios/ranges.hpp>
#include <araios/schedule/group_mapped.hpp>
#include <araios/schedule/nonzero_split.hpp>
#include <araios/schedule/thread_mapped.hpp>
#include <araios/schedule/workers.hpp>
#include <araios/spmv.hpp>
#include <araios/tile_sets.hpp>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "checks.hpp"
#include "device.hpp"

namespace consumer {
namespace {

using tiles_type = araios::crs_tiles<int, int>;
using member_type = Kokkos::TeamPolicy<space_type>::member_type;

/// The numbers of the atoms of each tile, added up.
struct atom_sums {
  using sum_type = int;
  int* result;
  KOKKOS_FUNCTION int term(int, int atom) const { return atom; }
  KOKKOS_FUNCTION void prepare(int tile) const { result[tile] = 0; }
  KOKKOS_FUNCTION void commit(int tile, int sum, bool complete) const {
    if (complete)
      result[tile] = sum;
    else
      Kokkos::atomic_add(&result[tile], sum);
  }
};
static_assert(araios::tile_sums<atom_sums, tiles_type>);

struct count_visits {
  int* visits;
  KOKKOS_FUNCTION void operator()(int tile, int) const { Kokkos::atomic_inc(&visits[tile]); }
};

/// The same once more, from slices.
template <class Schedule>
struct slice_sums {
  Schedule schedule;
  int* result;
  int* visits;

  template <class Member, class Slice>
  KOKKOS_FUNCTION void operator()(Member const& member, Slice const& slice) const {
    int sum = 0;
    araios::sum_over(
        schedule, member, slice, [](int atom) { return atom; }, sum);
    araios::once<Schedule>(member, slice, [&] { Kokkos::atomic_add(&result[slice.tile], sum); });
    araios::for_each_atom<Schedule>(member, slice,
                                    [&](int) { Kokkos::atomic_inc(&visits[slice.tile]); });
  }
};

template <class Schedule>
void drives(Schedule const& schedule, tiles_type const& tiles, std::vector<int> const& sums,
            std::vector<int> const& sizes) {
  space_type const space;
  static_assert(araios::schedule_for<Schedule, tiles_type, member_type>);
  auto const count = static_cast<std::size_t>(tiles.num_tiles());
  Kokkos::View<int*> const result("result", count), visits("visits", count);
  araios::sum_tiles(space, "consumer::sums", schedule, tiles, atom_sums{result.data()});
  expect(holds(result, sums), "sum_tiles");
  araios::visit_atoms(space, "consumer::visits", schedule, tiles, count_visits{visits.data()});
  expect(holds(visits, sizes), "visit_atoms");
  Kokkos::deep_copy(result, 0);
  Kokkos::deep_copy(visits, 0);
  araios::for_each_slice(space, "consumer::slices", schedule, tiles,
                         slice_sums<Schedule>{schedule, result.data(), visits.data()});
  expect(holds(result, sums) && holds(visits, sizes), "for_each_slice");
}

/// Every index of a launch of the consumer's own.
struct count_indices {
  int* counts;
  int size;
  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    auto const lane = araios::league_lane(member);
    for (int const i : araios::grid_stride(member, 0, size)) Kokkos::atomic_inc(&counts[i]);
    for (int const i : araios::stride_range(lane, 0, size)) Kokkos::atomic_inc(&counts[i]);
    if (araios::team_lane(member).rank == 0 && lane.rank == 0)
      for (int const i : araios::step_range(0, size, 2)) Kokkos::atomic_inc(&counts[i]);
    if (lane.rank == 0)
      for (int const i : araios::infinite_range(1, 2)) {
        if (i >= size) break;
        Kokkos::atomic_inc(&counts[i]);
      }
    if (member.league_rank() == 0 && araios::vector_lane(member).rank == 0)
      for (int const i : araios::block_stride(member, 0, size)) Kokkos::atomic_inc(&counts[i]);
  }
};

/// Two rows of two slots each, of which the second is padding in the first row.
struct padded_matrix {
  using ordinal_type = int;
  using value_type = double;
  int num_rows = 2;
  int num_cols = 2;
  int const* columns = nullptr;
  double const* values = nullptr;
  araios::ell_tiles<int> tiles() const { return {2, 2}; }
  KOKKOS_FUNCTION int column(int, std::size_t slot) const { return columns[slot]; }
  KOKKOS_FUNCTION double value(std::size_t slot) const { return values[slot]; }
};
static_assert(araios::tiled_matrix<padded_matrix> && araios::sparse_matrix<padded_matrix> &&
              araios::has_padding<araios::ell_tiles<int>> && !araios::has_padding<tiles_type>);

}  // namespace

void load_balance() {
  auto const row_map = to_device<int>({0, 2, 2, 5});
  tiles_type const tiles{3, 5, row_map.data()};
  std::vector<int> const sums{1, 0, 9}, sizes{2, 0, 3};
  drives(araios::thread_mapped{}, tiles, sums, sizes);
  drives(araios::group_mapped(32), tiles, sums, sizes);
  drives(araios::nonzero_split(1, 2), tiles, sums, sizes);
  space_type const space;
  araios::bound_nonzero_split<space_type, tiles_type> const bound =
      araios::nonzero_split(1, 2).bind(space, tiles);
  drives(bound, tiles, sums, sizes);
  expect(araios::group_mapped().size == araios::threads_per_team, "group_mapped");
  expect(throws<std::invalid_argument>([] { araios::group_mapped(0); }), "group_mapped(0)");
  expect(throws<std::invalid_argument>([] { araios::nonzero_split(3, 1); }), "nonzero_split");
}

void ranges() {
  auto const counts = to_device(std::vector<int>(9, 0));
  Kokkos::parallel_for("consumer::ranges", Kokkos::TeamPolicy<space_type>(3, 1),
                       count_indices{counts.data(), 9});
  expect(holds(counts, std::vector<int>(9, 4)), "ranges in a kernel");
  expect(araios::step_range(0, 9, 4).size() == 3 && araios::step_range(3, 3, 1).empty(),
         "step_range");
}

void formats() {
  space_type const space;
  auto const columns = to_device<int>({1, 0, -1, 1});
  auto const values = to_device<double>({2, 3, 1e300, 5});
  padded_matrix a;
  a.columns = columns.data();
  a.values = values.data();
  auto const x = to_device<double>({10, 100}), y = to_device<double>({1, 1});
  araios::spmv(space, 1.0, std::get<0>(araios::parts_of(a)), x, 0.0, y);
  expect(holds(y, {200, 530}), "spmv of a padded matrix");
  araios::spmv(space, araios::group_mapped{}, 1.0, a, x, 1.0, y);
  expect(holds(y, {400, 1060}), "spmv of a padded matrix by groups");

  auto const rows = to_device<int>({0, 0, 2, 2, 2});
  araios::coo_tiles<int, int> const coo{3, 5, rows.data()};
  auto const lengths = araios::tile_statistics(space, coo);
  expect(lengths.rows == 3 && lengths.nnz == 5 && lengths.longest == 3 && lengths.empty == 1,
         "coo_tiles");
  araios::rebinned_tiles<araios::coo_tiles<int, int>> const pairs{coo, 2};
  expect(pairs.num_tiles() == 3 && pairs.tile_end(2) == 5, "rebinned_tiles");
  araios::sliced_ell_tiles<int, int> const sliced{3, 2, 5, nullptr};
  araios::rgcsr_tiles<int, int> const grouped{3, 2, 5, nullptr, nullptr};
  araios::bcsr_tiles<int, int> const blocks{4, 2, 12, nullptr};
  araios::dia_tiles<int> const diagonals{3, 2};
  araios::ccs_tiles<int, int> const by_columns{3, 5, nullptr};
  araios::block_tiles<int, int> const of_blocks{3, 5, nullptr};
  araios::frontier_tiles<int, int> const frontier{2, 5, nullptr, nullptr, nullptr};
  expect(sliced.num_atoms() == 5 && grouped.num_atoms() == 5 && blocks.num_atoms() == 12 &&
             diagonals.num_atoms() == 6 && by_columns.num_atoms() == 5 &&
             of_blocks.num_tiles() == 3 && frontier.num_tiles() == 2,
         "tile sets");
}

}  // namespace consumer
