// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <type_traits>

#include <araios/cuda/tuning/spmv.hpp>
#include <araios/cuda/warp.cuh>
#include <araios/impl/merge_path.hpp>

/// Sums over the tiles of a tile set: `rows.fetch(tile, atom)` loads what a term is made of,
/// `rows.form` makes it, `rows.commit(tile, sum, complete)` takes the sum. Loading and forming are
/// apart so that many loads are in flight before the first term is formed.
namespace araios::impl::cuda {

using tuning::cuda::spmv_threads;

/// Whole tiles, `Lanes` lanes for each, which have `InFlight` atoms each in flight.
template <int Lanes, int InFlight, class Tiles, class Rows>
__global__ void __launch_bounds__(spmv_threads) sum_whole_tiles(Tiles tiles, Rows rows) {
  using tile_type = typename Tiles::tile_type;
  using atom_type = typename Tiles::atom_type;
  using index = std::make_unsigned_t<atom_type>;
  using sum = typename Rows::sum_type;
  let_next_kernel_start();
  wait_for_kernel_before();
  int const lane = static_cast<int>(threadIdx.x) % Lanes;
  std::int64_t const number =
      (std::int64_t{blockIdx.x} * blockDim.x + static_cast<int>(threadIdx.x)) / Lanes;
  bool const exists = number < static_cast<std::int64_t>(tiles.num_tiles());
  auto const tile = static_cast<tile_type>(exists ? number : 0);
  atom_type const begin = exists ? tiles.tile_begin(tile) : atom_type{0};
  auto const count = static_cast<index>(exists ? tiles.tile_end(tile) - begin : atom_type{0});
  constexpr bool strided = requires { tiles.slots_of(tile); };
  strided_slots slots{0, 1};
  if constexpr (strided)
    if (exists) slots = tiles.slots_of(tile);
  sum total{};
  auto const fetch = [&](typename Rows::fetched(&at)[InFlight], index i) {
#pragma unroll
    for (int n = 0; n < InFlight; ++n) {
      index const k = i + n * Lanes;
      at[n] = Rows::nothing();
      if (k >= count) continue;
      if constexpr (strided)
        at[n] = rows.fetch_slot(tile, slots.first + static_cast<std::size_t>(k) * slots.step);
      else
        at[n] = rows.fetch(tile, static_cast<atom_type>(begin + static_cast<atom_type>(k)));
    }
  };
  auto const form = [&](typename Rows::fetched const(&at)[InFlight]) {
#pragma unroll
    for (int n = 0; n < InFlight; ++n)
      if (at[n].exists()) total += rows.form(at[n]);
  };
  constexpr index step = Lanes * InFlight;
  if constexpr (Lanes == 1 && InFlight == 4) {  // loads the next ones before the sum needs them
    typename Rows::fetched at[InFlight], next[InFlight];
    fetch(at, static_cast<index>(lane));
    for (auto i = static_cast<index>(lane); i < count; i += step) {
      fetch(next, i + step);
      form(at);
#pragma unroll
      for (int n = 0; n < InFlight; ++n) at[n] = next[n];
    }
  } else {
    for (auto i = static_cast<index>(lane); i < count; i += step) {
      typename Rows::fetched at[InFlight];
      fetch(at, i);
      form(at);
    }
  }
#pragma unroll
  for (int distance = Lanes / 2; distance > 0; distance /= 2)
    total += shuffle_down(full_warp, total, distance, Lanes);
  if (exists && lane == 0) rows.commit(tile, total, true);
}

/// Whole tiles that are stored side by side, so that neighbouring lanes read neighbours; `Parts`
/// warps of a block share the tiles of their lanes, where there are too few of them.
template <int Parts, int InFlight, class Tiles, class Rows>
__global__ void __launch_bounds__(spmv_threads) sum_side_by_side_tiles(Tiles tiles, Rows rows) {
  using tile_type = typename Tiles::tile_type;
  using index = std::make_unsigned_t<typename Tiles::atom_type>;
  using sum = typename Rows::sum_type;
  constexpr int width = spmv_threads / Parts;
  let_next_kernel_start();
  wait_for_kernel_before();
  int const thread = static_cast<int>(threadIdx.x);
  std::int64_t const number = std::int64_t{blockIdx.x} * width + thread % width;
  bool const exists = number < static_cast<std::int64_t>(tiles.num_tiles());
  auto const tile = static_cast<tile_type>(exists ? number : 0);
  sum total{};
  if (exists) {
    // where all have the same width, columns tell which slots hold entries
    index count = 0;
    if constexpr (requires { tiles.width > 0 && tiles.group_size > 0; })
      if (tiles.width > 0) count = static_cast<index>(tiles.width);
    if (count == 0) count = static_cast<index>(tiles.tile_end(tile) - tiles.tile_begin(tile));
    auto const slots = tiles.slots_of(tile);
    auto const step = slots.step * Parts;
    int const part = thread / width;
    auto slot = slots.first + static_cast<std::size_t>(part) * slots.step;
    for (auto n = static_cast<index>(part); n < count;
         n += Parts * InFlight, slot += step * InFlight) {
      typename Rows::fetched at[InFlight];
#pragma unroll
      for (int k = 0; k < InFlight; ++k) {
        at[k] = Rows::nothing();
        if (n + k * Parts < count)
          at[k] = rows.fetch_slot(tile, slot + static_cast<std::size_t>(k) * step);
      }
#pragma unroll
      for (int k = 0; k < InFlight; ++k)
        if (at[k].exists()) total += rows.form(at[k]);
    }
  }
  if constexpr (Parts > 1) {
    __shared__ alignas(sum) char sums_of[spmv_threads * sizeof(sum)];
    auto* const sums = reinterpret_cast<sum*>(sums_of);
    sums[thread] = total;
    __syncthreads();
    if (thread >= width) return;
    for (int part = 1; part < Parts; ++part) total += sums[part * width + thread];
  }
  if (exists) rows.commit(tile, total, true);
}

/// Four neighbours in memory, loaded together.
template <class T>
struct alignas(sizeof(T) * 4 < 16 ? sizeof(T) * 4 : 16) four {
  T at[4];
};

template <class T>
__device__ four<T> load_four(T const* from) {
  using piece = std::conditional_t<sizeof(four<T>) % 16 == 0, int4, int2>;
  four<T> result;
  if constexpr (sizeof(four<T>) % sizeof(piece) == 0 && std::is_arithmetic_v<T>) {
#pragma unroll
    for (int n = 0; n < static_cast<int>(sizeof(four<T>) / sizeof(piece)); ++n)
      reinterpret_cast<piece*>(&result)[n] = __ldg(reinterpret_cast<piece const*>(from) + n);
  } else {
    result = *reinterpret_cast<four<T> const*>(from);
  }
  return result;
}

/// The four neighbours from `atom` on of a matrix whose slots are its atoms.
template <class Rows>
__device__ void fetch_four(Rows const& rows, typename Rows::atom_type atom,
                           typename Rows::fetched (&at)[4]) {
  auto const columns = load_four(rows.terms.matrix.entries + atom);
  four<typename Rows::value> const values =
      load_four<typename Rows::value>(rows.terms.matrix.values + atom);
#pragma unroll
  for (int n = 0; n < 4; ++n) at[n] = {values.at[n], columns.at[n]};
}

/// Makes the tiles that no warp gets whole ready for the sums of their parts: `rows.prepare(tile)`.
template <class Schedule, class Tiles, class Rows>
__global__ void __launch_bounds__(spmv_threads)
    prepare_split_tiles(Schedule schedule, Tiles tiles, Rows rows, std::int64_t workers) {
  let_next_kernel_start();
  std::int64_t const worker = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (worker >= workers) return;
  auto const tile = schedule.split_tile(tiles, worker, workers);
  if (tile < tiles.num_tiles()) rows.prepare(tile);
}

/// Where blocks leave their sums of a tile that several of them share; the last to come adds them,
/// in the order of the blocks. Nobody waits. Sums of the tile that goes on behind a block and of the
/// one that ends in it have places of their own.
template <class Sum>
class shared_sums {
 public:
  static constexpr bool fits =
      sizeof(Sum) <= tuning::cuda::spmv_shared_sum_bytes && std::is_trivially_copyable_v<Sum>;

