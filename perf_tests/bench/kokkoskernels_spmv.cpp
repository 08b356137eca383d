// SPDX-License-Identifier: BSD-3-Clause
#ifdef ARAIOS_HAVE_KOKKOSKERNELS

#include "kokkoskernels_vectors.hpp"

namespace araios::bench {

implementations kokkoskernels_spmv() {
  auto const with_view = [](inputs const& in, auto const& f) { return with_vector(in, f); };
  return {with_algorithm("kokkoskernels", KokkosSparse::SPMV_DEFAULT, with_view),
          with_algorithm("kokkoskernels_merge", KokkosSparse::SPMV_MERGE_PATH, with_view)};
}

}  // namespace araios::bench

#endif
