// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <araios/cuda/spgemm_products.cuh>
#include <araios/cuda/tuning/spgemm.hpp>
#include <araios/impl/fingerprint.hpp>

/// What is found out about the rows before the symbolic phase, and which rows are done together.
namespace araios::impl::cuda {

/// How a row of C is done, by its number of products. The bins of each kind follow one another.
namespace row_class {
inline constexpr int empty = 0;  ///< also the entries of such a row, which are never counted
inline constexpr int tile = 1;
inline constexpr int sort = tile + tuning::cuda::spgemm_tile_bins.count;
inline constexpr int single = sort + tuning::cuda::spgemm_sort_bins.count;
inline constexpr int run = single + tuning::cuda::spgemm_mask_bins.count;
inline constexpr int long_row = run + tuning::cuda::spgemm_run_bins.count;
inline constexpr int count = long_row + 1;
inline constexpr int member = count;  ///< of a run that an earlier row heads: not in any bin
}  // namespace row_class

/// What decides how a row is done by itself: its products, its length in A, and how many times so
/// many lanes its rows of B fill, for each of the tile bins.
struct row_shape {
  long long products;
  int length;
  int span;  ///< of the first columns of its rows of B
  int items[tuning::cuda::spgemm_tile_bins.count];
};

/// The bin of a row that is done by itself.
__host__ __device__ constexpr int class_of(row_shape const& shape) {
  auto const products = shape.products;
  if (products == 0) return row_class::empty;
  constexpr auto tile_bins = tuning::cuda::spgemm_tile_bins;
  for (int i = 0; i < tile_bins.count; ++i)
    if (shape.length <= tile_bins.bins[i].lanes && shape.items[i] <= tile_bins.bins[i].items)
      return row_class::tile + i;
  int bin = row_class::sort;
  constexpr auto sort_bins = tuning::cuda::spgemm_sort_bins;
  for (auto const& sort : sort_bins.bins) {
    if (products <= sort.lanes * sort.items) return bin;
    ++bin;
  }
  constexpr auto mask_bins = tuning::cuda::spgemm_mask_bins;
  for (auto const& mask : mask_bins.bins) {
    if (products <= mask.products) return bin;
    ++bin;
  }
  return row_class::long_row;
}

/// The bin of a run of rows with so many products each, or `count` if there is none.
__host__ __device__ constexpr int class_of_run(std::int64_t products) {
  int bin = row_class::run;
  constexpr auto run_bins = tuning::cuda::spgemm_run_bins;
  for (auto const& run : run_bins.bins) {
    if (products <= run.products) return bin;
    ++bin;
  }
  return row_class::count;
}

/// Sums over all rows, on the device.
struct row_sums {
  unsigned long long products;
  unsigned long long a_pattern;
  unsigned long long b_pattern;
  unsigned long long descents;  ///< neighbours within a row of B that do not ascend
  unsigned long long entries;
  unsigned long long pieces;   ///< of long rows
  unsigned long long longest;  ///< products of any row, of small products only
  unsigned long long windows;  ///< of the masks of rows and runs, about, if there are many columns
  int widest_b_row;            ///< columns from its first to its last
  int span_of_class[row_class::count];  ///< the largest `span` of a row of each class
  int long_a_rows;                      ///< rows of A that several blocks have to sum
  int rows_in_class[row_class::count];
  int next_in_class[row_class::count];
};

/// A row of B as the rows of A see it. The pattern is that of its columns relative to the first.
struct alignas(16) b_row {
  std::uint64_t pattern;
  int first;
  int length;
};

/// A hash of an element and its number, to be summed over a row.
__device__ inline std::uint64_t quickly_mixed(int index, int element) {
  auto z = (static_cast<std::uint64_t>(index) << 32 | static_cast<std::uint32_t>(element)) *
           0x9e3779b97f4a7c15u;
  z = (z ^ z >> 29) * 0xbf58476d1ce4e5b9u;
  return z ^ z >> 32;
}

/// The sum of the values of all threads of the block.
template <class T>
__device__ unsigned long long sum_of_block(T value) {
  __shared__ unsigned long long block_sum;
  if (threadIdx.x == 0) block_sum = 0;
  __syncthreads();
  auto const sum = sum_of_lanes(full_warp, static_cast<unsigned long long>(value));
  if (lane_of_warp() == 0) atomicAdd(&block_sum, sum);
  __syncthreads();
  auto const total = block_sum;
  __syncthreads();
  return total;
}

/// *target += the values of all threads of the block.
template <class T>
__device__ void add_to(unsigned long long* target, T value) {
  auto const sum = sum_of_block(value);
  if (threadIdx.x == 0 && sum != 0) atomicAdd(target, sum);
}

/// Rows whose heads of runs are noted in one word. 60 rather than 64, so that the rows of nodes
/// with 2, 3, 4, 5 or 6 unknowns are not torn apart; the bits left over are set.
inline constexpr int rows_per_word = 60;
/// Words of rows that a block classifies at a time.
inline constexpr int words_at_a_time = 4;

/// Row by row of B, by `lanes` lanes: pattern, first column and length; over all entries: the
/// fingerprints of both operands, as sum_products has them, and whether the rows of B ascend.
template <class A, class B>
__global__ void __launch_bounds__(256)
    survey_b(A a, B b, bool same_operands, int lanes, b_row* b_rows, row_sums* sums) {
  std::int64_t const threads = std::int64_t{gridDim.x} * blockDim.x;
  std::int64_t const thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  std::uint64_t a_pattern = 0;
  std::uint64_t b_pattern = 0;
  std::int64_t descents = 0;
  int widest = 0;
  for (std::int64_t q = thread; q < static_cast<std::int64_t>(b.nnz); q += threads) {
    auto const column = load(b.entries + q);
    b_pattern += mixed(2 * q, column);
    if (q + 1 < static_cast<std::int64_t>(b.nnz)) descents += load(b.entries + q + 1) <= column;
  }
  for (std::int64_t row = thread; row < static_cast<std::int64_t>(b.num_rows); row += threads)
    b_pattern += mixed(2 * row + 1, static_cast<std::uint64_t>(load(b.row_map + row + 1)));

  int const lane = lane_of_warp() & (lanes - 1);
  std::int64_t const rows = b.num_rows;
  int const groups_per_block = static_cast<int>(blockDim.x) / lanes;
  std::int64_t const stride = std::int64_t{gridDim.x} * groups_per_block;
  std::int64_t const rows_rounded_up =
      (rows + groups_per_block - 1) / groups_per_block * groups_per_block;
#pragma unroll 2
  for (std::int64_t row =
           std::int64_t{blockIdx.x} * groups_per_block + static_cast<int>(threadIdx.x) / lanes;
       row < rows_rounded_up; row += stride) {
    std::int64_t begin = 0;
    std::int64_t length = 0;
    int first = 0;
    if (row < rows) {
      begin = static_cast<std::int64_t>(load(b.row_map + row));
      length = static_cast<std::int64_t>(load(b.row_map + row + 1)) - begin;
      if (length > 0) {
        first = static_cast<int>(load(b.entries + begin));
        widest = ::max(widest, static_cast<int>(load(b.entries + begin + length - 1)) - first);
        if (lane == 0 && begin > 0) descents -= load(b.entries + begin - 1) >= first;
      }
    }
    bool const compared = length <= tuning::cuda::spgemm_longest_pattern;
    std::uint64_t pattern = static_cast<std::uint64_t>(compared ? length : ~row);
    if (compared)
      for (int j = lane; j < static_cast<int>(length); j += lanes)
        pattern += quickly_mixed(j, load(b.entries + begin + j) - first);
    pattern = sum_of_lanes(full_warp, pattern, lanes);
    if (lane == 0 && row < rows)
      b_rows[row] = {pattern, first, static_cast<int>(::min(length, std::int64_t{0x7fffffff}))};
  }
  if (!same_operands) {
    for (std::int64_t k = thread; k < static_cast<std::int64_t>(a.nnz); k += threads)
      a_pattern += mixed(2 * k, load(a.entries + k));
    for (std::int64_t row = thread; row < static_cast<std::int64_t>(a.num_rows); row += threads)
      a_pattern += mixed(2 * row + 1, load(a.row_map + row + 1));
  }
  add_to(&sums->b_pattern, b_pattern);
  add_to(&sums->a_pattern, same_operands ? b_pattern : a_pattern);
  add_to(&sums->descents, descents);
  for (int distance = warp_size / 2; distance > 0; distance /= 2)
    widest = ::max(widest, __shfl_xor_sync(full_warp, widest, distance));
  if (lane_of_warp() == 0 && widest > sums->widest_b_row) atomicMax(&sums->widest_b_row, widest);
}

/// The bits 0 to `bit`, below 63.
__device__ inline std::uint64_t bits_up_to(int bit) { return (std::uint64_t{2} << bit) - 1; }

/// Products of each row of A, and from them and the patterns the class of each row of C, left in
/// the row map. Two rows have one pattern in C, shifted by a number of columns, if their rows of
/// B have the same patterns at the same distances: found by comparing hashes of 64 bits with the
/// row before. Runs stay within the rows of a word; `heads` has a bit for every row that is not a
/// member of one.
template <class A, class Offset>
__global__ void __launch_bounds__(64 * words_at_a_time, 8)
    classify_rows(A a, b_row const* b_rows, int lanes, Offset* row_map, std::uint64_t* heads,
                  int* long_a_rows, bool many_columns, row_sums* sums) {
  __shared__ std::uint64_t keys[64 * words_at_a_time];
  __shared__ row_shape shapes[64 * words_at_a_time];
  __shared__ unsigned bits_of_word[2 * words_at_a_time];
  __shared__ int counts[row_class::count];
  __shared__ int spans[row_class::count];
  for (int i = static_cast<int>(threadIdx.x); i < row_class::count; i += blockDim.x)
    counts[i] = spans[i] = 0;
  int const lane = lane_of_warp() % lanes;
  int const groups = static_cast<int>(blockDim.x) / lanes;
  std::int64_t const words = (std::int64_t{a.num_rows} + rows_per_word - 1) / rows_per_word;
  long long all = 0;
  unsigned long long windows = 0;
  for (std::int64_t first_word = std::int64_t{blockIdx.x} * words_at_a_time; first_word < words;
       first_word += std::int64_t{gridDim.x} * words_at_a_time) {
    auto const row_of = [&](int i) {  // the last ones of a word are none
      return i % 64 < rows_per_word ? (first_word + i / 64) * rows_per_word + i % 64
                                    : std::int64_t{a.num_rows};
    };
    for (int i = static_cast<int>(threadIdx.x) / lanes; i < 64 * words_at_a_time; i += groups) {
      std::int64_t const row = row_of(i);
      std::int64_t begin = 0;
      std::int64_t length = 0;
      if (row < a.num_rows) {
        begin = static_cast<std::int64_t>(load(a.row_map + row));
        length = static_cast<std::int64_t>(load(a.row_map + row + 1)) - begin;
      }
      bool const compared = length <= tuning::cuda::spgemm_longest_pattern;
      int const first = compared && length > 0 ? b_rows[load(a.entries + begin)].first : 0;
      int low = first;
      int high = first;
      std::uint64_t key = 0;
      row_shape shape{0, static_cast<int>(::min(length, std::int64_t{0x7fffffff})), 0, {}};
      constexpr auto tile_bins = tuning::cuda::spgemm_tile_bins;
      if (compared)
        for (std::int64_t j = lane; j < length; j += lanes) {
          b_row const other = b_rows[load(a.entries + begin + j)];
          shape.products += other.length;
          low = ::min(low, other.first);
          high = ::max(high, other.first);
#pragma unroll
          for (int t = 0; t < tile_bins.count; ++t)
            shape.items[t] +=
                (::min(other.length, 64 * tile_bins.bins[t].lanes) + tile_bins.bins[t].lanes - 1) /
                tile_bins.bins[t].lanes;
          auto const z = (other.pattern ^ quickly_mixed(static_cast<int>(j), other.first - first)) *
                         0x94d049bb133111ebu;
          key += z ^ z >> 31;
        }
      key = sum_of_lanes(full_warp, key, lanes);
      shape.products = sum_of_lanes(full_warp, shape.products, lanes);
      for (int distance = lanes / 2; distance > 0; distance /= 2) {
        low = ::min(low, __shfl_xor_sync(full_warp, low, distance));
        high = ::max(high, __shfl_xor_sync(full_warp, high, distance));
      }
      shape.span = high - low;
      if (lane == 0 && many_columns && shape.products > tuning::cuda::spgemm_sort_products)
        windows +=
            static_cast<unsigned>(shape.span) / tuning::cuda::spgemm_masks.bins[0].row_columns;
#pragma unroll
      for (int t = 0; t < tile_bins.count; ++t)
        shape.items[t] = sum_of_lanes(full_warp, shape.items[t], lanes);
      if (lane == 0) {
        keys[i] = key + static_cast<std::uint64_t>(compared ? length : ~row);
        all += shape.products;
        if (!compared) shape.products = -1;
        shapes[i] = shape;
        if (!compared) long_a_rows[atomicAdd(&sums->long_a_rows, 1)] = static_cast<int>(row);
      }
    }
    __syncthreads();
    int const t = static_cast<int>(threadIdx.x);
    int const i = t % 64;  // within the word
    unsigned* const bits = bits_of_word + t / 64 * 2;
    auto const shape = shapes[t];
    bool const same = 0 < i && i < rows_per_word && keys[t] == keys[t - 1] && shape.products > 0 &&
                      shape.products == shapes[t - 1].products;
    unsigned const vote = __ballot_sync(full_warp, same);
    if (lane_of_warp() == 0) bits[i / warp_size] = vote;
    __syncthreads();
    int bin = row_class::empty;
    if (i < rows_per_word) {
      auto const all_same = bits[0] | std::uint64_t{bits[1]} << 32;
      int const head = 63 - __clzll(static_cast<long long>(~all_same & bits_up_to(i)));
      int const length = __ffsll(static_cast<long long>(~all_same & ~bits_up_to(head))) - 1 - head;
      int const run = class_of_run(shape.products);
      bool const in_run = length > 1 && run < row_class::count && shape.length <= shape.products &&
                          shape.products * (length - 1) >= tuning::cuda::spgemm_run_products;
      bin = !in_run ? class_of(shape) : head == i ? run : row_class::member;
      if (shape.products < 0) bin = row_class::long_row;
      if (std::int64_t const row = row_of(t); row < a.num_rows) {
        row_map[row] = static_cast<Offset>(bin);
        if (bin < row_class::count) atomicAdd(&counts[bin], 1);
        if (bin >= row_class::single && bin < row_class::long_row && shape.span > spans[bin])
          atomicMax(&spans[bin], shape.span);
      }
    }
    __syncthreads();
    unsigned const members = __ballot_sync(full_warp, bin == row_class::member);
    if (lane_of_warp() == 0) bits[i / warp_size] = ~members;
    __syncthreads();
    if (std::int64_t const word = first_word + t / 64; i == 0 && word < words)
      heads[word] = bits[0] | std::uint64_t{bits[1]} << 32;
  }
  int const i = static_cast<int>(threadIdx.x);
  if (i < row_class::count && counts[i] > 0) {
    atomicAdd(&sums->rows_in_class[i], counts[i]);
    atomicMax(&sums->span_of_class[i], spans[i]);
  }
  add_to(&sums->products, all);
  if (many_columns) add_to(&sums->windows, windows);
}

/// The products of long rows of A, several blocks each: the grid is a multiple of them.
inline constexpr int blocks_per_long_row = 8;
template <class A>
__global__ void __launch_bounds__(1024)
    sum_long_rows(A a, b_row const* b_rows, int const* long_a_rows, row_sums* sums) {
  int const part = static_cast<int>(blockIdx.x) % blocks_per_long_row;
  long long products = 0;
  for (int at = static_cast<int>(blockIdx.x) / blocks_per_long_row; at < sums->long_a_rows;
       at += static_cast<int>(gridDim.x) / blocks_per_long_row) {
    auto const row = long_a_rows[at];
    auto const end = static_cast<std::int64_t>(load(a.row_map + row + 1));
    for (auto k = static_cast<std::int64_t>(load(a.row_map + row)) + part * 1024 + threadIdx.x;
         k < end; k += blocks_per_long_row * 1024)
      products += b_rows[load(a.entries + k)].length;
  }
  add_to(&sums->products, products);
}

/// Row ids class by class; rows without products are finished. Source: OpSparse (Du et al., 2022),
/// section 5.1.
template <class Ordinal, class Offset>
__global__ void __launch_bounds__(1024)
    fill_classes(std::int64_t num_rows, Offset* row_map, Ordinal* rows, row_sums* sums) {
  __shared__ int local[row_class::count];
  int const i = static_cast<int>(threadIdx.x);
  if (i < row_class::count) local[i] = 0;
  __syncthreads();
  std::int64_t const row = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  int const bin = row < num_rows ? static_cast<int>(row_map[row]) : row_class::member;
  int place = 0;
  if (bin < row_class::count) place = atomicAdd(&local[bin], 1);
  __syncthreads();
  if (i < row_class::count) {
    int begin = 0;
    for (int other = 0; other < i; ++other) begin += sums->rows_in_class[other];
    local[i] = begin + (local[i] > 0 ? atomicAdd(&sums->next_in_class[i], local[i]) : 0);
  }
  __syncthreads();
  if (bin >= row_class::count) return;
  rows[local[bin] + place] = static_cast<Ordinal>(row);
  if (bin == row_class::empty) row_map[row] = 0;
}

/// The row that heads the run of `row`.
__device__ inline std::int64_t head_of(std::uint64_t const* heads, std::int64_t row) {
  auto const before =
      heads[row / rows_per_word] & bits_up_to(static_cast<int>(row % rows_per_word));
  return row / rows_per_word * rows_per_word + 63 - __clzll(static_cast<long long>(before));
}
/// How many rows the run has that `head` heads.
__device__ inline int length_of_run(std::uint64_t const* heads, std::int64_t head,
                                    std::int64_t num_rows) {
  int const bit = static_cast<int>(head % rows_per_word);
  auto const after = heads[head / rows_per_word] & ~bits_up_to(bit);
  int const length = __ffsll(static_cast<long long>(after)) - 1 - bit;
  return static_cast<int>(::min(std::int64_t{length}, num_rows - head));
}

/// Members of runs get the number of entries of their head, if there are runs; all entries are
/// summed.
template <class Offset>
__global__ void __launch_bounds__(256) finish_counts(std::int64_t num_rows, Offset* row_map,
                                                     std::uint64_t const* heads, row_sums* sums) {
  unsigned long long entries = 0;
  for (std::int64_t row = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; row <= num_rows;
       row += std::int64_t{gridDim.x} * blockDim.x) {
    if (row == num_rows) {
      row_map[row] = 0;
      break;
    }
    std::int64_t const head = heads == nullptr ? row : head_of(heads, row);
    auto const in_row = row_map[head];
    entries += static_cast<unsigned long long>(in_row);
    if (head != row) row_map[row] = in_row;
  }
  add_to(&sums->entries, entries);
}

}  // namespace araios::impl::cuda
