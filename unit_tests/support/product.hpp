// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include <araios/matrix/crs.hpp>
#include <araios/mode.hpp>

#include "reference/spmv.hpp"
#include "support/compare.hpp"
#include "support/device.hpp"
#include "support/random.hpp"

namespace support {

inline constexpr araios::mode all_modes[] = {araios::mode::none, araios::mode::transpose,
                                             araios::mode::conjugate,
                                             araios::mode::conjugate_transpose};

/// What a kernel must not read, or show in its result if it does.
template <class Value>
Value poison() {
  if constexpr (std::is_integral_v<Value>)
    return std::numeric_limits<Value>::max() / 3;
  else if constexpr (requires(Value v) { v.imag(); })
    return Value(NAN, NAN);
  else
    return static_cast<Value>(std::numeric_limits<float>::quiet_NaN());
}

/// y = alpha * op(A) * x + beta * y with random x and y, and its reference. x is poisoned where no
/// entry of A refers to it, all of x if alpha == 0, and y if beta == 0.
template <class Value, class X = Value, class Y = X>
class product {
 public:
  std::vector<X> x;
  std::vector<Y> y;
  device_vector<X> x_device;
  std::vector<expected_value> expected;

  product(engine& random, araios::host_crs<Value> const& a, araios::mode op, wide alpha,
          wide beta) {
    bool const t = araios::transposes(op);
    x = draw_values<X>(random, t ? a.num_rows : a.num_cols);
    y = draw_values<Y>(random, t ? a.num_cols : a.num_rows);
    std::vector<bool> read(x.size(), false);
    if (alpha != wide(0.0L))
      for (std::size_t i = 0; i + 1 < a.row_map.size(); ++i)
        for (auto k = a.row_map[i]; k < a.row_map[i + 1]; ++k)
          read[t ? i : static_cast<std::size_t>(a.entries[static_cast<std::size_t>(k)])] = true;
    for (std::size_t j = 0; j < x.size(); ++j)
      if (!read[j]) x[j] = poison<X>();
    if (beta == wide(0.0L)) std::fill(y.begin(), y.end(), poison<Y>());
    x_device = to_device(x);
    expected = reference::spmv(op, alpha, a, x, beta, y);
  }

  /// Is y right after call(x, y)?
  template <class Call>
  ::testing::AssertionResult check(Call const& call) const {
    auto const result = to_device(y);
    call(x_device, result);
    return right(to_host(result));
  }
  template <class Result>
  ::testing::AssertionResult right(Result const& result) const {
    // Split rows and transposed products add to y in its own precision.
    using sum = araios::impl::product_t<Value, X>;
    return close(result, expected, std::max(epsilon_of<sum>, epsilon_of<Y>));
  }
};

}  // namespace support
