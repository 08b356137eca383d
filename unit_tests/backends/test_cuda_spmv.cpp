// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <araios/gallery.hpp>
#include <araios/spmm.hpp>
#include <araios/spmv.hpp>

#include "support/battery.hpp"
#include "support/product.hpp"

// The CUDA specialisation of SpMV: what it promises to take, and its kernels against the reference
// at the edges of what a warp takes.

namespace {

using araios::host_crs;
using araios::mode;
using std::int64_t;
using Space = Kokkos::Cuda;
namespace tuning = araios::tuning::cuda;

template <class Schedule, class Value, class Ordinal, class Offset>
inline constexpr bool promised = araios::impl::specialised<
    araios::impl::spmv_operation, Space, Schedule, araios::crs_tiles<Ordinal, Offset>,
    araios::crs_view<Ordinal, Offset, Value, Space::memory_space>, double,
    Kokkos::View<Value const*, Space>, double, Kokkos::View<Value*, Space>, mode>;
template <class Ordinal, class Offset>
using bound = araios::bound_merge_path<Space, araios::crs_tiles<Ordinal, Offset>>;
static_assert(promised<araios::thread_mapped, double, int, int> &&
              promised<araios::warp_mapped, float, int, std::size_t> &&
              promised<araios::merge_path, double, int64_t, int64_t> &&
              promised<bound<int, int>, Kokkos::complex<double>, int, int> &&
              promised<bound<int64_t, std::size_t>, double, int64_t, std::size_t>);
static_assert(
    promised<araios::nonzero_split, double, int, std::size_t> &&
    promised<araios::bound_nonzero_split<Space, araios::crs_tiles<int, int>>, float, int, int>);
static_assert(!promised<araios::block_mapped, double, int, int> &&
              !promised<araios::group_mapped, double, int, int>);

template <class Schedule, class Value>
inline constexpr bool promised_for_columns =
    araios::impl::specialised<araios::impl::spmm_operation, Space, Schedule,
                              araios::crs_tiles<int, int>,
                              araios::crs_view<int, int, Value, Space::memory_space>, double,
                              Kokkos::View<Value const**, Kokkos::LayoutRight, Space>, double,
                              Kokkos::View<Value**, Kokkos::LayoutRight, Space>, mode>;
static_assert(promised_for_columns<araios::thread_mapped, double> &&
              promised_for_columns<araios::warp_mapped, float> &&
              promised_for_columns<araios::merge_path, Kokkos::complex<double>> &&
              promised_for_columns<bound<int, int>, double>);
static_assert(!promised_for_columns<araios::block_mapped, double>);

class cuda_spmv : public support::random_test {
 protected:
  Space space;

  /// A vector that begins `before` elements behind the start of its allocation and ends where that
  /// ends.
  template <class T>
  auto placed(std::vector<T> host, T outside, std::size_t before) {
    auto const size = host.size();
    host.insert(host.begin(), before, outside);
    return Kokkos::subview(support::to_device(host), std::pair(before, before + size));
  }

