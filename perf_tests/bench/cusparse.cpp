// SPDX-License-Identifier: BSD-3-Clause
#ifdef ARAIOS_HAVE_CUSPARSE

#include <cusparse.h>

#include "device.hpp"

namespace araios::bench {
namespace {

constexpr auto not_transposed = CUSPARSE_OPERATION_NON_TRANSPOSE;

void check(cusparseStatus_t status, char const* call) {
  if (status != CUSPARSE_STATUS_SUCCESS)
    throw std::runtime_error(std::string(call) + ": " + cusparseGetErrorString(status));
}

/// Owns what a cusparseCreate function returns.
template <class Handle, auto Destroy>
class owned {
 public:
  owned() = default;
  owned(owned const&) = delete;
  owned& operator=(owned const&) = delete;
  ~owned() {
    if (handle_) Destroy(handle_);
  }
  operator Handle() const { return handle_; }
  Handle* operator&() { return &handle_; }

 private:
  Handle handle_ = nullptr;
};
using library = owned<cusparseHandle_t, cusparseDestroy>;
using sparse_matrix = owned<cusparseSpMatDescr_t, cusparseDestroySpMat>;
using dense_vector = owned<cusparseDnVecDescr_t, cusparseDestroyDnVec>;
using dense_matrix = owned<cusparseDnMatDescr_t, cusparseDestroyDnMat>;
using product = owned<cusparseSpGEMMDescr_t, cusparseSpGEMM_destroyDescr>;

template <class Value>
constexpr cudaDataType value_type = std::is_same_v<Value, float> ? CUDA_R_32F : CUDA_R_64F;

using buffer = Kokkos::View<char*, device_memory>;

buffer make_buffer(std::size_t bytes) {
  return buffer(Kokkos::view_alloc(Kokkos::WithoutInitializing, "cusparse buffer"), bytes);
}

void create(library& handle, device_space const& space) {
  check(cusparseCreate(&handle), "cusparseCreate");
  check(cusparseSetStream(handle, space.cuda_stream()), "cusparseSetStream");
}

template <class Value>
void create(sparse_matrix& descriptor, device_matrix<Value> const& a) {
  check(cusparseCreateCsr(&descriptor, a.num_rows(), a.num_cols(), a.nnz(), a.row_map.data(),
                          a.entries.data(), a.values.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                          CUSPARSE_INDEX_BASE_ZERO, value_type<Value>),
        "cusparseCreateCsr");
}

/// C = A * B with everything set up anew for each product, except the library handle.
template <class Value>
class cusparse_product : public candidate {
 public:
  cusparse_product(inputs const& in, cusparseSpGEMMAlg_t algorithm)
      : operands_(space_, in), algorithm_(algorithm) {
    create(handle_, space_);
  }

  void run(std::int64_t calls) override {
    for (std::int64_t k = 0; k < calls; ++k) multiply();
    space_.fence("araios-bench");
  }
  void discard() override { c_ = {}; }
  std::variant<sparse_result, dense_result> result() const override { return to_sparse_result(c_); }

 private:
  // ALG2 and ALG3 bound their buffer by this share of the products, as NVIDIA's samples do.
  static constexpr float chunk_fraction = 0.2f;

  void multiply() {
    auto const& [a, b] = operands_;
    typename device_matrix<Value>::row_map_view row_map(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, "row_map"), a.num_rows() + 1);
    sparse_matrix a_descriptor, b_descriptor, c_descriptor;
    create(a_descriptor, a);
    create(b_descriptor, b);
    create(c_descriptor, device_matrix<Value>(a.num_rows(), b.num_cols(), row_map, {}, {}));
    product work;
    check(cusparseSpGEMM_createDescr(&work), "cusparseSpGEMM_createDescr");

