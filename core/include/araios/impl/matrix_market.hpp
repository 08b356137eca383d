// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <araios/matrix_market.hpp>

namespace araios::impl {

template <class Value>
concept complex_like = !std::is_arithmetic_v<Value> && requires(Value v) {
  typename Value::value_type;
  v.real();
  v.imag();
  Value(v.real(), v.imag());
};

/// The types that matrix_market.cpp is compiled for. All others are read and written through one.
template <class Value>
concept matrix_market_carrier = std::same_as<Value, float> || std::same_as<Value, double> ||
    std::same_as<Value, std::int64_t> || std::same_as<Value, std::uint64_t> ||
    std::same_as<Value, std::complex<float>> || std::same_as<Value, std::complex<double>>;

template <class Value>
constexpr auto matrix_market_carrier_for() {
  static_assert(!std::same_as<Value, bool>, "araios: bool is no value type of a matrix file");
  if constexpr (matrix_market_carrier<Value>) {
    return std::type_identity<Value>{};
  } else if constexpr (std::integral<Value>) {
    return std::type_identity<
        std::conditional_t<std::is_signed_v<Value>, std::int64_t, std::uint64_t>>{};
  } else if constexpr (complex_like<Value>) {
    using part = std::conditional_t<std::same_as<typename Value::value_type, float>, float, double>;
    return std::type_identity<std::complex<part>>{};
  } else {
    static_assert(
        requires(double d) { static_cast<Value>(d); },
        "araios: the value type of a matrix file must be made from a double");
    return std::type_identity<double>{};
  }
}

template <class Value>
using carrier_t = typename decltype(matrix_market_carrier_for<Value>())::type;

template <class To, class From>
To convert_value(From const& from) {
  if constexpr (complex_like<From> && !std::same_as<To, From>)
    return To(from.real(), from.imag());
  else
    return static_cast<To>(from);
}

/// What a value type narrower than its carrier asks of every value.
template <class Carrier>
struct value_filter {
  bool (*accepts)(Carrier) = nullptr;  // none: everything is accepted
  std::string expected = {};           // for the message
};

template <class Value>
value_filter<carrier_t<Value>> make_value_filter() {
  using carrier = carrier_t<Value>;
  if constexpr (std::integral<Value> && sizeof(Value) < sizeof(carrier)) {
    using limits = std::numeric_limits<Value>;
    return {[](carrier v) { return std::in_range<Value>(v); },
            "value in " + std::to_string(limits::min()) + ".." + std::to_string(limits::max())};
  } else if constexpr (std::same_as<carrier, double> && !std::floating_point<Value> &&
                       requires(Value v) { static_cast<double>(v); }) {
    return {[](double v) {
              auto const finite = [](double x) { return x - x == 0; };
              return !finite(v) || finite(static_cast<double>(static_cast<Value>(v)));
            },
            "value in the range of the requested type"};
  } else {
    return {};
  }
}

template <class Carrier>
coordinate_matrix<Carrier> read_matrix_market_file(std::filesystem::path const& path,
                                                   value_filter<Carrier> const& filter);
template <class Carrier>
coordinate_matrix<Carrier> read_matrix_market_text(std::string_view text, std::string const& name,
                                                   value_filter<Carrier> const& filter);

template <class Value, class Carrier>
coordinate_matrix<Value> convert_matrix(coordinate_matrix<Carrier>&& from) {
  if constexpr (std::same_as<Value, Carrier>) {
    return std::move(from);
  } else {
    coordinate_matrix<Value> to;
    to.num_rows = from.num_rows;
    to.num_cols = from.num_cols;
    to.rows = std::move(from.rows);
    to.cols = std::move(from.cols);
    to.values.reserve(from.values.size());
    for (auto const& v : from.values) to.values.push_back(convert_value<Value>(v));
    return to;
  }
}

/// A matrix to be written, as a list of entries owned by somebody else.
template <class Carrier>
struct entry_list {
  std::int64_t num_rows;
  std::int64_t num_cols;
  std::span<std::int64_t const> rows;
  std::span<std::int64_t const> cols;
  std::span<Carrier const> values;
};

template <class Carrier>
void write_entries(std::filesystem::path const& path, entry_list<Carrier> const& a,
                   matrix_market_options const& options);
template <class Carrier>
void write_entries(std::ostream& out, entry_list<Carrier> const& a,
                   matrix_market_options const& options);

/// To: a path or a stream.
template <class To, class Value>
void write_entries_of(To& to, std::int64_t num_rows, std::int64_t num_cols,
                      std::vector<std::int64_t> const& rows, std::vector<std::int64_t> const& cols,
                      std::vector<Value> const& values, matrix_market_options const& options) {
  using carrier = carrier_t<Value>;
  if constexpr (std::same_as<Value, carrier>) {
    write_entries(to, entry_list<carrier>{num_rows, num_cols, rows, cols, values}, options);
  } else {
    std::vector<carrier> converted;
    converted.reserve(values.size());
    for (auto const& v : values) converted.push_back(convert_value<carrier>(v));
    write_entries(to, entry_list<carrier>{num_rows, num_cols, rows, cols, converted}, options);
  }
}

template <class To, class Value>
void write_crs(To& to, host_crs<Value> const& a, matrix_market_options const& options) {
  std::vector<std::int64_t> rows;
  rows.reserve(a.entries.size());
  for (std::int64_t i = 0; i < a.num_rows; ++i) {
    auto const row = a.row_map.begin() + i;
    rows.insert(rows.end(), static_cast<std::size_t>(row[1] - row[0]), i);
  }
  write_entries_of(to, a.num_rows, a.num_cols, rows, a.entries, a.values, options);
}

}  // namespace araios::impl

namespace araios {

template <class Value>
coordinate_matrix<Value> read_matrix_market(std::filesystem::path const& path) {
  return impl::convert_matrix<Value>(
      impl::read_matrix_market_file(path, impl::make_value_filter<Value>()));
}

template <class Value>
coordinate_matrix<Value> parse_matrix_market(std::string_view text, std::string const& name) {
  return impl::convert_matrix<Value>(
      impl::read_matrix_market_text(text, name, impl::make_value_filter<Value>()));
}

template <class Value>
void write_matrix_market(std::filesystem::path const& path, coordinate_matrix<Value> const& a,
                         matrix_market_options const& options) {
  impl::write_entries_of(path, a.num_rows, a.num_cols, a.rows, a.cols, a.values, options);
}

template <class Value>
void write_matrix_market(std::ostream& out, coordinate_matrix<Value> const& a,
                         matrix_market_options const& options) {
  impl::write_entries_of(out, a.num_rows, a.num_cols, a.rows, a.cols, a.values, options);
}

template <class Value>
void write_matrix_market(std::filesystem::path const& path, host_crs<Value> const& a,
                         matrix_market_options const& options) {
  impl::write_crs(path, a, options);
}

template <class Value>
void write_matrix_market(std::ostream& out, host_crs<Value> const& a,
                         matrix_market_options const& options) {
  impl::write_crs(out, a, options);
}

}  // namespace araios
