// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

#include <araios/suggest_format.hpp>
#include <araios/tuning/formats.hpp>

namespace araios {
namespace impl {

struct stream_triad {
  double const* a;
  double const* b;
  double* c;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { c[i] = a[i] + 3.0 * b[i]; }
};

/// Seconds of one of `calls` kernels in a queue, the best of a few tries.
template <class Space, class Kernel>
double seconds_per_call(Space const& space, std::int64_t size, int calls, Kernel const& kernel) {
  double best = std::numeric_limits<double>::infinity();
  for (int attempt = 0; attempt < 4; ++attempt) {
    space.fence("araios::measure_speed: before");
    Kokkos::Timer const timer;
    for (int call = 0; call < calls; ++call)
      for_each_index(space, "araios::measure_speed::triad", size, kernel);
    space.fence("araios::measure_speed: measured");
    best = std::min(best, timer.seconds() / calls);
  }
  return best;
}

template <class Crs>
struct sum_group_slots {
  group_slots<Crs> slots;
  KOKKOS_FUNCTION void operator()(std::int64_t group, std::int64_t& sum) const {
    sum += slots(group);
  }
};

}  // namespace impl

template <execution_instance Space>
machine_speed measure_speed(Space const& space_in) {
  auto const& space = impl::instance(space_in);
  constexpr std::int64_t size = 1 << 22;
  auto const array = [&] {
    auto const a = impl::allocate<double>(space, "araios::measure_speed", std::size_t{size});
    Kokkos::deep_copy(space, a, 1.0);
    return a;
  };
  auto const a = array(), b = array(), c = array();
  impl::stream_triad const triad{a.data(), b.data(), c.data()};
  machine_speed speed;
  speed.launch = impl::seconds_per_call(space, 32, 200, triad);
  speed.bandwidth = 24.0 * size / impl::seconds_per_call(space, size, 10, triad);
  return speed;
}

template <execution_instance Space, crs_like Matrix>
format_suggestion suggest_format(Space const& space, Matrix const& matrix, double repeats,
                                 machine_speed const& speed) {
  impl::require(repeats >= 0.0, "araios::suggest_format: ", repeats, " products");
  impl::require(speed.bandwidth > 0.0 && speed.launch >= 0.0,
                "araios::suggest_format: a machine of ", speed.bandwidth, " bytes/s and ",
                speed.launch, " s a launch");
  auto const a = as_crs(matrix);
  using crs = std::remove_const_t<decltype(a)>;
  auto const& exec = impl::instance(space);
  auto const rows = tile_statistics(exec, a.tiles(), static_cast<std::int64_t>(a.num_cols));
  format_suggestion result;
  if (rows.nnz == 0) return result;
  using efficiency = tuning::format_efficiency<impl::execution_space_of<Space>>;
  constexpr double value_bytes = sizeof(std::remove_const_t<typename crs::value_type>);
  constexpr double entry_bytes = value_bytes + sizeof(typename crs::ordinal_type);
  auto const nnz = static_cast<double>(rows.nnz);
  double const bytes = nnz * entry_bytes +
                       value_bytes * static_cast<double>(rows.rows + rows.cols) +
                       sizeof(typename crs::offset_type) * static_cast<double>(rows.rows);
  auto const seconds = [&](double part) {
    return std::max(speed.launch, bytes / (speed.bandwidth * part));
  };
  auto const splits = std::visit([](auto const& schedule) { return schedule.splits_tiles; },
                                 choose_schedule(space, rows));
  result.crs_seconds = seconds(efficiency::crs(splits));

  auto const empty = [&](std::int64_t slots) { return static_cast<double>(slots) / nnz - 1.0; };
  std::int64_t const size = tuning::rgcsr_group_size<impl::execution_space_of<Space>>;
  if (impl::few_long_rows(exec, rows)) {
    result.rgcsr_seconds = result.crs_seconds;  // the same rows
  } else if (impl::is_nearly_uniform(rows)) {
    result.rgcsr_seconds = seconds(efficiency::rgcsr_uniform);
  } else {
    impl::row_lengths<crs> const lengths{a.row_map, rows.rows};
    auto const fill = empty(impl::total_of(exec, "araios::suggest_format::groups",
                                           impl::ceil_div(rows.rows, size),
                                           impl::sum_group_slots<crs>{{lengths, size, false}}));
    result.rgcsr_seconds = seconds(fill <= result.options.plain_fill ? efficiency::rgcsr(fill)
                                                                     : efficiency::rgcsr_sorted);
  }
  result.conversion_seconds = efficiency::conversion_launches * speed.launch +
                              2.0 * bytes / (speed.bandwidth * efficiency::conversion);
  if (result.conversion_seconds + repeats * result.rgcsr_seconds < repeats * result.crs_seconds)
    result.format = storage_format::rgcsr;
  return result;
}

}  // namespace araios
