// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <araios/impl/spgemm.hpp>
#include <araios/spgemm_add.hpp>

namespace araios {
namespace impl::spgemm {

/// [A I], of which entry k of row i of A is entry k + i, and the entry of I ends each row.
template <class A, class Ordinal, class Offset>
struct append_identity {
  A a;
  Offset* row_map;
  Ordinal* entries;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (i < static_cast<std::int64_t>(a.nnz)) entries[i + row_of_entry(a, i)] = a.entries[i];
    if (i < static_cast<std::int64_t>(a.num_rows)) {
      auto const at = static_cast<std::int64_t>(a.row_map[i + 1]) + i;
      entries[at] = static_cast<Ordinal>(a.num_cols + static_cast<Ordinal>(i));
      row_map[i + 1] = static_cast<Offset>(at + 1);
    }
  }
};

/// [B; D].
template <class B, class D, class Ordinal, class Offset>
struct stack_rows {
  B b;
  D d;
  Offset* row_map;
  Ordinal* entries;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    copy(b, i, 0, 0);
    copy(d, i, static_cast<std::int64_t>(b.num_rows), static_cast<std::int64_t>(b.nnz));
    if (i == 0) row_map[0] = 0;
  }
  template <class Crs>
  KOKKOS_FUNCTION void copy(Crs const& from, std::int64_t i, std::int64_t rows,
                            std::int64_t nnz) const {
    if (i < static_cast<std::int64_t>(from.nnz)) entries[nnz + i] = from.entries[i];
    if (i < static_cast<std::int64_t>(from.num_rows))
      row_map[rows + i + 1] =
          static_cast<Offset>(nnz + static_cast<std::int64_t>(from.row_map[i + 1]));
  }
};

/// The values of [alpha A, I] and [B; beta D], where a factor of zero leaves out what it
/// multiplies. Raises the flag if a pattern is not that which was copied.
template <class A, class B, class D, class Left, class Right>
struct fill_values {
  using value = typename Left::value_type;
  using factor = accumulator_t<value>;
  A a;
  B b;
  D d;
  factor alpha;
  factor beta;
  Left left;
  Right right;
  std::int64_t* error;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (i < static_cast<std::int64_t>(a.nnz)) {
      auto const at = i + row_of_entry(a, i);
      if (left.entries[at] != a.entries[i]) *error = 1;
      left.values[at] = scaled(alpha, a, i);
    }
    if (i < static_cast<std::int64_t>(a.num_rows)) {
      auto const at = static_cast<std::int64_t>(left.row_map[i + 1]) - 1;
      if (static_cast<std::int64_t>(a.row_map[i + 1]) + i != at) *error = 1;
      left.values[at] = static_cast<value>(factor(1));
    }
    copy(b, i, 0, 0, alpha == factor(0) ? factor(0) : factor(1));
    copy(d, i, static_cast<std::int64_t>(b.num_rows), static_cast<std::int64_t>(b.nnz), beta);
  }

 private:
  template <class Crs>
  KOKKOS_FUNCTION void copy(Crs const& from, std::int64_t i, std::int64_t rows, std::int64_t nnz,
                            factor const& by) const {
    if (i < static_cast<std::int64_t>(from.nnz)) {
      if (right.entries[nnz + i] != from.entries[i]) *error = 1;
      right.values[nnz + i] = scaled(by, from, i);
    }
    if (i < static_cast<std::int64_t>(from.num_rows) &&
        static_cast<std::int64_t>(right.row_map[rows + i + 1]) !=
            nnz + static_cast<std::int64_t>(from.row_map[i + 1]))
      *error = 1;
  }
  template <class Crs>
  KOKKOS_FUNCTION static value scaled(factor const& by, Crs const& from, std::int64_t i) {
    using from_value = std::remove_const_t<typename Crs::value_type>;
    if (by == factor(0)) return static_cast<value>(factor(0));
    return static_cast<value>(by * static_cast<factor>(accumulator_t<from_value>(from.values[i])));
  }
};

