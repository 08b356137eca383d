// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

#include <araios/cuda/spmm.cuh>
#include <araios/cuda/spmv.hpp>
#include <araios/impl/spmm.hpp>

/// SpMM on CUDA for a matrix that is not transposed and multivectors stored by rows. Everything
/// else goes the portable way.
namespace araios::impl {

namespace cuda {

/// f(lanes, width) for multivectors of so many columns, whose neighbours may be taken in pairs if
/// `pairs`.
template <class F>
void with_lanes_of_columns(std::int64_t columns, bool pairs, F const& f) {
  auto const width = pairs ? 2 : 1;
  auto const call = [&](auto lanes) {
    if (pairs)
      f(lanes, std::integral_constant<int, 2>{});
    else
      f(lanes, std::integral_constant<int, 1>{});
  };
  if (columns <= 2 * width)
    call(std::integral_constant<int, 2>{});
  else if (columns <= 4 * width)
    call(std::integral_constant<int, 4>{});
  else if (columns <= 8 * width)
    call(std::integral_constant<int, 8>{});
  else if (columns <= 16 * width)
    call(std::integral_constant<int, 16>{});
  else
    call(std::integral_constant<int, 32>{});
}

/// Whether the rows of a multivector are stored one after the other, and each begins at a pair.
template <class View>
bool rows_of_pairs(View const& v) {
  using value = typename View::value_type;
  return sizeof(value) <= 8 && v.extent(1) % 2 == 0 && v.stride(0) % 2 == 0 &&
         reinterpret_cast<std::uintptr_t>(v.data()) % (2 * sizeof(value)) == 0;
}

}  // namespace cuda

template <>
struct backend<spmm_operation, Kokkos::Cuda> {
  template <class Schedule, class Tiles, class Matrix, class Alpha, class X, class Beta, class Y>
  static bool can_run(Schedule const& schedule, Tiles const& tiles, Matrix const& a,
                      Alpha const& alpha, X const& x, Beta const& beta, Y const& y, mode op) {
    return x.stride(1) == 1 && y.stride(1) == 1 && y.extent(1) > 1 &&
           backend<spmv_operation, Kokkos::Cuda>::can_run(schedule, tiles, a, alpha, x, beta, y,
                                                          op);
  }

  template <class Schedule, class Tiles, class Matrix, class Alpha, class X, class Beta, class Y>
    requires(cuda::splits_by_warps<Schedule> || std::is_same_v<Schedule, thread_mapped> ||
             std::is_same_v<Schedule, warp_mapped>)
  static void run(Kokkos::Cuda const& space, Schedule const& schedule, Tiles const& tiles,
                  Matrix const& a, Alpha const& alpha, X const& x, Beta const& beta, Y const& y,
                  mode op) {
    static std::string const name = std::string("araios::spmm::") + Schedule::name;
    Kokkos::Profiling::ScopedRegion const region(name);
    require_whole_sums<Y>("araios::spmm", Schedule::splits_tiles);
    using value = std::remove_const_t<typename Matrix::value_type>;
    using sum = sum_t<value, typename X::value_type, typename Y::value_type>;
    using terms = matrix_terms<Matrix, sum>;
    using x_view = unmanaged_t<typename X::const_type>;
    cuda::on_device const device(space);
    auto const launch = [&](auto lanes, auto width) {
      using rows_type =
          cuda::spmm_columns_of_rows<width(), Tiles, terms, sum, x_view, unmanaged_t<Y>>;
      rows_type const rows{
          tiles,     terms{a, conjugates(op)}, coefficient<sum>(alpha), coefficient<sum>(beta),
          x_view(x), unmanaged_t<Y>(y)};
      auto const blocks = [&](std::int64_t workers) {
        return static_cast<unsigned>(ceil_div(workers, cuda::spmv_threads / lanes()));
      };
      if constexpr (cuda::splits_by_warps<Schedule>) {
        auto const shares = schedule.shape(space, tiles).workers;
        int parts = 1;  // until there are threads enough to hide the latency of loads
        while (schedule.items / (2 * parts) >= tuning::cuda::spmm_least_items &&
               shares * lanes() * parts < space.concurrency())
          parts *= 2;
        cuda::divided<Schedule> const divided{schedule, parts};
        auto const workers = shares * parts;
        {
          cuda::labelled_kernel const label(space, "araios::spmm::rows_split");
          cuda::prepare_split_rows<lanes(), width()>
              <<<blocks(workers), cuda::spmv_threads, 0, space.cuda_stream()>>>(divided, rows,
                                                                                workers);
        }
        cuda::labelled_kernel const label(space, "araios::spmm::rows");
        cuda::launch_early(
            space, cuda::multiply_merge_path<lanes(), width(), cuda::divided<Schedule>, rows_type>,
            blocks(workers), cuda::spmv_threads, divided, rows, workers);
      } else {
        cuda::labelled_kernel const label(space, "araios::spmm::rows");
        cuda::multiply_whole_tiles<lanes(), width()>
            <<<blocks(tiles.num_tiles()), cuda::spmv_threads, 0, space.cuda_stream()>>>(rows);
      }
    };
    cuda::with_lanes_of_columns(static_cast<std::int64_t>(y.extent(1)),
                                cuda::rows_of_pairs(x) && cuda::rows_of_pairs(y), launch);
    cuda::check(cudaGetLastError(), "araios::spmm");
  }
};

}  // namespace araios::impl
