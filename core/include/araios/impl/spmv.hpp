// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <limits>
#include <tuple>
#include <type_traits>

#include <araios/concepts.hpp>
#include <araios/error.hpp>
#include <araios/impl/dispatch.hpp>
#include <araios/impl/execution.hpp>
#include <araios/impl/numbers.hpp>
#include <araios/load_balance.hpp>
#include <araios/mode.hpp>
#include <araios/schedule/automatic.hpp>

namespace araios::impl {

template <class S>
concept spmv_schedule = std::same_as<S, automatic> || requires {
  { S::splits_tiles } -> std::convertible_to<bool>;
  { S::scope } -> std::convertible_to<slice_scope>;
};

template <class X, class Y, int Rank>
concept views_of_rank = Kokkos::is_view_v<X> && Kokkos::is_view_v<Y> && X::rank()
== Rank&& Y::rank() == Rank && !std::is_const_v<typename Y::value_type>;
template <class X, class Y>
concept vector_views = views_of_rank<X, Y, 1>;
template <class X, class Y>
concept multivector_views = views_of_rank<X, Y, 2>;

/// Whether two Views may share an element. Exact for vectors of equal element size and stride, such
/// as columns of one multivector; otherwise any overlap of their spans counts.
template <class X, class Y>
bool overlap(X const& x, Y const& y) {
  constexpr auto size = static_cast<std::ptrdiff_t>(sizeof(typename Y::value_type));
  auto const* const x_begin = reinterpret_cast<char const*>(x.data());
  auto const* const y_begin = reinterpret_cast<char const*>(y.data());
  auto const x_bytes = x.span() * sizeof(typename X::value_type);
  auto const y_bytes = y.span() * sizeof(typename Y::value_type);
  if (x_bytes == 0 || y_bytes == 0 || x_begin >= y_begin + y_bytes || y_begin >= x_begin + x_bytes)
    return false;
  if constexpr (X::rank() == 1 && sizeof(typename X::value_type) == size) {
    auto const stride = static_cast<std::ptrdiff_t>(x.stride(0)) * size;
    if (x.stride(0) == y.stride(0) && stride > 0) return (x_begin - y_begin) % stride == 0;
  }
  return true;
}

/// Whether parts of a sum can be added in the type of y: in 16 bits they would stall at a few
/// thousand.
template <class Y>
inline constexpr bool adds_parts = std::is_same_v<typename Y::non_const_value_type,
                                                  accumulator_t<typename Y::non_const_value_type>>;

template <class Y>
void require_whole_sums(char const* function, bool splits) {
  require(adds_parts<Y> || !splits, function,
          ": a 16-bit result cannot take the parts of a sum one by one, as a transposed product, "
          "merge_path and nonzero_split do; use a result of 32 bits or more, or a schedule that "
          "deals whole rows");
}

/// A 16-bit result would be rounded between the parts of a matrix.
template <class Y, class Parts>
void require_one_part(char const* function, Parts const& parts) {
  if constexpr (!adds_parts<Y>) {
    auto const with_entries = std::apply(
        [](auto const&... part) { return (0 + ... + (part.tiles().num_atoms() > 0 ? 1 : 0)); },
        parts);
    require(with_entries <= 1, function, ": A is stored in ", with_entries,
            " parts, whose sums a 16-bit result cannot take one after the other; use a result of "
            "32 bits or more, or another format");
  }
}

/// The checks of every product of a matrix with vectors.
template <tiled_matrix Matrix, class X, class Y>
void check_product(char const* function, Matrix const& a, X const& x, Y const& y, mode op) {
  bool const t = transposes(op);
  auto const rows = static_cast<std::size_t>(t ? a.num_cols : a.num_rows);
  auto const cols = static_cast<std::size_t>(t ? a.num_rows : a.num_cols);
  require(a.num_rows >= 0 && a.num_cols >= 0, function, ": A is ", a.num_rows, " x ", a.num_cols);
  require(x.extent(0) == cols && y.extent(0) == rows && x.extent(1) == y.extent(1), function,
          ": op(A) is ", rows, " x ", cols, " but x is ", x.extent(0), " x ", x.extent(1),
          " and y is ", y.extent(0), " x ", y.extent(1));
  require(op == mode::none || op == mode::conjugate || t, function, ": unknown mode '",
          static_cast<char>(op), "'");
  require(!overlap(x, y), function, ": x and y share memory");
  constexpr bool by_columns = has_columns_for_tiles<Matrix>;
  auto const expected = static_cast<std::int64_t>(by_columns ? a.num_cols : a.num_rows);
  require(static_cast<std::int64_t>(a.tiles().num_tiles()) == expected, function, ": A has ",
          expected, by_columns ? " columns but " : " rows but ", a.tiles().num_tiles(), " tiles");
}

/// run(index, part, beta, op) for the parts of a matrix: the first that has all rows and entries
/// gets `beta`, the others add to what it leaves; those without entries are left out. Parts whose
/// tiles are columns are transposed.
template <class Parts, class Beta, class Run>
void for_each_part(Parts const& parts, Beta const& beta, mode op, Run const& run) {
  std::size_t first = 0;
  auto const has_all = [](auto const& part) {
    return part.tiles().num_atoms() > 0 && static_cast<std::int64_t>(part.tiles().num_tiles()) ==
                                               static_cast<std::int64_t>(part.num_rows);
  };
  auto const run_one = [&](auto index) {
    auto const& part = std::get<index()>(parts);
    constexpr bool by_columns = has_columns_for_tiles<std::remove_cvref_t<decltype(part)>>;
    if (index() == first || part.tiles().num_atoms() > 0)
      run(index, part, index() == first ? beta : static_cast<Beta>(1),
          by_columns ? transposed(op) : op);
  };
  [&]<std::size_t... Index>(std::index_sequence<Index...>) {
    if (std::get<0>(parts).tiles().num_atoms() == 0)
      ((first == 0 && Index > 0 && has_all(std::get<Index>(parts)) ? void(first = Index) : void()),
       ...);
    (run_one(std::integral_constant<std::size_t, Index>{}), ...);
  }
  (std::make_index_sequence<std::tuple_size_v<Parts>>{});
}

/// The entries of a matrix as factors of the product.
template <tiled_matrix Matrix, class Sum>
struct matrix_terms {
  using ordinal_type = typename Matrix::ordinal_type;
  using value_type = std::remove_const_t<typename Matrix::value_type>;
  using matrix_type = Matrix;
  Matrix matrix;
  bool conjugate;

