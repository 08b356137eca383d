// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <araios/cuda/spgemm.hpp>
#include <araios/gallery.hpp>
#include <araios/spgemm.hpp>

#include "support/battery.hpp"
#include "support/device.hpp"
#include "support/spgemm.hpp"

// The CUDA specialisation of SpGEMM: what it promises to take, and every class of rows against the
// reference and the portable path.

namespace {

using araios::host_crs;
using araios::impl::spgemm_numeric;
using araios::impl::spgemm_symbolic;
using std::int64_t;
namespace tuning = araios::tuning::cuda;
namespace classes = araios::impl::cuda::row_class;
using Space = Kokkos::Cuda;

template <class Value, class Ordinal, class Offset>
struct combination {
  using memory = Space::memory_space;
  using state = araios::impl::spgemm::plan_state<Space, Ordinal, Offset, Value>;
  using operand = araios::crs_view<Ordinal, Offset, Value, memory>;
  static constexpr bool symbolic =
      araios::impl::specialised<spgemm_symbolic, Space, state*, operand, operand>;
  static constexpr bool numeric = araios::impl::specialised<spgemm_numeric, Space, state const*,
                                                            operand, operand, operand, Ordinal*>;
  static constexpr bool keep =
      araios::impl::specialised<araios::impl::spgemm_keep, Space, state*, operand, operand>;
  static constexpr bool kept = araios::impl::specialised<araios::impl::spgemm_kept, Space,
                                                         state const*, operand, operand, operand>;
};
template <class C>
inline constexpr bool all_of = C::symbolic&& C::numeric&& C::keep&& C::kept;
template <class C>
inline constexpr bool none_of = !C::symbolic && !C::numeric && !C::keep && !C::kept;
template <class Value, class Ordinal, class Offset>
inline constexpr bool promised = all_of<combination<Value, Ordinal, Offset>>;
static_assert(promised<double, int, int> && promised<double, int, std::size_t> &&
              promised<float, int, int> && promised<float, int, std::size_t> &&
              promised<Kokkos::complex<double>, int, int> &&
              promised<Kokkos::complex<float>, int, std::size_t> &&
              promised<Kokkos::Experimental::half_t, int, int>);
static_assert(none_of<combination<double, int64_t, int64_t>>);

class CudaSpGEMM : public support::random_test {
 protected:
  Space const space;

  /// Compares C with the reference, and its pattern with that of the portable path. Returns how
  /// many rows were done in each class; none if the product went the portable way or was small.
  template <class Value = double, class Offset = int, class HostValue>
  std::vector<int> check(host_crs<HostValue> const& host_a, host_crs<HostValue> const& host_b,
                         std::string const& what) {
    SCOPED_TRACE(what);
    auto const a = araios::to_crs_matrix<Value, int, Offset>(space, host_a);
    auto const b = araios::to_crs_matrix<Value, int, Offset>(space, host_b);
    auto const expected = reference::spgemm(host_a, host_b);
    auto const epsilon = support::epsilon_of<Value>;
    araios::spgemm_plan plan(space, a, b);
    auto const c = plan.make_result(space);
    for (int run = 0; run < 2; ++run) {
      plan.multiply(space, a, b, c);
      plan.check(space);
      EXPECT_TRUE(support::is_product(space, c, expected, epsilon, epsilon)) << "run " << run;
    }
    EXPECT_EQ(plan.products(), expected.products);
    araios::spgemm_plan const keeping(space, a, b, {.keep_products = true});
    auto const kept = keeping.make_result(space);
    keeping.multiply(space, a, b, kept);
    keeping.check(space);
    EXPECT_TRUE(support::is_product(space, kept, expected, epsilon, epsilon)) << "kept";
    EXPECT_TRUE(support::is_product(space, araios::spgemm(araios::portable_on{space}, a, b),
                                    expected, epsilon, epsilon))
        << "portable";
    EXPECT_LE(plan.workspace_bytes(), plan.workspace_bound(space, a, b));
    return rows_in_classes(a, b);
  }

