// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <araios/cuda/spgemm_mask.cuh>

/// Runs of neighbouring rows that have one pattern, shifted by a number of columns: rows of one
/// node of a finite element matrix, rows along a line of a grid.
namespace araios::impl::cuda {

/// The places that the products of a run's rows have in their rows of C. The pointers are kept in
/// registers lest the compiler loses sight of the memory that they point to.
struct run_places {
  static constexpr int max_length = tuning::cuda::spgemm_longest_pattern;
  std::uint16_t* of_product;
  std::uint16_t* begin;  ///< of entry k of A among the products
  unsigned* repeated;    ///< bit k is set if the places of entry k are those of entry k - 1

  /// Entries of A that a row of so many products can have in a run, at most.
  static __host__ __device__ constexpr int longest(int products) {
    return products < max_length ? products : max_length;
  }
  static __host__ __device__ constexpr std::size_t bytes(int products) {
    return static_cast<std::size_t>(longest(products) / 32 + 1) * 4 +
           static_cast<std::size_t>(longest(products) + 1 + products) * 2;
  }
  static __device__ run_places at(void* memory, int products) {
    auto* const repeated = static_cast<unsigned*>(memory);
    auto* const begin = reinterpret_cast<std::uint16_t*>(repeated + longest(products) / 32 + 1);
    return {begin + longest(products) + 1, begin, repeated};
  }

  /// The same aligned, so that places of runs can lie side by side and be copied 16 bytes at a
  /// time.
  static __host__ __device__ constexpr std::size_t stride(int products) {
    return (bytes(products) + 15) / 16 * 16;
  }

