// SPDX-License-Identifier: BSD-3-Clause
#ifdef ARAIOS_HAVE_KOKKOSKERNELS

#include "kokkoskernels_vectors.hpp"

namespace araios::bench {

/// One View type only: each costs half a minute of compile time, and minutes with nvcc.
implementations kokkoskernels_spmm() {
  auto const with_view = [](inputs const& in, auto const& f) {
    if (in.single_precision || in.row_major)
      throw std::invalid_argument("compiled for double and layout left only");
    return f(std::type_identity<device_columns<double, Kokkos::LayoutLeft>>{});
  };
  return {with_algorithm("kokkoskernels", KokkosSparse::SPMV_DEFAULT, with_view)};
}

}  // namespace araios::bench

#endif
