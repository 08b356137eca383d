// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <araios/matrix/host.hpp>

#include "support/random.hpp"

namespace support {

/// A matrix of the battery, with the reason why it is there.
struct named_matrix {
  std::string name;
  std::string reason;
  araios::host_crs<double> a;
};

enum class columns { sorted, unsorted };

/// Rows of the given lengths, each with distinct random columns.
inline araios::host_crs<double> rows_of(engine& random, std::vector<std::int64_t> const& lengths,
                                        std::int64_t num_cols, columns order = columns::sorted) {
  araios::host_crs<double> a;
  a.num_rows = static_cast<std::int64_t>(lengths.size());
  a.num_cols = num_cols;
  for (auto const length : lengths) {
    std::vector<std::int64_t> row;
    if (2 * length >= num_cols) {
      for (std::int64_t j = 0; j < num_cols; ++j) row.push_back(j);
      std::shuffle(row.begin(), row.end(), random);
      row.resize(static_cast<std::size_t>(std::min(length, num_cols)));
    } else {
      std::unordered_set<std::int64_t> seen;
      while (static_cast<std::int64_t>(row.size()) < length) {
        auto const j = draw(random, 0, num_cols - 1);
        if (seen.insert(j).second) row.push_back(j);
      }
    }
    if (order == columns::sorted) std::sort(row.begin(), row.end());
    a.entries.insert(a.entries.end(), row.begin(), row.end());
    a.row_map.push_back(static_cast<std::int64_t>(a.entries.size()));
  }
  a.values = draw_values<double>(random, static_cast<std::int64_t>(a.entries.size()));
  return a;
}

/// Rows of up to `longest` distinct random columns, any of which may be empty.
inline araios::host_crs<double> random_rows(engine& random, std::int64_t rows, std::int64_t cols,
                                            std::int64_t longest, columns order = columns::sorted) {
  std::vector<std::int64_t> lengths;
  for (std::int64_t i = 0; i < rows; ++i)
    lengths.push_back(std::min(cols, draw(random, 0, longest)));
  return rows_of(random, lengths, cols, order);
}

/// Entries (i, i + d) for each of the given d, where that is a column.
inline araios::host_crs<double> band(engine& random, std::int64_t rows, std::int64_t cols,
                                     std::vector<std::int64_t> const& diagonals) {
  araios::host_crs<double> a;
  a.num_rows = rows;
  a.num_cols = cols;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (auto const d : diagonals)
      if (i + d >= 0 && i + d < cols) a.entries.push_back(i + d);
    a.row_map.push_back(static_cast<std::int64_t>(a.entries.size()));
  }
  a.values = draw_values<double>(random, static_cast<std::int64_t>(a.entries.size()));
  return a;
}

/// The same matrix with other values, of type `Value`.
template <class Value>
araios::host_crs<Value> with_values(engine& random, araios::host_crs<double> const& a) {
  return {a.num_rows, a.num_cols, a.row_map, a.entries, draw_values<Value>(random, a.nnz())};
}

inline std::vector<std::int64_t> repeated(std::vector<std::int64_t> const& lengths, int times) {
  std::vector<std::int64_t> all;
  for (int i = 0; i < times; ++i) all.insert(all.end(), lengths.begin(), lengths.end());
  return all;
}

/// Small matrices, each likely to break something. Random values and, where it says so, patterns.
inline std::vector<named_matrix> battery(engine& random) {
  using lengths = std::vector<std::int64_t>;
  std::vector<named_matrix> all;
  auto const add = [&](std::string name, std::string reason, araios::host_crs<double> a) {
    all.push_back({std::move(name), std::move(reason), std::move(a)});
  };
  add("0x0", "nothing at all", rows_of(random, {}, 0));
  add("0x5", "no rows: null row map, no launch", rows_of(random, {}, 5));
  add("3x0", "no columns: y is still scaled (F12)", rows_of(random, lengths(3, 0), 0));
  add("1x1", "the smallest product", rows_of(random, {1}, 1));
  add("1x1_empty", "one row without entries", rows_of(random, {0}, 1));
  add("40x30_empty", "no entries: null arrays", rows_of(random, lengths(40, 0), 30));
  add("1x300", "one row: everybody has a part", rows_of(random, {257}, 300));
  add("300x1", "one column: all rows meet in it when transposed",
      rows_of(random, lengths(300, 1), 1));
  add("identity_5x5", "fewer entries than lanes (F13)", band(random, 5, 5, {0}));
  add("diagonal_257", "one entry a row, one more than a power of two", band(random, 257, 257, {0}));
  add("tridiagonal_1000", "short even rows", band(random, 1000, 1000, {-1, 0, 1}));
  add("empty_rows", "every other row empty", rows_of(random, repeated({0, 3, 0, 0, 9}, 50), 120));
  lengths few = lengths(3, 4);
  few.resize(300, 0);
  add("trailing_empty_rows", "row ends beyond the last entry (F11)", rows_of(random, few, 300));
  add("leading_empty_rows", "first row without entries",
      rows_of(random, lengths(few.rbegin(), few.rend()), 300));
  lengths one(1000, 0);
  one[500] = 20;
  add("one_row_1000x1000", "nnz far below the number of rows (F13)", rows_of(random, one, 1000));
  lengths heavy(1000, 1);
  heavy[static_cast<std::size_t>(draw(random, 0, 999))] = 5000;
  add("heavy_row", "one row longer than all others together (F34)", rows_of(random, heavy, 6000));
  lengths power;
  for (int i = 0; i < 700; ++i)
    power.push_back(
        static_cast<std::int64_t>(600.0 / (1.0 + static_cast<double>(draw(random, 0, 699)))));
  add("power_law", "few long rows among many short ones", rows_of(random, power, 700));
  add("ones_20x20", "dense rows (F13)", rows_of(random, lengths(20, 20), 20));
  add("around_a_warp", "rows of 31, 32, 33 entries",
      rows_of(random, repeated({31, 32, 33, 63, 64, 65}, 6), 90));
  add("around_a_team", "rows of 127, 128, 129 entries and their doubles",
      rows_of(random, repeated({127, 128, 129, 255, 256, 257}, 3), 400));
  add("wide", "far more columns than rows", rows_of(random, repeated({40, 0, 7}, 11), 5000));
  add("tall", "far more rows than columns", rows_of(random, repeated({2, 0, 5}, 1500), 33));
  auto unsorted = rows_of(random, repeated({5, 1, 17}, 70), 60, columns::unsorted);
  add("unsorted", "columns in any order", unsorted);
  for (std::size_t k = 1; k < unsorted.entries.size(); k += 3)
    unsorted.entries[k] = unsorted.entries[k - 1];
  add("duplicates_unsorted", "columns in any order, many of them twice: they add up", unsorted);
  add("duplicate_1x2", "(0:1), (0:2), (1:5): with x = 1 it gives 8 (F07)",
      {1, 2, {0, 3}, {0, 0, 1}, {1.0, 2.0, 5.0}});
  return all;
}

}  // namespace support