  __device__ shared_sums(char* room, std::int64_t blocks)
      : going_on_(reinterpret_cast<Sum*>(room)),
        ending_(reinterpret_cast<Sum*>(room + blocks * tuning::cuda::spmv_shared_sum_bytes)),
        came_(reinterpret_cast<int*>(room + 2 * blocks * tuning::cuda::spmv_shared_sum_bytes)) {}

  /// By the lanes of a warp; `sum` is that of lane 0. True for the last of the blocks first .. last:
  /// then `sum` becomes the sum of all, and the places are free for the next launch.
  __device__ bool add(std::int64_t block, std::int64_t first, std::int64_t last, Sum& sum) {
    int complete = 0;
    if (lane_of_warp() == 0) {
      (block < last ? going_on_ : ending_)[block] = sum;
      __threadfence();
      complete = atomicAdd(came_ + first, 1) == static_cast<int>(last - first);
    }
    if (__shfl_sync(full_warp, complete, 0) == 0) return false;
    __syncwarp();
    __threadfence();
    sum = Sum{};
    for (std::int64_t other = first + lane_of_warp(); other <= last; other += warp_size)
      sum += other < last ? going_on_[other] : ending_[other];
#pragma unroll
    for (int distance = warp_size / 2; distance > 0; distance /= 2)
      sum += shuffle_down(full_warp, sum, distance, warp_size);
    __syncwarp();
    if (lane_of_warp() == 0) came_[first] = 0;
    return true;
  }

