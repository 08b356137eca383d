// SPDX-License-Identifier: BSD-3-Clause
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <random>

#include "commands.hpp"
#include "graph_reference.hpp"
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
  if (is_graph(opt.operation)) {
    add(araios_graphs(opt.operation));
    add(reference_graphs(opt.operation));
    return all;
  }
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
    add(araios_formats());
    add(cuda_spmv_yardsticks());
    add({stream_yardstick()});
  }
  add(reference_implementations(opt.operation));
  return all;
}

implementations chosen(options const& opt) {
  auto all = available(opt);
  if (opt.implementations.empty()) {
    if (!is_graph(opt.operation))
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

/// Moves what ratios refer to to the front: Kokkos Kernels if it takes part, else cuSPARSE; for
/// graphs the reference.
implementations baseline_first(options const& opt, implementations all) {
  std::vector<std::string> const names =
      is_graph(opt.operation) ? std::vector<std::string>{"reference"}
                              : std::vector<std::string>{"kokkoskernels", "cusparse"};
  for (auto const& name : names) {
    auto const found = std::ranges::find(all, name, &implementation::name);
    if (found == all.end()) continue;
    std::rotate(all.begin(), found, found + 1);
    break;
  }
  return all;
}

/// What graphs need beyond a matrix: to be square, weights that are not negative, a source.
void make_graph(options const& opt, std::string const& source, inputs& in) {
  auto const& a = in.a;
  if (a.num_rows != a.num_cols)
    throw input_error(source + ": " + std::to_string(a.num_rows) + " x " +
                      std::to_string(a.num_cols) + " is not square, hence no graph");
  if (opt.operation == "sssp")
    for (auto& weight : in.a.values) weight = std::abs(weight);
  if (!is_search(opt.operation)) return;
  if (opt.source >= a.num_rows || a.num_rows == 0)
    throw input_error("--source " + (opt.source < 0 ? "" : std::to_string(opt.source) + ": ") +
                      source + " has " + std::to_string(a.num_rows) + " vertices");
  in.source = opt.source;
  if (in.source >= 0) return;
  auto const edges_of = [&](std::int64_t i) { return a.row_map[i + 1] - a.row_map[i]; };
  in.source = 0;
  for (std::int64_t i = 1; i < a.num_rows; ++i)
    if (edges_of(i) > edges_of(in.source)) in.source = i;
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
  if (is_graph(opt.operation)) {
    make_graph(opt, source, in);
    return in;
  }
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

double graph_result_bytes(options const& opt, std::int64_t vertices, int value_bytes) {
  int bytes = 4;  // components
  if (opt.operation == "bfs") bytes = 4 + 4;
  if (opt.operation == "sssp") bytes = value_bytes + 4;
  if (opt.operation == "pagerank") bytes = value_bytes;
  return static_cast<double>(vertices * bytes);
}

/// What the numbers of a row are derived from.
struct sizes {
  product_counts product;  ///< of spgemm
  graph_answer graph;      ///< of graph algorithms
};

/// The numbers of one row of the table. Bytes are those that have to move at least once: the
/// operands and the result.
result make_result(options const& opt, inputs const& in, sizes const& size,
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
    r.products = size.product.products;
    r.result_nnz = size.product.nnz;
  }
  if (is_graph(opt.operation)) r.edges = size.graph.edges;
  if (is_search(opt.operation)) {
    r.source = in.source;
    r.reached = size.graph.reached;
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
    flops = 2.0 * static_cast<double>(size.product.products);
    result_bytes = matrix_bytes(a.num_rows, size.product.nnz, value_bytes, offset_bytes);
    moved = matrix_bytes(a.num_rows, a.nnz(), value_bytes, offset_bytes) +
            matrix_bytes(in.b().num_rows, in.b().nnz(), value_bytes, offset_bytes) + result_bytes;
  }
  r.median = measured.median();
  r.spread = measured.spread();
  r.repeats = static_cast<int>(measured.seconds.size());
  r.matrix_bytes = measured.matrix_bytes;
  r.fill = measured.fill;
  if (is_graph(opt.operation)) {
    result_bytes = graph_result_bytes(opt, a.num_rows, value_bytes);
    r.mteps = 1e-6 * static_cast<double>(size.graph.edges) / *r.median;
  } else {
    r.gflops = 1e-9 * flops / *r.median;
    r.gbs = 1e-9 * moved / *r.median;
  }
  if (what.name != "reference")
    r.extra_bytes =
        std::max<std::int64_t>(0, measured.peak_bytes - static_cast<std::int64_t>(result_bytes));
  return r;
}

/// Measures one matrix and prints each result as it comes. The baseline is the first.
std::vector<result> run_matrix(options const& opt, std::string const& name, inputs& in,
                               implementations const& all, table const& out) {
  sizes size;
  if (is_product(opt)) {
    progress const note(name + ": counting the product");
    size.product = count_product(in.a, in.b());
    in.wide_offsets = size.product.nnz > std::numeric_limits<int>::max();
  }
  if (is_graph(opt.operation)) {
    progress const note(name + ": solving in sequence");
    size.graph = solve(opt.operation, in);
  }
  auto const expected = is_graph(opt.operation)
                            ? reference(in, size.graph.expected, size.graph.relative_error)
                            : reference(in, is_product(opt) ? &size.product : nullptr);

  std::vector<result> results;
  for (auto const& what : all) {
    auto const measured = measure(what, in, opt, name + ", " + what.name, expected);
    auto r = make_result(opt, in, size, what, measured);
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
  auto const all = baseline_first(opt, chosen(opt));
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
