// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include <araios/impl/numbers.hpp>
#include <araios/impl/spgemm_rows.hpp>

/// Both phases for host backends, where a thread does a row alone: no atomics, caches instead of
/// scratch memory, and dense accumulators whose columns come out sorted.
namespace araios::impl::spgemm {

/// Blocks of rows dealt to workers as they come for them.
struct row_blocks {
  std::int64_t num_rows;
  std::int64_t rows_per_block;
  std::int64_t* next;

  template <class F>
  void each(F const& f) const {
    for (;;) {
      std::int64_t const first = Kokkos::atomic_fetch_add(next, std::int64_t{1}) * rows_per_block;
      if (first >= num_rows) return;
      f(first, std::min(first + rows_per_block, num_rows));
    }
  }
};

/// Whether two rows of A name the same columns in the same order; their rows of C then do too.
template <class A>
bool same_pattern(A const& a, std::int64_t row, std::int64_t other) {
  auto const length = a.row_map[row + 1] - a.row_map[row];
  return length == a.row_map[other + 1] - a.row_map[other] &&
         std::equal(a.entries + a.row_map[row], a.entries + a.row_map[row + 1],
                    a.entries + a.row_map[other]);
}

template <class A, class B>
std::int64_t products_of_row(A const& a, B const& b, std::int64_t row) {
  std::int64_t sum = 0;
  for (auto k = a.row_map[row]; k < a.row_map[row + 1]; ++k) {
    auto const inner = a.entries[k];
    sum += static_cast<std::int64_t>(b.row_map[inner + 1] - b.row_map[inner]);
  }
  return sum;
}

/// Whether there is a row whose columns do not ascend strictly.
template <class B>
struct find_unsorted_row {
  B b;
  KOKKOS_FUNCTION void operator()(std::int64_t row, int& found) const {
    for (auto k = b.row_map[row] + 1; k < b.row_map[row + 1]; ++k)
      if (b.entries[k - 1] >= b.entries[k]) found = 1;
  }
};

/// A set of columns of a window that gives them back sorted: three levels of bit masks, each with a
/// bit for every word of the level below that is not zero.
struct column_set {
  std::uint64_t* level[3];
  std::int64_t top_words;

  static std::int64_t words(std::int64_t window) {
    auto const l0 = ceil_div(window, 64), l1 = ceil_div(l0, 64);
    return l0 + l1 + ceil_div(l1, 64);
  }
  column_set(std::uint64_t* memory, std::int64_t window) {
    auto const l0 = ceil_div(window, 64), l1 = ceil_div(l0, 64);
    level[0] = memory;
    level[1] = memory + l0;
    level[2] = memory + l0 + l1;
    top_words = ceil_div(l1, 64);
  }
  static std::uint64_t bit(std::int64_t i) { return std::uint64_t{1} << (i & 63); }

  /// Adds the columns 64 word + i for the bits i.
  void add(std::int64_t word, std::uint64_t bits) {
    level[0][word] |= bits;
    level[1][word >> 6] |= bit(word);
    level[2][word >> 12] |= bit(word >> 6);
  }
  /// f(column) in ascending order; the set is empty afterwards.
  template <class F>
  void drain(F const& f) {
    for (std::int64_t top = 0; top < top_words; ++top)
      for_bits(level[2][top], top, [&](std::int64_t middle) {
        for_bits(level[1][middle], middle,
                 [&](std::int64_t word) { for_bits(level[0][word], word, f); });
      });
  }

 private:
  template <class F>
  static void for_bits(std::uint64_t& word, std::int64_t index, F const& f) {
    std::uint64_t bits = word;
    word = 0;
    for (; bits != 0; bits &= bits - 1) f(index * 64 + std::countr_zero(bits));
  }
};

/// The products of a short row, sorted in registers and first-level cache: the rank of each is the
/// number of smaller columns, counted without branches; equal columns are added up on the way out.
template <class Ordinal, class Sum>
struct short_row {
  static constexpr int capacity = tuning::spgemm_short_row;
  Ordinal columns[capacity];
  Sum values[capacity];
  Ordinal sorted_columns[capacity];
  Sum sorted_values[capacity];