 private:
  Sum* going_on_;
  Sum* ending_;
  int* came_;
};

/// Equal shares of the merge path or of the atoms, a warp for each. A lane takes four neighbouring
/// atoms of each of `Strips` strips of 128, so that the matrix is read coalesced and all of it is
/// in flight; bits in shared memory say where tiles begin; tiles that go on from lane to lane are
/// summed by a segmented scan. Parts of tiles that warps share are added as they come, once the
/// kernel before has prepared the tiles for it; or, if `Together`, blocks leave them to the last
/// that has one: a single launch, at the price of a round trip through memory for each block, which
/// pays while all blocks run at the same time.
template <int Strips, bool Aligned, bool Together, class Schedule, class Tiles, class Rows>
__global__ void __launch_bounds__(spmv_threads, tuning::cuda::spmv_merge_blocks)
    sum_shares(Schedule schedule, Tiles tiles, Rows rows, std::int64_t workers) {
  using tile_type = typename Tiles::tile_type;
  using atom_type = typename Tiles::atom_type;
  using sum = typename Rows::sum_type;
  using fetched = typename Rows::fetched;
  constexpr int strip = 4 * warp_size;
  constexpr int warps = spmv_threads / warp_size;
  __shared__ unsigned begins_of[warps][Strips * 4];
  __shared__ tile_type tiles_of[warps][Strips * strip];
  int const lane = lane_of_warp();
  int const warp = static_cast<int>(threadIdx.x) / warp_size;
  std::int64_t const worker = std::int64_t{blockIdx.x} * warps + warp;
  std::int64_t const rank = ::min(worker + lane % 2, workers);
  auto* const begins = begins_of[warp];
  auto* const tile_at = tiles_of[warp];
  auto own = schedule.known_start(tiles, rank, workers);
  auto const num_tiles = tiles.num_tiles();
  impl::merge_point<Tiles> from, to;
  atom_type base, begin, end;
  std::int64_t t, last_tile;
  int first, last;
  bool inside;  // the tile at hand has begun before the start that this lane knows
  sum terms[Strips][4];
  for (bool known = true;; known = false) {
    from = {shuffle(full_warp, own.tile, 0), shuffle(full_warp, own.atom, 0)};
    to = {shuffle(full_warp, own.tile, 1), shuffle(full_warp, own.atom, 1)};
    // positions count from `base`, which is a multiple of four if loads have to be aligned
    base = Aligned ? from.atom / 4 * 4 : from.atom;
    first = static_cast<int>(from.atom - base);
    last = static_cast<int>(to.atom - base);
    fetched at[Strips][4];
#pragma unroll
    for (int s = 0; s < Strips; ++s) {
      int const position = s * strip + 4 * lane;
      bool whole = false;
      if constexpr (Aligned)
        whole = position < last && static_cast<std::int64_t>(base) + position + 4 <=
                                       static_cast<std::int64_t>(tiles.num_atoms());
      if (whole) {
        fetch_four(rows, static_cast<atom_type>(base + static_cast<atom_type>(position)), at[s]);
#pragma unroll
        for (int n = 0; n < 4; ++n)
          if (position + n < first || position + n >= last) at[s][n] = Rows::nothing();
      } else {
#pragma unroll
        for (int n = 0; n < 4; ++n) {
          at[s][n] = Rows::nothing();
          if (position + n >= first && position + n < last)
            at[s][n] = rows.fetch(tile_type{0}, base + static_cast<atom_type>(position + n));
        }
      }
    }
    // under way meanwhile: borders of the first tiles, and of those of this lane's start
    t = static_cast<std::int64_t>(from.tile) + lane;
    last_tile = ::min(static_cast<std::int64_t>(to.tile), static_cast<std::int64_t>(num_tiles) - 1);
    begin = end = atom_type{};
    if (t <= last_tile) {
      begin = tiles.tile_begin(static_cast<tile_type>(t));
      end = tiles.tile_end(static_cast<tile_type>(t));
    }
    auto own_begin = tiles.num_atoms(), own_end = own_begin;
    if (own.tile < num_tiles) {
      own_begin = tiles.tile_begin(own.tile);
      own_end = tiles.tile_end(own.tile);
    }
#pragma unroll
    for (int s = 0; s < Strips; ++s)
#pragma unroll
      for (int n = 0; n < 4; ++n) terms[s][n] = at[s][n].exists() ? rows.form(at[s][n]) : sum{};
    inside = own_begin < own.atom;
    if constexpr (Schedule::keeps_starts) {
      // ends of tiles have moved since the starts were found
      bool const fits = Schedule::may_be_start(own_begin, own_end, own.atom);
      if (known && __any_sync(full_warp, !fits)) {
        own = schedule.start(tiles, rank, workers);
        continue;
      }
    }
    break;
  }
  unsigned const insides = __ballot_sync(full_warp, inside);
  bool const continues = insides & 1u;                 // the first tile has begun before this share
  bool const goes_on = insides >> 1 & 1u;              // the last one goes on behind it
  bool const ends = continues && from.tile < to.tile;  // the first one ends here

  for (int i = lane; i < Strips * 4; i += warp_size) begins[i] = 0;
  __syncwarp();
  while (t <= last_tile) {
    auto const tile = static_cast<tile_type>(t);
    if (tile < to.tile && begin == end) {
      rows.commit(tile, sum{}, true);
    } else if (begin >= from.atom && begin < to.atom) {
      int const position = static_cast<int>(begin - base);
      atomicOr(&begins[position / 32], 1u << position % 32);
      tile_at[position] = tile;
    }
    t += warp_size;
    if (t > last_tile) break;
    begin = tiles.tile_begin(static_cast<tile_type>(t));
    end = tiles.tile_end(static_cast<tile_type>(t));
  }
  __syncwarp();

  tile_type open = continues ? from.tile : num_tiles;  // the tile that goes on into the strip
  sum carried{};                                       // and its sum so far
  sum head{};  // of the tile that continues, if it ends here
  bool has_head = false;
#pragma unroll
  for (int s = 0; s < Strips; ++s) {
    int const position = s * strip + 4 * lane;
    unsigned const mine = begins[position / 32] >> position % 32 & 15u;
    sum before{};   // of the tile that was open when the lane begins, until another begins
    sum running{};  // of the tile that is open
    tile_type current = open;
    bool begun = false;
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      if (mine >> n & 1u) {
        if (begun)
          rows.commit(current, running, true);
        else
          before = running;
        begun = true;
        current = tile_at[position + n];
        running = sum{};
      }
      running += terms[s][n];
    }
    unsigned const began = __ballot_sync(full_warp, begun);
    // lanes up to this one since which no tile has begun
    unsigned const up_to_here = lane == warp_size - 1 ? full_warp : (2u << lane) - 1;
    int const since =
        (began & up_to_here) != 0 ? 31 - __clz(static_cast<int>(began & up_to_here)) : 0;
    sum inclusive = running;
    if (lane == 0 && !begun) inclusive += carried;
#pragma unroll
    for (int distance = 1; distance < warp_size; distance *= 2) {
      sum const other = shuffle_up(full_warp, inclusive, distance, warp_size);
      if (lane - distance >= since) inclusive += other;
    }
    sum exclusive = shuffle_up(full_warp, inclusive, 1, warp_size);
    if (lane == 0) exclusive = carried;
    unsigned const before_here = up_to_here >> 1;
    int const owner =
        (began & before_here) != 0 ? 31 - __clz(static_cast<int>(began & before_here)) : -1;
    auto const owned = shuffle(full_warp, current, owner < 0 ? 0 : owner);
    auto const ended = owner < 0 ? open : owned;
    if (begun && ended < num_tiles) {
      if (continues && ended == from.tile) {
        head = before + exclusive;
        has_head = true;
      } else {
        rows.commit(ended, before + exclusive, true);
      }
    }
    carried = shuffle(full_warp, inclusive, warp_size - 1);
    if (began != 0) open = shuffle(full_warp, current, 31 - __clz(static_cast<int>(began)));
  }
  if (lane == 0 && first < last && open < to.tile && !(continues && open == from.tile))
    rows.commit(open, carried, true);
  // lane 0 takes the sum of the first tile, whether another begins behind it or not
  unsigned const heads = __ballot_sync(full_warp, has_head);
  head = heads != 0 ? shuffle(full_warp, head, __ffs(static_cast<int>(heads)) - 1) : carried;

