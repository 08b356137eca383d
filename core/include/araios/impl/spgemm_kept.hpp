// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include <araios/impl/execution.hpp>
#include <araios/impl/hash_table.hpp>
#include <araios/impl/numbers.hpp>
#include <araios/impl/spgemm_plan_state.hpp>
#include <araios/impl/spgemm_rows.hpp>

/// Plans that keep where the factors of every product lie: entry by entry of C, so that the numeric
/// phase gathers, multiplies and adds, without tables, searches or atomics.
namespace araios::impl::spgemm {

/// f(place in C, k, q) for all products of entry k of A and entry q of B in the rows of C that
/// `rows(row)` names.
template <class A, class B, class Offset, class Rows, class F>
struct for_each_place {
  using ordinal = typename B::ordinal_type;
  A a;
  B b;
  Offset const* row_map;   // of C
  ordinal const* entries;  // of C, ascending within each row
  Rows rows;
  F f;

  KOKKOS_FUNCTION std::int64_t place_of(std::int64_t first, std::int64_t last,
                                        ordinal column) const {
    while (first < last) {
      std::int64_t const middle = first + (last - first) / 2;
      if (entries[middle] < column)
        first = middle + 1;
      else
        last = middle;
    }
    return first;
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    auto const worker = worker_of<slice_scope::lanes>(member);
    for (std::int64_t k = worker.rank; k < static_cast<std::int64_t>(a.nnz); k += worker.count) {
      auto const row = row_of_entry(a, k);
      if (!rows(row)) continue;
      auto const first = static_cast<std::int64_t>(row_map[row]);
      auto const last = static_cast<std::int64_t>(row_map[row + 1]);
      auto const begin = static_cast<std::int64_t>(b.row_map[a.entries[k]]);
      auto const end = static_cast<std::int64_t>(b.row_map[a.entries[k] + 1]);
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, begin, end),
                           [&](std::int64_t q) { f(place_of(first, last, b.entries[q]), k, q); });
    }
  }
};

/// The number of products of each entry of C. The flag is set if 32 bits do not hold one.
struct count_place {
  std::uint32_t* counts;
  std::int64_t* overflow;
  KOKKOS_FUNCTION void operator()(std::int64_t place, std::int64_t, std::int64_t) const {
    if (Kokkos::atomic_fetch_add(&counts[place], std::uint32_t{1}) == ~std::uint32_t{0})
      *overflow = 1;
  }
};

/// Set in the cursor of an entry of C that is a long sum; the other bits are its number among them.
inline constexpr std::uint32_t is_long_sum = std::uint32_t{1} << 31;

/// Sums of more products than fit a chunk: how many, and of how many products.
struct long_sums_found {
  std::int64_t sums = 0;
  std::int64_t products = 0;
  KOKKOS_FUNCTION long_sums_found& operator+=(long_sums_found const& other) {
    sums += other.sums;
    products += other.products;
    return *this;
  }
};
struct find_long_sums {
  std::uint32_t const* counts;
  KOKKOS_FUNCTION void operator()(std::int64_t place, long_sums_found& found) const {
    if (counts[place] <= tuning::spgemm_kept_longest) return;
    found += {1, static_cast<std::int64_t>(counts[place])};
  }
};
/// Lists them, each with room for its products, which follow one another in any order.
struct list_long_sums {
  std::uint32_t* counts;
  long_sum* sums;
  std::int64_t* cursors;  // of the list and of its products

  KOKKOS_FUNCTION void operator()(std::int64_t place) const {
    auto const count = static_cast<std::int64_t>(counts[place]);
    if (count <= tuning::spgemm_kept_longest) return;
    auto const at = Kokkos::atomic_fetch_add(&cursors[0], std::int64_t{1});
    auto const first = Kokkos::atomic_fetch_add(&cursors[1], count);
    sums[at] = {place, first, first};
    counts[place] = is_long_sum | static_cast<std::uint32_t>(at);
  }
};

