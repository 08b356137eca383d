// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <stdexcept>

#include <araios/spgemm.hpp>

namespace araios {

/// C = R * A * P for sparse matrices, the coarse operator of algebraic multigrid, in two steps that
/// can be repeated apart.
///
/// R: r x m, A: m x n, P: n x p, anything `crs_like` with one ordinal type; C: r x p, structural,
/// its rows sorted unless switched off. Row by row as R * (A * P): the constructor counts both
/// products and keeps A * P, whose pattern does not change; `multiply` runs their numeric phases,
/// is asynchronous, and allocates nothing for operands that the plan knows. Everything else
/// (patterns, determinism, errors) as `spgemm_plan`.
///
/// - Memory beyond C: A * P and what two `spgemm_plan`s hold.
/// - Throws std::invalid_argument if the dimensions do not fit, std::overflow_error if the entries
///   of
///   A * P or of C do not fit the offset type.
template <class Space, class Ordinal, class Offset, class Value>
class galerkin_plan {
 public:
  using product_plan = spgemm_plan<Space, Ordinal, Offset, Value>;
  using execution_space = typename product_plan::execution_space;
  using memory_space = typename product_plan::memory_space;
  using result_type = typename product_plan::result_type;

  template <crs_like R, crs_like A, crs_like P>
  galerkin_plan(Space const& space, R const& r, A const& a, P const& p,
                spgemm_options const& options = {}) {
    static_assert(std::is_same_v<impl::spgemm::value_of<R, result_type>, Value>,
                  "R must not have a wider value type than A * P");
    auto const rv = as_crs(r);
    auto const av = as_crs(a);
    auto const pv = as_crs(p);
    impl::require(rv.num_cols == av.num_rows && av.num_cols == pv.num_rows,
                  "araios::galerkin_plan: R (", rv.num_rows, " x ", rv.num_cols, "), A (",
                  av.num_rows, " x ", av.num_cols, ") and P (", pv.num_rows, " x ", pv.num_cols,
                  ") do not fit together");
    first_.emplace(space, a, p, options);
    ap_ = first_->make_result(space);
    first_->multiply(space, a, p, ap_);
    second_.emplace(space, r, ap_, options);
  }

  galerkin_plan(galerkin_plan&&) = default;
  galerkin_plan& operator=(galerkin_plan&&) = default;

  std::int64_t nnz() const { return second_->nnz(); }
  /// Products of both steps: 2 * products() flops.
  std::int64_t products() const { return first_->products() + second_->products(); }
  /// Device memory that the plan holds besides the row map of C, in bytes; A * P is part of it.
  std::size_t workspace_bytes() const {
    return first_->workspace_bytes() + second_->workspace_bytes() +
           ap_.row_map.span() * sizeof(Offset) +
           ap_.entries.span() * (sizeof(Ordinal) + sizeof(Value));
  }

  result_type make_result(Space const& space) const { return second_->make_result(space); }

  /// C = R * A * P for operands with the patterns that the plan was made for.
  template <crs_like R, crs_like A, crs_like P>
  void multiply(Space const& space, R const& r, A const& a, P const& p,
                result_type const& c) const {
    first_->multiply(space, a, p, ap_);
    second_->multiply(space, r, ap_, c);
  }

  /// As `spgemm_plan::check`, for both products.
  void check(Space const& space) const {
    try {
      first_->check(space);
    } catch (std::runtime_error const&) {
      second_->state_.control.take_error(impl::instance(space));  // it follows from the first
      throw;
    }
    second_->check(space);
  }

 private:
  std::optional<product_plan> first_;   ///< A * P
  std::optional<product_plan> second_;  ///< R * (A * P)
  result_type ap_;
};

template <class Space, crs_like R, crs_like A, crs_like P>
galerkin_plan(Space const&, R const&, A const&, P const&)
    -> galerkin_plan<Space, typename crs_view_of<A>::ordinal_type, impl::spgemm::offset_of<A, P>,
                     impl::spgemm::value_of<A, P>>;
template <class Space, crs_like R, crs_like A, crs_like P>
galerkin_plan(Space const&, R const&, A const&, P const&, spgemm_options const&)
    -> galerkin_plan<Space, typename crs_view_of<A>::ordinal_type, impl::spgemm::offset_of<A, P>,
                     impl::spgemm::value_of<A, P>>;

/// C = R * A * P once; returns when C is complete.
template <execution_instance Space, crs_like R, crs_like A, crs_like P>
auto galerkin(Space const& space, R const& r, A const& a, P const& p,
              spgemm_options const& options = {}) {
  galerkin_plan plan(space, r, a, p, options);
  auto c = plan.make_result(space);
  plan.multiply(space, r, a, p, c);
  plan.check(space);
  return c;
}

}  // namespace araios
