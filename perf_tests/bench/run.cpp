// SPDX-License-Identifier: BSD-3-Clause
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <iostream>
#include <limits>
#include <random>

#include "commands.hpp"
#include "matrices.hpp"
#include "measure.hpp"
#include "progress.hpp"
#include "report.hpp"

namespace araios::bench {
namespace {

bool is_product(options const& opt) { return opt.operation == "spgemm"; }

/// Everything compiled in, in the order of the table.
implementations available(options const& opt) {
  implementations all;
  auto const add = [&](implementations const& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  if (is_product(opt))
    add(araios_spgemm(opt.schedules));
  else
    add(opt.operation == "spmv" ? araios_spmv(opt.schedules) : araios_spmm(opt.schedules));
#ifdef ARAIOS_HAVE_KOKKOSKERNELS
  if (is_product(opt))
    add(kokkoskernels_spgemm());
  else
    add(opt.operation == "spmv" ? kokkoskernels_spmv() : kokkoskernels_spmm());
#endif
#ifdef ARAIOS_HAVE_CUSPARSE
  add(cusparse_implementations(opt.operation));
#endif
  if (opt.operation == "spmv") {
    add(cuda_spmv_yardsticks());
    add({stream_yardstick()});
  }
  add(reference_implementations(opt.operation));
  return all;
}

implementations chosen(options const& opt) {
  auto all = available(opt);
  if (opt.implementations.empty()) {
    std::erase_if(all, [](auto const& one) { return one.on_request(); });
    return all;
  }
  for (auto const& name : opt.implementations) {
    if (std::ranges::any_of(all, [&](auto const& one) { return one.name == name; })) continue;
    std::string known;
    for (auto const& one : all)
      if (known.find(" " + one.name + ",") == std::string::npos) known += " " + one.name + ",";
    known.pop_back();
    throw input_error("--impl " + name + ": not known for " + opt.operation +
                      " or not compiled in; there are" + known);
  }
  std::erase_if(all, [&](auto const& one) {
    return std::ranges::find(opt.implementations, one.name) == opt.implementations.end();
  });
  return all;
}

/// Moves what ratios refer to to the front: Kokkos Kernels if it takes part, else cuSPARSE.
implementations baseline_first(implementations all) {
  for (auto const* const name : {"kokkoskernels", "cusparse"}) {
    auto const found = std::ranges::find(all, name, &implementation::name);
    if (found == all.end()) continue;
    std::rotate(all.begin(), found, found + 1);
    break;
  }
  return all;
}

inputs make_inputs(options const& opt, std::string const& source) {
  progress const note(name_of(source) + ": loading");
  inputs in;
  in.a = load(source);
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  if (std::max({in.a.num_rows, in.a.num_cols, in.a.nnz()}) > most)
    throw input_error(source + ": " + std::to_string(in.a.num_rows) + " x " +
                      std::to_string(in.a.num_cols) + " with " + std::to_string(in.a.nnz()) +
                      " entries is beyond the 32-bit indices of araios-bench");
  in.single_precision = opt.single_precision;
  in.row_major = opt.row_major;
  if (in.single_precision)
    for (auto& value : in.a.values) value = static_cast<float>(value);
  if (is_product(opt)) {
    if (in.a.num_rows != in.a.num_cols) in.a_transposed = transposed(in.a);
    return in;
  }
  in.columns = opt.operation == "spmm" ? opt.columns : 1;
  in.x.resize(static_cast<std::size_t>(in.a.num_cols * in.columns));
  std::mt19937 random(3);
  std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
  for (auto& value : in.x) value = uniform(random);
  return in;
}

double matrix_bytes(std::int64_t rows, std::int64_t nnz, int value_bytes, int offset_bytes) {
  return static_cast<double>(nnz) * (value_bytes + 4) +
         static_cast<double>(rows + 1) * offset_bytes;
}

/// The numbers of one row of the table. Bytes are those that have to move at least once: the
/// operands and the result.
result make_result(options const& opt, inputs const& in, product_counts const& counts,
                   implementation const& what, measurement const& measured) {
  auto const& a = in.a;
  int const value_bytes = in.single_precision ? 4 : 8;
  int const offset_bytes = in.wide_offsets ? 8 : 4;
  result r;
  r.operation = opt.operation;
  r.rows = a.num_rows;
  r.cols = a.num_cols;
  r.nnz = a.nnz();
  r.implementation = what.name;
  r.schedule_asked = what.schedule;
  r.schedule = measured.schedule;
  r.scalar = in.single_precision ? "float" : "double";
  r.index = in.wide_offsets ? "int32, offsets 64 bits" : "int32";
  r.columns = in.columns;
  r.ours = what.is_ours();
  if (is_product(opt)) {
    r.products = counts.products;
    r.result_nnz = counts.nnz;
  }
  if (!measured.failure.empty()) {
    r.verification = "fails: " + measured.failure;
    return r;
  }

  auto const& check = measured.check;
  r.verified = check.verified;
  r.verification = !check.verified ? "wrong: " + check.problem
                   : check.sorted  ? "verified (" + check.kind + ")"
                                   : "verified (" + check.kind + ", unsorted)";
  double flops = 2.0 * static_cast<double>(a.nnz() * in.columns);
  double moved = matrix_bytes(a.num_rows, a.nnz(), value_bytes, offset_bytes) +
                 static_cast<double>((a.num_rows + a.num_cols) * in.columns * value_bytes);
  double result_bytes = 0.0;
  if (is_product(opt)) {
    flops = 2.0 * static_cast<double>(counts.products);
    result_bytes = matrix_bytes(a.num_rows, counts.nnz, value_bytes, offset_bytes);
    moved = matrix_bytes(a.num_rows, a.nnz(), value_bytes, offset_bytes) +
            matrix_bytes(in.b().num_rows, in.b().nnz(), value_bytes, offset_bytes) + result_bytes;
  }
  r.median = measured.median();
  r.spread = measured.spread();
  r.repeats = static_cast<int>(measured.seconds.size());
  r.gflops = 1e-9 * flops / *r.median;
  r.gbs = 1e-9 * moved / *r.median;
  if (what.name != "reference")
    r.extra_bytes =
        std::max<std::int64_t>(0, measured.peak_bytes - static_cast<std::int64_t>(result_bytes));
  return r;
}

/// Measures one matrix and prints each result as it comes. The baseline is the first.
std::vector<result> run_matrix(options const& opt, std::string const& name, inputs& in,
                               implementations const& all, table const& out) {
  product_counts counts;
  if (is_product(opt)) {
    progress const note(name + ": counting the product");
    counts = count_product(in.a, in.b());
    in.wide_offsets = counts.nnz > std::numeric_limits<int>::max();
  }
  reference const expected(in, is_product(opt) ? &counts : nullptr);

  std::vector<result> results;
  for (auto const& what : all) {
    auto const measured = measure(what, in, opt, name + ", " + what.name, expected);
    auto r = make_result(opt, in, counts, what, measured);
    r.matrix = name;
    r.baseline = all.front().name;
    auto const baseline = results.empty() ? r.median : results.front().median;
    if (r.median && baseline) r.ratio = *baseline / *r.median;
    out.print(r);
    results.push_back(r);
  }
  return results;
}

}  // namespace

int run(options const& opt, std::vector<std::string> const& kokkos_arguments) {
  // Mistakes come to light before Kokkos starts, which takes time and may print warnings.
  for (auto const& source : opt.matrices) check_source(source);
  auto const all = baseline_first(chosen(opt));
  if (!opt.json.empty()) check_writable(opt.json);

  std::vector<char*> arguments;
  for (auto const& argument : kokkos_arguments)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  Kokkos::ScopeGuard const kokkos(count, arguments.data());

  std::vector<std::string> names;
  for (auto const& source : opt.matrices) names.push_back(name_of(source));
  table const out(names, all);
  std::vector<result> results;
  for (auto const& source : opt.matrices) {
    auto in = make_inputs(opt, source);
    if (results.empty()) out.print_header(opt, all.front().name);
    auto const more = run_matrix(opt, name_of(source), in, all, out);
    results.insert(results.end(), more.begin(), more.end());
    if (!opt.json.empty()) write_json(opt.json, opt, results);
  }
  auto const verified = std::ranges::count_if(results, &result::verified);
  std::cout << "\nverified: " << verified << " of " << results.size() << std::endl;
  bool const failed =
      std::ranges::any_of(results, [](auto const& r) { return r.ours && !r.verified; });
  return failed ? 1 : 0;
}

}  // namespace araios::bench
