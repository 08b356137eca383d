// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <ranges>
#include <type_traits>

#include <araios/concepts.hpp>

/// Ranges of indices for kernels of your own, on host and device: you own the launch, a range says
/// which indices fall to whom. All are small C++20 views, passed by value.
namespace araios {
namespace impl {

/// Indices without sign, so that no difference or sum overflows.
template <std::integral Index>
KOKKOS_FUNCTION constexpr auto unsigned_of(Index value) {
  return static_cast<std::make_unsigned_t<Index>>(value);
}
template <std::integral Index>
KOKKOS_FUNCTION constexpr auto distance(Index from, Index to) {
  return static_cast<std::make_unsigned_t<Index>>(unsigned_of(to) - unsigned_of(from));
}
template <std::integral Index>
KOKKOS_FUNCTION constexpr Index advanced(Index from, Index step) {
  return static_cast<Index>(unsigned_of(from) + unsigned_of(step));
}

}  // namespace impl

/// first, first + step, ... below last. Precondition: step > 0. No index beyond `last` is formed,
/// so that ranges from the smallest to the largest index do not overflow.
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
      at_ = impl::distance(at_, last_) > impl::unsigned_of(step_) ? impl::advanced(at_, step_)
                                                                  : last_;
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
    auto const span = static_cast<std::size_t>(impl::distance(first_, last_));
    auto const step = static_cast<std::size_t>(impl::unsigned_of(step_));
    return span / step + (span % step != 0);
  }

 private:
  Index first_ = 0;
  Index last_ = 0;
  Index step_ = 1;
};

/// first, first + step, ... without end: for persistent kernels, which leave the loop by
/// themselves.
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
      at_ = impl::advanced(at_, step_);
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
KOKKOS_FUNCTION worker_id vector_lane([[maybe_unused]] Member const& member) {
  if constexpr (requires { member.item().get_local_id(1); }) {  // SYCL
    return {static_cast<std::int64_t>(member.item().get_local_id(1)),
            static_cast<std::int64_t>(member.item().get_local_range(1))};
  } else {
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
    KOKKOS_IF_ON_DEVICE(
        (return {static_cast<std::int64_t>(threadIdx.x), static_cast<std::int64_t>(blockDim.x)};))
    KOKKOS_IF_ON_HOST((return {};))
#else
    static_assert(impl::runs_on_host<typename Member::execution_space>,
                  "vector lanes are known on CUDA, HIP, SYCL and host backends");
    return {};
#endif
  }
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
  auto const span = first < last ? static_cast<std::uint64_t>(impl::distance(first, last)) : 0;
  auto const rank = static_cast<std::uint64_t>(worker.rank);
  auto const count = static_cast<std::uint64_t>(worker.count);
  if (rank >= span) return {last, last, Index{1}};
  auto const own = impl::advanced(first, static_cast<Index>(rank));
  // a step beyond `last` need not fit the type
  constexpr auto most = static_cast<std::uint64_t>(Kokkos::Experimental::finite_max_v<Index>);
  return {own, last, static_cast<Index>(count < most ? count : most)};
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
