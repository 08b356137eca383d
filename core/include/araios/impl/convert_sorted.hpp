// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Sort.hpp>
#include <bit>

#include <araios/convert.hpp>
#include <araios/impl/convert.hpp>

/// Formats for which entries are sorted: compressed columns, blocks and diagonals.
namespace araios {
namespace impl {

/// Two numbers in one, to be sorted by the first, then by the second.
class packing {
 public:
  packing(char const* function, std::int64_t most_of_first, std::int64_t most_of_second)
      : bits_(std::bit_width(static_cast<std::uint64_t>(most_of_second))) {
    int const first = std::bit_width(static_cast<std::uint64_t>(most_of_first));
    require<std::overflow_error>(first + bits_ <= 63, function, ": numbers up to ", most_of_first,
                                 " and ", most_of_second, " do not fit in 63 bits together");
  }
  KOKKOS_FUNCTION std::uint64_t pack(std::int64_t first, std::int64_t second) const {
    return static_cast<std::uint64_t>(first) << bits_ | static_cast<std::uint64_t>(second);
  }
  KOKKOS_FUNCTION std::int64_t first(std::uint64_t both) const {
    return static_cast<std::int64_t>(both >> bits_);
  }
  KOKKOS_FUNCTION std::int64_t second(std::uint64_t both) const {
    return static_cast<std::int64_t>(both & ((std::uint64_t{1} << bits_) - 1));
  }

 private:
  int bits_;
};

/// map[i] = how many sorted keys have a first number below i, for i = 0 .. count.
template <class Offset>
struct write_map {
  packing keys;
  std::uint64_t const* sorted;
  std::int64_t size;
  std::int64_t count;
  Offset* map;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    auto const before = k > 0 ? keys.first(sorted[k - 1]) + 1 : std::int64_t{0};
    auto const here = k < size ? keys.first(sorted[k]) : count;
    for (auto i = before; i <= here; ++i) map[i] = static_cast<Offset>(k);
  }
};

template <class Ordinal>
struct pack_line {
  packing keys;
  Ordinal const* line_of;
  std::uint64_t* packed;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    packed[k] = keys.pack(static_cast<std::int64_t>(line_of[k]), k);
  }
};
template <class Ordinal, class From, class To>
struct move_entry {
  packing keys;
  std::uint64_t const* sorted;
  Ordinal const* other_of;
  From const* values_of;
  Ordinal* entries;
  To* values;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    auto const from = keys.second(sorted[k]);
    entries[k] = other_of[from];
    values[k] = static_cast<To>(values_of[from]);
  }
};

/// Entries given by their lines and the others' numbers, compressed by lines: within a line they
/// stay as they come.
template <class Space, class Ordinal, class Offset, class From, class To>
void transpose_entries(Space const& space, char const* function, std::int64_t lines,
                       Ordinal const* line_of, Ordinal const* other_of, From const* values_of,
                       std::int64_t nnz, Offset* map, Ordinal* entries, To* values) {
  packing const keys(function, lines, nnz);
  auto const packed =
      allocate<std::uint64_t>(space, "araios::convert::keys", static_cast<std::size_t>(nnz));
  for_each_index(space, "araios::convert::pack", nnz,
                 pack_line<Ordinal>{keys, line_of, packed.data()});
  if (nnz > 0) Kokkos::sort(space, packed);
  for_each_index(
      space, "araios::convert::move_entries", nnz,
      move_entry<Ordinal, From, To>{keys, packed.data(), other_of, values_of, entries, values});
  for_each_index(space, "araios::convert::map", nnz + 1,
                 write_map<Offset>{keys, packed.data(), nnz, lines, map});
  space.fence("araios::convert: the keys are not needed any more");
}

// --- blocks

template <class Crs>
struct pack_block {
  packing keys;
  Crs a;
  std::int64_t size;
  std::uint64_t* packed;
  KOKKOS_FUNCTION void operator()(typename Crs::ordinal_type row,
                                  typename Crs::offset_type k) const {
    packed[k] = keys.pack(static_cast<std::int64_t>(row) / size,
                          static_cast<std::int64_t>(a.entries[k]) / size);
  }
};

struct is_first_of_equals {
  std::uint64_t const* sorted;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t k) const {
    return k == 0 || sorted[k] != sorted[k - 1] ? 1 : 0;
  }
};
struct keep_first_of_equals {
  is_first_of_equals is_first;
  std::int64_t const* place;
  std::uint64_t* kept;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    if (is_first(k) != 0) kept[place[k]] = is_first.sorted[k];
  }
};