  template <class Value, class Offset = int>
  void check(host_crs<Value> const& host, std::string const& what) {
    SCOPED_TRACE(what);
    for (std::size_t const before : {12, 13}) {  // multiples of 16 bytes, or not
      SCOPED_TRACE(before);
      constexpr int far = std::numeric_limits<int>::max();
      araios::crs_matrix<Value, int, Offset> const a(
          static_cast<int>(host.num_rows), static_cast<int>(host.num_cols),
          support::to_device(std::vector<Offset>(host.row_map.begin(), host.row_map.end())),
          placed<int>({host.entries.begin(), host.entries.end()}, far, before),
          placed(host.values, support::poison<Value>(), before));
      for (auto const& [alpha, beta] : {std::pair(1.0, 0.0), {-2.5, 1.0}, {0.5, -3.0}}) {
        support::product<Value> const p(random, host, mode::none, alpha, beta);
        auto const with = [&](auto const& schedule, std::string const& name) {
          EXPECT_TRUE(p.check([&](auto const& x, auto const& y) {
            araios::spmv(space, schedule, Value(alpha), a, x, Value(beta), y);
          })) << name;
          araios::spmv_plan const plan(space, schedule, a);
          EXPECT_TRUE(p.check([&](auto const& x, auto const& y) {
            plan.apply(space, Value(alpha), a, x, Value(beta), y);
          })) << name
              << " prepared";
        };
        for (int const items : {1, 2, 31, 33, tuning::spmv_merge_items - 1,
                                tuning::spmv_merge_items, tuning::spmv_merge_items + 1})
          with(araios::merge_path(32, items), "merge_path of " + std::to_string(items));
        for (int const items :
             {1, 3, 4, 127, tuning::spmv_nonzero_items, tuning::spmv_nonzero_items + 1})
          with(araios::nonzero_split(32, items), "nonzero_split of " + std::to_string(items));
        for (int lanes = 1; lanes <= 32; lanes *= 2)
          with(araios::warp_mapped(lanes), "warp_mapped of " + std::to_string(lanes));
        with(araios::thread_mapped{}, "thread_mapped");
      }
    }
  }
};

TEST_F(cuda_spmv, battery) {
  for (auto const& m : support::battery(random)) check(m.a, m.name + ": " + m.reason);
}

// Rows that end where a warp or a lane does, or one before or behind, among empty ones.
TEST_F(cuda_spmv, rows_around_the_edges_of_warps_and_lanes) {
  for (int64_t const around : {4, 32, 64, tuning::spmv_merge_items, 128, 256}) {
    std::vector<int64_t> lengths;
    for (int64_t const length : {around - 1, around, around + 1})
      for (int64_t const empty : {0, 1, 130}) {
        lengths.push_back(length);
        lengths.insert(lengths.end(), static_cast<std::size_t>(empty), 0);
        lengths.push_back(1);
      }
    check(support::rows_of(random, lengths, 300), "around " + std::to_string(around));
  }
  check(support::rows_of(random, std::vector<int64_t>(3000, 0), 7), "only empty rows");
  check(support::rows_of(random, {0, 0, 0, 1, 0}, 7), "one entry");
  check(support::rows_of(random, {5000}, 6000), "one row");
  check(support::rows_of(random, {0, 5000, 0, 0, 5000, 1}, 6000), "two long rows");
}

TEST_F(cuda_spmv, value_and_offset_types) {
  auto const pattern = araios::gallery::rmat(9, 8, 4);
  check(support::with_values<float>(random, pattern), "float");
  check(support::with_values<Kokkos::complex<float>>(random, pattern), "complex float");
  check(support::with_values<Kokkos::complex<double>>(random, pattern), "complex double");
  check<double, std::size_t>(support::with_values<double>(random, pattern), "wide offsets");
  check<float, int64_t>(support::with_values<float>(random, araios::gallery::dense_row(700)),
                        "signed wide offsets");
}

// Starts that do not fit any more are searched again: other rows of the same number of entries.
TEST_F(cuda_spmv, row_map_changed_in_place) {
  auto const first = support::rows_of(random, support::repeated({0, 3, 200, 1}, 60), 400);
  auto other = first;
  other.row_map.assign(other.row_map.size(), other.nnz());
  other.row_map.front() = 0;
  for (std::size_t i = 1; i < 100; ++i) other.row_map[i] = static_cast<int64_t>(i) * 7;
  auto const a = araios::to_crs_matrix<double, int, int>(space, first);
  araios::spmv_plan const plan(space, araios::merge_path(32, tuning::spmv_merge_items), a);
  std::vector<int> const map(other.row_map.begin(), other.row_map.end());
  Kokkos::deep_copy(a.row_map, support::to_device(map));
  support::product<double> const p(random, other, mode::none, 1.0L, 2.0L);
  EXPECT_TRUE(p.check([&](auto const& x, auto const& y) { plan.apply(space, 1.0, a, x, 2.0, y); }));
}

// SpMM divides shares until there are threads enough: small matrices, few columns, starts that do
// not fit any more.
TEST_F(cuda_spmv, columns_with_divided_shares) {
  auto const first = support::rows_of(random, support::repeated({0, 3, 200, 1, 5000}, 12), 6000);
  auto other = first;
  other.row_map.assign(other.row_map.size(), other.nnz());
  other.row_map.front() = 0;
  for (std::size_t i = 1; i < 40; ++i) other.row_map[i] = static_cast<int64_t>(i) * 70;
  for (int const count : {2, 3, 7, 32, 65}) {
    SCOPED_TRACE(count);
    auto const a = araios::to_crs_matrix<double, int, int>(space, first);
    araios::spmv_plan const path(space, araios::merge_path(32, tuning::spmv_merge_items), a);
    araios::spmv_plan const split(space, araios::nonzero_split(32, 128), a);
    for (auto const* host : {&first, static_cast<host_crs<double> const*>(&other)}) {
      std::vector<int> const map(host->row_map.begin(), host->row_map.end());
      Kokkos::deep_copy(a.row_map, support::to_device(map));
      using columns = Kokkos::View<double**, Kokkos::LayoutRight, Space>;
      columns const x("x", 6000, static_cast<std::size_t>(count)),
          y("y", first.row_map.size() - 1, static_cast<std::size_t>(count));
      std::vector<support::product<double>> each;
      for (int c = 0; c < count; ++c) {
        each.emplace_back(random, *host, mode::none, 2.0L, 0.0L);
        Kokkos::deep_copy(space, Kokkos::subview(x, Kokkos::ALL, c), each.back().x_device);
      }
      for (auto const* plan : {&path, &split}) {
        Kokkos::deep_copy(space, y, support::poison<double>());
        plan->apply(space, 2.0, a, x, 0.0, y);
        for (int c = 0; c < count; ++c)
          EXPECT_TRUE(each[static_cast<std::size_t>(c)].right(
              support::to_host(Kokkos::subview(y, Kokkos::ALL, c))))
              << "column " << c << " " << plan->schedule_name();
      }
    }
  }
}

// Both kernels of the merge path, of which the second starts early, can be captured in a graph and
// replayed.
TEST_F(cuda_spmv, in_a_graph) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  {
    Space const captured(stream);
    auto const host = support::with_values<double>(random, araios::gallery::rmat(11, 8, 3));
    auto const a = araios::to_crs_matrix<double, int, int>(captured, host);
    araios::spmv_plan const plan(captured, araios::merge_path(32, tuning::spmv_merge_items), a);
    support::product<double> const p(random, host, mode::none, 1.0L, 2.0L);
    captured.fence("test");
    auto const y = support::to_device(p.y);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t ready = nullptr;
    ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    plan.apply(captured, 1.0, a, p.x_device, 2.0, y);
    ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    ASSERT_EQ(cudaGraphInstantiate(&ready, graph, 0), cudaSuccess);
    for (int run = 0; run < 3; ++run) {
      Kokkos::deep_copy(y, support::to_device(p.y));
      ASSERT_EQ(cudaGraphLaunch(ready, stream), cudaSuccess);
      captured.fence("test");
      EXPECT_TRUE(p.right(support::to_host(y))) << "run " << run;
    }
    cudaGraphExecDestroy(ready);
    cudaGraphDestroy(graph);
  }
  cudaStreamDestroy(stream);
}

