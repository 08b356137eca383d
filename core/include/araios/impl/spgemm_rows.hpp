// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <cstdint>
#include <limits>

#include <araios/concepts.hpp>
#include <araios/impl/execution.hpp>
#include <araios/impl/fingerprint.hpp>
#include <araios/load_balance.hpp>
#include <araios/matrix/crs.hpp>
#include <araios/schedule/automatic.hpp>
#include <araios/tuning/spgemm.hpp>

/// The rows of a product: how many products each takes, and which are done together.
namespace araios::impl::spgemm {

inline constexpr int max_bins = 10;

template <class Space>
using rows_policy = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;

/// The kernels of one phase: tables that fit the scratch memory of this backend, smallest first,
/// and the largest number of keys of a row in each. Rows beyond the last table use the global
/// workspace.
struct bin_table {
  tuning::spgemm_bin bins[max_bins] = {};
  std::int64_t limits[max_bins] = {};
  int count = 0;

  /// The bin of a row with this many keys; `count` stands for the global workspace.
  KOKKOS_FUNCTION int bin_of(std::int64_t keys) const {
    int bin = 0;
    while (bin < count && keys > limits[bin]) ++bin;
    return bin;
  }
};

/// Scratch requests are rounded up to this, since those of the threads of a team lie side by side.
inline constexpr std::size_t scratch_alignment = 16;

KOKKOS_FUNCTION constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + scratch_alignment - 1) / scratch_alignment * scratch_alignment;
}

/// Scratch memory of one table: symbolic tables hold keys alone.
template <class Key>
KOKKOS_FUNCTION constexpr std::size_t symbolic_scratch(int table_size) {
  return aligned(static_cast<std::size_t>(table_size) * sizeof(Key));
}
/// Numeric tables hold values and keys, and for the ranking the keys and slots in use, close
/// packed, and their number.
template <class Key, class Value>
KOKKOS_FUNCTION constexpr std::size_t numeric_scratch(int table_size) {
  auto const size = static_cast<std::size_t>(table_size);
  return aligned(size * (sizeof(Value) + sizeof(Key)) + size / 2 * (sizeof(Key) + sizeof(int)) +
                 2 * sizeof(int));
}

template <class Space, std::size_t N, class Bytes>
bin_table usable_bins(std::array<tuning::spgemm_bin, N> const& bins, double slots_per_key,
                      Bytes const& bytes_of) {
  static_assert(N < max_bins);
  auto const available = static_cast<std::size_t>(Kokkos::TeamPolicy<Space>::scratch_size_max(0));
  bin_table table;
  for (auto const& bin : bins) {
    int const tables = bin.lanes > 0 && !runs_on_host<Space> ? bin.threads / bin.lanes : 1;
    if (bytes_of(bin.table_size) * static_cast<std::size_t>(tables) + 64 > available) break;
    table.bins[table.count] = bin;
    table.limits[table.count++] = tuning::spgemm_bin_limit(bin, slots_per_key);
  }
  return table;
}

/// What is known of a phase when its rows have been counted.
struct phase_sums {
  std::int64_t keys = 0;                    ///< products or entries of all rows
  std::int64_t rows_in_bin[max_bins] = {};  ///< the last bin in use is the global workspace
  std::uint64_t a_pattern = 0;              ///< fingerprints of the operands
  std::uint64_t b_pattern = 0;

  KOKKOS_FUNCTION phase_sums& operator+=(phase_sums const& other) {
    keys += other.keys;
    for (int bin = 0; bin < max_bins; ++bin) rows_in_bin[bin] += other.rows_in_bin[bin];
    a_pattern += other.a_pattern;
    b_pattern += other.b_pattern;
    return *this;
  }
};

/// min(products of row i, columns of B) -> row_map[i], over the slices of a schedule. Products are
/// only an upper bound of the entries, so they are kept where the row map of C will be.
template <class Schedule, class A, class B, class Offset>
struct count_products {
  using tiles_type = crs_tiles<typename A::ordinal_type, typename A::offset_type>;
  Schedule schedule;
  A a;
  B b;
  Offset* row_map;
  std::int64_t cap;

