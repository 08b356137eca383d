// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <limits>
#include <string>

#include <araios/impl/crs.hpp>
#include <araios/impl/dispatch.hpp>
#include <araios/impl/semiring.hpp>
#include <araios/impl/spgemm_host.hpp>
#include <araios/impl/spgemm_kept.hpp>
#include <araios/impl/spgemm_numeric.hpp>
#include <araios/impl/spgemm_symbolic.hpp>
#include <araios/spgemm.hpp>

namespace araios {
namespace impl::spgemm {

/// How a workspace is divided: windows of columns, one for each team or thread.
struct division {
  std::int64_t window;
  int shares;
};

inline constexpr std::int64_t fewest_shares = 4;

/// As many shares as can work at a time, each for all columns, if they fit the budget; else fewer
/// shares, and below a few shares narrower windows.
inline division divide(std::int64_t columns, std::int64_t workers, std::size_t bytes_per_64_columns,
                       std::size_t budget) {
  auto const blocks = std::max<std::int64_t>(1, ceil_div(columns, 64));
  auto const affordable =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(budget / bytes_per_64_columns));
  auto const shares =
      std::clamp<std::int64_t>(affordable / blocks, std::min(fewest_shares, workers), workers);
  auto const window = std::clamp<std::int64_t>(affordable / shares, 1, blocks);
  return {window * 64, static_cast<int>(shares)};
}

template <class A, class B>
std::size_t operand_bytes(A const& a, B const& b) {
  auto const bytes = [](auto const& m) {
    using crs = std::remove_cvref_t<decltype(m)>;
    return static_cast<std::size_t>(m.nnz) *
               (sizeof(typename crs::ordinal_type) + sizeof(typename crs::value_type)) +
           static_cast<std::size_t>(m.num_rows) * sizeof(typename crs::offset_type);
  };
  return bytes(a) + bytes(b);
}

/// The row map of C, unless it is there.
template <class Space, class State>
void allocate_row_map(Space const& space, State& state) {
  using offset = typename decltype(state.row_map)::value_type;
  if (state.row_map.extent(0) == 0)
    state.row_map = allocate<offset>(space, "araios::spgemm::row_map",
                                     static_cast<std::size_t>(state.a.rows) + 1);
}

/// What the workspace may take.
template <class A, class B>
std::size_t budget(spgemm_options const& options, A const& a, B const& b) {
  if (options.max_workspace_bytes > 0) return options.max_workspace_bytes;
  return std::max(tuning::spgemm_least_workspace,
                  tuning::spgemm_workspace_factor * operand_bytes(a, b));
}

/// Blocks of rows for the workers of a host backend, from the first on.
template <class State>
row_blocks blocks(State const& state) {
  Kokkos::atomic_store(state.control.next_block(), std::int64_t{0});
  auto const per_block =
      std::clamp<std::int64_t>(state.a.rows / (16 * std::max(1, state.shares)), 1, 1024);
  return {state.a.rows, per_block, state.control.next_block()};
}

/// Teams that run at a time, about; more would only take more workspace.
template <class Space>
std::int64_t concurrent_teams(Space const& space) {
  if constexpr (runs_on_host<Space>)
    return space.concurrency();
  else
    return std::max<std::int64_t>(1, space.concurrency() / (2 * tuning::spgemm_global_threads));
}

template <class Space>
Kokkos::View<char*, typename Space::memory_space> zeroed_workspace(Space const& space,
                                                                   std::size_t bytes) {
  auto const memory = allocate<char>(space, "araios::spgemm::workspace", bytes);
  if (bytes > 0) Kokkos::deep_copy(space, memory, char{0});
  return memory;
}

/// Sets sums of the workspace to zero of their semiring, where that is not a zero byte by byte.
template <class Sum>
struct fill_sums {
  Sum* sums;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { sums[i] = Sum{}; }
};
template <class Sum, class Space>
void zero_sums(Space const& space, [[maybe_unused]] Sum* sums,
               [[maybe_unused]] std::int64_t count) {
  if constexpr (is_in_semiring<Sum>)
    Kokkos::parallel_for("araios::spgemm::zero_sums", rows_policy<Space>(space, 0, count),
                         fill_sums<Sum>{sums});
}

template <class Semiring, crs_like A, crs_like B>
constexpr void check_semiring() {
  using value_a = std::remove_const_t<typename crs_view_of<A>::value_type>;
  using value_b = std::remove_const_t<typename crs_view_of<B>::value_type>;
  static_assert(semiring<Semiring, accumulator_t<value_a>>,
                "a semiring has zero<T>(), add and multiply for the values of A");
  static_assert(
      std::is_same_v<Semiring, plus_times> ||
          (std::is_same_v<value_a, value_b> && sizeof(value_a) <= 8),
      "semirings other than plus_times need one value type of at most 8 bytes for A and B");
}

/// Row ids bin by bin, unless one bin has them all.
template <class Space, class State>
void bin_rows(Space const& space, State& state, phase_sums const& sums, bool scanned) {
  using ordinal = typename decltype(state.rows)::value_type;
  using offset = typename decltype(state.row_map)::value_type;
  int used = 0;
  for (int bin = 0; bin < max_bins; ++bin) {
    used += sums.rows_in_bin[bin] > 0;
    state.bin_begin[bin + 1] = state.bin_begin[bin] + sums.rows_in_bin[bin];
  }
  state.several_bins = used > 1;
  if (!state.several_bins) return;
  auto const num_rows = static_cast<std::size_t>(state.a.rows);
  if (state.rows.extent(0) == 0)
    state.rows = allocate<ordinal>(space, "araios::spgemm::rows", num_rows);
  using host_array =
      Kokkos::View<std::int64_t const*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  using device_array = Kokkos::View<std::int64_t*, typename Space::memory_space,
                                    Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Kokkos::deep_copy(space, device_array(state.control.bin_cursor(), max_bins),
                    host_array(state.bin_begin, max_bins));
  using functor = fill_bins<ordinal, offset>;
  functor const fill{state.a.rows,
                     {state.row_map.data(), scanned},
                     state.table,
                     state.rows.data(),
                     state.control.bin_cursor()};
  std::size_t const scratch = max_bins * sizeof(std::int64_t) + 64;
  int const threads = team_size_for(space, 256, 1, fill, scratch);
  Kokkos::parallel_for(
      "araios::spgemm::bin_rows",
      team_policy(space, ceil_div(state.a.rows, functor::rows_per_team), threads, 1, scratch),
      fill);
}

/// One bin for all rows if that costs less than the launches it saves.
inline void merge_bins(bin_table const& table, std::int64_t num_rows, phase_sums& sums) {
  int last = table.count;
  while (last > 0 && sums.rows_in_bin[last] == 0) --last;
  if (num_rows > tuning::spgemm_one_bin_rows || last == table.count) return;
  std::fill_n(sums.rows_in_bin, max_bins, 0);
  sums.rows_in_bin[last] = num_rows;
}

/// launch(bin, rows, count) for the bins that have rows, those with the largest tables first.
template <class State, class F>
void for_each_bin(State const& state, F const& launch) {
  auto const* const begin = state.bin_begin;
  for (int bin = state.table.count; bin >= 0; --bin)
    if (begin[bin + 1] > begin[bin])
      launch(bin, state.bin_rows(begin[bin]), begin[bin + 1] - begin[bin]);
}

/// Launches a hash kernel over the rows of a bin; `make` builds its functor for lanes or a team.
template <class Space, class Make>
void launch_bin(Space const& space, std::string const& label, tuning::spgemm_bin bin,
                std::int64_t num_rows, std::size_t table_bytes, Make const& make) {
  std::size_t const scratch = table_bytes + 32;
  if (bin.lanes > 0) {
    int const lanes = runs_on_host<Space> ? 1 : bin.lanes;
    auto const functor = make(std::true_type{}, lanes);
    int threads = 1;
    if constexpr (!runs_on_host<Space>) {
      Kokkos::TeamPolicy<Space> policy(space, 1, 1, lanes);
      policy.set_scratch_size(0, Kokkos::PerThread(static_cast<int>(scratch)));
      threads = std::clamp(bin.threads / lanes, 1,
                           policy.team_size_max(functor, Kokkos::ParallelForTag()));
    }
    auto policy = team_policy(space, ceil_div(num_rows, threads), threads, lanes);
    policy.set_scratch_size(0, Kokkos::PerThread(static_cast<int>(scratch)));
    Kokkos::parallel_for(label, policy, functor);
  } else {
    auto const functor = make(std::false_type{}, 0);
    int const threads = team_size_for(space, bin.threads, 1, functor, scratch);
    Kokkos::parallel_for(label, team_policy(space, num_rows, threads, 1, scratch), functor);
  }
}

/// The bins of a phase; none if every row is to be done in the dense workspace.
template <class Space, std::size_t N, class Bytes>
bin_table bins_for(spgemm_options const& options, std::array<tuning::spgemm_bin, N> const& bins,
                   double slots_per_key, Bytes const& bytes_of) {
  if (options.accumulator == spgemm_accumulator::dense) return {};
  return usable_bins<Space>(bins, slots_per_key, bytes_of);
}

}  // namespace impl::spgemm