template <class Space>
using keys_view = Kokkos::View<std::uint64_t*, typename Space::memory_space>;

/// Sorted keys, each once. Waits for their number.
template <class Space>
keys_view<Space> unique_keys(Space const& space, keys_view<Space> const& keys) {
  auto const size = static_cast<std::int64_t>(keys.extent(0));
  if (size > 0) Kokkos::sort(space, keys);
  is_first_of_equals const is_first{keys.data()};
  auto const place = allocate<std::int64_t>(space, "araios::convert::place", keys.extent(0));
  auto const count =
      scan_sizes(space, "araios::convert::count_keys", size, is_first, place.data(), false);
  auto const kept =
      allocate<std::uint64_t>(space, "araios::convert::kept", static_cast<std::size_t>(count));
  for_each_index(space, "araios::convert::keep", size,
                 keep_first_of_equals{is_first, place.data(), kept.data()});
  space.fence("araios::convert: the keys are not needed any more");
  return kept;
}

template <class Ordinal>
struct unpack_second {
  packing keys;
  std::uint64_t const* packed;
  Ordinal* second;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    second[k] = static_cast<Ordinal>(keys.second(packed[k]));
  }
};

/// Adds an entry to its slot in a block and marks that.
template <class Crs>
struct fill_blocks {
  using ordinal = typename Crs::ordinal_type;
  using offset = typename Crs::offset_type;
  using value = std::remove_const_t<typename Crs::value_type>;
  Crs a;
  std::int64_t size;
  offset const* row_map;   // of block rows
  ordinal const* entries;  // block columns
  value* values;
  std::uint64_t* present;
  KOKKOS_FUNCTION void operator()(ordinal row, offset k) const {
    auto const column = static_cast<std::int64_t>(a.entries[k]);
    auto const block_row = static_cast<std::int64_t>(row) / size;
    auto low = row_map[block_row], high = row_map[block_row + 1];
    while (low + 1 < high) {
      auto const middle = static_cast<offset>(low + (high - low) / 2);
      if (static_cast<std::int64_t>(entries[middle]) <= column / size)
        low = middle;
      else
        high = middle;
    }
    auto const block = static_cast<std::int64_t>(low);
    auto const within = static_cast<std::int64_t>(row) % size * size + column % size;
    auto const words = (size * size + 63) / 64;
    Kokkos::atomic_add(values + block * size * size + within, static_cast<value>(a.values[k]));
    Kokkos::atomic_or(present + block * words + within / 64, std::uint64_t{1} << within % 64);
  }
};

template <class Offset>
struct blocks_of_last_row {
  Offset const* row_map;
  std::int64_t block_rows;
  KOKKOS_FUNCTION void operator()(std::int64_t, std::int64_t& blocks) const {
    blocks += static_cast<std::int64_t>(row_map[block_rows] - row_map[block_rows - 1]);
  }
};

/// How many slots of padded formats hold an entry: duplicates have been added.
template <class Word>
struct count_bits {
  Word const* words;
  KOKKOS_FUNCTION void operator()(std::int64_t k, std::int64_t& count) const {
    count += Kokkos::Experimental::popcount_builtin(words[k]);
  }
};

template <class Space, class Word>
std::int64_t bits_in(Space const& space, Kokkos::View<Word*, typename Space::memory_space> words) {
  std::int64_t count = 0;
  auto const size = static_cast<std::int64_t>(words.extent(0));
  if (size > 0)
    Kokkos::parallel_reduce(
        "araios::convert::count_bits",
        Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(space, 0, size),
        count_bits<Word>{words.data()}, count);
  return count;
}

