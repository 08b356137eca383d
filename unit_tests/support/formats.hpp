// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include <araios/convert.hpp>

#include "support/device.hpp"

namespace support {

/// f(matrix, name, tidy) for a matrix in every format; `tidy` formats sort rows and add duplicates.
template <class Crs, class F>
void for_each_format(Crs const& a, F const& f) {
  f(araios::to_coo(exec{}, a), "COO", false);
  f(araios::to_ccs(exec{}, a), "CCS", true);
  f(araios::to_hyb(exec{}, a), "HYB", false);
  f(araios::to_hyb(exec{}, a, {.width = 1}), "HYB of width 1", false);
  f(araios::to_sliced_ell(exec{}, a, {.slice_size = 4, .most_growth = 1e3}), "sliced ELL", false);
  f(araios::to_sliced_ell(exec{}, a, {.window = 64, .most_growth = 1e3}), "SELL-32-64", false);
  f(araios::to_bcsr(exec{}, a, {.block_size = 3, .most_growth = 1e3}), "BCSR 3", true);
  f(araios::to_bcsr<4>(exec{}, a, {.most_growth = 1e3}), "BCSR<4>", true);
  f(araios::to_bcsr(exec{}, a, {.block_size = 9, .most_growth = 1e3}), "BCSR 9", true);
  f(araios::to_rgcsr(exec{}, a), "RgCSR", false);
  f(araios::to_rgcsr(exec{}, a, {.group_size = 3, .budget = 100.0, .window = 1}), "RgCSR 3", false);
  f(araios::to_rgcsr(exec{}, a, {.group_size = 4, .budget = 100, .plain_fill = 0, .window = 16}),
    "RgCSR 4 sorted", false);
  f(araios::to_rgcsr(exec{}, a, {.budget = 100.0, .longest = 2}), "RgCSR up to 2", false);
}

/// Formats whose size does not follow that of the matrix, where it is small enough.
template <class Crs, class F>
void for_each_format_with_padding(Crs const& a, F const& f) {
  try {
    f(araios::to_ell(exec{}, a), "ELL", false);
  } catch (std::length_error const&) {
  }
  try {
    f(araios::to_dia(exec{}, a), "DIA", true);
  } catch (std::length_error const&) {
  }
}

}  // namespace support
