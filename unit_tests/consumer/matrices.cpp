// SPDX-License-Identifier: BSD-3-Clause
#include <Kokkos_Core.hpp>
#include <araios/concepts.hpp>
#include <araios/matrix/crs.hpp>
#include <araios/row_statistics.hpp>
#include <araios/schedule/automatic.hpp>
#include <araios/schedule/merge_path.hpp>
#include <araios/schedule/thread_mapped.hpp>
#include <araios/schedule/warp_mapped.hpp>
#include <araios/tuning/spgemm.hpp>
#include <araios/tuning/spmv.hpp>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "checks.hpp"
#include "device.hpp"

namespace consumer {

/// A matrix type of the consumer's own, which Araios reads through `crs_traits`.
struct own_matrix {
  Kokkos::View<int*> row_ends, columns;  // row_ends starts with the 0 of all row maps
  Kokkos::View<double*> numbers;
};

/// A tile set of the consumer's own: tiles that own `size` atoms each.
struct even_tiles {
  using tile_type = int;
  using atom_type = int;
  int count, size;

  KOKKOS_FUNCTION int num_tiles() const { return count; }
  KOKKOS_FUNCTION int num_atoms() const { return count * size; }
  KOKKOS_FUNCTION int tile_begin(int tile) const { return tile * size; }
  KOKKOS_FUNCTION int tile_end(int tile) const { return (tile + 1) * size; }
  KOKKOS_FUNCTION std::size_t slot(int, int atom) const { return static_cast<std::size_t>(atom); }
};

}  // namespace consumer

template <>
struct araios::crs_traits<consumer::own_matrix> {
  static araios::crs_view<int, int, double, Kokkos::DefaultExecutionSpace::memory_space> view(
      consumer::own_matrix const& a) {
    return {static_cast<int>(a.row_ends.extent(0)) - 1,
            4,
            static_cast<int>(a.columns.extent(0)),
            a.row_ends.data(),
            a.columns.data(),
            a.numbers.data()};
  }
};

