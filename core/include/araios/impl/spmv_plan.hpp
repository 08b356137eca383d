// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <araios/spmv.hpp>

namespace araios {

template <class Space, class Ordinal, class Offset>
auto spmv_plan<Space, Ordinal, Offset>::bind(execution_space const& space,
                                             any_schedule const& schedule, tiles_type const& tiles)
    -> bound_schedule {
  return std::visit([&](auto const& chosen) -> bound_schedule { return chosen.bind(space, tiles); },
                    schedule);
}

template <class Space, class Ordinal, class Offset>
template <impl::spmv_schedule Schedule, crs_like Matrix>
spmv_plan<Space, Ordinal, Offset>::spmv_plan(Space const& space, Schedule const& schedule,
                                             Matrix const& matrix)
    : rows_(statistics(space, matrix)), known_row_map_(as_crs(matrix).row_map) {
  auto const a = as_crs(matrix);
  impl::require(static_cast<std::int64_t>(a.nnz) == rows_.nnz,
                "araios::spmv_plan: the row map of A (", a.num_rows, " x ", a.num_cols,
                ") ends at ", rows_.nnz, " but A has ", a.nnz, " entries");
  auto const& exec = impl::instance(space);
  if constexpr (std::is_same_v<Schedule, automatic>) {
    automatic_ = schedule;
    bound_ = bind(exec, choose_schedule(space, rows_, schedule), a.tiles());
  } else {
    bound_ = bind(exec, schedule, a.tiles());
  }
}

template <class Space, class Ordinal, class Offset>
template <class View>
void spmv_plan<Space, Ordinal, Offset>::check_pattern(execution_space const& space,
                                                      char const* function, View const& a) const {
  impl::require(static_cast<std::int64_t>(a.num_rows) == rows_.rows &&
                    static_cast<std::int64_t>(a.nnz) == rows_.nnz,
                function, ": the plan is for ", rows_.rows, " rows and ", rows_.nnz,
                " entries, but A has ", a.num_rows, " and ", a.nnz);
  if (a.row_map == known_row_map_) return;
  impl::require(tile_statistics(space, a.tiles()).fingerprint == rows_.fingerprint, function,
                ": A (", a.num_rows, " x ", a.num_cols, ", ", a.nnz,
                " entries) has another row map than the matrix that the plan was made for");
  known_row_map_ = a.row_map;
}

template <class Space, class Ordinal, class Offset>
template <class Y, class Run>
void spmv_plan<Space, Ordinal, Offset>::with_schedule(Run const& run) const {
  if constexpr (!impl::adds_parts<Y>) {
    if (automatic_) {
      run(warp_mapped(tuning::spmv_shape<Space>::lanes(rows_.mean())));
      return;
    }
  }
  std::visit(run, bound_);
}

template <class Space, class Ordinal, class Offset>
char const* spmv_plan<Space, Ordinal, Offset>::schedule_name() const {
  return std::visit([](auto const& bound) { return bound.name; }, bound_);
}

template <class Space, class Ordinal, class Offset>
std::size_t spmv_plan<Space, Ordinal, Offset>::workspace_bytes() const {
  return std::visit(
      [](auto const& bound) -> std::size_t {
        if constexpr (requires { bound.bytes(); })
          return bound.bytes();
        else
          return 0;
      },
      bound_);
}

}  // namespace araios
