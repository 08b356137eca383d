// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <tuple>
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

}  // namespace support
