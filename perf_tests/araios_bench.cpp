// SPDX-License-Identifier: BSD-3-Clause

/// araios-bench: sparse products of real matrices, and graph algorithms on them, computed, verified
/// and timed on the backend that Kokkos was built for. `araios-bench --help` says how.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <araios/version.hpp>
#include <iostream>

#include "bench/commands.hpp"
#include "bench/matrices.hpp"
#include "bench/report.hpp"

namespace {

using namespace araios::bench;

constexpr int bad_input = 2;

char const* const footer =
    "Matrices are Matrix Market files (FILE.mtx, also .mtx.gz) or generated: gallery:NAME[:ARGS].\n"
    "Results are compared with a plain host loop, once for each matrix and implementation.\n"
    "A matrix is a graph with an edge i -> j for each entry (i, j); sssp takes |a(i, j)| for "
    "weight.\n"
    "Exit code: 0 all results of Araios verified, 1 not, 2 bad input. --kokkos-... options go to "
    "Kokkos.\n\n"
    "  araios-bench spgemm --suite small\n"
    "  araios-bench spmv --matrix my.mtx gallery:rmat:14:8 --schedule thread_mapped,merge_path\n"
    "  araios-bench bfs --suite graphs\n"
    "  araios-bench info gallery:lap3d27_80\n"
    "  araios-bench table serial.json openmp.json\n";

/// Adds one of the measuring commands with all its options.
void add_measuring(CLI::App& app, options& opt, std::string& suite_name, char const* name,
                   char const* description) {
  auto* const command = app.add_subcommand(name, description);
  command->callback([&opt, name] { opt.operation = name; });
  command->add_option("--matrix", opt.matrices, "FILE.mtx or gallery:NAME[:ARGS], any number");
  bool const graph = is_graph(name);
  command
      ->add_option("--suite", suite_name,
                   "small, anchors (of the gallery) or graphs (R-MAT of growing size, a wide grid)")
      ->check(CLI::IsMember({"small", "anchors", "graphs"}));
  command
      ->add_option("--impl", opt.implementations,
                   graph ? "implementations, separated by commas (default: all)"
                         : "implementations, separated by commas (default: all but "
                           "araios_once, portable and reference)")
      ->delimiter(',');
  if (!graph)
    command
        ->add_option(
            "--schedule", opt.schedules,
            std::string(name) == "spgemm"
                ? "accumulators: automatic (default), hash, dense"
                : "automatic (default), loops, thread_mapped, warp_mapped[:LANES], block_mapped, "
                  "group_mapped[:SIZE], merge_path[:LANES:ITEMS], nonzero_split[:LANES:ITEMS]")
        ->delimiter(',');
  if (is_search(name))
    command
        ->add_option("--source", opt.source,
                     "vertex to start from (default: the one that most edges leave)")
        ->check(CLI::NonNegativeNumber);
  command
      ->add_option_function<std::string>(
          "--scalar", [&opt](std::string const& type) { opt.single_precision = type == "float"; },
          "double (default) or float")
      ->check(CLI::IsMember({"double", "float"}));
  if (std::string(name) == "spmm") {
    command->add_option("--columns", opt.columns, "columns of X (default 32)")
        ->check(CLI::Range(1, 65536));
    command
        ->add_option_function<std::string>(
            "--layout", [&opt](std::string const& layout) { opt.row_major = layout == "right"; },
            "layout of X and Y: left (default) or right")
        ->check(CLI::IsMember({"left", "right"}));
  }
  command->add_option("--repeat", opt.repeat, "repeats (default: half a second's worth, 5 to 50)")
      ->check(CLI::Range(1, 1'000'000));
  command
      ->add_option("--budget", opt.budget,
                   "seconds for each matrix and implementation (default 20)")
      ->check(CLI::PositiveNumber);
  command->add_option("--json", opt.json, "file to write the results to");
}

int measure(options& opt, std::string const& suite_name,
            std::vector<std::string> const& kokkos_arguments) {
  if (!suite_name.empty())
    for (auto const& source : suite(suite_name, opt.operation)) opt.matrices.push_back(source);
  if (opt.matrices.empty())
    throw input_error(opt.operation + ": give matrices with --matrix or --suite");
  return run(opt, kokkos_arguments);
}

int run_command_line(int argc, char** argv) {
  options opt;
  std::string suite_name;
  std::string info_source;
  std::vector<std::string> files;
  std::vector<std::string> kokkos_arguments{argv[0]};
  std::vector<std::string> own_arguments;
  for (int k = 1; k < argc; ++k) {
    std::string const argument = argv[k];
    opt.command_line += (k > 1 ? " " : "") + argument;
    (argument.starts_with("--kokkos-") ? kokkos_arguments : own_arguments).push_back(argument);
  }

  CLI::App app("Sparse products and graph algorithms: computed, verified and timed.",
               "araios-bench");
  app.set_version_flag("--version", "araios-bench " + std::string(araios::version()));
  app.require_subcommand(1);
  app.footer(footer);
  add_measuring(app, opt, suite_name, "spgemm", "C = A * A (A * A^T if A is not square)");
  add_measuring(app, opt, suite_name, "spmv", "y = A * x");
  add_measuring(app, opt, suite_name, "spmm", "Y = A * X with several columns");
  add_measuring(app, opt, suite_name, "bfs", "breadth-first search from one vertex");
  add_measuring(app, opt, suite_name, "sssp", "shortest paths from one vertex, weights |a(i, j)|");
  add_measuring(app, opt, suite_name, "components", "connected components");
  add_measuring(app, opt, suite_name, "pagerank", "20 iterations of PageRank");
  auto* const info_command =
      app.add_subcommand("info", "row lengths of a matrix and the cost of its square");
  info_command->add_option("matrix", info_source, "FILE.mtx or gallery:NAME[:ARGS]")->required();
  auto* const table_command = app.add_subcommand(
      "table", "results of several runs side by side, a column for each backend");
  table_command->add_option("files", files, "files written with --json")->required();

  try {
    std::ranges::reverse(own_arguments);  // CLI11 takes them from the back
    app.parse(own_arguments);
  } catch (CLI::ParseError const& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    throw input_error(std::string(error.what()) + " (araios-bench --help)");
  }
  if (*info_command) return info(info_source);
  if (*table_command) return print_side_by_side(files);
  return measure(opt, suite_name, kokkos_arguments);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run_command_line(argc, argv);
  } catch (input_error const& error) {
    std::cerr << "araios-bench: " << error.what() << std::endl;
    return bad_input;
  } catch (std::exception const& error) {
    std::cerr << "araios-bench: " << error.what() << std::endl;
    return 1;
  }
}
