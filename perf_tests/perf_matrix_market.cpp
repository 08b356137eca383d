// SPDX-License-Identifier: BSD-3-Clause
//
// Read speed of Matrix Market files: writes a random real general matrix to a temporary file, reads
// it back and reports MB/s on one core, beside Kokkos Kernels' reader where it is compiled in.
//
//   perf_matrix_market [SIZE_IN_MB]      (100 by default)
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <filesystem>
#include <random>
#include <string>

#include <araios/matrix_market.hpp>

#ifdef ARAIOS_HAVE_KOKKOSKERNELS
#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_IOUtils.hpp>
#include <Kokkos_Core.hpp>
#endif

namespace {

constexpr double bytes_per_mb = 1e6;

// Uniformly random places and values of 16 to 17 digits, the hardest kind to read.
araios::coordinate_matrix<double> random_matrix(std::int64_t entries) {
  constexpr std::int64_t size = 1000000;
  std::mt19937_64 random(42);
  std::uniform_int_distribution<std::int64_t> index(0, size - 1);
  std::uniform_real_distribution<double> value(-1, 1);
  araios::coordinate_matrix<double> a;
  a.num_rows = a.num_cols = size;
  for (std::int64_t k = 0; k < entries; ++k) {
    a.rows.push_back(index(random));
    a.cols.push_back(index(random));
    a.values.push_back(value(random));
  }
  return a;
}

struct run_time {
  double wall = 1e300;
  double cpu = 1e300;
};

// The shortest of several runs of `read`, in seconds.
template <class Read>
run_time shortest_time(int runs, Read const& read) {
  run_time shortest;
  for (int run = 0; run < runs; ++run) {
    using clock = std::chrono::steady_clock;
    auto const wall_start = clock::now();
    auto const cpu_start = std::clock();
    read();
    auto const cpu = static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC;
    auto const wall = std::chrono::duration<double>(clock::now() - wall_start).count();
    shortest = {std::min(shortest.wall, wall), std::min(shortest.cpu, cpu)};
  }
  return shortest;
}

void print_head() {
  std::printf("%-40s %8s %8s %8s %10s %9s\n", "", "wall s", "cpu s", "MB/s", "MB/s core",
              "relative");
}

// One row of the table. Others may use the core, too: its time in this process tells its speed.
void print_row(char const* what, double mb, run_time const& time, run_time const& baseline) {
  std::printf("%-40s %8.3f %8.3f %8.1f %10.1f %9.2f\n", what, time.wall, time.cpu, mb / time.wall,
              mb / time.cpu, baseline.wall / time.wall);
}

// A file that is removed at the end.
struct temporary_file {
  std::filesystem::path path;
  ~temporary_file() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
};

// Returns the number of entries that a reader lost or made up.
std::int64_t measure(double size_mb) {
  auto const entries = static_cast<std::int64_t>(size_mb * bytes_per_mb / 35);  // bytes a line
  temporary_file const file{
      std::filesystem::temp_directory_path() /
      ("araios_perf_matrix_market_" + std::to_string(std::random_device{}()) + ".mtx")};
  std::printf("writing %lld entries ...\n", static_cast<long long>(entries));
  auto const write_time = [&] {
    auto const a = random_matrix(entries);
    return shortest_time(1, [&] { araios::write_matrix_market(file.path, a); });
  }();
  auto const mb = static_cast<double>(std::filesystem::file_size(file.path)) / bytes_per_mb;

  std::int64_t wrong = 0;
  auto const read_time = shortest_time(
      5, [&] { wrong += std::abs(araios::read_matrix_market<double>(file.path).nnz() - entries); });
  auto const crs_time = shortest_time(3, [&] {
    auto const a = araios::to_host_crs(araios::read_matrix_market<double>(file.path));
    wrong += std::abs(a.nnz() - entries);
  });
  print_head();
  print_row("araios write_matrix_market", mb, write_time, read_time);
  print_row("araios read_matrix_market", mb, read_time, read_time);
  print_row("araios read_matrix_market, to_host_crs", mb, crs_time, read_time);

#ifdef ARAIOS_HAVE_KOKKOSKERNELS
  using crs_matrix =
      KokkosSparse::CrsMatrix<double, int, Kokkos::DefaultHostExecutionSpace, void, std::size_t>;
  auto const kernels_time = shortest_time(1, [&] {
    auto const a =
        KokkosSparse::Impl::read_kokkos_crst_matrix<crs_matrix>(file.path.string().c_str());
    wrong += std::abs(static_cast<std::int64_t>(a.nnz()) - entries);
  });
  print_row("Kokkos Kernels read_kokkos_crst_matrix", mb, kernels_time, read_time);
#endif
  std::printf("file of %.1f MB; %s\n", mb, wrong == 0 ? "all entries found" : "ENTRIES DIFFER");
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  auto const size_mb = argc > 1 ? std::atof(argv[1]) : 100.0;
  if (argc > 2 || !(size_mb > 0 && size_mb < 1e6)) {
    std::fprintf(stderr, "usage: perf_matrix_market [SIZE_IN_MB], above 0 and below 1e6\n");
    return 2;
  }
  try {
#ifdef ARAIOS_HAVE_KOKKOSKERNELS
    Kokkos::ScopeGuard const kokkos;
#endif
    return measure(size_mb) == 0 ? 0 : 1;
  } catch (std::exception const& error) {
    std::fprintf(stderr, "perf_matrix_market: %s\n", error.what());
    return 2;
  }
}
