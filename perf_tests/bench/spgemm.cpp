// SPDX-License-Identifier: BSD-3-Clause
#include <araios/spgemm.hpp>

#include "device.hpp"

namespace araios::bench {
namespace {

/// Everything from A and B on the device to C on the device, as `araios` and `portable`.
struct one_shot {
  spgemm_options options;

  template <class Space, class Matrix>
  auto operator()(Space const& space, Matrix const& a, Matrix const& b) const {
    return spgemm(space, a, b, options);
  }
};

/// The numeric phase alone, on a plan that is ready; it keeps products for `araios_kept`.
template <class Value, class Offset>
class multiply_only : public candidate {
 public:
  multiply_only(inputs const& in, spgemm_options const& options)
      : operands_(space_, in), options_(options) {}

  void prepare() override {
    plan_.emplace(space_, operands_.a, operands_.b, options_);
    c_ = plan_->make_result(space_);
  }
  void run(std::int64_t calls) override {
    for (std::int64_t k = 0; k < calls; ++k) plan_->multiply(space_, operands_.a, operands_.b, c_);
    space_.fence("araios-bench");
  }
  any_result result() const override { return to_sparse_result(c_); }

 private:
  device_space space_;
  product_operands<Value, Offset> operands_;
  spgemm_options options_;
  std::optional<spgemm_plan<device_space, int, Offset, Value>> plan_;
  device_matrix<Value, Offset> c_;
};

/// Calls `f` with values of the scalar and offset types in use.
template <class F>
std::unique_ptr<candidate> with_types(inputs const& in, F const& f) {
  return with_scalar(
      in, [&](auto value) { return in.wide_offsets ? f(value, std::size_t{}) : f(value, int{}); });
}

spgemm_options options_for(std::string const& accumulator) {
  spgemm_options options;
  if (accumulator == "hash")
    options.accumulator = spgemm_accumulator::hash;
  else if (accumulator == "dense")
    options.accumulator = spgemm_accumulator::dense;
  else if (accumulator != "automatic")
    throw input_error("--schedule " + accumulator +
                      ": for spgemm this is the accumulator: automatic, hash or dense");
  return options;
}

}  // namespace

implementations araios_spgemm(std::vector<std::string> const& schedules) {
  implementations all;
  for (auto const& schedule : schedules) {
    auto const options = options_for(schedule);
    auto const add_one_shot = [&]<class Space>(char const* name, std::type_identity<Space>) {
      all.push_back({name, schedule, [options](inputs const& in) {
                       return with_types(in, [&](auto value, auto offset) {
                         using one =
                             fresh_product<one_shot, decltype(value), decltype(offset), Space>;
                         return std::unique_ptr<candidate>(new one(in, options));
                       });
                     }});
    };
    add_one_shot("araios", std::type_identity<device_space>{});
    auto const add_multiply = [&](char const* name, spgemm_options const& with) {
      all.push_back({name, schedule, [with](inputs const& in) {
                       return with_types(in, [&](auto value, auto offset) {
                         using multiply = multiply_only<decltype(value), decltype(offset)>;
                         return std::unique_ptr<candidate>(new multiply(in, with));
                       });
                     }});
    };
    add_multiply("araios_multiply", options);
    auto keeping = options;
    keeping.keep_products = true;
    add_multiply("araios_kept", keeping);
    add_one_shot("portable", std::type_identity<portable_on<device_space>>{});
  }
  return all;
}

}  // namespace araios::bench
