// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

#include <araios/concepts.hpp>
#include <araios/impl/slices.hpp>

namespace araios {

/// Some neighbouring tiles whose borders lie in scratch memory: the prefix sums of their atoms.
template <tile_set Tiles>
struct tile_group {
  using tile_type = typename Tiles::tile_type;
  using atom_type = typename Tiles::atom_type;

  tile_type first;           ///< of the tiles
  int count;                 ///< of tiles
  atom_type const* borders;  ///< of tile first + i: borders[i] .. borders[i+1]-1

  KOKKOS_FUNCTION atom_type begin() const { return borders[0]; }
  KOKKOS_FUNCTION atom_type end() const { return borders[count]; }
  /// The tile that owns an atom of the group, by bisection.
  KOKKOS_FUNCTION tile_type tile_of(atom_type atom) const {
    int low = 0, high = count - 1;
    while (low < high) {
      int const middle = (low + high) / 2;
      if (borders[middle + 1] <= atom)
        low = middle + 1;
      else
        high = middle;
    }
    return static_cast<tile_type>(first + static_cast<tile_type>(low));
  }
};

/// A team of any size takes as many tiles at a time and shares all their atoms evenly: for tiles of
/// mixed and moderate size. `sum_tiles` forms the terms of such a group side by side in scratch
/// memory, from where few threads sum each tile; a tile with more atoms than the team has threads
/// is summed by the whole team. `visit_atoms` deals atom by atom. Tiles are not split and each sum
/// is formed in one order that depends on the size only, so repeated runs agree bit for bit. Asked
/// for slices, as `spmm` does, it deals a tile to each thread. On host backends a group is one
/// thread. Source: loops (Osama et al., PPoPP 2023), section 4; staging: Greathouse and Daga,
/// Efficient sparse matrix-vector multiplication on GPUs using the CSR storage format, SC 2014.
struct group_mapped : impl::whole_tile_schedule<slice_scope::lanes>,
                      impl::bound_as_it_is<group_mapped> {
  static constexpr char const* name = "group_mapped";
  static constexpr bool one_lane = true;
  static constexpr bool shares_groups = true;

  int size;  ///< threads of a team and tiles of a group, 1 to 1024; less if scratch is short

  explicit group_mapped(int group_size = threads_per_team) : size(group_size) {
    impl::require(size >= 1 && size <= 1024, "araios::group_mapped: groups of ", size,
                  "; 1 to 1024 are possible");
  }

  template <class Space, tile_set Tiles>
  launch_shape shape(Space const& space, Tiles const& tiles) const {
    std::int64_t const most = impl::rounds_per_worker * std::max(1, space.concurrency());
    return shape_for(space, std::min<std::int64_t>(tiles.num_tiles(), most), size, 1);
  }

  /// Group number `group` of a tile set, by all threads of a team, which must not use `borders` any
  /// more. `borders` has room for size + 1 atoms.
  template <tile_set Tiles, class Member>
  KOKKOS_FUNCTION tile_group<Tiles> load(Tiles const& tiles, Member const& member,
                                         std::int64_t group,
                                         typename Tiles::atom_type* borders) const {
    using tile_type = typename Tiles::tile_type;
    auto const first = group * size;
    auto const left = static_cast<std::int64_t>(tiles.num_tiles()) - first;
    int const count = static_cast<int>(Kokkos::min<std::int64_t>(left, size));
    for (int const i : block_stride(member, 0, count + 1))
      borders[i] = i < count ? tiles.tile_begin(static_cast<tile_type>(first + i))
                             : tiles.tile_end(static_cast<tile_type>(first + count - 1));
    member.team_barrier();
    return {static_cast<tile_type>(first), count, borders};
  }
};

}  // namespace araios