// A kept start at the end of a row, which is none for `nonzero_split`: the row would be added twice.
TEST_F(cuda_spmv, rows_that_come_to_end_where_a_block_begins) {
  auto const host = support::rows_of(random, {2000, 48}, 4000);
  auto const a = araios::to_crs_matrix<double, int, int>(space, host);
  araios::spmv_plan const plan(space, araios::nonzero_split(32, tuning::spmv_nonzero_items), a);
  auto moved = host;
  moved.row_map = {0, 1024, 2048};
  Kokkos::deep_copy(a.row_map, support::to_device(std::vector<int>{0, 1024, 2048}));
  support::product<double> const p(random, moved, mode::none, 1.0L, 2.0L);
  for (int run = 0; run < 3; ++run)
    EXPECT_TRUE(
        p.check([&](auto const& x, auto const& y) { plan.apply(space, 1.0, a, x, 2.0, y); }));
}

// Only the instance that a plan was made on may use what it keeps for its kernels.
TEST_F(cuda_spmv, of_one_plan_on_two_instances) {
  auto const host = support::rows_of(random, std::vector<int64_t>(40, 2500), 5000);
  auto const a = araios::to_crs_matrix<double, int, int>(space, host);
  araios::spmv_plan const plan(space, araios::merge_path(32, tuning::spmv_merge_items), a);
  support::product<double> const p(random, host, mode::none, 1.0L, 0.0L);
  auto const instances = Kokkos::Experimental::partition_space(space, 1, 1);
  space.fence("test");
  auto const y0 = support::to_device(p.y), y1 = support::to_device(p.y);
  for (int run = 0; run < 200; ++run) {
    plan.apply(space, 1.0, a, p.x_device, 0.0, y0);
    plan.apply(instances[0], 1.0, a, p.x_device, 0.0, y1);
  }
  Kokkos::fence("test");
  EXPECT_TRUE(p.right(support::to_host(y0)));
  EXPECT_TRUE(p.right(support::to_host(y1)));
}

// Calls that follow one another read what the one before has written. With few steps a share there
// are too many shares for the kernel that needs one launch.
class cuda_spmv_chains : public cuda_spmv, public ::testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(items, cuda_spmv_chains, ::testing::Values(tuning::spmv_merge_items, 4));

TEST_P(cuda_spmv_chains, of_products) {
  auto host = araios::gallery::rmat(12, 8, 7);
  for (auto& value : host.values) value /= 64;
  auto const a = araios::to_crs_matrix<double, int, int>(space, host);
  araios::spmv_plan const plan(space, araios::merge_path(32, GetParam()), a);
  std::vector<double> start = support::draw_values<double>(random, host.num_rows);
  auto const x = support::to_device(start), y = support::to_device(start);
  auto u = start, v = start;
  for (int step = 0; step < 6; ++step) {
    plan.apply(space, 1.0, a, x, 0.5, y);
    plan.apply(space, 1.0, a, y, 0.5, x);
    for (auto const& [from, to] : {std::pair(&u, &v), {&v, &u}})
      for (std::size_t i = 0; i + 1 < host.row_map.size(); ++i) {
        double sum = 0;
        for (auto k = host.row_map[i]; k < host.row_map[i + 1]; ++k)
          sum += host.values[static_cast<std::size_t>(k)] *
                 (*from)[static_cast<std::size_t>(host.entries[static_cast<std::size_t>(k)])];
        (*to)[i] = 0.5 * (*to)[i] + sum;
      }
  }
  auto const result = support::to_host(x);
  double largest = 0;
  for (auto const value : u) largest = std::max(largest, std::abs(value));
  for (std::size_t i = 0; i < u.size(); ++i) ASSERT_NEAR(result[i], u[i], 1e-11 * largest) << i;
}

}  // namespace