namespace consumer {

static_assert(araios::execution_instance<space_type>);
static_assert(araios::execution_instance<araios::portable_on<space_type>>);
static_assert(araios::crs_like<araios::crs_matrix<double>> && araios::crs_like<own_matrix>);
static_assert(!araios::crs_like<araios::host_crs<double>>);
static_assert(std::is_same_v<araios::crs_view_of<own_matrix>::value_type, double>);
static_assert(araios::tile_set<even_tiles> && araios::tile_set<araios::crs_tiles<int, int>>);

void crs() {
  space_type const space;
  auto const a = araios::to_crs_matrix<double>(space, three_rows());
  expect(a.num_rows() == 3 && a.num_cols() == 4 && a.nnz() == 3, "crs_matrix: sizes");
  expect(holds(a, three_rows()), "to_crs_matrix and to_host_crs");
  auto const wide = araios::to_crs_matrix<double, std::int64_t, std::int64_t>(space, three_rows());
  expect(holds(wide, three_rows()), "to_crs_matrix with 64-bit indices");
  expect(
      throws<std::overflow_error>([&] {
        araios::to_crs_matrix<float>(space, araios::host_crs<double>{1, 1, {0, 1}, {0}, {1e300}});
      }),
      "to_crs_matrix: a value out of range");

  auto const view = araios::as_crs(a);
  expect(view.num_rows == 3 && view.num_cols == 4 && view.nnz == 3 &&
             view.row_map == a.row_map.data() && view.entries == a.entries.data() &&
             view.values == a.values.data(),
         "as_crs");
  auto const tiles = view.tiles();
  expect(tiles.num_tiles() == 3 && tiles.num_atoms() == 3 && tiles.slot(0, 2) == 2, "tiles");

  using matrix = araios::crs_matrix<double, int, int>;
  matrix const made(1, 2, to_device<int>({0, 2}), to_device<int>({1, 0}),
                    to_device<double>({5, 6}));
  expect(holds(made, araios::host_crs<double>{1, 2, {0, 2}, {1, 0}, {5, 6}}),
         "crs_matrix of Views");
  expect(matrix().num_rows() == 0 && matrix().nnz() == 0, "crs_matrix: empty");
  araios::check_crs(space, made);
  matrix const bad(1, 1, made.row_map, made.entries, made.values);
  expect(throws<std::invalid_argument>([&] { araios::check_crs(space, bad); }), "check_crs");
}

void own_matrix_types() {
  own_matrix const a{to_device<int>({0, 2, 2, 3}), to_device<int>({0, 1, 1}),
                     to_device<double>({1, 2, 3})};
  expect(holds(a, three_rows()), "to_host_crs of a matrix type of the consumer");
}

void row_statistics() {
  space_type const space;
  auto const a = araios::to_crs_matrix<double>(space, three_rows());
  araios::row_statistics const s = araios::statistics(space, a);
  expect(s.rows == 3 && s.nnz == 3 && s.longest == 2 && s.empty == 1 && s.sum_of_squares == 5.0,
         "statistics: rows of 2, 0 and 1 entries");
  expect(s.mean() == 1.0 && std::abs(s.standard_deviation() - std::sqrt(2.0 / 3.0)) < 1e-15,
         "row_statistics: mean and deviation");
  expect(araios::statistics(araios::portable_on{space}, a).fingerprint == s.fingerprint,
         "statistics without specialisations");
  auto const even = araios::tile_statistics(space, even_tiles{4, 3});
  expect(even.rows == 4 && even.nnz == 12 && even.longest == 3 && even.empty == 0,
         "tile_statistics of a tile set of the consumer");
  expect(even.standard_deviation() == 0.0, "row_statistics: no deviation");
}

/// Counts the atoms of each tile that come in complete and in incomplete slices.
template <class Schedule, araios::tile_set Tiles>
struct count_atoms {
  Schedule schedule;
  Tiles tiles;
  Kokkos::View<int*> complete, incomplete;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    for (araios::slice_of<Tiles> const slice : schedule.slices(tiles, member))
      Kokkos::atomic_add(slice.complete ? &complete(slice.tile) : &incomplete(slice.tile),
                         static_cast<int>(slice.end - slice.begin));
  }
};

/// Counts how often each tile is named as one to be prepared.
template <class Schedule, araios::tile_set Tiles>
struct count_split_tiles {
  Schedule schedule;
  Tiles tiles;
  int workers;
  Kokkos::View<int*> named;

  KOKKOS_FUNCTION void operator()(int rank) const {
    auto const tile = schedule.split_tile(tiles, rank, workers);
    if (tile < tiles.num_tiles()) Kokkos::atomic_add(&named(tile), 1);
  }
};

/// Every atom is dealt once, by as many teams of one thread as the schedule wants.
template <class Schedule>
void deals_all_atoms(Schedule const& schedule, even_tiles const& tiles) {
  space_type const space;
  using kernel = count_atoms<Schedule, even_tiles>;
  using policy = Kokkos::TeamPolicy<space_type>;
  static_assert(araios::schedule_for<Schedule, even_tiles, typename policy::member_type>);
  int const workers = static_cast<int>(schedule.shape(space, tiles).workers);
  auto const complete = to_device(std::vector<int>(tiles.count));
  auto const incomplete = to_device(std::vector<int>(tiles.count));
  Kokkos::parallel_for("consumer::count_atoms", policy(space, workers, 1),
                       kernel{schedule, tiles, complete, incomplete});
  if constexpr (Schedule::splits_tiles) {
    auto const named = to_device(std::vector<int>(tiles.count));
    Kokkos::parallel_for("consumer::count_split_tiles",
                         Kokkos::RangePolicy<space_type>(space, 0, workers),
                         count_split_tiles<Schedule, even_tiles>{schedule, tiles, workers, named});
    auto const parts = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, incomplete);
    std::vector<int> is_split(tiles.count), size(tiles.count);
    for (int i = 0; i < tiles.count; ++i) {
      is_split[i] = parts(i) > 0 ? 1 : 0;
      size[i] = parts(i) > 0 ? 0 : tiles.size;
      expect(parts(i) == 0 || parts(i) == tiles.size, "slices of a split tile");
    }
    expect(holds(complete, size), "slices of whole tiles");
    expect(holds(named, is_split), "split_tile names what is split");
  } else {
    expect(holds(complete, std::vector<int>(tiles.count, tiles.size)), Schedule::name);
    expect(holds(incomplete, std::vector<int>(tiles.count, 0)), Schedule::name);
  }
}

