// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cub/device/device_scan.cuh>
#include <limits>
#include <type_traits>
#include <utility>

#include <araios/cuda/memory.hpp>
#include <araios/cuda/spgemm_runs.cuh>
#include <araios/cuda/spgemm_small.cuh>
#include <araios/cuda/spgemm_tile.cuh>
#include <araios/impl/spgemm.hpp>

/// SpGEMM on CUDA. Rows of few products are sorted in registers; rows of more are marked in a
/// mask of columns and summed at the ranks of their columns; neighbouring rows with one pattern,
/// shifted by a number of columns, are done as a run whose places are found once; long rows are
/// divided by columns. Used where ordinals are of type int. The portable way go products with rows
/// of B that do not ascend strictly (unless they are small), with rows spread over very many
/// columns, and those for which an accumulator is asked for.
namespace araios::impl {

namespace spgemm {

/// What the CUDA backend keeps in a plan.
template <>
struct plan_extension<Kokkos::Cuda> {
  bool used = false;
  bool small = false;            ///< all rows are done alike, without classes
  std::int64_t longest = 0;      ///< products of any row, if small
  mutable cuda::buffer row_ids;  ///< class by class; empty if all rows are of one class
  mutable cuda::buffer heads;    ///< of runs; empty if there are no runs
  mutable cuda::buffer pieces;   ///< of long rows
  mutable cuda::buffer places;   ///< of runs, if they are kept
  cuda::side_streams side;       ///< if there are several kernels worth it
  std::int64_t num_pieces = 0;
  tuning::cuda::spgemm_mask_limits masks{};
  int begin[cuda::row_class::count + 1] = {};  ///< where each class starts among the row ids
  std::int64_t span[cuda::row_class::count] =
      {};  ///< columns that a row of the class spans, at most

  std::size_t bytes() const {
    return row_ids.bytes() + heads.bytes() + pieces.bytes() + places.bytes();
  }
  /// Heads, pieces, what is known of the rows of B, and the temporaries of the scan. The row ids
  /// are counted with those of the portable path.
  template <class A, class B>
  static std::size_t bound(A const& a, B const& b, std::size_t budget) {
    auto const rows = static_cast<std::size_t>(a.num_rows);
    auto const long_rows = static_cast<std::size_t>(a.nnz) / tuning::cuda::spgemm_longest_pattern;
    constexpr auto smallest = tuning::cuda::spgemm_masks.bins[tuning::cuda::spgemm_masks.count - 1];
    auto const pieces_of_row =
        static_cast<std::size_t>(b.num_cols) / tuning::cuda::spgemm_piece_columns +
        static_cast<std::size_t>(b.num_cols) / smallest.long_columns + 2;
    return 8 * (rows / cuda::rows_per_word + 2) +
           std::min(budget, rows * pieces_of_row * sizeof(cuda::row_piece)) +
           sizeof(cuda::b_row) * static_cast<std::size_t>(b.num_rows) + sizeof(int) * long_rows +
           rows / 8 + sizeof(cuda::row_sums) + 65536 +
           sizeof(cuda::small_row) * tuning::cuda::spgemm_small_rows;
  }
  template <class Ordinal>
  cuda::row_list<Ordinal> rows(int bin) const {
    auto const* const ids = row_ids.as<Ordinal>();
    return {ids == nullptr ? ids : ids + begin[bin], begin[bin + 1] - begin[bin]};
  }
  /// Moves what the plan holds to the order of this instance.
  void use_on(Kokkos::Cuda const& space) const {
    for (auto* const held : {&row_ids, &heads, &pieces, &places}) held->use_on(space);
  }
};

/// The error flag lies in host memory, so that `check` needs no copy, beside the sums over all
/// rows.
template <>
class plan_control<Kokkos::Cuda> {
 public:
  plan_control() = default;
  explicit plan_control(Kokkos::Cuda const& space)
      : space_(space), words_(cuda::host_slot::take()) {
    *error() = 0;
  }
  plan_control(plan_control&&) noexcept = default;
  plan_control& operator=(plan_control&& other) noexcept {
    std::swap(space_, other.space_);
    std::swap(words_, other.words_);
    std::swap(cursors_, other.cursors_);
    return *this;
  }
  ~plan_control() {  // kernels may still be about to set the flag
    if (words_.as<words>() != nullptr) cudaStreamSynchronize(space_.cuda_stream());
  }

