// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include <araios/concepts.hpp>
#include <araios/impl/slices.hpp>

namespace araios::impl {

/// A point of the merge path: `tile` tiles are finished and `atom` atoms consumed.
template <tile_set Tiles>
struct merge_point {
  typename Tiles::tile_type tile;
  typename Tiles::atom_type atom;
};

/// The length of the whole path; every step consumes an atom or finishes a tile.
template <tile_set Tiles>
KOKKOS_FUNCTION std::int64_t merge_steps(Tiles const& tiles) {
  return static_cast<std::int64_t>(tiles.num_tiles()) +
         static_cast<std::int64_t>(tiles.num_atoms());
}

/// The point after `diagonal` steps, 0 <= diagonal <= merge_steps(tiles).
///
///              atoms ->         The path goes right while atoms of the tile are left, and down
///     tiles   . . / .           where the tile ends. It crosses each diagonal once, in the first
///       |     . / . .           tile that is not finished there: found by bisection.
///       v     / . . .
/// It is looked for between two points that are known to be before and behind it.
template <tile_set Tiles>
KOKKOS_FUNCTION merge_point<Tiles> merge_path_search(Tiles const& tiles, std::int64_t diagonal,
                                                     merge_point<Tiles> before,
                                                     merge_point<Tiles> behind) {
  std::int64_t low =
      Kokkos::max<std::int64_t>(diagonal - static_cast<std::int64_t>(behind.atom), before.tile);
  std::int64_t high =
      Kokkos::min<std::int64_t>(behind.tile, diagonal - static_cast<std::int64_t>(before.atom));
  while (low < high) {
    std::int64_t const middle = low + (high - low) / 2;
    auto const end = tiles.tile_end(static_cast<typename Tiles::tile_type>(middle));
    if (static_cast<std::int64_t>(end) + middle + 1 <= diagonal)
      low = middle + 1;
    else
      high = middle;
  }
  return {static_cast<typename Tiles::tile_type>(low),
          static_cast<typename Tiles::atom_type>(diagonal - low)};
}

/// What each of the workers takes: equal shares, rounded up.
template <tile_set Tiles>
KOKKOS_FUNCTION std::int64_t merge_share(Tiles const& tiles, std::int64_t workers) {
  return (merge_steps(tiles) + workers - 1) / workers;
}

/// Where worker `rank` of `workers` starts.
template <tile_set Tiles>
KOKKOS_FUNCTION merge_point<Tiles> merge_start(Tiles const& tiles, std::int64_t rank,
                                               std::int64_t workers) {
  std::int64_t const steps = merge_steps(tiles);
  std::int64_t const share = merge_share(tiles, workers);
  return merge_path_search(tiles, Kokkos::min(steps, Kokkos::min(rank, workers) * share),
                           merge_point<Tiles>{},
                           merge_point<Tiles>{tiles.num_tiles(), tiles.num_atoms()});
}

/// The tile of a start if the start lies inside it and the previous worker's does not, so that it
/// is named once; else num_tiles().
template <tile_set Tiles>
KOKKOS_FUNCTION typename Tiles::tile_type split_at(Tiles const& tiles, merge_point<Tiles> previous,
                                                   merge_point<Tiles> start) {
  bool const inside = start.tile < tiles.num_tiles() && start.atom > tiles.tile_begin(start.tile);
  bool const named_before =
      previous.tile == start.tile && inside && previous.atom > tiles.tile_begin(start.tile);
  return inside && !named_before ? start.tile : tiles.num_tiles();
}

/// The slices between two points of the merge path. Parts of a tile that is shared with other
/// workers are incomplete; parts without atoms are left out unless they are whole tiles.
template <tile_set Tiles>
struct merge_slices {
  Tiles tiles;
  merge_point<Tiles> first;
  merge_point<Tiles> last;

  struct iterator {
    Tiles tiles;
    merge_point<Tiles> at;
    merge_point<Tiles> last;
    slice_of<Tiles> slice;
    bool inside;  // the tile at hand has begun with another worker: only the first can
    bool done;

    KOKKOS_FUNCTION iterator(Tiles const& t, merge_point<Tiles> from, merge_point<Tiles> to)
        : tiles(t), at(from), last(to), slice{}, done(false) {
      inside = at.tile < tiles.num_tiles() && at.atom > tiles.tile_begin(at.tile);
      find_slice();
    }
    KOKKOS_FUNCTION void find_slice() {
      for (; at.tile < tiles.num_tiles(); ++at.tile) {
        bool const ends_here = at.tile < last.tile;
        if (!ends_here && (at.tile > last.tile || at.atom >= last.atom)) break;
        auto const end = ends_here ? tiles.tile_end(at.tile) : last.atom;
        slice = {at.tile, at.atom, end, ends_here && !inside};
        at.atom = end;
        inside = false;
        if (slice.complete || slice.begin < slice.end) return;
      }
      done = true;
    }
    KOKKOS_FUNCTION slice_of<Tiles> operator*() const { return slice; }
    KOKKOS_FUNCTION iterator& operator++() {
      ++at.tile;
      find_slice();
      return *this;
    }
    KOKKOS_FUNCTION bool operator!=(end_of_slices) const { return !done; }
  };
  KOKKOS_FUNCTION iterator begin() const { return {tiles, first, last}; }
  KOKKOS_FUNCTION end_of_slices end() const { return {}; }
};

}  // namespace araios::impl