namespace impl {

/// Fills the row map of C and decides how the numeric phase goes.
struct spgemm_symbolic {
  template <class Space, class State, class A, class B>
  static void run(Space const& space, State* state, A const& a, B const& b) {
    spgemm::allocate_row_map(space, *state);
    if constexpr (runs_on_host<Space>) {
      if (state->options.accumulator != spgemm_accumulator::hash) {
        run_host(space, *state, a, b);
        return;
      }
    }
    run_teams(space, *state, a, b);
  }

 private:
  /// min(products, columns) of each row, where the row map of C will be.
  template <class Space, class State, class A, class B>
  static void count_products(Space const& space, State& state, A const& a, B const& b) {
    using offset = typename decltype(state.row_map)::value_type;
    auto const cap = static_cast<std::int64_t>(std::min<std::uint64_t>(
        static_cast<std::uint64_t>(b.num_cols), std::numeric_limits<offset>::max()));
    auto const count = [&](auto const& schedule) {
      using schedule_type = std::remove_cvref_t<decltype(schedule)>;
      for_each_split_tile(space, "araios::spgemm::count_products_split", schedule, a.tiles(),
                          spgemm::zero_row<offset>{state.row_map.data()});
      for_each_slice(space, "araios::spgemm::count_products", schedule, a.tiles(),
                     spgemm::count_products<schedule_type, A, B, offset>{
                         schedule, a, b, state.row_map.data(), cap});
    };
    std::visit(count, choose_schedule(portable_on{space}, shape_of(a.tiles())));
  }

