// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include <araios/matrix/host.hpp>

namespace support {

/// A graph of `vertices` vertices with the given edges, in their order within each row.
template <class Value = double>
araios::host_crs<Value> graph(std::int64_t vertices,
                              std::vector<std::tuple<int, int, Value>> const& edges) {
  araios::host_crs<Value> a;
  a.num_rows = a.num_cols = vertices;
  a.row_map.assign(1, 0);
  for (std::int64_t i = 0; i < vertices; ++i) {
    for (auto const& [from, to, weight] : edges)
      if (from == i) {
        a.entries.push_back(to);
        a.values.push_back(weight);
      }
    a.row_map.push_back(static_cast<std::int64_t>(a.entries.size()));
  }
  return a;
}

/// The transpose, each row in the order of the columns that it was.
inline araios::host_crs<double> transposed(araios::host_crs<double> const& a) {
  std::vector<std::vector<std::pair<int64_t, double>>> rows(static_cast<std::size_t>(a.num_cols));
  for (std::size_t i = 0; i + 1 < a.row_map.size(); ++i)
    for (auto k = static_cast<std::size_t>(a.row_map[i]);
         k < static_cast<std::size_t>(a.row_map[i + 1]); ++k)
      rows[static_cast<std::size_t>(a.entries[k])].emplace_back(i, a.values[k]);
  araios::host_crs<double> t;
  t.num_rows = a.num_cols;
  t.num_cols = a.num_rows;
  t.row_map.assign(1, 0);
  for (auto const& row : rows) {
    for (auto const& [j, value] : row) {
      t.entries.push_back(j);
      t.values.push_back(value);
    }
    t.row_map.push_back(static_cast<int64_t>(t.entries.size()));
  }
  return t;
}

}  // namespace support
