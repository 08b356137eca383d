// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <araios/convert.hpp>
#include <araios/impl/convert.hpp>
#include <araios/row_statistics.hpp>
#include <araios/tuning/formats.hpp>
#include <araios/tuning/spmv.hpp>

/// Formats that store rows side by side: ELL, HYB, sliced ELL and row-grouped CSR.
namespace araios {
namespace impl {

/// The first `width` entries of every row in ELL.
template <class Space, class Crs>
auto crs_to_ell(Space const& space, char const* function, Crs const& a, std::int64_t width,
                std::int64_t nnz, double most_growth) {
  using types = formats<Space, Crs>;
  using ordinal = typename types::ordinal;
  using value = typename types::value;
  using offset = typename types::offset;
  auto const rows = static_cast<std::int64_t>(a.num_rows);
  require_growth(function, a,
                 static_cast<double>(rows) * static_cast<double>(width) * types::entry_bytes,
                 most_growth);
  auto const slots =
      static_cast<std::size_t>(narrow<offset>(rows * width, function, "the number of slots"));
  ell_matrix<value, ordinal, offset, typename types::memory> ell(
      a.num_rows, a.num_cols, static_cast<offset>(nnz),
      narrow<ordinal>(width, function, "the width"));
  ell.entries = allocate<ordinal>(space, "araios::ell_matrix::entries", slots);
  ell.values = allocate<value>(space, "araios::ell_matrix::values", slots);
  row_lengths<Crs> lengths{a.row_map, rows};
  lengths.most = width;
  auto const tiles = std::get<0>(ell.parts()).tiles();
  if (slots > 0)
    for_each_index(space, "araios::to_ell::rows", rows,
                   fill_groups<Crs, std::remove_const_t<decltype(tiles)>>{
                       a, lengths, tiles, ell.entries.data(), ell.values.data()});
  return ell;
}

template <class Crs>
struct count_rows_of {
  row_lengths<Crs> lengths;
  std::int64_t least;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& count) const {
    if (lengths(i) >= least) ++count;
  }
};

template <class Crs>
struct count_entries_up_to {
  row_lengths<Crs> lengths;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& count) const {
    count += lengths(i);
  }
};

/// The most entries that at least a third of the rows have, by bisection.
template <class Space, class Crs>
std::int64_t width_of_a_third(Space const& space, row_lengths<Crs> const& lengths,
                              std::int64_t longest) {
  std::int64_t low = 0, high = longest;
  while (low < high) {
    auto const middle = low + (high - low + 1) / 2;
    auto const count = total_of(space, "araios::to_hyb::count_rows", lengths.rows,
                                count_rows_of<Crs>{lengths, middle});
    if (3 * count >= lengths.rows)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

/// How the rows of a row-grouped matrix are arranged.
template <class Space, class Crs>
struct rgcsr_arrangement {
  Kokkos::View<typename Crs::ordinal_type*, typename Space::memory_space> order;
  Kokkos::View<typename Crs::offset_type*, typename Space::memory_space> group_begin;
  row_lengths<Crs> lengths;
  std::int64_t width = 0;  // of all groups, if they are to have the same
  std::int64_t slots = 0;
  std::int64_t grouped = 0;  // entries
  std::int64_t listed = 0;   // rows of the tail that are not empty; -1: all rows are in the tail
};

struct tail_sums {
  std::int64_t entries = 0;
  std::int64_t rows = 0;
  KOKKOS_FUNCTION tail_sums& operator+=(tail_sums const& other) {
    entries += other.entries;
    rows += other.rows;
    return *this;
  }
};
template <class Crs>
struct count_tail {
  typename Crs::offset_type const* row_map;
  std::int64_t dropped;
  KOKKOS_FUNCTION void operator()(std::int64_t i, tail_sums& sums) const {
    auto const length = static_cast<std::int64_t>(row_map[i + 1] - row_map[i]);
    if (length > dropped) sums += {length, 1};
  }
};

template <class Crs>
struct width_of_group {
  group_slots<Crs> slots;
  std::int64_t group;
  KOKKOS_FUNCTION void operator()(std::int64_t, std::int64_t& width) const {
    width += slots.width(group);
  }
};

/// As fill_groups, for values of entries that are in their places.
template <class Crs, class Tiles>
struct refill_groups {
  using value = std::remove_const_t<typename Crs::value_type>;
  Crs a;
  Tiles tiles;
  typename Crs::ordinal_type const* order;
  value* values;

  KOKKOS_FUNCTION void operator()(std::int64_t at) const {
    auto const tile = static_cast<typename Tiles::tile_type>(at);
    auto const row = order == nullptr ? at : static_cast<std::int64_t>(order[at]);
    auto const begin = a.row_map[row];
    auto const count = static_cast<std::int64_t>(tiles.tile_end(tile) - tiles.tile_begin(tile));
    auto const slots = tiles.slots_of(tile);
    for (std::int64_t n = 0; n < count; ++n)
      values[slots.first + static_cast<std::size_t>(n) * slots.step] =
          static_cast<value>(a.values[begin + static_cast<typename Crs::offset_type>(n)]);
  }
};

}  // namespace impl
}  // namespace araios

