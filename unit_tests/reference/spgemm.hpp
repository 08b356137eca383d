// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <araios/matrix/host.hpp>

/// C = A * B, one thread, one row after the other, in the widest type at hand: what every other way
/// to form the product is compared with.
namespace araios_test {

template <class T>
struct widest {
  using type = long double;
};
template <class T>
struct widest<Kokkos::complex<T>> {
  using type = std::complex<long double>;
};
template <class T>
using widest_t = typename widest<T>::type;

template <class T>
widest_t<T> widen(T const& value) {
  return static_cast<long double>(value);
}
inline long double widen(Kokkos::Experimental::half_t value) {
  return static_cast<long double>(static_cast<float>(value));
}
template <class T>
std::complex<long double> widen(Kokkos::complex<T> const& value) {
  return {value.real(), value.imag()};
}

/// A product, with what its error bound needs: for every entry the sum of |a| |b| and the number of
/// terms.
template <class Wide>
struct product {
  std::int64_t num_rows = 0;
  std::int64_t num_cols = 0;
  std::int64_t products = 0;
  std::vector<std::int64_t> row_map = {0};
  std::vector<std::int64_t> entries;
  std::vector<Wide> values;
  std::vector<long double> magnitudes;
  std::vector<std::int64_t> terms;

  std::int64_t nnz() const { return static_cast<std::int64_t>(entries.size()); }
};

template <class ValueA, class ValueB>
auto reference_spgemm(araios::host_crs<ValueA> const& a, araios::host_crs<ValueB> const& b) {
  using wide = decltype(widen(ValueA{}) * widen(ValueB{}));
  product<wide> c;
  c.num_rows = a.num_rows;
  c.num_cols = b.num_cols;
  c.row_map.reserve(static_cast<std::size_t>(a.num_rows) + 1);
  auto const columns = static_cast<std::size_t>(b.num_cols);
  std::vector<std::int64_t> seen_in(columns, -1);  // the last row with an entry in this column
  std::vector<wide> sums(columns);
  std::vector<long double> magnitudes(columns);
  std::vector<std::int64_t> terms(columns);
  for (std::int64_t i = 0; i < a.num_rows; ++i) {
    auto const begin = static_cast<std::ptrdiff_t>(c.entries.size());
    for (auto k = a.row_map[i]; k < a.row_map[i + 1]; ++k) {
      auto const inner = a.entries[k];
      auto const factor = widen(a.values[k]);
      for (auto q = b.row_map[inner]; q < b.row_map[inner + 1]; ++q) {
        auto const j = static_cast<std::size_t>(b.entries[q]);
        if (seen_in[j] != i) {
          seen_in[j] = i;
          sums[j] = wide{};
          magnitudes[j] = 0;
          terms[j] = 0;
          c.entries.push_back(b.entries[q]);
        }
        auto const term = factor * widen(b.values[q]);
        sums[j] += term;
        magnitudes[j] += std::abs(term);
        ++terms[j];
        ++c.products;
      }
    }
    std::sort(c.entries.begin() + begin, c.entries.end());
    for (auto k = static_cast<std::size_t>(begin); k < c.entries.size(); ++k) {
      auto const j = static_cast<std::size_t>(c.entries[k]);
      c.values.push_back(sums[j]);
      c.magnitudes.push_back(magnitudes[j]);
      c.terms.push_back(terms[j]);
    }
    c.row_map.push_back(static_cast<std::int64_t>(c.entries.size()));
  }
  return c;
}

}  // namespace araios_test