void schedules() {
  space_type const space;
  even_tiles const tiles{3, 5};
  deals_all_atoms(araios::thread_mapped{}, tiles);
  deals_all_atoms(araios::warp_mapped(4), tiles);
  deals_all_atoms(araios::block_mapped{}, tiles);
  araios::merge_path const path(1, 4);
  deals_all_atoms(path, tiles);
  araios::bound_merge_path<space_type, even_tiles> const bound = path.bind(space, tiles);
  deals_all_atoms(bound, tiles);
  expect(bound.bytes() > 0, "bound_merge_path::bytes");
  expect(araios::warp_mapped().lanes == 32 &&
             araios::warp_mapped::scope == araios::slice_scope::lanes &&
             araios::block_mapped::scope == araios::slice_scope::team,
         "who shares a slice");
  expect(throws<std::invalid_argument>([] { araios::warp_mapped(3); }), "warp_mapped(3)");
  expect(throws<std::invalid_argument>([] { araios::merge_path(1, 0); }), "merge_path(1, 0)");
}

void choice_of_schedules() {
  space_type const space;
  bool const balanced = space.concurrency() > 1;
  auto const is_balanced = [&](auto const& schedule) {
    std::string_view const name = araios::name_of(schedule);
    return (name == "merge_path" || name == "nonzero_split") == balanced;
  };
  constexpr std::int64_t n = 1'000'000;  // rows of one entry, and one of n
  araios::row_statistics const heavy{{n + 1, n, 2 * n}, n, 0, 1.0 * n * n + n, 0};
  araios::row_statistics const even{{n, n, 5 * n}, 5, 0, 25.0 * n, 0};
  expect(is_balanced(araios::choose_schedule(space, heavy)), "one heavy row");
  expect(std::string_view(name_of(araios::choose_schedule(space, even))) == "thread_mapped",
         "short even rows");
  araios::matrix_shape const many{1000, 1000, 1'000'000};
  expect(is_balanced(araios::choose_schedule(space, many)), "any rows");
  expect(!is_balanced(araios::choose_schedule(space, many, {}, false)) || !balanced,
         "unsplit rows");
  expect(std::string_view(name_of(araios::choose_as_loops(space, many))) == "merge_path",
         "the rule of the loops paper");
  expect(std::string_view(araios::automatic::name) == "automatic", "automatic");
}

void tuning() {
  namespace t = araios::tuning;
  for (double const mean : {0.0, 5.0, 50.0, 5000.0}) {
    araios::warp_mapped const accepted(t::spmv_lanes(mean));
    araios::merge_path const plan(1, t::spmv_merge_items);
    araios::merge_path const once(1, t::spmv_merge_items_once);
    expect(accepted.lanes >= 1 && plan.items >= 1 && once.items >= plan.items, "tuning of spmv");
  }
  expect(t::spgemm_bin_limit({64, 8, 128}, 2.0) == 32, "spgemm_bin_limit");
  for (t::spgemm_bin const& bin : t::spgemm_numeric_bins)
    expect(t::spgemm_bin_limit(bin, t::spgemm_numeric_slots) < bin.table_size, "tuning of spgemm");
}

}  // namespace consumer
