// SPDX-License-Identifier: BSD-3-Clause
#include "matrices.hpp"

#include <algorithm>
#include <araios/gallery.hpp>
#include <araios/matrix_market.hpp>
#include <filesystem>
#include <limits>
#include <string_view>

#include "case.hpp"

namespace araios::bench {
namespace {

constexpr std::string_view gallery_prefix = "gallery:";

/// Power-law graphs of growing size, and a grid of 2 million vertices, far wider, as roads are.
constexpr std::string_view graph_suite[] = {"rmat:18:8", "rmat:19:8", "rmat:20:8",
                                            "rmat:21:8", "rmat:22:8", "laplace_2d_5pt:1414"};

bool is_gallery(std::string const& source) { return source.starts_with(gallery_prefix); }

void check_gallery_name(std::string_view spec) {
  auto const name = spec.substr(0, spec.find(':'));
  auto const has_name = [&](auto const& known) { return known.name == name; };
  if (std::ranges::any_of(gallery::anchor_suite(), has_name) ||
      std::ranges::any_of(gallery::families(), has_name))
    return;
  std::string known;
  for (auto const& family : gallery::families()) known.append(" ").append(family.name);
  for (auto const& anchor : gallery::anchor_suite()) known.append(" ").append(anchor.name);
  throw input_error("gallery:" + std::string(spec) + ": no such matrix; there are" + known);
}

}  // namespace

void check_source(std::string const& source) {
  if (is_gallery(source)) return check_gallery_name(source.substr(gallery_prefix.size()));
  if (!std::filesystem::exists(source))
    throw input_error(source + ": no such file (generated matrices are named gallery:NAME)");
  try {
    auto const header = read_matrix_market_header(source);
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    if (header.num_rows > most || header.num_cols > most)
      throw input_error(source + ": " + std::to_string(header.num_rows) + " x " +
                        std::to_string(header.num_cols) +
                        " is beyond the 32-bit indices of araios-bench");
    if (header.field == matrix_market_field::complex)
      throw input_error(source +
                        ": holds complex values, which araios-bench cannot use: it computes "
                        "with real scalars");
  } catch (matrix_market_error const& error) {
    throw input_error(error.what());
  }
}

host_crs<double> load(std::string const& source) {
  check_source(source);
  try {
    if (is_gallery(source)) return gallery::make(source.substr(gallery_prefix.size()));
    return to_host_crs(read_matrix_market<double>(source));
  } catch (std::exception const& error) {
    throw input_error(error.what());
  }
}

std::string name_of(std::string const& source) {
  if (is_gallery(source)) return source.substr(gallery_prefix.size());
  return std::filesystem::path(source).filename().string();
}

std::vector<std::string> suite(std::string const& name, std::string const& operation) {
  std::vector<std::string> sources;
  auto const add = [&](std::string_view spec) {
    sources.push_back(std::string(gallery_prefix) + std::string(spec));
  };
  if (name == "small")
    for (auto const spec : gallery::small_suite()) add(spec);
  else if (name == "graphs")
    for (auto const spec : graph_suite) add(spec);
  else
    for (auto const& anchor : gallery::anchor_suite())
      if (operation != "spgemm" || anchor.product_fits_32_bit()) add(anchor.name);
  return sources;
}

host_crs<double> transposed(host_crs<double> const& a) {
  host_crs<double> t;
  t.num_rows = a.num_cols;
  t.num_cols = a.num_rows;
  t.row_map.assign(static_cast<std::size_t>(t.num_rows) + 1, 0);
  t.entries.resize(a.entries.size());
  t.values.resize(a.values.size());
  for (auto const j : a.entries) ++t.row_map[static_cast<std::size_t>(j) + 1];
  for (std::size_t j = 1; j < t.row_map.size(); ++j) t.row_map[j] += t.row_map[j - 1];
  std::vector<std::int64_t> next(t.row_map.begin(), t.row_map.end() - 1);
  for (std::int64_t i = 0; i < a.num_rows; ++i)
    for (auto k = static_cast<std::size_t>(a.row_map[i]);
         k < static_cast<std::size_t>(a.row_map[i + 1]); ++k) {
      auto const slot = static_cast<std::size_t>(next[static_cast<std::size_t>(a.entries[k])]++);
      t.entries[slot] = i;
      t.values[slot] = a.values[k];
    }
  return t;
}

}  // namespace araios::bench
