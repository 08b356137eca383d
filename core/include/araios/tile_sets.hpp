// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// Tile sets (the contract is `tile_set` in <araios/concepts.hpp>): how tiles own atoms in the
/// usual storage formats. All are small, own nothing and are passed by value. Atoms are counted in
/// the offset type of the format, in 64 bits where there may be more of them than the format stores
/// offsets for. Where a format pads its rows, either the padding is counted as atoms (`padded` is
/// true: kernels skip slots whose column is negative), or a row map says how many atoms there are,
/// so that the padding is never met.
namespace araios {

namespace impl {
/// a / size; a shift where size is a power of two, since a division takes as long as reading memory
/// that is near.
template <class Integer, class Size>
KOKKOS_FORCEINLINE_FUNCTION Integer quotient(Integer a, Size size) {
  if ((size & (size - 1)) == 0)
    return a >>
           Kokkos::Experimental::countr_zero_builtin(static_cast<std::make_unsigned_t<Size>>(size));
  return a / static_cast<Integer>(size);
}
}  // namespace impl

/// Where the atoms of a tile are stored, if that is in equal steps: a tile set may offer it as
/// `slots_of(tile)`, which saves computing `slot` for each.
struct strided_slots {
  std::size_t first;
  std::size_t step;
};

/// The rows of a matrix in compressed row storage as tiles, its entries as atoms.
template <class Ordinal, class Offset>
struct crs_tiles {
  using tile_type = Ordinal;
  using atom_type = Offset;
  static constexpr bool slots_are_atoms = true;  ///< whatever the tile

  Ordinal rows = 0;
  Offset nnz = 0;
  Offset const* row_map = nullptr;

  bool operator==(crs_tiles const&) const = default;
  KOKKOS_FUNCTION Ordinal num_tiles() const { return rows; }
  KOKKOS_FUNCTION Offset num_atoms() const { return nnz; }
  KOKKOS_FUNCTION Offset tile_begin(Ordinal row) const { return row_map[row]; }
  KOKKOS_FUNCTION Offset tile_end(Ordinal row) const { return row_map[row + 1]; }
  KOKKOS_FUNCTION std::size_t slot(Ordinal, Offset atom) const {
    return static_cast<std::size_t>(atom);
  }
};

/// Compressed column storage: the columns are the tiles.
template <class Ordinal, class Offset>
using ccs_tiles = crs_tiles<Ordinal, Offset>;

/// Block rows and blocks of a matrix in block compressed row storage (BCSR): `row_map` counts
/// blocks. The slot of a block is its number.
template <class Ordinal, class Offset>
using block_tiles = crs_tiles<Ordinal, Offset>;

/// Rows of a list of entries (COO) whose row numbers ascend: borders are found by bisection.
template <class Ordinal, class Offset>
struct coo_tiles {
  using tile_type = Ordinal;
  using atom_type = Offset;
  static constexpr bool slots_are_atoms = true;

  Ordinal rows = 0;
  Offset nnz = 0;
  Ordinal const* row_of = nullptr;  ///< of each entry, ascending

