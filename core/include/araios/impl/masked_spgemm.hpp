// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <araios/impl/spgemm.hpp>
#include <araios/masked_spgemm.hpp>

namespace araios {
namespace impl::spgemm {

/// Scratch memory of a row of the mask: sums, keys and the entry of the mask that each slot stands
/// for, and a bit for each entry that has met a product. A table of `size` slots takes size / 2
/// entries.
template <class Key, class Sum>
KOKKOS_FUNCTION constexpr std::size_t masked_scratch(int size) {
  auto const slots = static_cast<std::size_t>(size);
  return aligned(slots / 2 * sizeof(Sum) + slots * (sizeof(Key) + sizeof(int)) +
                 (slots / 64 + 1) * sizeof(std::uint32_t));
}

/// Rows of one bin: the columns of a row of the mask are put into a hash table in scratch memory,
/// as many at a time as it takes; products are added where their column is found. With `Numeric`,
/// the entries that have met a product are written, else they are counted.
template <bool Numeric, bool Lanes, class M, class A, class B, class C>
struct masked_rows {
  using key = typename B::ordinal_type;
  using offset = typename C::offset_type;
  using value = typename C::value_type;
  using sum = product_t<typename A::value_type, typename B::value_type>;
  M mask;
  A a;
  B b;
  C c;
  offset* row_map;  ///< of C, to count into
  key* entries;     ///< of C
  key const* rows;
  std::int64_t num_rows;
  int table_size;
  int group_size;
  int width;
  std::int64_t* error;

  /// Entries of the mask that come before entry i and have met a product.
  KOKKOS_FUNCTION static int rank(std::uint32_t const* met, int i) {
    int before = 0;
    for (int word = 0; word < i / 32; ++word) before += Kokkos::popcount(met[word]);
    return before + Kokkos::popcount(met[i / 32] & ((1u << i % 32) - 1));
  }

