// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <araios/cuda/spgemm_sort.cuh>

/// Rows of few products whose entries of A and rows of B are few enough that each lane of a small
/// group keeps some in registers without searching for them: product j of a row of B lies in lane
/// j % Lanes.
namespace araios::impl::cuda {

/// The keys of `Lanes` * `Items` products; when sorted, key i is item i % Items of lane i / Items.
template <int Lanes, int Items, class Key, class Sum>
struct product_tile {
  static constexpr Key none = ~Key{0};
  static constexpr int place_bits = 6;
  static_assert(Lanes * Items <= 1 << place_bits);
  unsigned mask;
  int lane;
  Key keys[Items];  // column, then the place where the product was gathered

  static __device__ product_tile of_group() {
    return {lanes_of_group(Lanes), lane_of_warp() % Lanes, {}};
  }

  /// Gathers the products of a row of A with at most `Lanes` entries; with `Numeric`, their
  /// values go to `values` at their places. Returns whether they fit.
  template <bool Numeric, class A, class B>
  __device__ bool gather(A const& a, B const& b, typename A::offset_type first,
                         typename A::offset_type last, [[maybe_unused]] Sum* values) {
    int const length = static_cast<int>(last - first);
    typename B::offset_type begin = 0;
    int in_row = 0;
    Sum scale{};
    if (lane < length) {
      auto const k = static_cast<typename A::offset_type>(first + lane);
      auto const inner = load(a.entries + k);
      begin = load(b.row_map + inner);
      in_row = static_cast<int>(load(b.row_map + inner + 1) - begin);
      if constexpr (Numeric) scale = values_of<Sum, A>{a}(k);
    }
    int k = -1;
    int j0 = 0;
    int count = 0;
    typename B::offset_type from = 0;
    Sum s{};
#pragma unroll
    for (int item = 0; item < Items; ++item) {
      keys[item] = none;
      j0 += Lanes;
      while (j0 >= count && ++k < ::min(length, Lanes)) {
        count = shuffle(mask, in_row, k, Lanes);
        from = shuffle(mask, begin, k, Lanes);
        if constexpr (Numeric) s = shuffle(mask, scale, k, Lanes);
        j0 = 0;
      }
      int const j = j0 + lane;
      if (k >= length || k >= Lanes || j >= count) continue;
      auto const q = from + static_cast<typename B::offset_type>(j);
      int const place = item * Lanes + lane;
      keys[item] = static_cast<Key>(load(b.entries + q)) << place_bits | static_cast<Key>(place);
      if constexpr (Numeric) values[place] = s * values_of<Sum, B>{b}(q);
    }
    if (j0 + Lanes < count) return false;
    int rest = 0;
    for (++k; k < ::min(length, Lanes); ++k) rest += shuffle(mask, in_row, k, Lanes);
    return rest == 0 && length <= Lanes;
  }

  /// A sorting network in which every exchange goes upwards: each merge begins with the mirror
  /// image.
  __device__ void sort() {
#pragma unroll
    for (int size = 2; size <= Lanes * Items; size *= 2) {
      exchange(size - 1);
#pragma unroll
      for (int distance = size / 4; distance > 0; distance /= 2) exchange(distance);
    }
  }

  /// Orders all pairs of keys i < (i ^ bits).
  __device__ void exchange(int bits) {
    int const item_bits = bits & (Items - 1);
    int const lane_bits = bits / Items;
    if (lane_bits == 0) {
#pragma unroll
      for (int item = 0; item < Items; ++item)
        if ((item ^ item_bits) > item) {
          Key const low = ::min(keys[item], keys[item ^ item_bits]);
          keys[item ^ item_bits] = ::max(keys[item], keys[item ^ item_bits]);
          keys[item] = low;
        }
    } else {
      bool const low = lane < (lane ^ lane_bits);
      Key others[Items];
#pragma unroll
      for (int item = 0; item < Items; ++item)
        others[item] = __shfl_xor_sync(mask, keys[item ^ item_bits], lane_bits, Lanes);
#pragma unroll
      for (int item = 0; item < Items; ++item)
        keys[item] = low ? ::min(keys[item], others[item]) : ::max(keys[item], others[item]);
    }
  }

