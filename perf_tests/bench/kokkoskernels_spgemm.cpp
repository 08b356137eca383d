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
class kokkoskernels_product : public candidate {
 public:
  kokkoskernels_product(inputs const& in) : operands_(space_, in) {}

  void run(std::int64_t calls) override {
    for (std::int64_t k = 0; k < calls; ++k) multiply();
    space_.fence("araios-bench");
  }
  void discard() override { c_ = {}; }
  std::variant<sparse_result, dense_result> result() const override { return to_sparse_result(c_); }

 private:
  void multiply() {
    KokkosKernels::Experimental::KokkosKernelsHandle<int, int, Value, device_space, device_memory,
                                                     device_memory>
        handle;
    handle.create_spgemm_handle(KokkosSparse::SPGEMM_KK);
    auto const& [a, b] = operands_;
    typename device_matrix<Value>::row_map_view row_map(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, "row_map"), a.num_rows() + 1);
    KokkosSparse::spgemm_symbolic(&handle, a.num_rows(), b.num_rows(), b.num_cols(), a.row_map,
                                  a.entries, false, b.row_map, b.entries, false, row_map);
    auto const nnz = static_cast<std::size_t>(handle.get_spgemm_handle()->get_c_nnz());
    typename device_matrix<Value>::entries_view entries(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, "entries"), nnz);
    typename device_matrix<Value>::values_view values(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, "values"), nnz);
    KokkosSparse::spgemm_numeric(&handle, a.num_rows(), b.num_rows(), b.num_cols(), a.row_map,
                                 a.entries, a.values, false, b.row_map, b.entries, b.values, false,
                                 row_map, entries, values);
    handle.destroy_spgemm_handle();
    c_ = {a.num_rows(), b.num_cols(), row_map, entries, values};
  }

  device_space space_;
  product_operands<Value, int> operands_;
  device_matrix<Value> c_;
};

}  // namespace

implementations kokkoskernels_spgemm() {
  return {{"kokkoskernels", "", [](inputs const& in) {
             if (in.wide_offsets)
               throw std::overflow_error("the product does not fit 32-bit offsets");
             return with_scalar(in, [&]<class Value>(Value) {
               return std::unique_ptr<candidate>(new kokkoskernels_product<Value>(in));
             });
           }}};
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