  KOKKOS_FORCEINLINE_FUNCTION Sum value_of(value_type const& value) const {
    return conjugate_if(conjugate, static_cast<Sum>(accumulator_t<value_type>(value)));
  }
};

/// y(i) = beta y(i) + alpha sum_k a(k) x(column k) for the slices of a schedule. What makes a term
/// is loaded (`fetch`) apart from forming it, so that a backend can have many loads in flight.
template <tile_set Tiles, class Terms, class Sum, class X, class Y>
struct spmv_rows {
  using sum_type = Sum;
  using tile_type = typename Tiles::tile_type;
  using atom_type = typename Tiles::atom_type;
  using ordinal = typename Terms::ordinal_type;
  using value = typename Terms::value_type;

  struct fetched {
    value a;
    ordinal column;
    KOKKOS_FORCEINLINE_FUNCTION bool exists() const { return !is_padding(column); }
  };

  Tiles tiles;
  Terms terms;
  Sum alpha;
  Sum beta;
  X x;
  Y y;

  static KOKKOS_FORCEINLINE_FUNCTION fetched nothing() { return {value{}, ordinal(-1)}; }
  KOKKOS_FORCEINLINE_FUNCTION fetched fetch(tile_type tile, atom_type atom) const {
    return fetch_slot(tile, tiles.slot(tile, atom));
  }
  KOKKOS_FORCEINLINE_FUNCTION fetched fetch_slot(tile_type tile, std::size_t slot) const {
    return {static_cast<value>(terms.matrix.value(slot)),
            static_cast<ordinal>(terms.matrix.column(tile, slot))};
  }
  KOKKOS_FORCEINLINE_FUNCTION Sum form(fetched const& at) const {
    return terms.value_of(at.a) *
           static_cast<Sum>(accumulator_t<typename X::non_const_value_type>(x(at.column)));
  }
  KOKKOS_FORCEINLINE_FUNCTION Sum term(tile_type tile, atom_type atom) const {
    auto const at = fetch(tile, atom);
    if constexpr (has_padding<Tiles>)
      if (!at.exists()) return Sum{};
    return form(at);
  }
  /// The same where neither slot nor column depends on the tile.
  KOKKOS_FORCEINLINE_FUNCTION Sum term(atom_type atom) const requires Tiles::slots_are_atoms
      && Terms::matrix_type::columns_by_slot {
    return term(tile_type{0}, atom);
  }
  /// Makes a tile ready for parts of its sum.
  KOKKOS_FORCEINLINE_FUNCTION void prepare(tile_type tile) const {
    scale_and_add(beta, y(row_of(terms.matrix, tile)), Sum(0));
  }
  /// Takes the sum of a tile, or a part of it, which is added.
  KOKKOS_FORCEINLINE_FUNCTION void commit(tile_type tile, Sum const& sum, bool complete) const {
    auto& result = y(row_of(terms.matrix, tile));
    if (complete)
      scale_and_add(beta, result, alpha * sum);
    else
      Kokkos::atomic_add(&result, static_cast<typename Y::value_type>(alpha * sum));
  }
};

/// The sums of some neighbouring tiles that are stored interleaved, by one thread of a host, which
/// goes through all of them at once: what it reads and adds are neighbours in memory and registers.
template <class Tiles, class Rows>
struct sum_side_by_side {
  static constexpr int width = 8;
  using tile_type = typename Tiles::tile_type;
  using sum_type = typename Rows::sum_type;
  Tiles tiles;
  Rows rows;