  std::int64_t* error() const { return &words_.as<words>()->error; }
  cuda::row_sums* sums() const { return &words_.as<words>()->sums; }
  std::int64_t* next_block() const { return nullptr; }  // of host backends only
  std::int64_t* bin_cursor() const {                    // for the portable phases
    if (cursors_.bytes() == 0)
      cursors_ = cuda::buffer(space_, "araios::spgemm::control", max_bins * sizeof(std::int64_t));
    return cursors_.as<std::int64_t>();
  }
  std::size_t bytes() const { return cursors_.bytes(); }
  /// From now on used by this instance.
  void use_on(Kokkos::Cuda const& space) const {
    space_ = space;
    cursors_.use_on(space);
  }

  bool take_error(Kokkos::Cuda const& space) const {
    space.fence("araios::spgemm_plan::check");
    return std::exchange(*error(), 0) != 0;
  }

 private:
  struct words {
    std::int64_t error;
    cuda::row_sums sums;
  };
  mutable Kokkos::Cuda space_;
  cuda::host_slot words_;
  mutable cuda::buffer cursors_;
};

}  // namespace spgemm

namespace cuda {

/// As many lanes as a row has entries, about.
inline int lanes_for(std::int64_t entries, std::int64_t rows, int most) {
  int lanes = 1;
  while (lanes < most && 2 * lanes * rows <= entries + rows) lanes *= 2;
  return lanes;
}

inline int multiprocessors(Kokkos::Cuda const& space) {
  return space.cuda_device_prop().multiProcessorCount;
}

/// f(lanes, items, i) for the bins of a table of rows that are sorted.
template <auto const& Bins, class F>
void each_bin(F const& f) {
  auto const call = [&]<std::size_t... I>(std::index_sequence<I...>) {
    (f(std::integral_constant<int, Bins.bins[I].lanes>{},
       std::integral_constant<int, Bins.bins[I].items>{}, static_cast<int>(I)),
     ...);
  };
  call(std::make_index_sequence<Bins.count>{});
}

/// f(key) with the type that holds a column and the place of a product.
template <class F>
void with_sort_key(std::int64_t num_cols, F const& f) {
  if (num_cols < std::int64_t{1} << 26)  // the last column must not look like `none`
    f(std::uint32_t{});
  else
    f(std::uint64_t{});
}

/// f(is_tile, lanes, items, key, rows, blocks of `sort_threads`) for the classes of rows that are
/// sorted, those that have rows.
template <class Ordinal, class Extension, class F>
void each_sorted_class(Extension const& extension, std::int64_t num_cols, F const& f) {
  with_sort_key(num_cols, [&](auto key) {
    auto const call = [&](auto is_tile, auto lanes, auto items, int bin) {
      auto const rows = extension.template rows<Ordinal>(bin);
      if (rows.count == 0) return;
      auto const blocks = ceil_div(std::int64_t{rows.count} * lanes(), sort_threads);
      f(is_tile, lanes, items, key, rows, static_cast<unsigned>(blocks));
    };
    each_bin<tuning::cuda::spgemm_sort_bins>([&](auto lanes, auto items, int i) {
      call(std::false_type{}, lanes, items, row_class::sort + i);
    });
    each_bin<tuning::cuda::spgemm_tile_bins>([&](auto lanes, auto items, int i) {
      call(std::true_type{}, lanes, items, row_class::tile + i);
    });
  });
}

/// f(bin number, bin, rows) for the classes of runs that have rows, those of most products first.
template <class Ordinal, class Extension, class F>
void each_run_class(Extension const& extension, F const& f) {
  for (int i = tuning::cuda::spgemm_run_bins.count; i-- > 0;)
    if (auto const rows = extension.template rows<Ordinal>(row_class::run + i); rows.count > 0)
      f(i, tuning::cuda::spgemm_run_bins.bins[i], rows);
}

/// f(blocks) with the number of blocks that the registers of `multiply_runs` are to leave room for.
template <class F>
void with_run_blocks(tuning::cuda::spgemm_run_bin const& bin, F const& f) {
  if (bin.products <= tuning::cuda::spgemm_large_run_products)
    f(std::integral_constant<int, tuning::cuda::spgemm_run_blocks>{});
  else
    f(std::integral_constant<int, tuning::cuda::spgemm_large_run_blocks>{});
}

/// Words of the mask in which a class of runs looks for places.
template <class RunMemory, class Extension>
int words_of_runs(Extension const& extension, int bin_number, std::int64_t num_cols) {
  return std::min(words_of_mask(extension.span[row_class::run + bin_number], num_cols),
                  RunMemory::most_words(tuning::cuda::spgemm_run_bins.bins[bin_number]));
}

/// Whether a plan that keeps products keeps the places of a class of runs instead of their factors.
inline bool keeps_places(tuning::cuda::spgemm_run_bin const& bin) {
  return bin.threads > warp_size;
}

template <class Ordinal>
inline constexpr bool spgemm_ordinal = std::is_same_v<std::remove_const_t<Ordinal>, int>;

}  // namespace cuda

template <>
struct backend<spgemm_symbolic, Kokkos::Cuda> {
  template <class State, class A, class B>
  static bool can_run(State const* state, A const&, B const&) {
    return state->options.accumulator == spgemm_accumulator::automatic;
  }

