// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>

#include <araios/cuda/memory.hpp>
#include <araios/cuda/spmv.cuh>
#include <araios/cuda/tuning/spmv.hpp>
#include <araios/impl/spmv.hpp>

/// SpMV on CUDA for matrices that are not transposed: whole rows by lanes with several loads in
/// flight, for any storage, and equal shares with warps for workers, for compressed rows.
/// Everything else goes the portable way.
namespace araios::impl {

namespace cuda {

/// Shows Kokkos Tools a kernel that Kokkos does not launch.
class labelled_kernel {
 public:
  labelled_kernel(Kokkos::Cuda const& space, char const* label) {
    if (!Kokkos::Tools::profileLibraryLoaded()) return;
    Kokkos::Tools::beginParallelFor(label, Kokkos::Tools::Experimental::device_id(space), &id_);
  }
  ~labelled_kernel() {
    if (Kokkos::Tools::profileLibraryLoaded()) Kokkos::Tools::endParallelFor(id_);
  }
  labelled_kernel(labelled_kernel const&) = delete;
  labelled_kernel& operator=(labelled_kernel const&) = delete;

 private:
  std::uint64_t id_ = 0;
};

/// What no kernel here needs more blocks for than a grid may have.
inline constexpr double most_tiles_and_atoms = 1e10;
template <class Tiles>
double tiles_and_atoms(Tiles const& tiles) {
  return static_cast<double>(tiles.num_tiles()) + static_cast<double>(tiles.num_atoms());
}

/// The lanes of a schedule that deals whole tiles, or 0.
template <class Schedule>
int lanes_of_whole_tiles(Schedule const& schedule) {
  if constexpr (std::is_same_v<Schedule, thread_mapped>)
    return 1;
  else if constexpr (std::is_same_v<Schedule, warp_mapped>)
    return schedule.lanes;
  else
    return 0;
}

/// Most that a warp may take at a time, or 0 if the schedule is none of those that split tiles.
template <class Schedule>
inline constexpr int most_items = 0;
template <>
inline constexpr int most_items<merge_path> = tuning::cuda::spmv_merge_items;
template <>
inline constexpr int most_items<nonzero_split> = tuning::cuda::spmv_nonzero_items;
template <class Schedule, class Space, class Tiles>
inline constexpr int most_items<bound_split<Schedule, Space, Tiles>> = most_items<Schedule>;
template <class Schedule>
inline constexpr bool splits_by_warps = most_items<Schedule> > 0;

/// Matrices whose slots are their atoms.
template <class Matrix, class Tiles>
inline constexpr bool slots_are_atoms = requires(Matrix const& a) {
  requires Tiles::slots_are_atoms && Matrix::columns_by_slot;
  { *a.entries } -> std::convertible_to<typename Matrix::ordinal_type>;
  { *a.values } -> std::convertible_to<typename Matrix::value_type>;
};

/// Whether four neighbours of columns and of values can be loaded together.
template <class Rows>
bool is_aligned(Rows const& rows) {
  auto const fits = [](auto const* p) {
    return reinterpret_cast<std::uintptr_t>(p) % alignof(four<std::remove_cvref_t<decltype(*p)>>) ==
           0;
  };
  return fits(rows.terms.matrix.entries) && fits(rows.terms.matrix.values);
}

template <class Tiles, class Rows>
void launch_whole_tiles(Kokkos::Cuda const& space, int lanes, Tiles const& tiles,
                        Rows const& rows) {
  auto const count = static_cast<std::int64_t>(tiles.num_tiles());
  int const in_flight = tuning::cuda::spmv_in_flight(
      lanes, static_cast<double>(tiles.num_atoms()) / static_cast<double>(count));
  labelled_kernel const label(space, "araios::spmv::rows");
  auto const launch = [&](auto lanes_of_row, auto atoms) {
    if (lanes != lanes_of_row() || in_flight != atoms()) return;
    bool const fills = count * lanes >= space.concurrency();
    int const threads = fills ? spmv_threads : tuning::cuda::spmv_threads_of_few;
    auto const blocks = static_cast<unsigned>(ceil_div(count, threads / lanes_of_row()));
    auto const kernel = sum_whole_tiles<lanes_of_row(), atoms(), Tiles, Rows>;
    if (fills)
      launch_early(space, kernel, blocks, static_cast<unsigned>(threads), tiles, rows);
    else
      kernel<<<blocks, threads, 0, space.cuda_stream()>>>(tiles, rows);
  };
  launch(std::integral_constant<int, 1>{}, std::integral_constant<int, 8>{});
  [&]<int... Log>(std::integer_sequence<int, Log...>) {
    (launch(std::integral_constant<int, 1 << Log>{}, std::integral_constant<int, 4>{}), ...);
  }
  (std::make_integer_sequence<int, 6>{});
}

template <class Matrix, class Tiles>
inline constexpr bool is_strided =
    is_side_by_side<Matrix>&& requires(Tiles const& tiles, typename Tiles::tile_type tile) {
  tiles.slots_of(tile);
};

template <class Tiles, class Rows>
void launch_side_by_side(Kokkos::Cuda const& space, Tiles const& tiles, Rows const& rows) {
  auto const count = static_cast<std::int64_t>(tiles.num_tiles());
  auto const mean = static_cast<double>(tiles.num_atoms()) / static_cast<double>(count);
  int const parts = tuning::cuda::side_by_side_parts(count, mean, space.concurrency());
  int const in_flight = tuning::cuda::side_by_side_in_flight(mean / parts);
  labelled_kernel const label(space, "araios::spmv::rows");
  auto const launch = [&](auto parts_of_row, auto atoms) {
    if (parts != parts_of_row() || in_flight != atoms()) return;
    auto const blocks = static_cast<unsigned>(ceil_div(count, spmv_threads / parts_of_row()));
    auto const kernel = sum_side_by_side_tiles<parts_of_row(), atoms(), Tiles, Rows>;
    if (count * parts >= space.concurrency())
      launch_early(space, kernel, blocks, spmv_threads, tiles, rows);
    else
      kernel<<<blocks, spmv_threads, 0, space.cuda_stream()>>>(tiles, rows);
  };
  [&]<int... Log>(std::integer_sequence<int, Log...>) {
    (launch(std::integral_constant<int, 1 << Log>{}, std::integral_constant<int, 4>{}), ...);
    (launch(std::integral_constant<int, 1 << Log>{}, std::integral_constant<int, 8>{}), ...);
  }
  (std::make_integer_sequence<int, 4>{});
}

template <class Schedule, class Tiles, class Rows>
void launch_shares(Kokkos::Cuda const& space, Schedule const& schedule, Tiles const& tiles,
                   Rows const& rows) {
  auto const workers = schedule.shape(space, tiles).workers;
  auto const blocks = static_cast<unsigned>(ceil_div(workers, spmv_threads / warp_size));
  constexpr int strips = tuning::cuda::spmv_merge_strips;
  if constexpr (Schedule::keeps_starts && shared_sums<typename Rows::sum_type>::fits) {
    if (schedule.has_room(space)) {
      labelled_kernel const label(space, "araios::spmv::rows");
      auto const kernel = is_aligned(rows) ? sum_shares<strips, true, true, Schedule, Tiles, Rows>
                                           : sum_shares<strips, false, true, Schedule, Tiles, Rows>;
      kernel<<<blocks, spmv_threads, 0, space.cuda_stream()>>>(schedule, tiles, rows, workers);
      return;
    }
  }
  {
    labelled_kernel const label(space, "araios::spmv::rows_split");
    // not early: the next kernel reads what those before this one have written without waiting
    prepare_split_tiles<<<static_cast<unsigned>(ceil_div(workers, spmv_threads)), spmv_threads, 0,
                          space.cuda_stream()>>>(schedule, tiles, rows, workers);
  }
  labelled_kernel const label(space, "araios::spmv::rows");
  launch_early(space,
               is_aligned(rows) ? sum_shares<strips, true, false, Schedule, Tiles, Rows>
                                : sum_shares<strips, false, false, Schedule, Tiles, Rows>,
               blocks, spmv_threads, schedule, tiles, rows, workers);
}

}  // namespace cuda

template <>
struct backend<spmv_operation, Kokkos::Cuda> {
  template <class Schedule, class Tiles, class Matrix, class Alpha, class X, class Beta, class Y>
  static bool can_run(Schedule const& schedule, Tiles const& tiles, Matrix const&,
                      Alpha const& alpha, X const&, Beta const&, Y const&, mode op) {
    using sum = sum_t<std::remove_const_t<typename Matrix::value_type>, typename X::value_type,
                      typename Y::value_type>;
    if (transposes(op) || tiles.num_atoms() == 0 || coefficient<sum>(alpha) == sum(0)) return false;
    if (cuda::tiles_and_atoms(tiles) > cuda::most_tiles_and_atoms) return false;
    if constexpr (cuda::splits_by_warps<Schedule>)
      return schedule.lanes == cuda::warp_size && schedule.items <= cuda::most_items<Schedule>;
    else
      return cuda::lanes_of_whole_tiles(schedule) > 0;
  }

