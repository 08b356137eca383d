// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <variant>

#include <araios/row_statistics.hpp>
#include <araios/schedule/group_mapped.hpp>
#include <araios/schedule/merge_path.hpp>
#include <araios/schedule/nonzero_split.hpp>
#include <araios/schedule/thread_mapped.hpp>
#include <araios/schedule/warp_mapped.hpp>
#include <araios/tuning/spmv.hpp>

namespace araios {

/// By which rule `automatic` chooses: the library's own, from row lengths and measurements
/// (`choose_schedule`), or that of the loops paper (`choose_as_loops`).
enum class selection { measured, loops };

/// Lets the operation choose its schedule: a plan from the row statistics, a single call from the
/// shape alone, so that it needs neither a pass over the rows nor a fence.
struct automatic {
  static constexpr char const* name = "automatic";
  selection rule = selection::measured;
};

/// Every schedule of the library.
using any_schedule =
    std::variant<thread_mapped, warp_mapped, block_mapped, group_mapped, merge_path, nonzero_split>;

/// Those that a single call may get.
using schedule_by_shape = std::variant<thread_mapped, warp_mapped, group_mapped, merge_path>;

template <class... Schedules>
char const* name_of(std::variant<Schedules...> const& schedule) {
  return std::visit([](auto const& chosen) -> char const* { return chosen.name; }, schedule);
}

/// The rule of the loops paper (Osama et al., PPoPP 2023, section 6.1): the merge path, unless
/// there are fewer than 500 rows or columns and fewer than 10,000 entries; then a thread for each
/// row, or a group where rows are longer than a warp on average.
template <class Space>
schedule_by_shape choose_as_loops(Space const&, matrix_shape const& a, bool may_split = true) {
  using shape = tuning::spmv_shape<Space>;
  bool const small = (a.rows < 500 || a.cols < 500) && a.nnz < 10000;
  if (!small && may_split) {
    if constexpr (impl::runs_on_host<impl::execution_space_of<Space>>)
      return merge_path{};
    else
      return merge_path(shape::merge_lanes, shape::merge_items);
  }
  if (a.mean() > 32.0) return group_mapped{};
  return thread_mapped{};
}

/// The schedule for rows with these statistics on `Space`. Whole rows where no row is so much
/// longer than the mean that its worker would finish after everybody else, else equal shares.
template <class Space>
any_schedule choose_schedule(Space const& space, row_statistics const& rows,
                             automatic const& how = {}) {
  using shape = tuning::spmv_shape<Space>;
  if (how.rule == selection::loops)
    return std::visit([](auto const& chosen) -> any_schedule { return chosen; },
                      choose_as_loops(space, rows));
  if constexpr (impl::runs_on_host<impl::execution_space_of<Space>>) {
    bool const even = rows.standard_deviation() <= tuning::spmv_even_deviation * rows.mean();
    if (impl::instance(space).concurrency() == 1 || rows.nnz < tuning::spmv_small_nnz || even)
      return thread_mapped{};
    return merge_path{};
  } else {
    int lanes = shape::lanes(rows.mean());
    // rows too few to fill the device
    if (lanes > 1 && 32 * rows.rows <= impl::instance(space).concurrency()) lanes = 32;
    bool const even = static_cast<double>(rows.longest) <=
                      tuning::spmv_even_rows * (rows.mean() + static_cast<double>(lanes));
    bool const few_long = rows.longest > tuning::spmv_long_row &&
                          32 * rows.rows <= impl::instance(space).concurrency();
    if (!even || few_long) {
      if (rows.longest + rows.rows / 16 <= tuning::spmv_uneven_short) return warp_mapped(32);
      if (shape::splits_nonzeros(rows.empty))
        return nonzero_split(shape::merge_lanes, shape::nonzero_items);
      return merge_path(shape::merge_lanes, shape::merge_items);
    }
    if (lanes == 1) return thread_mapped{};
    return warp_mapped(lanes);
  }
}

/// The schedule for a single call, from the shape alone: the merge path, which no row can slow
/// down, unless the matrix is so small that the call is bound by its launches, or tiles may not be
/// split.
template <class Space>
schedule_by_shape choose_schedule(Space const& space, matrix_shape const& a,
                                  automatic const& how = {}, bool may_split = true) {
  using shape = tuning::spmv_shape<Space>;
  if (how.rule == selection::loops) return choose_as_loops(space, a, may_split);
  if constexpr (impl::runs_on_host<impl::execution_space_of<Space>>) {
    if (impl::instance(space).concurrency() == 1 || a.nnz < tuning::spmv_small_nnz || !may_split)
      return thread_mapped{};
    return merge_path{};
  } else {
    if (a.nnz < tuning::spmv_small_nnz || !may_split) return warp_mapped(shape::lanes(a.mean()));
    return merge_path(shape::merge_lanes, shape::merge_items_once);
  }
}

namespace impl {

template <tile_set Tiles>
matrix_shape shape_of(Tiles const& tiles, std::int64_t cols = 0) {
  return {static_cast<std::int64_t>(tiles.num_tiles()), cols,
          static_cast<std::int64_t>(tiles.num_atoms())};
}

}  // namespace impl
}  // namespace araios
