// SPDX-License-Identifier: BSD-3-Clause
#include <araios/suggest_format.hpp>

#include "device.hpp"

namespace araios::bench {
namespace {

/// The STREAM triad over as many bytes as y = A * x has to move at least: 24 bytes an element.
class stream : public candidate {
 public:
  explicit stream(inputs const& in)
      : y_(host_product(in)),
        size_((static_cast<std::size_t>(in.a.nnz()) * (in.single_precision ? 8 : 12) +
               static_cast<std::size_t>(in.a.num_rows) * (in.single_precision ? 12 : 20)) /
              24) {
    for (auto* const v : {&a_, &b_, &c_}) {
      *v = uninitialised<device_vector<double>>("stream", size_);
      Kokkos::deep_copy(space_, *v, 1.0);  // touched by the threads that use it
    }
  }
  void run(std::int64_t calls) override {
    for (std::int64_t k = 0; k < calls; ++k)
      Kokkos::parallel_for("araios-bench::stream",
                           Kokkos::RangePolicy<device_space, Kokkos::IndexType<std::int64_t>>(
                               space_, 0, static_cast<std::int64_t>(size_)),
                           impl::stream_triad{a_.data(), b_.data(), c_.data()});
    space_.fence("araios-bench");
  }
  any_result result() const override { return y_; }

 private:
  dense_result y_;
  device_space space_;
  std::size_t size_;
  device_vector<double> a_, b_, c_;
};

}  // namespace

dense_result host_product(inputs const& in) {
  dense_result y(static_cast<std::size_t>(in.a.num_rows), 0.0);
  for (std::size_t i = 0; i < y.size(); ++i)
    for (auto k = in.a.row_map[i]; k < in.a.row_map[i + 1]; ++k)
      y[i] += in.a.values[static_cast<std::size_t>(k)] *
              static_cast<double>(
                  in.x[static_cast<std::size_t>(in.a.entries[static_cast<std::size_t>(k)])]);
  return y;
}

implementation stream_yardstick() {
  return {"stream", "",
          [](inputs const& in) { return std::unique_ptr<candidate>(new stream(in)); }};
}

}  // namespace araios::bench