/// Enough items for a pass over all entries and rows.
template <class... Crs>
std::int64_t entries_and_rows(Crs const&... a) {
  return std::max({std::int64_t{1}, static_cast<std::int64_t>(a.nnz)...,
                   static_cast<std::int64_t>(a.num_rows)...});
}

/// An operand as a plan knows it, with the fingerprint of its pattern. Waits for `space`.
template <class Space, class Crs>
operand known_operand(Space const& space, Crs const& a) {
  std::uint64_t pattern = 0;
  Kokkos::parallel_reduce("araios::spgemm::pattern",
                          rows_policy<Space>(space, 0, entries_and_rows(a)), sum_pattern<Crs>{a},
                          pattern);
  return {a.num_rows, a.num_cols, static_cast<std::int64_t>(a.nnz), pattern, a.row_map, a.entries};
}

}  // namespace impl::spgemm

template <class Space, class Ordinal, class Offset, class Value>
template <crs_like MatrixA, crs_like MatrixB, crs_like MatrixD>
spgemm_add_plan<Space, Ordinal, Offset, Value>::spgemm_add_plan(Space const& space,
                                                                MatrixA const& ma,
                                                                MatrixB const& mb,
                                                                MatrixD const& md,
                                                                spgemm_options const& options) {
  auto const a = as_crs(ma);
  auto const b = as_crs(mb);
  auto const d = as_crs(md);
  using crs_a = std::remove_const_t<decltype(a)>;
  using crs_b = std::remove_const_t<decltype(b)>;
  using crs_d = std::remove_const_t<decltype(d)>;
  static_assert(std::is_same_v<typename crs_a::ordinal_type, Ordinal> &&
                    std::is_same_v<typename crs_b::ordinal_type, Ordinal> &&
                    std::is_same_v<typename crs_d::ordinal_type, Ordinal>,
                "A, B, C and D must have one ordinal type");
  constexpr char const* function = "araios::spgemm_add_plan";
  impl::require(a.num_rows >= 0 && a.num_cols >= 0 && b.num_cols >= 0 && a.num_cols == b.num_rows &&
                    d.num_rows == a.num_rows && d.num_cols == b.num_cols,
                function, ": A (", a.num_rows, " x ", a.num_cols, "), B (", b.num_rows, " x ",
                b.num_cols, ") and D (", d.num_rows, " x ", d.num_cols, ") do not fit together");
  auto const inner = impl::narrow<Ordinal>(std::int64_t{a.num_cols} + std::int64_t{a.num_rows},
                                           function, "the number of columns of A and D's rows");
  auto const left_nnz =
      impl::narrow<Offset>(static_cast<std::int64_t>(a.nnz) + std::int64_t{a.num_rows}, function,
                           "the number of entries of A and rows of D");
  auto const right_nnz =
      impl::narrow<Offset>(static_cast<std::int64_t>(b.nnz) + static_cast<std::int64_t>(d.nnz),
                           function, "the number of entries of B and D");
  auto const& exec = impl::instance(space);
  auto const matrix_of = [&](Ordinal rows, Ordinal cols, Offset nnz) {
    auto const size = static_cast<std::size_t>(nnz);
    return matrix(rows, cols,
                  impl::allocate<Offset>(exec, "araios::spgemm_add::row_map",
                                         static_cast<std::size_t>(rows) + 1),
                  impl::allocate<Ordinal>(exec, "araios::spgemm_add::entries", size),
                  impl::allocate<Value>(exec, "araios::spgemm_add::values", size));
  };
  left_ = matrix_of(a.num_rows, inner, left_nnz);
  right_ = matrix_of(inner, b.num_cols, right_nnz);
  using rows_policy = impl::spgemm::rows_policy<execution_space>;
  Kokkos::deep_copy(exec, left_.row_map, Offset{0});
  Kokkos::parallel_for("araios::spgemm_add::append_identity",
                       rows_policy(exec, 0, impl::spgemm::entries_and_rows(a)),
                       impl::spgemm::append_identity<crs_a, Ordinal, Offset>{
                           a, left_.row_map.data(), left_.entries.data()});
  Kokkos::parallel_for("araios::spgemm_add::stack_rows",
                       rows_policy(exec, 0, impl::spgemm::entries_and_rows(b, d)),
                       impl::spgemm::stack_rows<crs_b, crs_d, Ordinal, Offset>{
                           b, d, right_.row_map.data(), right_.entries.data()});
  a_ = impl::spgemm::known_operand(exec, a);
  b_ = impl::spgemm::known_operand(exec, b);
  d_ = impl::spgemm::known_operand(exec, d);
  if (options.keep_products) {  // the plan then multiplies once, for the columns
    Kokkos::deep_copy(exec, left_.values, Value(0));
    Kokkos::deep_copy(exec, right_.values, Value(0));
  }
  plan_.emplace(space, left_, right_, options);
}