/// From the numbers of products of a chunk's entries to where they begin in it, and their sum.
struct begin_entries {
  std::uint32_t* counts;
  std::int64_t num_entries;
  std::uint16_t* begin;
  std::int64_t* chunk_begin;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    std::int64_t const chunk = member.league_rank();
    std::int64_t const first = chunk * tuning::spgemm_kept_chunk;
    int const count =
        static_cast<int>(Kokkos::min(std::int64_t{tuning::spgemm_kept_chunk}, num_entries - first));
    int total = 0;
    Kokkos::parallel_scan(
        Kokkos::TeamThreadRange(member, count),
        [&](int i, int& before, bool final) {
          auto& cursor = counts[first + i];
          int const own = (cursor & is_long_sum) != 0 ? 0 : static_cast<int>(cursor);
          if (final) {
            begin[first + i] = static_cast<std::uint16_t>(before);
            if ((cursor & is_long_sum) == 0) cursor = static_cast<std::uint32_t>(before);
          }
          before += own;
        },
        total);
    Kokkos::single(Kokkos::PerTeam(member), [&] { chunk_begin[chunk] = total; });
  }
};

/// Notes the factors of each product at its place.
struct note_factors {
  std::uint32_t* cursors;
  std::int64_t const* chunk_begin;
  long_sum* long_sums;
  std::int64_t first_of_long;
  product_factors* factors;

  KOKKOS_FUNCTION void operator()(std::int64_t place, std::int64_t k, std::int64_t q) const {
    std::uint32_t const cursor = cursors[place];  // those of long sums stay as they are
    std::int64_t const at =
        (cursor & is_long_sum) != 0
            ? first_of_long +
                  Kokkos::atomic_fetch_add(&long_sums[cursor & ~is_long_sum].end, std::int64_t{1})
            : chunk_begin[place / tuning::spgemm_kept_chunk] +
                  static_cast<std::int64_t>(
                      Kokkos::atomic_fetch_add(&cursors[place], std::uint32_t{1}));
    factors[at] = {static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(q)};
  }
};

/// The products in the type of their sums.
template <class Sum, class A, class B>
struct product_of {
  A a;
  B b;
  KOKKOS_FUNCTION Sum operator()(product_factors const& at) const {
    return static_cast<Sum>(
               accumulator_t<std::remove_const_t<typename A::value_type>>(a.values[at.a])) *
           static_cast<Sum>(
               accumulator_t<std::remove_const_t<typename B::value_type>>(b.values[at.b]));
  }
};

/// The values of the entries of C, a chunk of them to a team: their products, which follow one
/// another, are formed in scratch memory and added up from there. One thread of a host backend does
/// without.
template <class A, class B, class C>
struct add_kept_products {
  using sum = product_t<typename A::value_type, typename B::value_type>;
  using value = typename C::value_type;
  product_of<sum, A, B> product;
  C c;
  std::int64_t num_entries;
  std::int64_t num_chunks;
  std::int64_t const* chunk_begin;
  std::uint16_t const* begin;
  product_factors const* factors;

  static constexpr int capacity = tuning::spgemm_kept_terms;
  static constexpr std::size_t scratch_bytes() {
    return (capacity + tuning::spgemm_kept_chunk) * sizeof(sum) + 64;
  }

  /// Where the products of entry i of a chunk end.
  KOKKOS_FUNCTION int end_of(std::int64_t first, int i, int count, int products) const {
    return i + 1 < count ? static_cast<int>(begin[first + i + 1]) : products;
  }

  KOKKOS_FUNCTION void in_turn(std::int64_t first, int count, product_factors const* from,
                               int products) const {
    for (int i = 0; i < count; ++i) {
      int p = begin[first + i];
      int const end = end_of(first, i, count, products);
      if (p == end) continue;
      sum total = product(from[p]);
      while (++p < end) total = total + product(from[p]);
      c.values[first + i] = static_cast<value>(total);
    }
  }