    Value const alpha = 1;
    Value const beta = 0;
    auto const call = [&](char const* name, auto function, auto... rest) {
      check(function(handle_, not_transposed, not_transposed, &alpha, a_descriptor, b_descriptor,
                     &beta, c_descriptor, value_type<Value>, algorithm_, work, rest...),
            name);
    };
    std::size_t estimate_bytes = 0;
    call("cusparseSpGEMM_workEstimation", cusparseSpGEMM_workEstimation, &estimate_bytes, nullptr);
    auto const estimate = make_buffer(estimate_bytes);
    call("cusparseSpGEMM_workEstimation", cusparseSpGEMM_workEstimation, &estimate_bytes,
         estimate.data());

    std::size_t compute_bytes = 0;
    if (algorithm_ == CUSPARSE_SPGEMM_DEFAULT) {
      call("cusparseSpGEMM_compute", cusparseSpGEMM_compute, &compute_bytes, nullptr);
    } else {
      std::size_t memory_bytes = 0;
      call("cusparseSpGEMM_estimateMemory", cusparseSpGEMM_estimateMemory, chunk_fraction,
           &memory_bytes, nullptr, nullptr);
      auto const memory = make_buffer(memory_bytes);
      call("cusparseSpGEMM_estimateMemory", cusparseSpGEMM_estimateMemory, chunk_fraction,
           &memory_bytes, memory.data(), &compute_bytes);
    }
    auto const compute = make_buffer(compute_bytes);
    call("cusparseSpGEMM_compute", cusparseSpGEMM_compute, &compute_bytes, compute.data());

    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t nnz = 0;
    check(cusparseSpMatGetSize(c_descriptor, &rows, &columns, &nnz), "cusparseSpMatGetSize");
    typename device_matrix<Value>::entries_view entries(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, "entries"), nnz);
    typename device_matrix<Value>::values_view values(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, "values"), nnz);
    check(cusparseCsrSetPointers(c_descriptor, row_map.data(), entries.data(), values.data()),
          "cusparseCsrSetPointers");
    call("cusparseSpGEMM_copy", cusparseSpGEMM_copy);
    space_.fence("araios-bench");  // before the buffers go
    c_ = {a.num_rows(), b.num_cols(), row_map, entries, values};
  }

  device_space space_;
  product_operands<Value, int> operands_;
  cusparseSpGEMMAlg_t algorithm_;
  library handle_;
  device_matrix<Value> c_;
};

/// y = A * x for one vector, prepared once.
template <class Value>
class cusparse_vector : public candidate {
 public:
  cusparse_vector(inputs const& in, cusparseSpMVAlg_t algorithm)
      : operands_(space_, in), algorithm_(algorithm) {
    auto const& [a, x, y] = operands_;
    create(handle_, space_);
    create(a_, a);
    check(cusparseCreateDnVec(&x_, x.extent(0), x.data(), value_type<Value>),
          "cusparseCreateDnVec");
    check(cusparseCreateDnVec(&y_, y.extent(0), y.data(), value_type<Value>),
          "cusparseCreateDnVec");
  }

  void prepare() override {
    std::size_t bytes = 0;
    call("cusparseSpMV_bufferSize", cusparseSpMV_bufferSize, &bytes);
    buffer_ = make_buffer(bytes);
    call("cusparseSpMV_preprocess", cusparseSpMV_preprocess, buffer_.data());
  }
  void run(std::int64_t calls) override {
    for (std::int64_t k = 0; k < calls; ++k) call("cusparseSpMV", cusparseSpMV, buffer_.data());
    space_.fence("araios-bench");
  }
  std::variant<sparse_result, dense_result> result() const override { return operands_.result(); }

 private:
  template <class Function, class Last>
  void call(char const* name, Function function, Last last) {
    check(function(handle_, not_transposed, &alpha_, a_, x_, &beta_, y_, value_type<Value>,
                   algorithm_, last),
          name);
  }

  device_space space_;
  vector_operands<device_vector<Value>> operands_;
  cusparseSpMVAlg_t algorithm_;
  library handle_;
  sparse_matrix a_;
  dense_vector x_, y_;
  buffer buffer_;
  Value alpha_ = 1;
  Value beta_ = 0;
};

