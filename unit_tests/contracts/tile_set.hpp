// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <set>
#include <vector>

#include <araios/concepts.hpp>

#include "support/device.hpp"

namespace contracts {

/// Reads the borders of every tile on the device.
template <araios::tile_set Tiles>
struct read_borders {
  Tiles tiles;
  support::device_vector<std::int64_t> begin, end;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    auto const t = static_cast<typename Tiles::tile_type>(i);
    begin(i) = static_cast<std::int64_t>(tiles.tile_begin(t));
    end(i) = static_cast<std::int64_t>(tiles.tile_end(t));
  }
};

/// Reads the slot of every atom on the device.
template <araios::tile_set Tiles>
struct read_slots {
  Tiles tiles;
  support::device_vector<std::size_t> slots;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    auto const t = static_cast<typename Tiles::tile_type>(i);
    for (auto atom = tiles.tile_begin(t); atom < tiles.tile_end(t); ++atom)
      slots(atom) = tiles.slot(t, atom);
  }
};

struct tile_borders {
  std::vector<std::int64_t> begin, end;
};

template <araios::tile_set Tiles>
tile_borders borders_of(Tiles const& tiles) {
  auto const count = static_cast<std::size_t>(tiles.num_tiles());
  support::device_vector<std::int64_t> const begin("begin", count), end("end", count);
  Kokkos::parallel_for(
      "contracts::read_borders",
      Kokkos::RangePolicy<support::exec, Kokkos::IndexType<std::int64_t>>(0, count),
      read_borders<Tiles>{tiles, begin, end});
  return {support::to_host(begin), support::to_host(end)};
}

/// The invariants of a tile set, as numbered in <araios/concepts.hpp>. Returns the borders.
template <araios::tile_set Tiles>
tile_borders check_tile_borders(Tiles const& tiles) {
  EXPECT_GE(static_cast<std::int64_t>(tiles.num_tiles()), 0) << "invariant 1";
  EXPECT_GE(static_cast<std::int64_t>(tiles.num_atoms()), 0) << "invariant 1";
  auto const borders = borders_of(tiles);
  std::int64_t last = 0;
  for (std::size_t t = 0; t < borders.begin.size(); ++t) {
    EXPECT_EQ(borders.begin[t], last) << "invariant 2, tile " << t;
    EXPECT_LE(borders.begin[t], borders.end[t]) << "invariant 2, tile " << t;
    last = borders.end[t];
  }
  EXPECT_EQ(last, static_cast<std::int64_t>(tiles.num_atoms())) << "invariant 2";
  return borders;
}

/// All invariants of a tile set whose atoms are few enough to be listed.
template <araios::tile_set Tiles>
void check_tile_set(Tiles const& tiles) {
  check_tile_borders(tiles);
  support::device_vector<std::size_t> const slots("slots",
                                                  static_cast<std::size_t>(tiles.num_atoms()));
  Kokkos::parallel_for("contracts::read_slots",
                       Kokkos::RangePolicy<support::exec, Kokkos::IndexType<std::int64_t>>(
                           0, static_cast<std::int64_t>(tiles.num_tiles())),
                       read_slots<Tiles>{tiles, slots});
  auto const list = support::to_host(slots);
  EXPECT_EQ(std::set<std::size_t>(list.begin(), list.end()).size(), list.size()) << "invariant 3";
}

}  // namespace contracts