  template <class State, class A, class B>
    requires cuda::spgemm_ordinal<typename A::ordinal_type>
  static void run(Kokkos::Cuda const& space, State* state, A const& a, B const& b) {
    auto const* const masks =
        masks_for<product_t<typename A::value_type, typename B::value_type>>(space, b);
    if (masks == nullptr) {
      spgemm_symbolic::run(space, state, a, b);
      return;
    }
    cuda::on_device const device(space);
    state->extension.used = true;
    state->extension.masks = *masks;
    state->extension.small = is_small(a, b);
    if (state->extension.small) {
      run_small(space, *state, a, b);
      return;
    }
    cuda::buffer totals(space, "araios::spgemm::row_sums", sizeof(cuda::row_sums));
    auto* const sums = totals.as<cuda::row_sums>();
    cuda::row_sums const& host = *state->control.sums();
    cuda::check(cudaMemsetAsync(sums, 0, sizeof(*sums), space.cuda_stream()),
                "araios::spgemm_plan");
    classify(space, *state, a, b, sums);
    bool const far_apart = host.windows > static_cast<unsigned long long>(a.num_rows) *
                                              tuning::cuda::spgemm_most_windows;
    if (host.descents != 0 || far_apart || !count(space, *state, a, b, sums)) {
      state->extension = {};
      spgemm_symbolic::run(space, state, a, b);
      return;
    }
    scan(space, *state, sums);
  }

 private:
  /// The largest masks with which all kernels of both phases can run here, or null.
  template <class Sum, class B>
  static tuning::cuda::spgemm_mask_limits const* masks_for(Kokkos::Cuda const& space, B const& b) {
    static constexpr auto const& bins = tuning::cuda::spgemm_mask_bins;
    for (auto const& masks : tuning::cuda::spgemm_masks.bins) {
      auto const long_row =
          static_cast<std::size_t>(cuda::words_of_mask(masks.long_columns, b.num_cols)) * 8;
      auto const row = cuda::window_bytes<Sum>(cuda::words_of_mask(masks.row_columns, b.num_cols),
                                               bins.bins[bins.count - 1].products);
      if (std::max(long_row, row) + cuda::static_shared_bytes <=
          space.cuda_device_prop().sharedMemPerBlockOptin)
        return &masks;
    }
    return nullptr;
  }

  template <class A, class B>
  static bool is_small(A const& a, B const& b) {
    auto const rows = std::max(a.num_rows, b.num_rows);
    return rows <= tuning::cuda::spgemm_small_rows &&
           b.num_cols <= tuning::cuda::spgemm_small_columns &&
           static_cast<std::int64_t>(a.nnz) <= tuning::cuda::spgemm_small_entries &&
           static_cast<std::int64_t>(b.nnz) <= tuning::cuda::spgemm_small_entries;
  }

