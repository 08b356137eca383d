// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <initializer_list>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <araios/gallery.hpp>
#include <araios/matrix/host.hpp>

namespace araios::gallery {
namespace {

using std::int64_t;
using std::uint64_t;

// Bijective mixing of 64 bits (the finaliser of SplitMix64).
uint64_t mix(uint64_t z) {
  z += 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

std::string label(std::string_view function) {
  return "araios::gallery::" + std::string(function) + ": ";
}

void require(bool condition, std::string_view function, std::string_view argument,
             std::string const& value, std::string_view rule) {
  if (!condition)
    throw std::invalid_argument(label(function) + std::string(argument) + " = " + value + " must " +
                                std::string(rule));
}

struct size_argument {
  std::string_view name;
  int64_t value;
};

void require_sizes(std::string_view function, std::initializer_list<size_argument> sizes) {
  for (auto const& size : sizes)
    require(size.value >= 0, function, size.name, std::to_string(size.value), "not be negative");
}

// The product of factors >= 0, named `what` if it does not fit.
int64_t checked_product(std::string_view function, std::string_view what,
                        std::initializer_list<int64_t> factors) {
  if (std::ranges::find(factors, 0) != factors.end()) return 0;
  int64_t product = 1;
  for (auto const factor : factors) {
    if (product > std::numeric_limits<int64_t>::max() / factor) {
      std::string text;
      for (auto const f : factors) text.append(text.empty() ? "" : " * ").append(std::to_string(f));
      throw std::overflow_error(label(function) + "the number of " + std::string(what) + ", " +
                                text + ", does not fit 64 bits");
    }
    product *= factor;
  }
  return product;
}

template <class T>
void reserve(std::vector<T>& vector, uint64_t count, std::string_view function,
             std::string_view what) {
  try {
    vector.reserve(count);
  } catch (std::exception const&) {
    throw std::length_error(label(function) + "cannot allocate " + std::to_string(count) + " " +
                            std::string(what));
  }
}

// A square matrix under construction: entries are added in the order of rows and columns.
class builder {
 public:
  builder(std::string_view function, int64_t rows, int64_t max_entries) {
    reserve(a_.row_map, static_cast<uint64_t>(rows) + 1, function, "row offsets");
    reserve(a_.entries, static_cast<uint64_t>(max_entries), function, "entries");
    reserve(a_.values, static_cast<uint64_t>(max_entries), function, "values");
  }

  void add(int64_t col, double value) {
    a_.entries.push_back(col);
    a_.values.push_back(value);
  }

  void add(int64_t col) { add(col, value_at(row_, col)); }

  void end_row() {
    a_.row_map.push_back(a_.nnz());
    ++row_;
  }

  host_crs<double> finish() {
    a_.num_rows = a_.num_cols = row_;
    return std::move(a_);
  }

 private:
  host_crs<double> a_;
  int64_t row_ = 0;
};

enum class stencil { faces, box };  // neighbours across faces only, or all that touch

host_crs<double> grid(std::string_view function, stencil kind, int64_t nx, int64_t ny, int64_t nz,
                      int64_t dofs) {
  auto const reach = [](int64_t extent) { return std::min<int64_t>(extent, 3); };
  auto const width = kind == stencil::box ? reach(nx) * reach(ny) * reach(nz)
                                          : reach(nx) + reach(ny) + reach(nz) - 2;
  auto const rows = checked_product(function, "rows", {nx, ny, nz, dofs});
  auto const bound = rows == 0 ? 0 : checked_product(function, "entries", {rows, width, dofs});
  builder a(function, rows, bound);

  auto const add_neighbours = [&](int64_t x, int64_t y, int64_t z) {
    for (auto w = std::max<int64_t>(z - 1, 0); w <= std::min(z + 1, nz - 1); ++w)
      for (auto v = std::max<int64_t>(y - 1, 0); v <= std::min(y + 1, ny - 1); ++v)
        for (auto u = std::max<int64_t>(x - 1, 0); u <= std::min(x + 1, nx - 1); ++u) {
          if (kind == stencil::faces && (u != x) + (v != y) + (w != z) > 1) continue;
          auto const first = ((w * ny + v) * nx + u) * dofs;
          for (int64_t d = 0; d < dofs; ++d) a.add(first + d);
        }
  };
  if (rows == 0) return a.finish();  // do not walk over an extent when another one is 0
  for (int64_t z = 0; z < nz; ++z)
    for (int64_t y = 0; y < ny; ++y)
      for (int64_t x = 0; x < nx; ++x)
        for (int64_t d = 0; d < dofs; ++d) {
          add_neighbours(x, y, z);
          a.end_row();
        }
  return a.finish();
}

// The diagonals from -below to +above.
host_crs<double> band(std::string_view function, int64_t n, int64_t below, int64_t above) {
  require_sizes(function, {{"n", n}});
  builder a(function, n, checked_product(function, "entries", {n, below + 1 + above}));
  for (int64_t i = 0; i < n; ++i) {
    for (auto j = std::max<int64_t>(i - below, 0); j <= i + std::min(above, n - 1 - i); ++j)
      a.add(j);
    a.end_row();
  }
  return a.finish();
}

// The dense matrix with a_ij = of_distance(|i - j|).
template <class Function>
host_crs<double> decay(std::string_view function, int64_t n, Function of_distance) {
  auto const nnz = checked_product(function, "entries", {n, n});
  builder a(function, n, nnz);
  std::vector<double> values;  // by distance: n evaluations instead of n * n
  reserve(values, static_cast<uint64_t>(n), function, "values");
  for (int64_t d = 0; d < n; ++d) values.push_back(of_distance(static_cast<double>(d)));
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) a.add(j, values[static_cast<std::size_t>(std::abs(i - j))]);
    a.end_row();
  }
  return a.finish();
}

using edge = std::pair<int64_t, int64_t>;  // row, column

edge rmat_edge(int64_t scale, uint64_t stream) {
  edge e{0, 0};
  uint64_t bits = 0;
  for (int64_t level = 0; level < scale; ++level) {
    if (level % 4 == 0) bits = mix(stream + static_cast<uint64_t>(level) * 0x51ed270b9f3U);
    auto const r = bits & 0xffffU;  // 16 bits for each level
    bits >>= 16;
    // .57, .57 + .19 and .57 + .19 + .19 of 65536
    auto const quadrant = static_cast<int64_t>(r >= 37356) + (r >= 49807) + (r >= 62259);
    e.first = 2 * e.first + quadrant / 2;
    e.second = 2 * e.second + quadrant % 2;
  }
  return e;
}

}  // namespace