  template <class Member>
  KOKKOS_FUNCTION void by_team(Member const& member, std::int64_t first, int count,
                               product_factors const* from, int products) const {
    auto* const terms = static_cast<sum*>(member.team_scratch(0).get_shmem_aligned(
        (capacity + tuning::spgemm_kept_chunk) * sizeof(sum), alignof(sum)));
    sum* const begun = terms + capacity;  // sums of entries whose products have not all been formed
    int const rank = member.team_rank();
    int const threads = member.team_size();
    for (int done = 0; done < products; done += capacity) {
      int const last = Kokkos::min(products, done + capacity);
#ifdef __CUDA_ARCH__
#pragma unroll 4
#endif
      for (int p = done + rank; p < last; p += threads) terms[p - done] = product(from[p]);
      member.team_barrier();
      for (int i = rank; i < count; i += threads) {
        int const all = begin[first + i];
        int const end = end_of(first, i, count, products);
        int p = Kokkos::max(all, done);
        if (p >= end || p >= last) continue;
        sum total = all < done ? begun[i] + terms[0] : terms[p - done];
        int const here = Kokkos::min(end, last);
        while (++p < here) total = total + terms[p - done];
        if (here < end)
          begun[i] = total;
        else
          c.values[first + i] = static_cast<value>(total);
      }
      member.team_barrier();
    }
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    for (std::int64_t chunk = member.league_rank(); chunk < num_chunks;
         chunk += member.league_size()) {
      std::int64_t const first = chunk * tuning::spgemm_kept_chunk;
      int const count = static_cast<int>(
          Kokkos::min(std::int64_t{tuning::spgemm_kept_chunk}, num_entries - first));
      auto const* const from = factors + chunk_begin[chunk];
      int const products = static_cast<int>(chunk_begin[chunk + 1] - chunk_begin[chunk]);
      if constexpr (runs_on_host<typename Member::execution_space>)
        in_turn(first, count, from, products);
      else
        by_team(member, first, count, from, products);
    }
  }
};

/// The value of an entry of C with many products, by a team.
template <class A, class B, class C>
struct add_long_sums {
  using sum = product_t<typename A::value_type, typename B::value_type>;
  product_of<sum, A, B> product;
  C c;
  long_sum const* sums;
  product_factors const* factors;  // of long sums

  static constexpr std::size_t scratch_bytes(int threads) {
    return static_cast<std::size_t>(threads) * sizeof(sum) + 64;
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    long_sum const own = sums[member.league_rank()];
    int const threads = member.team_size();
    int const rank = member.team_rank();
    auto* const totals = static_cast<sum*>(member.team_scratch(0).get_shmem_aligned(
        static_cast<std::size_t>(threads) * sizeof(sum), alignof(sum)));
    sum total{};
    for (std::int64_t p = own.begin + rank; p < own.end; p += threads)
      total = total + product(factors[p]);
    totals[rank] = total;
    for (int half = threads / 2; half > 0; half /= 2) {  // the number of threads is a power of two
      member.team_barrier();
      if (rank < half) totals[rank] = totals[rank] + totals[rank + half];
    }
    member.team_barrier();
    if (rank == 0) c.values[own.place] = static_cast<typename C::value_type>(totals[0]);
  }
};

/// All rows.
struct every_row {
  KOKKOS_FUNCTION bool operator()(std::int64_t) const { return true; }
};