  KOKKOS_FORCEINLINE_FUNCTION sum_type term(tile_type tile, std::size_t slot) const {
    auto const at = rows.fetch_slot(tile, slot);
    if constexpr (has_padding<Tiles>)
      if (!at.exists()) return sum_type{};
    return rows.form(at);
  }
  KOKKOS_FUNCTION void operator()(std::int64_t number) const {
    std::int64_t const first = number * width;
    auto const left = static_cast<std::int64_t>(tiles.num_tiles()) - first;
    int const count = static_cast<int>(left < width ? left : width);
    auto const tile = [&](int r) { return static_cast<tile_type>(first + r); };
    std::int64_t lengths[width];
    auto shared = std::numeric_limits<std::int64_t>::max();  // what all of them have
    for (int r = 0; r < count; ++r) {
      lengths[r] = static_cast<std::int64_t>(tiles.tile_end(tile(r)) - tiles.tile_begin(tile(r)));
      shared = Kokkos::min(shared, lengths[r]);
    }
    auto const slots = tiles.slots_of(tile(0));
    auto const last = tiles.slots_of(tile(count - 1));
    if (count < width || last.step != slots.step || last.first != slots.first + width - 1)
      shared = 0;
    sum_type sums[width] = {};
    for (std::int64_t n = 0; n < shared; ++n) {
      auto const slot = slots.first + static_cast<std::size_t>(n) * slots.step;
      for (int r = 0; r < width; ++r) sums[r] += term(tile(r), slot + static_cast<std::size_t>(r));
    }
    for (int r = 0; r < count; ++r) {
      auto const own = tiles.slots_of(tile(r));
      for (auto n = shared; n < lengths[r]; ++n)
        sums[r] += term(tile(r), own.first + static_cast<std::size_t>(n) * own.step);
      rows.commit(tile(r), sums[r], true);
    }
  }
};

/// y(column k) += alpha a(k) x(i): the transposed product. y has been scaled before.
template <bool Atomic, tile_set Tiles, class Terms, class Sum, class X, class Y>
struct spmv_columns {
  Tiles tiles;
  Terms terms;
  Sum alpha;
  X x;
  Y y;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(typename Tiles::tile_type tile,
                                              typename Tiles::atom_type atom) const {
    auto const slot = tiles.slot(tile, atom);
    auto const column = terms.matrix.column(tile, slot);
    if constexpr (has_padding<Tiles>)
      if (is_padding(column)) return;
    Sum const factor = alpha * static_cast<Sum>(accumulator_t<typename X::non_const_value_type>(
                                   x(row_of(terms.matrix, tile))));
    auto const term =
        static_cast<typename Y::value_type>(terms.value_of(terms.matrix.value(slot)) * factor);
    auto& result = y(column);
    if constexpr (Atomic)
      Kokkos::atomic_add(&result, term);
    else
      result += term;
  }
};

/// y = beta y, where beta == 0 means that y is not read.
template <class Sum, class Y>
struct scale_vector {
  Sum beta;
  Y y;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { scale_and_add(beta, y(i), Sum(0)); }
};

template <class Space, class Sum, class Y>
void scale(Space const& space, Sum const& beta, Y const& y) {
  if (beta == Sum(1) || y.extent(0) == 0) return;
  Kokkos::parallel_for("araios::spmv::scale",
                       Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(
                           space, 0, static_cast<std::int64_t>(y.extent(0))),
                       scale_vector<Sum, Y>{beta, y});
}

/// Whether two threads of this space can add to one element at the same time.
template <class Space>
inline constexpr bool needs_atomics =
#ifdef KOKKOS_ENABLE_SERIAL
    !std::is_same_v<Space, Kokkos::Serial>;
#else
    true;
#endif

struct spmv_operation {
  /// The kernel body of y = beta y + alpha A x or alpha conj(A) x.
  template <tile_set Tiles, tiled_matrix Matrix, class Alpha, class X, class Beta, class Y>
  static auto rows_of(Tiles const& tiles, Matrix const& a, Alpha const& alpha, X const& x,
                      Beta const& beta, Y const& y, mode op) {
    using value = std::remove_const_t<typename Matrix::value_type>;
    using sum = sum_t<value, typename X::value_type, typename Y::value_type>;
    using terms = matrix_terms<Matrix, sum>;
    using x_view = unmanaged_t<typename X::const_type>;
    return spmv_rows<Tiles, terms, sum, x_view, unmanaged_t<Y>>{
        tiles,     terms{a, conjugates(op)}, coefficient<sum>(alpha), coefficient<sum>(beta),
        x_view(x), unmanaged_t<Y>(y)};
  }

