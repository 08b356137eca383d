// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <araios/concepts.hpp>
#include <araios/matrix/host.hpp>
#include <araios/tile_sets.hpp>

#include "support/device.hpp"

/// Matrices in each storage format that has a tile set, made by plain loops. Slots without an entry
/// hold NaN and the column -1, and where no kernel must look at all, a column far outside.
namespace support {

/// A column and a value in every slot.
template <class Tiles>
struct stored_view {
  using ordinal_type = int;
  using value_type = double;
  using memory_space = exec::memory_space;

  int num_rows = 0;
  int num_cols = 0;
  Tiles all;
  int const* columns = nullptr;
  double const* values = nullptr;

  Tiles tiles() const { return all; }
  KOKKOS_FUNCTION int column(int, std::size_t slot) const { return columns[slot]; }
  KOKKOS_FUNCTION double value(std::size_t slot) const { return values[slot]; }
};

/// A column for every block of size x size values.
struct bcsr_view {
  using ordinal_type = int;
  using value_type = double;
  using memory_space = exec::memory_space;

  int num_rows = 0;
  int num_cols = 0;
  araios::bcsr_tiles<int, std::int64_t> all;
  int const* block_columns = nullptr;
  double const* values = nullptr;

  auto tiles() const { return all; }
  KOKKOS_FUNCTION int column(int, std::size_t slot) const {
    auto const size = static_cast<std::size_t>(all.block_size);
    return block_columns[slot / (size * size)] * all.block_size + static_cast<int>(slot % size);
  }
  KOKKOS_FUNCTION double value(std::size_t slot) const { return values[slot]; }
};

/// Diagonals by their distance from the main one.
struct dia_view {
  using ordinal_type = int;
  using value_type = double;
  using memory_space = exec::memory_space;

  int num_rows = 0;
  int num_cols = 0;
  araios::dia_tiles<int> all;
  int const* distances = nullptr;
  double const* values = nullptr;

