// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <araios/matrix/host.hpp>

#include "support/compare.hpp"

namespace reference {

/// A product as it should be: rows sorted, no duplicates, an entry wherever there is something to
/// multiply.
struct product {
  std::int64_t num_rows = 0;
  std::int64_t num_cols = 0;
  std::int64_t products = 0;  ///< a(i,k) b(k,j) that were summed
  std::vector<std::int64_t> row_map = {0};
  std::vector<std::int64_t> entries;
  std::vector<support::expected_value> values;

  std::int64_t nnz() const { return row_map.back(); }
};

/// C = A * B by one thread, row by row, in the widest type at hand.
template <class ValueA, class ValueB>
product spgemm(araios::host_crs<ValueA> const& a, araios::host_crs<ValueB> const& b) {
  constexpr bool is_complex = requires(ValueA v) { v.imag(); }
  || requires(ValueB v) { v.imag(); };
  using number = std::conditional_t<is_complex, support::wide, long double>;
  auto const widen = [](auto const& value) -> number {
    if constexpr (is_complex)
      return support::widen(value);
    else
      return support::widen(value).real();
  };
  using std::abs;
  struct sum {
    number value = 0.0L;
    long double magnitude = 0.0L;
    std::int64_t terms = 0;
  };
  product c;
  c.num_rows = a.num_rows;
  c.num_cols = b.num_cols;
  std::vector<std::int64_t> seen_in(static_cast<std::size_t>(b.num_cols),
                                    -1);  // last row that had it
  std::vector<sum> sums(static_cast<std::size_t>(b.num_cols));
  for (std::int64_t i = 0; i < a.num_rows; ++i) {
    auto const begin = c.entries.end() - c.entries.begin();
    for (auto k = a.row_map[i]; k < a.row_map[i + 1]; ++k) {
      auto const inner = a.entries[k];
      number const factor = widen(a.values[k]);
      for (auto q = b.row_map[inner]; q < b.row_map[inner + 1]; ++q) {
        auto const j = b.entries[q];
        if (seen_in[j] != i) {
          seen_in[j] = i;
          sums[j] = {};
          c.entries.push_back(j);
        }
        number const term = factor * widen(b.values[q]);
        sums[j].value += term;
        sums[j].magnitude += abs(term);
        ++sums[j].terms;
        ++c.products;
      }
    }
    std::sort(c.entries.begin() + begin, c.entries.end());
    for (auto at = c.entries.begin() + begin; at != c.entries.end(); ++at) {
      auto& expected = c.values.emplace_back();
      expected.value = sums[*at].value;
      expected.magnitude = sums[*at].magnitude;
      expected.terms = sums[*at].terms;
    }
    c.row_map.push_back(static_cast<std::int64_t>(c.entries.size()));
  }
  return c;
}

}  // namespace reference