  template <class Group>
  KOKKOS_FUNCTION void multiply(Group const& group, void* scratch, std::int64_t row) const {
    int const capacity = table_size / 2;
    auto* const sums = static_cast<sum*>(scratch);
    auto* const slots = reinterpret_cast<key*>(sums + capacity);
    auto* const entry_of_slot = reinterpret_cast<int*>(slots + table_size);
    auto* const met = reinterpret_cast<std::uint32_t*>(entry_of_slot + table_size);
    hash_table<key> const table{slots, table_size};
    int const lanes_per_b_row = Kokkos::min(width, group.size);
    std::int64_t found = 0;
    [[maybe_unused]] std::int64_t const at = Numeric ? std::int64_t(c.row_map[row]) : 0;
    [[maybe_unused]] std::int64_t const room = Numeric ? std::int64_t(c.row_map[row + 1]) - at : 0;
    auto const begin = static_cast<std::int64_t>(mask.row_map[row]);
    auto const last = static_cast<std::int64_t>(mask.row_map[row + 1]);
    std::int64_t descents = 0;
    for (auto first = begin; first < last; first += capacity) {
      int const count = static_cast<int>(Kokkos::min<std::int64_t>(capacity, last - first));
      group.each([&](int i) {
        for (int slot = i; slot < table_size; slot += group.size) {
          slots[slot] = table.empty;
          entry_of_slot[slot] = count;
        }
        for (int n = i; n < count; n += group.size) sums[n] = sum{};
        for (int word = i; word <= count / 32; word += group.size) met[word] = 0;
      });
      group.each([&](int i) {
        for (int n = i; n < count; n += group.size) {
          auto const place = table.insert(mask.entries[first + n]);
          Kokkos::atomic_min(&entry_of_slot[place.slot], n);  // the first of duplicates stands
        }
      });
      descents += group.sum([&](int i) {
        int found_here = 0;
        for (int n = i; n < count; n += group.size)
          found_here += first + n > begin && mask.entries[first + n] <= mask.entries[first + n - 1];
        return found_here;
      });
      if (descents > 0 && first > begin)  // entries that were there before are not taken again
        group.each([&](int i) {
          for (auto k = begin + i; k < first; k += group.size)
            if (int const slot = table.find(mask.entries[k]); slot >= 0) entry_of_slot[slot] = -1;
        });
      group.each([&](int i) {
        for_each_product(
            a, b, row, i, group.size, lanes_per_b_row,
            [&](auto k) {
              return static_cast<sum>(accumulator_t<typename A::value_type>(a.values[k]));
            },
            [&](sum const& factor, auto q) {
              int const slot = table.find(b.entries[q]);
              if (slot < 0) return;
              int const n = entry_of_slot[slot];
              if (n < 0) return;
              if constexpr (Numeric)
                accumulate(
                    &sums[n],
                    factor * static_cast<sum>(accumulator_t<typename B::value_type>(b.values[q])));
              std::uint32_t const bit = 1u << n % 32;
              if ((Kokkos::atomic_load(&met[n / 32]) & bit) == 0)
                Kokkos::atomic_or(&met[n / 32], bit);
            });
      });
      int const in_chunk = rank(met, count);
      if constexpr (Numeric) {
        if (found + in_chunk <= room)
          group.each([&](int i) {
            for (int n = i; n < count; n += group.size) {
              if ((met[n / 32] >> n % 32 & 1) == 0) continue;
              auto const to = at + found + rank(met, n);
              entries[to] = mask.entries[first + n];
              c.values[to] = static_cast<value>(sums[n]);
            }
          });
      }
      found += in_chunk;
      group.each([](int) {});  // everybody has read `met`
    }
    group.each([&](int i) {
      if (i != 0) return;
      if constexpr (Numeric) {
        if (found != room) *error = 1;
      } else {
        row_map[row] = static_cast<offset>(found);
      }
    });
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    auto const bytes = masked_scratch<key, sum>(table_size);
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

/// The entries of each row, where a row map will be.
template <class M, class Offset>
struct count_entries {
  M mask;
  Offset* row_map;
  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    row_map[row] = static_cast<Offset>(mask.row_map[row + 1] - mask.row_map[row]);
  }
};

}  // namespace impl::spgemm

namespace impl {

/// Both phases. Rows are binned by their entries in the mask once; those of the last bin may need
/// several passes.
struct masked_spgemm_phase {
  template <bool Numeric, class Space, class State, class M, class A, class B, class C,
            class Offset>
  static void run(Space const& space, State const& state, M const& mask, A const& a, B const& b,
                  C const& c, Offset* row_map, typename B::ordinal_type* entries) {
    using key = typename B::ordinal_type;
    using sum = product_t<typename A::value_type, typename B::value_type>;
    spgemm::for_each_bin(state, [&](int bin, auto const* rows, std::int64_t count) {
      auto const& tuned = state.table.bins[std::min(bin, state.table.count - 1)];
      spgemm::launch_bin(
          space, Numeric ? "araios::masked_spgemm::numeric" : "araios::masked_spgemm::symbolic",
          tuned, count, spgemm::masked_scratch<key, sum>(tuned.table_size),
          [&](auto lanes, int size) {
            return spgemm::masked_rows<Numeric, decltype(lanes)::value, M, A, B, C>{
                mask, a,           b,
                c,    row_map,     entries,
                rows, count,       tuned.table_size,
                size, state.width, state.control.error()};
          });
    });
  }
};

}  // namespace impl

template <class Space, class Ordinal, class Offset, class Value, class Semiring>
template <crs_like Mask, crs_like MatrixA, crs_like MatrixB>
masked_spgemm_plan<Space, Ordinal, Offset, Value, Semiring>::masked_spgemm_plan(
    Space const& space, Mask const& mm, MatrixA const& ma, MatrixB const& mb, Semiring) {
  auto const mask = as_crs(mm);
  auto const a = impl::with_semiring<Semiring>(as_crs(ma));
  auto const b = impl::with_semiring<Semiring>(as_crs(mb));
  static_assert(std::is_same_v<typename decltype(a)::ordinal_type, Ordinal> &&
                    std::is_same_v<typename decltype(b)::ordinal_type, Ordinal> &&
                    std::is_same_v<typename decltype(mask)::ordinal_type, Ordinal>,
                "mask, A, B and C must have one ordinal type");
  static_assert(std::is_same_v<impl::spgemm::value_of<MatrixA, MatrixB>, Value>,
                "C must have the value type of A * B");
  impl::spgemm::check_semiring<Semiring, MatrixA, MatrixB>();
  impl::require(a.num_rows >= 0 && a.num_cols >= 0 && b.num_cols >= 0 && a.num_cols == b.num_rows &&
                    mask.num_rows == a.num_rows && mask.num_cols == b.num_cols,
                "araios::masked_spgemm_plan: the mask (", mask.num_rows, " x ", mask.num_cols,
                "), A (", a.num_rows, " x ", a.num_cols, ") and B (", b.num_rows, " x ", b.num_cols,
                ") do not fit together");
  impl::narrow<Offset>(static_cast<std::int64_t>(mask.nnz), "araios::masked_spgemm_plan",
                       "the number of entries of the mask");
  Kokkos::Profiling::ScopedRegion const region("araios::masked_spgemm::symbolic");
  using key = Ordinal;
  using sum = impl::product_t<typename decltype(a)::value_type, typename decltype(b)::value_type>;
  auto const& exec = impl::instance(space);
  state_.a = {a.num_rows, a.num_cols, static_cast<std::int64_t>(a.nnz), 0, nullptr, nullptr};
  state_.b = {b.num_rows, b.num_cols, static_cast<std::int64_t>(b.nnz), 0, nullptr, nullptr};
  mask_ = {mask.num_rows, mask.num_cols, static_cast<std::int64_t>(mask.nnz), 0, nullptr, nullptr};
  state_.width = impl::spgemm::b_row_width(b);
  auto const num_rows = static_cast<std::int64_t>(a.num_rows);
  state_.row_map = impl::allocate<Offset>(exec, "araios::masked_spgemm::row_map",
                                          static_cast<std::size_t>(num_rows) + 1);
  state_.control = impl::spgemm::plan_control<execution_space>(exec);
  if (num_rows == 0 || mask.nnz == 0 || a.nnz == 0 || b.nnz == 0) {
    Kokkos::deep_copy(exec, state_.row_map, Offset{0});
    exec.fence("araios::masked_spgemm_plan: empty");
    return;
  }
  auto* const row_map = state_.row_map.data();
  using rows_policy = impl::spgemm::rows_policy<execution_space>;
  Kokkos::parallel_for(
      "araios::masked_spgemm::count_entries", rows_policy(exec, 0, num_rows),
      impl::spgemm::count_entries<std::remove_const_t<decltype(mask)>, Offset>{mask, row_map});
  state_.table = impl::spgemm::usable_bins<execution_space>(tuning::spgemm_numeric_bins,
                                                            tuning::spgemm_numeric_slots,
                                                            impl::spgemm::masked_scratch<key, sum>);
  auto const count = [&] {
    impl::spgemm::phase_sums sums;
    Kokkos::parallel_reduce("araios::masked_spgemm::sum_entries", rows_policy(exec, 0, num_rows),
                            impl::spgemm::sum_entries<Offset>{row_map, state_.table},
                            Kokkos::Sum<impl::spgemm::phase_sums>(sums));
    return sums;
  };
  impl::spgemm::bin_rows(exec, state_, count(), false);
  impl::masked_spgemm_phase::run<false>(exec, state_, mask, a, b,
                                        crs_view<Ordinal, Offset, sum, memory_space>{}, row_map,
                                        static_cast<Ordinal*>(nullptr));
  state_.nnz = count().keys;
  Kokkos::parallel_scan("araios::masked_spgemm::scan_row_map", rows_policy(exec, 0, num_rows + 1),
                        impl::spgemm::exclusive_scan<Offset>{row_map, num_rows});
  exec.fence("araios::masked_spgemm_plan: symbolic phase");
}

template <class Space, class Ordinal, class Offset, class Value, class Semiring>
auto masked_spgemm_plan<Space, Ordinal, Offset, Value, Semiring>::make_result(
    Space const& space) const -> result_type {
  auto const& exec = impl::instance(space);
  auto const size = static_cast<std::size_t>(state_.nnz);
  return {static_cast<Ordinal>(state_.a.rows), static_cast<Ordinal>(state_.b.cols), state_.row_map,
          impl::allocate<Ordinal>(exec, "araios::masked_spgemm::entries", size),
          impl::allocate<Value>(exec, "araios::masked_spgemm::values", size)};
}

template <class Space, class Ordinal, class Offset, class Value, class Semiring>
template <crs_like Mask, crs_like MatrixA, crs_like MatrixB>
void masked_spgemm_plan<Space, Ordinal, Offset, Value, Semiring>::multiply(
    Space const& space, Mask const& mm, MatrixA const& ma, MatrixB const& mb,
    result_type const& c) const {
  auto const mask = as_crs(mm);
  auto const a = impl::with_semiring<Semiring>(as_crs(ma));
  auto const b = impl::with_semiring<Semiring>(as_crs(mb));
  static_assert(std::is_same_v<typename decltype(a)::ordinal_type, Ordinal> &&
                    std::is_same_v<typename decltype(b)::ordinal_type, Ordinal> &&
                    std::is_same_v<typename decltype(mask)::ordinal_type, Ordinal> &&
                    std::is_same_v<impl::spgemm::value_of<MatrixA, MatrixB>, Value>,
                "the operands must have the types that the plan was made for");
  constexpr char const* function = "araios::masked_spgemm_plan::multiply";
  impl::spgemm::check_sizes(function, "mask", mask_, mask);
  impl::spgemm::check_sizes(function, "A", state_.a, a);
  impl::spgemm::check_sizes(function, "B", state_.b, b);
  impl::spgemm::check_result(function, state_, c, mask, a, b);
  if (state_.nnz == 0) return;
  Kokkos::Profiling::ScopedRegion const region("araios::masked_spgemm::numeric");
  state_.control.use_on(impl::instance(space));
  impl::masked_spgemm_phase::run<true>(impl::instance(space), state_, mask, a, b,
                                       impl::with_semiring<Semiring>(as_crs(c)),
                                       static_cast<Offset*>(nullptr), c.entries.data());
}

template <class Space, class Ordinal, class Offset, class Value, class Semiring>
void masked_spgemm_plan<Space, Ordinal, Offset, Value, Semiring>::check(Space const& space) const {
  impl::require<std::runtime_error>(
      !state_.control.take_error(impl::instance(space)),
      "araios::masked_spgemm_plan::check: the pattern of the mask (", mask_.rows, " x ", mask_.cols,
      "), A (", state_.a.rows, " x ", state_.a.cols, ") or B (", state_.b.rows, " x ",
      state_.b.cols,
      ") has changed since the plan was made; the result of the last multiply is not valid");
}

template <class Space, class Ordinal, class Offset, class Value, class Semiring>
std::size_t masked_spgemm_plan<Space, Ordinal, Offset, Value, Semiring>::workspace_bytes() const {
  return state_.rows.span() * sizeof(Ordinal) + state_.control.bytes();
}

}  // namespace araios
