// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "case.hpp"

namespace araios::bench {

/// One line of the table and one element of "results" in the JSON file.
struct result {
  std::string operation, matrix;
  std::int64_t rows = 0, cols = 0, nnz = 0;
  std::string implementation;
  std::string schedule_asked;  ///< empty if the implementation has no choice
  std::string schedule;        ///< in use
  std::string scalar, index;
  std::int64_t columns = 1;
  bool ours = false;

  bool verified = false;
  std::string verification;  ///< how it was verified, or what is wrong

  // What follows is absent if the implementation failed.
  std::optional<double> median, spread, gflops, gbs;
  std::optional<double> ratio;  ///< to the baseline; absent if that failed
  std::string baseline;
  int repeats = 0;
  std::optional<std::int64_t> extra_bytes;
  std::optional<std::int64_t> matrix_bytes;          ///< of A in a storage format of its own
  std::optional<double> fill;                        ///< its artificial zeros over entries
  std::optional<std::int64_t> products, result_nnz;  ///< of spgemm
  std::optional<double> mteps;  ///< of graph algorithms: millions of `edges` per second
  std::optional<std::int64_t> edges;
  std::optional<std::int64_t> source, reached;  ///< of bfs and sssp: vertices
};

/// `implementation`, with the schedule in brackets where one was chosen by name or by the library.
std::string label(result const& r);

/// Prints the table piece by piece. Its columns are wide enough for the names given.
class table {
 public:
  table(std::vector<std::string> const& matrices, implementations const& all);
  void print_header(options const& opt, std::string const& baseline) const;
  void print(result const& r) const;

 private:
  int matrix_width_, implementation_width_;
};

/// Throws input_error if the file cannot be written to. Creates it if it is not there.
void check_writable(std::string const& path);

/// Writes the results of one run with the description of where they come from.
void write_json(std::string const& path, options const& opt, std::vector<result> const& results);

/// `araios-bench table`: the results of several runs side by side, one column for each backend.
/// Returns the exit code: 1 unless every result of Araios was verified.
int print_side_by_side(std::vector<std::string> const& files);

}  // namespace araios::bench
