// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <araios/cuda/spgemm_rows.cuh>
#include <araios/cuda/spgemm_sort.cuh>

/// Rows of many products: their columns are marked in a mask, counted there, and summed at their
/// ranks. The masks replace hash tables: marking is two to four times as fast as inserting into a
/// table, and the row comes out sorted.
namespace araios::impl::cuda {

extern __shared__ __align__(16) char shared_memory[];

/// Words of a mask that covers `columns` columns, or all of the matrix; a multiple of 8, so that
/// what follows words and ranks in memory is aligned for any type.
__host__ __device__ constexpr int words_of_mask(std::int64_t columns, std::int64_t num_cols) {
  return static_cast<int>(((columns < num_cols ? columns : num_cols) + 511) / 512 * 8);
}

/// Whether a column lies in the words of a mask. A row of B that still is what it was when the
/// window was chosen has no other columns; one that has been changed must not lead to a stray
/// access.
__device__ inline bool inside(int column, int words) {
  return static_cast<unsigned>(column) < static_cast<unsigned>(words) * 64;
}

/// Marks the columns of a row that lie in a window.
template <class A, class B>
__device__ void mark_row(A const& a, B const& b, typename A::offset_type first,
                         typename A::offset_type last,
                         column_range<typename B::ordinal_type> columns, column_mask const& mask) {
  int const words = columns.words();
  clear(mask.words, words);
  __syncthreads();
  each_product(a, b, first, last, columns, pattern_only{}, [&](int, auto, auto q, int) {
    int const column = load(b.entries + q) - columns.low;
    if (inside(column, words)) mask.add(column);
  });
  __syncthreads();
}

/// f(columns) for the windows of at most `words` words in the columns that a row spans.
template <class Ordinal, class F>
__device__ void each_window(column_range<Ordinal> span, int words, F const& f) {
  auto const width = std::int64_t{words} * 64;
  bool const clips = std::int64_t{span.high} - span.low > width;
  for (std::int64_t low = span.low; low < span.high; low += width)
    f(column_range<Ordinal>{static_cast<Ordinal>(low),
                            static_cast<Ordinal>(::min(std::int64_t{span.high}, low + width)),
                            clips});
}

/// The entries of each row, a block for each.
template <class A, class B, class Offset>
__global__ void count_by_mask(A a, B b, Offset* row_map, row_list<typename A::ordinal_type> list,
                              int words) {
  __shared__ block_sums sums;
  column_mask const mask{reinterpret_cast<std::uint64_t*>(shared_memory), nullptr};
  auto const row = list[blockIdx.x];
  auto const first = load(a.row_map + row);
  auto const last = load(a.row_map + row + 1);
  std::int64_t entries = 0;
  each_window(span_of_row(a, b, first, last, words, sums), words, [&](auto columns) {
    mark_row(a, b, first, last, columns, mask);
    entries += mask.size(columns.words(), sums);
  });
  if (threadIdx.x == 0) row_map[row] = static_cast<Offset>(entries);
}

/// Raises the flag if rows that had no products when the plan was made have some now.
template <class A, class B>
__global__ void __launch_bounds__(256)
    check_empty_rows(A a, B b, row_list<typename A::ordinal_type> list, std::int64_t* error) {
  std::int64_t const i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= list.count) return;
  auto const row = list[i];
  auto const last = static_cast<std::int64_t>(load(a.row_map + row + 1));
  for (auto k = static_cast<std::int64_t>(load(a.row_map + row)); k < last; ++k) {
    auto const inner = load(a.entries + k);
    if (load(b.row_map + inner) != load(b.row_map + inner + 1)) *error = 1;
  }
}

/// Sums the products of a row in a window at the ranks of their columns, `capacity` of them at
/// most, and writes them from `at` on. Returns how many there are, or -1 if there is no room.
template <class Sum, class A, class B, class C>
__device__ int multiply_window(A const& a, B const& b, C const& c,
                               typename C::ordinal_type* entries, typename A::offset_type first,
                               typename A::offset_type last,
                               column_range<typename B::ordinal_type> columns,
                               column_mask const& mask, Sum* values, int capacity,
                               typename C::offset_type at, typename C::offset_type end,
                               block_sums& sums) {
  int const words = columns.words();
  mark_row(a, b, first, last, columns, mask);
  int const size = mask.count(words, sums);
  if (size > capacity || static_cast<std::int64_t>(size) > static_cast<std::int64_t>(end - at))
    return -1;
  clear(values, size);
  __syncthreads();
  values_of<Sum, B> const b_values{b};
  each_product(a, b, first, last, columns, values_of<Sum, A>{a},
               [&](Sum const& scale, auto, auto q, int) {
                 int const column = load(b.entries + q) - columns.low;
                 if (inside(column, words))
                   add_shared(values + mask.rank(column), scale * b_values(q));
               });
  __syncthreads();
  mask.each(words, [&](int rank, int column) {
    entries[at + rank] = static_cast<typename C::ordinal_type>(columns.low + column);
  });
  for (int i = static_cast<int>(threadIdx.x); i < size; i += static_cast<int>(blockDim.x))
    c.values[at + i] = static_cast<typename C::value_type>(values[i]);
  __syncthreads();
  return size;
}

/// Shared memory of multiply_window: sums, words and ranks.
template <class Sum>
constexpr std::size_t window_bytes(int words, int capacity) {
  return static_cast<std::size_t>(capacity) * sizeof(Sum) + static_cast<std::size_t>(words) * 10;
}

