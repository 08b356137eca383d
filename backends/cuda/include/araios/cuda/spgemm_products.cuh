// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <araios/cuda/tuning/spgemm.hpp>
#include <araios/cuda/warp.cuh>

/// How the threads of a block share the products of a row.
namespace araios::impl::cuda {

/// The first of entries[first .. last) that is not below `column`, or `last`.
template <class Ordinal, class Index>
__device__ Index lower_bound(Ordinal const* entries, Index first, Index last, Ordinal column) {
  while (first < last) {
    Index const middle = first + (last - first) / 2;
    if (load(entries + middle) < column)
      first = middle + 1;
    else
      last = middle;
  }
  return first;
}

/// The columns low .. high-1 that are asked for of each row of B; all of them unless `clips`.
template <class Ordinal>
struct column_range {
  Ordinal low;
  Ordinal high;
  bool clips;

  /// Words of a mask that covers the range.
  __device__ int words() const {
    return static_cast<int>((std::int64_t{high} - std::int64_t{low} + 63) / 64);
  }
};

/// f(factor(k), k, q, j) for the products of entries first .. last-1 of A with the entries q of
/// their row of B, j being the number of q within the row; only for columns of a range if that
/// clips. The warps of the block take runs of entries of A; a row of B with at least a warp of
/// entries is done by all lanes, shorter ones are laid end to end over the lanes, and those with
/// at least a block of entries are left to the end and done by the block. Rows of B ascend if
/// there is a range.
template <class A, class B, class Factor, class F>
__device__ void each_product(A const& a, B const& b, typename A::offset_type first,
                             typename A::offset_type last,
                             column_range<typename B::ordinal_type> columns, Factor const& factor,
                             F const& f) {
  using index_a = typename A::offset_type;
  using index_b = typename B::offset_type;
  int const lane = lane_of_warp();
  int const warp = static_cast<int>(threadIdx.x) / warp_size;
  int const warps = static_cast<int>(blockDim.x) / warp_size;
  auto const count = static_cast<std::int64_t>(last - first);
  bool const shares = warps >= 4;
  int const runs_per_warp = shares ? 2 : 1;  // taken as warps get free, since rows of B differ
  int const run = static_cast<int>(
      ::min(std::int64_t{warp_size},
            ::max(std::int64_t{1}, (count + runs_per_warp * warps - 1) / (runs_per_warp * warps))));
  struct long_row {
    index_a k;
    index_b begin;
    int length;
    decltype(factor(first)) scale;
  };
  constexpr int most_long_rows = 32;
  __shared__ __align__(16) char long_rows_memory[most_long_rows * sizeof(long_row)];
  __shared__ int num_long_rows;
  __shared__ int next_run;
  auto* const long_rows = reinterpret_cast<long_row*>(long_rows_memory);
  if (shares) {
    if (threadIdx.x == 0) {
      num_long_rows = 0;
      next_run = warps;
    }
    __syncthreads();
  }
  auto const run_after = [&](std::int64_t number) {
    if (!shares) return number + warps;
    int next = 0;
    if (lane == 0) next = atomicAdd(&next_run, 1);
    return std::int64_t{shuffle(full_warp, next, 0)};
  };
  for (std::int64_t number = warp; number * run < count; number = run_after(number)) {
    std::int64_t const at = number * run;
    auto const k0 = static_cast<index_a>(first + static_cast<index_a>(at));
    index_b begin = 0;
    int length = 0;
    decltype(factor(k0)) scale{};
    if (lane < run && at + lane < count) {
      auto const k = static_cast<index_a>(k0 + static_cast<index_a>(lane));
      auto const inner = load(a.entries + k);
      begin = load(b.row_map + inner);
      index_b end = load(b.row_map + inner + 1);
      if (columns.clips) {
        begin = lower_bound(b.entries, begin, end, columns.low);
        end = lower_bound(b.entries, begin, end, columns.high);
      }
      length = static_cast<int>(end - begin);
      scale = factor(k);
      if (shares && length >= static_cast<int>(blockDim.x)) {
        int const place = atomicAdd(&num_long_rows, 1);
        if (place < most_long_rows) {
          long_rows[place] = {k, begin, length, scale};
          length = 0;
        }
      }
    }
    for (unsigned wide = __ballot_sync(full_warp, length >= warp_size); wide != 0;
         wide &= wide - 1) {
      int const source = __ffs(static_cast<int>(wide)) - 1;
      auto const q = shuffle(full_warp, begin, source);
      int const n = shuffle(full_warp, length, source);
      auto const s = shuffle(full_warp, scale, source);
#pragma unroll 4
      for (int j = lane; j < n; j += warp_size)
        f(s, static_cast<index_a>(k0 + static_cast<index_a>(source)),
          static_cast<index_b>(q + static_cast<index_b>(j)), j);
    }
    if (length >= warp_size) length = 0;
    int const inclusive = inclusive_sum(full_warp, length, lane);
    int const before = inclusive - length;
    int const total = shuffle(full_warp, inclusive, warp_size - 1);
    for (int p0 = 0; p0 < total; p0 += warp_size) {
      int const p = p0 + lane;
      int source = 0;
#pragma unroll
      for (int step = warp_size / 2; step > 0; step /= 2)
        if (shuffle(full_warp, before, source + step) <= p) source += step;
      auto const q = shuffle(full_warp, begin, source);
      int const j = p - shuffle(full_warp, before, source);
      auto const s = shuffle(full_warp, scale, source);
      if (p < total)
        f(s, static_cast<index_a>(k0 + static_cast<index_a>(source)),
          static_cast<index_b>(q + static_cast<index_b>(j)), j);
    }
  }
  if (!shares) return;
  __syncthreads();
  for (int i = 0; i < ::min(num_long_rows, most_long_rows); ++i) {
    long_row const row = long_rows[i];
#pragma unroll 2
    for (int j = static_cast<int>(threadIdx.x); j < row.length; j += static_cast<int>(blockDim.x))
      f(row.scale, row.k, static_cast<index_b>(row.begin + static_cast<index_b>(j)), j);
  }
  __syncthreads();
}

/// No factor: products of patterns.
struct pattern_only {
  template <class Index>
  __device__ int operator()(Index) const {
    return 0;
  }
};

/// The values of A in the type of the sums.
template <class Sum, class A>
struct values_of {
  A a;
  template <class Index>
  __device__ Sum operator()(Index k) const {
    return static_cast<Sum>(
        accumulator_t<std::remove_const_t<typename A::value_type>>(load(a.values + k)));
  }
};

/// A set of columns within a window, kept as bits in shared memory, with the number of columns
/// before each word once it has been counted: that gives the rank of a column, its place in the
/// row of C.
struct column_mask {
  std::uint64_t* words;
  std::uint16_t* before;  ///< there are never more columns in a window than sums in shared memory

