// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace support {

namespace tools = Kokkos::Tools::Experimental;

/// Counts what Kokkos does while it lives, through the tools callbacks, and puts the previous
/// callbacks back. One at a time.
class tools_counter {
 public:
  struct fence {
    std::string name;
    std::uint32_t device;  ///< as Kokkos encodes device type, number and instance
    bool global;           ///< waits for all instances
  };
  struct allocation {
    std::string label;
    std::uint64_t bytes;
  };

  std::vector<std::string> launches;  ///< names of parallel_for, parallel_reduce, parallel_scan
  std::vector<std::uint32_t> launch_devices;  ///< where they ran, as `device_id(space)`
  std::vector<fence> fences;
  std::vector<allocation> allocations;
  std::vector<allocation> deallocations;
  std::vector<std::string> deep_copies;  ///< labels of the destinations
  std::vector<std::string> regions;      ///< pushed, in order
  std::int64_t open_regions = 0;
  std::uint64_t bytes = 0;       ///< allocated and not freed since the counter lives
  std::uint64_t peak_bytes = 0;  ///< the most of these

  tools_counter() : previous_(tools::get_callbacks()) {
    current_ = this;
    tools::EventSet ours{};
    ours.begin_parallel_for = launch;
    ours.begin_parallel_reduce = launch;
    ours.begin_parallel_scan = launch;
    ours.begin_fence = begin_fence;
    ours.allocate_data = allocate;
    ours.deallocate_data = deallocate;
    ours.begin_deep_copy = deep_copy;
    ours.push_region = push_region;
    ours.pop_region = pop_region;
    tools::set_callbacks(ours);
  }
  ~tools_counter() {
    tools::set_callbacks(previous_);
    current_ = nullptr;
  }
  tools_counter(tools_counter const&) = delete;
  tools_counter& operator=(tools_counter const&) = delete;

  /// Were all launches on this instance?
  template <class Space>
  bool launched_on(Space const& space) const {
    auto const id = tools::device_id(space);
    return std::all_of(launch_devices.begin(), launch_devices.end(),
                       [&](std::uint32_t device) { return device == id; });
  }
  /// Were all launches and fences on this instance?
  template <class Space>
  bool all_on(Space const& space) const {
    auto const id = tools::device_id(space);
    return launched_on(space) && std::all_of(fences.begin(), fences.end(),
                                             [&](fence const& f) { return f.device == id; });
  }
  std::int64_t global_fences() const {
    return std::count_if(fences.begin(), fences.end(), [](fence const& f) { return f.global; });
  }
  /// Nothing was enqueued, allocated or waited for.
  bool nothing_happened() const {
    return launches.empty() && fences.empty() && allocations.empty() && deep_copies.empty();
  }
  /// The first launch or allocation whose name does not start with `prefix`, or "".
  std::string not_labelled(std::string_view prefix) const {
    for (auto const& name : launches)
      if (!std::string_view(name).starts_with(prefix)) return "kernel " + name;
    for (auto const& a : allocations)
      if (!std::string_view(a.label).starts_with(prefix)) return "allocation " + a.label;
    return "";
  }

 private:
  template <class F>
  static void locked(F const& f) {
    static std::mutex mutex;
    std::lock_guard const lock(mutex);
    if (current_) f(*current_);
  }
  static void launch(char const* name, std::uint32_t device, std::uint64_t*) {
    locked([&](tools_counter& c) {
      c.launches.emplace_back(name);
      c.launch_devices.push_back(device);
    });
  }
  static void begin_fence(char const* name, std::uint32_t device, std::uint64_t*) {
    if (std::string_view(name).find("Profile Tool Fence") != std::string_view::npos)
      return;  // made by Kokkos for this tool
    auto const instance = tools::identifier_from_devid(device).instance_id;
    bool const global =
        instance == static_cast<std::uint32_t>(
                        tools::int_for_synchronization_reason(tools::GlobalDeviceSynchronization));
    locked([&](tools_counter& c) { c.fences.push_back({name, device, global}); });
  }
  static void allocate(Kokkos::Tools::SpaceHandle, char const* label, void const*,
                       std::uint64_t size) {
    if (size == 0) return;  // Kokkos reports the empty scratch memory of every team kernel on CUDA
    locked([&](tools_counter& c) {
      c.allocations.push_back({label, size});
      c.bytes += size;
      c.peak_bytes = std::max(c.peak_bytes, c.bytes);
    });
  }
  static void deallocate(Kokkos::Tools::SpaceHandle, char const* label, void const*,
                         std::uint64_t size) {
    locked([&](tools_counter& c) {
      c.deallocations.push_back({label, size});
      c.bytes -= std::min(size, c.bytes);
    });
  }
  static void deep_copy(Kokkos::Tools::SpaceHandle, char const* label, void const*,
                        Kokkos::Tools::SpaceHandle, char const*, void const*, std::uint64_t) {
    locked([&](tools_counter& c) { c.deep_copies.emplace_back(label); });
  }
  static void push_region(char const* name) {
    locked([&](tools_counter& c) {
      c.regions.emplace_back(name);
      ++c.open_regions;
    });
  }
  static void pop_region() {
    locked([](tools_counter& c) { --c.open_regions; });
  }

  inline static tools_counter* current_ = nullptr;
  tools::EventSet previous_;
};

}  // namespace support
