// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <stdexcept>
#include <string>
#include <string_view>

#include <araios/matrix/host.hpp>

/// Matrix Market files in and out, on the host, one thread. What is accepted:
///
/// - Banner `%%MatrixMarket OBJECT FORMAT FIELD SYMMETRY` in any letter case; blanks and blank
///   lines before it and a single percent sign are tolerated. OBJECT is `matrix` or `vector`
///   (read as n x 1, symmetry general), FORMAT `coordinate` or `array`, FIELD `real`, `double`
///   (the same), `integer`, `complex` or `pattern`, SYMMETRY `general`, `symmetric`,
///   `skew-symmetric` or `hermitian`. Combinations without meaning (array pattern, pattern
///   skew-symmetric, hermitian that is not complex) are refused, and so is a symmetric matrix
///   that is not square.
/// - After the banner, blank lines and comments (`%` first) may stand anywhere; tokens are
///   separated by blanks and tabs, lines end in LF, CRLF or CR, and the last line needs no end.
///   One entry a line, nothing after it, no more and no fewer entries than announced. A line has
///   at most 256 KiB.
/// - Indices start at 1. Counts and indices have 64 bits.
/// - Numbers do not depend on the locale and are rounded correctly, whatever their length. `.5`,
///   `5.`, `+5` and Fortran's `1.5D-2` are numbers; `inf`, `infinity` and `nan` are values. A
///   finite number beyond the range of the value type is an error; one too small becomes zero or
///   subnormal.
/// - Symmetric, skew-symmetric and hermitian files hold the lower triangle only: an entry above
///   the diagonal is an error, since a file with both sides cannot be told from one with
///   duplicates. They are expanded: every entry (i,j) off the diagonal is followed by its mirror
///   image (j,i). A skew-symmetric diagonal entry must be zero (and is kept, once), a hermitian
///   one real; in the array format a skew-symmetric file holds the strictly lower triangle.
/// - Array files, column by column, give an entry for every value in the file, zeros included.
/// - Duplicates are kept in the order of the file and add up.
/// - A comment `%%GraphBLAS type T` between banner and size line is a promise of the file that is
///   checked: T must be known (bool, int8_t ... uint64_t, float, double, float complex, double
///   complex), complex in a complex file, signed in a skew-symmetric one; every value of an
///   integer type T is whole and in its range; and, as in any GraphBLAS matrix, no entry comes
///   twice.
/// - gzip data (bytes 1f 8b) is unpacked while it is read if zlib is compiled in
///   (ARAIOS_HAVE_ZLIB), otherwise refused.
///
/// Conversions: pattern gives ones, integer goes into everything, real into floating point and
/// complex, complex into complex only. Everything else is an error, as is an integer that does
/// not fit. `Value` is a floating point type, an integer type, std::complex of float or double,
/// or a type made from one of these, such as Kokkos::complex or a half precision type (read as
/// double first).
///
/// Memory: nothing is allocated on the word of a header. Beyond a buffer of 256 KiB only the
/// result is stored (and the line of each entry, if `%%GraphBLAS` is promised); room reserved ahead
/// is bounded by what the bytes of the file can hold.

namespace araios {

/// A file is not a readable Matrix Market file, or not one that fits the requested value type.
/// The message reads `araios::read_matrix_market: PATH:LINE: expected ..., found ...`.
class matrix_market_error : public std::runtime_error {
 public:
  matrix_market_error(std::string path, std::int64_t line, std::string const& message);

  std::string const& path() const { return path_; }
  /// Line number, from 1; 0 if the file could not be read at all.
  std::int64_t line() const { return line_; }

 private:
  std::string path_;
  std::int64_t line_;
};

enum class matrix_market_object { matrix, vector };
enum class matrix_market_format { coordinate, array };
enum class matrix_market_field { real, integer, complex, pattern };
enum class matrix_market_symmetry { general, symmetric, skew_symmetric, hermitian };

/// Banner and size line of a file. `entries` counts the entries that the file stores, before any
/// expansion; a vector has one column.
struct matrix_market_header {
  matrix_market_object object = matrix_market_object::matrix;
  matrix_market_format format = matrix_market_format::coordinate;
  matrix_market_field field = matrix_market_field::real;
  matrix_market_symmetry symmetry = matrix_market_symmetry::general;
  std::int64_t num_rows = 0;
  std::int64_t num_cols = 0;
  std::int64_t entries = 0;
};

/// Reads the matrix in file `path`, which may also be a pipe. Throws matrix_market_error.
template <class Value>
coordinate_matrix<Value> read_matrix_market(std::filesystem::path const& path);

/// Reads the matrix in `text`, the contents of a file; messages call it `name`.
template <class Value>
coordinate_matrix<Value> parse_matrix_market(std::string_view text, std::string const& name);

/// Reads banner and size line only, and checks them. Throws matrix_market_error.
matrix_market_header read_matrix_market_header(std::filesystem::path const& path);
matrix_market_header parse_matrix_market_header(std::string_view text, std::string const& name);

/// How `write_matrix_market` writes.
struct matrix_market_options {
  matrix_market_format format = matrix_market_format::coordinate;
  /// Other than general: only the lower triangle is written. The matrix must have the symmetry
  /// exactly, duplicates in the same order on both sides.
  matrix_market_symmetry symmetry = matrix_market_symmetry::general;
  /// Leave the values out (coordinate format only). All must be 1.
  bool pattern = false;
  /// Written behind `%` after the banner; may have several lines.
  std::string comment = {};
};

/// Writes `a` as a Matrix Market file of field integer, real or complex after its value type, in
/// the order of its entries, with the fewest digits that read back to the same value. Reading a
/// file in general coordinate format gives `a` back, entry by entry; one with symmetry gives the
/// same entries in another order. The array format writes duplicates as their sum and missing
/// entries as 0. Throws std::invalid_argument if `a` lacks the claimed symmetry or pattern or if
/// the options contradict each other, before anything is written; std::runtime_error if writing
/// fails. Files are not compressed: a path that ends in .gz is refused.
template <class Value>
void write_matrix_market(std::filesystem::path const& path, coordinate_matrix<Value> const& a,
                         matrix_market_options const& options = {});
template <class Value>
void write_matrix_market(std::ostream& out, coordinate_matrix<Value> const& a,
                         matrix_market_options const& options = {});
template <class Value>
void write_matrix_market(std::filesystem::path const& path, host_crs<Value> const& a,
                         matrix_market_options const& options = {});
template <class Value>
void write_matrix_market(std::ostream& out, host_crs<Value> const& a,
                         matrix_market_options const& options = {});

}  // namespace araios

#include <araios/impl/matrix_market.hpp>
