// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_spmv.hpp>
#include <araios/interop/kokkos_kernels.hpp>

#include "device.hpp"

/// SpMV and SpMM of Kokkos Kernels, in two translation units because they compile slowly.
namespace araios::bench {

/// y = A * x with one handle for all calls.
template <class Vector>
class kokkoskernels_vectors : public candidate {
 public:
  kokkoskernels_vectors(inputs const& in, KokkosSparse::SPMVAlgorithm algorithm)
      : operands_(space_, in), a_(to_kokkos_kernels<matrix>(operands_.a)), algorithm_(algorithm) {}

  void prepare() override { handle_.emplace(algorithm_); }
  void run(std::int64_t calls) override {
    using value = typename Vector::value_type;
    for (std::int64_t k = 0; k < calls; ++k)
      KokkosSparse::spmv(space_, &*handle_, KokkosSparse::NoTranspose, value{1}, a_, operands_.x,
                         value{0}, operands_.y);
    space_.fence("araios-bench");
  }
  any_result result() const override { return operands_.result(); }

 private:
  using matrix = KokkosSparse::CrsMatrix<typename Vector::value_type, int,
                                         typename Vector::device_type, void, int>;
  device_space space_;
  vector_operands<Vector> operands_;
  matrix a_;
  KokkosSparse::SPMVAlgorithm algorithm_;
  std::optional<KokkosSparse::SPMVHandle<device_space, matrix, Vector, Vector>> handle_;
};

template <class WithView>
implementation with_algorithm(char const* name, KokkosSparse::SPMVAlgorithm algorithm,
                              WithView with_view) {
  return {name, "", [=](inputs const& in) {
            return with_view(in, [&]<class Vector>(std::type_identity<Vector>) {
              return std::unique_ptr<candidate>(new kokkoskernels_vectors<Vector>(in, algorithm));
            });
          }};
}

}  // namespace araios::bench