  /// Writes the `count` products as sorted entries; returns how many there are.
  template <class Value>
  int write(int count, Ordinal* entries, Value* out, std::int64_t room) {
    for (int i = 0; i < count; ++i) {
      Ordinal const column = columns[i];
      int rank = 0;
      for (int j = 0; j < i; ++j) rank += columns[j] <= column;
      for (int j = i + 1; j < count; ++j) rank += columns[j] < column;
      sorted_columns[rank] = column;
      sorted_values[rank] = values[i];
    }
    int written = 0;
    for (int i = 0; i < count; ++written) {
      Ordinal const column = sorted_columns[i];
      Sum sum = sorted_values[i++];
      for (; i < count && sorted_columns[i] == column; ++i) sum += sorted_values[i];
      if (written < room) {
        entries[written] = column;
        out[written] = static_cast<Value>(sum);
      }
    }
    return written;
  }
};

/// The products of a row whose columns are spread over many windows: sorted as a whole, which costs
/// less than a pass for every window.
template <class Ordinal, class Sum>
struct sorted_row {
  std::vector<std::pair<Ordinal, Sum>> products;

  void sort() {
    std::sort(products.begin(), products.end(),
              [](auto const& x, auto const& y) { return x.first < y.first; });
  }
  /// f(column, sum of its products) in ascending order.
  template <class F>
  void each(F const& f) const {
    for (auto p = products.begin(); p != products.end();) {
      auto const column = p->first;
      Sum sum = p->second;
      for (++p; p != products.end() && p->first == column; ++p) sum += p->second;
      f(column, sum);
    }
  }
};

/// The workspace of one worker and what it is laid out for: a window of columns.
template <class Sum>
struct host_workspace {
  std::int64_t window;

  /// Whether a row is sorted: it would take many passes, and fits the memory that they would use.
  bool sorts(std::int64_t columns, std::int64_t products) const {
    return columns / window >= 4 && static_cast<std::size_t>(products) * 2 * sizeof(Sum) <= bytes();
  }

  std::size_t bytes() const {
    auto const size = static_cast<std::size_t>(window) * (sizeof(Sum) + 1) +
                      static_cast<std::size_t>(column_set::words(window)) * 8;
    return (size + 127) / 64 * 64;
  }
  Sum* values(char* memory) const { return reinterpret_cast<Sum*>(memory); }
  column_set columns(char* memory) const {
    return {
        reinterpret_cast<std::uint64_t*>(memory + static_cast<std::size_t>(window) * sizeof(Sum)),
        window};
  }
  std::uint8_t* marks(char* memory) const {
    return reinterpret_cast<std::uint8_t*>(memory + static_cast<std::size_t>(window) * sizeof(Sum) +
                                           static_cast<std::size_t>(column_set::words(window)) * 8);
  }
};

/// Counts the entries of each row of C: a mark per column tells whether it was seen in this row.
template <class A, class B, class Offset, class Sum>
struct host_symbolic {
  static constexpr std::int64_t few_products = 64;
  A a;
  B b;
  Offset* row_map;
  row_blocks blocks;
  host_workspace<Sum> layout;
  char* workspace;
  bool b_ascends;

  /// Entries of a row within a window. Marks of rows with few products are taken back, so that the
  /// marks have to be cleared as a whole only after 254 rows with many.
  std::int64_t count(std::int64_t row, std::int64_t first, std::uint8_t* marks,
                     std::uint8_t mark) const {
    std::int64_t fresh = 0;
    for (auto k = a.row_map[row]; k < a.row_map[row + 1]; ++k) {
      auto const inner = a.entries[k];
      for (auto q = b.row_map[inner]; q < b.row_map[inner + 1]; ++q) {
        auto const column =
            static_cast<std::uint64_t>(static_cast<std::int64_t>(b.entries[q]) - first);
        if (column >= static_cast<std::uint64_t>(layout.window)) continue;
        fresh += marks[column] != mark;
        marks[column] = mark;
      }
    }
    return fresh;
  }

