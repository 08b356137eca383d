// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "case.hpp"

namespace araios::bench {

/// What the comparison with the reference says.
struct verdict {
  bool verified = false;
  bool sorted = true;   ///< columns of a sparse result ascend in every row
  std::string kind;     ///< how much was compared: `full` or `rows+sample`
  std::string problem;  ///< the first difference, if not verified
};

/// The size of a sparse product, by a plain host loop.
struct product_counts {
  std::vector<std::int64_t> row_nnz;  ///< distinct columns in each row of A * B
  std::int64_t nnz = 0;
  std::int64_t products = 0;  ///< multiplications
};
product_counts count_product(host_crs<double> const& a, host_crs<double> const& b);

/// Compares results with a plain loop over rows in double precision (rows are dealt to host
/// threads, each is summed sequentially).
///
/// Two ways of adding n products, each in precision eps or better, differ by no more than
/// n * eps * sum |a||b|. An entry is right if the difference is at most twice that, where eps
/// belongs to the scalar of the result. Beyond the range of that scalar any infinity or NaN will
/// do.
///
/// SpGEMM: the pattern must be exact. Up to `full_limit` entries everything is compared. Larger
/// results: the length of every row, a sample of 2000 rows and the longest one entry by entry, and
/// for every row C * w against A * (B * w) for three random vectors w.
class reference {
 public:
  static constexpr std::int64_t default_full_limit = 50'000'000;
  static constexpr int num_samples = 2000;

  /// `counts` are those of A * B; null if vectors will be compared. Both must outlive the
  /// reference.
  reference(inputs const& in, product_counts const* counts,
            std::int64_t full_limit = default_full_limit);

  /// Vertices will be compared with `expected`, which must outlive the reference: values are right
  /// if they are equal, or differ by no more than `relative_error`.
  reference(inputs const& in, vertex_result const& expected, double relative_error);

  verdict check(sparse_result const& c) const;
  verdict check(dense_result const& y) const;
  verdict check(vertex_result const& x) const;

 private:
  inputs const& in_;
  product_counts const* counts_ = nullptr;
  std::int64_t full_limit_ = default_full_limit;
  vertex_result const* vertices_ = nullptr;
  double relative_error_ = 0.0;
};

}  // namespace araios::bench
