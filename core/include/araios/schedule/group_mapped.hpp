// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>

#include <araios/concepts.hpp>
#include <araios/impl/slices.hpp>

namespace araios {

/// A group of lanes of one warp per tile: for tiles of tens to hundreds of atoms; 32 lanes are the
/// warp-mapped schedule. Slices are whole tiles; the lanes sum strided parts, which are reduced in
/// one fixed order, so repeated runs agree bit for bit for the same number of lanes. On host
/// backends a group is one thread. Source: loops (Osama et al., PPoPP 2023), section 4.
struct group_mapped : impl::whole_tile_schedule<slice_scope::lanes> {
  static constexpr char const* name = "group_mapped";

  int lanes;  ///< lanes that share a tile, a power of two from 1 to 32

  explicit group_mapped(int lanes_per_tile = 32) : lanes(lanes_per_tile) {
    impl::require_lanes(name, lanes);
  }

  template <class Space, tile_set Tiles>
  impl::launch_shape shape(Space const& space, Tiles const& tiles) const {
    return impl::strided_shape(space, tiles.num_tiles(), lanes, lanes);
  }
};

/// A team per tile: for few very long tiles. Otherwise as `group_mapped`.
struct block_mapped : impl::whole_tile_schedule<slice_scope::team> {
  static constexpr char const* name = "block_mapped";

  template <class Space, tile_set Tiles>
  impl::launch_shape shape(Space const& space, Tiles const& tiles) const {
    return impl::strided_shape(space, tiles.num_tiles(), impl::threads_per_team, 1);
  }
};

}  // namespace araios