template <int BlockSize, class Space, class Crs>
auto crs_to_bcsr(Space const& space, Crs const& a, std::int64_t size, double most_growth) {
  constexpr auto function = "araios::to_bcsr";
  using types = formats<Space, Crs>;
  using ordinal = typename types::ordinal;
  using offset = typename types::offset;
  using value = typename types::value;
  auto const rows = static_cast<std::int64_t>(a.num_rows);
  auto const block_rows = ceil_div(rows, size);
  packing const keys(function, block_rows, ceil_div(static_cast<std::int64_t>(a.num_cols), size));
  auto const packed =
      allocate<std::uint64_t>(space, "araios::convert::keys", static_cast<std::size_t>(a.nnz));
  visit_evenly(space, "araios::to_bcsr::pack", a.tiles(),
               pack_block<Crs>{keys, a, size, packed.data()});
  auto const blocks = unique_keys(space, packed);
  auto const count = static_cast<std::int64_t>(blocks.extent(0));
  auto const words = (size * size + 63) / 64;
  auto const slots = static_cast<double>(count) * static_cast<double>(size * size);
  require_growth(function, a,
                 slots * sizeof(value) + static_cast<double>(count) *
                                             (sizeof(ordinal) + 8.0 * static_cast<double>(words)),
                 most_growth);
  narrow<offset>(count * size * size, function, "the number of slots");

  auto const row_map = allocate<offset>(space, "araios::bcsr_matrix::row_map",
                                        static_cast<std::size_t>(block_rows) + 1);
  for_each_index(space, "araios::to_bcsr::map", count + 1,
                 write_map<offset>{keys, blocks.data(), count, block_rows, row_map.data()});
  auto atoms = count * size * size;
  if (rows % size != 0)  // the rows that the last block row lacks are no tiles
    atoms -= total_of(space, "araios::to_bcsr::last_row", 1,
                      blocks_of_last_row<offset>{row_map.data(), block_rows}) *
             size * (size - rows % size);
  auto const entries =
      allocate<ordinal>(space, "araios::bcsr_matrix::entries", static_cast<std::size_t>(count));
  auto const values = allocate<value>(space, "araios::bcsr_matrix::values",
                                      static_cast<std::size_t>(count * size * size));
  auto const present = allocate<std::uint64_t>(space, "araios::bcsr_matrix::present",
                                               static_cast<std::size_t>(count * words));
  for_each_index(space, "araios::to_bcsr::columns", count,
                 unpack_second<ordinal>{keys, blocks.data(), entries.data()});
  Kokkos::deep_copy(space, values, value{});
  Kokkos::deep_copy(space, present, std::uint64_t{});
  visit_evenly(
      space, "araios::to_bcsr::entries", a.tiles(),
      fill_blocks<Crs>{a, size, row_map.data(), entries.data(), values.data(), present.data()});
  auto const nnz = bits_in<Space, std::uint64_t>(space, present);
  bcsr_matrix<value, ordinal, offset, typename types::memory, BlockSize> b(
      a.num_rows, a.num_cols, static_cast<offset>(nnz),
      narrow<ordinal>(size, function, "the block size"), atoms);
  b.row_map = row_map;
  b.entries = entries;
  b.values = values;
  b.present = present;
  return b;
}

// --- diagonals

/// The number of the diagonal of an entry, from 0 on.
template <class Crs>
struct number_diagonals {
  Crs a;
  std::uint64_t* numbers;
  KOKKOS_FUNCTION void operator()(typename Crs::ordinal_type row,
                                  typename Crs::offset_type k) const {
    numbers[k] = static_cast<std::uint64_t>(static_cast<std::int64_t>(a.entries[k]) +
                                            (static_cast<std::int64_t>(a.num_rows) - 1) -
                                            static_cast<std::int64_t>(row));
  }
};
struct write_distance {
  std::uint64_t const* numbers;
  std::int64_t rows;
  std::int64_t* distances;
  KOKKOS_FUNCTION void operator()(std::int64_t d) const {
    distances[d] = static_cast<std::int64_t>(numbers[d]) - (rows - 1);
  }
};
template <class Crs>
struct fill_diagonals {
  using value = std::remove_const_t<typename Crs::value_type>;
  Crs a;
  std::int64_t const* distances;
  std::int64_t count;
  value* values;
  std::uint32_t* present;
  KOKKOS_FUNCTION void operator()(typename Crs::ordinal_type row,
                                  typename Crs::offset_type k) const {
    auto const i = static_cast<std::int64_t>(row);
    auto const distance = static_cast<std::int64_t>(a.entries[k]) - i;
    std::int64_t low = 0, high = count;
    while (low + 1 < high) {
      auto const middle = low + (high - low) / 2;
      if (distances[middle] <= distance)
        low = middle;
      else
        high = middle;
    }
    auto const slot = low * static_cast<std::int64_t>(a.num_rows) + i;
    Kokkos::atomic_add(values + slot, static_cast<value>(a.values[k]));
    Kokkos::atomic_or(present + slot / 32, std::uint32_t{1} << slot % 32);
  }
};

