// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <araios/config.hpp>
#include <araios/impl/spmm.hpp>
#include <araios/spmv.hpp>

namespace araios {

/// Y = alpha * op(A) * X + beta * Y for several columns.
///
/// A: m x n, anything that `spmv` takes. X: n x k, Y: m x k (rows exchanged if `op`
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
  auto const parts = parts_of(a);
  impl::check_product("araios::spmm", std::get<0>(parts), x, y, op);
  impl::require_one_part<Y>("araios::spmm", parts);
  impl::for_each_part(parts, beta, op, [&](auto, auto const& part, auto const& scale, mode m) {
    if (y.extent(1) == 1)
      impl::run_with_schedule<impl::spmv_operation>(space, schedule, part.tiles(), part, alpha,
                                                    impl::only_column(x), scale,
                                                    impl::only_column(y), m);
    else
      impl::run_with_schedule<impl::spmm_operation>(space, schedule, part.tiles(), part, alpha, x,
                                                    scale, y, m);
  });
}

template <execution_instance Space, class Alpha, sparse_matrix Matrix, class X, class Beta, class Y>
  requires impl::multivector_views<X, Y>
void spmm(Space const& space, Alpha const& alpha, Matrix const& a, X const& x, Beta const& beta,
          Y const& y, mode op = mode::none) {
  spmm(space, automatic{}, alpha, a, x, beta, y, op);
}

template <class Space, class Parts>
template <class Alpha, sparse_matrix Matrix, class X, class Beta, class Y>
  requires impl::multivector_views<X, Y>
void spmv_plan<Space, Parts>::apply(Space const& space, Alpha const& alpha, Matrix const& a,
                                    X const& x, Beta const& beta, Y const& y, mode op) const {
  if (y.extent(1) != 1) {
    run<impl::spmm_operation>(space, alpha, a, x, beta, y, op);
    return;
  }
  impl::check_product("araios::spmv_plan::apply", std::get<0>(parts_of(a)), x, y, op);
  run<impl::spmv_operation>(space, alpha, a, impl::only_column(x), beta, impl::only_column(y), op);
}

}  // namespace araios

#ifdef ARAIOS_ENABLE_CUDA
#include <araios/cuda/spmm.hpp>
#endif
