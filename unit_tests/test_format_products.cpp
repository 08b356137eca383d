// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <araios/matrix/crs.hpp>
#include <araios/spmm.hpp>
#include <araios/spmv.hpp>

#include "support/battery.hpp"
#include "support/device.hpp"
#include "support/formats.hpp"
#include "support/product.hpp"
#include "support/throws.hpp"

// Products with matrices in every storage format.

namespace {

using araios::host_crs;
using araios::mode;
using std::int64_t;
using support::exec;

class format_products : public support::random_test {};

}  // namespace

TEST_F(format_products, are_right) {
  for (auto const& [name, reason, host] : support::battery(random)) {
    SCOPED_TRACE(name + ": " + reason);
    auto const a = araios::to_crs_matrix<double>(exec{}, host);
    for (auto const op : {mode::none, mode::transpose}) {
      SCOPED_TRACE(op == mode::none ? "N" : "T");
      support::product<double> const overwrites(random, host, op, 2.0L, 0.0L);
      support::product<double> const adds(random, host, op, -0.5L, 3.0L);
      support::product<double> const scales(random, host, op, 0.0L, 0.5L);
      auto const check = [&](auto const& stored, std::string const& format, bool) {
        SCOPED_TRACE(format);
        EXPECT_TRUE(overwrites.check([&](auto const& x, auto const& y) {
          araios::spmv(exec{}, 2.0, stored, x, 0.0, y, op);
        }));
        EXPECT_TRUE(adds.check([&](auto const& x, auto const& y) {
          araios::spmv(exec{}, -0.5, stored, x, 3.0, y, op);
        }));
        EXPECT_TRUE(scales.check([&](auto const& x, auto const& y) {
          araios::spmv(exec{}, 0.0, stored, x, 0.5, y, op);
        }));
        EXPECT_TRUE(adds.check([&](auto const& x, auto const& y) {
          araios::spmv(araios::portable_on{exec{}}, -0.5, stored, x, 3.0, y, op);
        })) << "portable";
        araios::spmv_plan const splits(exec{}, araios::merge_path(), stored);
        EXPECT_TRUE(adds.check([&](auto const& x, auto const& y) {
          splits.apply(exec{}, -0.5, stored, x, 3.0, y, op);
        })) << "merge path";
        araios::spmv_plan const plan(exec{}, stored);
        EXPECT_TRUE(overwrites.check([&](auto const& x, auto const& y) {
          plan.apply(exec{}, 2.0, stored, x, 0.0, y, op);
        })) << "plan";
      };
      support::for_each_format(a, check);
      support::for_each_format_with_padding(a, check);
    }
  }
}

TEST_F(format_products, of_several_columns) {
  auto const host = support::rows_of(random, {1, 0, 3, 2, 5, 0, 0, 1, 2, 7, 40, 300, 1}, 500);
  auto const a = araios::to_crs_matrix<double>(exec{}, host);
  for (auto const op : {mode::none, mode::transpose}) {
    support::product<double> const p(random, host, op, 2.0L, 0.0L);
    support::product<double> const q(random, host, op, 2.0L, 0.0L);
    auto const with_layout = [&](auto layout) {
      using view = Kokkos::View<double**, decltype(layout), exec>;
      view const x("x", p.x.size(), 2), y("y", p.y.size(), 2);
      Kokkos::deep_copy(Kokkos::subview(x, Kokkos::ALL, 0), p.x_device);
      Kokkos::deep_copy(Kokkos::subview(x, Kokkos::ALL, 1), q.x_device);
      auto const check = [&](auto const& stored, std::string const& format, bool) {
        SCOPED_TRACE(format);
        auto const right = [&] {
          EXPECT_TRUE(p.right(support::to_host(Kokkos::subview(y, Kokkos::ALL, 0))));
          EXPECT_TRUE(q.right(support::to_host(Kokkos::subview(y, Kokkos::ALL, 1))));
        };
        Kokkos::deep_copy(y, support::poison<double>());
        araios::spmm(exec{}, 2.0, stored, x, 0.0, y, op);
        right();
        Kokkos::deep_copy(y, support::poison<double>());
        araios::spmv_plan(exec{}, stored).apply(exec{}, 2.0, stored, x, 0.0, y, op);
        right();
      };
      support::for_each_format(a, check);
      support::for_each_format_with_padding(a, check);
    };
    with_layout(Kokkos::LayoutLeft{});
    with_layout(Kokkos::LayoutRight{});
  }
}

// F17: v += w A, with integers stored.
TEST_F(format_products, that_add_to_a_full_vector) {
  host_crs<int64_t> const host{4, 4, {0, 1, 3, 5, 6}, {1, 0, 2, 0, 1, 2}, {3, 3, 2, 2, 2, 2}};
  auto const a = araios::to_crs_matrix<int64_t>(exec{}, host);
  auto const w = support::to_device(std::vector<double>{1, 2, 3, 4});
  auto const check = [&](auto const& stored, std::string const& format, bool) {
    auto const v = support::to_device(std::vector<double>(4, 0.25));
    araios::spmv(exec{}, 1.0, stored, w, 1.0, v, mode::transpose);
    EXPECT_EQ(support::to_host(v), (std::vector<double>{12.25, 9.25, 12.25, 0.25})) << format;
  };
  support::for_each_format(a, check);
  support::for_each_format_with_padding(a, check);
}

// F02, F07
TEST_F(format_products, of_complex_values) {
  using complex = Kokkos::complex<double>;
  auto const pattern = support::rows_of(random, {3, 0, 40, 1, 2}, 50);
  auto const host = support::with_values<complex>(random, pattern);
  auto const a = araios::to_crs_matrix<complex>(exec{}, host);
  for (auto const op : {mode::none, mode::transpose, mode::conjugate, mode::conjugate_transpose}) {
    support::product<complex> const p(random, host, op, 2.0L, 0.0L);
    auto const check = [&](auto const& stored, std::string const& format, bool) {
      EXPECT_TRUE(p.check([&](auto const& x, auto const& y) {
        araios::spmv(exec{}, 2.0, stored, x, 0.0, y, op);
      })) << format
          << ' ' << static_cast<char>(op);
    };
    support::for_each_format(a, check);
    support::for_each_format_with_padding(a, check);
  }
}

// Parts are added one after the other, which 16 bits cannot take.
TEST_F(format_products, of_16_bits_are_refused_for_two_parts) {
  using half = Kokkos::Experimental::half_t;
  if (std::is_same_v<half, float>) GTEST_SKIP() << "half_t is float here";
  auto const a = araios::to_crs_matrix<float>(exec{}, support::rows_of(random, {3, 1, 2, 2}, 5));
  Kokkos::View<float*, exec> const x("x", 5);
  Kokkos::View<half*, exec> const y("y", 4);
  EXPECT_TRUE(support::throws<std::invalid_argument>(
      [&] { araios::spmv(exec{}, 1.0f, araios::to_hyb(exec{}, a, {.width = 1}), x, 0.0f, y); },
      {"araios::spmv", "2 parts", "16-bit"}));
  araios::spmv(exec{}, 1.0f, araios::to_hyb(exec{}, a, {.width = 3}), x, 0.0f, y);
  exec{}.fence();
}