double value_at(int64_t row, int64_t col) {
  auto const key = (static_cast<uint64_t>(row) << 32) ^ static_cast<uint64_t>(col);
  return 0.5 + static_cast<double>(mix(key ^ 0xabcdef12345U) >> 11) * 0x1.0p-53;
}

host_crs<double> laplace_2d_5pt(int64_t nx, int64_t ny) {
  require_sizes("laplace_2d_5pt", {{"nx", nx}, {"ny", ny}});
  return grid("laplace_2d_5pt", stencil::faces, nx, ny, 1, 1);
}

host_crs<double> laplace_2d_9pt(int64_t nx, int64_t ny) {
  require_sizes("laplace_2d_9pt", {{"nx", nx}, {"ny", ny}});
  return grid("laplace_2d_9pt", stencil::box, nx, ny, 1, 1);
}

host_crs<double> laplace_3d_7pt(int64_t nx, int64_t ny, int64_t nz) {
  require_sizes("laplace_3d_7pt", {{"nx", nx}, {"ny", ny}, {"nz", nz}});
  return grid("laplace_3d_7pt", stencil::faces, nx, ny, nz, 1);
}

host_crs<double> laplace_3d_27pt(int64_t nx, int64_t ny, int64_t nz) {
  require_sizes("laplace_3d_27pt", {{"nx", nx}, {"ny", ny}, {"nz", nz}});
  return grid("laplace_3d_27pt", stencil::box, nx, ny, nz, 1);
}

host_crs<double> fem_2d(int64_t nx, int64_t ny, int64_t dofs) {
  require_sizes("fem_2d", {{"nx", nx}, {"ny", ny}, {"dofs", dofs}});
  return grid("fem_2d", stencil::box, nx, ny, 1, dofs);
}

