// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <araios/impl/hash_table.hpp>
#include <araios/impl/spgemm_rows.hpp>

/// The symbolic phase: how many entries each row of C has.
namespace araios::impl::spgemm {

/// Rows of one bin: the columns of a row's products are put into a hash table in scratch memory and
/// the insertions that are new counted. With `Lanes` a vector does a row, else a team.
template <bool Lanes, class A, class B, class Offset>
struct symbolic_hash {
  using key = typename B::ordinal_type;
  A a;
  B b;
  Offset* row_map;
  typename A::ordinal_type const* rows;
  std::int64_t num_rows;
  tuning::spgemm_bin bin;
  int group_size;  // lanes of a vector; ignored if a team does a row
  int width;
  std::int64_t* error;

  template <class Group>
  KOKKOS_FUNCTION void count(Group const& group, key* slots, std::int64_t row) const {
    hash_table<key> const table{slots, bin.table_size};
    group.each([&](int i) {
      for (int slot = i; slot < table.size; slot += group.size) slots[slot] = table.empty;
    });
    int const lanes_per_b_row = Kokkos::min(width, group.size);
    int const entries = group.sum([&](int i) {
      int fresh = 0;
      for_each_product(
          a, b, row, i, group.size, lanes_per_b_row, [](auto) { return 0; },
          [&](int, auto q) {
            auto const found = table.insert(b.entries[q]);
            fresh += found.fresh;
            if (found.slot < 0) *error = 1;
          });
      return fresh;
    });
    group.each([&](int i) {
      if (i == 0) row_map[row] = static_cast<Offset>(entries);
    });
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    auto const bytes = symbolic_scratch<key>(bin.table_size);
    if constexpr (Lanes) {
      auto* const slots =
          static_cast<key*>(member.thread_scratch(0).get_shmem_aligned(bytes, scratch_alignment));
      auto const worker = worker_of<slice_scope::lanes>(member);
      for (std::int64_t i = worker.rank; i < num_rows; i += worker.count)
        count(lane_group<Member>{member, group_size}, slots, rows ? std::int64_t{rows[i]} : i);
    } else {
      auto* const slots =
          static_cast<key*>(member.team_scratch(0).get_shmem_aligned(bytes, scratch_alignment));
      for (std::int64_t i = member.league_rank(); i < num_rows; i += member.league_size())
        count(team_group<Member>{member, member.team_size()}, slots,
              rows ? std::int64_t{rows[i]} : i);
    }
  }
};

/// Rows with more products than any table takes: a team marks the columns of a row in a bit mask
/// that covers a window of columns and counts the bits that are new; as many passes over the row as
/// there are windows. The mask is in scratch memory, or a share of a global workspace.
template <bool Scratch, class A, class B, class Offset>
struct symbolic_mask {
  A a;
  B b;
  Offset* row_map;
  typename A::ordinal_type const* rows;
  std::int64_t num_rows;
  std::int64_t window;  // columns, a multiple of 32
  int width;
  std::uint32_t* masks;  // unless they are in scratch memory

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    team_group<Member> const group{member, member.team_size()};
    int const lanes_per_b_row = Kokkos::min(width, group.size);
    std::int64_t const words = window / 32;
    std::uint32_t* mask = masks + member.league_rank() * words;
    if constexpr (Scratch)
      mask = static_cast<std::uint32_t*>(
          member.team_scratch(0).get_shmem_aligned(static_cast<std::size_t>(words) * 4, 16));
    for (std::int64_t i = member.league_rank(); i < num_rows; i += member.league_size()) {
      std::int64_t const row = rows ? std::int64_t{rows[i]} : i;
      std::int64_t entries = 0;
      for (std::int64_t first = 0; first < std::int64_t{b.num_cols}; first += window) {
        group.each([&](int rank) {
          for (std::int64_t word = rank; word < words; word += group.size) mask[word] = 0;
        });
        entries += group.sum([&](int rank) {
          int fresh = 0;
          for_each_product(
              a, b, row, rank, group.size, lanes_per_b_row, [](auto) { return 0; },
              [&](int, auto q) {
                std::int64_t const column = static_cast<std::int64_t>(b.entries[q]) - first;
                if (column < 0 || column >= window) return;
                std::uint32_t const bit = 1u << (column % 32);
                if (Kokkos::atomic_load(&mask[column / 32]) & bit) return;
                fresh += (Kokkos::atomic_fetch_or(&mask[column / 32], bit) & bit) == 0;
              });
          return fresh;
        });
      }
      group.each([&](int rank) {
        if (rank == 0) row_map[row] = static_cast<Offset>(entries);
      });
    }
  }
};

}  // namespace araios::impl::spgemm
