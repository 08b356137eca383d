// SPDX-License-Identifier: BSD-3-Clause
#include <araios/convert.hpp>
#include <araios/spmv.hpp>
#include <araios/suggest_format.hpp>

#include "device.hpp"

namespace araios::bench {
namespace {

/// y = A * x with A in another format, converted and planned before.
template <class Vector, class Convert>
class converted : public candidate {
 public:
  converted(inputs const& in, Convert const& convert)
      : operands_(space_, in), a_(convert(space_, operands_.a)) {}

  void prepare() override { plan_.emplace(space_, a_); }
  void run(std::int64_t calls) override {
    using value = typename Vector::value_type;
    for (std::int64_t k = 0; k < calls; ++k)
      plan_->apply(space_, value{1}, a_, operands_.x, value{0}, operands_.y);
    space_.fence("araios-bench");
  }
  any_result result() const override { return operands_.result(); }
  std::string schedule() const override { return plan_->schedule_name(); }
  std::optional<std::int64_t> matrix_bytes() const override {
    return static_cast<std::int64_t>(a_.bytes());
  }
  std::optional<double> fill() const override {
    if constexpr (requires { a_.fill(); })
      return a_.fill();
    else
      return {};
  }

 private:
  using matrix = std::invoke_result_t<Convert, device_space const&,
                                      decltype(vector_operands<Vector>::a) const&>;
  device_space space_;
  vector_operands<Vector> operands_;
  matrix a_;
  std::optional<spmv_plan_for<device_space, matrix>> plan_;
};

/// The conversion itself, allocations included. y is the host's.
template <class Vector, class Convert>
class conversion : public candidate {
 public:
  conversion(inputs const& in, Convert const& convert)
      : y_(host_product(in)), operands_(space_, in), convert_(convert) {}

  void run(std::int64_t calls) override {
    for (std::int64_t k = 0; k < calls; ++k) convert_(space_, operands_.a);
    space_.fence("araios-bench");
  }
  any_result result() const override { return y_; }

 private:
  dense_result y_;
  device_space space_;
  vector_operands<Vector> operands_;
  Convert convert_;
};

/// y = A * x in the format that `suggest_format` names for very many products.
template <class Vector>
class suggested : public candidate {
 public:
  explicit suggested(inputs const& in) : operands_(space_, in) {}

  void prepare() override {
    auto const suggestion = suggest_format(space_, operands_.a, 1e12);
    if (suggestion.format == storage_format::rgcsr) {
      rgcsr_ = to_rgcsr(space_, operands_.a, suggestion.options);
      rgcsr_plan_.emplace(space_, rgcsr_);
    } else {
      crs_plan_.emplace(space_, operands_.a);
    }
  }
  void run(std::int64_t calls) override {
    using value = typename Vector::value_type;
    for (std::int64_t k = 0; k < calls; ++k)
      if (crs_plan_)
        crs_plan_->apply(space_, value{1}, operands_.a, operands_.x, value{0}, operands_.y);
      else
        rgcsr_plan_->apply(space_, value{1}, rgcsr_, operands_.x, value{0}, operands_.y);
    space_.fence("araios-bench");
  }
  any_result result() const override { return operands_.result(); }
  std::string schedule() const override { return crs_plan_ ? "crs" : "rgcsr"; }

 private:
  using value_type = typename Vector::value_type;
  using rgcsr = rgcsr_matrix<value_type, int, int, device_memory>;
  device_space space_;
  vector_operands<Vector> operands_;
  rgcsr rgcsr_;
  std::optional<spmv_plan_for<device_space, rgcsr>> rgcsr_plan_;
  std::optional<spmv_plan_for<device_space, device_matrix<value_type>>> crs_plan_;
};

template <template <class, class> class Candidate, class Convert>
implementation with_conversion(std::string const& name, Convert const& convert) {
  return {name, "",
          [convert](inputs const& in) {
            return with_vector(in, [&]<class Vector>(std::type_identity<Vector>) {
              return std::unique_ptr<candidate>(new Candidate<Vector, Convert>(in, convert));
            });
          },
          true};
}

/// Row-grouped as in the paper: groups of so many rows in their order, whatever that takes.
auto grouped_by(int size) {
  return [size](auto const& space, auto const& a) {
    return to_rgcsr(space, a, {.group_size = size, .budget = 1e6, .plain_fill = 1e6, .window = 1});
  };
}

}  // namespace

implementations araios_formats() {
  auto const rgcsr = [](auto const& space, auto const& a) { return to_rgcsr(space, a); };
  implementations all{
      with_conversion<converted>("araios_coo",
                                 [](auto const& space, auto const& a) { return to_coo(space, a); }),
      with_conversion<converted>("araios_ell",
                                 [](auto const& space, auto const& a) { return to_ell(space, a); }),
      with_conversion<converted>(
          "araios_sliced_ell",
          [](auto const& space, auto const& a) { return to_sliced_ell(space, a); }),
      with_conversion<converted>("araios_sell_sorted",
                                 [](auto const& space, auto const& a) {
                                   return to_sliced_ell(space, a, {.window = 1024});
                                 }),
      with_conversion<converted>("araios_hyb",
                                 [](auto const& space, auto const& a) { return to_hyb(space, a); }),
      with_conversion<converted>(
          "araios_bcsr_4", [](auto const& space, auto const& a) { return to_bcsr<4>(space, a); }),
      with_conversion<converted>("araios_dia",
                                 [](auto const& space, auto const& a) { return to_dia(space, a); }),
      with_conversion<converted>("araios_rgcsr", rgcsr)};
  all.push_back({"araios_suggested", "",
                 [](inputs const& in) {
                   return with_vector(in, [&]<class Vector>(std::type_identity<Vector>) {
                     return std::unique_ptr<candidate>(new suggested<Vector>(in));
                   });
                 },
                 true});
  for (int const size : {32, 64, 128, 256})
    all.push_back(
        with_conversion<converted>("araios_rgcsr_" + std::to_string(size), grouped_by(size)));
  all.push_back(with_conversion<conversion>("araios_to_rgcsr", rgcsr));
  return all;
}

}  // namespace araios::bench
