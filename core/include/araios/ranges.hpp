// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <ranges>

#include <araios/concepts.hpp>

/// Ranges of indices for kernels of your own, on host and device: you own the launch, a range says which
/// indices fall to whom. All are C++20 views of 16 to 24 bytes, passed by value.
namespace araios {

/// first, first + step, ... below last. Precondition: step > 0. No index beyond `last` is formed, so
/// that ranges up to the largest index do not overflow.
template <std::integral Index>
class step_range {
 public:
  class iterator {
   public:
    using value_type = Index;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::forward_iterator_tag;
    using iterator_category = std::input_iterator_tag;

    iterator() = default;
    KOKKOS_FUNCTION constexpr iterator(Index at, Index last, Index step)
        : at_(at), last_(last), step_(step) {}
    KOKKOS_FUNCTION constexpr Index operator*() const { return at_; }
    KOKKOS_FUNCTION constexpr iterator& operator++() {
      at_ = last_ - at_ > step_ ? static_cast<Index>(at_ + step_) : last_;
      return *this;
    }
    KOKKOS_FUNCTION constexpr iterator operator++(int) {
      auto const before = *this;
      ++*this;
      return before;
    }
    KOKKOS_FUNCTION friend constexpr bool operator==(iterator const& a, iterator const& b) {
      return a.at_ == b.at_;
    }

   private:
    Index at_ = 0;
    Index last_ = 0;
    Index step_ = 1;
  };

  step_range() = default;
  KOKKOS_FUNCTION constexpr step_range(Index first, Index last, Index step)
      : first_(first < last ? first : last), last_(last), step_(step) {}
  KOKKOS_FUNCTION constexpr iterator begin() const { return {first_, last_, step_}; }
  KOKKOS_FUNCTION constexpr iterator end() const { return {last_, last_, step_}; }
  KOKKOS_FUNCTION constexpr bool empty() const { return first_ == last_; }
  /// The number of indices.
  KOKKOS_FUNCTION constexpr std::size_t size() const {
    auto const span = static_cast<std::size_t>(last_) - static_cast<std::size_t>(first_);
    return span / static_cast<std::size_t>(step_) + (span % static_cast<std::size_t>(step_) != 0);
  }

 private:
  Index first_ = 0;
  Index last_ = 0;
  Index step_ = 1;
};

/// first, first + step, ... without end: for persistent kernels, which leave the loop by themselves.
template <std::integral Index>
class infinite_range {
 public:
  struct sentinel {};
  class iterator {
   public:
    using value_type = Index;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::input_iterator_tag;

    iterator() = default;
    KOKKOS_FUNCTION constexpr iterator(Index at, Index step) : at_(at), step_(step) {}
    KOKKOS_FUNCTION constexpr Index operator*() const { return at_; }
    KOKKOS_FUNCTION constexpr iterator& operator++() {
      at_ = static_cast<Index>(at_ + step_);
      return *this;
    }
    KOKKOS_FUNCTION constexpr void operator++(int) { ++*this; }
    KOKKOS_FUNCTION friend constexpr bool operator==(iterator const&, sentinel) { return false; }

   private:
    Index at_ = 0;
    Index step_ = 1;
  };

  infinite_range() = default;
  KOKKOS_FUNCTION constexpr explicit infinite_range(Index first, Index step = 1)
      : first_(first), step_(step) {}
  KOKKOS_FUNCTION constexpr iterator begin() const { return {first_, step_}; }
  KOKKOS_FUNCTION constexpr sentinel end() const { return {}; }

 private:
  Index first_ = 0;
  Index step_ = 1;
};

/// One of how many that share some work.
struct worker_id {
  std::int64_t rank = 0;
  std::int64_t count = 1;
};

/// The vector lane of a team member that calls. Lanes run the same code outside of vector loops;
/// one lane on host backends.
template <class Member>
KOKKOS_FUNCTION worker_id vector_lane(Member const& member) {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  (void)member;
  return {static_cast<std::int64_t>(threadIdx.x), static_cast<std::int64_t>(blockDim.x)};
#else
  if constexpr (requires { member.item().get_local_id(1); })  // SYCL
    return {static_cast<std::int64_t>(member.item().get_local_id(1)),
            static_cast<std::int64_t>(member.item().get_local_range(1))};
  return {};
#endif
}

/// The lane of the team that calls: every vector lane of every thread counts.
template <class Member>
KOKKOS_FUNCTION worker_id team_lane(Member const& member) {
  auto const lane = vector_lane(member);
  return {member.team_rank() * lane.count + lane.rank, member.team_size() * lane.count};
}

/// The lane of the whole league that calls.
template <class Member>
KOKKOS_FUNCTION worker_id league_lane(Member const& member) {
  auto const lane = team_lane(member);
  return {member.league_rank() * lane.count + lane.rank, member.league_size() * lane.count};
}

/// The indices first .. last-1 that fall to one of several workers, which take turns.
template <std::integral Index>
KOKKOS_FUNCTION constexpr step_range<Index> stride_range(worker_id worker, Index first,
                                                         Index last) {
  auto const own = static_cast<std::int64_t>(last) - static_cast<std::int64_t>(first) > worker.rank
                       ? static_cast<Index>(first + static_cast<Index>(worker.rank))
                       : last;
  // a step that does not fit the type is beyond `last` anyway
  auto const step = worker.count < static_cast<std::int64_t>(last - own)
                        ? static_cast<Index>(worker.count)
                        : static_cast<Index>(last - own > 0 ? last - own : 1);
  return {own, last, step};
}

/// The same among all lanes of the launch: neighbours in the grid take neighbouring indices.
template <class Member, std::integral Index>
KOKKOS_FUNCTION step_range<Index> grid_stride(Member const& member, Index first, Index last) {
  return stride_range(league_lane(member), first, last);
}
/// Among the lanes of the team (the block).
template <class Member, std::integral Index>
KOKKOS_FUNCTION step_range<Index> block_stride(Member const& member, Index first, Index last) {
  return stride_range(team_lane(member), first, last);
}
/// Among the vector lanes of a thread of the team (a warp or a part of it).
template <class Member, std::integral Index>
KOKKOS_FUNCTION step_range<Index> warp_stride(Member const& member, Index first, Index last) {
  return stride_range(vector_lane(member), first, last);
}

}  // namespace araios

template <class Index>
inline constexpr bool std::ranges::enable_view<araios::step_range<Index>> = true;
template <class Index>
inline constexpr bool std::ranges::enable_view<araios::infinite_range<Index>> = true;
template <class Index>
inline constexpr bool std::ranges::enable_borrowed_range<araios::step_range<Index>> = true;
template <class Index>
inline constexpr bool std::ranges::enable_borrowed_range<araios::infinite_range<Index>> = true;