  template <class State, class A, class B>
  static void run_small(Kokkos::Cuda const& space, State& state, A const& a, B const& b) {
    cuda::keep_block_mapped(space);
    spgemm::allocate_row_map(space, state);
    auto const stream = space.cuda_stream();
    auto* const row_map = state.row_map.data();
    int const words = cuda::words_of_mask(b.num_cols, b.num_cols);
    int const blocks = static_cast<int>(std::max(a.num_rows, b.num_rows));
    cuda::buffer const found(space, "araios::spgemm::found",
                             static_cast<std::size_t>(blocks) * sizeof(cuda::small_row));
    cuda::count_small<<<static_cast<unsigned>(blocks), tuning::cuda::spgemm_small_threads,
                        static_cast<std::size_t>(words) * 8, stream>>>(a, b, row_map,
                                                                       found.as<cuda::small_row>());
    cuda::scan_small<<<1, 1024, 0, stream>>>(static_cast<int>(a.num_rows), row_map, blocks,
                                             found.as<cuda::small_row>(), state.control.sums());
    wait(space);
    finish(state);
    state.extension.longest = static_cast<std::int64_t>(state.control.sums()->longest);
  }

  template <class State>
  static void finish(State& state) {
    using offset = typename decltype(state.row_map)::value_type;
    auto const& sums = *state.control.sums();
    state.products = static_cast<std::int64_t>(sums.products);
    state.a.pattern = sums.a_pattern;
    state.b.pattern = sums.b_pattern;
    state.nnz = static_cast<std::int64_t>(sums.entries);
    state.extension.num_pieces = static_cast<std::int64_t>(sums.pieces);
    narrow<offset>(state.nnz, "araios::spgemm_plan", "the number of entries of C = A * B");
  }

  static void wait(Kokkos::Cuda const& space) {
    cuda::check(cudaGetLastError(), "araios::spgemm_plan: launch");
    cuda::check(cudaStreamSynchronize(space.cuda_stream()), "araios::spgemm_plan");
  }

  /// Brings the sums to the host and waits for them.
  template <class State>
  static void read(Kokkos::Cuda const& space, State& state, cuda::row_sums const* sums) {
    cuda::check(cudaMemcpyAsync(state.control.sums(), sums, sizeof(*sums), cudaMemcpyDeviceToHost,
                                space.cuda_stream()),
                "araios::spgemm_plan");
    wait(space);
  }

  /// Products, patterns and classes of all rows. Waits for the numbers of rows.
  template <class State, class A, class B>
  static void classify(Kokkos::Cuda const& space, State& state, A const& a, B const& b,
                       cuda::row_sums* sums) {
    using ordinal = typename A::ordinal_type;
    auto const stream = space.cuda_stream();
    auto const rows = static_cast<std::int64_t>(a.num_rows);
    auto const chunks = ceil_div(rows, cuda::rows_per_word);
    auto const most_long_rows =
        static_cast<std::int64_t>(a.nnz) / tuning::cuda::spgemm_longest_pattern;
    auto& extension = state.extension;
    extension.heads =
        cuda::buffer(space, "araios::spgemm::heads", static_cast<std::size_t>(chunks) * 8);
    auto* const heads = extension.heads.template as<std::uint64_t>();
    cuda::buffer const temporary(space, "araios::spgemm::b_rows",
                                 static_cast<std::size_t>(b.num_rows) * sizeof(cuda::b_row) +
                                     static_cast<std::size_t>(most_long_rows) * sizeof(int));
    auto* const b_rows = temporary.as<cuda::b_row>();
    auto* const long_rows = reinterpret_cast<int*>(b_rows + b.num_rows);

    auto const blocks = [&](std::int64_t items) {
      return static_cast<unsigned>(
          std::clamp<std::int64_t>(items, 1, 8 * std::int64_t{cuda::multiprocessors(space)}));
    };
    bool const same = static_cast<void const*>(a.entries) == b.entries &&
                      static_cast<void const*>(a.row_map) == b.row_map && a.num_rows == b.num_rows;
    int const b_lanes = cuda::lanes_for(static_cast<std::int64_t>(b.nnz), b.num_rows, 16);
    int const a_lanes = cuda::lanes_for(static_cast<std::int64_t>(a.nnz), rows, 16);
    cuda::survey_b<<<blocks(ceil_div(std::max<std::int64_t>(b.num_rows, a.nnz), 256)), 256, 0,
                     stream>>>(a, b, same, b_lanes, b_rows, sums);
    spgemm::allocate_row_map(space, state);  // while the kernel runs
    auto* const row_map = state.row_map.data();
    cuda::classify_rows<<<blocks(ceil_div(chunks, cuda::words_at_a_time)),
                          64 * cuda::words_at_a_time, 0, stream>>>(
        a, b_rows, a_lanes, row_map, heads, long_rows,
        b.num_cols > tuning::cuda::spgemm_many_columns, sums);
    if (most_long_rows > 0)
      cuda::sum_long_rows<<<static_cast<unsigned>(
                                ceil_div(cuda::multiprocessors(space), cuda::blocks_per_long_row) *
                                cuda::blocks_per_long_row),
                            1024, 0, stream>>>(a, b_rows, long_rows, sums);
    read(space, state, sums);
    int listed = 0;
    int kernels = 0;
    bool one_class = false;
    for (int bin = 0; bin < cuda::row_class::count; ++bin) {
      int const count = state.control.sums()->rows_in_class[bin];
      extension.begin[bin] = listed;
      extension.span[bin] = std::int64_t{state.control.sums()->span_of_class[bin]} +
                            state.control.sums()->widest_b_row + 1 + 63;  // begins at a word
      listed += count;
      kernels += count > 0 && bin != cuda::row_class::empty;
      one_class = one_class || count == rows;
    }
    extension.begin[cuda::row_class::count] = listed;
    if (kernels > 1 && static_cast<std::int64_t>(state.control.sums()->products) >
                           tuning::cuda::spgemm_forked_products)
      extension.side = cuda::side_streams::take(space.cuda_device());
    if (extension.begin[cuda::row_class::run] == extension.begin[cuda::row_class::long_row])
      extension.heads = {};
    if (one_class) return;
    extension.row_ids = cuda::buffer(space, "araios::spgemm::rows",
                                     static_cast<std::size_t>(listed) * sizeof(ordinal));
    cuda::fill_classes<<<static_cast<unsigned>(ceil_div(rows, 1024)), 1024, 0, stream>>>(
        rows, row_map, extension.row_ids.template as<ordinal>(), sums);
  }

