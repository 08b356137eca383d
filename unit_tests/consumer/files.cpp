// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <araios/config.hpp>
#include <araios/gallery.hpp>
#include <araios/matrix/host.hpp>
#include <araios/matrix_market.hpp>
#include <araios/version.hpp>
#include <complex>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "checks.hpp"

namespace consumer {

using araios::coordinate_matrix;
using araios::host_crs;
using indices = std::vector<std::int64_t>;

void version() {
  auto const numbers = std::to_string(ARAIOS_VERSION_MAJOR) + "." +
                       std::to_string(ARAIOS_VERSION_MINOR) + "." +
                       std::to_string(ARAIOS_VERSION_PATCH);
  expect(araios::version() == numbers, "version: numbers of the headers");
  expect(araios::version() == ARAIOS_VERSION_STRING, "version: text of the headers");
}

bool same(host_crs<double> const& a, host_crs<double> const& b) {
  return a.num_rows == b.num_rows && a.num_cols == b.num_cols && a.row_map == b.row_map &&
         a.entries == b.entries && a.values == b.values;
}

void gallery_sizes() {
  namespace g = araios::gallery;
  struct {
    char const* name;
    host_crs<double> a;
    std::int64_t rows, nnz;
  } const all[] = {
      {"laplace_2d_5pt", g::laplace_2d_5pt(3, 2), 6, 6 + 2 * 7},
      {"laplace_2d_9pt", g::laplace_2d_9pt(3, 2), 6, 7 * 4},
      {"laplace_3d_7pt", g::laplace_3d_7pt(2, 2, 2), 8, 8 + 2 * 12},
      {"laplace_3d_27pt", g::laplace_3d_27pt(2, 2, 2), 8, 8 * 8},
      {"fem_2d", g::fem_2d(2, 2, 3), 12, 12 * 12},
      {"fem_3d", g::fem_3d(2, 1, 1, 2), 4, 4 * 4},
      {"random_rows", g::random_rows(8, 3), 8, 8 * 3},
      {"qcd_lattice", g::qcd_lattice(4, 1, 1, 1), 12, 12 * 12},
      {"triangulated_grid", g::triangulated_grid(3, 2), 6, 2 * 9},
      {"markov_grid", g::markov_grid(3, 2), 6, 6 + 4 + 3 + 2},
      {"diagonal", g::diagonal(4), 4, 4},
      {"bidiagonal", g::bidiagonal(4), 4, 4 + 3},
      {"tridiagonal", g::tridiagonal(4), 4, 4 + 3 + 3},
      {"arrow", g::arrow(4), 4, 4 + 3 + 3},
      {"dense_row", g::dense_row(4), 4, 4 + 3},
      {"exponential_decay", g::exponential_decay(3), 3, 9},
      {"algebraic_decay", g::algebraic_decay(3), 3, 9},
  };
  for (auto const& [name, a, rows, nnz] : all)
    expect(a.num_rows == rows && a.num_cols == rows && a.nnz() == nnz, name);
}

void gallery() {
  namespace g = araios::gallery;
  gallery_sizes();
  auto const graph = g::rmat(3, 2);
  expect(graph.num_rows == 8 && graph.nnz() > 0 && graph.nnz() <= 16, "rmat");
  expect(same(graph, g::rmat(3, 2, g::default_seed)), "rmat: the default seed");
  auto const random = g::erdos_renyi(8, 3);
  expect(random.num_rows == 8 && random.nnz() >= 8 && random.nnz() <= 24, "erdos_renyi");

  expect(g::diagonal(3).values[2] == g::value_at(2, 2), "value_at");
  auto const halves = g::exponential_decay(3, 2.0, 0.5);
  expect(halves.values[0] == 2.0 && halves.values[1] == 1.0, "exponential_decay: values");
  auto const slow = g::algebraic_decay(3, 2.0, 1.0);
  expect(slow.values[0] == 2.0 && slow.values[1] == 1.0, "algebraic_decay: values");

  expect(g::families().size() == g::small_suite().size(), "one small matrix of each family");
  expect(same(g::make("laplace_2d_5pt:3:2"), g::laplace_2d_5pt(3, 2)), "make: a family");
  expect(throws<std::invalid_argument>([] { g::make("no_such_family:3"); }), "make: no family");
  auto const anchors = g::anchor_suite();
  auto const tiny = std::find_if(anchors.begin(), anchors.end(),
                                 [](g::anchor const& a) { return a.name == "tiny_1000"; });
  expect(tiny != anchors.end() && tiny->nnz == 8000 && tiny->product_fits_32_bit(), "anchors");
  expect(g::make("tiny_1000").nnz() == 8000, "make: an anchor");
  g::family const& first = g::families().front();
  expect(first.usage.starts_with(first.name), "families: usage");
}

void host_matrices() {
  coordinate_matrix<double> const list{2, 3, {1, 0, 1}, {2, 1, 0}, {5, 6, 7}};
  expect(list.nnz() == 3, "coordinate_matrix::nnz");
  auto const a = araios::to_host_crs(list);  // rows sorted by column
  expect(same(a, {2, 3, {0, 1, 3}, {1, 0, 2}, {6, 7, 5}}), "to_host_crs of coordinates");
  expect(a.nnz() == 3 && host_crs<float>{}.nnz() == 0, "host_crs::nnz");
}

/// A file of this name that no other process uses; gone with it.
struct temporary_file {
  std::filesystem::path path;