  template <class Matrix>
  std::vector<int> rows_in_classes(Matrix const& a, Matrix const& b) {
    using view = araios::crs_view_of<Matrix>;
    using offset = typename view::offset_type;
    araios::impl::spgemm::plan_state<Space, int, offset, typename Matrix::value_type> state;
    auto const view_a = araios::as_crs(a);
    auto const view_b = araios::as_crs(b);
    if (view_a.nnz == 0 || view_b.nnz == 0) return {};
    state.a = {view_a.num_rows, view_a.num_cols, static_cast<int64_t>(view_a.nnz), 0,
               nullptr,         nullptr};
    state.b = {view_b.num_rows, view_b.num_cols, static_cast<int64_t>(view_b.nnz), 0,
               nullptr,         nullptr};
    state.row_map =
        Kokkos::View<offset*, Space>("row map", static_cast<std::size_t>(view_a.num_rows) + 1);
    state.control = decltype(state.control)(space);
    araios::impl::dispatch<spgemm_symbolic>(space, &state, view_a, view_b);
    if (!state.extension.used || state.extension.small) return {};
    std::vector<int> rows;
    for (int bin = 0; bin < classes::count; ++bin)
      rows.push_back(state.extension.begin[bin + 1] - state.extension.begin[bin]);
    return rows;
  }
};

/// A and B whose product has rows with the given numbers of products, all of different columns that
/// are `stride` apart; enough rows that it is not small. Rows of B have `width` entries, but for
/// the first few, which have one.
std::pair<host_crs<double>, host_crs<double>> rows_of_products(support::engine& random,
                                                               std::vector<int64_t> products,
                                                               int64_t width, int64_t stride) {
  auto const most = *std::max_element(products.begin(), products.end());
  products.resize(std::max<std::size_t>(products.size(), tuning::spgemm_small_rows + 1), 1);
  host_crs<double> a, b;
  b.num_rows = width + most / width + 1;
  for (int64_t i = 0; i < b.num_rows; ++i) {
    for (int64_t j = 0; j < (i < width ? 1 : width); ++j)
      b.entries.push_back(static_cast<int64_t>(b.entries.size()) * stride);
    b.row_map.push_back(static_cast<int64_t>(b.entries.size()));
  }
  b.num_cols = b.entries.back() + 1;
  a.num_rows = static_cast<int64_t>(products.size());
  a.num_cols = b.num_rows;
  for (auto const count : products) {
    for (int64_t k = 0; k < count % width; ++k) a.entries.push_back(k);
    for (int64_t k = 0; k < count / width; ++k) a.entries.push_back(width + k);
    a.row_map.push_back(static_cast<int64_t>(a.entries.size()));
  }
  a.values = support::draw_values<double>(random, static_cast<int64_t>(a.entries.size()));
  b.values = support::draw_values<double>(random, static_cast<int64_t>(b.entries.size()));
  return {a, b};
}

std::vector<int64_t> edges() {
  std::vector<int64_t> all{0, 1, 2, 3, 4, 5, 7, 8, 9};
  auto const around = [&](int64_t count) { all.insert(all.end(), {count - 1, count, count + 1}); };
  for (auto const& bin : tuning::spgemm_sort_bins.bins) around(bin.lanes * bin.items);
  for (auto const& bin : tuning::spgemm_mask_bins.bins) around(bin.products);
  return all;
}

// One less, as many, and one more products than each bin takes.
TEST_F(CudaSpGEMM, rows_at_the_edges_of_every_bin) {
  std::vector<int> seen(classes::count, 0);
  for (int64_t const width : {1, 9})
    for (int64_t const stride : {1, 64, 1000}) {
      auto const [a, b] = rows_of_products(random, edges(), width, stride);
      auto const rows = check(a, b, std::to_string(width) + " by " + std::to_string(stride));
      ASSERT_FALSE(rows.empty());
      for (std::size_t i = 0; i < seen.size(); ++i) seen[i] += rows[i];
    }
  for (int i = 0; i < classes::count; ++i)
    if (i < classes::run || i == classes::long_row)
      EXPECT_GT(seen[static_cast<std::size_t>(i)], 0) << "class " << i;
}

// Tiles: lengths of A and of rows of B that just fit the lanes and items, or just do not;
// repeated columns.
TEST_F(CudaSpGEMM, tiles_that_just_fit) {
  std::vector<int64_t> lengths;
  for (int i = 0; i < 5000; ++i) lengths.push_back(i % 11);
  for (int64_t const columns : {12, 40, 3000}) {
    auto const a = support::rows_of(random, lengths, 600);
    std::vector<int64_t> b_lengths;
    for (int i = 0; i < 600; ++i) b_lengths.push_back(std::min<int64_t>(columns, i % 13));
    auto const rows =
        check(a, support::rows_of(random, b_lengths, columns), std::to_string(columns));
    ASSERT_FALSE(rows.empty());
    for (int i = 0; i < classes::single; ++i) EXPECT_GT(rows[static_cast<std::size_t>(i)], 0) << i;
  }
}

/// Dense blocks of n x n along the diagonal: runs of n equal rows with n * n products.
host_crs<double> dense_blocks(support::engine& random, int64_t n, int64_t blocks) {
  host_crs<double> a;
  a.num_rows = a.num_cols = n * blocks;
  for (int64_t i = 0; i < a.num_rows; ++i) {
    for (int64_t j = 0; j < n; ++j) a.entries.push_back(i / n * n + j);
    a.row_map.push_back(static_cast<int64_t>(a.entries.size()));
  }
  a.values = support::draw_values<double>(random, static_cast<int64_t>(a.entries.size()));
  return a;
}

// Runs whose numbers of products lie around the edges of the bins, and longer than a word of heads.
TEST_F(CudaSpGEMM, runs_of_equal_rows) {
  std::vector<int> seen(classes::count, 0);
  for (int64_t const n : {2, 3, 5, 6, 7, 8, 9, 22, 23, 45, 46, 59, 60, 61, 64, 65, 90, 91}) {
    auto const a = dense_blocks(random, n, 4200 / n + 1);
    auto const rows = check(a, a, "blocks of " + std::to_string(n));
    ASSERT_FALSE(rows.empty());
    for (std::size_t i = 0; i < seen.size(); ++i) seen[i] += rows[i];
  }
  for (int i = classes::run; i < classes::long_row; ++i)
    EXPECT_GT(seen[static_cast<std::size_t>(i)], 0) << "class " << i;
}

// Runs that are shifted from row to row, over several windows of columns, and at the borders.
TEST_F(CudaSpGEMM, runs_of_shifted_rows) {
  for (auto const& diagonals :
       std::vector<std::vector<int64_t>>{{0},
                                         {-1, 0, 1},
                                         {-3000, -1, 0, 1, 3000},
                                         {-50000, -7, 0, 20000},
                                         {0, 90000},
                                         {-40, -39, -38, -1, 0, 1, 38, 39, 40, 41, 42, 43}}) {
    auto const a = support::band(random, 100000, 100000, diagonals);
    auto const rows = check(a, a, "band of " + std::to_string(diagonals.size()));
    ASSERT_FALSE(rows.empty());
    if (diagonals.size() >= 5) {
      EXPECT_GT(*std::max_element(rows.begin() + classes::run, rows.begin() + classes::long_row),
                0);
    }
  }
}

TEST_F(CudaSpGEMM, empty_rows_of_b_inside_runs) {
  auto a = support::band(random, 9000, 9000, {-2, -1, 0, 1, 2, 3, 4, 5});
  std::vector<int64_t> lengths;
  for (int i = 0; i < 9000; ++i) lengths.push_back(i % 4 == 1 ? 0 : 7);
  check(a, support::rows_of(random, lengths, 500), "random B");
  auto b = support::band(random, 9000, 700000, {0, 5, 600000});
  check(a, b, "wide B");
}

// More columns than 32-bit sort keys hold, than a mask covers, and a span from the first to the
// last.
TEST_F(CudaSpGEMM, many_columns) {
  std::vector<int64_t> lengths(5000, 6);
  std::fill_n(lengths.begin(), 20, 700);
  std::fill_n(lengths.begin() + 20, 5, 3000);
  for (int64_t const columns : {(1 << 18) + 1, (1 << 20) + 63, 5000000}) {
    auto const a = support::rows_of(random, lengths, 4000);
    auto const b = support::rows_of(random, std::vector<int64_t>(4000, 5), columns);
    check(a, b, std::to_string(columns) + " columns");
  }
}

// A row of B that is longer than a block, and one that all columns of A meet.
TEST_F(CudaSpGEMM, one_dense_row) {
  std::vector<int64_t> lengths(20000, 1);
  lengths[777] = 20000;
  auto const a = support::rows_of(random, lengths, 20000);
  auto const rows = check(a, a, "dense row");
  ASSERT_FALSE(rows.empty());
  EXPECT_GT(rows[classes::long_row], 0);
}

TEST_F(CudaSpGEMM, rows_of_b_that_do_not_ascend_go_the_portable_way) {
  std::vector<int64_t> const lengths(5000, 20);
  auto const a = support::rows_of(random, lengths, 5000, support::columns::unsorted);
  auto b = support::rows_of(random, lengths, 5000);
  EXPECT_FALSE(check(a, b, "only A unsorted").empty());
  EXPECT_TRUE(check(b, a, "B unsorted").empty());
  b.entries[1] = b.entries[0];
  EXPECT_TRUE(check(b, b, "a duplicate").empty());
}

TEST_F(CudaSpGEMM, small_products_may_have_unsorted_rows_and_duplicates) {
  auto a = support::rows_of(random, std::vector<int64_t>(300, 9), 300, support::columns::unsorted);
  for (std::size_t k = 0; k + 1 < a.entries.size(); k += 5) a.entries[k + 1] = a.entries[k];
  EXPECT_TRUE(check(a, a, "small").empty());
}

TEST_F(CudaSpGEMM, value_and_offset_types) {
  std::vector<int64_t> lengths;
  for (int i = 0; i < 4500; ++i) lengths.push_back(i % 50 == 0 ? 300 : i % 17);
  auto const irregular = support::rows_of(random, lengths, 4500);
  auto const blocks = dense_blocks(random, 12, 400);
  for (auto const& host : {irregular, blocks}) {
    auto const a = support::with_values<float>(random, host);
    check<float, std::size_t>(a, a, "float");
    check<double, std::size_t>(host, host, "double, 64-bit offsets");
    auto const z = support::with_values<Kokkos::complex<double>>(random, host);
    check<Kokkos::complex<double>, int>(z, z, "complex double");
    auto const w = support::with_values<Kokkos::complex<float>>(random, host);
    check<Kokkos::complex<float>, std::size_t>(w, w, "complex float");
    auto const i = support::with_values<int>(random, host);
    check<int, int>(i, i, "int");
  }
}

// Contract rule 4 where short groups of entries are combined: nothing is multiplied that is not
// there.
TEST_F(CudaSpGEMM, infinities_stay_where_they_belong) {
  auto a = dense_blocks(random, 22, 200);
  a.values[7] = std::numeric_limits<double>::infinity();
  auto const device = araios::to_crs_matrix<double, int, int>(space, a);
  auto const c = araios::to_host_crs(space, araios::spgemm(space, device, device));
  auto const d =
      araios::to_host_crs(space, araios::spgemm(araios::portable_on{space}, device, device));
  for (std::size_t i = 0; i < c.values.size(); ++i)
    ASSERT_EQ(std::isnan(c.values[i]), std::isnan(d.values[i])) << i;
}

// The largest column in the last place that a sort key can name.
TEST_F(CudaSpGEMM, the_last_of_2_to_26_columns) {
  for (int64_t const columns : {int64_t{1} << 26, (int64_t{1} << 26) - 1, int64_t{0x7fffffff}}) {
    host_crs<double> a, b;
    a.num_rows = 5000;
    a.num_cols = 2;
    for (int64_t i = 0; i < a.num_rows; ++i) {
      a.entries.push_back(i % 2);
      a.row_map.push_back(i + 1);
    }
    b.num_rows = 2;
    b.num_cols = columns;
    for (int64_t const length : {64, 3})
      for (int64_t j = 0; j < length; ++j) b.entries.push_back(columns - length + j);
    b.row_map = {0, 64, 67};
    a.values = support::draw_values<double>(random, 5000);
    b.values = support::draw_values<double>(random, 67);
    auto const da = araios::to_crs_matrix<double, int, int>(space, a);
    auto const db = araios::to_crs_matrix<double, int, int>(space, b);
    auto const c = araios::to_host_crs(space, araios::spgemm(space, da, db));
    ASSERT_EQ(c.nnz(), 2500 * 67);
    for (int64_t i = 0; i < a.num_rows; ++i) {
      ASSERT_EQ(c.row_map[i + 1] - c.row_map[i], i % 2 == 0 ? 64 : 3);
      ASSERT_EQ(c.entries[c.row_map[i + 1] - 1], columns - 1);
    }
  }
}

// More rows longer than those that are compared than there are blocks for.
TEST_F(CudaSpGEMM, many_long_rows_of_a) {
  std::vector<int64_t> lengths(5000, 2);
  std::fill_n(lengths.begin() + 100, 200, 1100);
  auto const a = support::rows_of(random, lengths, 5000);
  check(a, support::rows_of(random, std::vector<int64_t>(5000, 1), 5000), "200 long rows");
}

// Contract F51: no atomics where rows are sorted in registers or done as runs.
TEST_F(CudaSpGEMM, tiles_and_runs_agree_bit_for_bit) {
  for (auto const& host : {dense_blocks(random, 30, 200),
                           support::rows_of(random, std::vector<int64_t>(9000, 5), 9000)}) {
    auto const a = araios::to_crs_matrix<double, int, int>(space, host);
    auto const first = support::to_host(araios::spgemm(space, a, a).values);
    for (int run = 0; run < 20; ++run)
      ASSERT_EQ(support::to_host(araios::spgemm(space, a, a).values), first) << "run " << run;
  }
}

// Contract rule 7, in place: kernels stay inside their rows (memcheck) and the change is reported.
TEST_F(CudaSpGEMM, reports_patterns_that_were_changed_in_place) {
  for (auto const& host :
       {dense_blocks(random, 30, 200), support::band(random, 9000, 9000, {-9, -1, 0, 1, 9}),
        support::rows_of(random, std::vector<int64_t>(6000, 5), 6000),
        support::rows_of(random, std::vector<int64_t>(5000, 40), 5000)}) {
    auto const a = araios::to_crs_matrix<double, int, int>(space, host);
    araios::spgemm_plan plan(space, a, a);
    auto const c = plan.make_result(space);
    auto columns = host.entries;
    for (auto& j : columns) j = support::draw(random, 0, host.num_cols - 1);
    std::vector<int> const changed(columns.begin(), columns.end());
    Kokkos::deep_copy(a.entries, support::to_device(changed));
    plan.multiply(space, a, a, c);
    EXPECT_THROW(plan.check(space), std::runtime_error);
  }
}

TEST_F(CudaSpGEMM, two_instances_at_once) {
  auto const parts = support::two_instances();
  auto const blocks = dense_blocks(random, 24, 300);
  auto const grid = support::band(random, 30000, 30000, {-200, -1, 0, 1, 200});
  auto const a = araios::to_crs_matrix<double, int, int>(space, blocks);
  auto const b = araios::to_crs_matrix<double, int, int>(space, grid);
  araios::spgemm_plan plan_a(parts[0], a, a);
  araios::spgemm_plan plan_b(parts[1], b, b);
  auto const c = plan_a.make_result(parts[0]);
  auto const d = plan_b.make_result(parts[1]);
  for (int run = 0; run < 20; ++run) {
    plan_a.multiply(parts[0], a, a, c);
    plan_b.multiply(parts[1], b, b, d);
  }
  plan_a.check(parts[0]);
  plan_b.check(parts[1]);
  auto const epsilon = support::epsilon_of<double>;
  EXPECT_TRUE(support::is_product(space, c, reference::spgemm(blocks, blocks), epsilon, epsilon));
  EXPECT_TRUE(support::is_product(space, d, reference::spgemm(grid, grid), epsilon, epsilon));
}

// A plan whose products are still running can be replaced by another, made on another instance.
TEST_F(CudaSpGEMM, plans_are_moved_while_they_work) {
  auto const instances = Kokkos::Experimental::partition_space(space, 1, 1);
  auto const host = araios::gallery::rmat(13, 8, 1);
  auto const a = araios::to_crs_matrix<double, int, int>(space, host);
  auto const expected = reference::spgemm(host, host);
  araios::spgemm_plan plan(instances[0], a, a);
  auto const first = plan.make_result(instances[0]);
  plan.multiply(instances[0], a, a, first);
  {
    araios::spgemm_plan other(instances[1], a, a);
    plan = std::move(other);
  }
  auto const second = plan.make_result(instances[1]);
  plan.multiply(instances[1], a, a, second);
  plan.check(instances[1]);
  instances[0].fence("test");
  EXPECT_TRUE(support::is_product(space, first, expected, support::epsilon_of<double>));
  EXPECT_TRUE(support::is_product(space, second, expected, support::epsilon_of<double>));
}

// A ready product can be captured in a graph and replayed when values have changed, side streams
// included.
TEST_F(CudaSpGEMM, multiply_in_a_graph) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  {
    Space const captured(stream);
    std::vector<host_crs<double>> matrices;
    matrices.push_back(araios::gallery::laplace_3d_27pt(30, 30, 30));
    matrices.push_back(araios::gallery::rmat(13, 8, 1));
    matrices.push_back(support::rows_of(random, std::vector<int64_t>(100, 7), 100));
    for (auto& host : matrices) {
      host.values = support::draw_values<double>(random, host.nnz());
      auto const a = araios::to_crs_matrix<double, int, int>(captured, host);
      for (auto const& way :
           {araios::spgemm_options{}, araios::spgemm_options{.keep_products = true}}) {
        araios::spgemm_plan const plan(captured, a, a, way);
        auto const c = plan.make_result(captured);
        captured.fence("test");
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t ready = nullptr;
        ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
        plan.multiply(captured, a, a, c);
        ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
        ASSERT_EQ(cudaGraphInstantiate(&ready, graph, 0), cudaSuccess);
        for (int run = 0; run < 2; ++run) {
          host.values = support::draw_values<double>(random, host.nnz());
          Kokkos::deep_copy(a.values,
                            araios::to_crs_matrix<double, int, int>(captured, host).values);
          Kokkos::deep_copy(c.values, -1.0);
          ASSERT_EQ(cudaGraphLaunch(ready, stream), cudaSuccess);
          plan.check(captured);
          EXPECT_TRUE(support::is_product(captured, c, reference::spgemm(host, host),
                                          support::epsilon_of<double>));
        }
        cudaGraphExecDestroy(ready);
        cudaGraphDestroy(graph);
      }
    }
  }
  cudaStreamDestroy(stream);
}

}  // namespace