  /// Products of all rows, fingerprints of both operands, and rows per bin. Waits for the result.
  template <class Space, class State, class A, class B, class Offset>
  static spgemm::phase_sums sum_products(Space const& space, State& state, A const& a, B const& b,
                                         Offset const* products) {
    auto const range = std::max({state.a.nnz, state.b.nnz, state.a.rows, state.b.rows});
    spgemm::phase_sums sums;
    Kokkos::parallel_reduce("araios::spgemm::sum_products",
                            spgemm::rows_policy<Space>(space, 0, range),
                            spgemm::sum_products<A, B, Offset>{a, b, products, state.table},
                            Kokkos::Sum<spgemm::phase_sums>(sums));
    state.products = sums.keys;
    state.a.pattern = sums.a_pattern;
    state.b.pattern = sums.b_pattern;
    return sums;
  }

  /// From entries per row to the row map. Waits for their sum and throws if it does not fit.
  template <class Space, class State>
  static spgemm::phase_sums scan_row_map(Space const& space, State& state) {
    using offset = typename decltype(state.row_map)::value_type;
    spgemm::phase_sums sums;
    Kokkos::parallel_reduce("araios::spgemm::sum_entries",
                            spgemm::rows_policy<Space>(space, 0, state.a.rows),
                            spgemm::sum_entries<offset>{state.row_map.data(), state.table},
                            Kokkos::Sum<spgemm::phase_sums>(sums));
    state.nnz = sums.keys;
    narrow<offset>(state.nnz, "araios::spgemm_plan", "the number of entries of C = A * B");
    Kokkos::parallel_scan("araios::spgemm::scan_row_map",
                          spgemm::rows_policy<Space>(space, 0, state.a.rows + 1),
                          spgemm::exclusive_scan<offset>{state.row_map.data(), state.a.rows});
    return sums;
  }

