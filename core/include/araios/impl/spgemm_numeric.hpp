// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <araios/impl/hash_table.hpp>
#include <araios/impl/numbers.hpp>
#include <araios/impl/spgemm_rows.hpp>

/// The numeric phase: columns and values of each row of C.
namespace araios::impl::spgemm {

/// Rows of one bin: products are summed in a hash table in scratch memory; then the keys in use are
/// packed, ranked by counting the smaller ones, and written in order. With `Lanes` a vector does a
/// row, else a team.
template <bool Lanes, class A, class B, class C>
struct numeric_hash {
  using key = typename B::ordinal_type;
  using offset = typename C::offset_type;
  using value = typename C::value_type;
  using sum = product_t<typename A::value_type, typename B::value_type>;
  A a;
  B b;
  C c;
  key* entries;
  typename A::ordinal_type const* rows;
  std::int64_t num_rows;
  tuning::spgemm_bin bin;
  int group_size;
  int width;
  bool sorted;
  std::int64_t* error;

  template <class Group>
  KOKKOS_FUNCTION void multiply(Group const& group, void* scratch, std::int64_t row) const {
    int const size = bin.table_size;
    auto* const values = static_cast<sum*>(scratch);
    auto* const used = reinterpret_cast<int*>(values + size);  // number of keys, then their slots
    int* const packed_slots = used + 2;
    auto* const slots = reinterpret_cast<key*>(packed_slots + size / 2);
    key* const packed_keys = slots + size;
    hash_table<key> const table{slots, size};

    group.each([&](int i) {
      for (int slot = i; slot < size; slot += group.size) {
        slots[slot] = table.empty;
        values[slot] = sum{};
      }
      if (i == 0) *used = 0;
    });
    int const lanes_per_b_row = Kokkos::min(width, group.size);
    group.each([&](int i) {
      for_each_product(
          a, b, row, i, group.size, lanes_per_b_row,
          [&](auto k) {
            return static_cast<sum>(accumulator_t<typename A::value_type>(a.values[k]));
          },
          [&](sum const& factor, auto q) {
            auto const found = table.insert(b.entries[q]);
            if (found.slot < 0)
              *error = 1;
            else
              accumulate(
                  &values[found.slot],
                  factor * static_cast<sum>(accumulator_t<typename B::value_type>(b.values[q])));
          });
    });
    offset const begin = c.row_map[row];
    int const room = static_cast<int>(c.row_map[row + 1] - begin);
    group.each([&](int i) {
      for (int slot = i; slot < size; slot += group.size)
        if (slots[slot] != table.empty) {
          int const at = Kokkos::atomic_fetch_add(used, 1);
          if (at < size / 2) {
            packed_slots[at] = slot;
            packed_keys[at] = slots[slot];
          }
        }
    });
    int const count = Kokkos::min(*used, size / 2);
    group.each([&](int i) {
      if (i == 0 && *used != room) *error = 1;
      for (int at = i; at < count; at += group.size) {
        key const column = packed_keys[at];
        int rank = at;
        if (sorted) {
          rank = 0;
          for (int other = 0; other < count; ++other) rank += packed_keys[other] < column;
        }
        if (rank < room) {
          entries[begin + rank] = column;
          c.values[begin + rank] = static_cast<value>(values[packed_slots[at]]);
        }
      }
    });
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    auto const bytes = numeric_scratch<key, sum>(bin.table_size);
    if constexpr (Lanes) {
      auto* const scratch = member.thread_scratch(0).get_shmem_aligned(bytes, scratch_alignment);
      auto const worker = worker_of<slice_scope::lanes>(member);
      for (std::int64_t i = worker.rank; i < num_rows; i += worker.count)
        multiply(lane_group<Member>{member, group_size}, scratch, rows ? std::int64_t{rows[i]} : i);
    } else {
      auto* const scratch = member.team_scratch(0).get_shmem_aligned(bytes, scratch_alignment);
      for (std::int64_t i = member.league_rank(); i < num_rows; i += member.league_size())
        multiply(team_group<Member>{member, member.team_size()}, scratch,
                 rows ? std::int64_t{rows[i]} : i);
    }
  }
};

/// Rows with more entries than any table takes: a team sums the products of a row in a dense window
/// of columns in the global workspace, with a bit mask of the columns in use, and writes them in
/// the order of the mask; as many passes over the row as there are windows. Values and masks of the
/// workspace are zero before and after.
template <class A, class B, class C>
struct numeric_window {
  using key = typename B::ordinal_type;
  using offset = typename C::offset_type;
  using value = typename C::value_type;
  using sum = product_t<typename A::value_type, typename B::value_type>;
  A a;
  B b;
  C c;
  key* entries;
  typename A::ordinal_type const* rows;
  std::int64_t num_rows;
  std::int64_t window;  // columns, a multiple of 32
  int width;
  sum* values;
  std::uint32_t* masks;
  std::int64_t* error;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    team_group<Member> const group{member, member.team_size()};
    int const lanes_per_b_row = Kokkos::min(width, group.size);
    std::int64_t const words = window / 32;
    std::uint32_t* const mask = masks + member.league_rank() * words;
    sum* const dense = values + member.league_rank() * window;
    for (std::int64_t i = member.league_rank(); i < num_rows; i += member.league_size()) {
      std::int64_t const row = rows ? std::int64_t{rows[i]} : i;
      offset at = c.row_map[row];
      offset const end = c.row_map[row + 1];
      for (std::int64_t first = 0; first < std::int64_t{b.num_cols}; first += window) {
        group.each([&](int rank) {
          for_each_product(
              a, b, row, rank, group.size, lanes_per_b_row,
              [&](auto k) {
                return static_cast<sum>(accumulator_t<typename A::value_type>(a.values[k]));
              },
              [&](sum const& factor, auto q) {
                std::int64_t const column = static_cast<std::int64_t>(b.entries[q]) - first;
                if (column < 0 || column >= window) return;
                accumulate(
                    &dense[column],
                    factor * static_cast<sum>(accumulator_t<typename B::value_type>(b.values[q])));
                std::uint32_t const bit = 1u << (column % 32);
                if ((Kokkos::atomic_load(&mask[column / 32]) & bit) == 0)
                  Kokkos::atomic_or(&mask[column / 32], bit);
              });
        });
        std::int64_t const chunk = (words + group.size - 1) / group.size;
        int written = group.sum([&](int rank) {
          int bits = 0;
          std::int64_t const last = Kokkos::min(words, (rank + 1) * chunk);
          for (std::int64_t word = rank * chunk; word < last; ++word)
            bits += Kokkos::popcount(mask[word]);
          return bits;
        });
        if (written > static_cast<std::int64_t>(end - at)) {  // not the pattern of the plan
          group.each([&](int rank) {
            if (rank == 0) *error = 1;
          });
          written = 0;
        }
        Kokkos::parallel_scan(
            Kokkos::TeamThreadRange(member, group.size), [&](int rank, int& before, bool final) {
              std::int64_t const last = Kokkos::min(words, (rank + 1) * chunk);
              for (std::int64_t word = rank * chunk; word < last; ++word) {
                std::uint32_t bits = mask[word];
                if (!final) {
                  before += Kokkos::popcount(bits);
                  continue;
                }
                for (; bits != 0; bits &= bits - 1, ++before) {
                  std::int64_t const column = word * 32 + Kokkos::countr_zero(bits);
                  if (written > 0) {
                    entries[at + before] = static_cast<key>(first + column);
                    c.values[at + before] = static_cast<value>(dense[column]);
                  }
                  dense[column] = sum{};
                }
                mask[word] = 0;
              }
            });
        member.team_barrier();
        at += static_cast<offset>(written);
      }
      if (at != end) *error = 1;
    }
  }
};

}  // namespace araios::impl::spgemm
