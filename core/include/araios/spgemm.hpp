// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>

#include <araios/config.hpp>
#include <araios/impl/spgemm_plan_state.hpp>
#include <araios/matrix/crs.hpp>
#include <araios/semiring.hpp>

namespace araios {

/// C = A * B for sparse matrices over a semiring, in two steps that can be repeated apart.
///
/// A: m x k, B: k x n, anything `crs_like` with one ordinal type; rows may be unsorted and may hold
/// duplicates, which add up. C: m x n, c(i,j) = sum_k a(i,k) b(k,j), with an entry wherever A and B
/// have one to multiply: the pattern is structural, sums that cancel stay as explicit zeros. Rows
/// of C are sorted unless switched off, and never hold duplicates. Sums are formed in the type of
/// a(i,k) * b(k,j), in float for half and bfloat16. Other semirings than plus_times (min_plus,
/// or_and, or your own, <araios/semiring.hpp>) need one value type of at most 8 bytes for A and B;
/// values of 1 and 2 bytes are summed in 4.
///
/// The constructor runs the symbolic phase: it counts the entries of every row of C and fills its
/// row map. It waits for `space` (counts decide which kernels run) and allocates the workspace that
/// `multiply` needs. `make_result` allocates C; `multiply` computes its columns and values, is
/// asynchronous, allocates and fences nothing, and may be repeated when values have changed.
///
/// - Determinism: on one-threaded and host backends (dense accumulator) repeated runs agree bit for
///   bit; where a row is summed by several threads (hash, dense or masks on a device) additions are
///   atomic, and the last bits of values may differ, unless the plan keeps products
///   (`spgemm_options::keep_products`): then repeated `multiply`s of one plan agree. The pattern never differs.
/// - Memory beyond C: one ordinal and one offset per row of C, plus a workspace bounded by
///   `workspace_bound`; `workspace_bytes` tells what is held. It goes with the plan.
/// - With CUDA the stream of an instance must outlive the plans made on it, whose destructors wait
///   for
///   it; a graph that has captured a `multiply` needs the plan as long as it is launched.
/// - Throws std::invalid_argument if the dimensions do not fit, std::overflow_error, before C is
///   allocated, if the number of entries of C does not fit its offset type.
///
/// Source: two phases, row bins and hash accumulators after OpSparse (Du et al., IPDPSW 2022); the
/// CUDA specialisation sorts and masks instead (docs/architecture.md).
template <class Space, class Ordinal, class Offset, class Value, class Semiring = plus_times>
class spgemm_plan {
 public:
  using execution_space = impl::execution_space_of<Space>;
  using memory_space = typename execution_space::memory_space;
  using result_type = crs_matrix<Value, Ordinal, Offset, memory_space>;

  template <crs_like A, crs_like B>
  spgemm_plan(Space const& space, A const& a, B const& b, spgemm_options const& options = {},
              Semiring = {});

  spgemm_plan(spgemm_plan&&) = default;
  spgemm_plan& operator=(spgemm_plan&&) = default;

  /// Entries of C, and products a(i,k) * b(k,j) that are summed: 2 * products() flops.
  std::int64_t nnz() const { return state_.nnz; }
  std::int64_t products() const { return state_.products; }

  /// Device memory that the plan holds besides the row map of C and, if it keeps products, the
  /// columns of C, in bytes.
  std::size_t workspace_bytes() const;
  /// The most that a plan for operands of these sizes holds at any time, known before it is made;
  /// what `keep_products` keeps, which depends on `products()`, comes on top.
  template <crs_like A, crs_like B>
  static std::size_t workspace_bound(Space const& space, A const& a, B const& b,
                                     spgemm_options const& options = {});

  /// Storage for C: its row map is shared with the plan and is complete; columns and values are
  /// uninitialised until `multiply`. If the plan keeps products, columns are shared and complete
  /// too, and must stay as they are. Allocates; any number of results may be made.
  result_type make_result(Space const& space) const;

  /// C = A * B for a C made by `make_result` (or one with the same row map and size, and with the
  /// same columns if the plan keeps products). The operands must have the patterns that the plan
  /// was made for. Their sizes are always checked. If their arrays are not those that the plan
  /// knows, their patterns are compared with the plan's by fingerprint, which waits for `space`,
  /// and are known from then on. Known arrays whose contents have been changed are found by the
  /// kernels where row sizes differ, except in rows that the CUDA specialisation does together
  /// because they had one pattern; `check` reports that. A plan that keeps products reads patterns
  /// only where it keeps runs of rows, and may not tell. Arrays at the addresses of known ones
  /// count as known. One plan runs one product at a time. Throws std::invalid_argument, before
  /// anything but fingerprints is enqueued, if a size, pattern or result does not fit, or if C
  /// shares arrays with A or B.
  template <crs_like A, crs_like B>
  void multiply(Space const& space, A const& a, B const& b, result_type const& c) const;

  /// Waits for `space` and throws std::runtime_error if a `multiply` since the last check met a
  /// pattern that was not that of the plan.
  void check(Space const& space) const;

 private:
  template <class, class, class, class>
  friend class spgemm_add_plan;
  template <class, class, class, class>
  friend class galerkin_plan;

  impl::spgemm::plan_state<execution_space, Ordinal, Offset, Value> state_;
};

template <class Space, crs_like A, crs_like B>
spgemm_plan(Space const&, A const&, B const&)
    -> spgemm_plan<Space, typename crs_view_of<A>::ordinal_type, impl::spgemm::offset_of<A, B>,
                   impl::spgemm::value_of<A, B>>;
template <class Space, crs_like A, crs_like B>
spgemm_plan(Space const&, A const&, B const&, spgemm_options const&)
    -> spgemm_plan<Space, typename crs_view_of<A>::ordinal_type, impl::spgemm::offset_of<A, B>,
                   impl::spgemm::value_of<A, B>>;
template <class Space, crs_like A, crs_like B, class Semiring>
spgemm_plan(Space const&, A const&, B const&, spgemm_options const&, Semiring)
    -> spgemm_plan<Space, typename crs_view_of<A>::ordinal_type, impl::spgemm::offset_of<A, B>,
                   impl::spgemm::value_of<A, B>, Semiring>;

/// C = A * B once. As a `spgemm_plan` with one `multiply`, whose workspace is gone afterwards;
/// returns when C is complete.
template <execution_instance Space, crs_like A, crs_like B, class Semiring = plus_times>
auto spgemm(Space const& space, A const& a, B const& b, spgemm_options const& options = {},
            Semiring semiring = {}) {
  spgemm_plan plan(space, a, b, options, semiring);
  auto c = plan.make_result(space);
  plan.multiply(space, a, b, c);
  plan.check(space);
  return c;
}

}  // namespace araios

#include <araios/impl/spgemm.hpp>
#ifdef ARAIOS_ENABLE_CUDA
#include <araios/cuda/spgemm.hpp>
#endif