template <class Sum>
struct window_memory {
  Sum* values;
  column_mask mask;

  __device__ window_memory(int words, int capacity)
      : values(reinterpret_cast<Sum*>(shared_memory)),
        mask{reinterpret_cast<std::uint64_t*>(values + capacity),
             reinterpret_cast<std::uint16_t*>(reinterpret_cast<std::uint64_t*>(values + capacity) +
                                              words)} {}
};

/// Columns and values of each row, a block for each.
template <class A, class B, class C>
__global__ void multiply_by_mask(A a, B b, C c, typename C::ordinal_type* entries,
                                 row_list<typename A::ordinal_type> list, int words, int capacity,
                                 std::int64_t* error) {
  using sum = product_t<typename A::value_type, typename B::value_type>;
  __shared__ block_sums sums;
  window_memory<sum> const memory(words, capacity);
  auto const row = list[blockIdx.x];
  auto const first = load(a.row_map + row);
  auto const last = load(a.row_map + row + 1);
  auto at = load(c.row_map + row);
  auto const end = load(c.row_map + row + 1);
  bool good = true;
  each_window(span_of_row(a, b, first, last, words, sums), words, [&](auto columns) {
    if (!good) return;
    int const size = multiply_window(a, b, c, entries, first, last, columns, memory.mask,
                                     memory.values, capacity, at, end, sums);
    good = size >= 0;
    if (good) at += static_cast<typename C::offset_type>(size);
  });
  if (threadIdx.x == 0 && (!good || at != end)) *error = 1;
}

/// A part of a long row: its columns low .. low + 64 words - 1, which are `size` entries from
/// `before` on.
struct row_piece {
  int row;
  int low;
  int words;
  int size;
  std::int64_t before;
};

/// The entries of long rows, and the pieces that they are divided into: as many neighbouring
/// columns as a mask covers and shared memory holds sums for.
template <class A, class B, class Offset>
__global__ void __launch_bounds__(tuning::cuda::spgemm_long_threads)
    count_long_rows(A a, B b, Offset* row_map, row_list<typename A::ordinal_type> list, int words,
                    int piece_words, int capacity, row_piece* pieces, std::int64_t max_pieces,
                    row_sums* totals) {
  constexpr int words_per_part = tuning::cuda::spgemm_piece_columns / 64;
  constexpr int parts =
      tuning::cuda::spgemm_masks.bins[0].long_columns / tuning::cuda::spgemm_piece_columns;
  __shared__ block_sums sums;
  __shared__ int entries_of_part[parts];
  column_mask const mask{reinterpret_cast<std::uint64_t*>(shared_memory), nullptr};
  auto const row = list[blockIdx.x];
  auto const first = load(a.row_map + row);
  auto const last = load(a.row_map + row + 1);
  std::int64_t entries = 0;
  each_window(span_of_row(a, b, first, last, words, sums), words, [&](auto columns) {
    mark_row(a, b, first, last, columns, mask);
    int const used = columns.words();
    int const used_parts = (used + words_per_part - 1) / words_per_part;
    for (int part = static_cast<int>(threadIdx.x) / warp_size; part < used_parts;
         part += static_cast<int>(blockDim.x) / warp_size) {
      int bits = 0;
      for (int word = part * words_per_part + lane_of_warp();
           word < ::min(used, (part + 1) * words_per_part); word += warp_size)
        bits += __popcll(static_cast<long long>(mask.words[word]));
      bits = sum_of_lanes(full_warp, bits);
      if (lane_of_warp() == 0) entries_of_part[part] = bits;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      int begin = 0;
      while (begin < used_parts) {
        int size = entries_of_part[begin];
        int end = begin + 1;
        while (end < used_parts && size + entries_of_part[end] <= capacity &&
               (end + 1 - begin) * words_per_part <= piece_words)
          size += entries_of_part[end++];
        if (size > 0) {
          auto const place = atomicAdd(&totals->pieces, 1ull);
          if (static_cast<std::int64_t>(place) < max_pieces)
            pieces[place] = {static_cast<int>(row), columns.low + begin * words_per_part * 64,
                             ::min(used, end * words_per_part) - begin * words_per_part, size,
                             entries};
        }
        entries += size;
        begin = end;
      }
    }
    __syncthreads();
  });
  if (threadIdx.x == 0) row_map[row] = static_cast<Offset>(entries);
}

/// Columns and values of pieces of long rows, a block for each.
template <class A, class B, class C>
__global__ void multiply_pieces(A a, B b, C c, typename C::ordinal_type* entries,
                                row_piece const* pieces, int words, int capacity,
                                std::int64_t* error) {
  using sum = product_t<typename A::value_type, typename B::value_type>;
  __shared__ block_sums sums;
  window_memory<sum> const memory(words, capacity);
  row_piece const piece = pieces[blockIdx.x];
  auto const at = load(c.row_map + piece.row) + static_cast<typename C::offset_type>(piece.before);
  auto const end = load(c.row_map + piece.row + 1);
  auto const high = ::min(std::int64_t{b.num_cols}, std::int64_t{piece.low} + piece.words * 64);
  int const size = multiply_window(
      a, b, c, entries, load(a.row_map + piece.row), load(a.row_map + piece.row + 1),
      column_range<typename B::ordinal_type>{piece.low, static_cast<int>(high), true}, memory.mask,
      memory.values, ::min(capacity, piece.size), at, end, sums);
  if (threadIdx.x == 0 && size != piece.size) *error = 1;
}

}  // namespace araios::impl::cuda