  __device__ void add(int column) const {
    auto* const half = reinterpret_cast<unsigned*>(words) + (column >> 5);
    unsigned const bit = 1u << (column & 31);
    if ((*static_cast<unsigned volatile*>(half) & bit) == 0) atomicOr(half, bit);
  }
  __device__ int rank(int column) const {
    auto const below = words[column >> 6] & ((std::uint64_t{1} << (column & 63)) - 1);
    return before[column >> 6] + __popcll(static_cast<long long>(below));
  }
  /// Fills `before` for `count` words and returns the number of columns, to all threads.
  __device__ int count(int count, block_sums& sums) const {
    int const share = (count + static_cast<int>(blockDim.x) - 1) / static_cast<int>(blockDim.x);
    int const first = ::min(count, static_cast<int>(threadIdx.x) * share);
    int const last = ::min(count, first + share);
    int bits = 0;
    for (int word = first; word < last; ++word)
      bits += __popcll(static_cast<long long>(words[word]));
    int total = 0;
    int at = sums.exclusive(bits, total);
    for (int word = first; word < last; ++word) {
      before[word] = static_cast<std::uint16_t>(at);
      at += __popcll(static_cast<long long>(words[word]));
    }
    __syncthreads();
    return total;
  }
  /// The number of columns alone.
  __device__ int size(int count, block_sums& sums) const {
    int bits = 0;
    for (int word = static_cast<int>(threadIdx.x); word < count;
         word += static_cast<int>(blockDim.x))
      bits += __popcll(static_cast<long long>(words[word]));
    return sums.sum(bits);
  }
  /// f(rank, column) for all columns in `count` words.
  template <class F>
  __device__ void each(int count, F const& f) const {
    for (int word = static_cast<int>(threadIdx.x); word < count;
         word += static_cast<int>(blockDim.x)) {
      int rank = before[word];
      for (auto bits = words[word]; bits != 0; bits &= bits - 1)
        f(rank++, word * 64 + __ffsll(static_cast<long long>(bits)) - 1);
    }
  }
};

/// The columns that the products of a row span, from the ends of the rows of B; rounded down to a
/// multiple of 64. If `words` cover the whole matrix, long rows are not looked at, nor any row of
/// a matrix with few columns: rows of B may be unsorted there.
template <class A, class B>
__device__ column_range<typename B::ordinal_type> span_of_row(A const& a, B const& b,
                                                              typename A::offset_type first,
                                                              typename A::offset_type last,
                                                              int words, block_sums& sums) {
  using ordinal = typename B::ordinal_type;
  if (b.num_cols <= std::int64_t{words} * 64 &&
      (b.num_cols <= tuning::cuda::spgemm_small_columns ||
       static_cast<std::int64_t>(last - first) > tuning::cuda::spgemm_longest_pattern))
    return {0, b.num_cols, false};
  ordinal low = b.num_cols;
  ordinal high = 0;
  for (auto k = static_cast<std::int64_t>(first) + static_cast<int>(threadIdx.x);
       k < static_cast<std::int64_t>(last); k += static_cast<int>(blockDim.x)) {
    auto const inner = load(a.entries + k);
    auto const begin = load(b.row_map + inner);
    auto const end = load(b.row_map + inner + 1);
    if (begin == end) continue;
    low = ::min(low, load(b.entries + begin));
    high = ::max(high, static_cast<ordinal>(load(b.entries + (end - 1)) + 1));
  }
  high = sums.max(high);
  low = static_cast<ordinal>(-sums.max(-low));
  return {static_cast<ordinal>(low / 64 * 64), high, false};
}

}  // namespace araios::impl::cuda