  template <class Space, class State, class A, class B>
  static void run_host(Space const& space, State& state, A const& a, B const& b) {
    using offset = typename decltype(state.row_map)::value_type;
    using sum = product_t<typename A::value_type, typename B::value_type>;
    sum_products(space, state, a, b, static_cast<offset const*>(nullptr));
    int unordered = 0;
    Kokkos::parallel_reduce("araios::spgemm::check_order",
                            spgemm::rows_policy<Space>(space, 0, state.b.rows),
                            spgemm::find_unsorted_row<B>{b}, Kokkos::Max<int>(unordered));
    auto const division =
        spgemm::divide(state.b.cols, space.concurrency(), spgemm::host_workspace<sum>{64}.bytes(),
                       spgemm::budget(state.options, a, b));
    spgemm::host_workspace<sum> const layout{division.window};
    state.window = division.window;
    state.shares = division.shares;
    state.workspace =
        spgemm::zeroed_workspace(space, layout.bytes() * static_cast<std::size_t>(state.shares));
    launch_on_host(
        space, "araios::spgemm::symbolic", state.shares,
        spgemm::host_symbolic<A, B, offset, sum>{a, b, state.row_map.data(), spgemm::blocks(state),
                                                 layout, state.workspace.data(), unordered == 0});
    for (int share = 0; share < state.shares; ++share)
      spgemm::zero_sums(
          space,
          layout.values(state.workspace.data() + static_cast<std::size_t>(share) * layout.bytes()),
          state.window);
    scan_row_map(space, state);
  }

  template <class Space, class State, class A, class B>
  static void run_teams(Space const& space, State& state, A const& a, B const& b) {
    using key = typename B::ordinal_type;
    using offset = typename decltype(state.row_map)::value_type;
    using sum = product_t<typename A::value_type, typename B::value_type>;
    state.table =
        spgemm::bins_for<Space>(state.options, tuning::spgemm_symbolic_bins,
                                tuning::spgemm_symbolic_slots, spgemm::symbolic_scratch<key>);
    count_products(space, state, a, b);
    auto sums = sum_products(space, state, a, b, state.row_map.data());
    spgemm::merge_bins(state.table, state.a.rows, sums);
    spgemm::bin_rows(space, state, sums, false);
    spgemm::for_each_bin(state, [&](int bin, auto const* rows, std::int64_t count) {
      if (bin == state.table.count) {
        count_with_masks(space, state, a, b, rows, count);
        return;
      }
      auto const& tuned = state.table.bins[bin];
      spgemm::launch_bin(space, "araios::spgemm::symbolic_hash", tuned, count,
                         spgemm::symbolic_scratch<key>(tuned.table_size),
                         [&](auto lanes, int size) {
                           return spgemm::symbolic_hash<decltype(lanes)::value, A, B, offset>{
                               a,    b,           state.row_map.data(), rows, count, tuned,
                               size, state.width, state.control.error()};
                         });
    });

    state.table =
        spgemm::bins_for<Space>(state.options, tuning::spgemm_numeric_bins,
                                tuning::spgemm_numeric_slots, spgemm::numeric_scratch<key, sum>);
    sums = scan_row_map(space, state);
    spgemm::merge_bins(state.table, state.a.rows, sums);
    spgemm::bin_rows(space, state, sums, true);
    auto const long_rows = sums.rows_in_bin[state.table.count];
    if (long_rows == 0) return;
    constexpr std::size_t bytes_per_64 = 64 * sizeof(sum) + 8;
    auto const division =
        spgemm::divide(state.b.cols, std::min(long_rows, spgemm::concurrent_teams(space)),
                       bytes_per_64, spgemm::budget(state.options, a, b));
    state.window = division.window;
    state.shares = division.shares;
    state.workspace = spgemm::zeroed_workspace(
        space, static_cast<std::size_t>(division.window / 64 * division.shares) * bytes_per_64);
    spgemm::zero_sums(space, reinterpret_cast<sum*>(state.workspace.data()),
                      division.window * division.shares);
  }

