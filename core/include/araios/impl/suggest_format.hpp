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

/// Slots of rows in groups as they are, and what lies in rows too long for that.
struct group_sums {
  std::int64_t slots = 0;
  std::int64_t kept = 0;
  std::int64_t kept_rows = 0;

  KOKKOS_FUNCTION group_sums& operator+=(group_sums const& other) {
    slots += other.slots;
    kept += other.kept;
    kept_rows += other.kept_rows;
    return *this;
  }
};

template <class Crs>
struct sum_groups_of_rows {
  group_slots<Crs> plain;
  row_lengths<Crs> kept;
  KOKKOS_FUNCTION void operator()(std::int64_t group, group_sums& sums) const {
    group_sums own{plain(group), 0, 0};
    auto const last = Kokkos::min((group + 1) * plain.size, kept.rows);
    for (auto i = group * plain.size; i < last; ++i) {
      auto const length = kept(i);
      own.kept += length;
      own.kept_rows += length > 0 ? 1 : 0;
    }
    sums += own;
  }
};

}  // namespace impl
}  // namespace araios

template <>
struct Kokkos::reduction_identity<araios::impl::group_sums> {
  KOKKOS_FUNCTION static araios::impl::group_sums sum() { return {}; }
};

namespace araios {

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
  std::int64_t const size = result.options.group_size;
  impl::row_lengths<crs> const lengths{a.row_map, rows.rows};
  auto kept = lengths;
  kept.dropped = tuning::rgcsr_longest(rows.mean());
  impl::group_sums sums;
  auto const groups = impl::ceil_div(rows.rows, size);
  Kokkos::parallel_reduce(
      "araios::suggest_format::groups",
      Kokkos::RangePolicy<impl::execution_space_of<Space>, Kokkos::IndexType<std::int64_t>>(
          exec, 0, groups),
      impl::sum_groups_of_rows<crs>{{lengths, size, false}, kept},
      Kokkos::Sum<impl::group_sums>(sums));

  using efficiency = tuning::format_efficiency<impl::execution_space_of<Space>>;
  constexpr double value_bytes = sizeof(std::remove_const_t<typename crs::value_type>);
  constexpr double entry_bytes = value_bytes + sizeof(typename crs::ordinal_type);
  auto const nnz = static_cast<double>(rows.nnz);
  double const vectors = value_bytes * static_cast<double>(rows.rows + rows.cols) +
                         sizeof(typename crs::offset_type) * static_cast<double>(rows.rows);
  auto const any = choose_schedule(space, rows);
  bool const splits =
      std::visit([](auto const& schedule) { return schedule.splits_tiles; }, any);
  result.crs_seconds =
      speed.launch * (splits ? 2 : 1) +
      (nnz * entry_bytes + vectors) /
          (speed.bandwidth * efficiency::crs(rows.mean(), splits));

  double const fill = (static_cast<double>(sums.slots) - nnz) / nnz;
  bool const plain = fill <= result.options.plain_fill;
  double const tail = plain ? 0.0 : nnz - static_cast<double>(sums.kept);
  double const order = plain ? 0.0 : sizeof(typename crs::ordinal_type);
  result.rgcsr_seconds =
      speed.launch * (tail > 0.0 ? 2 : 1) +
      ((nnz - tail) * entry_bytes + vectors + order * static_cast<double>(rows.rows)) /
          (speed.bandwidth * efficiency::rgcsr(rows.mean(), plain)) +
      tail * entry_bytes / (speed.bandwidth * efficiency::crs(rows.mean(), true));
  result.conversion_seconds =
      efficiency::conversion_launches(plain) * speed.launch +
      2.0 * (nnz * entry_bytes + vectors) / (speed.bandwidth * efficiency::conversion);
  if (result.conversion_seconds + repeats * result.rgcsr_seconds < repeats * result.crs_seconds)
    result.format = storage_format::rgcsr;
  return result;
}

}  // namespace araios
