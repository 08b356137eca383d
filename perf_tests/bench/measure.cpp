// SPDX-License-Identifier: BSD-3-Clause
#include "measure.hpp"

#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <string_view>

#include "progress.hpp"

namespace araios::bench {
namespace {

/// Counts the Views allocated in the memory of the default execution space while it lives, through
/// the callbacks of Kokkos Tools. It is not there while anything is timed.
class memory_meter {
 public:
  memory_meter() : saved_(Kokkos::Tools::Experimental::get_callbacks()) {
    held() = 0;
    peak() = 0;
    Kokkos::Tools::Experimental::set_allocate_data_callback(
        [](Kokkos_Profiling_SpaceHandle space, char const*, void const*, std::uint64_t bytes) {
          if (!is_device(space)) return;
          held() += static_cast<std::int64_t>(bytes);
          peak() = std::max<std::int64_t>(peak(), held());
        });
    Kokkos::Tools::Experimental::set_deallocate_data_callback(
        [](Kokkos_Profiling_SpaceHandle space, char const*, void const*, std::uint64_t bytes) {
          if (is_device(space)) held() -= static_cast<std::int64_t>(bytes);
        });
  }
  memory_meter(memory_meter const&) = delete;
  memory_meter& operator=(memory_meter const&) = delete;
  ~memory_meter() { Kokkos::Tools::Experimental::set_callbacks(saved_); }

  static std::atomic<std::int64_t>& peak() {
    static std::atomic<std::int64_t> bytes;
    return bytes;
  }

 private:
  static std::atomic<std::int64_t>& held() {
    static std::atomic<std::int64_t> bytes;
    return bytes;
  }
  static bool is_device(Kokkos_Profiling_SpaceHandle const& space) {
    return std::string_view(space.name) == Kokkos::DefaultExecutionSpace::memory_space::name();
  }

  Kokkos::Tools::Experimental::EventSet saved_;
};

/// Seconds that `calls` calls take.
double time(candidate& work, std::int64_t calls) {
  work.discard();
  auto const begin = std::chrono::steady_clock::now();
  work.run(calls);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Keeps the time of each repetition instead of printing it.
class collector : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(Context const&) override { return true; }
  void ReportRuns(std::vector<Run> const& runs) override {
    for (auto const& run : runs)
      if (run.run_type == Run::RT_Iteration)
        seconds.push_back(run.real_accumulated_time / static_cast<double>(run.iterations));
  }
  std::vector<double> seconds;
};

/// `repeats` times a batch of `calls` calls, by Google Benchmark with our own clock.
std::vector<double> repeat(candidate& work, std::string const& title, std::int64_t calls,
                           int repeats) {
  std::exception_ptr thrown;
  benchmark::RegisterBenchmark(title.c_str(),
                               [&](benchmark::State& state) {
                                 while (state.KeepRunningBatch(calls)) {
                                   try {
                                     state.SetIterationTime(time(work, calls));
                                   } catch (...) {
                                     thrown = std::current_exception();
                                     state.SkipWithError("failed");
                                     break;
                                   }
                                 }
                               })
      ->UseManualTime()
      ->Iterations(calls)
      ->Repetitions(repeats);
  collector times;
  benchmark::RunSpecifiedBenchmarks(&times);
  benchmark::ClearRegisteredBenchmarks();
  if (thrown) std::rethrow_exception(thrown);
  return times.seconds;
}

std::vector<double> repeats_within_budget(candidate& work, options const& opt,
                                          std::string const& title, double first) {
  if (first >= opt.budget) return {first};
  constexpr double enough = 2e-3;  // seconds for a batch: thousands of times the clock's resolution
  double spent = first;
  double one = first;
  std::int64_t calls = 1;
  if (first < 0.1 * opt.budget) {  // the first run also paid for pages and kernels not yet loaded
    one = time(work, 1);
    spent += one;
  }
  if ((opt.operation == "spmv" || opt.operation == "spmm") && one < enough) {
    calls = static_cast<std::int64_t>(std::ceil(enough / one));
    one = time(work, calls) / static_cast<double>(calls);
    calls = static_cast<std::int64_t>(std::ceil(enough / one));
  }
  double const batch = one * static_cast<double>(calls);
  double const wanted = opt.repeat > 0 ? opt.repeat : std::clamp(0.5 / batch, 5.0, 50.0);
  double const affordable = std::max(1.0, (opt.budget - spent) / batch);
  return repeat(work, title, calls, static_cast<int>(std::min(wanted, affordable)));
}

/// The value below which the given share of the values lies, between neighbours if need be.
double quantile(std::vector<double> values, double share) {
  std::ranges::sort(values);
  double const place = share * static_cast<double>(values.size() - 1);
  auto const below = static_cast<std::size_t>(place);
  auto const above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

}  // namespace

double measurement::median() const { return quantile(seconds, 0.5); }

double measurement::spread() const {
  return (quantile(seconds, 0.75) - quantile(seconds, 0.25)) / median();
}

measurement measure(implementation const& what, inputs const& in, options const& opt,
                    std::string const& title, reference const& expected) {
  measurement result;
  result.schedule = what.schedule;
  try {
    std::unique_ptr<candidate> work;
    double first = 0.0;
    {
      progress const note(title + ": first run");
      work = what.make(in);
      memory_meter const memory;
      work->prepare();
      first = time(*work, 1);
      result.peak_bytes = memory.peak();
    }
    if (auto const used = work->schedule(); !used.empty()) result.schedule = used;
    result.matrix_bytes = work->matrix_bytes();
    result.fill = work->fill();
    {
      progress const note(title + ": verifying");
      result.check = std::visit([&](auto const& c) { return expected.check(c); }, work->result());
    }
    if (what.is_ours() && !result.check.sorted) {
      result.check.verified = false;
      result.check.problem = "columns are not sorted";
    }
    progress const note(title + ": measuring");
    result.seconds = repeats_within_budget(*work, opt, title, first);
  } catch (input_error const&) {
    throw;
  } catch (std::exception const& error) {
    std::string const reason = error.what();
    result.failure = reason.substr(0, std::min<std::size_t>(reason.find('\n'), 160));
    if (result.failure.empty()) result.failure = "unknown error";
  }
  return result;
}

}  // namespace araios::bench