  /// Counts the entries of long rows by bit masks: in scratch memory if all columns take few
  /// windows there, else in a workspace that is gone afterwards.
  template <class Space, class State, class A, class B>
  static void count_with_masks(Space const& space, State& state, A const& a, B const& b,
                               typename A::ordinal_type const* rows, std::int64_t count) {
    using offset = typename decltype(state.row_map)::value_type;
    auto const launch = [&](auto in_scratch, std::int64_t window, std::int64_t teams,
                            std::uint32_t* masks) {
      using functor_type = spgemm::symbolic_mask<decltype(in_scratch)::value, A, B, offset>;
      functor_type const functor{a,     b,      state.row_map.data(), rows,
                                 count, window, state.width,          masks};
      auto const bytes = static_cast<std::size_t>(in_scratch ? window / 8 + 64 : 0);
      int const threads = team_size_for(space, tuning::spgemm_global_threads, 1, functor, bytes);
      Kokkos::parallel_for("araios::spgemm::symbolic_mask",
                           team_policy(space, teams, threads, 1, bytes), functor);
    };
    std::int64_t const scratch_columns =
        (Kokkos::TeamPolicy<Space>::scratch_size_max(0) - 128) / 4 * 32;
    if (state.b.cols <= tuning::spgemm_scratch_masks * scratch_columns) {
      auto const windows = ceil_div(state.b.cols, scratch_columns);
      launch(std::true_type{}, ceil_div(state.b.cols, windows * 32) * 32, count, nullptr);
      return;
    }
    auto const division =
        spgemm::divide(state.b.cols, std::min(count, spgemm::concurrent_teams(space)), 64 / 8,
                       spgemm::budget(state.options, a, b));
    auto const masks =
        allocate<std::uint32_t>(space, "araios::spgemm::masks",
                                static_cast<std::size_t>(division.window / 32 * division.shares));
    launch(std::false_type{}, division.window, division.shares, masks.data());
    space.fence("araios::spgemm::symbolic_mask: masks");
  }
};

/// Notes where the factors of all products lie, in a plan whose columns are known.
struct spgemm_keep {
  template <class Space, class State, class A, class B>
  static void run(Space const& space, State* state, A const& a, B const& b) {
    spgemm::keep_products(space, *state, a, b, spgemm::every_row{});
  }
};

/// Computes the values of C in such a plan.
struct spgemm_kept {
  template <class Space, class State, class A, class B, class C>
  static void run(Space const& space, State const* state, A const& a, B const& b, C const& c) {
    spgemm::multiply_kept(space, *state, a, b, c);
  }
};

/// Computes the columns and values of C.
struct spgemm_numeric {
  template <class Space, class State, class A, class B, class C>
  static void run(Space const& space, State const* state, A const& a, B const& b, C const& c,
                  typename C::ordinal_type* entries) {
    if constexpr (runs_on_host<Space>) {
      if (state->options.accumulator != spgemm_accumulator::hash) {
        if (state->window >= state->b.cols)
          run_host<true>(space, *state, a, b, c, entries);
        else
          run_host<false>(space, *state, a, b, c, entries);
        return;
      }
    }
    run_teams(space, *state, a, b, c, entries);
  }

 private:
  template <bool OneWindow, class Space, class State, class A, class B, class C>
  static void run_host(Space const& space, State const& state, A const& a, B const& b, C const& c,
                       typename C::ordinal_type* entries) {
    using functor = spgemm::host_numeric<OneWindow, A, B, C>;
    launch_on_host(space, "araios::spgemm::numeric", state.shares,
                   functor{a,
                           b,
                           c,
                           entries,
                           spgemm::blocks(state),
                           {state.window},
                           state.workspace.data(),
                           state.control.error()});
  }

