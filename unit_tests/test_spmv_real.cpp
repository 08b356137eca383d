// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <araios/matrix_market.hpp>
#include <araios/spmv.hpp>

#include "contracts/schedule.hpp"
#include "support/device.hpp"
#include "support/product.hpp"

namespace tests {

using araios::mode;
using support::exec;

class spmv_real : public support::random_test {};

/// The matrices in the folder given at configure time, in order; none if there was none.
std::vector<std::filesystem::path> files() {
  std::vector<std::filesystem::path> all;
#ifdef ARAIOS_MATRICES_DIR
  for (auto const& file : std::filesystem::directory_iterator(ARAIOS_MATRICES_DIR))
    if (file.path().extension() == ".mtx") all.push_back(file.path());
  std::sort(all.begin(), all.end());
#endif
  return all;
}

bool is_complex(std::filesystem::path const& file) {
  return araios::read_matrix_market_header(file).field == araios::matrix_market_field::complex;
}

/// All modes by a plan and by single calls.
template <class Value>
void check_file(support::engine& random, std::filesystem::path const& file) {
  SCOPED_TRACE(file.filename().string());
  auto const host = araios::to_host_crs(araios::read_matrix_market<Value>(file));
  auto const a = araios::to_crs_matrix<Value, int, int>(exec{}, host);
  araios::check_crs(exec{}, a);
  araios::spmv_plan const plan(exec{}, a);
  for (auto const op : support::all_modes) {
    support::product<Value> const p(random, host, op, 1.5L, -1.0L);
    EXPECT_TRUE(p.check([&](auto const& x, auto const& y) {
      plan.apply(exec{}, Value(1.5), a, x, Value(-1.0), y, op);
    })) << plan.schedule_name()
        << " plan, mode " << static_cast<char>(op);
    auto const check = [&](auto const& schedule) {
      EXPECT_TRUE(p.check([&](auto const& x, auto const& y) {
        araios::spmv(exec{}, schedule, Value(1.5), a, x, Value(-1.0), y, op);
      })) << contracts::describe(schedule)
          << ", mode " << static_cast<char>(op);
    };
    check(araios::thread_mapped{});
    check(araios::warp_mapped(8));
    check(araios::merge_path(4, 64));
    check(araios::automatic{});
  }
}

TEST_F(spmv_real, real_matrices) {
  int checked = 0;
  for (auto const& file : files())
    if (!is_complex(file)) {
      check_file<double>(random, file);
      ++checked;
    }
  if (checked == 0) GTEST_SKIP() << "no matrices: set ARAIOS_MATRICES_DIR";
  RecordProperty("matrices", checked);
}

TEST_F(spmv_real, complex_matrices) {
  int checked = 0;
  for (auto const& file : files())
    if (is_complex(file)) {
      check_file<Kokkos::complex<double>>(random, file);
      ++checked;
    }
  if (checked == 0) GTEST_SKIP() << "no complex matrices: set ARAIOS_MATRICES_DIR";
  RecordProperty("matrices", checked);
}

}  // namespace tests
