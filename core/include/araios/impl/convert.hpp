// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <tuple>

#include <araios/error.hpp>
#include <araios/impl/crs.hpp>
#include <araios/impl/execution.hpp>
#include <araios/impl/numbers.hpp>
#include <araios/impl/row_lengths.hpp>
#include <araios/impl/stored.hpp>
#include <araios/load_balance.hpp>
#include <araios/schedule/merge_path.hpp>

/// What all conversions are made of.
namespace araios::impl {

template <class Space, class Kernel>
void for_each_index(Space const& space, std::string const& label, std::int64_t count,
                    Kernel const& kernel) {
  if (count > 0)
    Kokkos::parallel_for(
        label, Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(space, 0, count),
        kernel);
}

/// f(view) for the matrix in compressed rows.
template <class Space, convertible_matrix Matrix, class F>
auto with_crs(Space const& space, Matrix const& a, F const& f) {
  if constexpr (crs_like<Matrix>) {
    return f(as_crs(a));
  } else {
    auto const rows = to_crs(space, a);
    auto result = f(as_crs(rows));
    instance(space).fence("araios::convert: the compressed rows are not needed any more");
    return result;
  }
}

/// The types of what is made of compressed rows.
template <class Space, class Crs>
struct formats {
  using value = std::remove_const_t<typename Crs::value_type>;
  using ordinal = typename Crs::ordinal_type;
  using offset = typename Crs::offset_type;
  using memory = typename Space::memory_space;
  using rows = row_list<value, ordinal, offset, memory>;
  static constexpr double entry_bytes = sizeof(value) + sizeof(ordinal);
};

template <class Crs>
double bytes_of_crs(Crs const& a) {
  return static_cast<double>(a.nnz) * (sizeof(typename Crs::ordinal_type) +
                                       sizeof(std::remove_const_t<typename Crs::value_type>)) +
         (static_cast<double>(a.num_rows) + 1.0) * sizeof(typename Crs::offset_type);
}

/// Refuses a format that is out of all proportion, before it is allocated.
template <class Crs>
void require_growth(char const* function, Crs const& a, double bytes, double most_growth) {
  double const limit = std::max(most_growth * bytes_of_crs(a), double{1 << 20});
  require<std::length_error>(bytes <= limit, function, ": ", bytes, " bytes for a ", a.num_rows,
                             " x ", a.num_cols, " matrix with ", a.nnz, " entries, which takes ",
                             bytes_of_crs(a), " in compressed rows; most_growth is ", most_growth);
}

template <class Offset, class Size>
struct write_offsets {
  Size size;
  std::int64_t count;
  Offset* first;  // of as many, and of the end if `with_end`
  bool with_end;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& sum, bool final) const {
    if (final) first[i] = static_cast<Offset>(sum);
    sum += size(i);
    if (final && with_end && i + 1 == count) first[count] = static_cast<Offset>(sum);
  }
};

/// first[i] = size(0) + ... + size(i - 1) for i < count, or i <= count. Returns the sum of all in
/// 64 bits and waits for it; the caller checks that it fits.
template <class Space, class Offset, class Size>
std::int64_t scan_sizes(Space const& space, std::string const& label, std::int64_t count,
                        Size const& size, Offset* first, bool with_end) {
  std::int64_t total = 0;
  if (count == 0) return total;
  Kokkos::parallel_scan(
      label, Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(space, 0, count),
      write_offsets<Offset, Size>{size, count, first, with_end}, total);
  return total;
}

template <class Space, class Kernel>
std::int64_t total_of(Space const& space, std::string const& label, std::int64_t count,
                      Kernel const& kernel) {
  std::int64_t total = 0;
  if (count > 0)
    Kokkos::parallel_reduce(
        label, Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(space, 0, count), kernel,
        total);
  return total;
}

/// visit(tile, atom) for all atoms, in even shares.
template <class Space, class Tiles, class Visit>
void visit_evenly(Space const& space, std::string const& label, Tiles const& tiles,
                  Visit const& visit) {
  if (tiles.num_atoms() > 0) visit_atoms(space, label, merge_path(), tiles, visit);
}

template <class To, class From>
struct copy_elements {
  From const* from;
  To* to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to[i] = static_cast<To>(from[i]); }
};

/// A copy of an array of a matrix.
template <class T, class Space, class From>
auto copy_of(Space const& space, std::string const& label, From const* from, std::size_t size) {
  auto const to = allocate<T>(space, label, size);
  for_each_index(space, "araios::convert::copy", static_cast<std::int64_t>(size),
                 copy_elements<T, From>{from, to.data()});
  return to;
}

template <class Ordinal, class Offset>
struct write_row_of {
  Ordinal* row_of;
  KOKKOS_FUNCTION void operator()(Ordinal row, Offset k) const { row_of[k] = row; }
};

/// The row (or column, for compressed columns) of every entry.
template <class Space, class Tiles>
auto lines_of_entries(Space const& space, std::string const& label, Tiles const& tiles) {
  using ordinal = typename Tiles::tile_type;
  using offset = typename Tiles::atom_type;
  auto const line = allocate<ordinal>(space, label, static_cast<std::size_t>(tiles.num_atoms()));
  visit_evenly(space, "araios::convert::lines", tiles, write_row_of<ordinal, offset>{line.data()});
  return line;
}

