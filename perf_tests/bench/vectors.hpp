// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <araios/spmm.hpp>

#include "device.hpp"

/// SpMV and SpMM of Araios: the same candidates for vectors of rank 1 and 2, instantiated in two
/// translation units.
namespace araios::bench {

/// Calls `f` with the schedule of that name, NAME[:NUMBER[:NUMBER]]: the lanes or threads that
/// share a tile, and the items of a worker; by default those that `automatic` would take on
/// `Space`.
template <class Space, class F>
auto with_schedule(std::string const& text, F const& f) {
  using shape = tuning::spmv_shape<Space>;
  std::string const name = text.substr(0, text.find(':'));
  std::vector<int> numbers;
  for (auto at = text.find(':'); at != std::string::npos; at = text.find(':', at + 1)) {
    try {
      numbers.push_back(std::stoi(text.substr(at + 1)));
    } catch (std::exception const&) {
      throw input_error("--schedule " + text + ": a number is missing");
    }
  }
  auto const number = [&](std::size_t which, int otherwise) {
    return which < numbers.size() ? numbers[which] : otherwise;
  };
  try {
    if (name == automatic::name) return f(automatic{});
    if (name == "loops") return f(automatic{selection::loops});
    if (name == thread_mapped::name) return f(thread_mapped{});
    if (name == warp_mapped::name) return f(warp_mapped(number(0, 32)));
    if (name == block_mapped::name) return f(block_mapped{});
    if (name == group_mapped::name) return f(group_mapped(number(0, threads_per_team)));
    if (name == merge_path::name)
      return f(merge_path(number(0, shape::merge_lanes), number(1, shape::merge_items)));
    if (name == nonzero_split::name)
      return f(nonzero_split(number(0, shape::merge_lanes), number(1, shape::nonzero_items)));
  } catch (std::invalid_argument const& error) {
    throw input_error("--schedule " + text + ": " + error.what());
  }
  throw input_error("--schedule " + text +
                    ": there are automatic, loops, thread_mapped, "
                    "warp_mapped, block_mapped, group_mapped, merge_path, nonzero_split");
}

/// y = A * x with a plan, as `araios` and `portable`.
template <class Vector, class Space>
class planned : public candidate {
 public:
  planned(inputs const& in, std::string const& schedule)
      : operands_(impl::instance(space_), in), schedule_(schedule) {}

  void prepare() override {
    with_schedule<Space>(
        schedule_, [&](auto const& schedule) { plan_.emplace(space_, schedule, operands_.a); });
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
  std::optional<spmv_plan_for<Space, decltype(vector_operands<Vector>::a)>> plan_;
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
    with_schedule<device_space>(schedule_, [&, &a = a, &x = x, &y = y](auto const& schedule) {
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
    with_schedule<device_space>(schedule,
                                [](auto const&) {});  // an unknown name is reported at once
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