host_crs<double> fem_3d(int64_t nx, int64_t ny, int64_t nz, int64_t dofs) {
  require_sizes("fem_3d", {{"nx", nx}, {"ny", ny}, {"nz", nz}, {"dofs", dofs}});
  return grid("fem_3d", stencil::box, nx, ny, nz, dofs);
}

host_crs<double> rmat(int64_t scale, int64_t edge_factor, uint64_t seed) {
  require(scale >= 0 && scale <= 62, "rmat", "scale", std::to_string(scale), "be in 0 .. 62");
  require_sizes("rmat", {{"edge_factor", edge_factor}});
  auto const rows = int64_t{1} << scale;
  auto const drawn = checked_product("rmat", "edges", {rows, edge_factor});

  std::vector<edge> edges;
  reserve(edges, static_cast<uint64_t>(drawn), "rmat", "edges");
  for (int64_t k = 0; k < drawn; ++k)
    edges.push_back(rmat_edge(scale, mix(seed + static_cast<uint64_t>(k))));
  std::ranges::sort(edges);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());

  builder a("rmat", rows, static_cast<int64_t>(edges.size()));
  auto next = edges.begin();
  for (int64_t i = 0; i < rows; ++i) {
    for (; next != edges.end() && next->first == i; ++next) a.add(next->second);
    a.end_row();
  }
  return a.finish();
}

host_crs<double> erdos_renyi(int64_t rows, int64_t per_row, uint64_t seed) {
  require_sizes("erdos_renyi", {{"rows", rows}, {"per_row", per_row}});
  builder a("erdos_renyi", rows, checked_product("erdos_renyi", "entries", {rows, per_row}));
  std::vector<int64_t> row;
  auto draw = seed;
  for (int64_t i = 0; i < rows; ++i) {
    row.clear();
    for (int64_t k = 0; k < per_row; ++k)
      row.push_back(static_cast<int64_t>(mix(draw++) % static_cast<uint64_t>(rows)));
    std::ranges::sort(row);
    row.erase(std::unique(row.begin(), row.end()), row.end());
    for (auto const j : row) a.add(j);
    a.end_row();
  }
  return a.finish();
}

host_crs<double> random_rows(int64_t rows, int64_t per_row, uint64_t seed) {
  require_sizes("random_rows", {{"rows", rows}, {"per_row", per_row}});
  require(rows == 0 || per_row <= rows, "random_rows", "per_row", std::to_string(per_row),
          "not exceed rows = " + std::to_string(rows) + ": the columns of a row are distinct");
  builder a("random_rows", rows, checked_product("random_rows", "entries", {rows, per_row}));
  // Each row draws from a stretch of its own, of 64 numbers or enough for longer rows.
  auto const stretch = 64 * (1 + static_cast<uint64_t>(per_row) / 33);
  std::vector<int64_t> row;
  std::vector<int64_t> last_row_with;  // by column; a draw that its row has already is dropped
  reserve(last_row_with, static_cast<uint64_t>(rows), "random_rows", "columns");
  last_row_with.assign(static_cast<std::size_t>(rows), -1);
  for (int64_t i = 0; i < rows; ++i) {
    row.clear();
    for (auto draw = seed + static_cast<uint64_t>(i) * stretch; std::ssize(row) < per_row; ++draw) {
      auto const j = mix(draw) % static_cast<uint64_t>(rows);
      if (std::exchange(last_row_with[j], i) != i) row.push_back(static_cast<int64_t>(j));
    }
    std::ranges::sort(row);
    for (auto const j : row) a.add(j);
    a.end_row();
  }
  return a.finish();
}