  template <class Space, class State, class A, class B, class C>
  static void run_teams(Space const& space, State const& state, A const& a, B const& b, C const& c,
                        typename C::ordinal_type* entries) {
    using key = typename B::ordinal_type;
    using sum = product_t<typename A::value_type, typename B::value_type>;
    spgemm::for_each_bin(state, [&](int bin, auto const* rows, std::int64_t count) {
      if (bin == state.table.count) {
        auto* const values = reinterpret_cast<sum*>(state.workspace.data());
        auto* const masks = reinterpret_cast<std::uint32_t*>(values + state.window * state.shares);
        spgemm::numeric_window<A, B, C> const functor{a,
                                                      b,
                                                      c,
                                                      entries,
                                                      rows,
                                                      count,
                                                      state.window,
                                                      state.width,
                                                      values,
                                                      masks,
                                                      state.control.error()};
        int const threads = team_size_for(space, tuning::spgemm_global_threads, 1, functor);
        Kokkos::parallel_for("araios::spgemm::numeric_window",
                             team_policy(space, state.shares, threads, 1), functor);
        return;
      }
      auto const& tuned = state.table.bins[bin];
      spgemm::launch_bin(
          space, "araios::spgemm::numeric_hash", tuned, count,
          spgemm::numeric_scratch<key, sum>(tuned.table_size), [&](auto lanes, int size) {
            return spgemm::numeric_hash<decltype(lanes)::value, A, B, C>{a,
                                                                         b,
                                                                         c,
                                                                         entries,
                                                                         rows,
                                                                         count,
                                                                         tuned,
                                                                         size,
                                                                         state.width,
                                                                         state.options.sort_rows,
                                                                         state.control.error()};
          });
    });
  }
};

}  // namespace impl

template <class Space, class Ordinal, class Offset, class Value, class Semiring>
template <crs_like MatrixA, crs_like MatrixB>
spgemm_plan<Space, Ordinal, Offset, Value, Semiring>::spgemm_plan(Space const& space,
                                                                  MatrixA const& ma,
                                                                  MatrixB const& mb,
                                                                  spgemm_options const& options,
                                                                  Semiring) {
  auto const a = impl::with_semiring<Semiring>(as_crs(ma));
  auto const b = impl::with_semiring<Semiring>(as_crs(mb));
  static_assert(std::is_same_v<typename decltype(a)::ordinal_type, Ordinal> &&
                    std::is_same_v<typename decltype(b)::ordinal_type, Ordinal>,
                "A, B and C must have one ordinal type");
  static_assert(std::is_same_v<impl::spgemm::value_of<MatrixA, MatrixB>, Value>,
                "C must have the value type of A * B");
  impl::spgemm::check_semiring<Semiring, MatrixA, MatrixB>();
  static_assert(sizeof(Offset) >= sizeof(Ordinal), "an offset must hold the entries of any row");
  impl::require(a.num_rows >= 0 && a.num_cols >= 0 && b.num_rows >= 0 && b.num_cols >= 0 &&
                    a.num_cols == b.num_rows,
                "araios::spgemm_plan: the inner dimensions of A (", a.num_rows, " x ", a.num_cols,
                ") and B (", b.num_rows, " x ", b.num_cols, ") differ");
  Kokkos::Profiling::ScopedRegion const region("araios::spgemm::symbolic");
  auto const& exec = impl::instance(space);
  state_.options = options;
  if (options.keep_products) {
    state_.options.sort_rows = true;
    auto const most = std::max<std::uint64_t>(a.nnz, b.nnz);
    impl::require(most <= std::numeric_limits<std::uint32_t>::max(),
                  "araios::spgemm_plan: keep_products needs operands of fewer than 2^32 entries, "
                  "but A has ",
                  a.nnz, " and B ", b.nnz);
  }
  state_.a = {a.num_rows, a.num_cols, static_cast<std::int64_t>(a.nnz), 0, a.row_map, a.entries};
  state_.b = {b.num_rows, b.num_cols, static_cast<std::int64_t>(b.nnz), 0, b.row_map, b.entries};
  state_.width = impl::spgemm::b_row_width(b);
  state_.control = impl::spgemm::plan_control<execution_space>(exec);
  if (a.num_rows == 0 || a.nnz == 0 || b.nnz == 0) {
    impl::spgemm::allocate_row_map(exec, state_);
    Kokkos::deep_copy(exec, state_.row_map, Offset{0});
    exec.fence("araios::spgemm_plan: empty");
    return;
  }
  impl::dispatch<impl::spgemm_symbolic>(space, &state_, a, b);
  exec.fence("araios::spgemm_plan: symbolic phase");
  if (!options.keep_products || state_.nnz == 0) return;
  {  // once, for the columns
    auto const c = make_result(space);
    impl::dispatch<impl::spgemm_numeric>(
        space, &state_, a, b, impl::with_semiring<Semiring>(as_crs(c)), c.entries.data());
    exec.fence("araios::spgemm_plan: columns");
    state_.kept.entries = c.entries;
  }
  impl::dispatch<impl::spgemm_keep>(space, &state_, a, b);
}

