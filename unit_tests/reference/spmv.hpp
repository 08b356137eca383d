// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include <araios/matrix/host.hpp>
#include <araios/mode.hpp>

#include "support/compare.hpp"

namespace reference {

/// y = alpha * op(A) * x + beta * y, one entry after the other in long double. beta == 0 does not
/// read y, alpha == 0 reads neither A nor x.
template <class Value, class X, class Y>
std::vector<support::expected_value> spmv(araios::mode op, support::wide alpha,
                                          araios::host_crs<Value> const& a, std::vector<X> const& x,
                                          support::wide beta, std::vector<Y> const& y) {
  using support::widen;
  std::vector<support::expected_value> result(y.size());
  if (alpha != support::wide(0.0L))
    for (std::size_t i = 0; i + 1 < a.row_map.size(); ++i)
      for (auto k = static_cast<std::size_t>(a.row_map[i]);
           k < static_cast<std::size_t>(a.row_map[i + 1]); ++k) {
        auto const j = static_cast<std::size_t>(a.entries[k]);
        auto const value = araios::conjugates(op) ? conj(widen(a.values[k])) : widen(a.values[k]);
        if (araios::transposes(op))
          result[j].add(alpha * value * widen(x[i]));
        else
          result[i].add(alpha * value * widen(x[j]));
      }
  if (beta != support::wide(0.0L))
    for (std::size_t i = 0; i < y.size(); ++i) result[i].add(beta * widen(y[i]));
  return result;
}

}  // namespace reference
