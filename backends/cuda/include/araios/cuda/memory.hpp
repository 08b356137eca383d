// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include <araios/config.hpp>
#include <araios/error.hpp>

/// Calls of the CUDA runtime, on the device and stream of an execution space instance.
namespace araios::impl::cuda {

inline void check(cudaError_t error, char const* what) {
  require<std::runtime_error>(error == cudaSuccess, what, ": ", cudaGetErrorName(error), ", ",
                              cudaGetErrorString(error));
}

/// Makes the device of `space` the current one as long as it lives.
class on_device {
 public:
  explicit on_device(Kokkos::Cuda const& space) {
    check(cudaGetDevice(&before_), "araios: cudaGetDevice");
    changed_ = before_ != space.cuda_device();
    if (changed_) check(cudaSetDevice(space.cuda_device()), "araios: cudaSetDevice");
  }
  ~on_device() {
    if (changed_) cudaSetDevice(before_);
  }
  on_device(on_device const&) = delete;
  on_device& operator=(on_device const&) = delete;

 private:
  int before_ = 0;
  bool changed_ = false;
};

/// Device memory in the order of a stream, from the pool of the device: about 2 microseconds for
/// allocation and release together, where cudaMalloc and cudaFree take 80 and more (H200). The pool
/// belongs to the process; what it keeps when everything is released is at most `kept_bytes`.
/// Kokkos Tools see it as memory of the Cuda space. The stream of the instance must outlive it.
class buffer {
 public:
  static constexpr std::size_t kept_bytes = std::size_t{64} << 20;

  buffer() = default;
  buffer(Kokkos::Cuda const& space, char const* label, std::size_t bytes)
      : space_(space), label_(label), bytes_(bytes) {
    if (bytes == 0) return;
    check(cudaMallocFromPoolAsync(&data_, bytes, pool(space.cuda_device()), space.cuda_stream()),
          label);
    Kokkos::Tools::allocateData(Kokkos::Tools::make_space_handle("Cuda"), label_, data_, bytes_);
  }
  buffer(buffer&& other) noexcept
      : space_(other.space_),
        label_(other.label_),
        bytes_(std::exchange(other.bytes_, 0)),
        data_(std::exchange(other.data_, nullptr)) {}
  buffer& operator=(buffer&& other) noexcept {
    std::swap(space_, other.space_);
    std::swap(label_, other.label_);
    std::swap(bytes_, other.bytes_);
    std::swap(data_, other.data_);
    return *this;
  }
  ~buffer() {
    if (data_ == nullptr) return;
    Kokkos::Tools::deallocateData(Kokkos::Tools::make_space_handle("Cuda"), label_, data_, bytes_);
    cudaFreeAsync(data_, space_.cuda_stream());
  }

  /// From now on used, and one day released, in the order of this instance.
  void use_on(Kokkos::Cuda const& space) { space_ = space; }

  std::size_t bytes() const { return bytes_; }
  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  static cudaMemPool_t pool(int device) {
    static std::mutex guard;
    static std::map<int, cudaMemPool_t> pools;
    std::lock_guard const lock(guard);
    auto& found = pools[device];
    if (found == nullptr) {
      cudaMemPoolProps properties{};
      properties.allocType = cudaMemAllocationTypePinned;
      properties.location.type = cudaMemLocationTypeDevice;
      properties.location.id = device;
      check(cudaMemPoolCreate(&found, &properties), "araios: cudaMemPoolCreate");
      std::uint64_t kept = kept_bytes;
      check(cudaMemPoolSetAttribute(found, cudaMemPoolAttrReleaseThreshold, &kept),
            "araios: cudaMemPoolSetAttribute");
    }
    return found;
  }

  Kokkos::Cuda space_;
  char const* label_ = "";  // of static storage
  std::size_t bytes_ = 0;
  void* data_ = nullptr;
};

/// A little host memory that kernels write to, so that what they find is known as soon as their
/// stream is idle, without a copy. Slots are kept for the process: pinning memory is a slow call.
class host_slot {
 public:
  static constexpr std::size_t bytes = 512;

  host_slot() = default;
  static host_slot take() {
    host_slot slot;
    std::lock_guard const lock(free_slots().guard);
    auto& free = free_slots().all;
    if (free.empty()) {
      constexpr std::size_t count = 64;
      void* memory = nullptr;
      check(cudaHostAlloc(&memory, count * bytes, cudaHostAllocPortable | cudaHostAllocMapped),
            "araios: cudaHostAlloc");
      for (std::size_t i = count; i-- > 0;) free.push_back(static_cast<char*>(memory) + i * bytes);
    }
    slot.data_ = free.back();
    free.pop_back();
    return slot;
  }
  host_slot(host_slot&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  host_slot& operator=(host_slot&& other) noexcept {
    std::swap(data_, other.data_);
    return *this;
  }
  ~host_slot() {
    if (data_ == nullptr) return;
    std::lock_guard const lock(free_slots().guard);
    free_slots().all.push_back(data_);
  }

  template <class T>
  T* as() const {
    static_assert(sizeof(T) <= bytes);
    return static_cast<T*>(data_);
  }

 private:
  struct slots {
    std::mutex guard;
    std::vector<void*> all;
  };
  static slots& free_slots() {
    static auto* const all = new slots;  // plans may go after static objects have
    return *all;
  }

  void* data_ = nullptr;
};

/// Streams and events that a plan has beside the stream of its instance, kept for the process:
/// making eight of them takes 50 microseconds (H200).
class side_streams {
 public:
  static constexpr int count = 3;