  __device__ bool repeats(int k) const { return (repeated[k / 32] >> (k % 32) & 1) != 0; }
};

/// Rows of a run that a group of lanes does at a time: they share the places. 3 divides the runs of
/// matrices with 3 and 6 unknowns per node.
inline constexpr int rows_at_a_time = 3;
/// Entries of A with the same places, of rows of B of one node, that are added up beforehand.
inline constexpr int entries_at_a_time = 3;

/// Shared memory of the kernels below: sums, behind them values of A and begins of rows of B for
/// some entries of the rows at hand, then the places. The mask is done with before the first are
/// needed, so that it lies where they do.
template <class Sum, class Index>
struct run_memory {
  static __host__ __device__ constexpr std::size_t before_places(int capacity, int threads) {
    auto const rows = static_cast<std::size_t>(threads) * rows_at_a_time;
    return (static_cast<std::size_t>(capacity) * sizeof(Sum) +
            rows * (sizeof(Sum) + sizeof(Index)) + 15) /
           16 * 16;
  }
  static constexpr std::size_t bytes(tuning::cuda::spgemm_run_bin const& bin) {
    return before_places(bin.sums, bin.threads) + run_places::stride(bin.products);
  }
  /// Words of the largest mask that fits.
  static constexpr int most_words(tuning::cuda::spgemm_run_bin const& bin) {
    return static_cast<int>(before_places(bin.sums, bin.threads) / 10 / 8 * 8);
  }
  static __device__ Sum* sums() { return reinterpret_cast<Sum*>(shared_memory); }
  static __device__ column_mask mask(int words) {
    auto* const first = reinterpret_cast<std::uint64_t*>(shared_memory);
    return {first, reinterpret_cast<std::uint16_t*>(first + words)};
  }
  static __device__ run_places places(int capacity, int max_products) {
    return run_places::at(shared_memory + before_places(capacity, static_cast<int>(blockDim.x)),
                          max_products);
  }
};

/// Finds the places of all products of the row `head`, and its columns, which go to `entries`.
/// Returns the number of products, or -1 if the row is not what the plan was made for.
template <class A, class B>
__device__ int find_places(A const& a, B const& b, typename A::offset_type first, int length,
                           typename B::ordinal_type* entries, int size, int words,
                           column_mask const& mask, int max_products, run_places const& places,
                           block_sums& sums) {
  using ordinal = typename B::ordinal_type;
  using index_a = typename A::offset_type;
  if (length > run_places::longest(max_products)) return -1;
  auto const last = static_cast<index_a>(first + static_cast<index_a>(length));
  int products = 0;
  for (int k0 = 0; k0 < length; k0 += static_cast<int>(blockDim.x)) {
    int const k = k0 + static_cast<int>(threadIdx.x);
    int in_row = 0;
    if (k < length) {
      auto const inner = load(a.entries + (first + static_cast<index_a>(k)));
      auto const count =
          static_cast<std::int64_t>(load(b.row_map + inner + 1) - load(b.row_map + inner));
      in_row = static_cast<int>(::min(count, std::int64_t{max_products} + 1));
    }
    int total = 0;
    int const before = products + sums.exclusive(in_row, total);
    if (k < length) places.begin[k] = static_cast<std::uint16_t>(before);
    products += total;
  }
  if (products > max_products) return -1;
  if (threadIdx.x == 0) places.begin[length] = static_cast<std::uint16_t>(products);
  clear(places.repeated, length / 32 + 1);
  clear(places.of_product, products);  // a row that has been changed may leave some unset

  int found = 0;  // columns in the windows so far
  each_window(span_of_row(a, b, first, last, words, sums), words, [&](auto columns) {
    int const used = columns.words();
    mark_row(a, b, first, last, columns, mask);
    int const in_window = mask.count(used, sums);
    if (found + in_window <= size) {
      mask.each(used, [&](int rank, int column) {
        entries[found + rank] = static_cast<ordinal>(columns.low + column);
      });
      each_product(a, b, first, last, columns, pattern_only{}, [&](int, index_a k, auto q, int j) {
        if (columns.clips) j = static_cast<int>(q - load(b.row_map + load(a.entries + k)));
        int const column = load(b.entries + q) - columns.low;
        if (inside(column, used))
          places.of_product[places.begin[static_cast<int>(k - first)] + j] =
              static_cast<std::uint16_t>(found + mask.rank(column));
      });
    }
    found += in_window;
    __syncthreads();
  });
  if (found != size) return -1;
  int const lane = lane_of_warp();
  for (int k = 1 + static_cast<int>(threadIdx.x) / warp_size; k < length;
       k += static_cast<int>(blockDim.x) / warp_size) {
    int const before = places.begin[k - 1];
    int const from = places.begin[k];
    int const count = places.begin[k + 1] - from;
    bool same = count == from - before;
    for (int j = lane; same && j < count; j += warp_size)
      same = places.of_product[before + j] == places.of_product[from + j];
    if (__all_sync(full_warp, same) && lane == 0) atomicOr(&places.repeated[k / 32], 1u << k % 32);
  }
  __syncthreads();
  return products;
}

/// Brings kept places of a row with `length` entries back to shared memory. Returns the number of
/// products, or -1 if they are those of another row.
__device__ inline int load_places(char const* kept, int length, int max_products,
                                  run_places const& places) {
  auto const from = run_places::at(const_cast<char*>(kept), max_products);
  int const products = load(from.begin + length);
  if (products > max_products) return -1;
  auto const bytes = reinterpret_cast<char const*>(from.of_product + products) - kept;
  auto* const to = reinterpret_cast<uint4*>(places.repeated);
  for (int i = static_cast<int>(threadIdx.x); i < static_cast<int>((bytes + 15) / 16);
       i += static_cast<int>(blockDim.x))
    to[i] = load(reinterpret_cast<uint4 const*>(kept) + i);
  __syncthreads();
  return products;
}

/// A run of rows, and what its first row is like.
template <class A, class C>
struct row_run {
  typename A::ordinal_type head;
  int rows;
  typename A::offset_type first;  ///< entry of A
  int length;                     ///< of the row of A
  typename C::offset_type at;     ///< entry of C
  int size;                       ///< of the row of C

