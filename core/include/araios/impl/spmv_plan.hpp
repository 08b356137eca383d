// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <variant>

#include <araios/impl/spmv.hpp>
#include <araios/row_statistics.hpp>
#include <araios/schedule/automatic.hpp>

namespace araios::impl {

/// The prepared product with one part of a matrix: a schedule bound to its tiles.
template <class Space, tile_set Tiles>
class part_plan {
 public:
  using execution_space = execution_space_of<Space>;

  template <spmv_schedule Schedule, tiled_matrix Part>
  part_plan(Space const& space, Schedule const& schedule, Part const& a)
      : rows_(tile_statistics(instance(space), a.tiles(), static_cast<std::int64_t>(a.num_cols))),
        known_(a.tiles()) {
    require(static_cast<std::int64_t>(known_.num_atoms()) == rows_.nnz,
            "araios::spmv_plan: the row map of A (", a.num_rows, " x ", a.num_cols, ") ends at ",
            rows_.nnz, " but A has ", known_.num_atoms(), " entries");
    any_schedule chosen = thread_mapped{};
    if constexpr (!std::is_same_v<Schedule, automatic>) {
      chosen = schedule;
    } else {
      automatic_ = schedule;
      if constexpr (!is_side_by_side<Part>) chosen = choose_schedule(space, rows_, schedule);
    }
    bound_ = std::visit(
        [&](auto const& s) -> bound_schedule { return s.bind(instance(space), known_); }, chosen);
  }

  void check(execution_space const& space, char const* function, Tiles const& tiles) const {
    auto const count = static_cast<std::int64_t>(tiles.num_tiles());
    auto const atoms = static_cast<std::int64_t>(tiles.num_atoms());
    require(count == rows_.rows && atoms == rows_.nnz, function, ": the plan is for ", rows_.rows,
            " rows and ", rows_.nnz, " entries, but A has ", count, " and ", atoms);
    if constexpr (std::equality_comparable<Tiles>)
      if (tiles == known_) return;
    require(tile_statistics(space, tiles).fingerprint == rows_.fingerprint, function, ": A (",
            count, " rows, ", atoms,
            " entries) has another row map than the matrix that the plan was made for");
    known_ = tiles;
  }

  template <class Operation, class Alpha, class Part, class X, class Beta, class Y>
  void run(Space const& space, Alpha const& alpha, Part const& a, X const& x, Beta const& beta,
           Y const& y, mode op) const {
    with_schedule<Y>([&](auto const& bound) {
      if (automatic_)
        run_with_chosen<Operation>(
            space, bound, [&] { return choose_schedule(portable_on{space}, rows_, *automatic_); },
            a.tiles(), a, alpha, x, beta, y, op);
      else
        dispatch<Operation>(space, bound, a.tiles(), a, alpha, x, beta, y, op);
    });
  }

  char const* schedule_name() const {
    return std::visit([](auto const& bound) { return bound.name; }, bound_);
  }
  std::size_t bytes() const {
    return std::visit(
        [](auto const& bound) -> std::size_t {
          if constexpr (requires { bound.bytes(); })
            return bound.bytes();
          else
            return 0;
        },
        bound_);
  }

 private:
  using bound_schedule = std::variant<thread_mapped, warp_mapped, block_mapped, group_mapped,
                                      bound_merge_path<execution_space, Tiles>,
                                      bound_nonzero_split<execution_space, Tiles>>;

  /// run(schedule): the bound one, or whole rows if the plan was free to choose and the parts of
  /// sums cannot be added in the type of y.
  template <class Y, class Run>
  void with_schedule(Run const& run) const {
    if constexpr (!adds_parts<Y>) {
      if (automatic_) {
        run(warp_mapped(tuning::spmv_shape<Space>::lanes(rows_.mean())));
        return;
      }
    }
    std::visit(run, bound_);
  }

  std::optional<automatic> automatic_;  // if the plan chose the schedule
  row_statistics rows_;
  mutable Tiles known_;  // tiles seen to be those of the plan
  bound_schedule bound_;
};

template <class Space, class Parts>
struct part_plans_of;
template <class Space, class... Tiles>
struct part_plans_of<Space, std::tuple<Tiles...>> {
  using type = std::tuple<part_plan<Space, Tiles>...>;
};
template <class Space, class Parts>
using part_plans = typename part_plans_of<Space, Parts>::type;

template <class... Parts>
std::tuple<decltype(std::declval<Parts>().tiles())...> tiles_of(std::tuple<Parts...> const&);
template <class Matrix>
using tiles_of_parts = decltype(tiles_of(parts_of(std::declval<Matrix const&>())));

template <class Space, class Schedule, class... Parts>
auto plan_parts(Space const& space, Schedule const& schedule, std::tuple<Parts...> const& parts) {
  return std::apply(
      [&](auto const&... part) {
        return std::tuple(part_plan<Space, std::remove_cvref_t<decltype(part.tiles())>>(
            space, schedule, part)...);
      },
      parts);
}

template <class Space, class Plans, class Parts>
void check_patterns(Space const& space, char const* function, Plans const& plans,
                    Parts const& parts) {
  [&]<std::size_t... Index>(std::index_sequence<Index...>) {
    (std::get<Index>(plans).check(space, function, std::get<Index>(parts).tiles()), ...);
  }
  (std::make_index_sequence<std::tuple_size_v<Parts>>{});
}

}  // namespace araios::impl
