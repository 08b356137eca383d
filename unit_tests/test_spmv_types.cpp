// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <limits>
#include <vector>

#include <araios/spmv.hpp>

#include "contracts/schedule.hpp"
#include "support/battery.hpp"
#include "support/device.hpp"
#include "support/product.hpp"

namespace tests {

using araios::mode;
using std::int64_t;
using support::exec;

class spmv_types : public support::random_test {};

/// One schedule of each kind: lanes and shares that split rows of the battery.
template <class F>
void with_some_schedules(F const& f) {
  f(araios::thread_mapped{});
  f(araios::warp_mapped(8));
  f(araios::merge_path(1, 3));
  f(araios::merge_path(4, 16));
}

/// The battery with values of type Value, in every mode.
template <class Value, class Ordinal, class Offset, class X, class Y, class Scalar>
void check_types(support::engine& random, Scalar alpha, Scalar beta) {
  for (auto const& m : support::battery(random)) {
    SCOPED_TRACE(m.name + ": " + m.reason);
    auto const host = support::with_values<Value>(random, m.a);
    auto const a = araios::to_crs_matrix<Value, Ordinal, Offset>(exec{}, host);
    for (auto const op : support::all_modes)
      for (auto const& factor : {Scalar(0), beta}) {
        support::product<Value, X, Y> const p(random, host, op, support::widen(alpha),
                                              support::widen(factor));
        with_some_schedules([&](auto const& schedule) {
          EXPECT_TRUE(p.check([&](auto const& x, auto const& y) {
            araios::spmv(exec{}, schedule, alpha, a, x, factor, y, op);
          })) << contracts::describe(schedule)
              << ", mode " << static_cast<char>(op);
        });
      }
  }
}

TEST_F(spmv_types, double_int_int) {
  check_types<double, int, int, double, double>(random, -1.5, 2.0);
}

TEST_F(spmv_types, double_int64_int64) {
  check_types<double, int64_t, int64_t, double, double>(random, -1.5, 2.0);
}

TEST_F(spmv_types, float_int_size_t) {
  check_types<float, int, std::size_t, float, float>(random, -1.5f, 2.0f);
}

TEST_F(spmv_types, float_matrix_with_double_vectors) {
  check_types<float, int, int, double, double>(random, -1.5, 2.0);
}

TEST_F(spmv_types, double_matrix_with_float_vectors) {
  check_types<double, int, int, float, float>(random, -1.5, 2.0);
}

TEST_F(spmv_types, integers) { check_types<int64_t, int, int, int64_t, int64_t>(random, -3, 2); }

// F17
TEST_F(spmv_types, integer_matrix_with_double_vectors) {
  check_types<int64_t, int, int, double, double>(random, -1.5, 2.0);

  auto const a = araios::to_crs_matrix<int64_t, int, int>(
      exec{},
      araios::host_crs<int64_t>{4, 4, {0, 1, 3, 5, 6}, {1, 0, 2, 0, 1, 2}, {3, 3, 2, 2, 2, 2}});
  auto const w = support::to_device<double>({1, 2, 3, 4});
  with_some_schedules([&](auto const& schedule) {
    auto const v = support::to_device(std::vector<double>(4, 0.25));
    araios::spmv(exec{}, schedule, 1.0, a, w, 1.0, v, mode::transpose);
    EXPECT_EQ(support::to_host(v), (std::vector<double>{12.25, 9.25, 12.25, 0.25}))
        << contracts::describe(schedule);
  });
}

using complex = Kokkos::complex<double>;

TEST_F(spmv_types, complex_numbers) {
  check_types<complex, int, std::size_t, complex, complex>(random, complex(0.5, -2.0),
                                                           complex(-1.0, 0.25));
}

TEST_F(spmv_types, real_matrix_with_complex_vectors) {
  check_types<double, int, int, complex, complex>(random, complex(0.5, -2.0), complex(-1.0, 0.25));
}

// F02
TEST_F(spmv_types, conjugating_modes_conjugate) {
  auto const a = araios::to_crs_matrix<complex>(
      exec{}, araios::host_crs<complex>{1, 1, {0, 1}, {0}, {complex(1, 2)}});
  auto const x = support::to_device<complex>({complex(1, 0)});
  for (auto const op : support::all_modes)
    with_some_schedules([&](auto const& schedule) {
      auto const y = support::to_device<complex>({support::poison<complex>()});
      araios::spmv(exec{}, schedule, 1.0, a, x, 0.0, y, op);
      auto const result = support::to_host(y);
      EXPECT_TRUE(result[0] == complex(1, araios::conjugates(op) ? -2 : 2))
          << contracts::describe(schedule) << ", mode " << static_cast<char>(op) << ": "
          << result[0];
    });
}

using half = Kokkos::Experimental::half_t;
using bhalf = Kokkos::Experimental::bhalf_t;

TEST_F(spmv_types, half_storage_float_result) {
  check_types<half, int, int, half, float>(random, -1.5f, 2.0f);
}

TEST_F(spmv_types, bhalf_storage_float_result) {
  check_types<bhalf, int, int, bhalf, float>(random, -1.5f, 2.0f);
}

/// F56: sums of 4096 ones do not stall at 2048, where one is half a unit in the last place.
template <class Y>
void check_half_sums(mode op) {
  constexpr int64_t n = 4096;
  araios::host_crs<half> ones;
  ones.num_rows = araios::transposes(op) ? n : 1;
  ones.num_cols = araios::transposes(op) ? 1 : n;
  for (int64_t k = 0; k < n; ++k) {
    ones.entries.push_back(araios::transposes(op) ? 0 : k);
    if (araios::transposes(op)) ones.row_map.push_back(k + 1);
  }
  if (!araios::transposes(op)) ones.row_map.push_back(n);
  ones.values.assign(n, half(1.0f));
  auto const a = araios::to_crs_matrix<half>(exec{}, ones);
  auto const x = support::to_device(std::vector<half>(n, half(1.0f)));
  auto const check = [&](auto const& schedule) {
    auto const y = support::to_device<Y>({support::poison<Y>()});
    if constexpr (sizeof(Y) < sizeof(float)) {  // half is a float on the host
      using schedule_type = std::remove_cvref_t<decltype(schedule)>;
      bool splits = araios::transposes(op);
      if constexpr (requires { schedule_type::splits_tiles; })
        splits |= schedule_type::splits_tiles;
      if (splits) {  // parts of a sum are not added in 16 bits
        EXPECT_THROW(araios::spmv(exec{}, schedule, 1.0f, a, x, 0.0f, y, op),
                     std::invalid_argument);
        return;
      }
    }
    araios::spmv(exec{}, schedule, 1.0f, a, x, 0.0f, y, op);
    EXPECT_EQ(static_cast<float>(support::to_host(y)[0]), 4096.0f)
        << contracts::describe(schedule) << ", mode " << static_cast<char>(op);
  };
  with_some_schedules(check);
  check(araios::merge_path(1, 1));
}

TEST_F(spmv_types, half_sums_into_float) {
  check_half_sums<float>(mode::none);
  check_half_sums<float>(mode::transpose);
}

TEST_F(spmv_types, half_sums_into_half) {
  check_half_sums<half>(mode::none);
  check_half_sums<half>(mode::transpose);
}

/// y keeps its precision where the matrix has less.
TEST_F(spmv_types, wide_results_are_not_rounded_to_the_type_of_the_matrix) {
  auto const a =
      araios::to_crs_matrix<float>(exec{}, araios::host_crs<double>{1, 1, {0, 1}, {0}, {1.0}});
  auto const x = support::to_device<float>({0.0f});
  auto const y = support::to_device<double>({1.0 + 1e-10});
  araios::spmv(exec{}, 1.0, a, x, 1.0, y);
  EXPECT_EQ(support::to_host(y)[0], 1.0 + 1e-10);
}

}  // namespace tests
