// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <variant>

#include <araios/concepts.hpp>
#include <araios/impl/execution.hpp>
#include <araios/load_balance.hpp>
#include <araios/schedule/automatic.hpp>

/// Frontiers of a graph traversal: some vertices and the edges that leave them.
namespace araios::impl {

/// Where the edges of each vertex begin among those of the frontier.
template <class Ordinal, class Offset>
struct scan_degrees {
  Ordinal const* vertices;
  Offset const* row_map;
  std::int64_t* begin;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& before, bool final) const {
    auto const vertex = vertices[i];
    if (final) begin[i] = before;
    before += static_cast<std::int64_t>(row_map[vertex + 1] - row_map[vertex]);
  }
};

/// What other threads write at the same time. Kokkos' atomic_load is a compare-and-swap on some
/// devices.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T load_written(T const* from) {
  KOKKOS_IF_ON_DEVICE((return *static_cast<T const volatile*>(from);))
  KOKKOS_IF_ON_HOST((return Kokkos::atomic_load(from);))
}
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void store_read(T* to, T value) {
  KOKKOS_IF_ON_DEVICE((*static_cast<T volatile*>(to) = value;))
  KOKKOS_IF_ON_HOST((Kokkos::atomic_store(to, value);))
}

/// Vertices that are put together by many threads; every one is put in once.
template <class Ordinal>
struct vertex_queue {
  Ordinal* vertices;
  std::int64_t* size;

  KOKKOS_FUNCTION void push(Ordinal vertex) const {
    vertices[Kokkos::atomic_fetch_add(size, std::int64_t{1})] = vertex;
  }
};

/// What levels done by one team leave: where the frontier is and what was done.
struct narrow_levels_state {
  std::int64_t size = 0;    ///< of the frontier at last
  std::int64_t levels = 0;  ///< done; if odd, the frontier is in the other list
  std::int64_t edges = 0;   ///< that left their vertices
};

/// Which levels are narrow: all, unless something else is said.
struct narrow_limits {
  std::int64_t vertices = std::numeric_limits<std::int64_t>::max();
  std::int64_t edges = std::numeric_limits<std::int64_t>::max();
  std::int64_t degree = std::numeric_limits<std::int64_t>::max();  ///< of a vertex
};

/// Levels of few vertices and edges, one after the other by one team, as long as they stay narrow:
/// a launch and a wait for each would cost more than their work. reach(level, vertex, entry) says
/// whether the end of that entry is reached by it for the first time.
template <class Crs, class Reach>
struct narrow_levels {
  using ordinal = typename Crs::ordinal_type;
  Crs a;
  Reach reach;
  ordinal* lists[2];    // the first is the frontier
  std::int64_t* sizes;  // two counters, of which the second is zero
  narrow_levels_state* state;
  narrow_limits most;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    narrow_levels_state at{state->size, 0, 0};
    while (0 < at.size && at.size <= most.vertices) {
      auto const* const from = lists[at.levels % 2];
      std::int64_t edges = 0;
      Kokkos::parallel_reduce(
          Kokkos::TeamThreadRange(member, at.size),
          [&](std::int64_t i, std::int64_t& sum) {
            auto const own = static_cast<std::int64_t>(a.row_map[from[i] + 1] - a.row_map[from[i]]);
            sum += own <= most.degree ? own : most.edges;  // one thread follows all of them
          },
          edges);
      if (edges >= most.edges) break;
      auto* const next = &sizes[(at.levels + 1) % 2];
      vertex_queue<ordinal> const queue{lists[(at.levels + 1) % 2], next};
      for (auto const i : block_stride(member, std::int64_t{0}, at.size))
        for (auto k = a.row_map[from[i]]; k < a.row_map[from[i] + 1]; ++k)
          if (reach(at.levels, from[i], static_cast<std::size_t>(k))) queue.push(a.entries[k]);
      member.team_barrier();
      at = {load_written(next), at.levels + 1, at.edges + edges};
      member.team_barrier();
      if (member.team_rank() == 0) store_read(&sizes[at.levels % 2 == 0 ? 1 : 0], std::int64_t{0});
      member.team_barrier();
    }
    if (member.team_rank() == 0) *state = at;
  }
};