  static __device__ row_run read(A const& a, C const& c, std::uint64_t const* heads,
                                 typename A::ordinal_type head) {
    auto const first = load(a.row_map + head);
    auto const at = load(c.row_map + head);
    auto const length = static_cast<std::int64_t>(load(a.row_map + head + 1) - first);
    return {head,  length_of_run(heads, head, a.num_rows),
            first, static_cast<int>(::min(length, std::int64_t{run_places::max_length + 1})),
            at,    static_cast<int>(load(c.row_map + head + 1) - at)};
  }
};

/// The first column that row `inner` of B has, by which runs are shifted; 0 if it is empty.
template <class B>
__device__ typename B::ordinal_type first_column_of(B const& b, typename B::ordinal_type inner) {
  auto const q = load(b.row_map + inner);
  return q < load(b.row_map + inner + 1) ? load(b.entries + q) : typename B::ordinal_type{0};
}

/// Columns and values of runs of short rows, a warp for each: the places of all products are
/// found once, then each lane does a row.
template <class A, class B, class C>
__global__ void __launch_bounds__(warp_size)
    multiply_short_runs(A a, B b, C c, typename C::ordinal_type* entries,
                        std::uint64_t const* heads, row_list<typename A::ordinal_type> list,
                        int words, int capacity, int max_products, std::int64_t* error) {
  using sum = product_t<typename A::value_type, typename B::value_type>;
  using ordinal = typename C::ordinal_type;
  using index_a = typename A::offset_type;
  using index_b = typename B::offset_type;
  using index_c = typename C::offset_type;
  __shared__ block_sums sums;
  using memory = run_memory<sum, typename B::offset_type>;
  sum* const all_sums = memory::sums();
  auto const places = memory::places(capacity, max_products);
  values_of<sum, A> const a_values{a};
  values_of<sum, B> const b_values{b};
  int const lane = lane_of_warp();
  auto const run = row_run<A, C>::read(a, c, heads, list[blockIdx.x]);
  int const products = find_places(a, b, run.first, run.length, entries + run.at, run.size, words,
                                   memory::mask(words), max_products, places, sums);
  int const size = run.size;
  int const rows_per_round = size * (warp_size + 1) <= capacity ? warp_size : warp_size / 2;
  int const stride = rows_per_round + 1;  // between columns: neither lanes nor columns conflict
  if (products < 0 || size == 0 || size * stride > capacity) {
    if (lane == 0) *error = 1;
    return;
  }
  ordinal const head_column = first_column_of(b, load(a.entries + run.first));
  for (int r0 = 0; r0 < run.rows; r0 += rows_per_round) {
    int const in_round = ::min(rows_per_round, run.rows - r0);
    ordinal first_column = 0;
    bool good = true;
    if (lane < in_round) {
      sum* const values = all_sums + lane;
      for (int i = 0; i < size; ++i) values[i * stride] = sum{};
      auto const row = run.head + r0 + lane;
      auto const a_begin = load(a.row_map + row);
      good = static_cast<std::int64_t>(load(a.row_map + row + 1) - a_begin) == run.length &&
             static_cast<std::int64_t>(load(c.row_map + row + 1) - load(c.row_map + row)) == size;
      constexpr int ahead = 4;  // entries of A whose rows of B are looked up at a time
      for (int k0 = 0; good && k0 < run.length; k0 += ahead) {
        index_b q[ahead];
        sum scale[ahead];
#pragma unroll
        for (int u = 0; u < ahead; ++u) {
          int const k = ::min(k0 + u, run.length - 1);
          auto const at_k = a_begin + static_cast<index_a>(k);
          auto const inner = load(a.entries + at_k);
          q[u] = load(b.row_map + inner);
          scale[u] = a_values(at_k);
          good = good && static_cast<std::int64_t>(load(b.row_map + inner + 1) - q[u]) ==
                             places.begin[k + 1] - places.begin[k];
        }
        if (!good) break;
        if (k0 == 0 && places.begin[1] > 0) first_column = load(b.entries + q[0]);
#pragma unroll
        for (int u = 0; u < ahead; ++u) {
          if (k0 + u >= run.length) break;
          int const from = places.begin[k0 + u];
          int const count = places.begin[k0 + u + 1] - from;
#pragma unroll 4
          for (int j = 0; j < count; ++j) {
            sum& target = values[places.of_product[from + j] * stride];
            target = target + scale[u] * b_values(q[u] + static_cast<index_b>(j));
          }
        }
      }
    }
    good = __all_sync(full_warp, good);
    __syncwarp();
    if (!good) {
      if (lane == 0) *error = 1;
      continue;
    }
    auto const to = load(c.row_map + run.head + r0);
    int r = 0;
    int i = lane;
    for (int t0 = 0; t0 < in_round * size; t0 += warp_size) {
      while (i >= size) {
        i -= size;
        ++r;
      }
      ordinal const shift = shuffle(full_warp, first_column, ::min(r, warp_size - 1)) - head_column;
      if (r < in_round) {
        auto const place = static_cast<index_c>(r * size + i);
        c.values[to + place] = static_cast<typename C::value_type>(all_sums[i * stride + r]);
        if (r0 + r > 0) entries[to + place] = entries[run.at + static_cast<index_c>(i)] + shift;
      }
      i += warp_size;
    }
    __syncwarp();
  }
}

/// The values of a run's rows, and with `Columns` the columns of all but the first. `refused` is
/// set if a row is not what the plan was made for.
template <bool Columns, class A, class B, class C, class Run, class Sum>
__device__ void multiply_run(A const& a, B const& b, C const& c, typename C::ordinal_type* entries,
                             Run const& run, int products, Sum* all_values, int capacity,
                             run_places const& places, Sum* all_scales,
                             typename B::offset_type* all_begins, int& refused) {
  using sum = Sum;
  using index_a = typename A::offset_type;
  using index_b = typename B::offset_type;
  using index_c = typename C::offset_type;
  constexpr int R = rows_at_a_time;
  constexpr int K = entries_at_a_time;
  int const rows = run.rows;
  int const length = run.length;
  int const size = run.size;

  // As many lanes as the rows of B have entries, about; as many groups as there is room for.
  // Groups are dealt to teams of rows, and if that leaves some, several groups share the entries
  // of a team's rows.
  int lanes = 4;
  while (lanes < warp_size && lanes * length < products) lanes *= 2;
  int const room = capacity / R;
  int const pass_size = ::min(size, room);
  int const groups = ::min(static_cast<int>(blockDim.x) / lanes, room / pass_size);
  int const teams = ::min(groups, (rows + R - 1) / R);
  int const parts = groups / teams;
  int const group = static_cast<int>(threadIdx.x) / lanes;
  bool const works = group < teams * parts;
  int const team = group % teams;
  int const part = group / teams;
  int const lane = lane_of_warp() % lanes;
  unsigned const mask = lanes_of_group(lanes);
  auto const values_at = [&](int t, int p) { return all_values + (p * teams + t) * pass_size * R; };
  sum* const values = values_at(team, works ? part : 0);
  int const per_part = ((length + parts - 1) / parts + K - 1) / K * K;
  int const batch = lanes / K * K;
  int const k_first = ::min(length, part * per_part);
  int const k_last = ::min(length, k_first + per_part);
  values_of<sum, A> const a_values{a};
  values_of<sum, B> const b_values{b};
  [[maybe_unused]] typename B::ordinal_type head_column = 0;
  if constexpr (Columns) head_column = first_column_of(b, load(a.entries + run.first));
  sum* const scale = all_scales + group * lanes * R;
  index_b* const begin_in_b = all_begins + group * lanes * R;

  for (int r0 = team * R; r0 < rows; r0 += teams * R) {  // once, if there are several parts
    index_a a_begin[R];
    bool good = true;
#pragma unroll
    for (int r = 0; r < R; ++r) {  // the last row again where there are no more
      auto const row = run.head + ::min(r0 + r, rows - 1);
      a_begin[r] = load(a.row_map + row);
      good = good && static_cast<std::int64_t>(load(a.row_map + row + 1) - a_begin[r]) == length &&
             static_cast<std::int64_t>(load(c.row_map + row + 1) - load(c.row_map + row)) == size;
    }
    for (int pass = 0; pass < size; pass += pass_size) {
      if (works)
        for (int i = lane; i < pass_size * R; i += lanes) values[i] = sum{};
      for (int k0 = k_first; works && k0 < k_last; k0 += batch) {
        int const in_batch = ::min(batch, k_last - k0);
        __syncwarp(mask);
        bool same_rows = true;  // of B, for all rows at hand
        if (good && lane < in_batch) {
          int const count = places.begin[k0 + lane + 1] - places.begin[k0 + lane];
          index_b first_begin = 0;
#pragma unroll
          for (int r = 0; r < R; ++r) {
            auto const k = a_begin[r] + static_cast<index_a>(k0 + lane);
            auto const inner = load(a.entries + k);
            auto const begin = load(b.row_map + inner);
            good = good && static_cast<std::int64_t>(load(b.row_map + inner + 1) - begin) == count;
            if (r == 0) first_begin = begin;
            same_rows = same_rows && begin == first_begin;
            begin_in_b[lane * R + r] = begin;
            scale[lane * R + r] = a_values(k);
          }
        }
        good = __all_sync(mask, good);
        same_rows = __all_sync(mask, same_rows);
        __syncwarp(mask);  // votes do not order memory
        if (!good) break;
        auto const add = [&](int place, sum const(&terms)[R]) {
          if (static_cast<unsigned>(place) < static_cast<unsigned>(pass_size)) {
#pragma unroll
            for (int r = 0; r < R; ++r) values[place * R + r] = values[place * R + r] + terms[r];
          }
        };
        if (same_rows) {  // entries of A with equal places are added up before they go there
          for (int k = 0; k < in_batch;) {
            int n = 1;
            while (n < K && k + n < in_batch && places.repeats(k0 + k + n)) ++n;
            index_b q[K];
            sum s[K][R];
#pragma unroll
            for (int u = 0; u < K; ++u) {
              int const at_k = k + (u < n ? u : 0);
              q[u] = begin_in_b[at_k * R];
#pragma unroll
              for (int r = 0; r < R; ++r) s[u][r] = scale[at_k * R + r];
            }
            int const from = places.begin[k0 + k];
            int const count = places.begin[k0 + k + 1] - from;
            auto const terms_of = [&](int j, sum(&terms)[R]) {
              auto const at_j = static_cast<index_b>(j);
              sum factor[K];
#pragma unroll
              for (int u = 0; u < K; ++u) factor[u] = b_values(q[u] + at_j);
#pragma unroll
              for (int r = 0; r < R; ++r) {
                terms[r] = s[0][r] * factor[0];
#pragma unroll
                for (int u = 1; u < K; ++u)
                  if (u < n) terms[r] = terms[r] + s[u][r] * factor[u];
              }
            };
            int j = lane;
            for (; j + lanes < count; j += 2 * lanes) {
              sum near[R], far[R];
              int const near_place = places.of_product[from + j] - pass;
              int const far_place = places.of_product[from + j + lanes] - pass;
              terms_of(j, near);
              terms_of(j + lanes, far);
              add(near_place, near);
              add(far_place, far);
            }
            if (j < count) {
              sum terms[R];
              terms_of(j, terms);
              add(places.of_product[from + j] - pass, terms);
            }
            __syncwarp(mask);
            k += n;
          }
        } else {
          for (int k = 0; k < in_batch; ++k) {
            int const from = places.begin[k0 + k];
            int const count = places.begin[k0 + k + 1] - from;
            for (int j = lane; j < count; j += lanes) {
              sum terms[R];
              int const place = places.of_product[from + j] - pass;
#pragma unroll
              for (int r = 0; r < R; ++r)
                terms[r] =
                    scale[k * R + r] * b_values(begin_in_b[k * R + r] + static_cast<index_b>(j));
              add(place, terms);
            }
            __syncwarp(mask);
          }
        }
      }
      if (works && !good) atomicExch(&refused, 1);
      if (parts > 1) {
        __syncthreads();
        good = refused == 0;
      } else {
        __syncwarp(mask);
      }
      if (works && good) {
        int const in_pass = ::min(pass_size, size - pass);
#pragma unroll
        for (int r = 0; r < R; ++r) {
          if (r0 + r >= rows) break;
          auto const c_begin = load(c.row_map + run.head + r0 + r);
          bool const copies = Columns && r0 + r > 0;
          auto const shift =
              copies ? first_column_of(b, load(a.entries + a_begin[r])) - head_column : 0;
          for (int i = part * lanes + lane; i < in_pass; i += parts * lanes) {
            auto const place = static_cast<index_c>(pass + i);
            sum total = values_at(team, 0)[i * R + r];
            for (int p = 1; p < parts; ++p) total = total + values_at(team, p)[i * R + r];
            c.values[c_begin + place] = static_cast<typename C::value_type>(total);
            if (copies) entries[c_begin + place] = entries[run.at + place] + shift;
          }
        }
      }
      if (parts > 1)
        __syncthreads();
      else
        __syncwarp(mask);
    }
  }
}

/// Columns and values of runs of rows, a block for each. The places of all products are found once;
/// then groups of lanes take some rows each, or a part of their products if there are few rows, and
/// go through it entry by entry of A: its row of B has no column twice, so that they add without
/// atomics, and repeated runs agree bit for bit. With `kept` places they are not looked for, and
/// the columns are there.
template <bool Kept, int Blocks, class A, class B, class C>
__global__ void __launch_bounds__(tuning::cuda::spgemm_run_threads, Blocks)
    multiply_runs(A a, B b, C c, [[maybe_unused]] typename C::ordinal_type* entries,
                  [[maybe_unused]] char const* kept, std::uint64_t const* heads,
                  row_list<typename A::ordinal_type> list, [[maybe_unused]] int words, int capacity,
                  int max_products, std::int64_t* error) {
  using sum = product_t<typename A::value_type, typename B::value_type>;
  [[maybe_unused]] __shared__ block_sums sums;
  __shared__ int refused;
  if (threadIdx.x == 0) refused = 0;
  using index_b = typename B::offset_type;
  using memory = run_memory<sum, index_b>;
  sum* const all_sums = memory::sums();
  sum* const all_scales = all_sums + capacity;
  auto* const all_begins = reinterpret_cast<index_b*>(all_scales + blockDim.x * rows_at_a_time);
  auto const places = memory::places(capacity, max_products);
  auto const run = row_run<A, C>::read(a, c, heads, list[blockIdx.x]);
  int products = -1;
  if constexpr (Kept) {
    if (run.length <= run_places::longest(max_products))
      products = load_places(kept + blockIdx.x * run_places::stride(max_products), run.length,
                             max_products, places);
  } else {
    products = find_places(a, b, run.first, run.length, entries + run.at, run.size, words,
                           memory::mask(words), max_products, places, sums);
  }
  if (products < 0 || run.size == 0) {
    if (threadIdx.x == 0) *error = 1;
    return;
  }
  multiply_run<!Kept>(a, b, c, entries, run, products, all_sums, capacity, places, all_scales,
                      all_begins, refused);
  __syncthreads();
  if (threadIdx.x == 0 && refused != 0) *error = 1;
}

/// Keeps the places of runs, a block for each.
template <class A, class B, class C>
__global__ void __launch_bounds__(tuning::cuda::spgemm_run_threads)
    keep_places(A a, B b, C c, typename C::ordinal_type* entries, char* kept,
                std::uint64_t const* heads, row_list<typename A::ordinal_type> list, int words,
                int capacity, int max_products, std::int64_t* error) {
  using sum = product_t<typename A::value_type, typename B::value_type>;
  __shared__ block_sums sums;
  using memory = run_memory<sum, typename B::offset_type>;
  auto const places = memory::places(capacity, max_products);
  auto const run = row_run<A, C>::read(a, c, heads, list[blockIdx.x]);
  if (find_places(a, b, run.first, run.length, entries + run.at, run.size, words,
                  memory::mask(words), max_products, places, sums) < 0) {
    if (threadIdx.x == 0) *error = 1;
    return;
  }
  auto const stride = run_places::stride(max_products);
  auto const* const from = reinterpret_cast<int const*>(places.repeated);
  auto* const to = reinterpret_cast<int*>(kept + blockIdx.x * stride);
  for (int i = static_cast<int>(threadIdx.x); i < static_cast<int>(stride / 4);
       i += static_cast<int>(blockDim.x))
    to[i] = from[i];
}

/// Sets the bits of all rows of runs.
template <class Ordinal>
__global__ void mark_runs(std::uint64_t const* heads, std::int64_t num_rows, row_list<Ordinal> list,
                          unsigned* marks) {
  std::int64_t const i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= list.count) return;
  auto const head = list[i];
  int const length = length_of_run(heads, head, num_rows);
  for (int r = 0; r < length; ++r) atomicOr(&marks[(head + r) / 32], 1u << (head + r) % 32);
}

/// Rows whose bit is not set.
struct unmarked_row {
  unsigned const* marks;
  __device__ bool operator()(std::int64_t row) const {
    return (marks[row / 32] >> (row % 32) & 1) == 0;
  }
};

}  // namespace araios::impl::cuda