template <class Space, class Ordinal, class Offset, class Value, class Semiring>
auto spgemm_plan<Space, Ordinal, Offset, Value, Semiring>::make_result(Space const& space) const
    -> result_type {
  auto const& exec = impl::instance(space);
  auto const size = static_cast<std::size_t>(state_.nnz);
  return {static_cast<Ordinal>(state_.a.rows), static_cast<Ordinal>(state_.b.cols), state_.row_map,
          state_.kept.used() ? state_.kept.entries
                             : impl::allocate<Ordinal>(exec, "araios::spgemm::entries", size),
          impl::allocate<Value>(exec, "araios::spgemm::values", size)};
}

namespace impl::spgemm {

/// Refuses an operand of other sizes than those that the plan was made for.
template <class Crs>
void check_sizes(char const* function, char const* name, operand const& known, Crs const& a) {
  require(known.rows == static_cast<std::int64_t>(a.num_rows) &&
              known.cols == static_cast<std::int64_t>(a.num_cols) &&
              known.nnz == static_cast<std::int64_t>(a.nnz),
          function, ": the plan is for a ", known.rows, " x ", known.cols, " matrix ", name,
          " with ", known.nnz, " entries, but ", name, " is ", a.num_rows, " x ", a.num_cols,
          " with ", a.nnz);
}

/// Refuses a result that was not made by the plan, or that shares arrays with the operands.
template <class State, class Result, class... Operands>
void check_result(char const* function, State const& state, Result const& c,
                  Operands const&... operands) {
  require(static_cast<std::int64_t>(c.num_rows()) == state.a.rows &&
              static_cast<std::int64_t>(c.num_cols()) == state.b.cols &&
              static_cast<std::int64_t>(c.nnz()) == state.nnz &&
              c.row_map.data() == state.row_map.data() &&
              (!state.kept.used() || c.entries.data() == state.kept.entries.data()),
          function, ": C (", c.num_rows(), " x ", c.num_cols(), ", ", c.nnz(),
          " entries) was not made by this plan, whose result is ", state.a.rows, " x ",
          state.b.cols, " with ", state.nnz, " entries");
  auto const apart = [&](void const* operand) {
    return operand != c.entries.data() && operand != c.values.data();
  };
  require(state.nnz == 0 || ((apart(operands.entries) && apart(operands.values)) && ...), function,
          ": C (", c.num_rows(), " x ", c.num_cols(), ", ", c.nnz(),
          " entries) shares arrays with an operand");
}

/// Refuses an operand that is not of the plan's pattern.
template <class Space, class Crs>
void check_operand(Space const& space, char const* function, char const* name, operand& known,
                   Crs const& a) {
  check_sizes(function, name, known, a);
  if (known.row_map == a.row_map && known.entries == a.entries) return;
  if (known.pattern != 0) {
    std::uint64_t pattern = 0;
    Kokkos::parallel_reduce("araios::spgemm::check_pattern",
                            rows_policy<Space>(space, 0, std::max(known.nnz, known.rows)),
                            sum_pattern<Crs>{a}, pattern);
    require(pattern == known.pattern, function, ": ", name, " (", known.rows, " x ", known.cols,
            ", ", known.nnz,
            " entries) has another pattern than the matrix that the plan was made for");
  }
  known.row_map = a.row_map;
  known.entries = a.entries;
}

}  // namespace impl::spgemm

