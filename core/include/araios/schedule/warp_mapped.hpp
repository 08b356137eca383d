// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>

#include <araios/concepts.hpp>
#include <araios/impl/slices.hpp>

namespace araios {

/// A warp or an equal part of one per tile: for tiles of tens to hundreds of atoms. Slices are
/// whole tiles; the lanes sum strided parts, which are reduced in one fixed order, so repeated runs
/// agree bit for bit for the same number of lanes. On host backends one thread does it.
/// Source: loops (Osama et al., PPoPP 2023), section 4.
struct warp_mapped : impl::whole_tile_schedule<slice_scope::lanes>,
                     impl::bound_as_it_is<warp_mapped> {
  static constexpr char const* name = "warp_mapped";

  int lanes;  ///< lanes that share a tile, a power of two from 1 to 32

  explicit warp_mapped(int lanes_per_tile = 32) : lanes(lanes_per_tile) {
    impl::require_lanes(name, lanes);
  }

  template <class Space, tile_set Tiles>
  launch_shape shape(Space const& space, Tiles const& tiles) const {
    return impl::strided_shape(space, tiles.num_tiles(), lanes, lanes);
  }
};

/// A team per tile: for few very long tiles. Otherwise as `warp_mapped`.
struct block_mapped : impl::whole_tile_schedule<slice_scope::team>,
                      impl::bound_as_it_is<block_mapped> {
  static constexpr char const* name = "block_mapped";

  template <class Space, tile_set Tiles>
  launch_shape shape(Space const& space, Tiles const& tiles) const {
    return impl::strided_shape(space, tiles.num_tiles(), threads_per_team, 1);
  }
};

}  // namespace araios
