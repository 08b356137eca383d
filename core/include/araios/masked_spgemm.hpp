// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <araios/spgemm.hpp>

namespace araios {

/// C = A * B where a mask has an entry, for sparse matrices over a semiring, in two steps that can
/// be repeated apart.
///
/// Mask: m x n, A: m x k, B: k x n, anything `crs_like` with one ordinal type; rows may be unsorted
/// and may hold duplicates. C: m x n, c(i,j) = sum_k a(i,k) b(k,j) for the (i,j) at which the mask
/// has an entry, whatever its value, and A and B have one to multiply: C's pattern is the
/// intersection of the mask's and that of A * B. Each row of C is in the order of the mask's row:
/// sorted if that is, and without duplicates. With a lower triangular A as mask of A * A it counts
/// triangles.
///
/// The constructor counts the entries of each row of C and waits for `space`; `make_result`
/// allocates C; `multiply` computes columns and values, is asynchronous, and allocates and fences
/// nothing.
///
/// - Work: one look-up per product of A * B, in a hash table of the mask's row; rows of the mask
///   with
///   more entries than half the largest table has slots (1024 by default) go over their products again
///   for as many more, on host backends too: not for masks with rows of very many entries.
/// - Determinism: as `spgemm_plan`.
/// - Memory beyond C: one ordinal per row.
/// - Throws std::invalid_argument if the dimensions do not fit, std::overflow_error if the number
///   of
///   entries of the mask does not fit the offset type.
///
/// Source: masked products after Milakovic et al., Parallel algorithms for masked sparse
/// matrix-matrix products (PPoPP 2022), hash variant; bins after OpSparse.
template <class Space, class Ordinal, class Offset, class Value, class Semiring = plus_times>
class masked_spgemm_plan {
 public:
  using execution_space = impl::execution_space_of<Space>;
  using memory_space = typename execution_space::memory_space;
  using result_type = crs_matrix<Value, Ordinal, Offset, memory_space>;

  template <crs_like Mask, crs_like A, crs_like B>
  masked_spgemm_plan(Space const& space, Mask const& mask, A const& a, B const& b, Semiring = {});

  masked_spgemm_plan(masked_spgemm_plan&&) = default;
  masked_spgemm_plan& operator=(masked_spgemm_plan&&) = default;

  std::int64_t nnz() const { return state_.nnz; }
  /// Device memory that the plan holds besides the row map of C, in bytes.
  std::size_t workspace_bytes() const;

  /// Storage for C, as `spgemm_plan::make_result`.
  result_type make_result(Space const& space) const;

  /// C = A * B at the mask, for operands with the patterns that the plan was made for. Their sizes
  /// are checked, their patterns only so far: rows of C that get another size are reported by
  /// `check`.
  template <crs_like Mask, crs_like A, crs_like B>
  void multiply(Space const& space, Mask const& mask, A const& a, B const& b,
                result_type const& c) const;

  /// Waits for `space` and throws std::runtime_error if a `multiply` since the last check met a row
  /// that was not what the plan was made for.
  void check(Space const& space) const;

 private:
  impl::spgemm::plan_state<execution_space, Ordinal, Offset, Value> state_;
  impl::spgemm::operand mask_;
};

template <class Space, crs_like Mask, crs_like A, crs_like B>
masked_spgemm_plan(Space const&, Mask const&, A const&, B const&)
    -> masked_spgemm_plan<Space, typename crs_view_of<A>::ordinal_type,
                          impl::spgemm::offset_of<A, B>, impl::spgemm::value_of<A, B>>;
template <class Space, crs_like Mask, crs_like A, crs_like B, class Semiring>
masked_spgemm_plan(Space const&, Mask const&, A const&, B const&, Semiring)
    -> masked_spgemm_plan<Space, typename crs_view_of<A>::ordinal_type,
                          impl::spgemm::offset_of<A, B>, impl::spgemm::value_of<A, B>, Semiring>;

/// C = A * B at the mask, once; returns when C is complete.
template <execution_instance Space, crs_like Mask, crs_like A, crs_like B,
          class Semiring = plus_times>
auto masked_spgemm(Space const& space, Mask const& mask, A const& a, B const& b,
                   Semiring semiring = {}) {
  masked_spgemm_plan plan(space, mask, a, b, semiring);
  auto c = plan.make_result(space);
  plan.multiply(space, mask, a, b, c);
  plan.check(space);
  return c;
}

}  // namespace araios

#include <araios/impl/masked_spgemm.hpp>
