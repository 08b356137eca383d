// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <araios/cuda/spgemm_mask.cuh>

/// Small products, whose time is that of calls: two kernels count, one multiplies, whatever the
/// rows.
namespace araios::impl::cuda {

/// What a block of count_small found out.
struct small_row {
  unsigned long long products;
  unsigned long long a_pattern;
  unsigned long long b_pattern;
};

/// Entries of each row of C, a block each, by a mask of all columns; its products, and its share of
/// the fingerprints of both operands as sum_products has them.
template <class A, class B, class Offset>
__global__ void count_small(A a, B b, Offset* row_map, small_row* found) {
  __shared__ block_sums sums;
  column_mask const mask{reinterpret_cast<std::uint64_t*>(shared_memory), nullptr};
  std::int64_t const row = blockIdx.x;
  std::uint64_t a_pattern = 0;
  std::uint64_t b_pattern = 0;
  long long products = 0;
  if (row < a.num_rows) {
    auto const first = load(a.row_map + row);
    auto const last = load(a.row_map + row + 1);
    for (auto k = static_cast<std::int64_t>(first) + threadIdx.x;
         k < static_cast<std::int64_t>(last); k += blockDim.x) {
      auto const inner = load(a.entries + k);
      products += static_cast<long long>(load(b.row_map + inner + 1) - load(b.row_map + inner));
      a_pattern += mixed(2 * k, inner);
    }
    if (threadIdx.x == 0) a_pattern += mixed(2 * row + 1, last);
    mark_row(a, b, first, last, column_range<typename B::ordinal_type>{0, b.num_cols, false}, mask);
    int const entries = mask.size((b.num_cols + 63) / 64, sums);
    if (threadIdx.x == 0) row_map[row] = static_cast<Offset>(entries);
  }
  if (row < b.num_rows) {
    auto const last = load(b.row_map + row + 1);
    for (auto q = static_cast<std::int64_t>(load(b.row_map + row)) + threadIdx.x;
         q < static_cast<std::int64_t>(last); q += blockDim.x)
      b_pattern += mixed(2 * q, load(b.entries + q));
    if (threadIdx.x == 0) b_pattern += mixed(2 * row + 1, last);
  }
  small_row const all{sum_of_block(products), sum_of_block(a_pattern), sum_of_block(b_pattern)};
  if (threadIdx.x == 0) found[row] = all;
}

/// From entries per row to the row map, and all sums, which may lie in host memory; by one block.
template <class Offset>
__global__ void __launch_bounds__(1024) scan_small(int num_rows, Offset* row_map, int num_found,
                                                   small_row const* found, row_sums* totals) {
  __shared__ block_sums sums;
  small_row mine{};
  int longest = 0;
  for (int i = static_cast<int>(threadIdx.x); i < num_found; i += static_cast<int>(blockDim.x)) {
    mine.products += found[i].products;
    longest = ::max(longest, static_cast<int>(::min(found[i].products, 1ull << 30)));
    mine.a_pattern += found[i].a_pattern;
    mine.b_pattern += found[i].b_pattern;
  }
  row_sums all{};
  all.longest = static_cast<unsigned long long>(sums.max(longest));
  all.products = sum_of_block(mine.products);
  all.a_pattern = sum_of_block(mine.a_pattern);
  all.b_pattern = sum_of_block(mine.b_pattern);
  int before = 0;
  for (int first = 0; first < num_rows; first += static_cast<int>(blockDim.x)) {
    int const row = first + static_cast<int>(threadIdx.x);
    int total = 0;
    int const entries = row < num_rows ? static_cast<int>(row_map[row]) : 0;
    int const at = before + sums.exclusive(entries, total);
    if (row < num_rows) row_map[row] = static_cast<Offset>(at);
    before += total;
  }
  if (threadIdx.x == 0) {
    row_map[num_rows] = static_cast<Offset>(before);
    all.entries = static_cast<unsigned long long>(before);
    *totals = all;
  }
}

}  // namespace araios::impl::cuda