template <class Space, class Crs>
auto crs_to_dia(Space const& space, Crs const& a, double most_growth) {
  constexpr auto function = "araios::to_dia";
  using types = formats<Space, Crs>;
  using value = typename types::value;
  auto const rows = static_cast<std::int64_t>(a.num_rows);
  auto const numbers =
      allocate<std::uint64_t>(space, "araios::to_dia::numbers", static_cast<std::size_t>(a.nnz));
  visit_evenly(space, "araios::to_dia::number", a.tiles(),
               number_diagonals<Crs>{a, numbers.data()});
  auto const diagonals = unique_keys(space, numbers);
  auto const count = static_cast<std::int64_t>(diagonals.extent(0));
  require_growth(
      function, a,
      static_cast<double>(count) * static_cast<double>(rows) * (sizeof(value) + 1.0 / 8.0),
      most_growth);
  narrow<typename types::offset>(count * rows, function, "the number of slots");
  narrow<typename types::ordinal>(count, function, "the number of diagonals");

  Kokkos::View<std::int64_t*, typename types::memory> const distances = allocate<std::int64_t>(
      space, "araios::dia_matrix::distances", static_cast<std::size_t>(count));
  auto const values =
      allocate<value>(space, "araios::dia_matrix::values", static_cast<std::size_t>(count * rows));
  auto const present = allocate<std::uint32_t>(
      space, "araios::dia_matrix::present", static_cast<std::size_t>(ceil_div(count * rows, 32)));
  for_each_index(space, "araios::to_dia::distances", count,
                 write_distance{diagonals.data(), rows, distances.data()});
  Kokkos::deep_copy(space, values, value{});
  Kokkos::deep_copy(space, present, std::uint32_t{});
  visit_evenly(space, "araios::to_dia::entries", a.tiles(),
               fill_diagonals<Crs>{a, distances.data(), count, values.data(), present.data()});
  auto const nnz = bits_in<Space, std::uint32_t>(space, present);
  dia_matrix<value, typename types::ordinal, typename types::offset, typename types::memory> d(
      a.num_rows, a.num_cols, static_cast<typename types::offset>(nnz));
  d.distances = distances;
  d.values = values;
  d.present = present;
  return d;
}

}  // namespace impl

template <execution_instance Space, convertible_matrix Matrix>
auto to_ccs(Space const& space, Matrix const& matrix) {
  auto const& exec = impl::instance(space);
  return impl::with_crs(space, matrix, [&]<class Crs>(Crs const& a) {
    using types = impl::formats<impl::execution_space_of<Space>, Crs>;
    using ordinal = typename types::ordinal;
    using offset = typename types::offset;
    ccs_matrix<typename types::value, ordinal, offset, typename types::memory> c(a.num_rows,
                                                                                 a.num_cols, a.nnz);
    auto const nnz = static_cast<std::size_t>(a.nnz);
    auto const columns = static_cast<std::int64_t>(a.num_cols);
    auto const row_of = impl::lines_of_entries(exec, "araios::to_ccs::row_of", a.tiles());
    c.column_map = impl::allocate<offset>(exec, "araios::ccs_matrix::column_map",
                                          static_cast<std::size_t>(columns) + 1);
    c.entries = impl::allocate<ordinal>(exec, "araios::ccs_matrix::entries", nnz);
    c.values = impl::allocate<typename types::value>(exec, "araios::ccs_matrix::values", nnz);
    impl::transpose_entries(exec, "araios::to_ccs", columns, a.entries, row_of.data(), a.values,
                            static_cast<std::int64_t>(nnz), c.column_map.data(), c.entries.data(),
                            c.values.data());
    return c;
  });
}

template <int BlockSize, execution_instance Space, convertible_matrix Matrix>
auto to_bcsr(Space const& space, Matrix const& matrix, bcsr_options const& options) {
  static_assert(BlockSize >= 0 && BlockSize <= 64, "blocks of 1 to 64 rows, or 0: options say");
  int const size = BlockSize > 0 ? BlockSize : options.block_size;
  impl::require(size >= 1 && size <= 64, "araios::to_bcsr: blocks of ", size,
                " rows; 1 to 64 are possible");
  return impl::with_crs(space, matrix, [&](auto const& a) {
    return impl::crs_to_bcsr<BlockSize>(impl::instance(space), a, size, options.most_growth);
  });
}

template <execution_instance Space, convertible_matrix Matrix>
auto to_dia(Space const& space, Matrix const& matrix, dia_options const& options) {
  return impl::with_crs(space, matrix, [&](auto const& a) {
    return impl::crs_to_dia(impl::instance(space), a, options.most_growth);
  });
}

}  // namespace araios
