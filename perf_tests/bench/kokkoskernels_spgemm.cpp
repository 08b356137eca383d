// SPDX-License-Identifier: BSD-3-Clause
#ifdef ARAIOS_HAVE_KOKKOSKERNELS

#include <KokkosKernels_config.h>
#include <KokkosKernels_Handle.hpp>
#include <KokkosSparse_spgemm_numeric.hpp>
#include <KokkosSparse_spgemm_symbolic.hpp>

#include "device.hpp"

namespace araios::bench {
namespace {

/// Symbolic and numeric phase with a new handle for every product, algorithm SPGEMM_KK. Always the
/// native implementation, unless Kokkos Kernels was built with a vendor library: it cannot be asked
/// then, and `kokkoskernels_version` says so.
template <class Value>
struct kokkoskernels_product {
  using matrix = device_matrix<Value>;

  matrix operator()(device_space const&, matrix const& a, matrix const& b) const {
    KokkosKernels::Experimental::KokkosKernelsHandle<int, int, Value, device_space, device_memory,
                                                     device_memory>
        handle;
    handle.create_spgemm_handle(KokkosSparse::SPGEMM_KK);
    auto const row_map = uninitialised<typename matrix::row_map_view>("row_map", a.num_rows() + 1);
    KokkosSparse::spgemm_symbolic(&handle, a.num_rows(), b.num_rows(), b.num_cols(), a.row_map,
                                  a.entries, false, b.row_map, b.entries, false, row_map);
    auto const nnz = static_cast<std::size_t>(handle.get_spgemm_handle()->get_c_nnz());
    auto const entries = uninitialised<typename matrix::entries_view>("entries", nnz);
    auto const values = uninitialised<typename matrix::values_view>("values", nnz);
    KokkosSparse::spgemm_numeric(&handle, a.num_rows(), b.num_rows(), b.num_cols(), a.row_map,
                                 a.entries, a.values, false, b.row_map, b.entries, b.values, false,
                                 row_map, entries, values);
    handle.destroy_spgemm_handle();
    return {a.num_rows(), b.num_cols(), row_map, entries, values};
  }
};

}  // namespace

implementations kokkoskernels_spgemm() {
  return {narrow_product<kokkoskernels_product>("kokkoskernels")};
}

std::string kokkoskernels_version() {
  auto version = std::to_string(KOKKOSKERNELS_VERSION / 10000) + "." +
                 std::to_string(KOKKOSKERNELS_VERSION / 100 % 100) + "." +
                 std::to_string(KOKKOSKERNELS_VERSION % 100);
#if defined(KOKKOSKERNELS_ENABLE_TPL_CUSPARSE) || defined(KOKKOSKERNELS_ENABLE_TPL_ROCSPARSE) || \
    defined(KOKKOSKERNELS_ENABLE_TPL_MKL)
  version += " (may call the vendor's library)";
#endif
  return version;
}

}  // namespace araios::bench

#endif