  /// Bit `item` is set if that key is the first of its column.
  __device__ unsigned firsts() const {
    Key before = shuffle_up(mask, keys[Items - 1], 1, Lanes);
    if (lane == 0) before = none;
    unsigned bits = 0;
#pragma unroll
    for (int item = 0; item < Items; ++item) {
      Key const previous = item == 0 ? before : keys[item - 1];
      if (keys[item] != none &&
          (previous == none || previous >> place_bits != keys[item] >> place_bits))
        bits |= 1u << item;
    }
    return bits;
  }
};

/// Counts the distinct columns of each row.
template <int Lanes, int Items, class Key, class A, class B, class Offset>
__global__ void __launch_bounds__(sort_threads)
    count_by_tile(A a, B b, Offset* row_map, row_list<typename A::ordinal_type> list) {
  std::int64_t const group = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / Lanes;
  if (group >= list.count) return;
  auto const row = list[group];
  auto tile = product_tile<Lanes, Items, Key, int>::of_group();
  tile.template gather<false>(a, b, load(a.row_map + row), load(a.row_map + row + 1),
                              static_cast<int*>(nullptr));
  tile.sort();
  int const entries = sum_of_lanes(tile.mask, __popc(tile.firsts()), Lanes);
  if (tile.lane == 0) row_map[row] = static_cast<Offset>(entries);
}

/// Columns and values of each row. Equal columns are added in the order of A's entries: every run
/// of the program gives the same bits.
template <int Lanes, int Items, class Key, class A, class B, class C>
__global__ void __launch_bounds__(sort_threads)
    multiply_by_tile(A a, B b, C c, typename C::ordinal_type* entries,
                     row_list<typename A::ordinal_type> list, std::int64_t* error) {
  using sum = product_t<typename A::value_type, typename B::value_type>;
  using tile_type = product_tile<Lanes, Items, Key, sum>;
  constexpr int products = Lanes * Items;
  constexpr int groups = sort_threads / Lanes;
  __shared__ __align__(16) char value_memory[sizeof(sum) * products * groups];
  __shared__ typename C::ordinal_type columns_of[products * groups];
  std::int64_t const group = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / Lanes;
  if (group >= list.count) return;
  int const in_block = static_cast<int>(threadIdx.x) / Lanes;
  sum* const values = reinterpret_cast<sum*>(value_memory) + in_block * products;
  auto* const columns = columns_of + in_block * products;
  auto const row = list[group];
  auto tile = tile_type::of_group();
  bool const fits =
      tile.template gather<true>(a, b, load(a.row_map + row), load(a.row_map + row + 1), values);
  tile.sort();
  auto const at = load(c.row_map + row);
  int const size = static_cast<int>(load(c.row_map + row + 1) - at);
  unsigned const firsts = tile.firsts();
  int const mine = __popc(firsts);
  int const up_to_here = inclusive_sum(tile.mask, mine, tile.lane, Lanes);
  if (!fits || shuffle(tile.mask, up_to_here, Lanes - 1, Lanes) != size) {
    if (tile.lane == 0) *error = 1;
    return;
  }
  __syncwarp(tile.mask);
  sum terms[Items];
#pragma unroll
  for (int item = 0; item < Items; ++item)
    terms[item] = tile.keys[item] == tile_type::none
                      ? sum{}
                      : values[static_cast<int>(tile.keys[item] & (products - 1))];
  __syncwarp(tile.mask);

  // `lead`: of a column that began in a lane before. A column that this lane leaves open takes
  // the leads of the following lanes, up to the first in which another column begins.
  sum lead{};
  sum open{};
  int rank = up_to_here - mine - 1;
#pragma unroll
  for (int item = 0; item < Items; ++item) {
    if (firsts >> item & 1) {
      if (rank >= up_to_here - mine) values[rank] = open;
      columns[++rank] =
          static_cast<typename C::ordinal_type>(tile.keys[item] >> tile_type::place_bits);
      open = terms[item];
    } else if (rank < up_to_here - mine) {
      lead = lead + terms[item];
    } else {
      open = open + terms[item];
    }
  }
  bool joined = true;
#pragma unroll
  for (int distance = 1; distance < Lanes; ++distance) {
    sum const other = shuffle_down(tile.mask, lead, distance, Lanes);
    int const begins = __shfl_down_sync(tile.mask, mine, distance, Lanes);
    if (joined && tile.lane + distance < Lanes) open = open + other;
    joined = joined && begins == 0;
  }
  if (mine > 0) values[rank] = open;
  __syncwarp(tile.mask);
  for (int i = tile.lane; i < size; i += Lanes) {
    entries[at + i] = columns[i];
    c.values[at + i] = static_cast<typename C::value_type>(values[i]);
  }
}

}  // namespace araios::impl::cuda
