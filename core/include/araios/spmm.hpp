// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <araios/config.hpp>
#include <araios/impl/spmm.hpp>
#include <araios/spmv.hpp>

namespace araios {

/// Y = alpha * op(A) * X + beta * Y for several columns.
///
/// A: m x n, anything `crs_like` or `tiled_matrix`. X: n x k, Y: m x k (rows exchanged if `op`
/// transposes), Kokkos Views of rank 2 with any layout; a single column is done by `spmv`.
/// Otherwise as `spmv`: beta == 0 overwrites, asynchronous on `space`, the same determinism per
/// schedule, the same errors. With CUDA and rows of X and Y in one piece, lanes share columns, so
/// that `thread_mapped` and `warp_mapped` are the same. Column blocks of one row-major multivector
/// count as sharing memory, since their spans overlap.
template <execution_instance Space, impl::spmv_schedule Schedule, class Alpha, sparse_matrix Matrix,
          class X, class Beta, class Y>
  requires impl::multivector_views<X, Y>
void spmm(Space const& space, Schedule const& schedule, Alpha const& alpha, Matrix const& a,
          X const& x, Beta const& beta, Y const& y, mode op = mode::none) {
  auto const view = as_tiled(a);
  impl::check_product("araios::spmm", view, x, y, op);
  if (y.extent(1) == 1) {
    impl::run_with_schedule<impl::spmv_operation>(space, schedule, view.tiles(), view, alpha,
                                                  impl::only_column(x), beta, impl::only_column(y),
                                                  op);
    return;
  }
  impl::run_with_schedule<impl::spmm_operation>(space, schedule, view.tiles(), view, alpha, x, beta,
                                                y, op);
}

template <execution_instance Space, class Alpha, sparse_matrix Matrix, class X, class Beta, class Y>
  requires impl::multivector_views<X, Y>
void spmm(Space const& space, Alpha const& alpha, Matrix const& a, X const& x, Beta const& beta,
          Y const& y, mode op = mode::none) {
  spmm(space, automatic{}, alpha, a, x, beta, y, op);
}

template <class Space, class Ordinal, class Offset>
template <class Alpha, crs_like Matrix, class X, class Beta, class Y>
  requires impl::multivector_views<X, Y>
void spmv_plan<Space, Ordinal, Offset>::apply(Space const& space, Alpha const& alpha,
                                              Matrix const& a, X const& x, Beta const& beta,
                                              Y const& y, mode op) const {
  auto const view = as_crs(a);
  impl::check_product("araios::spmv_plan::apply", view, x, y, op);
  check_pattern(impl::instance(space), "araios::spmv_plan::apply", view);
  if (y.extent(1) == 1) {
    apply(space, alpha, a, impl::only_column(x), beta, impl::only_column(y), op);
    return;
  }
  with_schedule<Y>([&](auto const& bound) {
    if (automatic_)
      impl::run_with_chosen<impl::spmm_operation>(
          space, bound, [&] { return choose_schedule(portable_on{space}, rows_, *automatic_); },
          view.tiles(), view, alpha, x, beta, y, op);
    else
      impl::dispatch<impl::spmm_operation>(space, bound, view.tiles(), view, alpha, x, beta, y, op);
  });
}

}  // namespace araios

#ifdef ARAIOS_ENABLE_CUDA
#include <araios/cuda/spmm.hpp>
#endif
