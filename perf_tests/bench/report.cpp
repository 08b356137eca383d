// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <araios/version.hpp>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

namespace araios::bench {
namespace {

using nlohmann::ordered_json;

template <class... Values>
std::string format(char const* how, Values... values) {
  std::string text(static_cast<std::size_t>(std::snprintf(nullptr, 0, how, values...)), '\0');
  std::snprintf(text.data(), text.size() + 1, how, values...);
  return text;
}

/// Four significant digits without exponent.
std::string digits(std::optional<double> value) {
  if (!value) return "-";
  int const before = *value > 0.0 ? static_cast<int>(std::floor(std::log10(*value))) + 1 : 1;
  return format("%.*f", std::clamp(4 - before, 0, 6), *value);
}

std::string bytes(std::optional<std::int64_t> count) {
  if (!count) return "-";
  double value = static_cast<double>(*count);
  std::size_t unit = 0;
  constexpr char const* units[] = {"B", "KB", "MB", "GB", "TB"};
  for (; value >= 1000.0 && unit < 4; ++unit) value /= 1000.0;
  return format(unit == 0 || value >= 100.0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
}

std::optional<double> milliseconds(std::optional<double> seconds) {
  return seconds ? std::optional(1e3 * *seconds) : std::nullopt;
}

std::string dotted(int version) {
  return format("%d.%d.%d", version / 10000, version / 100 % 100, version % 100);
}

std::string device_name() {
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (std::is_same_v<Kokkos::DefaultExecutionSpace, Kokkos::Cuda>)
    return Kokkos::Cuda{}.cuda_device_prop().name;
#endif
  std::ifstream cpu("/proc/cpuinfo");
  for (std::string line; std::getline(cpu, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

std::string compiler() {
#if defined(__NVCC__)
  return format("nvcc %d.%d with ", __CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__) +
         "g++ " __VERSION__;
#elif defined(__clang__)
  return __VERSION__;
#else
  return "g++ " __VERSION__;
#endif
}

std::string now() {
  std::time_t const time = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&time));
  return text;
}

template <class Value>
ordered_json or_null(std::optional<Value> const& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json context(options const& opt) {
  ordered_json c;
  c["date"] = now();
  c["araios"] = std::string(version());
  c["compiler"] = compiler();
  c["kokkos"] = {{"version", dotted(KOKKOS_VERSION)},
                 {"backend", Kokkos::DefaultExecutionSpace::name()},
                 {"concurrency", Kokkos::DefaultExecutionSpace{}.concurrency()}};
#ifdef ARAIOS_HAVE_KOKKOSKERNELS
  c["kokkoskernels"] = kokkoskernels_version();
#endif
#ifdef ARAIOS_HAVE_CUSPARSE
  c["cusparse"] = cusparse_version();
#endif
  c["device"] = device_name();
  c["command"] = opt.command_line;
  return c;
}

ordered_json to_json(result const& r) {
  return {{"operation", r.operation},
          {"matrix", r.matrix},
          {"rows", r.rows},
          {"cols", r.cols},
          {"nnz", r.nnz},
          {"implementation", r.implementation},
          {"schedule_asked", r.schedule_asked},
          {"schedule", r.schedule},
          {"scalar", r.scalar},
          {"index", r.index},
          {"columns", r.columns},
          {"median_s", or_null(r.median)},
          {"spread", or_null(r.spread)},
          {"repeats", r.repeats},
          {"gflops", or_null(r.gflops)},
          {"gbs", or_null(r.gbs)},
          {"ratio", or_null(r.ratio)},
          {"baseline", r.baseline},
          {"extra_bytes", or_null(r.extra_bytes)},
          {"matrix_bytes", or_null(r.matrix_bytes)},
          {"fill", or_null(r.fill)},
          {"products", or_null(r.products)},
          {"result_nnz", or_null(r.result_nnz)},
          {"mteps", or_null(r.mteps)},
          {"edges", or_null(r.edges)},
          {"source", or_null(r.source)},
          {"reached", or_null(r.reached)},
          {"ours", r.ours},
          {"verified", r.verified},
          {"verification", r.verification}};
}

}  // namespace

std::string label(result const& r) {
  bool const named = !r.schedule.empty() && r.schedule != "automatic";
  return named ? r.implementation + " (" + r.schedule + ")" : r.implementation;
}

table::table(std::vector<std::string> const& matrices, implementations const& all) {
  std::size_t matrix = 6;
  for (auto const& name : matrices) matrix = std::max(matrix, name.size());
  matrix_width_ = static_cast<int>(matrix);
  std::size_t implementation = 14;
  for (auto const& one : all) {
    // "automatic" stands for any schedule; the longest name is that of thread_mapped
    auto const schedule = std::max<std::size_t>(one.schedule.size(), 13);
    implementation =
        std::max(implementation, one.name.size() + (one.schedule.empty() ? 0 : schedule + 3));
  }
  implementation_width_ = static_cast<int>(implementation);
}

void table::print_header(options const& opt, std::string const& baseline) const {
  std::cout << "araios-bench " << version() << ", Kokkos " << dotted(KOKKOS_VERSION) << ", "
            << Kokkos::DefaultExecutionSpace::name() << " with concurrency "
            << Kokkos::DefaultExecutionSpace{}.concurrency() << ", " << device_name() << "\n";
  char const* const scalar = opt.single_precision ? "float" : "double";
  if (opt.operation == "spgemm")
    std::cout
        << "C = A * A (A * A^T if A is not square), " << scalar
        << ", from operands on the device to C on the device with all allocations\n"
           "(araios_multiply: numeric phase alone, on a prepared plan; araios_kept: on one that "
           "keeps products)";
  else if (opt.operation == "bfs")
    std::cout << "levels and predecessors by breadth-first search from one vertex\n"
                 "(araios_both_ways: with the transpose at hand)";
  else if (opt.operation == "sssp")
    std::cout << "distances and predecessors from one vertex, weights |a(i, j)|, " << scalar;
  else if (opt.operation == "components")
    std::cout << "the least vertex that each is connected with";
  else if (opt.operation == "pagerank")
    std::cout << pagerank_iterations << " iterations from equal ranks, " << scalar
              << ", with all that is formed before";
  else if (opt.operation == "spmv")
    std::cout << "y = A * x, " << scalar << ", per call in a queue of calls, prepared";
  else
    std::cout << "Y = A * X with " << opt.columns << " columns stored by "
              << (opt.row_major ? "rows" : "columns") << ", " << scalar
              << ", per call in a queue of calls, prepared";
  std::cout << "\nratio: median of " << baseline << " / median of the row (above 1 is faster)\n\n"
            << format("%-*s %10s %11s  %-*s %11s %7s %9s %9s %7s %9s  %s\n", matrix_width_,
                      "matrix", "rows", "nnz", implementation_width_, "implementation", "median ms",
                      "spread", is_graph(opt.operation) ? "MTEPS" : "GFLOP/s",
                      is_graph(opt.operation) ? "reached" : "GB/s", "ratio", "extra", "verdict")
            << std::flush;
}

void table::print(result const& r) const {
  auto const spread = r.spread ? format("%.1f %%", 100.0 * *r.spread) : std::string("-");
  auto const reached = [&] {
    return format("%.1f %%", 100.0 * static_cast<double>(*r.reached) / static_cast<double>(r.rows));
  };
  std::cout << format("%-*s %10lld %11lld  %-*s %11s %7s %9s %9s %7s %9s  %s\n", matrix_width_,
                      r.matrix.c_str(), static_cast<long long>(r.rows),
                      static_cast<long long>(r.nnz), implementation_width_, label(r).c_str(),
                      digits(milliseconds(r.median)).c_str(), spread.c_str(),
                      digits(r.mteps ? r.mteps : r.gflops).c_str(),
                      r.reached ? reached().c_str() : digits(r.gbs).c_str(),
                      r.ratio ? format("%.2f", *r.ratio).c_str() : "-",
                      bytes(r.extra_bytes).c_str(), r.verification.c_str())
            << std::flush;
}

void check_writable(std::string const& path) {
  if (!std::ofstream(path, std::ios::app))
    throw input_error("--json " + path + ": cannot be written");
}

void write_json(std::string const& path, options const& opt, std::vector<result> const& results) {
  ordered_json file;
  file["context"] = context(opt);
  file["results"] = ordered_json::array();
  for (auto const& r : results) file["results"].push_back(to_json(r));
  std::ofstream out(path);
  out << file.dump(2) << "\n";
  out.close();
  if (!out) throw input_error("--json " + path + ": cannot be written");
}

namespace {

/// A cell of the side-by-side table.
struct cell {
  std::string median = "-", ratio = "-";
};

struct line {
  std::string operation, matrix, implementation;
  std::map<std::string, cell> cells;  // by backend
};

ordered_json read_json(std::string const& path) {
  std::ifstream in(path);
  if (!in) throw input_error(path + ": cannot be read");
  try {
    return ordered_json::parse(in);
  } catch (ordered_json::exception const&) {
    throw input_error(path + ": is not a JSON file");
  }
}

std::string backend_of(ordered_json const& context) {
  auto const& kokkos = context.at("kokkos");
  auto const backend = kokkos.at("backend").get<std::string>();
  auto const threads = kokkos.at("concurrency").get<int>();
  auto const version = " (Kokkos " + kokkos.at("version").get<std::string>() + ")";
  return backend + (backend == "OpenMP" ? " x" + std::to_string(threads) : "") + version;
}

/// All results in the order of their first appearance, one line for what was run alike.
struct side_by_side {
  std::vector<std::string> backends;
  std::vector<line> lines;
  int results = 0, verified = 0, ours_failed = 0;
  std::vector<std::string> failures;

  void add(ordered_json const& file) {
    auto const backend = backend_of(file.at("context"));
    if (std::ranges::find(backends, backend) == backends.end()) backends.push_back(backend);
    for (auto const& r : file.at("results")) add(backend, r);
  }

 private:
  void add(std::string const& backend, ordered_json const& r) {
    line wanted{r.at("operation"), r.at("matrix"), r.at("implementation"), {}};
    if (auto const asked = r.at("schedule_asked").get<std::string>();
        !asked.empty() && asked != "automatic")
      wanted.implementation += " (" + asked + ")";
    auto const same = [&](line const& other) {
      return other.operation == wanted.operation && other.matrix == wanted.matrix &&
             other.implementation == wanted.implementation;
    };
    auto found = std::ranges::find_if(lines, same);
    if (found == lines.end()) found = lines.insert(lines.end(), wanted);

    auto const number = [&](char const* key, double factor) {
      auto const& value = r.at(key);
      return value.is_null() ? std::nullopt : std::optional(factor * value.get<double>());
    };
    auto const ratio = number("ratio", 1.0);
    found->cells[backend] = {digits(number("median_s", 1e3)),
                             ratio ? format("%.2f", *ratio) : std::string("-")};
    ++results;
    if (r.at("verified").get<bool>()) {
      ++verified;
      return;
    }
    ours_failed += r.at("ours").get<bool>();
    failures.push_back(wanted.operation + " " + wanted.matrix + " " + wanted.implementation + ", " +
                       backend + ": " + r.at("verification").get<std::string>());
  }
};

}  // namespace

int print_side_by_side(std::vector<std::string> const& files) {
  side_by_side all;
  for (auto const& file : files) {
    try {
      all.add(read_json(file));
    } catch (ordered_json::exception const&) {
      throw input_error(file + ": is not a results file of araios-bench");
    }
  }
  int operation = 6;
  int matrix = 6;
  int implementation = 14;
  for (auto const& line : all.lines) {
    operation = std::max(operation, static_cast<int>(line.operation.size()));
    matrix = std::max(matrix, static_cast<int>(line.matrix.size()));
    implementation = std::max(implementation, static_cast<int>(line.implementation.size()));
  }
  std::string header = format("%-*s", operation + matrix + implementation + 4, "");
  std::string units =
      format("%-*s  %-*s  %-*s", operation, "", matrix, "matrix", implementation, "implementation");
  for (auto const& backend : all.backends) {
    header += format("  %26s", backend.c_str());
    units += format("  %15s %10s", "median ms", "ratio");
  }
  std::cout << header << "\n" << units << "\n";
  for (auto const& line : all.lines) {
    std::cout << format("%-*s  %-*s  %-*s", operation, line.operation.c_str(), matrix,
                        line.matrix.c_str(), implementation, line.implementation.c_str());
    for (auto const& backend : all.backends) {
      auto const found = line.cells.find(backend);
      auto const& cell = found == line.cells.end() ? bench::cell{} : found->second;
      std::cout << format("  %15s %10s", cell.median.c_str(), cell.ratio.c_str());
    }
    std::cout << "\n";
  }
  std::cout << "\nratio: median of the baseline on the same backend / median\n";
  for (auto const& failure : all.failures) std::cout << "not verified: " << failure << "\n";
  std::cout << "verified: " << all.verified << " of " << all.results << "\n";
  return all.results > 0 && all.ours_failed == 0 ? 0 : 1;
}

}  // namespace araios::bench