template <>
struct Kokkos::reduction_identity<araios::impl::tail_sums> {
  KOKKOS_FUNCTION static araios::impl::tail_sums sum() { return {}; }
};

namespace araios {
namespace impl {

/// Arranges rows in groups, sorted or not, without those longer than `longest`. Waits for the
/// sizes.
template <class Space, class Crs>
auto arrange(Space const& space, Crs const& a, rgcsr_options const& options, bool sort,
             std::int64_t longest) {
  rgcsr_arrangement<Space, Crs> result;
  auto const rows = static_cast<std::int64_t>(a.num_rows);
  result.lengths = {a.row_map, rows};
  result.lengths.dropped = longest;
  if (sort) {
    result.order = sorted_rows(space, result.lengths, options.window);
    result.lengths.order = result.order.data();
  }
  tail_sums tail;
  Kokkos::parallel_reduce(
      "araios::to_rgcsr::tail",
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(space, 0, rows),
      count_tail<Crs>{a.row_map, longest}, Kokkos::Sum<tail_sums>(tail));
  result.grouped = static_cast<std::int64_t>(a.nnz) - tail.entries;
  result.listed = tail.rows;
  if (result.grouped == 0) return result;
  auto const groups = ceil_div(rows, options.group_size);
  result.group_begin = allocate<typename Crs::offset_type>(
      space, "araios::rgcsr_matrix::group_begin", static_cast<std::size_t>(groups));
  result.slots = scan_sizes(space, "araios::to_rgcsr::scan_groups", groups,
                            group_slots<Crs>{result.lengths, options.group_size, false},
                            result.group_begin.data(), false);
  return result;
}

template <class Space, class Crs>
double bytes_of_rgcsr(Crs const& a, rgcsr_arrangement<Space, Crs> const& rows) {
  using types = formats<Space, Crs>;
  constexpr double offset = sizeof(typename types::offset),
                   ordinal = sizeof(typename types::ordinal);
  if (rows.listed < 0) return bytes_of_crs(a);
  auto const tail = static_cast<double>(a.nnz) - static_cast<double>(rows.grouped);
  auto const listed = static_cast<double>(rows.listed);
  return (static_cast<double>(rows.slots) + tail) * types::entry_bytes +
         (static_cast<double>(a.num_rows) + 1.0 + static_cast<double>(rows.group_begin.extent(0))) *
             offset +
         static_cast<double>(rows.order.extent(0)) * ordinal + listed * ordinal +
         (listed > 0 ? listed + 1 : 0) * offset;
}

/// Whether nearly no slots stay empty if all rows get those of the longest.
inline bool is_nearly_uniform(row_statistics const& rows) {
  auto const slots = static_cast<double>(rows.longest) * static_cast<double>(rows.rows);
  return slots <= (1.0 + tuning::rgcsr_uniform_fill) * static_cast<double>(rows.nnz);
}

/// Whether rows are too few and too long for a thread or a few for each.
template <class Space>
bool few_long_rows(Space const& space, row_statistics const& rows) {
  return !runs_on_host<Space> && rows.longest > tuning::spmv_long_row &&
         32 * rows.rows <= space.concurrency();
}

/// Rows in their order if that leaves few slots empty, all groups of one width if that leaves very
/// few; else sorted, without the longest. Everything goes to the tail if much would have to or if
/// the budget is not kept.
template <class Space, class Crs>
auto arrange_within_budget(Space const& space, Crs const& a, rgcsr_options const& options,
                           char const* function) {
  using arrangement = rgcsr_arrangement<Space, Crs>;
  auto const budget = options.budget * bytes_of_crs(a);
  auto const nnz = static_cast<double>(a.nnz);
  auto const fits = [&](auto const& rows) { return bytes_of_rgcsr(a, rows) <= budget; };
  auto const empty_share = [&](std::int64_t slots, std::int64_t entries) {
    return static_cast<double>(slots - entries) / std::max(nnz, 1.0);
  };
  auto const known = tile_statistics(space, a.tiles());
  arrangement all_in_tail;
  all_in_tail.listed = -1;
  bool const given = options.longest > 0;
  auto const longest = given ? std::min(options.longest, known.longest) : known.longest;
  if (!given && few_long_rows(space, known) && fits(all_in_tail)) return all_in_tail;
  if (longest == known.longest && is_nearly_uniform(known)) {
    arrangement even;
    even.lengths = {a.row_map, known.rows};
    even.width = known.longest;
    even.slots = known.longest * known.rows;
    even.grouped = known.nnz;
    if (fits(even)) return even;
  }
  auto const plain = arrange(space, a, options, false, longest);
  bool const is_full = empty_share(plain.slots, plain.grouped) <= options.plain_fill;
  if (fits(plain) && (is_full || options.window == 1)) return plain;
  auto const kept = given ? longest : std::min(longest, tuning::rgcsr_longest(known.mean()));
  auto const sorted = arrange(space, a, options, options.window > 1, kept);
  bool const mostly_grouped =
      given || static_cast<double>(sorted.grouped) >= (1.0 - tuning::rgcsr_most_in_tail) * nnz;
  if (fits(sorted) && mostly_grouped) return sorted;
  require<std::length_error>(fits(all_in_tail), function, ": at least ", bytes_of_crs(a),
                             " bytes for a ", a.num_rows, " x ", a.num_cols, " matrix with ", a.nnz,
                             " entries; the budget is ", budget);
  return all_in_tail;
}

/// All rows, as they are.
template <class Space, class Crs>
auto list_of_all_rows(Space const& space, Crs const& a) -> typename formats<Space, Crs>::rows {
  using types = formats<Space, Crs>;
  auto const nnz = static_cast<std::size_t>(a.nnz);
  return {{},
          copy_of<typename types::offset>(space, "araios::row_list::row_map", a.row_map,
                                          static_cast<std::size_t>(a.num_rows) + 1),
          copy_of<typename types::ordinal>(space, "araios::row_list::entries", a.entries, nnz),
          copy_of<typename types::value>(space, "araios::row_list::values", a.values, nnz)};
}

template <class Space, class Crs>
auto crs_to_rgcsr(Space const& space, Crs const& a, rgcsr_options const& options) {
  constexpr auto function = "araios::to_rgcsr";
  using types = formats<Space, Crs>;
  using ordinal = typename types::ordinal;
  using value = typename types::value;
  using offset = typename types::offset;
  auto const rows = static_cast<std::int64_t>(a.num_rows);
  rgcsr_matrix<value, ordinal, offset, typename types::memory> r(
      a.num_rows, a.num_cols, a.nnz,
      narrow<ordinal>(options.group_size, function, "the size of a group"));
  if (a.nnz == 0) return r;
  auto const arranged = arrange_within_budget(space, a, options, function);
  if (arranged.listed < 0) {
    r.tail = list_of_all_rows(space, a);
    return r;
  }
  auto const slots =
      static_cast<std::size_t>(narrow<offset>(arranged.slots, function, "the number of slots"));
  r.set_width(narrow<ordinal>(arranged.width, function, "the width"));
  r.order = arranged.order;
  r.group_begin = arranged.group_begin;
  r.row_map =
      allocate<offset>(space, "araios::rgcsr_matrix::row_map", static_cast<std::size_t>(rows) + 1);
  r.entries = allocate<ordinal>(space, "araios::rgcsr_matrix::entries", slots);
  r.values = allocate<value>(space, "araios::rgcsr_matrix::values", slots);
  if (arranged.order.extent(0) == 0 && arranged.listed == 0)
    for_each_index(space, "araios::to_rgcsr::row_map", rows + 1,
                   copy_elements<offset, offset>{a.row_map, r.row_map.data()});
  else
    scan_sizes(space, "araios::to_rgcsr::scan_rows", rows, arranged.lengths, r.row_map.data(),
               true);
  if (arranged.listed > 0) r.tail = list_of_rows(space, a, arranged.lengths.dropped, 0);
  auto const tiles = std::get<0>(r.parts()).tiles();
  for_each_index(space, "araios::to_rgcsr::rows", slots > 0 ? rows : 0,
                 fill_groups<Crs, std::remove_const_t<decltype(tiles)>>{
                     a, arranged.lengths, tiles, r.entries.data(), r.values.data()});
  return r;
}

template <class R>
struct write_group_fill {
  typename R::offset_type const* row_map;
  typename R::offset_type const* group_begin;
  std::int64_t rows;
  std::int64_t group_size;
  std::int64_t groups;
  std::int64_t slots;
  std::int64_t width;
  double* fill;
  KOKKOS_FUNCTION void operator()(std::int64_t group) const {
    auto const begin_of = [&](std::int64_t g) {
      if (g == groups) return slots;
      return width > 0 ? g * group_size * width : static_cast<std::int64_t>(group_begin[g]);
    };
    auto const here = begin_of(group + 1) - begin_of(group);
    auto const last = Kokkos::min((group + 1) * group_size, rows);
    auto const entries = static_cast<std::int64_t>(row_map[last] - row_map[group * group_size]);
    fill[group] =
        entries == 0 ? 0.0 : static_cast<double>(here - entries) / static_cast<double>(entries);
  }
};

}  // namespace impl

template <execution_instance Space, convertible_matrix Matrix>
auto to_ell(Space const& space, Matrix const& matrix, ell_options const& options) {
  auto const& exec = impl::instance(space);
  return impl::with_crs(space, matrix, [&](auto const& a) {
    return impl::crs_to_ell(exec, "araios::to_ell", a, tile_statistics(exec, a.tiles()).longest,
                            static_cast<std::int64_t>(a.nnz), options.most_growth);
  });
}

template <execution_instance Space, convertible_matrix Matrix>
auto to_hyb(Space const& space, Matrix const& matrix, hyb_options const& options) {
  constexpr auto function = "araios::to_hyb";
  impl::require(options.width >= -1, function, ": a width of ", options.width);
  auto const& exec = impl::instance(space);
  return impl::with_crs(space, matrix, [&]<class Crs>(Crs const& a) {
    using types = impl::formats<impl::execution_space_of<Space>, Crs>;
    auto const rows = static_cast<std::int64_t>(a.num_rows);
    auto const longest = tile_statistics(exec, a.tiles()).longest;
    impl::row_lengths<Crs> lengths{a.row_map, rows};
    auto const width = options.width >= 0 ? std::min<std::int64_t>(options.width, longest)
                                          : impl::width_of_a_third(exec, lengths, longest);
    lengths.most = width;
    auto const first = impl::total_of(exec, "araios::to_hyb::count_entries", rows,
                                      impl::count_entries_up_to<Crs>{lengths});
    hyb_matrix<typename types::value, typename types::ordinal, typename types::offset,
               typename types::memory>
        hyb(a.num_rows, a.num_cols, a.nnz);
    hyb.ell = impl::crs_to_ell(exec, function, a, width, first, options.most_growth);
    hyb.rest = impl::list_of_rows(exec, a, width, width);
    return hyb;
  });
}

template <execution_instance Space, convertible_matrix Matrix>
auto to_sliced_ell(Space const& space, Matrix const& matrix, sliced_ell_options const& options) {
  constexpr auto function = "araios::to_sliced_ell";
  impl::require(options.slice_size >= 1, function, ": slices of ", options.slice_size, " rows");
  impl::require_window(function, options.window);
  auto const& exec = impl::instance(space);
  return impl::with_crs(space, matrix, [&]<class Crs>(Crs const& a) {
    using types = impl::formats<impl::execution_space_of<Space>, Crs>;
    using ordinal = typename types::ordinal;
    using offset = typename types::offset;
    auto const rows = static_cast<std::int64_t>(a.num_rows);
    std::int64_t const size = options.slice_size;
    auto const slices = impl::ceil_div(rows, size);
    impl::row_lengths<Crs> lengths{a.row_map, rows};
    typename impl::stored<typename types::value, ordinal, offset,
                          typename types::memory>::entries_view order;
    if (options.window > 1 && rows > 0) {
      order = impl::sorted_rows(exec, lengths, options.window);
      lengths.order = order.data();
    }
    auto const begin = impl::allocate<offset>(exec, "araios::sliced_ell_matrix::slice_begin",
                                              static_cast<std::size_t>(slices) + 1);
    impl::group_slots<Crs> const slots_of{lengths, size, true};
    auto const slots = impl::scan_sizes(exec, "araios::to_sliced_ell::scan_slices", slices,
                                        slots_of, begin.data(), true);
    if (slices == 0) Kokkos::deep_copy(exec, begin, offset{});
    std::int64_t last_width = 0;
    if (rows % size != 0)
      last_width = impl::total_of(exec, "araios::to_sliced_ell::last_width", 1,
                                  impl::width_of_group<Crs>{slots_of, slices - 1});
    auto const atoms = slots - last_width * (size - rows % size);  // rows that are not are no tiles
    impl::require_growth(function, a, static_cast<double>(slots) * types::entry_bytes,
                         options.most_growth);
    auto const count =
        static_cast<std::size_t>(impl::narrow<offset>(slots, function, "the number of slots"));
    sliced_ell_matrix<typename types::value, ordinal, offset, typename types::memory> s(
        a.num_rows, a.num_cols, a.nnz, impl::narrow<ordinal>(size, function, "the slice size"),
        atoms);
    s.slice_begin = begin;
    s.order = order;
    s.entries = impl::allocate<ordinal>(exec, "araios::sliced_ell_matrix::entries", count);
    s.values =
        impl::allocate<typename types::value>(exec, "araios::sliced_ell_matrix::values", count);
    auto const tiles = std::get<0>(s.parts()).tiles();
    if (last_width > 0) {
      auto const last_slice = static_cast<std::size_t>(slots - last_width * size);
      Kokkos::deep_copy(exec, Kokkos::subview(s.entries, std::pair(last_slice, count)), -1);
    }
    if (count > 0)
      impl::for_each_index(exec, "araios::to_sliced_ell::rows", rows,
                           impl::fill_groups<Crs, std::remove_const_t<decltype(tiles)>>{
                               a, lengths, tiles, s.entries.data(), s.values.data()});
    return s;
  });
}

template <execution_instance Space, convertible_matrix Matrix>
auto to_rgcsr(Space const& space, Matrix const& matrix, rgcsr_options const& options) {
  constexpr auto function = "araios::to_rgcsr";
  impl::require(options.group_size >= 0, function, ": groups of ", options.group_size, " rows");
  impl::require(options.budget > 0.0, function, ": a budget of ", options.budget);
  impl::require(options.longest >= 0, function, ": longest is ", options.longest);
  impl::require_window(function, options.window);
  auto chosen = options;
  if (chosen.group_size == 0)
    chosen.group_size = tuning::rgcsr_group_size<impl::execution_space_of<Space>>;
  return impl::with_crs(space, matrix, [&](auto const& a) {
    return impl::crs_to_rgcsr(impl::instance(space), a, chosen);
  });
}

template <execution_instance Space, crs_like Matrix, class... Types>
void update_values(Space const& space, Matrix const& matrix, rgcsr_matrix<Types...> const& r) {
  auto const a = as_crs(matrix);
  using crs = std::remove_const_t<decltype(a)>;
  impl::require(
      static_cast<std::int64_t>(a.num_rows) == static_cast<std::int64_t>(r.num_rows()) &&
          static_cast<std::int64_t>(a.num_cols) == static_cast<std::int64_t>(r.num_cols()) &&
          static_cast<std::int64_t>(a.nnz) == static_cast<std::int64_t>(r.nnz()),
      "araios::update_values: R is ", r.num_rows(), " x ", r.num_cols(), " with ", r.nnz(),
      " entries, but A is ", a.num_rows, " x ", a.num_cols, " with ", a.nnz);
  auto const& exec = impl::instance(space);
  auto const rows = static_cast<std::int64_t>(a.num_rows);
  if (r.values.extent(0) > 0) {
    auto const tiles = std::get<0>(r.parts()).tiles();
    impl::for_each_index(exec, "araios::update_values::rows", rows,
                         impl::refill_groups<crs, std::remove_const_t<decltype(tiles)>>{
                             a, tiles, r.order.data(), r.values.data()});
  }
  if (r.tail.rows.extent(0) > 0)
    impl::fill_list(exec, a, r.tail, 0, nullptr);
  else  // all rows, as they are
    impl::for_each_index(
        exec, "araios::update_values::tail", static_cast<std::int64_t>(r.tail.nnz()),
        impl::copy_elements<typename rgcsr_matrix<Types...>::value_type, typename crs::value_type>{
            a.values, r.tail.values.data()});
}

template <execution_instance Space, class... Types>
auto group_fill(Space const& space, rgcsr_matrix<Types...> const& r) {
  using matrix = rgcsr_matrix<Types...>;
  auto const& exec = impl::instance(space);
  auto const groups = r.entries.extent(0) == 0
                          ? std::int64_t{0}
                          : impl::ceil_div(static_cast<std::int64_t>(r.num_rows()), r.group_size());
  auto const fill =
      impl::allocate<double>(exec, "araios::group_fill", static_cast<std::size_t>(groups));
  impl::for_each_index(
      exec, "araios::group_fill::groups", groups,
      impl::write_group_fill<matrix>{r.row_map.data(), r.group_begin.data(),
                                     static_cast<std::int64_t>(r.num_rows()),
                                     static_cast<std::int64_t>(r.group_size()), groups,
                                     static_cast<std::int64_t>(r.entries.extent(0)),
                                     static_cast<std::int64_t>(r.width()), fill.data()});
  return fill;
}

}  // namespace araios
