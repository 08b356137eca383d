// SPDX-License-Identifier: BSD-3-Clause
#include "device.hpp"

#ifdef KOKKOS_ENABLE_CUDA

#include <cuda_runtime.h>

namespace araios::bench {
namespace {

/// y = alpha A x + beta y by the merge path of `araios::merge_path` on CUDA, written out for
/// compressed rows with 32-bit indices: what the abstraction costs is the difference. One warp
/// takes 124 steps, as there.
constexpr int threads = 256;
constexpr int warp = 32;
constexpr int steps = 124;
constexpr int strip = 128;
constexpr unsigned everybody = 0xffffffffu;

struct start {
  int row;
  int entry;
};

__device__ start search(int rows, int nnz, int const* row_map, long long diagonal) {
  int low = static_cast<int>(max(diagonal - nnz, 0ll));
  int high = static_cast<int>(min(static_cast<long long>(rows), diagonal));
  while (low < high) {
    int const middle = low + (high - low) / 2;
    if (static_cast<long long>(row_map[middle + 1]) + middle + 1 <= diagonal)
      low = middle + 1;
    else
      high = middle;
  }
  return {low, static_cast<int>(diagonal - low)};
}

__global__ void find_starts(int rows, int nnz, int const* row_map, start* starts, int workers,
                            int share) {
  int const worker = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (worker > workers) return;
  long long const path = static_cast<long long>(rows) + nnz;
  starts[worker] = search(rows, nnz, row_map, min(path, static_cast<long long>(worker) * share));
}

/// Takes the sum of a row, where beta == 0 means that y is not read.
template <class Value>
__device__ void take(Value alpha, Value beta, Value* y, Value sum) {
  *y = beta == Value(0) ? alpha * sum : beta * *y + alpha * sum;
}

template <class Value>
__global__ void __launch_bounds__(threads)
    prepare_split_rows(int rows, int const* row_map, start const* starts, int workers, Value beta,
                       Value* y) {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
  int const worker = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (worker >= workers) return;
  auto const own = starts[worker];
  auto const before = worker > 0 ? starts[worker - 1] : start{};
  if (own.row >= rows || own.entry <= row_map[own.row]) return;
  if (before.row == own.row && before.entry > row_map[own.row]) return;  // named by that one
  take(Value(0), beta, y + own.row, Value(0));
}

template <class T>
struct alignas(sizeof(T) * 4 < 16 ? sizeof(T) * 4 : 16) four {
  T at[4];
};

template <class Value>
__global__ void __launch_bounds__(threads, 6)
    multiply(int rows, int nnz, int const* __restrict__ row_map, int const* __restrict__ columns,
             Value const* __restrict__ values, Value const* __restrict__ x,
             start const* __restrict__ starts, int workers, Value alpha, Value beta,
             Value* __restrict__ y) {
  __shared__ unsigned begins_of[threads / warp][4];
  __shared__ int rows_of[threads / warp][strip];
  int const lane = static_cast<int>(threadIdx.x) % warp;
  int const here = static_cast<int>(threadIdx.x) / warp;
  int const worker = static_cast<int>(blockIdx.x) * (threads / warp) + here;
  if (worker >= workers) return;
  unsigned* const begins = begins_of[here];
  int* const row_at = rows_of[here];
  auto const from = starts[worker];
  auto const to = starts[worker + 1];
  int const base = from.entry / 4 * 4;
  int const first = from.entry - base;
  int const last = to.entry - base;
  int const position = 4 * lane;

  int column[4];
  Value value[4];
  if (position < last && static_cast<long long>(base) + position + 4 <= nnz) {
    auto const c = *reinterpret_cast<four<int> const*>(columns + base + position);
    auto const v = *reinterpret_cast<four<Value> const*>(values + base + position);
    for (int n = 0; n < 4; ++n) {
      bool const mine = position + n >= first && position + n < last;
      column[n] = mine ? c.at[n] : -1;
      value[n] = v.at[n];
    }
  } else {
    for (int n = 0; n < 4; ++n) {
      column[n] = -1;
      value[n] = Value(0);
      if (position + n >= first && position + n < last) {
        column[n] = columns[base + position + n];
        value[n] = values[base + position + n];
      }
    }
  }
  if (lane < 4) begins[lane] = 0;
  __syncwarp();
  for (int row = from.row + lane; row <= to.row && row < rows; row += warp) {
    int const begin = row_map[row];
    if (row < to.row && begin == row_map[row + 1]) {
      take(alpha, beta, y + row, Value(0));
    } else if (begin >= from.entry && begin < to.entry) {
      atomicOr(&begins[(begin - base) / 32], 1u << (begin - base) % 32);
      row_at[begin - base] = row;
    }
  }
  __syncwarp();

  bool const continues =
      from.row < rows && row_map[from.row] < from.entry && from.entry < row_map[from.row + 1];
  int open = continues ? from.row : rows;
  unsigned const mine = begins[position / 32] >> position % 32 & 15u;
  Value before = 0, running = 0, part = 0;
  bool begun = false, has_part = false;
  int current = open;
  for (int n = 0; n < 4; ++n) {
    if (mine >> n & 1u) {
      if (begun)
        take(alpha, beta, y + current, running);
      else
        before = running;
      begun = true;
      current = row_at[position + n];
      running = 0;
    }
    if (column[n] >= 0) running += value[n] * x[column[n]];
  }
  unsigned const began = __ballot_sync(everybody, begun);
  unsigned const up_to_here = lane == warp - 1 ? everybody : (2u << lane) - 1;
  int const since =
      (began & up_to_here) != 0 ? 31 - __clz(static_cast<int>(began & up_to_here)) : 0;
  Value inclusive = running;
  for (int distance = 1; distance < warp; distance *= 2) {
    Value const other = __shfl_up_sync(everybody, inclusive, distance);
    if (lane - distance >= since) inclusive += other;
  }
  Value exclusive = __shfl_up_sync(everybody, inclusive, 1);
  if (lane == 0) exclusive = 0;
  unsigned const earlier = began & (up_to_here >> 1);
  int const owner = earlier != 0 ? 31 - __clz(static_cast<int>(earlier)) : -1;
  int const owned = __shfl_sync(everybody, current, owner < 0 ? 0 : owner);
  int const ended = owner < 0 ? open : owned;
  if (begun && ended < rows) {
    if (continues && ended == from.row) {
      part = before + exclusive;
      has_part = true;
    } else {
      take(alpha, beta, y + ended, before + exclusive);
    }
  }
  Value const carried = __shfl_sync(everybody, inclusive, warp - 1);
  if (began != 0) open = __shfl_sync(everybody, current, 31 - __clz(static_cast<int>(began)));
  bool const whole = open < to.row && !(continues && open == from.row);
  if (lane == 0 && first < last && whole) take(alpha, beta, y + open, carried);
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
  if (has_part) atomicAdd(y + from.row, alpha * part);
  if (lane == 0 && first < last && !whole && open < rows) atomicAdd(y + open, alpha * carried);
}

template <class Value>
class by_hand : public candidate {
 public:
  explicit by_hand(inputs const& in) : operands_(space_, in) {}