  bool operator==(coo_tiles const&) const = default;
  KOKKOS_FUNCTION Ordinal num_tiles() const { return rows; }
  KOKKOS_FUNCTION Offset num_atoms() const { return nnz; }
  KOKKOS_FUNCTION Offset tile_begin(Ordinal row) const {
    Offset low = 0, high = nnz;
    while (low < high) {
      auto const middle = static_cast<Offset>(low + (high - low) / 2);
      if (row_of[middle] < row)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
  KOKKOS_FUNCTION Offset tile_end(Ordinal row) const {
    return row + 1 < rows ? tile_begin(row + 1) : nnz;
  }
  KOKKOS_FUNCTION std::size_t slot(Ordinal, Offset atom) const {
    return static_cast<std::size_t>(atom);
  }
};

/// ELL: `width` slots for every row, stored column by column. The padding counts.
template <class Ordinal>
struct ell_tiles {
  using tile_type = Ordinal;
  using atom_type = std::int64_t;
  static constexpr bool padded = true;

  Ordinal rows = 0;
  Ordinal width = 0;

  bool operator==(ell_tiles const&) const = default;
  KOKKOS_FUNCTION Ordinal num_tiles() const { return rows; }
  KOKKOS_FUNCTION atom_type num_atoms() const {
    return static_cast<atom_type>(rows) * static_cast<atom_type>(width);
  }
  KOKKOS_FUNCTION atom_type tile_begin(Ordinal row) const {
    return static_cast<atom_type>(row) * static_cast<atom_type>(width);
  }
  KOKKOS_FUNCTION atom_type tile_end(Ordinal row) const {
    return tile_begin(row) + static_cast<atom_type>(width);
  }
  KOKKOS_FUNCTION std::size_t slot(Ordinal row, atom_type atom) const {
    return static_cast<std::size_t>(atom - tile_begin(row)) * static_cast<std::size_t>(rows) +
           static_cast<std::size_t>(row);
  }
  KOKKOS_FUNCTION strided_slots slots_of(Ordinal row) const {
    return {static_cast<std::size_t>(row), static_cast<std::size_t>(rows)};
  }
};

/// Diagonals (DIA), each stored with a slot for every row: as ELL whose width is the number of
/// diagonals. What lies outside of the matrix counts as padding.
template <class Ordinal>
using dia_tiles = ell_tiles<Ordinal>;

/// Sliced ELL: `slice_size` rows at a time are stored column by column, as many columns as the
/// longest of them needs. `slice_begin` holds where each slice begins among the slots, and the end;
/// the last slice has slots for `slice_size` rows as well. The padding of the rows counts.
template <class Ordinal, class Offset>
struct sliced_ell_tiles {
  using tile_type = Ordinal;
  using atom_type = std::int64_t;
  static constexpr bool padded = true;

  Ordinal rows = 0;
  Ordinal slice_size = 1;
  std::int64_t atoms = 0;  ///< sum over the rows of the width of their slice
  Offset const* slice_begin = nullptr;

  bool operator==(sliced_ell_tiles const&) const = default;
  KOKKOS_FUNCTION Ordinal num_tiles() const { return rows; }
  KOKKOS_FUNCTION atom_type num_atoms() const { return atoms; }
  KOKKOS_FUNCTION Ordinal slice_of_row(Ordinal row) const {
    return impl::quotient(row, slice_size);
  }
  KOKKOS_FUNCTION atom_type width_of(Ordinal slice) const {
    return impl::quotient(static_cast<atom_type>(slice_begin[slice + 1] - slice_begin[slice]),
                          slice_size);
  }
  KOKKOS_FUNCTION atom_type tile_begin(Ordinal row) const {
    auto const slice = slice_of_row(row);
    return static_cast<atom_type>(slice_begin[slice]) +
           static_cast<atom_type>(row - slice * slice_size) * width_of(slice);
  }
  KOKKOS_FUNCTION atom_type tile_end(Ordinal row) const {
    return tile_begin(row) + width_of(slice_of_row(row));
  }
  KOKKOS_FUNCTION std::size_t slot(Ordinal row, atom_type atom) const {
    auto const slots = slots_of(row);
    return slots.first + static_cast<std::size_t>(atom - tile_begin(row)) * slots.step;
  }
  KOKKOS_FUNCTION strided_slots slots_of(Ordinal row) const {
    auto const slice = slice_of_row(row);
    return {static_cast<std::size_t>(slice_begin[slice]) +
                static_cast<std::size_t>(row - slice * slice_size),
            static_cast<std::size_t>(slice_size)};
  }
};

/// Row-grouped CSR: `group_size` rows at a time are stored column by column, and a row map says how
/// long each is, so that the padding is never met. The last group has slots for the rows it has.
/// `width` > 0 says that all groups have so many columns; then `group_begin` is not needed, and slots
/// without an entry have a negative column, so that kernels need not read the row map either.
/// Source: Oberhuber, Suzuki, Vacata, New row-grouped CSR format for storing sparse matrices on GPU
/// (2010).
template <class Ordinal, class Offset>
struct rgcsr_tiles {
  using tile_type = Ordinal;
  using atom_type = Offset;

  Ordinal rows = 0;
  Ordinal group_size = 1;
  Offset nnz = 0;
  Offset const* row_map = nullptr;
  Offset const* group_begin = nullptr;  ///< of each group among the slots
  Ordinal width = 0;

  bool operator==(rgcsr_tiles const&) const = default;
  KOKKOS_FUNCTION Ordinal num_tiles() const { return rows; }
  KOKKOS_FUNCTION Offset num_atoms() const { return nnz; }
  KOKKOS_FUNCTION Offset tile_begin(Ordinal row) const { return nnz > 0 ? row_map[row] : Offset{}; }
  KOKKOS_FUNCTION Offset tile_end(Ordinal row) const {
    return nnz > 0 ? row_map[row + 1] : Offset{};
  }
  KOKKOS_FUNCTION std::size_t slot(Ordinal row, Offset atom) const {
    auto const slots = slots_of(row);
    return slots.first + static_cast<std::size_t>(atom - row_map[row]) * slots.step;
  }
  KOKKOS_FUNCTION strided_slots slots_of(Ordinal row) const {
    auto const group = impl::quotient(row, group_size);
    auto const first = static_cast<Ordinal>(group * group_size);
    auto const rows_here = rows - first < group_size ? rows - first : group_size;
    auto const begin = width > 0 ? static_cast<std::size_t>(first) * static_cast<std::size_t>(width)
                                 : static_cast<std::size_t>(group_begin[group]);
    return {begin + static_cast<std::size_t>(row - first), static_cast<std::size_t>(rows_here)};
  }
};

/// The rows of a matrix in block compressed row storage with dense blocks of `block_size` x
/// `block_size`, stored row by row, one after the other; the slot of an entry is where its value
/// lies. The last block row may have fewer rows. A block size that is known when compiling
/// (`BlockSize`) makes divisions cheap. Slots without an entry count.
template <class Ordinal, class Offset, int BlockSize = 0>
struct bcsr_tiles {
  using tile_type = Ordinal;
  using atom_type = std::int64_t;
  static constexpr bool padded = true;

  Ordinal rows = 0;
  Ordinal block_size = 1;
  std::int64_t atoms = 0;           ///< slots of the rows that there are
  Offset const* row_map = nullptr;  ///< of the block rows among the blocks

  KOKKOS_FUNCTION Ordinal size() const {
    return BlockSize > 0 ? static_cast<Ordinal>(BlockSize) : block_size;
  }
  bool operator==(bcsr_tiles const&) const = default;
  KOKKOS_FUNCTION Ordinal num_tiles() const { return rows; }
  KOKKOS_FUNCTION atom_type num_atoms() const { return atoms; }
  KOKKOS_FUNCTION atom_type tile_begin(Ordinal row) const {
    auto const before = static_cast<atom_type>(row_map[row / size()]);
    return before * static_cast<atom_type>(size()) * static_cast<atom_type>(size()) +
           static_cast<atom_type>(row % size()) * length_of(row);
  }
  KOKKOS_FUNCTION atom_type tile_end(Ordinal row) const { return tile_begin(row) + length_of(row); }
  KOKKOS_FUNCTION std::size_t slot(Ordinal row, atom_type atom) const {
    auto const width = static_cast<std::size_t>(size());
    auto const within = static_cast<std::size_t>(atom - tile_begin(row));
    auto const block = static_cast<std::size_t>(row_map[row / size()]) + within / width;
    return (block * width + static_cast<std::size_t>(row % size())) * width + within % width;
  }

 private:
  KOKKOS_FUNCTION atom_type length_of(Ordinal row) const {
    auto const block_row = row / size();
    return static_cast<atom_type>(row_map[block_row + 1] - row_map[block_row]) *
           static_cast<atom_type>(size());
  }
};

/// The vertices of a frontier as tiles, the edges that leave them as atoms, numbered vertex by
/// vertex. The slot of an edge is the entry of the matrix that it is.
template <class Ordinal, class Offset>
struct frontier_tiles {
  using tile_type = Ordinal;
  using atom_type = std::int64_t;

  Ordinal size = 0;
  std::int64_t edges = 0;
  Ordinal const* vertices = nullptr;
  std::int64_t const* begin = nullptr;  ///< of each vertex among the edges; `size` of them
  Offset const* row_map = nullptr;

  KOKKOS_FUNCTION Ordinal num_tiles() const { return size; }
  KOKKOS_FUNCTION std::int64_t num_atoms() const { return edges; }
  KOKKOS_FUNCTION std::int64_t tile_begin(Ordinal t) const { return begin[t]; }
  KOKKOS_FUNCTION std::int64_t tile_end(Ordinal t) const {
    return t + 1 < size ? begin[t + 1] : edges;
  }
  KOKKOS_FUNCTION std::size_t slot(Ordinal t, std::int64_t atom) const {
    return static_cast<std::size_t>(row_map[vertices[t]]) +
           static_cast<std::size_t>(atom - begin[t]);
  }
};

/// The atoms of another tile set regrouped in tiles of `size` atoms (the last may be smaller),
/// whoever owned them: for work that depends on atoms alone. `owner(atom)` finds the tile that
/// owned an atom, by bisection.
template <class Tiles>
struct rebinned_tiles {
  static constexpr bool padded = requires { Tiles::padded; };
  using tile_type = typename Tiles::atom_type;
  using atom_type = typename Tiles::atom_type;

  Tiles tiles;
  atom_type size = 1;

  KOKKOS_FUNCTION tile_type num_tiles() const {
    auto const atoms = tiles.num_atoms();
    return atoms / size + (atoms % size != 0 ? 1 : 0);
  }
  KOKKOS_FUNCTION atom_type num_atoms() const { return tiles.num_atoms(); }
  KOKKOS_FUNCTION atom_type tile_begin(tile_type t) const { return t * size; }
  KOKKOS_FUNCTION atom_type tile_end(tile_type t) const {
    return tiles.num_atoms() - t * size > size ? (t + 1) * size : tiles.num_atoms();
  }
  KOKKOS_FUNCTION typename Tiles::tile_type owner(atom_type atom) const {
    typename Tiles::tile_type low = 0, high = tiles.num_tiles();
    while (low < high) {
      auto const middle = static_cast<typename Tiles::tile_type>(low + (high - low) / 2);
      if (tiles.tile_end(middle) <= atom)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
  KOKKOS_FUNCTION std::size_t slot(tile_type, atom_type atom) const {
    return tiles.slot(owner(atom), atom);
  }
};

}  // namespace araios