  auto tiles() const { return all; }
  KOKKOS_FUNCTION int column(int row, std::size_t slot) const {
    int const at = row + distances[slot / static_cast<std::size_t>(num_rows)];
    return at < num_cols ? at : -1;  // any negative column is none
  }
  KOKKOS_FUNCTION double value(std::size_t slot) const { return values[slot]; }
};

/// f(view, name, filled) for the matrix in each format; the arrays live as long as the call.
/// `filled` is the matrix with the zeros that the format makes entries. Padding costs memory, so
/// `most_slots` leaves formats out.
template <class F>
void for_each_storage(araios::host_crs<double> const& a, F const& f,
                      std::int64_t most_slots = 400'000) {
  using std::int64_t;
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr int outside = std::numeric_limits<int>::max();
  auto const rows = static_cast<int>(a.num_rows);
  auto const cols = static_cast<int>(a.num_cols);
  auto const at = [](int64_t k) { return static_cast<std::size_t>(k); };
  auto const length = [&](int64_t i) { return a.row_map[at(i) + 1] - a.row_map[at(i)]; };
  auto const for_each_entry = [&](auto const& g) {
    for (int64_t i = 0; i < a.num_rows; ++i)
      for (auto k = a.row_map[at(i)]; k < a.row_map[at(i) + 1]; ++k) g(i, k - a.row_map[at(i)], k);
  };
  int64_t longest = 0;
  for (int64_t i = 0; i < a.num_rows; ++i) longest = std::max(longest, length(i));

  {
    std::vector<int> row_of, columns(a.entries.begin(), a.entries.end());
    for_each_entry([&](int64_t i, int64_t, int64_t) { row_of.push_back(static_cast<int>(i)); });
    auto const r = to_device(row_of), c = to_device(columns);
    auto const v = to_device(a.values);
    using tiles = araios::coo_tiles<int, int64_t>;
    f(stored_view<tiles>{rows, cols, {rows, a.nnz(), r.data()}, c.data(), v.data()}, "COO", a);
  }
  if (longest * a.num_rows <= most_slots) {
    std::vector<int> columns(at(longest * a.num_rows), -1);
    std::vector<double> values(columns.size(), nan);
    for_each_entry([&](int64_t i, int64_t n, int64_t k) {
      columns[at(n * a.num_rows + i)] = static_cast<int>(a.entries[at(k)]);
      values[at(n * a.num_rows + i)] = a.values[at(k)];
    });
    auto const c = to_device(columns);
    auto const v = to_device(values);
    using tiles = araios::ell_tiles<int>;
    f(stored_view<tiles>{rows, cols, {rows, static_cast<int>(longest)}, c.data(), v.data()}, "ELL",
      a);
  }
  for (int const size : {1, 4, 32, 1000}) {
    std::vector<int64_t> begin{0};
    int64_t atoms = 0;
    for (int64_t first = 0; first < a.num_rows; first += size) {
      int64_t width = 0;
      auto const last = std::min<int64_t>(a.num_rows, first + size);
      for (auto i = first; i < last; ++i) width = std::max(width, length(i));
      begin.push_back(begin.back() + width * size);
      atoms += width * (last - first);
    }
    if (begin.back() > most_slots) continue;
    std::vector<int> columns(at(begin.back()), -1);
    std::vector<double> values(columns.size(), nan);
    for_each_entry([&](int64_t i, int64_t n, int64_t k) {
      auto const slot = at(begin[at(i / size)] + n * size + i % size);
      columns[slot] = static_cast<int>(a.entries[at(k)]);
      values[slot] = a.values[at(k)];
    });
    auto const b = to_device(begin);
    auto const c = to_device(columns);
    auto const v = to_device(values);
    using tiles = araios::sliced_ell_tiles<int, int64_t>;
    f(stored_view<tiles>{rows, cols, {rows, size, atoms, b.data()}, c.data(), v.data()},
      "sliced ELL", a);
  }
  for (int const size : {1, 4, 32, 1000}) {
    std::vector<int64_t> begin{0};
    for (int64_t first = 0; first < a.num_rows; first += size) {
      int64_t width = 0;
      auto const last = std::min<int64_t>(a.num_rows, first + size);
      for (auto i = first; i < last; ++i) width = std::max(width, length(i));
      begin.push_back(begin.back() + width * (last - first));
    }
    if (begin.back() > most_slots) continue;
    std::vector<int> columns(at(begin.back()), outside);  // never met
    std::vector<double> values(columns.size(), nan);
    for_each_entry([&](int64_t i, int64_t n, int64_t k) {
      auto const first = i / size * size;
      auto const slot =
          at(begin[at(i / size)] + n * std::min<int64_t>(size, a.num_rows - first) + (i - first));
      columns[slot] = static_cast<int>(a.entries[at(k)]);
      values[slot] = a.values[at(k)];
    });
    auto const m = to_device(a.row_map);
    auto const b = to_device(begin);
    auto const c = to_device(columns);
    auto const v = to_device(values);
    using tiles = araios::rgcsr_tiles<int, int64_t>;
    f(stored_view<tiles>{rows, cols, {rows, size, a.nnz(), m.data(), b.data()}, c.data(), v.data()},
      "RgCSR", a);
  }
  std::vector<int> distances;
  for_each_entry([&](int64_t i, int64_t, int64_t k) {
    distances.push_back(static_cast<int>(a.entries[at(k)] - i));
  });
  std::sort(distances.begin(), distances.end());
  distances.erase(std::unique(distances.begin(), distances.end()), distances.end());
  auto const diagonals = static_cast<int64_t>(distances.size());
  if (diagonals * a.num_rows <= most_slots) {
    std::vector<double> values(at(diagonals * a.num_rows), 0.0);
    araios::host_crs<double> filled{a.num_rows, a.num_cols, {0}, {}, {}};
    for (int64_t d = 0; d < diagonals; ++d)
      for (int64_t i = 0; i < a.num_rows; ++i)
        if (i + distances[at(d)] < 0 || i + distances[at(d)] >= a.num_cols)
          values[at(d * a.num_rows + i)] = nan;
    for_each_entry([&](int64_t i, int64_t, int64_t k) {
      auto const d = std::lower_bound(distances.begin(), distances.end(), a.entries[at(k)] - i) -
                     distances.begin();
      values[at(d * a.num_rows + i)] += a.values[at(k)];
    });
    for (int64_t i = 0; i < a.num_rows; ++i) {
      for (int64_t d = 0; d < diagonals; ++d) {
        auto const j = i + distances[at(d)];
        if (j < 0 || j >= a.num_cols) continue;
        filled.entries.push_back(j);
        filled.values.push_back(values[at(d * a.num_rows + i)]);
      }
      filled.row_map.push_back(filled.nnz());
    }
    auto const o = to_device(distances);
    auto const v = to_device(values);
    f(dia_view{rows, cols, {rows, static_cast<int>(diagonals)}, o.data(), v.data()}, "DIA", filled);
  }
}

/// The same for BCSR, whose rows and columns are multiples of the size of a block: the dense blocks
/// that `a` has entries in, and the matrix with the zeros that they add.
template <class F>
void with_blocks(araios::host_crs<double> const& a, int size, F const& f) {
  using std::int64_t;
  auto const at = [](int64_t k) { return static_cast<std::size_t>(k); };
  auto const rows = (a.num_rows + size - 1) / size * size;
  auto const cols = (a.num_cols + size - 1) / size * size;
  std::vector<int64_t> row_map{0};
  std::vector<int> block_columns;
  std::vector<double> values;
  araios::host_crs<double> filled{rows, cols, {0}, {}, {}};
  for (int64_t first = 0; first < rows; first += size) {
    std::vector<int64_t> here;
    auto const last = std::min<int64_t>(first + size, a.num_rows);
    for (auto k = a.row_map[at(first)]; k < a.row_map[at(last)]; ++k)
      here.push_back(a.entries[at(k)] / size);
    std::sort(here.begin(), here.end());
    here.erase(std::unique(here.begin(), here.end()), here.end());
    auto const before = static_cast<int64_t>(values.size());
    values.resize(values.size() + here.size() * at(size) * at(size), 0.0);
    for (auto i = first; i < last; ++i)
      for (auto k = a.row_map[at(i)]; k < a.row_map[at(i) + 1]; ++k) {
        auto const j = a.entries[at(k)];
        auto const b = std::lower_bound(here.begin(), here.end(), j / size) - here.begin();
        values[at(before + (b * size + (i - first)) * size + j % size)] += a.values[at(k)];
      }
    for (int64_t i = 0; i < size; ++i) {
      for (std::size_t b = 0; b < here.size(); ++b)
        for (int64_t j = 0; j < size; ++j) {
          filled.entries.push_back(here[b] * size + j);
          filled.values.push_back(
              values[at(before + (static_cast<int64_t>(b) * size + i) * size + j)]);
        }
      filled.row_map.push_back(static_cast<int64_t>(filled.entries.size()));
    }
    for (auto const b : here) block_columns.push_back(static_cast<int>(b));
    row_map.push_back(static_cast<int64_t>(block_columns.size()));
  }
  auto const m = to_device(row_map);
  auto const c = to_device(block_columns);
  auto const v = to_device(values);
  f(bcsr_view{static_cast<int>(rows),
              static_cast<int>(cols),
              {static_cast<int>(rows), size, static_cast<int64_t>(values.size()), m.data()},
              c.data(),
              v.data()},
    filled);
}

}  // namespace support