/// Two lists of vertices, one being read while the other is written, and the edges of the former.
template <class Space, class Ordinal>
class frontier {
 public:
  using memory_space = typename Space::memory_space;

  frontier(Space const& space, std::string const& operation, std::size_t vertices)
      : space_(space),
        operation_(operation),
        size_(Kokkos::view_alloc(space, operation + "queue_size")) {
    for (auto& list : lists_) list = allocate<Ordinal>(space, operation + "queue", vertices);
  }

  /// The list that is written. Before `turn` it is not read.
  vertex_queue<Ordinal> next() const { return {lists_[1].data(), size_.data()}; }
  Ordinal const* vertices() const { return lists_[0].data(); }
  std::int64_t size() const { return count_; }

  /// Makes the list that was written the one that is read. Waits for its size.
  void turn() {
    Kokkos::deep_copy(space_, count_, size_);
    space_.fence(operation_ + "queue_size");
    Kokkos::deep_copy(space_, size_, std::int64_t{0});
    std::swap(lists_[0], lists_[1]);
  }

  /// Follows edges as long as levels have few vertices and edges; see `narrow_levels`. Waits for
  /// what is done.
  template <class Crs, class Reach>
  narrow_levels_state narrow(Crs const& a, Reach const& reach, narrow_limits const& most) {
    using kernel_type = narrow_levels<Crs, Reach>;
    if (state_.data() == nullptr) {
      state_ = Kokkos::View<narrow_levels_state, memory_space>(
          Kokkos::view_alloc(space_, operation_ + "narrow_levels_state"));
      sizes_ = Kokkos::View<std::int64_t[2], memory_space>(
          Kokkos::view_alloc(space_, operation_ + "narrow_levels_sizes"));
    }
    narrow_levels_state at{count_, 0, 0};
    Kokkos::deep_copy(space_, sizes_, std::int64_t{0});
    Kokkos::deep_copy(space_, state_, at);
    kernel_type const kernel{
        a, reach, {lists_[0].data(), lists_[1].data()}, sizes_.data(), state_.data(), most};
    int const team = team_size_for(space_, 1024, 1, kernel);
    Kokkos::parallel_for(operation_ + "narrow_levels", team_policy(space_, 1, team, 1), kernel);
    Kokkos::deep_copy(space_, at, state_);
    space_.fence(operation_ + "narrow_levels");
    if (at.levels % 2 != 0) std::swap(lists_[0], lists_[1]);
    count_ = at.size;
    return at;
  }

  /// The edges that leave the vertices of the list that is read. Waits for their number; the first
  /// call allocates.
  template <class Crs>
  auto tiles(Crs const& a) {
    using offset = typename Crs::offset_type;
    if (begin_.extent(0) == 0)
      begin_ = allocate<std::int64_t>(space_, operation_ + "edges_before", lists_[0].extent(0));
    std::int64_t edges = 0;
    Kokkos::parallel_scan(
        operation_ + "scan_degrees",
        Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(space_, 0, count_),
        scan_degrees<Ordinal, offset>{lists_[0].data(), a.row_map, begin_.data()}, edges);
    space_.fence(operation_ + "scan_degrees");
    return frontier_tiles<Ordinal, offset>{static_cast<Ordinal>(count_), edges, lists_[0].data(),
                                           begin_.data(), a.row_map};
  }

 private:
  Space space_;
  std::string operation_;  ///< the prefix of all labels
  Kokkos::View<Ordinal*, memory_space> lists_[2];
  Kokkos::View<std::int64_t*, memory_space> begin_;
  Kokkos::View<std::int64_t, memory_space> size_;
  Kokkos::View<narrow_levels_state, memory_space> state_;
  Kokkos::View<std::int64_t[2], memory_space> sizes_;
  std::int64_t count_ = 0;
};

/// visit(tile, atom) for every atom of a tile set, with the schedule that its shape asks for.
template <class Space, tile_set Tiles, class Visit>
void visit_atoms_of(Space const& space, std::string const& label, Tiles const& tiles,
                    Visit const& visit) {
  if (tiles.num_atoms() == 0) return;
  std::visit([&](auto const& schedule) { visit_atoms(space, label, schedule, tiles, visit); },
             choose_schedule(portable_on{space}, shape_of(tiles)));
}

}  // namespace araios::impl
