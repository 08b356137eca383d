// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>
#include <cstdio>
#include <limits>

#include "commands.hpp"
#include "matrices.hpp"
#include "progress.hpp"
#include "verify.hpp"

namespace araios::bench {
namespace {

void print_row_lengths(host_crs<double> const& a) {
  std::vector<long long> histogram(65, 0);  // rows with length 0, 1, 2..3, 4..7, ...
  std::int64_t longest = 0;
  for (std::int64_t i = 0; i < a.num_rows; ++i) {
    auto const length = a.row_map[i + 1] - a.row_map[i];
    longest = std::max(longest, length);
    ++histogram[std::bit_width(static_cast<std::uint64_t>(length))];
  }
  double const rows = static_cast<double>(std::max<std::int64_t>(a.num_rows, 1));
  std::printf("row length    mean %.2f, longest %lld, empty rows %lld\n",
              static_cast<double>(a.nnz()) / rows, static_cast<long long>(longest), histogram[0]);
  std::printf("\n%21s %12s %8s\n", "entries in a row", "rows", "share");
  for (std::size_t k = 0; k < histogram.size(); ++k) {
    if (histogram[k] == 0) continue;
    long long const low = k == 0 ? 0 : 1LL << (k - 1);
    long long const high = k == 0 ? 0 : low + (low - 1);
    double const share = static_cast<double>(histogram[k]) / rows;
    std::printf("%9lld .. %8lld %12lld %6.1f %%  %s\n", low, high, histogram[k], 100.0 * share,
                std::string(static_cast<std::size_t>(40.0 * share + 0.5), '#').c_str());
  }
}

}  // namespace

int info(std::string const& source) {
  host_crs<double> a;
  {
    progress const note(source + ": loading");
    a = load(source);
  }
  std::printf("matrix        %s\n", name_of(source).c_str());
  std::printf("size          %lld x %lld\n", static_cast<long long>(a.num_rows),
              static_cast<long long>(a.num_cols));
  std::printf("entries       %lld\n", static_cast<long long>(a.nnz()));
  print_row_lengths(a);

  // Counting takes memory for every column on every thread.
  if (std::max(a.num_rows, a.num_cols) > std::numeric_limits<int>::max()) return 0;
  bool const square = a.num_rows == a.num_cols;
  product_counts counts;
  {
    progress const note(source + ": counting the product");
    counts = count_product(a, square ? a : transposed(a));
  }
  std::printf("\n%s\n", square ? "A * A" : "A * A^T");
  std::printf("products      %lld\n", static_cast<long long>(counts.products));
  std::printf("entries       %lld\n", static_cast<long long>(counts.nnz));
  if (counts.nnz > 0)
    std::printf("compression   %.2f products per entry\n",
                static_cast<double>(counts.products) / static_cast<double>(counts.nnz));
  return 0;
}

}  // namespace araios::bench