/// Writes rows into a format that stores a group of them position by position, one thread for each.
/// Slots without an entry get the column -1 if the format counts them as atoms, or if all groups have
/// the same width.
template <class Crs, class Tiles>
struct fill_groups {
  using tile_type = typename Tiles::tile_type;
  using ordinal = typename Crs::ordinal_type;
  using offset = typename Crs::offset_type;
  using value = std::remove_const_t<typename Crs::value_type>;
  Crs a;
  row_lengths<Crs> lengths;  // of what is taken of each row
  Tiles tiles;
  ordinal* entries;
  value* values;

  KOKKOS_FUNCTION std::int64_t padded_width(tile_type tile) const {
    if constexpr (has_padding<Tiles>)
      return static_cast<std::int64_t>(tiles.tile_end(tile) - tiles.tile_begin(tile));
    else
      return static_cast<std::int64_t>(tiles.width);
  }
  KOKKOS_FUNCTION void operator()(std::int64_t at) const {
    auto const tile = static_cast<tile_type>(at);
    auto const begin = a.row_map[lengths.row(at)];
    auto const count = lengths(at);
    auto const slots = tiles.slots_of(tile);
    auto slot = slots.first;
    for (std::int64_t n = 0; n < count; ++n, slot += slots.step) {
      auto const k = begin + static_cast<offset>(n);
      entries[slot] = a.entries[k];
      values[slot] = static_cast<value>(a.values[k]);
    }
    auto const width = padded_width(tile);
    for (auto n = count; n < width; ++n, slot += slots.step) {
      entries[slot] = static_cast<ordinal>(-1);
      values[slot] = value{};
    }
  }
};

// --- rows that are kept in a list

template <class Crs>
struct is_listed {
  typename Crs::offset_type const* row_map;
  std::int64_t longer_than;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    return static_cast<std::int64_t>(row_map[i + 1] - row_map[i]) > longer_than ? 1 : 0;
  }
};
template <class Crs>
struct list_rows {
  is_listed<Crs> listed;
  typename Crs::ordinal_type const* place;
  typename Crs::ordinal_type* rows;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (listed(i) != 0) rows[place[i]] = static_cast<typename Crs::ordinal_type>(i);
  }
};
template <class Crs>
struct listed_length {
  typename Crs::offset_type const* row_map;
  typename Crs::ordinal_type const* rows;
  std::int64_t skip;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t t) const {
    return static_cast<std::int64_t>(row_map[rows[t] + 1] - row_map[rows[t]]) - skip;
  }
};
template <class Crs>
struct fill_listed {
  using ordinal = typename Crs::ordinal_type;
  using offset = typename Crs::offset_type;
  using value = std::remove_const_t<typename Crs::value_type>;
  Crs a;
  ordinal const* rows;
  offset const* begins;
  offset skip;
  ordinal* entries;  // or null
  value* values;
  KOKKOS_FUNCTION void operator()(ordinal t, offset k) const {
    auto const from = a.row_map[rows[t]] + skip + (k - begins[t]);
    if (entries != nullptr) entries[k] = a.entries[from];
    values[k] = static_cast<value>(a.values[from]);
  }
};

/// Copies what the rows of a list hold past their first `skip` entries.
template <class Space, class Crs, class List>
void fill_list(Space const& space, Crs const& a, List const& list, std::int64_t skip,
               typename Crs::ordinal_type* entries) {
  visit_evenly(
      space, "araios::convert::listed_entries", list.view(a.num_rows, a.num_cols).tiles(),
      fill_listed<Crs>{a, list.rows.data(), list.row_map.data(),
                       static_cast<typename Crs::offset_type>(skip), entries, list.values.data()});
}

/// The rows longer than `longer_than` entries, without their first `skip`.
template <class Space, class Crs>
auto list_of_rows(Space const& space, Crs const& a, std::int64_t longer_than, std::int64_t skip) ->
    typename formats<Space, Crs>::rows {
  using types = formats<Space, Crs>;
  using ordinal = typename types::ordinal;
  typename types::rows list;
  auto const num_rows = static_cast<std::int64_t>(a.num_rows);
  is_listed<Crs> const listed{a.row_map, longer_than};
  auto const place =
      allocate<ordinal>(space, "araios::convert::place", static_cast<std::size_t>(num_rows));
  auto const count =
      scan_sizes(space, "araios::convert::count_listed", num_rows, listed, place.data(), false);
  if (count == 0) return list;
  auto const size = static_cast<std::size_t>(count);
  list.rows = allocate<ordinal>(space, "araios::row_list::rows", size);
  list.row_map = allocate<typename types::offset>(space, "araios::row_list::row_map", size + 1);
  for_each_index(space, "araios::convert::list_rows", num_rows,
                 list_rows<Crs>{listed, place.data(), list.rows.data()});
  auto const nnz = static_cast<std::size_t>(
      scan_sizes(space, "araios::convert::scan_listed", count,
                 listed_length<Crs>{a.row_map, list.rows.data(), skip}, list.row_map.data(), true));
  list.entries = allocate<ordinal>(space, "araios::row_list::entries", nnz);
  list.values = allocate<typename types::value>(space, "araios::row_list::values", nnz);
  fill_list(space, a, list, skip, list.entries.data());
  return list;
}

}  // namespace araios::impl
