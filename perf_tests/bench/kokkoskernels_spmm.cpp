// SPDX-License-Identifier: BSD-3-Clause
#ifdef ARAIOS_HAVE_KOKKOSKERNELS

#include "kokkoskernels_vectors.hpp"

namespace araios::bench {

implementations kokkoskernels_spmm() {
  auto const with_view = [](inputs const& in, auto const& f) { return with_columns(in, f); };
  return {with_algorithm("kokkoskernels", KokkosSparse::SPMV_DEFAULT, with_view)};
}

}  // namespace araios::bench

#endif