  side_streams() = default;
  static side_streams take(int device) {
    side_streams taken;
    taken.device_ = device;
    std::lock_guard const lock(pool().guard);
    auto& free = pool().free[device];
    if (free.empty()) {
      auto made = std::make_unique<members>();
      check(cudaEventCreateWithFlags(&made->forked, cudaEventDisableTiming), "araios: event");
      for (int i = 0; i < count; ++i) {
        check(cudaStreamCreateWithFlags(&made->streams[i], cudaStreamNonBlocking),
              "araios: stream");
        check(cudaEventCreateWithFlags(&made->done[i], cudaEventDisableTiming), "araios: event");
      }
      free.push_back(std::move(made));
    }
    taken.all_ = std::move(free.back());
    free.pop_back();
    return taken;
  }
  side_streams(side_streams&&) noexcept = default;
  side_streams& operator=(side_streams&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(all_, other.all_);
    return *this;
  }
  ~side_streams() {
    if (all_ == nullptr) return;
    std::lock_guard const lock(pool().guard);
    pool().free[device_].push_back(std::move(all_));
  }

 private:
  friend class forked_launches;
  struct members {
    cudaEvent_t forked;
    cudaStream_t streams[count];
    cudaEvent_t done[count];
  };
  struct free_members {
    std::mutex guard;
    std::map<int, std::vector<std::unique_ptr<members>>> free;
  };
  static free_members& pool() {
    static auto* const all = new free_members;  // plans may go after static objects have
    return *all;
  }

  int device_ = 0;
  std::unique_ptr<members> all_;
};

/// Deals kernels that do not depend on each other to a stream and its side streams in turn, so that
/// the next one starts while the last blocks of the one before run; without side streams, all to
/// the one. Can be captured in a graph.
class forked_launches {
 public:
  forked_launches(cudaStream_t stream, side_streams const& side)
      : stream_(stream), side_(side.all_.get()) {
    if (side_ != nullptr) check(cudaEventRecord(side_->forked, stream_), "araios: fork");
  }
  /// The stream of the next kernel.
  cudaStream_t next() {
    int const turn = side_ == nullptr ? 0 : turns_++ % (side_streams::count + 1);
    if (turn == 0) return stream_;
    auto const stream = side_->streams[turn - 1];
    if (turn > used_) {
      check(cudaStreamWaitEvent(stream, side_->forked, 0), "araios: fork");
      used_ = turn;
    }
    return stream;
  }
  forked_launches(forked_launches const&) = delete;
  forked_launches& operator=(forked_launches const&) = delete;
  /// Lets the stream wait for all of them.
  ~forked_launches() {
    for (int i = 0; i < used_; ++i) {
      cudaEventRecord(side_->done[i], side_->streams[i]);
      cudaStreamWaitEvent(stream_, side_->done[i], 0);
    }
  }

 private:
  cudaStream_t stream_;
  side_streams::members const* side_;
  int turns_ = 0;
  int used_ = 0;
};

/// Keeps a block mapped from which the driver deals memory of up to about 1 MiB. It maps such a
/// block of 2 MiB with the first allocation in it and unmaps it with the last release: 46 and 38
/// microseconds (H200), most of a small product. Once for each device of the process, for which the
/// device is waited for; a part of the block that finds no room in older blocks, 4 KiB to 512 KiB,
/// is never released. If there is no memory, nothing is kept.
inline void keep_block_mapped(Kokkos::Cuda const& space) {
  static std::mutex guard;
  static std::set<int> done;
  std::lock_guard const lock(guard);
  if (!done.insert(space.cuda_device()).second) return;
  constexpr std::size_t block = std::size_t{2} << 20;
  auto const block_of = [](void* p) { return reinterpret_cast<std::uintptr_t>(p) / block; };
  auto const take = [](std::size_t bytes) {
    void* memory = nullptr;
    if (cudaMalloc(&memory, bytes) != cudaSuccess) cudaGetLastError();  // fails nothing else
    return memory;
  };
  void* const room = take(block / 2);
  if (room == nullptr) return;
  for (std::size_t bytes = 4096; bytes <= block / 4; bytes *= 2) {
    void* const part = take(bytes);
    if (part == nullptr || block_of(part) == block_of(room)) break;
    cudaFree(part);
  }
  cudaFree(room);
}

/// Launches a kernel that may start when the one before it in the stream lets it, and waits for it
/// itself; on chips that can do that.
template <class... Parameters>
void launch_early(Kokkos::Cuda const& space, void (*kernel)(Parameters...), unsigned blocks,
                  unsigned threads, std::type_identity_t<Parameters> const&... arguments) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = threads;
  config.stream = space.cuda_stream();
  config.attrs = &attribute;
#if ARAIOS_CUDA_ARCH >= 90  // else kernels do not wait by themselves
  config.numAttrs = space.cuda_device_prop().major >= 9 ? 1 : 0;
#endif
  check(cudaLaunchKernelEx(&config, kernel, arguments...), "araios: launch");
}

/// More than any kernel takes beside its dynamic shared memory.
inline constexpr std::size_t static_shared_bytes = 4096;

/// Allows a kernel all the dynamic shared memory there is: always the same, as other threads may be
/// about to launch it too.
template <class... Args>
void allow_shared(Kokkos::Cuda const& space, void (*kernel)(Args...)) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(space.cuda_device_prop().sharedMemPerBlockOptin -
                                              static_shared_bytes)),
        "araios: shared memory");
}

}  // namespace araios::impl::cuda
