// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

#include <araios/error.hpp>

/// What all graph algorithms have in common.
namespace araios::impl::graphs {

template <class Space>
using vertices_policy = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;

template <class Crs>
void check_graph(char const* function, Crs const& a) {
  static_assert(std::is_signed_v<typename Crs::ordinal_type>,
                "graphs need a signed ordinal type: -1 stands for no vertex");
  require(a.num_rows >= 0 && a.num_rows == a.num_cols, function, ": A is ", a.num_rows, " x ",
          a.num_cols, ", not square");
}

}  // namespace araios::impl::graphs
