// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <araios/convert.hpp>
#include <araios/impl/convert.hpp>

/// Back to compressed rows, and to a list of entries.
namespace araios {
namespace impl {

/// The number of entries of a tile, without padding.
template <class Part>
struct entries_of_tile {
  using tiles_type = decltype(std::declval<Part>().tiles());
  using tile_type = typename tiles_type::tile_type;
  Part part;
  tiles_type tiles;

  KOKKOS_FUNCTION std::int64_t operator()(tile_type tile) const {
    auto const begin = tiles.tile_begin(tile), end = tiles.tile_end(tile);
    if constexpr (!has_padding<tiles_type>) {
      return static_cast<std::int64_t>(end - begin);
    } else {
      std::int64_t count = 0;
      for (auto k = begin; k < end; ++k)
        if (!is_padding(part.column(tile, tiles.slot(tile, k)))) ++count;
      return count;
    }
  }
};

template <class Part, class Offset>
struct add_lengths {
  entries_of_tile<Part> entries;
  Offset* lengths;
  KOKKOS_FUNCTION void operator()(std::int64_t t) const {
    auto const tile = static_cast<typename entries_of_tile<Part>::tile_type>(t);
    lengths[row_of(entries.part, tile)] += static_cast<Offset>(entries(tile));
  }
};

template <class Offset>
struct length_at {
  Offset const* lengths;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    return static_cast<std::int64_t>(lengths[i]);
  }
};

/// Writes what a tile holds behind what its row has got so far; one thread for each tile, where
/// padding has to be left out.
template <class Part, class Offset, class Ordinal, class Value>
struct append_tile {
  entries_of_tile<Part> from;
  Offset* next;
  Ordinal* entries;
  Value* values;
  KOKKOS_FUNCTION void operator()(std::int64_t t) const {
    auto const tile = static_cast<typename entries_of_tile<Part>::tile_type>(t);
    auto const row = row_of(from.part, tile);
    auto to = next[row];
    for (auto k = from.tiles.tile_begin(tile); k < from.tiles.tile_end(tile); ++k) {
      auto const slot = from.tiles.slot(tile, k);
      auto const column = from.part.column(tile, slot);
      if (is_padding(column)) continue;
      entries[to] = column;
      values[to] = from.part.value(slot);
      ++to;
    }
    next[row] = to;
  }
};
template <class Part, class Offset, class Ordinal, class Value>
struct append_atom {
  entries_of_tile<Part> from;
  Offset const* next;
  Ordinal* entries;
  Value* values;
  template <class Tile, class Atom>
  KOKKOS_FUNCTION void operator()(Tile tile, Atom atom) const {
    auto const slot = from.tiles.slot(tile, atom);
    auto const to =
        next[row_of(from.part, tile)] + static_cast<Offset>(atom - from.tiles.tile_begin(tile));
    entries[to] = from.part.column(tile, slot);
    values[to] = from.part.value(slot);
  }
};

template <class Space, class Part, class Offset, class Ordinal, class Value>
void append_part(Space const& space, Part const& part, Offset* next, Ordinal* entries,
                 Value* values) {
  auto const tiles = part.tiles();
  auto const count = static_cast<std::int64_t>(tiles.num_tiles());
  entries_of_tile<Part> const from{part, tiles};
  if constexpr (has_padding<std::remove_const_t<decltype(tiles)>>) {
    for_each_index(space, "araios::to_crs::rows", count,
                   append_tile<Part, Offset, Ordinal, Value>{from, next, entries, values});
  } else {
    visit_evenly(space, "araios::to_crs::entries", tiles,
                 append_atom<Part, Offset, Ordinal, Value>{from, next, entries, values});
    for_each_index(space, "araios::to_crs::next", count, add_lengths<Part, Offset>{from, next});
  }
}

}  // namespace impl

template <execution_instance Space, stored_matrix Matrix>
auto to_crs(Space const& space, Matrix const& a) {
  using ordinal = typename Matrix::ordinal_type;
  using offset = typename Matrix::offset_type;
  using value = typename Matrix::value_type;
  auto const& exec = impl::instance(space);
  auto const parts = a.parts();
  auto const rows = static_cast<std::int64_t>(a.num_rows());
  auto const nnz = static_cast<std::size_t>(a.nnz());
  auto const row_map = impl::allocate<offset>(exec, "araios::crs_matrix::row_map",
                                              static_cast<std::size_t>(rows) + 1);
  auto const entries = impl::allocate<ordinal>(exec, "araios::crs_matrix::entries", nnz);
  auto const values = impl::allocate<value>(exec, "araios::crs_matrix::values", nnz);
  using first_part = std::tuple_element_t<0, std::remove_const_t<decltype(parts)>>;
  if constexpr (impl::has_columns_for_tiles<first_part>) {
    auto const& columns = std::get<0>(parts);
    auto const column_of =
        impl::lines_of_entries(exec, "araios::to_crs::column_of", columns.tiles());
    impl::transpose_entries(exec, "araios::to_crs", rows, columns.entries, column_of.data(),
                            columns.values, static_cast<std::int64_t>(nnz), row_map.data(),
                            entries.data(), values.data());
  } else {
    // the row map counts first and then says where the next entry of each row goes
    auto const next =
        impl::allocate<offset>(exec, "araios::to_crs::next", static_cast<std::size_t>(rows));
    Kokkos::deep_copy(exec, next, offset{});
    Kokkos::deep_copy(exec, row_map, offset{});
    std::apply(
        [&](auto const&... part) {
          (impl::for_each_index(exec, "araios::to_crs::lengths",
                                static_cast<std::int64_t>(part.tiles().num_tiles()),
                                impl::add_lengths<std::remove_cvref_t<decltype(part)>, offset>{
                                    {part, part.tiles()}, next.data()}),
           ...);
        },
        parts);
    impl::scan_sizes(exec, "araios::to_crs::scan", rows, impl::length_at<offset>{next.data()},
                     row_map.data(), true);
    impl::for_each_index(exec, "araios::to_crs::begin", rows,
                         impl::copy_elements<offset, offset>{row_map.data(), next.data()});
    std::apply(
        [&](auto const&... part) {
          (impl::append_part(exec, part, next.data(), entries.data(), values.data()), ...);
        },
        parts);
    exec.fence("araios::to_crs: the places are not needed any more");
  }
  return crs_matrix<value, ordinal, offset, typename Matrix::memory_space>(
      a.num_rows(), a.num_cols(), row_map, entries, values);
}

template <execution_instance Space, convertible_matrix Matrix>
auto to_coo(Space const& space, Matrix const& matrix) {
  auto const& exec = impl::instance(space);
  return impl::with_crs(space, matrix, [&]<class Crs>(Crs const& a) {
    using types = impl::formats<impl::execution_space_of<Space>, Crs>;
    coo_matrix<typename types::value, typename types::ordinal, typename types::offset,
               typename types::memory>
        c(a.num_rows, a.num_cols, a.nnz);
    auto const nnz = static_cast<std::size_t>(a.nnz);
    c.row_of = impl::lines_of_entries(exec, "araios::coo_matrix::row_of", a.tiles());
    c.entries =
        impl::copy_of<typename types::ordinal>(exec, "araios::coo_matrix::entries", a.entries, nnz);
    c.values =
        impl::copy_of<typename types::value>(exec, "araios::coo_matrix::values", a.values, nnz);
    return c;
  });
}

}  // namespace araios