  template <class Member>
  void operator()(Member const& member) const {
    char* const memory =
        workspace + static_cast<std::size_t>(member.league_rank()) * layout.bytes();
    std::uint8_t* const marks = layout.marks(memory);
    std::uint8_t mark = 0;
    sorted_row<typename B::ordinal_type, Sum> spread;
    blocks.each([&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) {
        auto const length = a.row_map[row + 1] - a.row_map[row];
        std::int64_t const all = products_of_row(a, b, row);
        std::int64_t entries = 0;
        if (length <= 1 && b_ascends) {
          entries = all;
        } else if (row > begin && same_pattern(a, row, row - 1)) {
          entries = static_cast<std::int64_t>(row_map[row - 1]);
        } else if (layout.sorts(b.num_cols, all)) {
          entries = count_sorted(row, spread);
        } else {
          for (std::int64_t first = 0; first < std::int64_t{b.num_cols}; first += layout.window) {
            if (all <= few_products) {
              entries += count(row, first, marks, 255);
              unmark(row, first, marks);
              continue;
            }
            if (++mark == 255) {
              std::fill_n(marks, layout.window, std::uint8_t{0});
              mark = 1;
            }
            entries += count(row, first, marks, mark);
          }
        }
        row_map[row] = static_cast<Offset>(entries);
      }
    });
    std::fill_n(marks, layout.window, std::uint8_t{0});
  }

  std::int64_t count_sorted(std::int64_t row,
                            sorted_row<typename B::ordinal_type, Sum>& spread) const {
    spread.products.clear();
    for (auto k = a.row_map[row]; k < a.row_map[row + 1]; ++k)
      for (auto q = b.row_map[a.entries[k]]; q < b.row_map[a.entries[k] + 1]; ++q)
        spread.products.emplace_back(b.entries[q], Sum{});
    spread.sort();
    std::int64_t entries = 0;
    spread.each([&](auto, Sum const&) { ++entries; });
    return entries;
  }

  void unmark(std::int64_t row, std::int64_t first, std::uint8_t* marks) const {
    for (auto k = a.row_map[row]; k < a.row_map[row + 1]; ++k) {
      auto const inner = a.entries[k];
      for (auto q = b.row_map[inner]; q < b.row_map[inner + 1]; ++q) {
        auto const column =
            static_cast<std::uint64_t>(static_cast<std::int64_t>(b.entries[q]) - first);
        if (column < static_cast<std::uint64_t>(layout.window)) marks[column] = 0;
      }
    }
  }
};

/// Sums the products of each row in a dense window of columns. The columns in use are kept in a
/// column_set, or copied from the row before if it has the same pattern in A. Values and sets of
/// the workspace are zero before and after.
template <bool OneWindow, class A, class B, class C>
struct host_numeric {
  using ordinal = typename B::ordinal_type;
  using offset = typename C::offset_type;
  using value = typename C::value_type;
  using sum = product_t<typename A::value_type, typename B::value_type>;
  A a;
  B b;
  C c;
  ordinal* entries;
  row_blocks blocks;
  host_workspace<sum> layout;
  char* workspace;
  std::int64_t* error;

  static sum a_value(A const& a, typename A::offset_type k) {
    return static_cast<sum>(
        accumulator_t<std::remove_const_t<typename A::value_type>>(a.values[k]));
  }
  static sum b_value(B const& b, typename B::offset_type q) {
    return static_cast<sum>(
        accumulator_t<std::remove_const_t<typename B::value_type>>(b.values[q]));
  }

