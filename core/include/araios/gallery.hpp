// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include <araios/matrix/host.hpp>

/// Generated square matrices for tests, benchmarks and first steps.
///
/// Every function returns the same matrix, bit for bit, on every platform and for every number of
/// threads: patterns and values come from integer arithmetic on row, column and seed. Only the two
/// decay families use the mathematical library, so their values may differ in the last place.
///
/// Within each row columns ascend and are distinct. Except for the decay families, the entry (i, j)
/// holds `value_at(i, j)`: the families are named after the matrices whose *pattern* they have.
/// Pseudo-random values show an indexing error in a product which constant coefficients would hide.
///
/// Sizes may be zero, which gives a 0 x 0 matrix. Every family throws
///   std::invalid_argument  for a negative size or an argument outside its range,
///   std::overflow_error    for a number of rows or entries that does not fit 64 bits,
///   std::length_error      for a matrix which cannot be allocated,
/// the first two before anything is allocated.
namespace araios::gallery {

inline constexpr std::uint64_t default_seed = 1;

/// The value of entry (row, col): pseudo-random, in [0.5, 1.5). Different entries have independent
/// values as long as both indices are below 2^32.
double value_at(std::int64_t row, std::int64_t col);

/// 5- and 9-point stencils on a grid of nx * ny points; point (x, y) is row y * nx + x.
host_crs<double> laplace_2d_5pt(std::int64_t nx, std::int64_t ny);
host_crs<double> laplace_2d_9pt(std::int64_t nx, std::int64_t ny);

/// 7- and 27-point stencils on a grid of nx * ny * nz points; (x, y, z) is row
/// (z * ny + y) * nx + x.
host_crs<double> laplace_3d_7pt(std::int64_t nx, std::int64_t ny, std::int64_t nz);
host_crs<double> laplace_3d_27pt(std::int64_t nx, std::int64_t ny, std::int64_t nz);

/// Finite elements on a mesh of quadrilaterals or hexahedra with nx * ny (* nz) nodes and `dofs`
/// unknowns per node: the 9- or 27-point stencil with each entry a dense dofs x dofs block.
host_crs<double> fem_2d(std::int64_t nx, std::int64_t ny, std::int64_t dofs);
host_crs<double> fem_3d(std::int64_t nx, std::int64_t ny, std::int64_t nz, std::int64_t dofs);

/// R-MAT graph with 2^scale vertices and edge_factor * 2^scale edges, drawn with the probabilities
/// .57, .19, .19 and .05. Duplicates are merged; vertices are not scrambled, so the heavy rows and
/// columns come first. 0 <= scale <= 62. Work space: 16 bytes per edge drawn.
host_crs<double> rmat(std::int64_t scale, std::int64_t edge_factor,
                      std::uint64_t seed = default_seed);

/// `per_row` columns drawn for each row, duplicates merged: at most per_row entries in a row.
host_crs<double> erdos_renyi(std::int64_t rows, std::int64_t per_row,
                             std::uint64_t seed = default_seed);

/// Exactly `per_row` random distinct columns in each row; per_row <= rows unless rows is 0.
host_crs<double> random_rows(std::int64_t rows, std::int64_t per_row,
                             std::uint64_t seed = default_seed);

/// Periodic 4D lattice with 3 unknowns (colours) per site. A site is coupled with itself and, along
/// each axis, with the sites at distance +1, -1 and +2: 39 entries per row, fewer where an axis is
/// shorter than 4 and neighbours coincide. The first axis runs fastest.
host_crs<double> qcd_lattice(std::int64_t lx, std::int64_t ly, std::int64_t lz, std::int64_t lt);

/// Adjacency matrix of a planar triangulation: a grid of nx * ny points in which each cell is cut
/// by one of its two diagonals, picked at random. Symmetric pattern without diagonal.
host_crs<double> triangulated_grid(std::int64_t nx, std::int64_t ny,
                                   std::uint64_t seed = default_seed);

/// Markov chain on a grid of nx * ny states: from (x, y) to itself, (x + 1, y), (x, y + 1) and
/// (x - 1, y - 1), where those exist.
host_crs<double> markov_grid(std::int64_t nx, std::int64_t ny);

/// The diagonal alone; with the superdiagonal; with both neighbouring diagonals.
host_crs<double> diagonal(std::int64_t n);
host_crs<double> bidiagonal(std::int64_t n);
host_crs<double> tridiagonal(std::int64_t n);

/// The diagonal, the first row and the first column. A * A is dense.
host_crs<double> arrow(std::int64_t n);

/// The diagonal, and row n / 2 (rounded down) full.
host_crs<double> dense_row(std::int64_t n);

/// Dense: a_ij = scale * base^|i - j|, with 0 < base < 1. All n * n entries are stored, also those
/// that underflow to zero.
host_crs<double> exponential_decay(std::int64_t n, double scale = 1.0, double base = 0.9);

/// Dense: a_ij = scale / (|i - j|^power + 1), with power > 0. All n * n entries are stored.
host_crs<double> algebraic_decay(std::int64_t n, double scale = 0.1, double power = 0.1);

/// A matrix with a name of its own, for figures that can be measured again.
struct anchor {
  std::string_view name;
  std::string_view spec;  ///< the family and arguments that `make` turns into this matrix
  std::string_view description;
  std::int64_t rows;
  std::int64_t nnz;
  std::int64_t products;     ///< multiplications in A * A
  std::int64_t product_nnz;  ///< entries of A * A

  /// Can A * A be stored with 32-bit signed offsets?
  constexpr bool product_fits_32_bit() const {
    return product_nnz <= std::numeric_limits<std::int32_t>::max();
  }
};

/// A family as `make` understands it.
struct family {
  std::string_view name;
  std::string_view usage;  ///< for example "rmat:SCALE:EDGE_FACTOR[:SEED]"
  std::string_view description;
};

/// All anchors, all families, and specs of small matrices: one of each family, with A * A taking at
/// most ten million multiplications. What the spans and string views refer to lives for ever.
std::span<anchor const> anchor_suite();
std::span<family const> families();
std::span<std::string_view const> small_suite();

/// The matrix that `spec` describes: the name of an anchor (`lap3d27_80`), or a family and its
/// arguments separated by colons (`laplace_2d_5pt:300:200`, `rmat:14:8`, `rmat:14:8:42`). One
/// extent stands for all extents of a grid (`laplace_3d_7pt:40`, `fem_3d:8:3`). Numbers are read
/// the same way in every locale. Throws std::invalid_argument, quoting the spec, if the name is not
/// known (the message lists the known ones), the number of arguments is wrong or an argument is not
/// a number of its type, and what the family throws.
host_crs<double> make(std::string_view spec);

}  // namespace araios::gallery