template <class Space, class Ordinal, class Offset, class Value>
template <class Alpha, crs_like MatrixA, crs_like MatrixB, class Beta, crs_like MatrixD>
void spgemm_add_plan<Space, Ordinal, Offset, Value>::multiply(Space const& space,
                                                              Alpha const& alpha, MatrixA const& ma,
                                                              MatrixB const& mb, Beta const& beta,
                                                              MatrixD const& md,
                                                              result_type const& c) const {
  auto const a = as_crs(ma);
  auto const b = as_crs(mb);
  auto const d = as_crs(md);
  using crs_a = std::remove_const_t<decltype(a)>;
  using crs_b = std::remove_const_t<decltype(b)>;
  using crs_d = std::remove_const_t<decltype(d)>;
  constexpr char const* function = "araios::spgemm_add_plan::multiply";
  auto const& exec = impl::instance(space);
  impl::spgemm::check_operand(exec, function, "A", a_, a);
  impl::spgemm::check_operand(exec, function, "B", b_, b);
  impl::spgemm::check_operand(exec, function, "D", d_, d);
  auto const& product = plan_->state_;
  impl::spgemm::check_result(function, product, c, a, b, d);
  if (product.nnz == 0) return;
  product.control.use_on(exec);
  auto const left = as_crs(left_);
  auto const right = as_crs(right_);
  using factor = impl::accumulator_t<Value>;
  Kokkos::parallel_for(
      "araios::spgemm_add::fill_values",
      impl::spgemm::rows_policy<execution_space>(exec, 0, impl::spgemm::entries_and_rows(a, b, d)),
      impl::spgemm::fill_values<crs_a, crs_b, crs_d, std::remove_const_t<decltype(left)>,
                                std::remove_const_t<decltype(right)>>{
          a, b, d, impl::coefficient<factor>(alpha), impl::coefficient<factor>(beta), left, right,
          product.control.error()});
  plan_->multiply(space, left_, right_, c);
}

template <class Space, class Ordinal, class Offset, class Value>
void spgemm_add_plan<Space, Ordinal, Offset, Value>::check(Space const& space) const {
  impl::require<std::runtime_error>(
      !plan_->state_.control.take_error(impl::instance(space)),
      "araios::spgemm_add_plan::check: the pattern of A (", a_.rows, " x ", a_.cols, "), B (",
      b_.rows, " x ", b_.cols, ") or D (", d_.rows, " x ", d_.cols,
      ") has changed since the plan was made; the result of the last multiply is not valid");
}

template <class Space, class Ordinal, class Offset, class Value>
std::size_t spgemm_add_plan<Space, Ordinal, Offset, Value>::workspace_bytes() const {
  auto const bytes = [](matrix const& m) {
    return m.row_map.span() * sizeof(Offset) + m.entries.span() * (sizeof(Ordinal) + sizeof(Value));
  };
  return bytes(left_) + bytes(right_) + plan_->workspace_bytes();
}

}  // namespace araios