  /// dense += the products of a row, and their columns into the set if asked for.
  template <bool WithColumns>
  void add_products(std::int64_t row, std::int64_t first, sum* dense, column_set& columns) const {
    std::int64_t word = 0;  // of the last column; its bits are gathered before they are stored
    std::uint64_t bits = 0;
    for (auto k = a.row_map[row]; k < a.row_map[row + 1]; ++k) {
      auto const inner = a.entries[k];
      sum const factor = a_value(a, k);
      auto const last = b.row_map[inner + 1];
      for (auto q = b.row_map[inner]; q < last; ++q) {
        std::int64_t const column = static_cast<std::int64_t>(b.entries[q]) - first;
        if constexpr (!OneWindow)
          if (column < 0 || column >= layout.window) continue;
        dense[column] += factor * b_value(b, q);
        if constexpr (WithColumns) {
          if (column >> 6 != word) {
            if (bits != 0) columns.add(word, bits);
            word = column >> 6;
            bits = 0;
          }
          bits |= column_set::bit(column);
        }
      }
    }
    if (WithColumns && bits != 0) columns.add(word, bits);
  }

  /// f(column, product) for the products of a row.
  template <class F>
  void each_product(std::int64_t row, F const& f) const {
    for (auto k = a.row_map[row]; k < a.row_map[row + 1]; ++k) {
      auto const inner = a.entries[k];
      sum const factor = a_value(a, k);
      for (auto q = b.row_map[inner]; q < b.row_map[inner + 1]; ++q)
        f(b.entries[q], factor * b_value(b, q));
    }
  }

  int gather(std::int64_t row, short_row<ordinal, sum>& few) const {
    int count = 0;
    each_product(row, [&](ordinal column, sum const& product) {
      few.columns[count] = column;
      few.values[count++] = product;
    });
    return count;
  }

  template <class Member>
  void operator()(Member const& member) const {
    char* const memory =
        workspace + static_cast<std::size_t>(member.league_rank()) * layout.bytes();
    sum* const dense = layout.values(memory);
    column_set columns = layout.columns(memory);
    short_row<ordinal, sum> few;
    sorted_row<ordinal, sum> spread;
    blocks.each([&](std::int64_t begin, std::int64_t end) {
      bool whole = false;  // whether the row before was found as the plan has it
      for (std::int64_t row = begin; row < end; ++row) {
        offset const at = c.row_map[row];
        offset const size = c.row_map[row + 1] - at;
        if (OneWindow && whole && at - c.row_map[row - 1] == size &&
            same_pattern(a, row, row - 1)) {
          add_products<false>(row, 0, dense, columns);
          for (offset i = 0; i < size; ++i) {
            ordinal const column = entries[at - size + i];
            entries[at + i] = column;
            c.values[at + i] = static_cast<value>(dense[column]);
            dense[column] = sum{};
          }
          continue;
        }
        if (products_of_row(a, b, row) <= short_row<ordinal, sum>::capacity) {
          whole = few.write(gather(row, few), entries + at, c.values + at,
                            static_cast<std::int64_t>(size)) == static_cast<int>(size);
          if (!whole) *error = 1;
          continue;
        }
        offset written = 0;
        if (!OneWindow && layout.sorts(b.num_cols, products_of_row(a, b, row))) {
          spread.products.clear();
          each_product(row, [&](ordinal column, sum const& product) {
            spread.products.emplace_back(column, product);
          });
          spread.sort();
          spread.each([&](ordinal column, sum const& total) {
            if (written < size) {
              entries[at + written] = column;
              c.values[at + written] = static_cast<value>(total);
            }
            ++written;
          });
          whole = written == size;
          if (!whole) *error = 1;
          continue;
        }
        for (std::int64_t first = 0; first < std::int64_t{b.num_cols}; first += layout.window) {
          add_products<true>(row, first, dense, columns);
          columns.drain([&](std::int64_t column) {
            if (written < size) {
              entries[at + written] = static_cast<ordinal>(first + column);
              c.values[at + written] = static_cast<value>(dense[column]);
            }
            ++written;
            dense[column] = sum{};
          });
        }
        whole = written == size;
        if (!whole) *error = 1;
      }
    });
  }
};

}  // namespace araios::impl::spgemm
