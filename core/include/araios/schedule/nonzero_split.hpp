// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include <araios/impl/split_schedule.hpp>

namespace araios {

/// Equal shares of atoms, however many tiles they lie in: less to look for than with `merge_path`,
/// and shares begin at multiples of four atoms, so that they can be read in aligned pieces. Tiles
/// without atoms go to the worker before; a long run of them is one worker's work. Tiles are split,
/// their parts are added atomically: the last bits of a split row can differ from run to run.
/// Source: Baxter, Modern GPU (2013); Dalton, Olson, Bell, ACM TOMS 41 (2015).
struct nonzero_split : impl::split_schedule<nonzero_split> {
  static constexpr char const* name = "nonzero_split";

  explicit nonzero_split(int lanes_per_slice = 1, int items_per_worker = 8)
      : split_schedule(name, lanes_per_slice, items_per_worker) {}

  template <tile_set Tiles>
  std::int64_t workers_for(Tiles const& tiles) const {
    return impl::ceil_div(static_cast<std::int64_t>(tiles.num_atoms()), items);
  }
  /// Where worker `rank` starts: at its first atom, in the tile that owns it.
  template <tile_set Tiles>
  KOKKOS_FUNCTION impl::merge_point<Tiles> start(Tiles const& tiles, std::int64_t rank,
                                                 std::int64_t workers) const {
    using atom_type = typename Tiles::atom_type;
    auto const atoms = static_cast<std::int64_t>(tiles.num_atoms());
    if (rank == 0) return {};
    if (rank >= workers) return {tiles.num_tiles(), tiles.num_atoms()};
    std::int64_t const atom = Kokkos::min(atoms, rank * share_of_atoms(atoms, workers));
    std::int64_t low = 0, high = tiles.num_tiles();
    while (low < high) {
      std::int64_t const middle = low + (high - low) / 2;
      if (static_cast<std::int64_t>(
              tiles.tile_end(static_cast<typename Tiles::tile_type>(middle))) <= atom)
        low = middle + 1;
      else
        high = middle;
    }
    return {static_cast<typename Tiles::tile_type>(low), static_cast<atom_type>(atom)};
  }
  /// Whether a start can lie at `atom` in a tile with these borders: where a tile ends, another
  /// begins.
  template <class Atom>
  static KOKKOS_FUNCTION bool may_be_start(Atom begin, Atom end, Atom atom) {
    return begin == atom || (begin < atom && atom < end);
  }
  /// The first and the last worker that have atoms of a tile, which has some.
  template <tile_set Tiles>
  KOKKOS_FUNCTION std::int64_t worker_of_begin(Tiles const& tiles, typename Tiles::tile_type tile,
                                               std::int64_t workers) const {
    return static_cast<std::int64_t>(tiles.tile_begin(tile)) /
           share_of_atoms(static_cast<std::int64_t>(tiles.num_atoms()), workers);
  }
  template <tile_set Tiles>
  KOKKOS_FUNCTION std::int64_t worker_of_end(Tiles const& tiles, typename Tiles::tile_type tile,
                                             std::int64_t workers) const {
    return (static_cast<std::int64_t>(tiles.tile_end(tile)) - 1) /
           share_of_atoms(static_cast<std::int64_t>(tiles.num_atoms()), workers);
  }

 private:
  static KOKKOS_FUNCTION std::int64_t share_of_atoms(std::int64_t atoms, std::int64_t workers) {
    return ((atoms + workers - 1) / workers + 3) / 4 * 4;
  }
};

template <class Space, tile_set Tiles>
using bound_nonzero_split = bound_split<nonzero_split, Space, Tiles>;

}  // namespace araios
