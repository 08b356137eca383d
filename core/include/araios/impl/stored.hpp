// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <araios/concepts.hpp>
#include <araios/tile_sets.hpp>

namespace araios::impl {

/// A view with a column and a value in each slot. `order` says which row a tile is, if it is not
/// null.
template <class Tiles, class Ordinal, class Value, class MemorySpace, bool SideBySide = false,
          bool TilesAreColumns = false>
struct slot_view {
  using ordinal_type = Ordinal;
  using value_type = Value;
  using memory_space = MemorySpace;
  static constexpr bool columns_by_slot = true;
  static constexpr bool side_by_side = SideBySide;
  static constexpr bool tiles_are_columns = TilesAreColumns;

  Ordinal num_rows = 0;
  Ordinal num_cols = 0;
  Tiles all;
  Ordinal const* entries = nullptr;
  Value const* values = nullptr;
  Ordinal const* order = nullptr;

  Tiles tiles() const { return all; }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal row(typename Tiles::tile_type tile) const {
    return order == nullptr ? static_cast<Ordinal>(tile) : order[tile];
  }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal column(typename Tiles::tile_type, std::size_t slot) const {
    return entries[slot];
  }
  KOKKOS_FORCEINLINE_FUNCTION Value value(std::size_t slot) const { return values[slot]; }
};

/// What all owning matrices have in common.
template <class Value, class Ordinal, class Offset, class MemorySpace>
class stored {
 public:
  using value_type = Value;
  using ordinal_type = Ordinal;
  using offset_type = Offset;
  using memory_space = MemorySpace;
  using offsets_view = Kokkos::View<Offset*, MemorySpace>;
  using entries_view = Kokkos::View<Ordinal*, MemorySpace>;
  using values_view = Kokkos::View<Value*, MemorySpace>;

  stored() = default;
  stored(Ordinal num_rows, Ordinal num_cols, Offset nnz)
      : num_rows_(num_rows), num_cols_(num_cols), nnz_(nnz) {}

  Ordinal num_rows() const { return num_rows_; }
  Ordinal num_cols() const { return num_cols_; }
  Offset nnz() const { return nnz_; }  ///< entries, without padding

 private:
  Ordinal num_rows_ = 0;
  Ordinal num_cols_ = 0;
  Offset nnz_ = 0;
};

template <class... Views>
std::size_t bytes_of(Views const&... views) {
  return (std::size_t{0} + ... + (views.span() * sizeof(typename Views::value_type)));
}

/// Some rows of a matrix in compressed row storage, with their numbers; all of them if there are no
/// numbers.
template <class Value, class Ordinal, class Offset, class MemorySpace>
struct row_list {
  Kokkos::View<Ordinal*, MemorySpace> rows;    ///< ascending
  Kokkos::View<Offset*, MemorySpace> row_map;  ///< one more than rows, or none
  Kokkos::View<Ordinal*, MemorySpace> entries;
  Kokkos::View<Value*, MemorySpace> values;

  Offset nnz() const { return static_cast<Offset>(entries.extent(0)); }
  auto view(Ordinal num_rows, Ordinal num_cols) const {
    auto const count =
        static_cast<Ordinal>(row_map.extent(0) > 0 ? row_map.extent(0) - 1 : std::size_t{0});
    return slot_view<crs_tiles<Ordinal, Offset>, Ordinal, Value, MemorySpace>{
        num_rows,       num_cols,      {count, nnz(), row_map.data()},
        entries.data(), values.data(), rows.data()};
  }
  std::size_t bytes() const { return bytes_of(rows, row_map, entries, values); }
};

}  // namespace araios::impl
