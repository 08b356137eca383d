// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include <araios/matrix/host.hpp>

namespace araios {

template <class Value>
host_crs<Value> to_host_crs(coordinate_matrix<Value> const& a) {
  host_crs<Value> crs;
  crs.num_rows = a.num_rows;
  crs.num_cols = a.num_cols;
  try {
    crs.row_map.assign(static_cast<std::size_t>(a.num_rows) + 1, 0);
  } catch (std::exception const&) {
    throw std::length_error("araios::to_host_crs: a row map of " + std::to_string(a.num_rows) +
                            " rows needs " + std::to_string((a.num_rows + 1) / 131072) +
                            " MiB, which cannot be allocated; the matrix has " +
                            std::to_string(a.nnz()) + " entries");
  }
  auto const nnz = a.values.size();
  for (auto const row : a.rows) ++crs.row_map[static_cast<std::size_t>(row) + 1];
  for (std::size_t i = 0; i + 1 < crs.row_map.size(); ++i) crs.row_map[i + 1] += crs.row_map[i];

  std::vector<std::int64_t> next(crs.row_map.begin(), crs.row_map.end() - 1);
  std::vector<std::size_t> order(nnz);  // entry ids, grouped by row in the order given
  for (std::size_t k = 0; k < nnz; ++k)
    order[static_cast<std::size_t>(next[static_cast<std::size_t>(a.rows[k])]++)] = k;

  auto const by_column = [&a](std::size_t x, std::size_t y) { return a.cols[x] < a.cols[y]; };
  for (std::size_t i = 0; i + 1 < crs.row_map.size(); ++i) {
    auto const begin = order.begin() + crs.row_map[i];
    auto const end = order.begin() + crs.row_map[i + 1];
    if (!std::is_sorted(begin, end, by_column)) std::stable_sort(begin, end, by_column);
  }
  crs.entries.resize(nnz);
  crs.values.resize(nnz);
  for (std::size_t p = 0; p < nnz; ++p) {
    crs.entries[p] = a.cols[order[p]];
    crs.values[p] = a.values[order[p]];
  }
  return crs;
}

}  // namespace araios
