// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace araios {

/// A sparse matrix as a list of entries (i, j, value) in host memory, in any order.
/// Duplicate entries are allowed; they add up in every product.
/// Invariant: `rows`, `cols` and `values` have equal length; 0 <= rows[k] < num_rows, likewise
/// cols.
template <class Value>
struct coordinate_matrix {
  std::int64_t num_rows = 0;
  std::int64_t num_cols = 0;
  std::vector<std::int64_t> rows;
  std::vector<std::int64_t> cols;
  std::vector<Value> values;

  std::int64_t nnz() const { return static_cast<std::int64_t>(values.size()); }
};

/// A sparse matrix in compressed row storage in host memory, with 64-bit indices: what readers and
/// generators produce and what `to_crs_matrix` copies to a device, narrowing with a check.
/// Invariant: row_map has num_rows + 1 ascending elements, row_map[0] == 0 and
/// row_map[num_rows] == entries.size() == values.size(); 0 <= entries[k] < num_cols.
template <class Value>
struct host_crs {
  std::int64_t num_rows = 0;
  std::int64_t num_cols = 0;
  std::vector<std::int64_t> row_map = {0};
  std::vector<std::int64_t> entries;
  std::vector<Value> values;

  std::int64_t nnz() const { return static_cast<std::int64_t>(values.size()); }
};

/// The same matrix in compressed row storage, each row sorted by column. Duplicates are kept, in
/// the order given. Throws std::length_error if the row map of num_rows + 1 offsets cannot be held.
template <class Value>
host_crs<Value> to_host_crs(coordinate_matrix<Value> const& a);

}  // namespace araios

#include <araios/impl/host_crs.hpp>
