// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <araios/config.hpp>
#include <concepts>
#include <cstddef>
#include <tuple>

#include <araios/impl/spmv.hpp>
#include <araios/impl/spmv_plan.hpp>
#include <araios/matrix/crs.hpp>
#include <araios/mode.hpp>
#include <araios/schedule/automatic.hpp>

namespace araios {

/// y = alpha * op(A) * x + beta * y
///
/// A: m x n, anything `crs_like`, a matrix of <araios/matrix/>, or any `tiled_matrix`. x, y: Kokkos Views of rank 1 (any layout, also
/// strided) that `space` can access, x of length n and y of length m (exchanged if `op`
/// transposes). Everything is computed in the type of A(i,j) * x(j), or of y if that is wider; in
/// float for half and bfloat16.
/// - beta == 0 overwrites y, which is never read; alpha == 0 reads neither A nor x.
/// - Asynchronous: everything is enqueued on `space`; nothing is allocated and nothing fenced.
/// - Repeated runs agree bit for bit with thread_mapped, warp_mapped, block_mapped and group_mapped
///   and no
///   transpose. merge_path and nonzero_split add the parts of split rows atomically, a transposed product
///   adds every entry atomically: the last bits may differ on parallel backends.
/// - Without a schedule (or with `automatic`) the shape of A decides; for repeated products a
///   `spmv_plan` chooses from the row lengths and prepares the work.
/// - Throws std::invalid_argument, before anything is enqueued, if sizes do not fit (also those of
///   A and its tile set), if x and y share
///   memory, or if y is of a 16-bit type and parts of its sums would be added one by one (transposed
///   product, merge_path, nonzero_split, HYB and RgCSR with entries in both parts): such sums stall.
template <execution_instance Space, impl::spmv_schedule Schedule, class Alpha, sparse_matrix Matrix,
          class X, class Beta, class Y>
  requires impl::vector_views<X, Y>
void spmv(Space const& space, Schedule const& schedule, Alpha const& alpha, Matrix const& a,
          X const& x, Beta const& beta, Y const& y, mode op = mode::none) {
  auto const parts = parts_of(a);
  impl::check_product("araios::spmv", std::get<0>(parts), x, y, op);
  impl::require_one_part<Y>("araios::spmv", parts);
  impl::for_each_part(parts, beta, op, [&](auto, auto const& part, auto const& scale, mode m) {
    impl::run_with_schedule<impl::spmv_operation>(space, schedule, part.tiles(), part, alpha, x,
                                                  scale, y, m);
  });
}

template <execution_instance Space, class Alpha, sparse_matrix Matrix, class X, class Beta, class Y>
  requires impl::vector_views<X, Y>
void spmv(Space const& space, Alpha const& alpha, Matrix const& a, X const& x, Beta const& beta,
          Y const& y, mode op = mode::none) {
  spmv(space, automatic{}, alpha, a, x, beta, y, op);
}

/// A prepared y = alpha * op(A) * x + beta * y for repeated use with one pattern, in any storage.
///
/// The constructor chooses the schedule (row statistics: one reduction for each part of A and the
/// only fences) or takes the one asked for, and binds it (merge coordinates are kept in memory).
/// `apply` then allocates and fences nothing: one launch for each part of A whose rows are dealt
/// whole, two where rows are split (one on CUDA, if A is small). The values may change
/// between calls, and may be those of another matrix with the same row map; another row map is
/// refused. Row maps at addresses that the plan does not know are compared by fingerprint, which
/// waits for `space`; one that has been changed in place still gives right sums, as merge
/// coordinates that no longer fit are searched again. Repeated runs agree bit for bit as those of
/// `spmv`. Move-only: it owns its coordinates. Not to be used by two threads at a time, nor in a
/// captured graph that runs beside other calls; on another instance than the constructor's only after
/// that one has been waited for.
template <class Space, class Parts>
class spmv_plan {
 public:
  using execution_space = impl::execution_space_of<Space>;

  template <sparse_matrix Matrix>
  spmv_plan(Space const& space, Matrix const& a) : spmv_plan(space, automatic{}, a) {}

  template <impl::spmv_schedule Schedule, sparse_matrix Matrix>
  spmv_plan(Space const& space, Schedule const& schedule, Matrix const& a)
      : parts_(impl::plan_parts(space, schedule, parts_of(a))) {}

  spmv_plan(spmv_plan&&) = default;
  spmv_plan& operator=(spmv_plan&&) = default;

  /// As `spmv`. Throws std::invalid_argument also if A has not the row map of the plan.
  template <class Alpha, sparse_matrix Matrix, class X, class Beta, class Y>
    requires impl::vector_views<X, Y>
  void apply(Space const& space, Alpha const& alpha, Matrix const& a, X const& x, Beta const& beta,
             Y const& y, mode op = mode::none) const {
    run<impl::spmv_operation>(space, alpha, a, x, beta, y, op);
  }

  /// Y = alpha * op(A) * X + beta * Y for several columns, as `spmm` (include <araios/spmm.hpp>).
  template <class Alpha, sparse_matrix Matrix, class X, class Beta, class Y>
    requires impl::multivector_views<X, Y>
  void apply(Space const& space, Alpha const& alpha, Matrix const& a, X const& x, Beta const& beta,
             Y const& y, mode op = mode::none) const;

  /// The name of the schedule in use (of the first part of A). If the plan has chosen it, another
  /// one may be where the backend's kernels decline the operands (CUDA: transposed products, columns
  /// that are not stored by rows), and 16-bit results get whole rows.
  char const* schedule_name() const { return std::get<0>(parts_).schedule_name(); }
  /// Device memory held by the plan.
  std::size_t workspace_bytes() const {
    return std::apply([](auto const&... part) { return (part.bytes() + ...); }, parts_);
  }

 private:
  template <class Operation, class Alpha, class Matrix, class X, class Beta, class Y>
  void run(Space const& space, Alpha const& alpha, Matrix const& a, X const& x, Beta const& beta,
           Y const& y, mode op) const {
    auto const parts = parts_of(a);
    constexpr auto function = "araios::spmv_plan::apply";
    impl::check_product(function, std::get<0>(parts), x, y, op);
    impl::require_one_part<Y>(function, parts);
    impl::check_patterns(impl::instance(space), function, parts_, parts);
    impl::for_each_part(
        parts, beta, op, [&](auto index, auto const& part, auto const& scale, mode m) {
          std::get<index()>(parts_).template run<Operation>(space, alpha, part, x, scale, y, m);
        });
  }

  impl::part_plans<Space, Parts> parts_;
};

template <class Space, sparse_matrix Matrix>
spmv_plan(Space const&, Matrix const&) -> spmv_plan<Space, impl::tiles_of_parts<Matrix>>;
template <class Space, class Schedule, sparse_matrix Matrix>
spmv_plan(Space const&, Schedule const&, Matrix const&)
    -> spmv_plan<Space, impl::tiles_of_parts<Matrix>>;

/// The plan for a type of matrix.
template <class Space, sparse_matrix Matrix>
using spmv_plan_for = spmv_plan<Space, impl::tiles_of_parts<Matrix>>;

}  // namespace araios

#ifdef ARAIOS_ENABLE_CUDA
#include <araios/cuda/spmv.hpp>
#endif