  template <class Space, class Schedule, tile_set Tiles, tiled_matrix Matrix, class Alpha, class X,
            class Beta, class Y>
  static void run(Space const& space, Schedule const& schedule, Tiles const& tiles, Matrix const& a,
                  Alpha const& alpha, X const& x, Beta const& beta, Y const& y, mode op) {
    static std::string const name = std::string("araios::spmv::") + Schedule::name;
    Kokkos::Profiling::ScopedRegion const region(name);
    require_whole_sums<Y>("araios::spmv", Schedule::splits_tiles || transposes(op));
    auto const rows = rows_of(tiles, a, alpha, x, beta, y, op);
    using sum = typename decltype(rows)::sum_type;
    if (rows.alpha == sum(0) || tiles.num_atoms() == 0) {
      scale(space, rows.beta, rows.y);
    } else if (!transposes(op)) {
      if constexpr (runs_on_host<Space> && std::is_same_v<Schedule, thread_mapped> &&
                    is_side_by_side<Matrix> &&
                    requires(typename Tiles::tile_type t) { tiles.slots_of(t); }) {
        using kernel = sum_side_by_side<Tiles, std::remove_const_t<decltype(rows)>>;
        auto const groups =
            ceil_div(static_cast<std::int64_t>(tiles.num_tiles()), std::int64_t{kernel::width});
        Kokkos::parallel_for(
            "araios::spmv::rows",
            Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>,
                                Kokkos::Schedule<Kokkos::Static>>(space, 0, groups),
            kernel{tiles, rows});
        return;
      }
      sum_tiles(space, "araios::spmv::rows", schedule, tiles, rows);
    } else {
      scale(space, rows.beta, rows.y);
      visit_atoms(
          space, "araios::spmv::columns", schedule, tiles,
          spmv_columns<needs_atomics<Space>, Tiles, std::remove_const_t<decltype(rows.terms)>, sum,
                       std::remove_const_t<decltype(rows.x)>,
                       std::remove_const_t<decltype(rows.y)>>{tiles, rows.terms, rows.alpha, rows.x,
                                                              rows.y});
    }
  }
};

/// Runs an operation with a schedule that the library has chosen. If that splits tiles and the
/// backend that it was chosen for declines the operands, `portable()` says what the portable
/// kernels want instead.
template <class Operation, class Space, class Schedule, class Portable, tile_set Tiles,
          class... Args>
void run_with_chosen(Space const& space, Schedule const& chosen,
                     [[maybe_unused]] Portable const& portable, Tiles const& tiles,
                     Args const&... args) {
  if constexpr (Schedule::splits_tiles && specialised<Operation, Space, Schedule, Tiles, Args...>) {
    if (!is_taken<Operation>(space, chosen, tiles, args...)) {
      std::visit([&](auto const& other) { dispatch<Operation>(space, other, tiles, args...); },
                 portable());
      return;
    }
  }
  dispatch<Operation>(space, chosen, tiles, args...);
}

/// Runs a single call of an operation with the schedule asked for, or with one chosen by the shape.
template <class Operation, class Space, class Schedule, tile_set Tiles, class Crs, class Alpha,
          class X, class Beta, class Y>
void run_with_schedule(Space const& space, Schedule const& schedule, Tiles const& tiles,
                       Crs const& a, Alpha const& alpha, X const& x, Beta const& beta, Y const& y,
                       mode op) {
  if constexpr (std::is_same_v<Schedule, automatic> && is_side_by_side<Crs>) {
    dispatch<Operation>(space, thread_mapped{}, tiles, a, alpha, x, beta, y, op);
  } else if constexpr (std::is_same_v<Schedule, automatic>) {
    std::visit(
        [&](auto const& chosen) {
          run_with_chosen<Operation>(
              space, chosen,
              [&] {
                return choose_schedule(portable_on{space}, shape_of(tiles, a.num_cols), schedule,
                                       adds_parts<Y>);
              },
              tiles, a, alpha, x, beta, y, op);
        },
        choose_schedule(space, shape_of(tiles, a.num_cols), schedule, adds_parts<Y>));
  } else {
    dispatch<Operation>(space, schedule, tiles, a, alpha, x, beta, y, op);
  }
}

}  // namespace araios::impl