  /// Entries of every row that heads itself or a run, longest rows first. Returns whether the
  /// pieces of long rows fit the workspace.
  template <class State, class A, class B>
  static bool count(Kokkos::Cuda const& space, State& state, A const& a, B const& b,
                    cuda::row_sums* sums) {
    using ordinal = typename A::ordinal_type;
    auto& extension = state.extension;
    cuda::forked_launches launches(space.cuda_stream(), extension.side);
    auto* const row_map = state.row_map.data();
    auto const list = [&](int bin) { return extension.template rows<ordinal>(bin); };
    if (auto const rows = list(cuda::row_class::long_row); rows.count > 0) {
      int const words = cuda::words_of_mask(extension.masks.long_columns, b.num_cols);
      int const piece_words = cuda::words_of_mask(extension.masks.row_columns, b.num_cols);
      auto const parts = ceil_div(b.num_cols, tuning::cuda::spgemm_piece_columns) +
                         ceil_div(b.num_cols, extension.masks.long_columns);
      int const capacity = tuning::cuda::spgemm_piece_columns;
      auto const joined = 2 * static_cast<std::int64_t>(state.control.sums()->products) / capacity +
                          rows.count * (ceil_div(b.num_cols, extension.masks.row_columns) +
                                        ceil_div(b.num_cols, extension.masks.long_columns) + 2);
      auto const most = std::min(rows.count * parts, joined);
      if (static_cast<std::size_t>(most) * sizeof(cuda::row_piece) >
              spgemm::budget(state.options, a, b) ||
          most > std::numeric_limits<int>::max())
        return false;
      extension.pieces = cuda::buffer(space, "araios::spgemm::pieces",
                                      static_cast<std::size_t>(most) * sizeof(cuda::row_piece));
      auto const kernel = cuda::count_long_rows<A, B, std::remove_pointer_t<decltype(row_map)>>;
      auto const bytes = static_cast<std::size_t>(words) * 8;
      cuda::allow_shared(space, kernel);
      kernel<<<static_cast<unsigned>(rows.count), tuning::cuda::spgemm_long_threads, bytes,
               launches.next()>>>(a, b, row_map, rows, words, piece_words, capacity,
                                  extension.pieces.template as<cuda::row_piece>(), most, sums);
    }
    auto const launch_masks = [&](int bin, int threads, std::int64_t most_columns) {
      auto const rows = list(bin);
      if (rows.count == 0) return;
      int const words =
          cuda::words_of_mask(std::min(most_columns, extension.span[bin]), b.num_cols);
      cuda::count_by_mask<<<static_cast<unsigned>(rows.count), threads,
                            static_cast<std::size_t>(words) * 8, launches.next()>>>(a, b, row_map,
                                                                                    rows, words);
    };
    for (int i = tuning::cuda::spgemm_mask_bins.count; i-- > 0;)
      launch_masks(cuda::row_class::single + i, tuning::cuda::spgemm_mask_bins.bins[i].threads,
                   extension.masks.row_columns);
    for (int i = tuning::cuda::spgemm_run_bins.count; i-- > 0;)
      launch_masks(cuda::row_class::run + i, tuning::cuda::spgemm_run_bins.bins[i].threads,
                   tuning::cuda::spgemm_run_columns);
    cuda::each_sorted_class<ordinal>(
        extension, b.num_cols,
        [&](auto is_tile, auto lanes, auto items, auto key, auto rows, unsigned blocks) {
          if constexpr (is_tile)
            cuda::count_by_tile<lanes(), items(), decltype(key)>
                <<<blocks, cuda::sort_threads, 0, launches.next()>>>(a, b, row_map, rows);
          else
            cuda::count_by_sorting<lanes(), items(), decltype(key)>
                <<<blocks, cuda::sort_threads, 0, launches.next()>>>(a, b, row_map, rows);
        });
    return true;
  }

