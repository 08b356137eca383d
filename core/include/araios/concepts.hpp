// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include <araios/impl/execution.hpp>
#include <araios/tile_sets.hpp>

namespace araios {

/// A sparse matrix in compressed row storage as kernels see it: pointers and sizes, passed by
/// value, owning nothing. Row i holds the entries row_map[i] .. row_map[i+1]-1; entries[k] is a
/// column. Rows need not be sorted and may hold duplicates, which add up. `row_map` may be null if
/// there are no rows, `entries` and `values` if there are no entries.
template <class Ordinal, class Offset, class Value, class MemorySpace>
struct crs_view {
  using ordinal_type = Ordinal;
  using offset_type = Offset;
  using value_type = Value;
  using memory_space = MemorySpace;
  static constexpr bool columns_by_slot = true;  ///< `column` needs no row

  Ordinal num_rows = 0;
  Ordinal num_cols = 0;
  Offset nnz = 0;
  Offset const* row_map = nullptr;
  Ordinal const* entries = nullptr;
  Value* values = nullptr;

  crs_tiles<Ordinal, Offset> tiles() const { return {num_rows, nnz, row_map}; }
  KOKKOS_FUNCTION Ordinal column(Ordinal, std::size_t slot) const { return entries[slot]; }
  KOKKOS_FUNCTION std::remove_const_t<Value> value(std::size_t slot) const { return values[slot]; }
};

/// How Araios reads a matrix type: specialise it with `view(matrix)` that returns a `crs_view`.
/// Specialised for `crs_matrix`, and in <araios/interop/kokkos_kernels.hpp> for everything shaped
/// like `KokkosSparse::CrsMatrix`, which includes the local matrices of Tpetra.
template <class Matrix>
struct crs_traits;

template <class Matrix>
concept crs_like = requires(Matrix const& a) {
  crs_traits<std::remove_cv_t<Matrix>>::view(a);
};

/// The kernel view of any `crs_like` matrix. No copies.
template <crs_like Matrix>
auto as_crs(Matrix const& a) {
  return crs_traits<std::remove_cv_t<Matrix>>::view(a);
}

template <class Matrix>
using crs_view_of = decltype(as_crs(std::declval<Matrix const&>()));

/// An execution space instance, or one with specialisations off (`portable_on`).
template <class Space>
concept execution_instance = Kokkos::is_execution_space_v<impl::execution_space_of<Space>>;

/// Tiles that own atoms: rows and nonzeros, block rows and blocks, vertices and edges. A tile set
/// is small and passed by value; every member can be called on host or device (`tile_begin`,
/// `tile_end` and `slot` where its data are). The invariants, checked by unit_tests/contracts for
/// every model:
///  1. num_tiles() >= 0, num_atoms() >= 0;
///  2. tile_begin(0) == 0, tile_end(t) == tile_begin(t + 1), tile_begin(t) <= tile_end(t),
///     tile_end(num_tiles() - 1) == num_atoms(): atoms are contiguous and ascending over the tiles;
///  3. slot(t, a) is defined for the atoms of t, distinct for distinct atoms, and says where atom a
///     is stored: a itself in CRS, strided in ELL and RgCSR.
template <class T>
concept tile_set = std::copy_constructible<T> &&
    requires(T const s, typename T::tile_type t, typename T::atom_type a) {
  { s.num_tiles() } -> std::same_as<typename T::tile_type>;
  { s.num_atoms() } -> std::same_as<typename T::atom_type>;
  { s.tile_begin(t) } -> std::same_as<typename T::atom_type>;
  { s.tile_end(t) } -> std::same_as<typename T::atom_type>;
  { s.slot(t, a) } -> std::convertible_to<std::size_t>;
};

/// What a schedule deals to a worker: the atoms begin .. end-1 of one tile. `complete` says that
/// they are all atoms of the tile, so that nobody else holds a part of it.
template <tile_set Tiles>
struct slice_of {
  typename Tiles::tile_type tile;
  typename Tiles::atom_type begin;
  typename Tiles::atom_type end;
  bool complete;
};

/// Whether some slots of a tile set hold no entry, which a negative column says.
template <class Tiles>
inline constexpr bool has_padding = false;
template <class Tiles>
requires Tiles::padded inline constexpr bool has_padding<Tiles> = true;

/// A sparse matrix in any storage as kernels see it: small, passed by value, owning nothing. Tile i
/// of `tiles()` is row i; the entry in slot s of row i lies in column `column(i, s)` and is
/// `value(s)`. Nothing of it is written while a product runs. Modelled by `crs_view`; a format of
/// your own is one struct of this shape (docs/extending.md) and works with `spmv` and `spmm` and
/// every schedule. `column` can be called where the data are.
///
/// Optional: `row(i)`, the row of the matrix that tile i is, if that is not row i (each row at most
/// once); `side_by_side`, true if neighbouring tiles are stored interleaved, so that neighbouring
/// lanes had better take a tile each; `tiles_are_columns`, true if tile i is column i, and
/// `column(i, s)` a row.
template <class M>
concept tiled_matrix = std::copy_constructible<M> &&
    requires(M const a, typename M::ordinal_type row, std::size_t slot) {
  typename M::value_type;
  { a.num_rows } -> std::convertible_to<typename M::ordinal_type>;
  { a.num_cols } -> std::convertible_to<typename M::ordinal_type>;
  { a.tiles() } -> tile_set;
  { a.column(row, slot) } -> std::convertible_to<typename M::ordinal_type>;
  { a.value(slot) } -> std::convertible_to<typename M::value_type>;
};

namespace impl {
template <class T>
inline constexpr bool are_tiled = false;
template <tiled_matrix... Parts>
inline constexpr bool are_tiled<std::tuple<Parts...>> = true;
}  // namespace impl

/// A matrix that owns its storage, as those in <araios/matrix/>: `parts()` is a tuple of views whose
/// sum is the matrix. Every row is a tile of the first part.
template <class M>
concept stored_matrix = requires(M const a) {
  typename M::ordinal_type;
  typename M::offset_type;
  typename M::value_type;
  typename M::memory_space;
  { a.num_rows() } -> std::convertible_to<typename M::ordinal_type>;
  { a.num_cols() } -> std::convertible_to<typename M::ordinal_type>;
  { a.nnz() } -> std::convertible_to<typename M::offset_type>;
  requires impl::are_tiled<decltype(a.parts())>;
};

/// What can be converted to other formats.
template <class M>
concept convertible_matrix = crs_like<M> || stored_matrix<M>;

/// What `spmv` and `spmm` take: a matrix in compressed row storage, or in any other.
template <class M>
concept sparse_matrix = crs_like<M> || tiled_matrix<M> || stored_matrix<M>;

/// The kernel views whose sum is the matrix. No copies.
template <sparse_matrix Matrix>
auto parts_of(Matrix const& a) {
  if constexpr (crs_like<Matrix>)
    return std::tuple(as_crs(a));
  else if constexpr (stored_matrix<Matrix>)
    return a.parts();
  else
    return std::tuple(a);
}

namespace impl {

/// The row (or column, if tiles are columns) that a tile of a matrix is.
template <class Matrix, class Tile>
KOKKOS_FORCEINLINE_FUNCTION Tile row_of([[maybe_unused]] Matrix const& a, Tile tile) {
  if constexpr (requires { a.row(tile); })
    return a.row(tile);
  else
    return tile;
}

template <class Matrix>
inline constexpr bool is_side_by_side = requires {
  requires Matrix::side_by_side;
};
template <class Matrix>
inline constexpr bool has_columns_for_tiles = requires {
  requires Matrix::tiles_are_columns;
};

}  // namespace impl

/// Who shares one slice: the vector lanes of one thread of the team (one lane or up to a warp), or
/// the whole team.
enum class slice_scope { lanes, team };

/// A schedule deals the tiles and atoms of a tile set to the workers of a league of teams.
/// Invariants, checked by unit_tests/contracts on the device for every model:
///  1. every atom is in exactly one slice;
///  2. every tile is in exactly one complete slice, or in none and its atoms are in incomplete ones,
///     which happens only if `splits_tiles`; empty slices are complete;
///  3. a tile without atoms gets a complete slice;
///  4. `split_tile(tiles, w, workers)` names each tile without a complete slice for exactly one of
///     the workers w, and returns num_tiles() for the others.
///
/// A schedule may have a prepared form, `bind(space, tiles)`: one that deals the same slices, with
/// what it had to look for kept in memory. Those of the library have, for `spmv_plan`.
///
/// Determinism: sums of a schedule that does not split tiles are formed in one fixed order, so that
/// repeated runs agree bit for bit; the parts of split tiles are added atomically.
///
/// `slices(tiles, member, workers)` are the slices of this member if only the first `workers`
/// workers of the league take part. `one_lane` says that a worker is always one lane; else `lanes`
/// of them share a slice, or the team. A schedule that drives `spmv` also has `shape(space,
/// tiles)`, the launch it wants, a `name`, and `split_tile` if it splits tiles.
template <class S, class Tiles, class Member>
concept schedule_for = tile_set<Tiles> &&
    requires(S const s, Tiles const& tiles, Member const& member, std::int64_t workers) {
  { S::splits_tiles } -> std::convertible_to<bool>;
  { S::one_lane } -> std::convertible_to<bool>;
  { S::scope } -> std::convertible_to<slice_scope>;
  { *s.slices(tiles, member).begin() } -> std::same_as<slice_of<Tiles>>;
  { *s.slices(tiles, member, workers).begin() } -> std::same_as<slice_of<Tiles>>;
};

}  // namespace araios
