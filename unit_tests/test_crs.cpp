// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#ifdef ARAIOS_HAVE_KOKKOSKERNELS
#include <KokkosSparse_CrsMatrix.hpp>
#endif

#include <araios/matrix/crs.hpp>
#include <araios/spmv.hpp>

#include "support/battery.hpp"
#include "support/device.hpp"
#include "support/product.hpp"
#include "support/throws.hpp"
#include "support/tools_counter.hpp"

namespace tests {

using std::int64_t;
using support::exec;

class crs : public support::random_test {};

/// What a matrix of Kokkos Kernels or Tpetra looks like, without either.
template <class Value, class Ordinal, class Offset>
struct look_alike {
  using ordinal_type = Ordinal;
  using size_type = Offset;
  using value_type = Value;
  using memory_space = exec::memory_space;
  struct {
    Kokkos::View<Offset const*, exec> row_map;
    Kokkos::View<Ordinal*, exec> entries;
  } graph;
  Kokkos::View<Value*, exec> values;
  Ordinal columns;

  Ordinal numRows() const {
    return graph.row_map.extent(0) > 0 ? static_cast<Ordinal>(graph.row_map.extent(0)) - 1 : 0;
  }
  Ordinal numCols() const { return columns; }
};

static_assert(araios::crs_like<araios::crs_matrix<double>>);
static_assert(araios::crs_like<araios::crs_matrix<float, int64_t, int64_t> const>);
static_assert(araios::crs_like<look_alike<double, int, std::size_t>>);
static_assert(!araios::crs_like<int>);
static_assert(!araios::crs_like<araios::host_crs<double>>, "kernels need device arrays");
static_assert(!araios::crs_like<Kokkos::View<double**>>);
static_assert(std::is_trivially_copyable_v<araios::crs_view_of<araios::crs_matrix<double>>>);

template <class Value, class Ordinal, class Offset>
void check_round_trip(support::engine& random) {
  for (auto const& m : support::battery(random)) {
    SCOPED_TRACE(m.name + ": " + m.reason);
    auto const host = support::with_values<Value>(random, m.a);
    auto const a = araios::to_crs_matrix<Value, Ordinal, Offset>(exec{}, host);
    EXPECT_EQ(a.num_rows(), static_cast<Ordinal>(host.num_rows));
    EXPECT_EQ(a.num_cols(), static_cast<Ordinal>(host.num_cols));
    EXPECT_EQ(a.nnz(), static_cast<Offset>(host.nnz()));
    araios::check_crs(exec{}, a);
    auto const back = araios::to_host_crs(exec{}, a);
    EXPECT_EQ(back.num_rows, host.num_rows);
    EXPECT_EQ(back.num_cols, host.num_cols);
    EXPECT_EQ(back.row_map, host.row_map);
    EXPECT_EQ(back.entries, host.entries);
    EXPECT_TRUE(back.values == host.values);
  }
}

TEST_F(crs, round_trip_int_size_t) { check_round_trip<double, int, std::size_t>(random); }
TEST_F(crs, round_trip_int_int) { check_round_trip<float, int, int>(random); }
TEST_F(crs, round_trip_int64_int64) {
  check_round_trip<Kokkos::complex<double>, int64_t, int64_t>(random);
}

// F10: a row map of extent 0, or of extent 1 with anything in it.
TEST_F(crs, without_rows_the_row_map_is_not_read) {
  araios::crs_matrix<double, int, int> const no_map(0, 5, {}, {}, {});
  araios::crs_matrix<double, int, int> const any_map(0, 5, support::to_device<int>({12345}), {},
                                                     {});
  for (auto const& a : {no_map, any_map}) {
    araios::check_crs(exec{}, a);
    auto const host = araios::to_host_crs(exec{}, a);
    EXPECT_EQ(host.num_rows, 0);
    EXPECT_EQ(host.num_cols, 5);
    EXPECT_EQ(host.row_map, std::vector<int64_t>{0});
    EXPECT_EQ(host.nnz(), 0);
  }
}

TEST_F(crs, copies_and_views_share_the_arrays) {
  auto const a = araios::to_crs_matrix<double>(exec{}, support::rows_of(random, {2, 0, 1}, 4));
  support::tools_counter const counter;
  auto const b = a;
  auto const view = araios::as_crs(b);
  EXPECT_EQ(view.row_map, a.row_map.data());
  EXPECT_EQ(view.entries, a.entries.data());
  EXPECT_EQ(view.values, a.values.data());
  EXPECT_EQ(view.num_rows, 3);
  EXPECT_EQ(view.num_cols, 4);
  EXPECT_EQ(view.nnz, 3u);
  EXPECT_TRUE(counter.nothing_happened());
}

TEST_F(crs, arrays_that_do_not_fit_together_are_refused) {
  using matrix = araios::crs_matrix<double, int, int>;
  auto const ints = [](int n) { return support::device_vector<int>("ints", n); };
  auto const values = [](int n) { return support::device_vector<double>("values", n); };
  using refusal = std::invalid_argument;
  EXPECT_TRUE(support::throws<refusal>([&] { matrix(-1, 2, ints(0), ints(0), values(0)); },
                                       {"araios::crs_matrix", "-1 x 2"}));
  EXPECT_TRUE(support::throws<refusal>([&] { matrix(2, -7, ints(3), ints(0), values(0)); },
                                       {"araios::crs_matrix", "2 x -7"}));
  for (int const extent : {0, 2, 4})
    EXPECT_TRUE(support::throws<refusal>(
        [&] { matrix(2, 2, ints(extent), ints(1), values(1)); },
        {"araios::crs_matrix", "row_map has " + std::to_string(extent) + " elements for 2 rows"}));
  EXPECT_TRUE(support::throws<refusal>([&] { matrix(0, 2, ints(2), ints(0), values(0)); },
                                       {"araios::crs_matrix", "2 elements for 0 rows"}));
  EXPECT_TRUE(support::throws<refusal>([&] { matrix(2, 2, ints(3), ints(4), values(3)); },
                                       {"araios::crs_matrix", "4 entries but 3 values"}));
}

// Rule 1: every narrowing is checked, before anything is allocated.
TEST_F(crs, what_does_not_fit_the_index_types_is_refused) {
  araios::host_crs<double> host;
  host.num_rows = int64_t{1} << 31;
  support::tools_counter const counter;
  using overflow = std::overflow_error;
  EXPECT_TRUE(support::throws<overflow>([&] { araios::to_crs_matrix<double>(exec{}, host); },
                                        {"araios::to_crs_matrix", "rows", "2147483648"}));
  host.num_rows = 0;
  host.num_cols = (int64_t{1} << 32) + 5;
  EXPECT_TRUE(support::throws<overflow>([&] { araios::to_crs_matrix<double>(exec{}, host); },
                                        {"araios::to_crs_matrix", "columns", "4294967301"}));
  constexpr int64_t count = 40000;
  host.num_rows = 1;
  host.num_cols = 1;
  host.row_map = {0, count};
  host.entries.assign(count, 0);
  host.values.assign(count, 1.0);
  EXPECT_TRUE(support::throws<overflow>(
      [&] { araios::to_crs_matrix<double, int, std::int16_t>(exec{}, host); },
      {"araios::to_crs_matrix", "entries", "40000", "16 bits"}));
  EXPECT_TRUE(counter.nothing_happened());
}

TEST_F(crs, broken_host_matrices_are_refused) {
  support::tools_counter const counter;
  auto const refused = [&](araios::host_crs<double> const& host) {
    EXPECT_TRUE(support::throws<std::invalid_argument>(
        [&] { araios::to_crs_matrix<double>(exec{}, host); }, {"araios::to_crs_matrix"}));
    EXPECT_TRUE(counter.nothing_happened());
  };
  refused({2, 2, {0, 1}, {0}, {1.0}});                            // row map too short
  refused({2, 2, {0, 1, 2, 2}, {0, 1}, {1.0, 1.0}});              // too long
  refused({2, 2, {0, 1, 3}, {0, 1}, {1.0, 1.0}});                 // ends behind the entries
  refused({2, 2, {0, 1, 1}, {0, 1}, {1.0, 1.0}});                 // or before
  refused({2, 2, {0, 1, 2}, {0, 1}, {1.0}});                      // values are missing
  refused({3, 2, {0, 2, 1, 2}, {0, 1}, {1.0, 1.0}});              // descends
  refused({2, 2, {1, 1, 2}, {0, 1}, {1.0, 1.0}});                 // does not start at zero
  refused({2, 2, {0, 1, 2}, {0, 2}, {1.0, 1.0}});                 // a column too large
  refused({2, 2, {0, 1, 2}, {0, -1}, {1.0, 1.0}});                // a negative one
  refused({2, 2, {0, 1, 2}, {0, int64_t{1} << 32}, {1.0, 1.0}});  // one that narrows to column 0
}

TEST_F(crs, values_out_of_range_are_refused) {
  araios::host_crs<double> host{1, 1, {0, 1}, {0}, {1e300}};
  std::initializer_list<std::string> const too_large = {"araios::to_crs_matrix", "value"};
  EXPECT_TRUE(support::throws<std::overflow_error>(
      [&] { araios::to_crs_matrix<float>(exec{}, host); }, too_large));
  EXPECT_TRUE(support::throws<std::overflow_error>(
      [&] { araios::to_crs_matrix<int>(exec{}, host); }, too_large));
  host.values[0] = -2147483649.0;
  EXPECT_TRUE(support::throws<std::overflow_error>(
      [&] { araios::to_crs_matrix<int>(exec{}, host); }, too_large));
  host.values[0] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(araios::to_host_crs(exec{}, araios::to_crs_matrix<float>(exec{}, host)).values[0],
            std::numeric_limits<float>::infinity());
  host.values[0] = 1e-300;  // rounds to zero
  EXPECT_EQ(araios::to_host_crs(exec{}, araios::to_crs_matrix<float>(exec{}, host)).values[0],
            0.0f);
}

TEST_F(crs, check_names_the_first_bad_row) {
  using matrix = araios::crs_matrix<double, int, int>;
  auto const bad = [&](std::vector<int> const& row_map, std::vector<int> const& entries, int row) {
    matrix const a(static_cast<int>(row_map.size()) - 1, 4, support::to_device(row_map),
                   support::to_device(entries),
                   support::to_device(std::vector<double>(entries.size(), 1.0)));
    EXPECT_TRUE(support::throws<std::invalid_argument>(
        [&] { araios::check_crs(exec{}, a); },
        {"araios::check_crs: row " + std::to_string(row) + " of a"}));
  };
  bad({0, 1, 2, 3}, {0, 4, 9}, 1);
  bad({0, 1, 2, 3}, {0, 1, -1}, 2);
  bad({1, 1, 2, 3}, {0, 1, 2}, 0);
  bad({0, 2, 1, 3}, {0, 1, 2}, 1);
  bad({0, 1, 2, 2}, {0, 1, 2}, 2);
  bad({0, 1, 2, 4}, {0, 1, 2}, 2);
  bad({0, 100, 2, 3}, {0, 1, 2}, 0);
  bad({0, -5, 2, 3}, {0, 1, 2}, 0);
}

TEST_F(crs, check_runs_on_the_instance) {
  auto const a = araios::to_crs_matrix<double>(exec{}, support::rows_of(random, {2, 0, 1}, 4));
  araios::check_crs(exec{}, a);  // warms Kokkos up
  support::tools_counter const counter;
  araios::check_crs(exec{}, a);
  EXPECT_EQ(counter.launches, std::vector<std::string>{"araios::check_crs::rows"});
  EXPECT_TRUE(counter.all_on(exec{}));
}

TEST_F(crs, copying_takes_no_global_fence_and_labels_what_it_allocates) {
  auto const host = support::rows_of(random, {2, 0, 1}, 4);
  support::tools_counter const counter;
  auto const a = araios::to_crs_matrix<double>(exec{}, host);
  EXPECT_EQ(counter.allocations.size(), 3u);
  EXPECT_EQ(counter.not_labelled("araios::"), "");
  for (auto const& fence : counter.fences) EXPECT_FALSE(fence.global) << fence.name;
  EXPECT_TRUE(counter.all_on(exec{}));
}

template <class Value, class Ordinal, class Offset>
void check_look_alike(support::engine& random) {
  auto const pattern = support::rows_of(random, support::repeated({3, 0, 40}, 20), 60);
  auto const host = support::with_values<std::remove_const_t<Value>>(random, pattern);
  auto const a = araios::to_crs_matrix<std::remove_const_t<Value>, Ordinal, Offset>(exec{}, host);
  look_alike<Value, Ordinal, Offset> b;
  b.graph.row_map = a.row_map;
  b.graph.entries = a.entries;
  b.values = a.values;
  b.columns = a.num_cols();
  support::product const p(random, host, araios::mode::none, 1.0L, 0.0L);
  EXPECT_TRUE(p.check([&](auto const& x, auto const& y) {
    araios::spmv(exec{}, araios::merge_path(1, 5), 1.0, b, x, 0.0, y);  // warms Kokkos up
    support::tools_counter const counter;
    araios::spmv(exec{}, araios::merge_path(1, 5), 1.0, b, x, 0.0, y);
    EXPECT_TRUE(counter.allocations.empty());
  }));
}

TEST_F(crs, matrices_shaped_like_those_of_kokkos_kernels) {
  check_look_alike<double, int, std::size_t>(random);
  check_look_alike<double const, int, int>(random);
}

#ifdef ARAIOS_HAVE_KOKKOSKERNELS

template <class Value, class Ordinal, class Offset>
using kokkos_matrix = KokkosSparse::CrsMatrix<Value, Ordinal, exec::device_type, void, Offset>;
static_assert(araios::crs_like<kokkos_matrix<double, int, std::size_t>>);
static_assert(araios::crs_like<kokkos_matrix<double const, int, int>>);

template <class Ordinal, class Offset>
void check_kokkos_kernels(support::engine& random) {
  for (auto const& m : support::battery(random)) {
    SCOPED_TRACE(m.name + ": " + m.reason);
    auto const a = araios::to_crs_matrix<double, Ordinal, Offset>(exec{}, m.a);
    auto const k = araios::to_kokkos_kernels<kokkos_matrix<double, Ordinal, Offset>>(a);
    EXPECT_EQ(k.values.data(), a.values.data());
    EXPECT_EQ(k.graph.entries.data(), a.entries.data());
    EXPECT_EQ(k.graph.row_map.data(), a.row_map.data());
    EXPECT_EQ(k.numRows(), a.num_rows());
    EXPECT_EQ(k.numCols(), a.num_cols());
    EXPECT_EQ(k.nnz(), a.nnz());
    {
      support::tools_counter const counter;
      auto const view = araios::as_crs(k);
      EXPECT_EQ(view.values, a.values.data());
      EXPECT_EQ(view.entries, a.entries.data());
      EXPECT_EQ(view.row_map, a.row_map.data());
      EXPECT_EQ(view.num_rows, a.num_rows());
      EXPECT_EQ(view.num_cols, a.num_cols());
      EXPECT_EQ(view.nnz, a.nnz());
      EXPECT_TRUE(counter.nothing_happened());
    }
    auto const back = araios::to_host_crs(exec{}, k);
    EXPECT_EQ(back.row_map, m.a.row_map);
    EXPECT_EQ(back.entries, m.a.entries);
    EXPECT_EQ(back.values, m.a.values);
    araios::check_crs(exec{}, k);
    for (auto const op : support::all_modes) {
      support::product const p(random, m.a, op, 1.0L, 2.0L);
      EXPECT_TRUE(p.check([&](auto const& x, auto const& y) {
        araios::spmv(exec{}, araios::merge_path(1, 5), 1.0, k, x, 2.0, y, op);
      }));
    }
    araios::spmv_plan const plan(exec{}, k);
    support::product const p(random, m.a, araios::mode::none, 1.0L, 2.0L);
    EXPECT_TRUE(
        p.check([&](auto const& x, auto const& y) { plan.apply(exec{}, 1.0, k, x, 2.0, y); }));
  }
}

TEST_F(crs, kokkos_kernels_matrices_int_size_t) { check_kokkos_kernels<int, std::size_t>(random); }
TEST_F(crs, kokkos_kernels_matrices_int_int) { check_kokkos_kernels<int, int>(random); }

TEST_F(crs, an_empty_kokkos_kernels_matrix) {
  kokkos_matrix<double, int, std::size_t> const none;
  auto const view = araios::as_crs(none);
  EXPECT_EQ(view.num_rows, 0);
  EXPECT_EQ(view.nnz, 0u);
  support::device_vector<double> const x("x", 0), y("y", 0);
  araios::spmv(exec{}, 1.0, none, x, 0.0, y);
}

#endif

}  // namespace tests