  /// From entries per row to the row map. Waits for their sum and throws if it does not fit.
  template <class State>
  static void scan(Kokkos::Cuda const& space, State& state, cuda::row_sums* sums) {
    auto const stream = space.cuda_stream();
    auto const rows = state.a.rows;
    auto* const row_map = state.row_map.data();
    cuda::finish_counts<<<static_cast<unsigned>(std::min<std::int64_t>(
                              ceil_div(rows + 1, 256), 8 * cuda::multiprocessors(space))),
                          256, 0, stream>>>(
        rows, row_map, state.extension.heads.template as<std::uint64_t>(), sums);
    std::size_t bytes = 0;
    cuda::check(cub::DeviceScan::ExclusiveSum(nullptr, bytes, row_map, row_map, rows + 1, stream),
                "araios::spgemm_plan: scan");
    cuda::buffer const temporary(space, "araios::spgemm::scan", bytes);
    cuda::check(cub::DeviceScan::ExclusiveSum(temporary.as<void>(), bytes, row_map, row_map,
                                              rows + 1, stream),
                "araios::spgemm_plan: scan");
    read(space, state, sums);
    finish(state);
  }
};

template <>
struct backend<spgemm_numeric, Kokkos::Cuda> {
  template <class State, class... Args>
  static bool can_run(State const* state, Args const&...) {
    return state->extension.used;
  }

