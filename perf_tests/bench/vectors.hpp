// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <araios/spmm.hpp>

#include "device.hpp"

/// SpMV and SpMM of Araios: the same candidates for vectors of rank 1 and 2, instantiated in two
/// translation units.
namespace araios::bench {

/// Calls `f` with the schedule of that name.
template <class F>
auto with_schedule(std::string const& name, F const& f) {
  if (name == automatic::name) return f(automatic{});
  if (name == thread_mapped::name) return f(thread_mapped{});
  if (name == group_mapped::name) return f(group_mapped{});
  if (name == block_mapped::name) return f(block_mapped{});
  if (name == merge_path::name) return f(merge_path{});
  throw input_error("--schedule " + name +
                    ": there are automatic, thread_mapped, group_mapped, block_mapped, merge_path");
}

/// y = A * x with a plan, as `araios` and `portable`.
template <class Vector, class Space>
class planned : public candidate {
 public:
  planned(inputs const& in, std::string const& schedule)
      : operands_(impl::instance(space_), in), schedule_(schedule) {}

  void prepare() override {
    with_schedule(schedule_,
                  [&](auto const& schedule) { plan_.emplace(space_, schedule, operands_.a); });
  }
  void run(std::int64_t calls) override {
    using value = typename Vector::value_type;
    for (std::int64_t k = 0; k < calls; ++k)
      plan_->apply(space_, value{1}, operands_.a, operands_.x, value{0}, operands_.y);
    impl::instance(space_).fence("araios-bench");
  }
  any_result result() const override { return operands_.result(); }
  std::string schedule() const override { return plan_->schedule_name(); }

 private:
  Space space_;
  vector_operands<Vector> operands_;
  std::string schedule_;
  std::optional<spmv_plan<Space, int, int>> plan_;
};

/// y = A * x by single calls without any preparation, as `araios_once`.
template <class Vector>
class unplanned : public candidate {
 public:
  unplanned(inputs const& in, std::string const& schedule)
      : operands_(space_, in), schedule_(schedule) {}

  void run(std::int64_t calls) override {
    using value = typename Vector::value_type;
    auto const& [a, x, y] = operands_;
    with_schedule(schedule_, [&, &a = a, &x = x, &y = y](auto const& schedule) {
      for (std::int64_t k = 0; k < calls; ++k) {
        if constexpr (Vector::rank() == 1)
          spmv(space_, schedule, value{1}, a, x, value{0}, y);
        else
          spmm(space_, schedule, value{1}, a, x, value{0}, y);
      }
    });
    space_.fence("araios-bench");
  }
  any_result result() const override { return operands_.result(); }
  std::string schedule() const override { return schedule_; }

 private:
  device_space space_;
  vector_operands<Vector> operands_;
  std::string schedule_;
};

/// `with_view(in, f)` is `with_vector` or `with_columns`.
template <class WithView>
implementations araios_vectors(std::vector<std::string> const& schedules, WithView with_view) {
  implementations all;
  for (auto const& schedule : schedules) {
    with_schedule(schedule, [](auto const&) {});  // an unknown name is reported at once
    auto const add_planned = [&]<class Space>(char const* name, std::type_identity<Space>) {
      all.push_back({name, schedule, [=](inputs const& in) {
                       return with_view(in, [&]<class Vector>(std::type_identity<Vector>) {
                         return std::unique_ptr<candidate>(
                             new planned<Vector, Space>(in, schedule));
                       });
                     }});
    };
    add_planned("araios", std::type_identity<device_space>{});
    all.push_back({"araios_once", schedule, [=](inputs const& in) {
                     return with_view(in, [&]<class Vector>(std::type_identity<Vector>) {
                       return std::unique_ptr<candidate>(new unplanned<Vector>(in, schedule));
                     });
                   }});
    add_planned("portable", std::type_identity<portable_on<device_space>>{});
  }
  return all;
}

}  // namespace araios::bench