/// Y = A * X for several columns in either layout, prepared once. The better algorithm for each
/// layout: ALG1 by columns, ALG2 by rows.
template <class Value, class Layout>
class cusparse_columns : public candidate {
 public:
  explicit cusparse_columns(inputs const& in) : operands_(space_, in) {
    auto const& [a, x, y] = operands_;
    create(handle_, space_);
    create(a_, a);
    create_dense(x_, x);
    create_dense(y_, y);
  }

  void prepare() override {
    std::size_t bytes = 0;
    call("cusparseSpMM_bufferSize", cusparseSpMM_bufferSize, &bytes);
    buffer_ = make_buffer(bytes);
    call("cusparseSpMM_preprocess", cusparseSpMM_preprocess, buffer_.data());
  }
  void run(std::int64_t calls) override {
    for (std::int64_t k = 0; k < calls; ++k) call("cusparseSpMM", cusparseSpMM, buffer_.data());
    space_.fence("araios-bench");
  }
  std::variant<sparse_result, dense_result> result() const override { return operands_.result(); }

 private:
  static constexpr bool row_major = std::is_same_v<Layout, Kokkos::LayoutRight>;

  template <class View>
  static void create_dense(dense_matrix& descriptor, View const& view) {
    check(
        cusparseCreateDnMat(&descriptor, view.extent(0), view.extent(1),
                            row_major ? view.stride(0) : view.stride(1), view.data(),
                            value_type<Value>, row_major ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL),
        "cusparseCreateDnMat");
  }
  template <class Function, class Last>
  void call(char const* name, Function function, Last last) {
    check(function(handle_, not_transposed, not_transposed, &alpha_, a_, x_, &beta_, y_,
                   value_type<Value>, row_major ? CUSPARSE_SPMM_CSR_ALG2 : CUSPARSE_SPMM_CSR_ALG1,
                   last),
          name);
  }

  device_space space_;
  vector_operands<device_columns<Value, Layout>> operands_;
  library handle_;
  sparse_matrix a_;
  dense_matrix x_, y_;
  buffer buffer_;
  Value alpha_ = 1;
  Value beta_ = 0;
};

implementation product_with(char const* name, cusparseSpGEMMAlg_t algorithm) {
  return {name, "", [algorithm](inputs const& in) {
            if (in.wide_offsets)
              throw std::overflow_error("the product does not fit 32-bit offsets");
            return with_scalar(in, [&]<class Value>(Value) {
              return std::unique_ptr<candidate>(new cusparse_product<Value>(in, algorithm));
            });
          }};
}

implementation vector_with(char const* name, cusparseSpMVAlg_t algorithm) {
  return {name, "", [algorithm](inputs const& in) {
            return with_scalar(in, [&]<class Value>(Value) {
              return std::unique_ptr<candidate>(new cusparse_vector<Value>(in, algorithm));
            });
          }};
}

std::unique_ptr<candidate> make_columns(inputs const& in) {
  return with_scalar(in, [&]<class Value>(Value) -> std::unique_ptr<candidate> {
    if (in.row_major) return std::make_unique<cusparse_columns<Value, Kokkos::LayoutRight>>(in);
    return std::make_unique<cusparse_columns<Value, Kokkos::LayoutLeft>>(in);
  });
}

}  // namespace

implementations cusparse_implementations(std::string const& operation) {
  if (operation == "spgemm")
    return {product_with("cusparse", CUSPARSE_SPGEMM_DEFAULT),
            product_with("cusparse_alg2", CUSPARSE_SPGEMM_ALG2),
            product_with("cusparse_alg3", CUSPARSE_SPGEMM_ALG3)};
  if (operation == "spmv")
    return {vector_with("cusparse", CUSPARSE_SPMV_CSR_ALG1),
            vector_with("cusparse_alg2", CUSPARSE_SPMV_CSR_ALG2)};
  return {{"cusparse", "", make_columns}};
}

std::string cusparse_version() {
  int major = 0;
  int minor = 0;
  check(cusparseGetProperty(MAJOR_VERSION, &major), "cusparseGetProperty");
  check(cusparseGetProperty(MINOR_VERSION, &minor), "cusparseGetProperty");
  return std::to_string(major) + "." + std::to_string(minor);
}

}  // namespace araios::bench

#endif