host_crs<double> qcd_lattice(int64_t lx, int64_t ly, int64_t lz, int64_t lt) {
  constexpr int64_t colours = 3;
  constexpr int64_t sites_per_row = 13;
  require_sizes("qcd_lattice", {{"lx", lx}, {"ly", ly}, {"lz", lz}, {"lt", lt}});
  auto const rows = checked_product("qcd_lattice", "rows", {lx, ly, lz, lt, colours});
  builder a("qcd_lattice", rows,
            checked_product("qcd_lattice", "entries", {rows, sites_per_row, colours}));

  std::array const extent{lx, ly, lz, lt};
  std::vector<int64_t> sites;
  for (int64_t site = 0; site < rows / colours; ++site) {
    sites.assign(1, site);
    int64_t stride = 1;
    for (auto const length : extent) {
      auto const x = site / stride % length;
      for (auto const step : {int64_t{1}, length - 1, int64_t{2}})
        sites.push_back(site + ((x + step) % length - x) * stride);
      stride *= length;
    }
    std::ranges::sort(sites);
    sites.erase(std::unique(sites.begin(), sites.end()), sites.end());
    for (int64_t row_colour = 0; row_colour < colours; ++row_colour) {
      for (auto const other : sites)
        for (int64_t colour = 0; colour < colours; ++colour) a.add(other * colours + colour);
      a.end_row();
    }
  }
  return a.finish();
}

host_crs<double> triangulated_grid(int64_t nx, int64_t ny, uint64_t seed) {
  require_sizes("triangulated_grid", {{"nx", nx}, {"ny", ny}});
  auto const rows = checked_product("triangulated_grid", "rows", {nx, ny});
  builder a("triangulated_grid", rows, checked_product("triangulated_grid", "entries", {rows, 8}));
  // The cell between points p and p + nx + 1 joins those two if falling(p), else p + 1 and p + nx.
  auto const falling = [seed](int64_t p) {
    return (mix(seed + static_cast<uint64_t>(p)) & 1) != 0;
  };
  for (int64_t p = 0; p < rows; ++p) {
    bool const left = p % nx > 0, right = p % nx + 1 < nx, up = p >= nx, down = p + nx < rows;
    if (up && left && falling(p - nx - 1)) a.add(p - nx - 1);
    if (up) a.add(p - nx);
    if (up && right && !falling(p - nx)) a.add(p - nx + 1);
    if (left) a.add(p - 1);
    if (right) a.add(p + 1);
    if (down && left && !falling(p - 1)) a.add(p + nx - 1);
    if (down) a.add(p + nx);
    if (down && right && falling(p)) a.add(p + nx + 1);
    a.end_row();
  }
  return a.finish();
}

host_crs<double> markov_grid(int64_t nx, int64_t ny) {
  require_sizes("markov_grid", {{"nx", nx}, {"ny", ny}});
  auto const rows = checked_product("markov_grid", "rows", {nx, ny});
  builder a("markov_grid", rows, checked_product("markov_grid", "entries", {rows, 4}));
  for (int64_t p = 0; p < rows; ++p) {
    if (p >= nx && p % nx > 0) a.add(p - nx - 1);
    a.add(p);
    if (p % nx + 1 < nx) a.add(p + 1);
    if (p + nx < rows) a.add(p + nx);
    a.end_row();
  }
  return a.finish();
}

host_crs<double> diagonal(int64_t n) { return band("diagonal", n, 0, 0); }

host_crs<double> bidiagonal(int64_t n) { return band("bidiagonal", n, 0, 1); }

host_crs<double> tridiagonal(int64_t n) { return band("tridiagonal", n, 1, 1); }

host_crs<double> arrow(int64_t n) {
  require_sizes("arrow", {{"n", n}});
  builder a("arrow", n, checked_product("arrow", "entries", {n, 3}));
  for (int64_t i = 0; i < n; ++i) {
    a.add(0);
    if (i == 0)
      for (int64_t j = 1; j < n; ++j) a.add(j);
    else
      a.add(i);
    a.end_row();
  }
  return a.finish();
}

host_crs<double> dense_row(int64_t n) {
  require_sizes("dense_row", {{"n", n}});
  builder a("dense_row", n, checked_product("dense_row", "entries", {n, 2}));
  for (int64_t i = 0; i < n; ++i) {
    if (i == n / 2)
      for (int64_t j = 0; j < n; ++j) a.add(j);
    else
      a.add(i);
    a.end_row();
  }
  return a.finish();
}

