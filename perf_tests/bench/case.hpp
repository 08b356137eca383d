// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include <araios/matrix/host.hpp>

/// The parts of `araios-bench`. Every family of implementations has a file of its own behind
/// `candidate`, so that no translation unit compiles more than one library's kernels.
namespace araios::bench {

/// A mistake in what the user asked for: one line on stderr and exit code 2.
struct input_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What the command line says.
struct options {
  std::string operation;                            ///< the name of the command
  std::vector<std::string> matrices;                ///< FILE or gallery:SPEC
  std::vector<std::string> implementations;         ///< empty: all not `on_request`
  std::vector<std::string> schedules{"automatic"};  ///< for the implementations of Araios
  bool single_precision = false;
  std::int64_t columns = 32;  ///< spmm: columns of X
  bool row_major = false;     ///< spmm: layout of X and Y
  std::int64_t source = -1;   ///< bfs and sssp; -1: the vertex that most edges leave
  int repeat = 0;             ///< 0: automatic
  double budget = 20.0;       ///< seconds for each matrix and implementation
  std::string json;           ///< file for the results, or empty
  std::string command_line;
};

/// Whether an operation goes from one vertex to others.
inline bool is_search(std::string const& operation) {
  return operation == "bfs" || operation == "sssp";
}
/// Whether it takes a matrix for a graph.
inline bool is_graph(std::string const& operation) {
  return is_search(operation) || operation == "components" || operation == "pagerank";
}

/// The operands of one case in host memory, already rounded to the scalar in use.
struct inputs {
  host_crs<double> a;
  std::optional<host_crs<double>> a_transposed;  ///< right operand of spgemm, if A is not square
  std::int64_t columns = 1;                      ///< columns of x
  std::vector<float> x;                          ///< a.num_cols * columns values, row by row
  bool single_precision = false;
  bool row_major = false;
  bool wide_offsets = false;  ///< the product has more entries than a 32-bit offset counts
  std::int64_t source = 0;    ///< of a search

  host_crs<double> const& b() const { return a_transposed ? *a_transposed : a; }
};

/// A sparse result, read piece by piece so that it may be larger than the memory left on the host.
struct sparse_result {
  std::vector<std::int64_t> row_map;
  /// Copies the entries begin .. end-1.
  std::function<void(std::int64_t begin, std::int64_t end, int* columns, double* values)> read;
};
using dense_result = std::vector<double>;  ///< row by row
/// The level (-1 if there is none), distance (or infinity), component or rank of each vertex.
struct vertex_result {
  std::vector<double> values;
};
using any_result = std::variant<sparse_result, dense_result, vertex_result>;

/// What `pagerank` measures: so many iterations, whether or not they converge.
inline constexpr int pagerank_iterations = 20;
inline constexpr double pagerank_damping = 0.85;

/// One implementation with its operands in place.
class candidate {
 public:
  virtual ~candidate() = default;
  /// What is done once for many runs, and not timed: plans, handles, buffers.
  virtual void prepare() {}
  /// Does the work `calls` times, one call queued right behind the other, and waits for the last.
  virtual void run(std::int64_t calls) = 0;
  /// Frees what the last run left, so that no run is charged for it.
  virtual void discard() {}
  virtual any_result result() const = 0;
  /// The schedule in use, where there is a choice.
  virtual std::string schedule() const { return {}; }
  /// Of A in a storage format of its own: bytes, and artificial zeros over entries.
  virtual std::optional<std::int64_t> matrix_bytes() const { return {}; }
  virtual std::optional<double> fill() const { return {}; }
};

/// How to make a candidate. `make` may throw: a library may not be able to do what is asked.
struct implementation {
  std::string name;      ///< as `--impl` knows it
  std::string schedule;  ///< as asked for; empty if the implementation has no choice
  std::function<std::unique_ptr<candidate>(inputs const&)> make;
  bool asked_for = false;  ///< left out unless `--impl` names it

  /// Left out unless `--impl` names it. `portable` is what `araios` runs as long as there is no
  /// specialised backend.
  bool on_request() const {
    return asked_for || name == "reference" || name == "portable" || name == "araios_once" ||
           name == "merge_path_by_hand" || name == "empty_kernel" || name == "stream";
  }
  bool is_ours() const { return name.starts_with("araios") || name == "portable"; }
};
using implementations = std::vector<implementation>;

/// The families. `schedules` are names of schedules (spmv, spmm) or accumulators (spgemm); unknown
/// ones are an input_error.
implementations araios_spgemm(std::vector<std::string> const& schedules);
implementations araios_spmv(std::vector<std::string> const& schedules);
implementations araios_spmm(std::vector<std::string> const& schedules);
/// y = A * x in other storage formats, and a conversion.
implementations araios_formats();
/// What SpMV is measured against besides other libraries: on CUDA a merge path written without the
/// abstraction and an empty kernel, everywhere the bandwidth of STREAM.
implementations cuda_spmv_yardsticks();
implementation stream_yardstick();
/// y = A * x by one host thread: the result of a yardstick that computes none.
dense_result host_product(inputs const& in);
implementations araios_graphs(std::string const& operation);
implementations reference_implementations(std::string const& operation);
implementations reference_graphs(std::string const& operation);
#ifdef ARAIOS_HAVE_KOKKOSKERNELS
implementations kokkoskernels_spgemm();
implementations kokkoskernels_spmv();
implementations kokkoskernels_spmm();
std::string kokkoskernels_version();
#endif
#ifdef ARAIOS_HAVE_CUSPARSE
implementations cusparse_implementations(std::string const& operation);
std::string cusparse_version();
#endif

/// Calls `f` with a value of the scalar type in use.
template <class F>
std::unique_ptr<candidate> with_scalar(inputs const& in, F const& f) {
  if (in.single_precision) return f(float{});
  return f(double{});
}

}  // namespace araios::bench
