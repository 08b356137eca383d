// SPDX-License-Identifier: BSD-3-Clause
#ifdef ARAIOS_HAVE_CUSPARSE

#include <cusparse.h>

#include <araios/convert.hpp>

#include "device.hpp"

namespace araios::bench {
namespace {

constexpr auto not_transposed = CUSPARSE_OPERATION_NON_TRANSPOSE;

void check(cusparseStatus_t status, char const* call, char const* rest = "") {
  if (status != CUSPARSE_STATUS_SUCCESS)
    throw std::runtime_error(std::string(call) + rest + ": " + cusparseGetErrorString(status));
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
using product_work = owned<cusparseSpGEMMDescr_t, cusparseSpGEMM_destroyDescr>;

template <class Value>
constexpr cudaDataType value_type = std::is_same_v<Value, float> ? CUDA_R_32F : CUDA_R_64F;

using buffer = Kokkos::View<char*, device_memory>;

buffer make_buffer(std::size_t bytes) { return uninitialised<buffer>("cusparse buffer", bytes); }

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

template <class View>
void create(dense_vector& descriptor, View const& view) {
  check(cusparseCreateDnVec(&descriptor, view.extent(0), view.data(),
                            value_type<typename View::value_type>),
        "cusparseCreateDnVec");
}

template <class View>
constexpr bool row_major = std::is_same_v<typename View::array_layout, Kokkos::LayoutRight>;

template <class View>
void create(dense_matrix& descriptor, View const& view) {
  constexpr bool rows = row_major<View>;
  check(cusparseCreateDnMat(&descriptor, view.extent(0), view.extent(1),
                            rows ? view.stride(0) : view.stride(1), view.data(),
                            value_type<typename View::value_type>,
                            rows ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL),
        "cusparseCreateDnMat");
}

/// C = A * B with everything set up anew for each product, except the library handle.
template <class Value>
class cusparse_product {
 public:
  using matrix = device_matrix<Value>;

  explicit cusparse_product(cusparseSpGEMMAlg_t algorithm) : algorithm_(algorithm) {
    create(handle_, device_space{});
  }

  matrix operator()(device_space const& space, matrix const& a, matrix const& b) const {
    auto const row_map = uninitialised<typename matrix::row_map_view>("row_map", a.num_rows() + 1);
    sparse_matrix a_descriptor, b_descriptor, c_descriptor;
    create(a_descriptor, a);
    create(b_descriptor, b);
    create(c_descriptor, matrix(a.num_rows(), b.num_cols(), row_map, {}, {}));
    product_work work;
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
    auto const entries = uninitialised<typename matrix::entries_view>("entries", nnz);
    auto const values = uninitialised<typename matrix::values_view>("values", nnz);
    check(cusparseCsrSetPointers(c_descriptor, row_map.data(), entries.data(), values.data()),
          "cusparseCsrSetPointers");
    call("cusparseSpGEMM_copy", cusparseSpGEMM_copy);
    space.fence("araios-bench");  // before the buffers go
    return {a.num_rows(), b.num_cols(), row_map, entries, values};
  }

 private:
  // ALG2 and ALG3 bound their buffer by this share of the products, as NVIDIA's samples do.
  static constexpr float chunk_fraction = 0.2f;

  cusparseSpGEMMAlg_t algorithm_;
  library handle_;
};

/// The numeric phase alone of a product that is ready to be repeated.
template <class Value>
class cusparse_multiply : public candidate {
 public:
  using matrix = device_matrix<Value>;

  explicit cusparse_multiply(inputs const& in) : operands_(space_, in) {
    create(handle_, space_);
    create(a_, operands_.a);
    create(b_, operands_.b);
  }

  void prepare() override {
    auto const& a = operands_.a;
    auto const row_map = uninitialised<typename matrix::row_map_view>("row_map", a.num_rows() + 1);
    create(c_, matrix(a.num_rows(), operands_.b.num_cols(), row_map, {}, {}));
    check(cusparseSpGEMM_createDescr(&work_), "cusparseSpGEMM_createDescr");
    auto const call = [&](char const* name, auto function, auto... rest) {
      check(
          function(handle_, not_transposed, not_transposed, a_, b_, c_, algorithm, work_, rest...),
          name);
    };
    std::size_t bytes[5] = {};
    call("cusparseSpGEMMreuse_workEstimation", cusparseSpGEMMreuse_workEstimation, &bytes[0],
         nullptr);
    auto const estimate = make_buffer(bytes[0]);
    call("cusparseSpGEMMreuse_workEstimation", cusparseSpGEMMreuse_workEstimation, &bytes[0],
         estimate.data());
    call("cusparseSpGEMMreuse_nnz", cusparseSpGEMMreuse_nnz, &bytes[1], nullptr, &bytes[2], nullptr,
         &bytes[3], nullptr);
    auto const count = make_buffer(bytes[1]);
    kept_[0] = make_buffer(bytes[2]);
    kept_[1] = make_buffer(bytes[3]);
    call("cusparseSpGEMMreuse_nnz", cusparseSpGEMMreuse_nnz, &bytes[1], count.data(), &bytes[2],
         kept_[0].data(), &bytes[3], kept_[1].data());
    std::int64_t rows = 0, columns = 0, nnz = 0;
    check(cusparseSpMatGetSize(c_, &rows, &columns, &nnz), "cusparseSpMatGetSize");
    result_ = matrix(a.num_rows(), operands_.b.num_cols(), row_map,
                     uninitialised<typename matrix::entries_view>("entries", nnz),
                     uninitialised<typename matrix::values_view>("values", nnz));
    check(cusparseCsrSetPointers(c_, row_map.data(), result_.entries.data(), result_.values.data()),
          "cusparseCsrSetPointers");
    call("cusparseSpGEMMreuse_copy", cusparseSpGEMMreuse_copy, &bytes[4], nullptr);
    kept_[2] = make_buffer(bytes[4]);
    call("cusparseSpGEMMreuse_copy", cusparseSpGEMMreuse_copy, &bytes[4], kept_[2].data());
    space_.fence("araios-bench");  // before the buffers go
  }
  void run(std::int64_t calls) override {
    Value const alpha = 1;
    Value const beta = 0;
    for (std::int64_t k = 0; k < calls; ++k)
      check(cusparseSpGEMMreuse_compute(handle_, not_transposed, not_transposed, &alpha, a_, b_,
                                        &beta, c_, value_type<Value>, algorithm, work_),
            "cusparseSpGEMMreuse_compute");
    space_.fence("araios-bench");
  }
  any_result result() const override { return to_sparse_result(result_); }

 private:
  static constexpr auto algorithm = CUSPARSE_SPGEMM_DEFAULT;

  device_space space_;
  product_operands<Value, int> operands_;
  library handle_;
  sparse_matrix a_, b_, c_;
  product_work work_;
  buffer kept_[3];
  matrix result_;
};

implementation cusparse_reuse() {
  return {"cusparse_multiply", "", [](inputs const& in) {
            if (in.wide_offsets)
              throw std::overflow_error("the product does not fit 32-bit offsets");
            return with_scalar(in, [&]<class Value>(Value) {
              return std::unique_ptr<candidate>(new cusparse_multiply<Value>(in));
            });
          }};
}

/// y = A * x for one vector or several columns, prepared once.
template <class Vector>
class cusparse_vectors : public candidate {
  static constexpr bool one_vector = Vector::rank() == 1;

 public:
  using algorithm = std::conditional_t<one_vector, cusparseSpMVAlg_t, cusparseSpMMAlg_t>;

  cusparse_vectors(inputs const& in, algorithm a) : operands_(space_, in), algorithm_(a) {
    create(handle_, space_);
    create(a_, operands_.a);
    create(x_, operands_.x);
    create(y_, operands_.y);
  }

  void prepare() override {
    std::size_t bytes = 0;
    call("_bufferSize", cusparseSpMV_bufferSize, cusparseSpMM_bufferSize, &bytes);
    buffer_ = make_buffer(bytes);
    call("_preprocess", cusparseSpMV_preprocess, cusparseSpMM_preprocess, buffer_.data());
  }
  void run(std::int64_t calls) override {
    for (std::int64_t k = 0; k < calls; ++k) call("", cusparseSpMV, cusparseSpMM, buffer_.data());
    space_.fence("araios-bench");
  }
  any_result result() const override { return operands_.result(); }

 private:
  using value = typename Vector::value_type;

  /// The step of that name, for one vector or for several columns.
  template <class OfVector, class OfColumns, class Last>
  void call(char const* step, OfVector of_vector, OfColumns of_columns, Last last) {
    if constexpr (one_vector)
      check(of_vector(handle_, not_transposed, &alpha_, a_, x_, &beta_, y_, value_type<value>,
                      algorithm_, last),
            "cusparseSpMV", step);
    else
      check(of_columns(handle_, not_transposed, not_transposed, &alpha_, a_, x_, &beta_, y_,
                       value_type<value>, algorithm_, last),
            "cusparseSpMM", step);
  }

  device_space space_;
  vector_operands<Vector> operands_;
  algorithm algorithm_;
  library handle_;
  sparse_matrix a_;
  std::conditional_t<one_vector, dense_vector, dense_matrix> x_, y_;
  buffer buffer_;
  value alpha_ = 1;
  value beta_ = 0;
};

/// y = A * x with A in sliced ELL, slices of 32 rows.
template <class Value>
class cusparse_sell : public candidate {
 public:
  explicit cusparse_sell(inputs const& in)
      : operands_(space_, in), a_(to_sliced_ell(space_, operands_.a)) {
    create(handle_, space_);
    create(x_, operands_.x);
    create(y_, operands_.y);
    check(cusparseCreateSlicedEll(&descriptor_, a_.num_rows(), a_.num_cols(), a_.nnz(),
                                  static_cast<std::int64_t>(a_.entries.extent(0)), a_.slice_size(),
                                  a_.slice_begin.data(), a_.entries.data(), a_.values.data(),
                                  CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                                  value_type<Value>),
          "cusparseCreateSlicedEll");
  }

  void prepare() override {
    std::size_t bytes = 0;
    check(cusparseSpMV_bufferSize(handle_, not_transposed, &alpha_, descriptor_, x_, &beta_, y_,
                                  value_type<Value>, CUSPARSE_SPMV_SELL_ALG1, &bytes),
          "cusparseSpMV_bufferSize");
    buffer_ = make_buffer(bytes);
  }
  void run(std::int64_t calls) override {
    for (std::int64_t k = 0; k < calls; ++k)
      check(cusparseSpMV(handle_, not_transposed, &alpha_, descriptor_, x_, &beta_, y_,
                         value_type<Value>, CUSPARSE_SPMV_SELL_ALG1, buffer_.data()),
            "cusparseSpMV");
    space_.fence("araios-bench");
  }
  any_result result() const override { return operands_.result(); }

 private:
  device_space space_;
  vector_operands<device_vector<Value>> operands_;
  sliced_ell_matrix<Value, int, int, device_memory> a_;
  library handle_;
  sparse_matrix descriptor_;
  dense_vector x_, y_;
  buffer buffer_;
  Value alpha_ = 1;
  Value beta_ = 0;
};

implementation vector_with(char const* name, cusparseSpMVAlg_t algorithm) {
  return {name, "", [algorithm](inputs const& in) {
            return with_vector(in, [&]<class Vector>(std::type_identity<Vector>) {
              return std::unique_ptr<candidate>(new cusparse_vectors<Vector>(in, algorithm));
            });
          }};
}

/// The better algorithm for each layout: ALG1 by columns, ALG2 by rows.
std::unique_ptr<candidate> make_columns(inputs const& in) {
  return with_columns(in, [&]<class Columns>(std::type_identity<Columns>) {
    return std::unique_ptr<candidate>(new cusparse_vectors<Columns>(
        in, row_major<Columns> ? CUSPARSE_SPMM_CSR_ALG2 : CUSPARSE_SPMM_CSR_ALG1));
  });
}

}  // namespace

implementations cusparse_implementations(std::string const& operation) {
  if (operation == "spgemm")
    return {narrow_product<cusparse_product>("cusparse", CUSPARSE_SPGEMM_DEFAULT),
            narrow_product<cusparse_product>("cusparse_alg2", CUSPARSE_SPGEMM_ALG2),
            narrow_product<cusparse_product>("cusparse_alg3", CUSPARSE_SPGEMM_ALG3),
            cusparse_reuse()};
  if (operation == "spmv")
    return {vector_with("cusparse", CUSPARSE_SPMV_CSR_ALG1),
            vector_with("cusparse_alg2", CUSPARSE_SPMV_CSR_ALG2),
            {"cusparse_sell", "",
             [](inputs const& in) {
               return with_scalar(in, [&]<class Value>(Value) {
                 return std::unique_ptr<candidate>(new cusparse_sell<Value>(in));
               });
             },
             true}};
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