/// Notes the factors of all products of the rows that `rows` names, in `state.kept`, whose columns
/// are known. Waits for `space`.
template <class Space, class State, class A, class B, class Rows>
void keep_products(Space const& space, State& state, A const& a, B const& b, Rows const& rows) {
  using offset = typename decltype(state.row_map)::value_type;
  auto& kept = state.kept;
  auto const nnz = static_cast<std::size_t>(state.nnz);
  auto const chunks = ceil_div(state.nnz, tuning::spgemm_kept_chunk);
  Kokkos::View<std::uint32_t*, typename Space::memory_space> const counts(
      Kokkos::view_alloc(space, "araios::spgemm::places"), nnz);
  auto const visit = [&](char const* label, auto const& f) {
    int const lanes = runs_on_host<Space> ? 1 : state.width;
    using functor = for_each_place<A, B, offset, Rows, std::remove_cvref_t<decltype(f)>>;
    functor const each{a, b, state.row_map.data(), kept.entries.data(), rows, f};
    int const threads = team_size_for(space, 128, lanes, each);
    auto const workers = runs_on_host<Space> ? 8 * std::int64_t{space.concurrency()} : state.a.nnz;
    Kokkos::parallel_for(label, team_policy(space, ceil_div(workers, threads), threads, lanes),
                         each);
  };
  // the cursors of the list of long sums and of its products, and whether a count has overflowed
  Kokkos::View<std::int64_t[3], typename Space::memory_space> const cursors(
      Kokkos::view_alloc(space, "araios::spgemm::cursors"));
  visit("araios::spgemm::count_places", count_place{counts.data(), cursors.data() + 2});
  std::int64_t overflow = 0;
  Kokkos::deep_copy(space, overflow, Kokkos::subview(cursors, 2));
  long_sums_found found;
  Kokkos::parallel_reduce("araios::spgemm::find_long_sums", rows_policy<Space>(space, 0, state.nnz),
                          find_long_sums{counts.data()}, Kokkos::Sum<long_sums_found>(found));
  space.fence("araios::spgemm::keep_products: counts");
  require<std::overflow_error>(overflow == 0,
                               "araios::spgemm_plan: keep_products cannot keep an entry of C with "
                               "2^32 products or more, of ",
                               state.products, " in all");
  kept.long_sums =
      allocate<long_sum>(space, "araios::spgemm::long_sums", static_cast<std::size_t>(found.sums));
  if (found.sums > 0)
    Kokkos::parallel_for("araios::spgemm::list_long_sums", rows_policy<Space>(space, 0, state.nnz),
                         list_long_sums{counts.data(), kept.long_sums.data(), cursors.data()});
  kept.begin = allocate<std::uint16_t>(space, "araios::spgemm::begin_in_chunk", nnz);
  kept.chunk_begin = allocate<std::int64_t>(space, "araios::spgemm::chunk_begin",
                                            static_cast<std::size_t>(chunks) + 1);
  begin_entries const begin{counts.data(), state.nnz, kept.begin.data(), kept.chunk_begin.data()};
  Kokkos::parallel_for("araios::spgemm::begin_entries",
                       team_policy(space, chunks, team_size_for(space, 128, 1, begin), 1), begin);
  Kokkos::parallel_scan("araios::spgemm::scan_chunks", rows_policy<Space>(space, 0, chunks + 1),
                        exclusive_scan<std::int64_t>{kept.chunk_begin.data(), chunks},
                        kept.in_chunks);
  kept.factors = allocate<product_factors>(
      space, "araios::spgemm::factors", static_cast<std::size_t>(kept.in_chunks + found.products));
  visit("araios::spgemm::note_factors",
        note_factors{counts.data(), kept.chunk_begin.data(), kept.long_sums.data(), kept.in_chunks,
                     kept.factors.data()});
  space.fence("araios::spgemm::keep_products");
  state.rows = {};
  state.workspace = {};
}

/// The values of C from the products that are kept.
template <class Space, class State, class A, class B, class C>
void multiply_kept(Space const& space, State const& state, A const& a, B const& b, C const& c) {
  auto const& kept = state.kept;
  using adder = add_kept_products<A, B, C>;
  auto const chunks = ceil_div(state.nnz, tuning::spgemm_kept_chunk);
  if (kept.long_sums.extent(0) > 0) {
    using long_adder = add_long_sums<A, B, C>;
    int const threads = runs_on_host<Space> ? 1 : tuning::spgemm_kept_threads;
    Kokkos::parallel_for(
        "araios::spgemm::long_sums",
        team_policy(space, static_cast<std::int64_t>(kept.long_sums.extent(0)), threads, 1,
                    long_adder::scratch_bytes(threads)),
        long_adder{{a, b}, c, kept.long_sums.data(), kept.factors.data() + kept.in_chunks});
  }
  if (kept.in_chunks == 0) return;
  adder const add{{a, b},
                  c,
                  state.nnz,
                  chunks,
                  kept.chunk_begin.data(),
                  kept.begin.data(),
                  kept.factors.data()};
  auto const scratch = runs_on_host<Space> ? 0 : adder::scratch_bytes();
  int const threads = team_size_for(space, tuning::spgemm_kept_threads, 1, add, scratch);
  Kokkos::parallel_for("araios::spgemm::add_products",
                       team_policy(space, chunks, threads, 1, scratch), add);
}

}  // namespace araios::impl::spgemm

template <>
struct Kokkos::reduction_identity<araios::impl::spgemm::long_sums_found> {
  KOKKOS_FUNCTION static araios::impl::spgemm::long_sums_found sum() { return {}; }
};