  template <class Member, class Slice>
  KOKKOS_FUNCTION void operator()(Member const& member, Slice const& slice) const {
    std::int64_t products = 0;
    sum_over(
        schedule, member, slice,
        [&](typename A::offset_type k) {
          auto const inner = a.entries[k];
          return static_cast<std::int64_t>(b.row_map[inner + 1] - b.row_map[inner]);
        },
        products);
    once<Schedule>(member, slice, [&] {
      Offset* const target = row_map + slice.tile;
      if (slice.complete) {
        *target = static_cast<Offset>(Kokkos::min(products, cap));
        return;
      }
      Offset old = Kokkos::atomic_load(target);
      for (;;) {  // a saturating atomic addition
        auto const sum = static_cast<Offset>(
            Kokkos::min(static_cast<std::int64_t>(old) + Kokkos::min(products, cap), cap));
        Offset const seen = Kokkos::atomic_compare_exchange(target, old, sum);
        if (seen == old) break;
        old = seen;
      }
    });
  }
};

template <class Offset>
struct zero_row {
  Offset* row_map;
  KOKKOS_FUNCTION void operator()(std::int64_t row) const { row_map[row] = 0; }
};

/// One pass over everything that is counted before the symbolic phase: all products, rows per bin,
/// and fingerprints of both patterns.
template <class A, class B, class Offset>
struct sum_products {
  A a;
  B b;
  Offset const* row_map;  // products of each row, or null if rows are not binned
  bin_table table;

  KOKKOS_FUNCTION void operator()(std::int64_t i, phase_sums& sums) const {
    if (i < static_cast<std::int64_t>(a.nnz)) {
      auto const inner = a.entries[i];
      sums.keys += static_cast<std::int64_t>(b.row_map[inner + 1] - b.row_map[inner]);
      sums.a_pattern += mixed(2 * i, inner);
    }
    if (i < static_cast<std::int64_t>(a.num_rows)) {
      if (row_map != nullptr) ++sums.rows_in_bin[table.bin_of(row_map[i])];
      sums.a_pattern += mixed(2 * i + 1, a.row_map[i + 1]);
    }
    if (i < static_cast<std::int64_t>(b.nnz)) sums.b_pattern += mixed(2 * i, b.entries[i]);
    if (i < static_cast<std::int64_t>(b.num_rows))
      sums.b_pattern += mixed(2 * i + 1, b.row_map[i + 1]);
  }
};

/// The same fingerprint alone, for comparison with that of a plan.
template <class Crs>
struct sum_pattern {
  Crs a;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::uint64_t& sum) const {
    if (i < static_cast<std::int64_t>(a.nnz)) sum += mixed(2 * i, a.entries[i]);
    if (i < static_cast<std::int64_t>(a.num_rows)) sum += mixed(2 * i + 1, a.row_map[i + 1]);
  }
};

/// Entries of all rows and rows per bin, when the symbolic phase has counted the entries.
template <class Offset>
struct sum_entries {
  Offset const* row_map;
  bin_table table;

  KOKKOS_FUNCTION void operator()(std::int64_t row, phase_sums& sums) const {
    auto const entries = static_cast<std::int64_t>(row_map[row]);
    sums.keys += entries;
    ++sums.rows_in_bin[table.bin_of(entries)];
  }
};

/// From the number of entries of each row to where each row begins, in place; element num_rows gets
/// the total.
template <class Offset>
struct exclusive_scan {
  Offset* row_map;
  std::int64_t num_rows;

  KOKKOS_FUNCTION void operator()(std::int64_t row, Offset& before, bool final) const {
    Offset const entries = row < num_rows ? row_map[row] : Offset{0};
    if (final) row_map[row] = before;
    before += entries;
  }
};

/// The number of keys of a row: products or entries as the symbolic phase left them in the row map,
/// or differences when the row map is complete.
template <class Offset>
struct row_keys {
  Offset const* row_map;
  bool scanned;

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t row) const {
    return static_cast<std::int64_t>(scanned ? row_map[row + 1] - row_map[row] : row_map[row]);
  }
};

