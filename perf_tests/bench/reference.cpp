// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "case.hpp"

namespace araios::bench {
namespace {

/// A * B by one plain loop on one host thread, with a dense row and a sort.
template <class Value>
class sequential_product : public candidate {
 public:
  sequential_product(inputs const& in) : in_(in), a_(rounded(in.a)), b_(rounded(in.b())) {}

  void run(std::int64_t calls) override {
    for (std::int64_t k = 0; k < calls; ++k) multiply();
  }
  void discard() override { c_ = {}; }
  any_result result() const override {
    return sparse_result{
        c_.row_map, [this](std::int64_t begin, std::int64_t end, int* columns, double* values) {
          std::copy(c_.entries.begin() + begin, c_.entries.begin() + end, columns);
          std::copy(c_.values.begin() + begin, c_.values.begin() + end, values);
        }};
  }

 private:
  static std::vector<Value> rounded(host_crs<double> const& a) {
    return {a.values.begin(), a.values.end()};
  }

  void multiply() {
    auto const& a = in_.a;
    auto const& b = in_.b();
    c_ = {};
    std::vector<Value> sums(b.num_cols);
    std::vector<std::int64_t> last_row(b.num_cols, -1);
    for (std::int64_t i = 0; i < a.num_rows; ++i) {
      auto const begin = static_cast<std::ptrdiff_t>(c_.entries.size());
      for (auto ka = a.row_map[i]; ka < a.row_map[i + 1]; ++ka)
        for (auto kb = b.row_map[a.entries[ka]]; kb < b.row_map[a.entries[ka] + 1]; ++kb) {
          auto const j = b.entries[kb];
          if (last_row[j] != i) {
            last_row[j] = i;
            sums[j] = 0;
            c_.entries.push_back(j);
          }
          sums[j] += a_[ka] * b_[kb];
        }
      std::sort(c_.entries.begin() + begin, c_.entries.end());
      for (auto k = begin; k < static_cast<std::ptrdiff_t>(c_.entries.size()); ++k)
        c_.values.push_back(sums[c_.entries[k]]);
      c_.row_map.push_back(c_.entries.size());
    }
  }

  inputs const& in_;
  std::vector<Value> a_, b_;
  host_crs<Value> c_;
};

/// y = A * x by one plain loop on one host thread, for any number of columns.
template <class Value>
class sequential_vectors : public candidate {
 public:
  sequential_vectors(inputs const& in)
      : in_(in),
        values_(in.a.values.begin(), in.a.values.end()),
        x_(in.x.begin(), in.x.end()),
        y_(in.a.num_rows * in.columns) {}

  void run(std::int64_t calls) override {
    for (std::int64_t k = 0; k < calls; ++k) multiply();
  }
  any_result result() const override { return dense_result(y_.begin(), y_.end()); }

 private:
  void multiply() {
    auto const& a = in_.a;
    auto const columns = in_.columns;
    std::fill(y_.begin(), y_.end(), Value{0});
    for (std::int64_t i = 0; i < a.num_rows; ++i)
      for (auto k = a.row_map[i]; k < a.row_map[i + 1]; ++k)
        for (std::int64_t c = 0; c < columns; ++c)
          y_[i * columns + c] += values_[k] * x_[a.entries[k] * columns + c];
  }

  inputs const& in_;
  std::vector<Value> values_, x_, y_;
};

}  // namespace

implementations reference_implementations(std::string const& operation) {
  return {{"reference", "", [is_product = operation == "spgemm"](inputs const& in) {
             return with_scalar(in, [&]<class Value>(Value) -> std::unique_ptr<candidate> {
               if (is_product) return std::make_unique<sequential_product<Value>>(in);
               return std::make_unique<sequential_vectors<Value>>(in);
             });
           }}};
}

}  // namespace araios::bench