template <class Space, class Ordinal, class Offset, class Value, class Semiring>
template <crs_like MatrixA, crs_like MatrixB>
void spgemm_plan<Space, Ordinal, Offset, Value, Semiring>::multiply(Space const& space,
                                                                    MatrixA const& ma,
                                                                    MatrixB const& mb,
                                                                    result_type const& c) const {
  auto const a = impl::with_semiring<Semiring>(as_crs(ma));
  auto const b = impl::with_semiring<Semiring>(as_crs(mb));
  static_assert(std::is_same_v<typename decltype(a)::ordinal_type, Ordinal> &&
                    std::is_same_v<typename decltype(b)::ordinal_type, Ordinal> &&
                    std::is_same_v<impl::spgemm::value_of<MatrixA, MatrixB>, Value>,
                "the operands must have the types that the plan was made for");
  auto const& exec = impl::instance(space);
  constexpr char const* function = "araios::spgemm_plan::multiply";
  impl::spgemm::check_operand(exec, function, "A", state_.a, a);
  impl::spgemm::check_operand(exec, function, "B", state_.b, b);
  impl::spgemm::check_result(function, state_, c, a, b);
  if (state_.nnz == 0) return;
  Kokkos::Profiling::ScopedRegion const region("araios::spgemm::numeric");
  state_.control.use_on(exec);
  auto const view = impl::with_semiring<Semiring>(as_crs(c));
  if (state_.kept.used())
    impl::dispatch<impl::spgemm_kept>(space, &state_, a, b, view);
  else
    impl::dispatch<impl::spgemm_numeric>(space, &state_, a, b, view, c.entries.data());
}

template <class Space, class Ordinal, class Offset, class Value, class Semiring>
void spgemm_plan<Space, Ordinal, Offset, Value, Semiring>::check(Space const& space) const {
  auto const& exec = impl::instance(space);
  if (!state_.control.take_error(exec)) return;
  impl::require<std::runtime_error>(
      false, "araios::spgemm_plan::check: the pattern of A (", state_.a.rows, " x ", state_.a.cols,
      ") or B (", state_.b.rows, " x ", state_.b.cols,
      ") has changed since the plan was made; the result of the last multiply is not valid");
}

template <class Space, class Ordinal, class Offset, class Value, class Semiring>
std::size_t spgemm_plan<Space, Ordinal, Offset, Value, Semiring>::workspace_bytes() const {
  return state_.rows.span() * sizeof(Ordinal) + state_.workspace.span() + state_.control.bytes() +
         state_.extension.bytes() + state_.kept.bytes();
}

template <class Space, class Ordinal, class Offset, class Value, class Semiring>
template <crs_like MatrixA, crs_like MatrixB>
std::size_t spgemm_plan<Space, Ordinal, Offset, Value, Semiring>::workspace_bound(
    Space const& space, MatrixA const& ma, MatrixB const& mb, spgemm_options const& options) {
  auto const a = impl::with_semiring<Semiring>(as_crs(ma));
  auto const b = impl::with_semiring<Semiring>(as_crs(mb));
  using sum = impl::product_t<typename decltype(a)::value_type, typename decltype(b)::value_type>;
  auto const& exec = impl::instance(space);
  // The largest of what `divide` may make of the budget, whatever the phase and accumulator.
  auto const workers = impl::spgemm::concurrent_teams(exec);
  auto const blocks = static_cast<std::size_t>(
      std::max<std::int64_t>(1, impl::ceil_div(static_cast<std::int64_t>(b.num_cols), 64)));
  auto const block = impl::spgemm::host_workspace<sum>{64}.bytes();
  auto const fewest = std::min(workers, impl::spgemm::fewest_shares);
  auto const least = static_cast<std::size_t>(fewest) * block;
  auto const most = static_cast<std::size_t>(workers) * blocks * block;
  auto const workspace = std::min(most, std::max(least, impl::spgemm::budget(options, a, b)));
  return static_cast<std::size_t>(a.num_rows) * sizeof(Ordinal) + workspace +
         sizeof(std::int64_t) * (2 + impl::spgemm::max_bins) +
         decltype(state_.extension)::bound(a, b, impl::spgemm::budget(options, a, b));
}

}  // namespace araios