  explicit temporary_file(std::string const& name)
      : path(std::filesystem::temp_directory_path() /
             ("araios_consumer_" + std::to_string(std::random_device{}()) + name)) {}
  temporary_file(temporary_file const&) = delete;
  temporary_file& operator=(temporary_file const&) = delete;
  ~temporary_file() { std::filesystem::remove(path); }
};

constexpr std::string_view symmetric =
    "%%MatrixMarket matrix coordinate real symmetric\n% a comment\n2 2 2\n1 1 2\n2 1 3\n";

void matrix_market_headers() {
  auto const header = araios::parse_matrix_market_header(symmetric, "text");
  expect(header.object == araios::matrix_market_object::matrix &&
             header.format == araios::matrix_market_format::coordinate &&
             header.field == araios::matrix_market_field::real &&
             header.symmetry == araios::matrix_market_symmetry::symmetric,
         "parse_matrix_market_header: banner");
  expect(header.num_rows == 2 && header.num_cols == 2 && header.entries == 2,
         "parse_matrix_market_header: sizes");

  temporary_file const file(".mtx");
  std::ofstream(file.path) << symmetric;
  araios::matrix_market_header const read = araios::read_matrix_market_header(file.path);
  expect(read.entries == 2, "read_matrix_market_header");
}

void matrix_market_errors() {
  try {
    araios::parse_matrix_market<int>("%%MatrixMarket matrix array integer general\n1 1\nx\n",
                                     "broken");
    expect(false, "parse_matrix_market: a letter as a number");
  } catch (araios::matrix_market_error const& error) {
    expect(error.path() == "broken" && error.line() == 3, "matrix_market_error");
  }
}

template <class Value>
bool reads_symmetric_as(std::vector<Value> const& values) {
  auto const a = araios::parse_matrix_market<Value>(symmetric, "text");
  return a.num_rows == 2 && a.num_cols == 2 && a.rows == indices{0, 1, 0} &&
         a.cols == indices{0, 0, 1} && a.values == values;
}

template <class Matrix>
std::string written(Matrix const& a, araios::matrix_market_options const& options = {}) {
  std::ostringstream out;
  araios::write_matrix_market(out, a, options);
  return out.str();
}

void matrix_market() {
  matrix_market_headers();
  matrix_market_errors();
  expect(reads_symmetric_as<double>({2, 3, 3}), "parse_matrix_market: double");
  expect(reads_symmetric_as<float>({2, 3, 3}), "parse_matrix_market: float");
  expect(reads_symmetric_as<std::complex<double>>({2, 3, 3}), "parse_matrix_market: complex");

  auto const list = araios::parse_matrix_market<double>(symmetric, "text");
  auto const a = araios::to_host_crs(list);
  expect(
      written(list, {.symmetry = araios::matrix_market_symmetry::symmetric, .comment = "a comment"})
          .ends_with("2 2 2\n1 1 2\n2 1 3\n"),
      "write_matrix_market: the lower triangle");
  expect(written(a, {.format = araios::matrix_market_format::array}).ends_with("2 2\n2\n3\n3\n0\n"),
         "write_matrix_market: array");
  expect(
      written(host_crs<int>{1, 2, {0, 1}, {1}, {1}}, {.pattern = true}).ends_with("1 2 1\n1 2\n"),
      "write_matrix_market: pattern");

  temporary_file const file(".mtx");
  araios::write_matrix_market(file.path, list);
  expect(araios::read_matrix_market<double>(file.path).values == list.values,
         "a list of entries, written to a file and read");
  araios::write_matrix_market(file.path, a);
  expect(same(araios::to_host_crs(araios::read_matrix_market<double>(file.path)), a),
         "rows, written to a file and read");
}

/// A 1 x 1 matrix, 7, packed with gzip.
constexpr unsigned char packed[] = {
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x53, 0x55, 0xf5, 0x4d, 0x2c,
    0x29, 0xca, 0xac, 0xf0, 0x4d, 0x2c, 0xca, 0x4e, 0x2d, 0x51, 0xc8, 0x05, 0x73, 0x14, 0x92,
    0xf3, 0xf3, 0x8b, 0x52, 0x32, 0xf3, 0x12, 0x4b, 0x52, 0x15, 0x32, 0xf3, 0x4a, 0x52, 0xd3,
    0x53, 0x8b, 0x14, 0xd2, 0x53, 0xf3, 0x52, 0x8b, 0x12, 0x73, 0xb8, 0x0c, 0x15, 0x80, 0x10,
    0x4c, 0x9a, 0x73, 0x01, 0x00, 0xb2, 0x27, 0x71, 0x2b, 0x3d, 0x00, 0x00, 0x00};

/// Unpacked if the library has zlib, else refused as what it is.
void compressed_files() {
  temporary_file const file(".mtx.gz");
  std::ofstream(file.path, std::ios::binary)
      .write(reinterpret_cast<char const*>(packed), sizeof(packed));
  try {
    auto const a = araios::read_matrix_market<int>(file.path);
    expect(a.num_rows == 1 && a.num_cols == 1 && a.values == std::vector{7}, "a .gz file");
  } catch (araios::matrix_market_error const& error) {
    expect(std::string_view(error.what()).find("has no zlib") != std::string_view::npos,
           "a .gz file without zlib");
  }
  expect(throws<std::invalid_argument>(
             [&] { araios::write_matrix_market(file.path, host_crs<double>{}); }),
         "writing a .gz file is refused");
}

}  // namespace consumer
