// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include <araios/spgemm.hpp>

namespace araios {

/// C = alpha A * B + beta D for sparse matrices, in two steps that can be repeated apart.
///
/// A: m x k, B: k x n, D: m x n, anything `crs_like` with one ordinal type; rows may be unsorted
/// and may hold duplicates. C: m x n with an entry wherever A * B or D has one, whatever alpha and
/// beta; its value type is that of A * B, in which alpha A and beta D are rounded.
///
/// It is one product, [A I] * [B; D]: every kernel and guarantee is that of `spgemm_plan`. The
/// constructor counts, allocates copies of the operands side by side, and waits for `space`;
/// `multiply` fills their values in, is asynchronous, and allocates nothing (patterns of arrays
/// that the plan does not know are compared with a wait). Rows of A that share a pattern are not
/// done together, since their rows of D differ.
///
/// - Memory beyond C: what `spgemm_plan` holds, and one more copy of A, B and D.
/// - Throws std::invalid_argument if the dimensions do not fit, std::overflow_error if k + m does
///   not
///   fit the ordinal type, or the entries of A and m, of B and D, or of C the offset type.
template <class Space, class Ordinal, class Offset, class Value>
class spgemm_add_plan {
 public:
  using product_plan = spgemm_plan<Space, Ordinal, Offset, Value>;
  using execution_space = typename product_plan::execution_space;
  using memory_space = typename product_plan::memory_space;
  using result_type = typename product_plan::result_type;

  template <crs_like A, crs_like B, crs_like D>
  spgemm_add_plan(Space const& space, A const& a, B const& b, D const& d,
                  spgemm_options const& options = {});

  spgemm_add_plan(spgemm_add_plan&&) = default;
  spgemm_add_plan& operator=(spgemm_add_plan&&) = default;

  std::int64_t nnz() const { return plan_->nnz(); }
  /// Device memory that the plan holds besides the row map of C, in bytes.
  std::size_t workspace_bytes() const;

  result_type make_result(Space const& space) const { return plan_->make_result(space); }

  /// C = alpha A * B + beta D for operands with the patterns that the plan was made for. Values of
  /// A and B do not matter if alpha is zero, nor those of D if beta is.
  template <class Alpha, crs_like A, crs_like B, class Beta, crs_like D>
  void multiply(Space const& space, Alpha const& alpha, A const& a, B const& b, Beta const& beta,
                D const& d, result_type const& c) const;

  /// Waits for `space` and throws std::runtime_error if a `multiply` since the last check met a
  /// pattern that was not that of the plan.
  void check(Space const& space) const;

 private:
  using matrix = crs_matrix<Value, Ordinal, Offset, memory_space>;
  mutable impl::spgemm::operand a_, b_, d_;
  matrix left_, right_;  ///< [A I] and [B; D]
  std::optional<product_plan> plan_;
};

template <class Space, crs_like A, crs_like B, crs_like D>
spgemm_add_plan(Space const&, A const&, B const&, D const&)
    -> spgemm_add_plan<Space, typename crs_view_of<A>::ordinal_type, impl::spgemm::offset_of<A, B>,
                       impl::spgemm::value_of<A, B>>;
template <class Space, crs_like A, crs_like B, crs_like D>
spgemm_add_plan(Space const&, A const&, B const&, D const&, spgemm_options const&)
    -> spgemm_add_plan<Space, typename crs_view_of<A>::ordinal_type, impl::spgemm::offset_of<A, B>,
                       impl::spgemm::value_of<A, B>>;

/// C = alpha A * B + beta D once; returns when C is complete.
template <execution_instance Space, class Alpha, crs_like A, crs_like B, class Beta, crs_like D>
auto spgemm_add(Space const& space, Alpha const& alpha, A const& a, B const& b, Beta const& beta,
                D const& d, spgemm_options const& options = {}) {
  spgemm_add_plan plan(space, a, b, d, options);
  auto c = plan.make_result(space);
  plan.multiply(space, alpha, a, b, beta, d, c);
  plan.check(space);
  return c;
}

}  // namespace araios

#include <araios/impl/spgemm_add.hpp>