  void prepare() override {
    std::int64_t const path = std::int64_t{operands_.a.num_rows()} + operands_.a.nnz();
    if (path == 0 || path > std::numeric_limits<int>::max())
      throw std::invalid_argument("merge_path_by_hand: no rows, or more than an int counts");
    workers_ = static_cast<int>((path + steps - 1) / steps);
    starts_ = Kokkos::View<start*, device_memory>("starts", workers_ + 1);
    auto const share = static_cast<int>((path + workers_ - 1) / workers_);
    find_starts<<<workers_ / threads + 1, threads, 0, space_.cuda_stream()>>>(
        operands_.a.num_rows(), operands_.a.nnz(), operands_.a.row_map.data(), starts_.data(),
        workers_, share);
  }
  void run(std::int64_t calls) override {
    auto const& a = operands_.a;
    cudaLaunchAttribute early{};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t how{};
    how.gridDim = dim3(static_cast<unsigned>((workers_ + threads / warp - 1) / (threads / warp)));
    how.blockDim = dim3(threads);
    how.stream = space_.cuda_stream();
    how.attrs = &early;
    how.numAttrs = space_.cuda_device_prop().major >= 9 ? 1 : 0;
    for (std::int64_t k = 0; k < calls; ++k) {
      prepare_split_rows<<<(workers_ + threads - 1) / threads, threads, 0, space_.cuda_stream()>>>(
          a.num_rows(), a.row_map.data(), starts_.data(), workers_, Value(0), operands_.y.data());
      cudaLaunchKernelEx(
          &how, multiply<Value>, a.num_rows(), a.nnz(), static_cast<int const*>(a.row_map.data()),
          static_cast<int const*>(a.entries.data()), static_cast<Value const*>(a.values.data()),
          static_cast<Value const*>(operands_.x.data()), static_cast<start const*>(starts_.data()),
          workers_, Value(1), Value(0), operands_.y.data());
    }
    if (cudaGetLastError() != cudaSuccess)
      throw std::runtime_error("merge_path_by_hand: a launch failed");
    space_.fence("araios-bench");
  }
  any_result result() const override { return operands_.result(); }

 private:
  device_space space_;
  vector_operands<device_vector<Value>> operands_;
  Kokkos::View<start*, device_memory> starts_;
  int workers_ = 0;
};

__global__ void do_nothing() {}

/// What a launch costs. y is the host's.
class empty_kernel : public candidate {
 public:
  explicit empty_kernel(inputs const& in) : y_(host_product(in)) {}
  void run(std::int64_t calls) override {
    for (std::int64_t k = 0; k < calls; ++k) do_nothing<<<1, 32, 0, space_.cuda_stream()>>>();
    space_.fence("araios-bench");
  }
  any_result result() const override { return y_; }

 private:
  dense_result y_;
  device_space space_;
};

}  // namespace

implementations cuda_spmv_yardsticks() {
  return {{"merge_path_by_hand", "",
           [](inputs const& in) {
             return with_scalar(in, [&]<class Value>(Value) {
               return std::unique_ptr<candidate>(new by_hand<Value>(in));
             });
           }},
          {"empty_kernel", "",
           [](inputs const& in) { return std::unique_ptr<candidate>(new empty_kernel(in)); }}};
}

}  // namespace araios::bench

#else

namespace araios::bench {
implementations cuda_spmv_yardsticks() { return {}; }
}  // namespace araios::bench

#endif
