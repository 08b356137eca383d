// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <araios/cuda/spgemm_products.cuh>
#include <araios/cuda/tuning/spgemm.hpp>
#include <araios/impl/fingerprint.hpp>

/// What is found out about the rows before the symbolic phase, and which rows are done together.
namespace araios::impl::cuda {

/// How a row of C is done, by its number of products. The bins of each kind follow one another.
namespace row_class {
inline constexpr int empty = 0;
inline constexpr int sort = 1;
inline constexpr int single = sort + static_cast<int>(tuning::cuda::spgemm_sort_bins.size());
inline constexpr int run = single + static_cast<int>(tuning::cuda::spgemm_mask_bins.size());
inline constexpr int long_row = run + static_cast<int>(tuning::cuda::spgemm_mask_bins.size());
inline constexpr int count = long_row + 1;
inline constexpr int member = count;  ///< of a run that an earlier row heads: not in any bin
}  // namespace row_class

/// The bin of a row that is done by itself.
__host__ __device__ constexpr int class_of(std::int64_t products) {
  if (products == 0) return row_class::empty;
  int bin = row_class::sort;
  constexpr auto sort_bins = tuning::cuda::spgemm_sort_bins;
  for (auto const& sort : sort_bins) {
    if (products <= sort.products()) return bin;
    ++bin;
  }
  constexpr auto mask_bins = tuning::cuda::spgemm_mask_bins;
  for (auto const& mask : mask_bins) {
    if (products <= mask.products) return bin;
    ++bin;
  }
  return row_class::long_row;
}

/// The bin of a run of rows with so many products each, or `count` if there is none.
__host__ __device__ constexpr int class_of_run(std::int64_t products) {
  int bin = row_class::run;
  constexpr auto mask_bins = tuning::cuda::spgemm_mask_bins;
  for (auto const& mask : mask_bins) {
    if (products <= mask.products) return bin;
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
  unsigned long long pieces;  ///< of long rows
  int error;
  int long_a_rows;                        ///< rows of A that a block has to sum by itself
  int rows_in_class[row_class::count];
  int next_in_class[row_class::count];
};

/// A row of B as the rows of A see it. The pattern is that of its columns relative to the first.
struct alignas(16) b_row {
  std::uint64_t pattern;
  int first;
  int length;
};

/// *target += the values of all threads of the block.
template <class T>
__device__ void add_to(unsigned long long* target, T value) {
  __shared__ unsigned long long block_sum;
  if (threadIdx.x == 0) block_sum = 0;
  __syncthreads();
  auto const sum = sum_of_lanes(full_warp, static_cast<unsigned long long>(value));
  if (lane_of_warp() == 0) atomicAdd(&block_sum, sum);
  __syncthreads();
  if (threadIdx.x == 0 && block_sum != 0) atomicAdd(target, block_sum);
  __syncthreads();
}

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
  for (std::int64_t q = thread; q < static_cast<std::int64_t>(b.nnz); q += threads) {
    auto const column = load(b.entries + q);
    b_pattern += mixed(2 * q, column);
    if (q + 1 < static_cast<std::int64_t>(b.nnz)) descents += load(b.entries + q + 1) <= column;
  }
  int const lane = lane_of_warp() % lanes;
  std::int64_t const rows = b.num_rows;
  std::int64_t const rounds = (rows * lanes + threads - 1) / threads;
  for (std::int64_t round = 0; round < rounds; ++round) {
    std::int64_t const row = (thread + round * threads) / lanes;
    std::int64_t begin = 0;
    std::int64_t length = 0;
    int first = 0;
    if (row < rows) {
      begin = static_cast<std::int64_t>(load(b.row_map + row));
      length = static_cast<std::int64_t>(load(b.row_map + row + 1)) - begin;
      if (length > 0) first = static_cast<int>(load(b.entries + begin));
    }
    std::uint64_t pattern = 0;
    if (length <= tuning::cuda::spgemm_longest_pattern)
      for (std::int64_t j = lane; j < length; j += lanes)
        pattern += mixed(j, static_cast<std::uint64_t>(load(b.entries + begin + j) - first));
    pattern = sum_of_lanes(full_warp, pattern, lanes);
    if (lane == 0 && row < rows) {
      bool const compared = length <= tuning::cuda::spgemm_longest_pattern;
      b_rows[row] = {compared ? mixed(pattern, length) : mixed(~row, length), first,
                     static_cast<int>(::min(length, std::int64_t{0x7fffffff}))};
      b_pattern += mixed(2 * row + 1, static_cast<std::uint64_t>(begin + length));
      if (length > 0 && begin > 0) descents -= load(b.entries + begin - 1) >= first;
    }
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
}

/// Products of each row of A, and from them and the patterns the class of each row of C, left in the
/// row map. Two rows have one pattern in C, shifted by a number of columns, if their rows of B have the
/// same patterns at the same distances: found by comparing hashes of 64 bits with the row before. Runs
/// stay within the 64 rows of a block; `heads` has a bit for every row that is not a member of one.
template <class A, class Offset>
__global__ void __launch_bounds__(256)
    classify_rows(A a, b_row const* b_rows, int lanes, Offset* row_map, std::uint64_t* heads,
                  int* long_a_rows, row_sums* sums) {
  constexpr int rows_per_block = 64;
  __shared__ std::uint64_t keys[rows_per_block];
  __shared__ long long products[rows_per_block];
  __shared__ unsigned same_as_before[2];
  __shared__ int counts[row_class::count];
  for (int i = static_cast<int>(threadIdx.x); i < row_class::count; i += blockDim.x) counts[i] = 0;
  int const lane = lane_of_warp() % lanes;
  int const groups = static_cast<int>(blockDim.x) / lanes;
  std::int64_t const chunks = (std::int64_t{a.num_rows} + rows_per_block - 1) / rows_per_block;
  long long all = 0;
  for (std::int64_t chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {
    std::int64_t const first_row = chunk * rows_per_block;
    for (int i = static_cast<int>(threadIdx.x) / lanes; i < rows_per_block; i += groups) {
      std::int64_t const row = first_row + i;
      std::int64_t begin = 0;
      std::int64_t length = 0;
      if (row < a.num_rows) {
        begin = static_cast<std::int64_t>(load(a.row_map + row));
        length = static_cast<std::int64_t>(load(a.row_map + row + 1)) - begin;
      }
      bool const compared = length <= tuning::cuda::spgemm_longest_pattern;
      int const first = compared && length > 0 ? b_rows[load(a.entries + begin)].first : 0;
      std::uint64_t key = 0;
      long long mine = 0;
      if (compared)
        for (std::int64_t j = lane; j < length; j += lanes) {
          b_row const other = b_rows[load(a.entries + begin + j)];
          mine += other.length;
          key += mixed(j, other.pattern + mixed(0, static_cast<std::uint64_t>(
                                                       std::int64_t{other.first} - first)));
        }
      key = sum_of_lanes(full_warp, key, lanes);
      mine = sum_of_lanes(full_warp, mine, lanes);
      if (lane == 0) {
        keys[i] = compared ? mixed(key, length) : mixed(~row, length);
        products[i] = compared ? mine : -1;
        all += mine;
        if (!compared) long_a_rows[atomicAdd(&sums->long_a_rows, 1)] = static_cast<int>(row);
      }
    }
    __syncthreads();
    int const i = static_cast<int>(threadIdx.x);
    bool same = false;
    if (i < rows_per_block) {
      same = i > 0 && keys[i] == keys[i - 1] && products[i] > 0 && products[i] == products[i - 1];
      unsigned const vote = __ballot_sync(full_warp, same);
      if (lane_of_warp() == 0) same_as_before[i / warp_size] = vote;
    }
    __syncthreads();
    if (i < rows_per_block) {
      auto const all_same = same_as_before[0] | std::uint64_t{same_as_before[1]} << 32;
      auto const up_to_here = i == 63 ? ~std::uint64_t{0} : (std::uint64_t{2} << i) - 1;
      int const head = 63 - __clzll(static_cast<long long>(~all_same & up_to_here));
      auto const after = head == 63 ? ~std::uint64_t{0} : ~(all_same >> (head + 1));
      int const length = ::min(__ffsll(static_cast<long long>(after)), rows_per_block - head);
      int bin = row_class::count;
      std::int64_t const row = first_row + i;
      if (products[i] >= 0) {
        int const run = class_of_run(products[i]);
        bool const in_run = length > 1 && run < row_class::count &&
                            products[i] * (length - 1) >= tuning::cuda::spgemm_run_products;
        bin = !in_run ? class_of(products[i]) : head == i ? run : row_class::member;
      }
      unsigned const members = __ballot_sync(full_warp, bin == row_class::member && products[i] >= 0);
      if (lane_of_warp() == 0) same_as_before[i / warp_size] = ~members;
      if (row < a.num_rows && products[i] >= 0) {
        row_map[row] = static_cast<Offset>(bin);
        if (bin < row_class::count) atomicAdd(&counts[bin], 1);
      }
    }
    __syncthreads();
    if (i == 0) heads[chunk] = same_as_before[0] | std::uint64_t{same_as_before[1]} << 32;
  }
  int const i = static_cast<int>(threadIdx.x);
  if (i < row_class::count && counts[i] > 0) atomicAdd(&sums->rows_in_class[i], counts[i]);
  add_to(&sums->products, all);
}

/// The same for rows of A that are long, a block each.
template <class A, class Offset>
__global__ void __launch_bounds__(1024)
    classify_long_rows(A a, b_row const* b_rows, Offset* row_map, int const* long_a_rows,
                       row_sums* sums) {
  __shared__ unsigned long long total;
  for (int at = static_cast<int>(blockIdx.x); at < sums->long_a_rows;
       at += static_cast<int>(gridDim.x)) {
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    std::int64_t const row = long_a_rows[at];
    auto const end = static_cast<std::int64_t>(load(a.row_map + row + 1));
    long long mine = 0;
#pragma unroll 4
    for (auto k = static_cast<std::int64_t>(load(a.row_map + row)) + threadIdx.x; k < end;
         k += blockDim.x)
      mine += b_rows[load(a.entries + k)].length;
    auto const sum = sum_of_lanes(full_warp, static_cast<unsigned long long>(mine));
    if (lane_of_warp() == 0) atomicAdd(&total, sum);
    __syncthreads();
    if (threadIdx.x == 0) {
      int const bin = class_of(static_cast<std::int64_t>(total));
      row_map[row] = static_cast<Offset>(bin);
      atomicAdd(&sums->rows_in_class[bin], 1);
      atomicAdd(&sums->products, total);
    }
    __syncthreads();
  }
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

/// The row that heads the run of `row`, from the bits of the 64 rows around it.
__device__ inline std::int64_t head_of(std::uint64_t const* heads, std::int64_t row) {
  int const bit = static_cast<int>(row % 64);
  auto const up_to_here = bit == 63 ? ~std::uint64_t{0} : (std::uint64_t{2} << bit) - 1;
  return row / 64 * 64 + 63 - __clzll(static_cast<long long>(heads[row / 64] & up_to_here));
}
/// How many rows the run has that `head` heads.
__device__ inline int length_of_run(std::uint64_t const* heads, std::int64_t head,
                                    std::int64_t num_rows) {
  int const bit = static_cast<int>(head % 64);
  auto const after = bit == 63 ? std::uint64_t{0} : heads[head / 64] >> (bit + 1);
  int const length = after == 0 ? 64 - bit : __ffsll(static_cast<long long>(after));
  return static_cast<int>(::min(std::int64_t{length}, num_rows - head));
}

/// Members of runs get the number of entries of their head; all entries are summed.
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
    std::int64_t const head = head_of(heads, row);
    auto const in_row = row_map[head];
    entries += static_cast<unsigned long long>(in_row);
    if (head != row) row_map[row] = in_row;
  }
  add_to(&sums->entries, entries);
}

}  // namespace araios::impl::cuda