  template <class State, class A, class B, class C>
    requires cuda::spgemm_ordinal<typename A::ordinal_type>
  static void run(Kokkos::Cuda const& space, State const* state, A const& a, B const& b, C const& c,
                  typename C::ordinal_type* entries) {
    using ordinal = typename A::ordinal_type;
    using sum = product_t<typename A::value_type, typename B::value_type>;
    cuda::on_device const device(space);
    auto const& extension = state->extension;
    extension.use_on(space);
    auto* const error = state->control.error();
    auto const list = [&](int bin) { return extension.template rows<ordinal>(bin); };
    cuda::forked_launches launches(space.cuda_stream(), extension.side);
    int const mask_words = cuda::words_of_mask(extension.masks.row_columns, b.num_cols);
    auto const launch_masks = [&](cuda::row_list<ordinal> rows, int threads, int words,
                                  int capacity) {
      if (rows.count == 0) return;
      auto const bytes = cuda::window_bytes<sum>(words, capacity);
      auto const kernel = cuda::multiply_by_mask<A, B, C>;
      cuda::allow_shared(space, kernel);
      kernel<<<static_cast<unsigned>(rows.count), threads, bytes, launches.next()>>>(
          a, b, c, entries, rows, words, capacity, error);
    };
    if (extension.small) {
      cuda::row_list<ordinal> const all{nullptr, static_cast<int>(a.num_rows)};
      bool done = false;
      cuda::each_bin<tuning::cuda::spgemm_sort_bins>([&](auto lanes, auto items, int) {
        if (done || extension.longest > lanes() * items()) return;
        auto const blocks = ceil_div(std::int64_t{all.count} * lanes(), cuda::sort_threads);
        cuda::multiply_by_sorting<lanes(), items(), std::uint32_t>
            <<<static_cast<unsigned>(blocks), cuda::sort_threads, 0, launches.next()>>>(
                a, b, c, entries, all, error);
        done = true;
      });
      if (!done)
        launch_masks(all, tuning::cuda::spgemm_small_threads, mask_words,
                     static_cast<int>(ceil_div(b.num_cols, 2) * 2));
      cuda::check(cudaGetLastError(), "araios::spgemm_plan::multiply");
      return;
    }

    if (auto const rows = list(cuda::row_class::empty); rows.count > 0)
      cuda::check_empty_rows<<<static_cast<unsigned>(ceil_div(rows.count, 256)), 256, 0,
                               launches.next()>>>(a, b, rows, error);
    if (extension.num_pieces > 0) {
      int const capacity = tuning::cuda::spgemm_piece_columns;
      auto const bytes = cuda::window_bytes<sum>(mask_words, capacity);
      auto const kernel = cuda::multiply_pieces<A, B, C>;
      cuda::allow_shared(space, kernel);
      kernel<<<
          static_cast<unsigned>(extension.num_pieces),
          tuning::cuda::spgemm_mask_bins.bins[tuning::cuda::spgemm_mask_bins.count - 1].threads,
          bytes, launches.next()>>>(a, b, c, entries,
                                    extension.pieces.template as<cuda::row_piece>(), mask_words,
                                    capacity, error);
    }
    for (int i = tuning::cuda::spgemm_mask_bins.count; i-- > 0;)
      launch_masks(
          list(cuda::row_class::single + i), tuning::cuda::spgemm_mask_bins.bins[i].threads,
          cuda::words_of_mask(std::min<std::int64_t>(extension.masks.row_columns,
                                                     extension.span[cuda::row_class::single + i]),
                              b.num_cols),
          tuning::cuda::spgemm_mask_bins.bins[i].products);
    cuda::each_run_class<ordinal>(
        extension, [&](int bin_number, tuning::cuda::spgemm_run_bin const& bin, auto rows) {
          using run_memory = cuda::run_memory<sum, typename B::offset_type>;
          int const words = cuda::words_of_runs<run_memory>(extension, bin_number, b.num_cols);
          auto const launch = [&](auto const kernel, auto const... kept) {
            cuda::allow_shared(space, kernel);
            kernel<<<static_cast<unsigned>(rows.count), bin.threads, run_memory::bytes(bin),
                     launches.next()>>>(a, b, c, entries, kept...,
                                        extension.heads.template as<std::uint64_t>(), rows, words,
                                        bin.sums, bin.products, error);
          };
          if (bin.threads == cuda::warp_size)
            launch(cuda::multiply_short_runs<A, B, C>);
          else
            cuda::with_run_blocks(bin, [&](auto blocks) {
              launch(cuda::multiply_runs<false, blocks(), A, B, C>,
                     static_cast<char const*>(nullptr));
            });
        });
    cuda::each_sorted_class<ordinal>(
        extension, b.num_cols,
        [&](auto is_tile, auto lanes, auto items, auto key, auto rows, unsigned blocks) {
          if constexpr (is_tile)
            cuda::multiply_by_tile<lanes(), items(), decltype(key)>
                <<<blocks, cuda::sort_threads, 0, launches.next()>>>(a, b, c, entries, rows, error);
          else
            cuda::multiply_by_sorting<lanes(), items(), decltype(key)>
                <<<blocks, cuda::sort_threads, 0, launches.next()>>>(a, b, c, entries, rows, error);
        });
    cuda::check(cudaGetLastError(), "araios::spgemm_plan::multiply");
  }
};

/// Of runs the places are kept, found once for all rows; of all other rows the factors.
template <>
struct backend<spgemm_keep, Kokkos::Cuda> {
  template <class State, class... Args>
  static bool can_run(State const* state, Args const&...) {
    return state->extension.used;
  }

