// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <araios/config.hpp>
#include <concepts>
#include <optional>
#include <variant>

#include <araios/impl/spmv.hpp>
#include <araios/matrix/crs.hpp>
#include <araios/mode.hpp>
#include <araios/schedule/automatic.hpp>

namespace araios {

/// y = alpha * op(A) * x + beta * y
///
/// A: m x n, anything `crs_like` or `tiled_matrix`. x, y: Kokkos Views of rank 1 (any layout, also
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
///   product, merge_path, nonzero_split): such sums stall.
template <execution_instance Space, impl::spmv_schedule Schedule, class Alpha, sparse_matrix Matrix,
          class X, class Beta, class Y>
  requires impl::vector_views<X, Y>
void spmv(Space const& space, Schedule const& schedule, Alpha const& alpha, Matrix const& a,
          X const& x, Beta const& beta, Y const& y, mode op = mode::none) {
  auto const view = as_tiled(a);
  impl::check_product("araios::spmv", view, x, y, op);
  impl::run_with_schedule<impl::spmv_operation>(space, schedule, view.tiles(), view, alpha, x, beta,
                                                y, op);
}

template <execution_instance Space, class Alpha, sparse_matrix Matrix, class X, class Beta, class Y>
  requires impl::vector_views<X, Y>
void spmv(Space const& space, Alpha const& alpha, Matrix const& a, X const& x, Beta const& beta,
          Y const& y, mode op = mode::none) {
  spmv(space, automatic{}, alpha, a, x, beta, y, op);
}

/// A prepared y = alpha * op(A) * x + beta * y for repeated use with one pattern.
///
/// The constructor chooses the schedule (row statistics: one reduction and the only fence) or takes
/// the one asked for, and binds it (merge coordinates are kept in memory). `apply` then allocates
/// and fences nothing: one launch for schedules that deal whole rows, two for merge_path and
/// nonzero_split. The values may change between calls, and may be those of another matrix with the
/// same row map; another row map is refused. Row maps at addresses that the plan does not know are
/// compared by fingerprint, which waits for `space`; one that has been changed in place still gives
/// right sums, as merge coordinates that no longer fit are searched again. Move-only: it owns its
/// coordinates. Not to be used by two threads at a time; on another instance than the constructor's
/// only after that one has been waited for.
template <class Space, class Ordinal, class Offset>
class spmv_plan {
 public:
  using execution_space = impl::execution_space_of<Space>;

  template <crs_like Matrix>
  spmv_plan(Space const& space, Matrix const& a) : spmv_plan(space, automatic{}, a) {}

  template <impl::spmv_schedule Schedule, crs_like Matrix>
  spmv_plan(Space const& space, Schedule const& schedule, Matrix const& a);

  spmv_plan(spmv_plan&&) = default;
  spmv_plan& operator=(spmv_plan&&) = default;

  /// As `spmv`. Throws std::invalid_argument also if A has not the row map of the plan.
  template <class Alpha, crs_like Matrix, class X, class Beta, class Y>
    requires impl::vector_views<X, Y>
  void apply(Space const& space, Alpha const& alpha, Matrix const& a, X const& x, Beta const& beta,
             Y const& y, mode op = mode::none) const {
    auto const view = as_crs(a);
    impl::check_product("araios::spmv_plan::apply", view, x, y, op);
    check_pattern(impl::instance(space), "araios::spmv_plan::apply", view);
    with_schedule<Y>([&](auto const& bound) {
      if (automatic_)
        impl::run_with_chosen<impl::spmv_operation>(
            space, bound, [&] { return choose_schedule(portable_on{space}, rows_, *automatic_); },
            view.tiles(), view, alpha, x, beta, y, op);
      else
        impl::dispatch<impl::spmv_operation>(space, bound, view.tiles(), view, alpha, x, beta, y,
                                             op);
    });
  }

  /// Y = alpha * op(A) * X + beta * Y for several columns, as `spmm` (include <araios/spmm.hpp>).
  template <class Alpha, crs_like Matrix, class X, class Beta, class Y>
    requires impl::multivector_views<X, Y>
  void apply(Space const& space, Alpha const& alpha, Matrix const& a, X const& x, Beta const& beta,
             Y const& y, mode op = mode::none) const;

  /// The name of the schedule in use. If the plan has chosen it, another one may be where the
  /// backend's kernels decline the operands (CUDA: transposed products, columns that are not stored
  /// by rows), and 16-bit results get whole rows.
  char const* schedule_name() const;
  /// Device memory held by the plan.
  std::size_t workspace_bytes() const;

 private:
  template <class View>
  void check_pattern(execution_space const& space, char const* function, View const& a) const;

  using tiles_type = crs_tiles<Ordinal, Offset>;
  using bound_schedule = std::variant<thread_mapped, warp_mapped, block_mapped, group_mapped,
                                      bound_merge_path<execution_space, tiles_type>,
                                      bound_nonzero_split<execution_space, tiles_type>>;
  /// run(schedule): the bound one, or whole rows if the plan was free to choose and the parts of
  /// sums cannot be added in the type of y.
  template <class Y, class Run>
  void with_schedule(Run const& run) const;

  static bound_schedule bind(execution_space const& space, any_schedule const& schedule,
                             tiles_type const& tiles);

  std::optional<automatic> automatic_;  // if the plan chose the schedule
  row_statistics rows_;
  mutable Offset const* known_row_map_;  // a row map seen to be that of the plan
  bound_schedule bound_;
};

template <class Space, crs_like Matrix>
spmv_plan(Space const&, Matrix const&)
    -> spmv_plan<Space, typename crs_view_of<Matrix>::ordinal_type,
                 typename crs_view_of<Matrix>::offset_type>;
template <class Space, class Schedule, crs_like Matrix>
spmv_plan(Space const&, Schedule const&, Matrix const&)
    -> spmv_plan<Space, typename crs_view_of<Matrix>::ordinal_type,
                 typename crs_view_of<Matrix>::offset_type>;

}  // namespace araios

#include <araios/impl/spmv_plan.hpp>
#ifdef ARAIOS_ENABLE_CUDA
#include <araios/cuda/spmv.hpp>
#endif
