// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <araios/cuda/spgemm_products.cuh>

/// Rows of few products: sorted in registers, then summed by runs of equal columns.
namespace araios::impl::cuda {

/// Threads of a block of the kernels that sort.
inline constexpr int sort_threads = 256;

/// The products of a row in the registers of `Lanes` lanes: product i is item i / Lanes of lane
/// i % Lanes.
template <int Lanes, int Items, class Key, class Sum>
struct sorted_products {
  static constexpr int place_bits = 6;
  using key_type = Key;
  static constexpr Key none = ~Key{0};
  static_assert(Lanes * Items <= 1 << place_bits);
  unsigned mask;
  int lane;
  Key keys[Items];  // column, then the place where the product was gathered
  Sum sums[Items];

  /// Gathers the products of entries first .. last-1 of A. Returns whether they fit.
  template <bool Numeric, class A, class B>
  __device__ bool gather(A const& a, B const& b, typename A::offset_type first,
                         typename A::offset_type last) {
    int gathered = 0;
#pragma unroll
    for (int item = 0; item < Items; ++item) keys[item] = none;
    auto const count = static_cast<std::int64_t>(last - first);
    for (std::int64_t k0 = 0; k0 < count; k0 += Lanes) {
      auto const k = static_cast<typename A::offset_type>(
          first + static_cast<typename A::offset_type>(k0 + lane));
      typename B::offset_type begin = 0;
      int length = 0;
      Sum scale{};
      if (k0 + lane < count) {
        auto const inner = load(a.entries + k);
        begin = load(b.row_map + inner);
        length =
            static_cast<int>(::min(static_cast<std::int64_t>(load(b.row_map + inner + 1) - begin),
                                   std::int64_t{Lanes * Items + 1}));
        if constexpr (Numeric) scale = values_of<Sum, A>{a}(k);
      }
      int const inclusive = inclusive_sum(mask, length, lane, Lanes);
      int const before = inclusive - length;
      int const total = shuffle(mask, inclusive, Lanes - 1, Lanes);
#pragma unroll
      for (int item = 0; item < Items; ++item) {
        int const p = item * Lanes + lane - gathered;
        int source = 0;
#pragma unroll
        for (int step = Lanes / 2; step > 0; step /= 2)
          if (shuffle(mask, before, source + step, Lanes) <= p) source += step;
        auto const q =
            shuffle(mask, begin, source, Lanes) +
            static_cast<typename B::offset_type>(p - shuffle(mask, before, source, Lanes));
        [[maybe_unused]] auto const s = shuffle(mask, scale, source, Lanes);
        if (p < 0 || p >= total) continue;
        keys[item] = static_cast<Key>(load(b.entries + q)) << place_bits |
                     static_cast<Key>(item * Lanes + lane);
        if constexpr (Numeric) sums[item] = s * values_of<Sum, B>{b}(q);
      }
      gathered += total;
      if (gathered > Lanes * Items) return false;
    }
    return true;
  }

  /// A bitonic sorting network.
  __device__ void sort() {
#pragma unroll
    for (int size = 2; size <= Lanes * Items; size *= 2)
#pragma unroll
      for (int distance = size / 2; distance > 0; distance /= 2) {
        if (distance >= Lanes) {
          exchange(keys[0], keys[Items - 1]);  // two items at most, sorted upwards at last
        } else {
#pragma unroll
          for (int item = 0; item < Items; ++item) {
            Key const other = __shfl_xor_sync(mask, keys[item], distance, Lanes);
            int const i = item * Lanes + lane;
            bool const low = (i & distance) == 0;
            bool const up = (i & size) == 0;
            keys[item] = low == up ? ::min(keys[item], other) : ::max(keys[item], other);
          }
        }
      }
  }
  static __device__ void exchange(Key& low, Key& high) {
    Key const smaller = ::min(low, high);
    high = ::max(low, high);
    low = smaller;
  }

  __device__ Key column(int item) const { return keys[item] >> place_bits; }

  /// Lanes whose item is the first of its column.
  __device__ unsigned firsts(int item) const {
    Key before = shuffle_up(mask, keys[item], 1, Lanes);
    if (lane == 0) before = none;
    if (item > 0) {
      Key const last = shuffle(mask, keys[0], Lanes - 1, Lanes);
      if (lane == 0) before = last;
    }
    bool const first =
        keys[item] != none && (before == none || before >> place_bits != column(item));
    return (__ballot_sync(mask, first) & mask) >> (lane_of_warp() - lane);
  }
};

/// Rows that a kernel does; all of them, in order, if there is no list.
template <class Ordinal>
struct row_list {
  Ordinal const* rows;
  int count;

