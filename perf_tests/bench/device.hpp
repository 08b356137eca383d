// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <araios/matrix/crs.hpp>
#include <limits>
#include <type_traits>
#include <utility>

#include "case.hpp"

/// Operands and results of a case on the device.
namespace araios::bench {

using device_space = Kokkos::DefaultExecutionSpace;
using device_memory = device_space::memory_space;

template <class Value, class Offset = int>
using device_matrix = crs_matrix<Value, int, Offset, device_memory>;

template <class Value>
using device_vector = Kokkos::View<Value*, device_memory>;
template <class Value, class Layout>
using device_columns = Kokkos::View<Value**, Layout, device_memory>;

/// A View of this type whose elements are not set.
template <class View, class... Extents>
View uninitialised(std::string const& label, Extents... extents) {
  return View(Kokkos::view_alloc(Kokkos::WithoutInitializing, label), extents...);
}

/// A and B of a sparse product; they share their arrays if they are the same matrix.
template <class Value, class Offset>
struct product_operands {
  device_matrix<Value, Offset> a, b;

  product_operands(device_space const& space, inputs const& in)
      : a(to_crs_matrix<Value, int, Offset>(space, in.a)),
        b(in.a_transposed ? to_crs_matrix<Value, int, Offset>(space, *in.a_transposed) : a) {}
};

template <class Value, class Offset>
sparse_result to_sparse_result(device_matrix<Value, Offset> const& c) {
  sparse_result result;
  auto const rows = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, c.row_map);
  result.row_map.assign(rows.data(), rows.data() + rows.extent(0));
  if (result.row_map.empty()) result.row_map = {0};
  result.read = [c](std::int64_t begin, std::int64_t end, int* columns, double* values) {
    auto const range =
        std::make_pair(static_cast<std::size_t>(begin), static_cast<std::size_t>(end));
    auto const copy = [&](auto const& view, auto* to) {
      auto const part =
          Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, Kokkos::subview(view, range));
      for (std::size_t k = 0; k < part.extent(0); ++k) to[k] = part(k);
    };
    copy(c.entries, columns);
    copy(c.values, values);
  };
  return result;
}

/// C = A * B with everything set up anew for each product: multiply(space, A, B) returns C.
template <class Multiply, class Value, class Offset = int, class Space = device_space>
class fresh_product : public candidate {
 public:
  template <class... Args>
  explicit fresh_product(inputs const& in, Args const&... args)
      : operands_(impl::instance(space_), in), multiply_{args...} {}

  void run(std::int64_t calls) override {
    for (std::int64_t k = 0; k < calls; ++k) c_ = multiply_(space_, operands_.a, operands_.b);
    impl::instance(space_).fence("araios-bench");
  }
  void discard() override { c_ = {}; }
  any_result result() const override { return to_sparse_result(c_); }

 private:
  Space space_;
  product_operands<Value, Offset> operands_;
  Multiply multiply_;
  device_matrix<Value, Offset> c_;
};

/// The implementation of a sparse product with 32-bit offsets by `Multiply<Value>`.
template <template <class Value> class Multiply, class... Args>
implementation narrow_product(char const* name, Args... args) {
  return {name, "", [=](inputs const& in) {
            if (in.wide_offsets)
              throw std::overflow_error("the product does not fit 32-bit offsets");
            return with_scalar(in, [&]<class Value>(Value) {
              using product = fresh_product<Multiply<Value>, Value>;
              return std::unique_ptr<candidate>(new product(in, args...));
            });
          }};
}

/// A, x and y of y = A * x, where Vector is a View of rank 1 or 2.
template <class Vector>
struct vector_operands {
  using value_type = typename Vector::value_type;
  device_matrix<value_type> a;
  Vector x, y;

  vector_operands(device_space const& space, inputs const& in)
      : a(to_crs_matrix<value_type, int, int>(space, in.a)),
        x(make("x", in.a.num_cols, in.columns)),
        y(make("y", in.a.num_rows, in.columns)) {
    auto const host = Kokkos::create_mirror_view(x);
    for (std::int64_t i = 0; i < in.a.num_cols; ++i)
      for (std::int64_t c = 0; c < in.columns; ++c) at(host, i, c) = in.x[i * in.columns + c];
    Kokkos::deep_copy(x, host);
    Kokkos::deep_copy(y, std::numeric_limits<value_type>::quiet_NaN());  // beta = 0 overwrites it
  }

  dense_result result() const {
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, y);
    auto const columns = static_cast<std::int64_t>(y.extent(1));  // 1 for rank 1
    dense_result values(y.extent(0) * y.extent(1));
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(y.extent(0)); ++i)
      for (std::int64_t c = 0; c < columns; ++c) values[i * columns + c] = at(host, i, c);
    return values;
  }

 private:
  static Vector make(std::string const& label, std::int64_t rows,
                     [[maybe_unused]] std::int64_t columns) {
    if constexpr (Vector::rank() == 1)
      return uninitialised<Vector>(label, rows);
    else
      return uninitialised<Vector>(label, rows, columns);
  }
  template <class View>
  static auto& at(View const& view, std::int64_t i, [[maybe_unused]] std::int64_t column) {
    if constexpr (View::rank() == 1)
      return view(i);
    else
      return view(i, column);
  }
};

/// Calls `f` with std::type_identity of the View type in use, for SpMV and for SpMM.
template <class F>
std::unique_ptr<candidate> with_vector(inputs const& in, F const& f) {
  return with_scalar(
      in, [&]<class Value>(Value) { return f(std::type_identity<device_vector<Value>>{}); });
}
template <class F>
std::unique_ptr<candidate> with_columns(inputs const& in, F const& f) {
  return with_scalar(in, [&]<class Value>(Value) {
    if (in.row_major) return f(std::type_identity<device_columns<Value, Kokkos::LayoutRight>>{});
    return f(std::type_identity<device_columns<Value, Kokkos::LayoutLeft>>{});
  });
}

}  // namespace araios::bench