  if constexpr (!Together) {
    wait_for_kernel_before();
    if (lane == 0 && first < last) {
      if (ends) rows.commit(from.tile, head, false);
      if (goes_on) rows.commit(to.tile, carried, false);
    }
  } else {
    __shared__ alignas(sum) char carried_of[warps * sizeof(sum)];
    __shared__ bool all_of[warps];  // that a warp is inside one tile from start to end
    auto* const carries = reinterpret_cast<sum*>(carried_of);
    bool const all = continues && !ends;
    if (lane == 0) {
      carries[warp] = carried;
      all_of[warp] = all;
    }
    __syncthreads();
    // adds the sums of the warps before; whether the tile has begun in one of them
    auto const add_carried = [&](sum& total) {
      for (int other = warp - 1; other >= 0; --other) {
        total = carries[other] + total;
        if (!all_of[other]) return true;
      }
      return false;
    };
    auto const add_block = [&](tile_type tile, sum total) {
      auto const of_begin = schedule.worker_of_begin(tiles, tile, workers) / warps;
      auto const of_end = schedule.worker_of_end(tiles, tile, workers) / warps;
      shared_sums<sum> sums(schedule.room(), gridDim.x);
      if (sums.add(blockIdx.x, of_begin, of_end, total) && lane == 0)
        rows.commit(tile, total, true);
    };
    if (goes_on && warp == warps - 1) {
      sum total = carried;
      if (all) add_carried(total);
      add_block(to.tile, total);
    }
    if (ends) {
      sum total = head;
      if (!add_carried(total))
        add_block(from.tile, total);
      else if (lane == 0)
        rows.commit(from.tile, total, true);
    }
  }
}

}  // namespace araios::impl::cuda