  __device__ Ordinal operator[](std::int64_t i) const {
    return rows == nullptr ? static_cast<Ordinal>(i) : rows[i];
  }
};

/// Counts the distinct columns of each row.
template <int Lanes, int Items, class Key, class A, class B, class Offset>
__global__ void __launch_bounds__(sort_threads)
    count_by_sorting(A a, B b, Offset* row_map, row_list<typename A::ordinal_type> list) {
  std::int64_t const group = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / Lanes;
  if (group >= list.count) return;
  auto const row = list[group];
  sorted_products<Lanes, Items, Key, int> products{lanes_of_group(Lanes), lane_of_warp() % Lanes};
  products.template gather<false>(a, b, load(a.row_map + row), load(a.row_map + row + 1));
  products.sort();
  int entries = 0;
#pragma unroll
  for (int item = 0; item < Items; ++item) entries += __popc(products.firsts(item));
  if (products.lane == 0) row_map[row] = static_cast<Offset>(entries);
}

/// Columns and values of each row. Products of one column are added in the order of A's entries but
/// for the shape of the tree: the same in every run.
template <int Lanes, int Items, class Key, class A, class B, class C>
__global__ void __launch_bounds__(sort_threads)
    multiply_by_sorting(A a, B b, C c, typename C::ordinal_type* entries,
                        row_list<typename A::ordinal_type> list, std::int64_t* error) {
  using sum = product_t<typename A::value_type, typename B::value_type>;
  using value = typename C::value_type;
  std::int64_t const group = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / Lanes;
  if (group >= list.count) return;
  auto const row = list[group];
  unsigned const mask = lanes_of_group(Lanes);
  int const lane = lane_of_warp() % Lanes;
  sorted_products<Lanes, Items, Key, sum> products{mask, lane};
  bool const fits =
      products.template gather<true>(a, b, load(a.row_map + row), load(a.row_map + row + 1));
  products.sort();
  auto const at = load(c.row_map + row);
  int const size = static_cast<int>(load(c.row_map + row + 1) - at);

  unsigned firsts[Items];
  int total = 0;
#pragma unroll
  for (int item = 0; item < Items; ++item) {
    firsts[item] = products.firsts(item);
    total += __popc(firsts[item]);
  }
  if (!fits || total != size) {
    if (lane == 0) *error = 1;
    return;
  }
  int before = 0;
  sum carried{};  // of a column that continues from the item before
#pragma unroll
  for (int item = 0; item < Items; ++item) {
    int const place = static_cast<int>(products.keys[item] & ((1 << products.place_bits) - 1));
    sum total_of_run = shuffle(mask, products.sums[0], place % Lanes, Lanes);
    if constexpr (Items > 1) {
      sum const other = shuffle(mask, products.sums[Items - 1], place % Lanes, Lanes);
      if (place >= Lanes) total_of_run = other;
    }
    bool const used = products.keys[item] != products.none;
    unsigned const heads = firsts[item];
    unsigned const up_to_here = lane == 31 ? ~0u : (2u << lane) - 1;
    unsigned const mine = heads & up_to_here;
    int const since_head = mine == 0 ? lane + 1 : lane - (31 - __clz(static_cast<int>(mine)));
#pragma unroll
    for (int distance = 1; distance < Lanes; distance *= 2) {
      sum const other = shuffle_up(mask, total_of_run, distance, Lanes);
      if (since_head >= distance && lane >= distance) total_of_run = total_of_run + other;
    }
    if (item > 0 && mine == 0) total_of_run = carried + total_of_run;
    bool last = false;  // of its column
    if (lane < Lanes - 1)
      last = (heads >> (lane + 1) & 1) != 0;
    else if (item + 1 < Items)
      last = (firsts[item + 1 < Items ? item + 1 : item] & 1) != 0;
    else
      last = true;
    typename sorted_products<Lanes, Items, Key, sum>::key_type next =
        __shfl_down_sync(mask, products.keys[item], 1, Lanes);
    if (lane < Lanes - 1) last = last || next == products.none;
    if (item + 1 < Items) {
      auto const first_of_next = shuffle(mask, products.keys[Items - 1], 0, Lanes);
      if (lane == Lanes - 1) last = last || first_of_next == products.none;
    }
    if (used && last) {
      int const rank = before + __popc(mine) - 1;
      entries[at + rank] = static_cast<typename C::ordinal_type>(products.column(item));
      c.values[at + rank] = static_cast<value>(total_of_run);
    }
    carried = shuffle(mask, total_of_run, Lanes - 1, Lanes);
    before += __popc(heads);
  }
}

}  // namespace araios::impl::cuda