  template <class State, class A, class B>
    requires cuda::spgemm_ordinal<typename A::ordinal_type>
  static void run(Kokkos::Cuda const& space, State* state, A const& a, B const& b) {
    using ordinal = typename A::ordinal_type;
    using offset = typename decltype(state->row_map)::value_type;
    using sum = product_t<typename A::value_type, typename B::value_type>;
    using run_memory = cuda::run_memory<sum, typename B::offset_type>;
    cuda::on_device const device(space);
    auto& extension = state->extension;
    std::size_t bytes = 0;
    cuda::each_run_class<ordinal>(extension, [&](int, auto const& bin, auto rows) {
      if (cuda::keeps_places(bin))
        bytes += static_cast<std::size_t>(rows.count) * cuda::run_places::stride(bin.products);
    });
    extension.pieces = {};
    if (bytes == 0) {
      extension.row_ids = {};
      extension.heads = {};
      spgemm::keep_products(space, *state, a, b, spgemm::every_row{});
      return;
    }
    extension.places = cuda::buffer(space, "araios::spgemm::places_of_runs", bytes);
    auto const mark_bytes =
        static_cast<std::size_t>(ceil_div(state->a.rows, 32)) * sizeof(unsigned);
    cuda::buffer const marks(space, "araios::spgemm::rows_of_runs", mark_bytes);
    cuda::check(cudaMemsetAsync(marks.as<void>(), 0, mark_bytes, space.cuda_stream()),
                "araios::spgemm_plan");
    auto* places = extension.places.template as<char>();
    auto const* const heads = extension.heads.template as<std::uint64_t>();
    crs_view<ordinal, offset, sum const, typename Kokkos::Cuda::memory_space> const c{
        a.num_rows, b.num_cols, static_cast<offset>(state->nnz), state->row_map.data(),
        state->kept.entries.data()};
    cuda::each_run_class<ordinal>(extension, [&](int i, auto const& bin, auto rows) {
      if (!cuda::keeps_places(bin)) return;
      int const words = cuda::words_of_runs<run_memory>(extension, i, b.num_cols);
      auto const kernel = cuda::keep_places<A, B, std::remove_const_t<decltype(c)>>;
      cuda::allow_shared(space, kernel);
      kernel<<<static_cast<unsigned>(rows.count), bin.threads, run_memory::bytes(bin),
               space.cuda_stream()>>>(a, b, c, state->kept.entries.data(), places, heads, rows,
                                      words, bin.sums, bin.products, state->control.error());
      places += static_cast<std::size_t>(rows.count) * cuda::run_places::stride(bin.products);
      cuda::mark_runs<<<static_cast<unsigned>(ceil_div(rows.count, 256)), 256, 0,
                        space.cuda_stream()>>>(heads, state->a.rows, rows, marks.as<unsigned>());
    });
    cuda::check(cudaGetLastError(), "araios::spgemm_plan: launch");
    spgemm::keep_products(space, *state, a, b, cuda::unmarked_row{marks.as<unsigned>()});
  }
};

template <>
struct backend<spgemm_kept, Kokkos::Cuda> {
  template <class State, class... Args>
  static bool can_run(State const* state, Args const&...) {
    return state->extension.places.bytes() > 0;
  }

  template <class State, class A, class B, class C>
    requires cuda::spgemm_ordinal<typename A::ordinal_type>
  static void run(Kokkos::Cuda const& space, State const* state, A const& a, B const& b,
                  C const& c) {
    using ordinal = typename A::ordinal_type;
    using sum = product_t<typename A::value_type, typename B::value_type>;
    using run_memory = cuda::run_memory<sum, typename B::offset_type>;
    cuda::on_device const device(space);
    auto const& extension = state->extension;
    extension.use_on(space);
    cuda::forked_launches launches(space.cuda_stream(), extension.side);
    auto const* places = extension.places.template as<char const>();
    cuda::each_run_class<ordinal>(extension, [&](int, auto const& bin, auto rows) {
      if (!cuda::keeps_places(bin)) return;
      cuda::with_run_blocks(bin, [&](auto blocks) {
        auto const kernel = cuda::multiply_runs<true, blocks(), A, B, C>;
        cuda::allow_shared(space, kernel);
        kernel<<<static_cast<unsigned>(rows.count), bin.threads, run_memory::bytes(bin),
                 launches.next()>>>(a, b, c, static_cast<typename C::ordinal_type*>(nullptr),
                                    places, extension.heads.template as<std::uint64_t>(), rows, 0,
                                    bin.sums, bin.products, state->control.error());
      });
      places += static_cast<std::size_t>(rows.count) * cuda::run_places::stride(bin.products);
    });
    cuda::check(cudaGetLastError(), "araios::spgemm_plan::multiply");
    spgemm::multiply_kept(space, *state, a, b, c);
  }
};

}  // namespace araios::impl