host_crs<double> exponential_decay(int64_t n, double scale, double base) {
  constexpr auto function = "exponential_decay";
  require_sizes(function, {{"n", n}});
  require(std::isfinite(scale), function, "scale", std::to_string(scale), "be finite");
  require(base > 0 && base < 1, function, "base", std::to_string(base), "be between 0 and 1");
  return decay(function, n, [=](double distance) { return scale * std::pow(base, distance); });
}

host_crs<double> algebraic_decay(int64_t n, double scale, double power) {
  constexpr auto function = "algebraic_decay";
  require_sizes(function, {{"n", n}});
  require(std::isfinite(scale), function, "scale", std::to_string(scale), "be finite");
  require(power > 0 && std::isfinite(power), function, "power", std::to_string(power),
          "be positive and finite");
  return decay(function, n,
               [=](double distance) { return scale / (std::pow(distance, power) + 1); });
}

namespace {

// The arguments of a spec `NAME:ARG:ARG...`, as numbers on request.
class arguments {
 public:
  explicit arguments(std::string_view spec) : spec_(spec) {
    auto colon = spec.find(':');
    name_ = spec.substr(0, colon);
    while (colon != std::string_view::npos) {
      spec.remove_prefix(colon + 1);
      colon = spec.find(':');
      texts_.push_back(spec.substr(0, colon));
    }
  }

  std::string_view name() const { return name_; }
  std::size_t size() const { return texts_.size(); }

  int64_t integer(std::size_t k) const { return number<int64_t>(k, "an integer"); }
  uint64_t seed(std::size_t k) const {
    return k < size() ? number<uint64_t>(k, "an integer >= 0") : default_seed;
  }
  double real(std::size_t k) const { return number<double>(k, "a number"); }

  // Extent d of a grid, from `count` arguments: the only one stands for all.
  int64_t extent(std::size_t d, std::size_t count) const { return integer(count == 1 ? 0 : d); }

  [[noreturn]] void fail(std::string const& text) const {
    throw std::invalid_argument(label("make") + "'" + std::string(spec_) + "': " + text);
  }

 private:
  template <class Number>
  Number number(std::size_t k, std::string_view kind) const {
    auto const text = texts_[k];
    Number value{};
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    auto const argument = "argument " + std::to_string(k + 1) + ", '" + std::string(text) + "', ";
    if (error == std::errc::invalid_argument || end != text.data() + text.size())
      fail(argument + "is not " + std::string(kind));
    if (error == std::errc::result_out_of_range) fail(argument + "is out of range of 64 bits");
    return value;
  }