/// Puts row ids into their bins: every team counts its rows in scratch, reserves room in each bin
/// by one atomic addition, and fills it. Source: OpSparse (Du et al., 2022), section 5.1.
template <class Ordinal, class Offset>
struct fill_bins {
  static constexpr int rows_per_team = 2048;
  std::int64_t num_rows;
  row_keys<Offset> keys;
  bin_table table;
  Ordinal* rows;
  std::int64_t* cursor;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    auto* const local = static_cast<std::int64_t*>(
        member.team_scratch(0).get_shmem_aligned(max_bins * sizeof(std::int64_t), 8));
    std::int64_t const first = std::int64_t{member.league_rank()} * rows_per_team;
    std::int64_t const last = Kokkos::min(first + rows_per_team, num_rows);
    auto const all_rows = Kokkos::TeamThreadRange(member, first, last);
    auto const all_bins = Kokkos::TeamThreadRange(member, table.count + 1);
    Kokkos::parallel_for(all_bins, [&](int bin) { local[bin] = 0; });
    member.team_barrier();
    Kokkos::parallel_for(
        all_rows, [&](std::int64_t row) { Kokkos::atomic_inc(&local[table.bin_of(keys(row))]); });
    member.team_barrier();
    Kokkos::parallel_for(all_bins, [&](int bin) {
      local[bin] = Kokkos::atomic_fetch_add(&cursor[bin], local[bin]);
    });
    member.team_barrier();
    Kokkos::parallel_for(all_rows, [&](std::int64_t row) {
      auto const at = Kokkos::atomic_fetch_add(&local[table.bin_of(keys(row))], std::int64_t{1});
      rows[at] = static_cast<Ordinal>(row);
    });
  }
};

/// The lanes of a vector, or the threads of a team, that do one row together. `each` ends with a
/// barrier among them; `sum` gives everybody the sum.
template <class Member>
struct lane_group {
  Member const& member;
  int size;

  template <class F>
  KOKKOS_FUNCTION void each(F const& f) const {
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, size), f);
  }
  template <class F>
  KOKKOS_FUNCTION int sum(F const& f) const {
    int total = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(member, size), [&](int i, int& part) { part += f(i); }, total);
    return total;
  }
};

template <class Member>
struct team_group {
  Member const& member;
  int size;

  template <class F>
  KOKKOS_FUNCTION void each(F const& f) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, size), f);
    member.team_barrier();
  }
  template <class F>
  KOKKOS_FUNCTION int sum(F const& f) const {
    int total = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(member, size), [&](int i, int& part) { part += f(i); }, total);
    return total;
  }
};

/// f(factor(k), q) for the products a(k) b(q) of a row that fall to `rank` of `size` threads:
/// `width` of them share a row of B, size / width rows of B are done at a time.
template <class A, class B, class Factor, class F>
KOKKOS_FUNCTION void for_each_product(A const& a, B const& b, std::int64_t row, int rank, int size,
                                      int width, Factor const& factor, F const& f) {
  // Unsigned, so that a stride beyond the last entry that a signed offset counts does not overflow.
  using index_a = std::make_unsigned_t<typename A::offset_type>;
  using index_b = std::make_unsigned_t<typename B::offset_type>;
  if (rank >= size / width * width) return;  // left over where the width does not divide the size
  auto const end = static_cast<index_a>(a.row_map[row + 1]);
  for (auto k = static_cast<index_a>(a.row_map[row]) + static_cast<index_a>(rank / width); k < end;
       k += static_cast<index_a>(size / width)) {
    auto const inner = a.entries[k];
    auto const scale = factor(k);
    auto const last = static_cast<index_b>(b.row_map[inner + 1]);
    for (auto q = static_cast<index_b>(b.row_map[inner]) + static_cast<index_b>(rank & (width - 1));
         q < last; q += static_cast<index_b>(width))
      f(scale, q);
  }
}

/// The row of entry k, found by bisection: every entry costs the same, however long its row.
template <class Crs>
KOKKOS_FUNCTION typename Crs::ordinal_type row_of_entry(Crs const& a, std::int64_t k) {
  typename Crs::ordinal_type low = 0;
  typename Crs::ordinal_type high = a.num_rows;
  while (high - low > 1) {
    auto const middle = static_cast<typename Crs::ordinal_type>(low + (high - low) / 2);
    if (static_cast<std::int64_t>(a.row_map[middle]) <= k)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/// Lanes that share a row of B: the power of two next to its mean length.
template <class B>
int b_row_width(B const& b) {
  double const mean =
      b.num_rows > 0 ? static_cast<double>(b.nnz) / static_cast<double>(b.num_rows) : 1.0;
  int width = 1;
  while (width < 32 && mean > 1.5 * width) width *= 2;
  return width;
}

}  // namespace araios::impl::spgemm

template <>
struct Kokkos::reduction_identity<araios::impl::spgemm::phase_sums> {
  KOKKOS_FUNCTION static araios::impl::spgemm::phase_sums sum() { return {}; }
};