  template <class Schedule, class Tiles, class Matrix, class Alpha, class X, class Beta, class Y>
    requires((cuda::splits_by_warps<Schedule> && cuda::slots_are_atoms<Matrix, Tiles>) ||
             std::is_same_v<Schedule, thread_mapped> || std::is_same_v<Schedule, warp_mapped>)
  static void run(Kokkos::Cuda const& space, Schedule const& schedule, Tiles const& tiles,
                  Matrix const& a, Alpha const& alpha, X const& x, Beta const& beta, Y const& y,
                  mode op) {
    static std::string const name = std::string("araios::spmv::") + Schedule::name;
    Kokkos::Profiling::ScopedRegion const region(name);
    require_whole_sums<Y>("araios::spmv", Schedule::splits_tiles);
    cuda::on_device const device(space);
    auto const rows = spmv_operation::rows_of(tiles, a, alpha, x, beta, y, op);
    if constexpr (cuda::splits_by_warps<Schedule>)
      cuda::launch_shares(space, schedule, tiles, rows);
    else if constexpr (std::is_same_v<Schedule, thread_mapped> && cuda::is_strided<Matrix, Tiles>)
      cuda::launch_side_by_side(space, tiles, rows);
    else
      cuda::launch_whole_tiles(space, cuda::lanes_of_whole_tiles(schedule), tiles, rows);
    cuda::check(cudaGetLastError(), "araios::spmv");
  }
};

}  // namespace araios::impl
