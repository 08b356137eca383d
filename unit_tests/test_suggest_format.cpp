// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cmath>
#include <stdexcept>
#include <vector>

#include <araios/gallery.hpp>
#include <araios/matrix/crs.hpp>
#include <araios/suggest_format.hpp>

#include "support/battery.hpp"
#include "support/device.hpp"
#include "support/throws.hpp"

namespace {

using araios::storage_format;
using araios::suggest_format;
using support::exec;

constexpr araios::machine_speed fast{1e12, 1e-6};

class suggestions : public support::random_test {};

}  // namespace

TEST_F(suggestions, pay_from_the_number_of_products_on_that_they_say) {
  auto const a = araios::to_crs_matrix<double>(exec{}, araios::gallery::make("laplace_3d_27pt:20"));
  auto const once = suggest_format(exec{}, a, 1, fast);
  EXPECT_EQ(once.format, storage_format::crs);
  EXPECT_DOUBLE_EQ(once.gain(), 1.0);
  EXPECT_GT(once.conversion_seconds, once.crs_seconds);
  EXPECT_GT(once.pays_after(), 1.0);
  ASSERT_LT(once.pays_after(), 1e6) << "even rows are read faster side by side";
  auto const before = suggest_format(exec{}, a, 0.99 * once.pays_after(), fast);
  auto const after = suggest_format(exec{}, a, 1.01 * once.pays_after(), fast);
  EXPECT_EQ(before.format, storage_format::crs);
  EXPECT_EQ(after.format, storage_format::rgcsr);
  EXPECT_GT(after.gain(), 1.0);
  EXPECT_DOUBLE_EQ(after.crs_seconds, once.crs_seconds);
}

TEST_F(suggestions, follow_the_speed_of_the_machine) {
  auto const a = araios::to_crs_matrix<double>(exec{}, araios::gallery::make("laplace_2d_5pt:100"));
  auto const one = suggest_format(exec{}, a, 10, {1e12, 0.0});
  auto const half = suggest_format(exec{}, a, 10, {5e11, 0.0});
  EXPECT_NEAR(half.crs_seconds, 2.0 * one.crs_seconds, 1e-12 * one.crs_seconds);
  EXPECT_NEAR(half.rgcsr_seconds, 2.0 * one.rgcsr_seconds, 1e-12 * one.rgcsr_seconds);
  auto const launches = suggest_format(exec{}, a, 10, {1e30, 1.0});
  EXPECT_NEAR(launches.rgcsr_seconds, 1.0, 1e-9);  // one launch
  EXPECT_GE(launches.conversion_seconds, 3.0);
}

TEST_F(suggestions, are_made_for_every_matrix) {
  for (auto const& m : support::battery(random)) {
    auto const a = araios::to_crs_matrix<double>(exec{}, m.a);
    auto const s = suggest_format(exec{}, a, 1e9, fast);
    EXPECT_TRUE(std::isfinite(s.crs_seconds) && std::isfinite(s.rgcsr_seconds)) << m.name;
    EXPECT_GE(s.gain(), 1.0) << m.name;
    if (m.a.nnz() == 0) {
      EXPECT_EQ(s.format, storage_format::crs) << m.name;
    }
  }
}

TEST_F(suggestions, know_the_speed_by_measuring) {
  auto const speed = araios::measure_speed(exec{});
  EXPECT_GT(speed.bandwidth, 1e8);
  EXPECT_LT(speed.bandwidth, 1e14);
  EXPECT_GT(speed.launch, 0.0);
  EXPECT_LT(speed.launch, 0.1);
  auto const a = araios::to_crs_matrix<double>(exec{}, support::rows_of(random, {1, 2}, 5));
  EXPECT_GT(suggest_format(exec{}, a, 1).crs_seconds, 0.0);
}

TEST_F(suggestions, refuse_nonsense) {
  auto const a = araios::to_crs_matrix<double>(exec{}, support::rows_of(random, {1, 2}, 5));
  EXPECT_TRUE(support::throws<std::invalid_argument>([&] { suggest_format(exec{}, a, -1, fast); },
                                                     {"araios::suggest_format", "-1 products"}));
  EXPECT_TRUE(support::throws<std::invalid_argument>(
      [&] {
        suggest_format(exec{}, a, 1, {0.0, 1e-6});
      },
      {"araios::suggest_format", "bytes/s"}));
}
