// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <variant>

#include <araios/row_statistics.hpp>
#include <araios/schedule/group_mapped.hpp>
#include <araios/schedule/merge_path.hpp>
#include <araios/schedule/thread_mapped.hpp>
#include <araios/tuning/spmv.hpp>

namespace araios {

/// Lets the operation choose its schedule: a plan from the row statistics, a single call from the
/// shape alone, so that it needs neither a pass over the rows nor a fence.
struct automatic {
  static constexpr char const* name = "automatic";
};

using any_schedule = std::variant<thread_mapped, group_mapped, block_mapped, merge_path>;

/// The schedule for rows with these statistics on `Space`. Whole rows where no row is so much
/// longer than the mean that its worker would finish after everybody else, else the merge path.
template <class Space>
any_schedule choose_schedule(Space const& space, row_statistics const& rows) {
  using shape = tuning::spmv_shape<Space>;
  if constexpr (impl::runs_on_host<impl::execution_space_of<Space>>) {
    bool const even = rows.standard_deviation() <= tuning::spmv_even_deviation * rows.mean();
    if (impl::instance(space).concurrency() == 1 || rows.nnz < tuning::spmv_small_nnz || even)
      return thread_mapped{};
    return merge_path{};
  } else {
    int const lanes = shape::lanes(rows.mean());
    bool const even = static_cast<double>(rows.longest) <=
                      tuning::spmv_even_rows * (rows.mean() + static_cast<double>(lanes));
    if (!even) return merge_path(shape::merge_lanes, shape::merge_items);
    if (lanes == 1) return thread_mapped{};
    return group_mapped(lanes);
  }
}

/// The schedule for a single call, from the shape alone: the merge path, which no row can slow
/// down, unless the matrix is so small that the call is bound by its launches, or tiles may not be
/// split.
template <class Space, tile_set Tiles>
any_schedule choose_schedule(Space const& space, Tiles const& tiles, bool may_split = true) {
  using shape = tuning::spmv_shape<Space>;
  auto const rows = static_cast<std::int64_t>(tiles.num_tiles());
  auto const nnz = static_cast<std::int64_t>(tiles.num_atoms());
  double const mean = rows > 0 ? static_cast<double>(nnz) / static_cast<double>(rows) : 0.0;
  if constexpr (impl::runs_on_host<impl::execution_space_of<Space>>) {
    if (impl::instance(space).concurrency() == 1 || nnz < tuning::spmv_small_nnz || !may_split)
      return thread_mapped{};
    return merge_path{};
  } else {
    if (nnz < tuning::spmv_small_nnz || !may_split) return group_mapped(shape::lanes(mean));
    return merge_path(shape::merge_lanes, shape::merge_items_once);
  }
}

}  // namespace araios
