// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>

#include <araios/concepts.hpp>
#include <araios/impl/slices.hpp>

namespace araios {

/// One lane per tile: for many short tiles of similar length, and for one-threaded backends. Slices
/// are whole tiles and each sum is formed in one fixed order, so repeated runs agree bit for bit.
/// Source: loops (Osama et al., PPoPP 2023), section 4.
struct thread_mapped : impl::whole_tile_schedule<slice_scope::lanes>,
                       impl::bound_as_it_is<thread_mapped> {
  static constexpr char const* name = "thread_mapped";
  static constexpr bool one_lane = true;

  template <class Space, tile_set Tiles>
  launch_shape shape(Space const& space, Tiles const& tiles) const {
    return impl::strided_shape(space, tiles.num_tiles(), 1, 1);
  }
};

}  // namespace araios