  std::string_view spec_;
  std::string_view name_;
  std::vector<std::string_view> texts_;
};

struct maker {
  family info;
  std::vector<std::size_t> counts;  // how many arguments there may be
  host_crs<double> (*make)(arguments const&);
};

std::vector<maker> const& makers() {
  using args = arguments const&;
  static std::vector<maker> const all = {
      {{"laplace_2d_5pt", "laplace_2d_5pt:NX[:NY]", "5-point stencil on a 2D grid"},
       {1, 2},
       [](args a) { return laplace_2d_5pt(a.integer(0), a.extent(1, a.size())); }},
      {{"laplace_2d_9pt", "laplace_2d_9pt:NX[:NY]", "9-point stencil on a 2D grid"},
       {1, 2},
       [](args a) { return laplace_2d_9pt(a.integer(0), a.extent(1, a.size())); }},
      {{"laplace_3d_7pt", "laplace_3d_7pt:NX[:NY:NZ]", "7-point stencil on a 3D grid"},
       {1, 3},
       [](args a) {
         return laplace_3d_7pt(a.integer(0), a.extent(1, a.size()), a.extent(2, a.size()));
       }},
      {{"laplace_3d_27pt", "laplace_3d_27pt:NX[:NY:NZ]", "27-point stencil on a 3D grid"},
       {1, 3},
       [](args a) {
         return laplace_3d_27pt(a.integer(0), a.extent(1, a.size()), a.extent(2, a.size()));
       }},
      {{"fem_2d", "fem_2d:NX[:NY]:DOFS", "2D finite elements, dense DOFS x DOFS blocks"},
       {2, 3},
       [](args a) {
         auto const extents = a.size() - 1;
         return fem_2d(a.integer(0), a.extent(1, extents), a.integer(extents));
       }},
      {{"fem_3d", "fem_3d:NX[:NY:NZ]:DOFS", "3D finite elements, dense DOFS x DOFS blocks"},
       {2, 4},
       [](args a) {
         auto const extents = a.size() - 1;
         return fem_3d(a.integer(0), a.extent(1, extents), a.extent(2, extents),
                       a.integer(extents));
       }},
      {{"rmat", "rmat:SCALE:EDGE_FACTOR[:SEED]", "R-MAT graph, 2^SCALE rows, skewed row lengths"},
       {2, 3},
       [](args a) { return rmat(a.integer(0), a.integer(1), a.seed(2)); }},
      {{"erdos_renyi", "erdos_renyi:ROWS:PER_ROW[:SEED]", "random columns, duplicates merged"},
       {2, 3},
       [](args a) { return erdos_renyi(a.integer(0), a.integer(1), a.seed(2)); }},
      {{"random_rows", "random_rows:ROWS:PER_ROW[:SEED]", "PER_ROW distinct random columns"},
       {2, 3},
       [](args a) { return random_rows(a.integer(0), a.integer(1), a.seed(2)); }},
      {{"qcd_lattice", "qcd_lattice:LX[:LY:LZ:LT]", "periodic 4D lattice, 39 per row"},
       {1, 4},
       [](args a) {
         return qcd_lattice(a.integer(0), a.extent(1, a.size()), a.extent(2, a.size()),
                            a.extent(3, a.size()));
       }},
      {{"triangulated_grid", "triangulated_grid:NX[:NY[:SEED]]", "planar triangulation"},
       {1, 2, 3},
       [](args a) { return triangulated_grid(a.integer(0), a.extent(1, a.size()), a.seed(2)); }},
      {{"markov_grid", "markov_grid:NX[:NY]", "Markov chain on a 2D grid, 4 per row"},
       {1, 2},
       [](args a) { return markov_grid(a.integer(0), a.extent(1, a.size())); }},
      {{"diagonal", "diagonal:N", "the diagonal"},
       {1},
       [](args a) { return diagonal(a.integer(0)); }},
      {{"bidiagonal", "bidiagonal:N", "the diagonal and superdiagonal"},
       {1},
       [](args a) { return bidiagonal(a.integer(0)); }},
      {{"tridiagonal", "tridiagonal:N", "the diagonal and both its neighbours"},
       {1},
       [](args a) { return tridiagonal(a.integer(0)); }},
      {{"arrow", "arrow:N", "the diagonal, first row and first column"},
       {1},
       [](args a) { return arrow(a.integer(0)); }},
      {{"dense_row", "dense_row:N", "the diagonal and one full row"},
       {1},
       [](args a) { return dense_row(a.integer(0)); }},
      {{"exponential_decay", "exponential_decay:N[:SCALE:BASE]", "dense, SCALE * BASE^|i-j|"},
       {1, 3},
       [](args a) {
         return a.size() == 1 ? exponential_decay(a.integer(0))
                              : exponential_decay(a.integer(0), a.real(1), a.real(2));
       }},
      {{"algebraic_decay", "algebraic_decay:N[:SCALE:POWER]", "dense, SCALE / (|i-j|^POWER + 1)"},
       {1, 3},
       [](args a) {
         return a.size() == 1 ? algebraic_decay(a.integer(0))
                              : algebraic_decay(a.integer(0), a.real(1), a.real(2));
       }},
  };
  return all;
}

constexpr anchor anchors[] = {
    // name, spec, description, rows, nnz, products and nnz of A * A
    {"lap3d27_80", "laplace_3d_27pt:80", "27-point 3D Laplacian, 80^3",  //
     512000, 13481272, 357911000, 61162984},
    {"lap3d7_100", "laplace_3d_7pt:100", "7-point 3D Laplacian, 100^3",  //
     1000000, 6940000, 48222400, 24581200},
    {"fem3_cantlike", "fem_3d:20:20:52:3", "banded FEM, 3 x 3 blocks, about 75 per row (like cant)",
     62400, 4662504, 357377400, 20199096},
    {"rmat18_ef8", "rmat:18:8:1818", "R-MAT, scale 18, edge factor 8",  //
     262144, 2017736, 867058165, 495871671},
    {"qcd_49152", "qcd_lattice:8:8:16:16", "4D lattice, 39 per row (like conf5)",  //
     49152, 1916928, 74760192, 11649024},
    {"er20_4", "erdos_renyi:1048576:4:2020", "Erdos-Renyi, 2^20 rows, 4 per row",  //
     1048576, 4194295, 16777142, 16777040},
    {"fem6_pwtklike", "fem_2d:150:240:6", "banded FEM, 6 x 6 blocks, about 54 per row (like pwtk)",
     216000, 11579904, 622296000, 31980096},
    {"trigrid_4m", "triangulated_grid:2000:2000:77", "triangulated planar grid (like delaunay_n22)",
     4000000, 23984002, 147836548, 79916526},
    {"lap2d5_1500", "laplace_2d_5pt:1500", "5-point 2D Laplacian, 1500^2",  //
     2250000, 11244000, 56196008, 29220004},
    {"mc2depi_like", "markov_grid:1025:513", "2D Markov grid, 4 per row (like mc2depi)",  //
     525825, 2100225, 8391680, 5245952},
    {"m133b3_like", "random_rows:200200:4:133", "4 distinct random columns per row (like m133-b3)",
     200200, 800800, 3203200, 3203095},
    {"rmat20_ef3", "rmat:20:3:2003", "R-MAT, scale 20, edge factor 3",  //
     1048576, 3108590, 965238503, 745699142},
    {"denserow_100k", "dense_row:100000", "diagonal plus one dense row",  //
     100000, 199999, 299998, 199999},
    {"tiny_1000", "random_rows:1000:8:9", "1000 rows, 8 per row",  //
     1000, 8000, 64000, 62294},
    {"rmat18_ef16", "rmat:18:16:1816", "R-MAT, scale 18, edge factor 16",  //
     262144, 3940153, 2932589973, 1277072390},
    {"rmat20_ef8", "rmat:20:8:2008", "R-MAT, scale 20, edge factor 8; A * A needs 64-bit offsets",
     1048576, 8175315, 5998188877, 3582037892},
};

constexpr std::string_view small_specs[] = {
    "laplace_2d_5pt:300",  "laplace_2d_9pt:200",    "laplace_3d_7pt:40",
    "laplace_3d_27pt:20",  "fem_2d:20:6",           "fem_3d:8:3",
    "rmat:12:8",           "erdos_renyi:65536:4",   "random_rows:50000:8",
    "qcd_lattice:4:4:8:8", "triangulated_grid:300", "markov_grid:300",
    "diagonal:100000",     "bidiagonal:100000",     "tridiagonal:100000",
    "arrow:2000",          "dense_row:100000",      "exponential_decay:200",
    "algebraic_decay:200",
};

}  // namespace

std::span<anchor const> anchor_suite() { return anchors; }

std::span<family const> families() {
  static std::vector<family> const all = [] {
    std::vector<family> infos;
    for (auto const& maker : makers()) infos.push_back(maker.info);
    return infos;
  }();
  return all;
}

std::span<std::string_view const> small_suite() { return small_specs; }

host_crs<double> make(std::string_view spec) {
  arguments const args(spec);

  auto const known = std::ranges::find(anchors, args.name(), &anchor::name);
  if (known != std::ranges::end(anchors)) {
    if (args.size() > 0) args.fail("a matrix with a name of its own takes no arguments");
    return make(known->spec);
  }

  for (auto const& maker : makers()) {
    if (maker.info.name != args.name()) continue;
    if (std::ranges::find(maker.counts, args.size()) == maker.counts.end())
      args.fail("wrong number of arguments (" + std::to_string(args.size()) +
                "), usage: " + std::string(maker.info.usage));
    return maker.make(args);
  }

  std::string text = "no such matrix; known are";
  for (auto const& anchor : anchors) text.append(" ").append(anchor.name);
  for (auto const& maker : makers()) text.append(" ").append(maker.info.usage);
  args.fail(text);
}

}  // namespace araios::gallery
