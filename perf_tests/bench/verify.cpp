// SPDX-License-Identifier: BSD-3-Clause
#include "verify.hpp"

#include <algorithm>
#include <araios/error.hpp>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <random>
#include <thread>

namespace araios::bench {
namespace {

using impl::text;
using int64 = std::int64_t;

std::size_t num_threads() {
  return std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 16);
}

/// f(thread, i) for i = begin .. end-1, dealt to the host threads in small blocks.
template <class F>
void for_rows(int64 begin, int64 end, F const& f) {
  constexpr int64 block = 64;
  std::atomic<int64> next = begin;
  auto const work = [&](std::size_t thread) {
    for (int64 first = next.fetch_add(block); first < end; first = next.fetch_add(block))
      for (int64 i = first; i < std::min(first + block, end); ++i) f(thread, i);
  };
  std::vector<std::jthread> helpers;
  for (std::size_t thread = 1; thread < num_threads(); ++thread) helpers.emplace_back(work, thread);
  work(0);
}

/// Calls f(j, a * b) for every product in row i of A * B.
template <class F>
void for_products(host_crs<double> const& a, host_crs<double> const& b, int64 i, F const& f) {
  for (int64 ka = a.row_map[i]; ka < a.row_map[i + 1]; ++ka) {
    int64 const row = a.entries[ka];
    for (int64 kb = b.row_map[row]; kb < b.row_map[row + 1]; ++kb)
      f(b.entries[kb], a.values[ka] * b.values[kb]);
  }
}

/// The first difference by row, whichever thread finds it.
class first_problem {
 public:
  void add(int64 row, std::string what) {
    std::lock_guard const lock(mutex_);
    if (row >= row_) return;
    row_ = row;
    what_ = std::move(what);
  }
  bool found() const { return !what_.empty(); }
  std::string const& what() const { return what_; }

 private:
  std::mutex mutex_;
  int64 row_ = std::numeric_limits<int64>::max();
  std::string what_;
};

/// The error bound of `reference`.
struct tolerance {
  double epsilon, smallest, largest;

  explicit tolerance(bool single_precision) {
    auto const set = [this](auto scalar) {
      using limits = std::numeric_limits<decltype(scalar)>;
      epsilon = limits::epsilon();
      smallest = limits::min();
      largest = limits::max();
    };
    single_precision ? set(float{}) : set(double{});
  }

  double bound(int64 terms, double absolute) const {
    return 2.0 * static_cast<double>(terms) * (epsilon * absolute + smallest);
  }
  bool accepts(double computed, double expected, double absolute, double bound) const {
    if (!(absolute <= largest)) return true;
    return std::abs(computed - expected) <= bound;
  }
};

/// A sum of products that may have met NaN or infinity is not compared, except for being so.
bool is_close(tolerance const& limit, double computed, double expected, double absolute,
              int64 terms) {
  if (!std::isfinite(absolute)) return !std::isfinite(computed);
  return limit.accepts(computed, expected, absolute, limit.bound(terms, absolute));
}

/// One column of the row being summed; `row` tells whether it belongs to this row at all.
struct slot {
  double sum = 0.0;
  double absolute = 0.0;
  int64 row = -1;
  int64 terms = 0;  // 0 once the entry was found in the result
};

/// Row i of A * B summed up, and compared with what the result has there.
std::string check_row(inputs const& in, tolerance const& limit, int64 i, std::vector<slot>& slots,
                      int const* columns, double const* values, int64 length) {
  slots.resize(static_cast<std::size_t>(in.b().num_cols));
  for_products(in.a, in.b(), i, [&](int64 j, double product) {
    auto& s = slots[static_cast<std::size_t>(j)];
    if (s.row != i) s = {0.0, 0.0, i, 0};
    s.sum += product;
    s.absolute += std::abs(product);
    ++s.terms;
  });
  for (int64 k = 0; k < length; ++k) {
    auto& s = slots[static_cast<std::size_t>(columns[k])];
    if (s.row != i) return text("entry (", i, ", ", columns[k], ") is not in the pattern");
    if (s.terms == 0) return text("entry (", i, ", ", columns[k], ") comes twice");
    if (!is_close(limit, values[k], s.sum, s.absolute, s.terms))
      return text("entry (", i, ", ", columns[k], ") is ", values[k], ", expected ", s.sum);
    s.terms = 0;
  }
  return {};
}

/// C * w against A * (B * w) for several vectors w, row by row.
class row_sums {
 public:
  row_sums(inputs const& in) : in_(in) {
    auto const& b = in.b();
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    w_.resize(static_cast<std::size_t>(b.num_cols));
    for (auto& w : w_)
      for (auto& value : w) value = uniform(random);

    bw_.resize(static_cast<std::size_t>(b.num_rows));
    absolute_bw_.resize(bw_.size());
    for_rows(0, b.num_rows, [&](std::size_t, int64 i) {
      for (int64 k = b.row_map[i]; k < b.row_map[i + 1]; ++k)
        for (std::size_t v = 0; v < count; ++v) {
          double const term = b.values[k] * w_[static_cast<std::size_t>(b.entries[k])][v];
          bw_[static_cast<std::size_t>(i)][v] += term;
          absolute_bw_[static_cast<std::size_t>(i)][v] += std::abs(term);
        }
    });
  }

  std::string check(tolerance const& limit, int64 i, int const* columns, double const* values,
                    int64 length) const {
    std::array<double, count> computed{}, expected{}, absolute{};
    for (int64 k = 0; k < length; ++k)
      for (std::size_t v = 0; v < count; ++v)
        computed[v] += values[k] * w_[static_cast<std::size_t>(columns[k])][v];
    int64 products = 0;
    for (int64 k = in_.a.row_map[i]; k < in_.a.row_map[i + 1]; ++k) {
      auto const row = static_cast<std::size_t>(in_.a.entries[k]);
      products += in_.b().row_map[row + 1] - in_.b().row_map[row];
      for (std::size_t v = 0; v < count; ++v) {
        expected[v] += in_.a.values[k] * bw_[row][v];
        absolute[v] += std::abs(in_.a.values[k]) * absolute_bw_[row][v];
      }
    }
    for (std::size_t v = 0; v < count; ++v)
      if (!is_close(limit, computed[v], expected[v], absolute[v], products))
        return text("row ", i, " of C * w is ", computed[v], ", expected ", expected[v]);
    return {};
  }

 private:
  static constexpr std::size_t count = 3;
  using sums = std::vector<std::array<double, count>>;
  inputs const& in_;
  sums w_, bw_, absolute_bw_;
};

/// A seeded sample of the rows and the longest row of the product.
std::vector<bool> sample_rows(std::vector<int64> const& row_nnz, int samples) {
  std::vector<bool> sampled(row_nnz.size(), false);
  std::mt19937_64 random(2);
  std::uniform_int_distribution<std::size_t> any_row(0, row_nnz.size() - 1);
  for (int k = 0; k < samples; ++k) sampled[any_row(random)] = true;
  sampled[static_cast<std::size_t>(std::ranges::max_element(row_nnz) - row_nnz.begin())] = true;
  return sampled;
}

}  // namespace

product_counts count_product(host_crs<double> const& a, host_crs<double> const& b) {
  product_counts counts;
  counts.row_nnz.resize(static_cast<std::size_t>(a.num_rows));
  std::vector<std::vector<int64>> last_row(
      num_threads(), std::vector<int64>(static_cast<std::size_t>(b.num_cols), -1));
  std::atomic<int64> products = 0;
  for_rows(0, a.num_rows, [&](std::size_t thread, int64 i) {
    int64 in_row = 0;
    int64 distinct = 0;
    for_products(a, b, i, [&](int64 j, double) {
      auto& last = last_row[thread][static_cast<std::size_t>(j)];
      distinct += last != i;
      last = i;
      ++in_row;
    });
    counts.row_nnz[static_cast<std::size_t>(i)] = distinct;
    products += in_row;
  });
  for (auto const n : counts.row_nnz) counts.nnz += n;
  counts.products = products;
  return counts;
}

reference::reference(inputs const& in, product_counts const* counts, int64 full_limit)
    : in_(in), counts_(counts), full_limit_(full_limit) {}

reference::reference(inputs const& in, vertex_result const& expected, double relative_error)
    : in_(in), vertices_(&expected), relative_error_(relative_error) {}

verdict reference::check(sparse_result const& c) const {
  int64 const rows = in_.a.num_rows;
  int64 const cols = in_.b().num_cols;
  bool const full = counts_->nnz <= full_limit_;
  verdict result;
  result.kind = full ? "full" : "rows+sample";

  if (c.row_map.size() != counts_->row_nnz.size() + 1 || c.row_map.front() != 0) {
    result.problem = text("the row map has ", c.row_map.size(), " elements for ", rows, " rows");
    return result;
  }
  for (int64 i = 0; i < rows; ++i)
    if (c.row_map[i + 1] - c.row_map[i] != counts_->row_nnz[i]) {
      result.problem = text("row ", i, " has ", c.row_map[i + 1] - c.row_map[i],
                            " entries, expected ", counts_->row_nnz[i]);
      return result;
    }

  tolerance const limit(in_.single_precision);
  std::optional<row_sums> const sums = full ? std::nullopt : std::optional<row_sums>(in_);
  auto const sampled = full ? std::vector<bool>{} : sample_rows(counts_->row_nnz, num_samples);
  std::vector<std::vector<slot>> slots(num_threads());
  std::atomic<bool> sorted = true;
  first_problem problem;

  constexpr int64 chunk = int64{1} << 22;  // entries in host memory at a time, or one row
  std::vector<int> columns;
  std::vector<double> values;
  for (int64 begin = 0, end = 0; begin < rows && !problem.found(); begin = end) {
    int64 const first = c.row_map[begin];
    for (end = begin + 1; end < rows && c.row_map[end + 1] - first <= chunk;) ++end;
    columns.resize(static_cast<std::size_t>(c.row_map[end] - first));
    values.resize(columns.size());
    c.read(first, c.row_map[end], columns.data(), values.data());

    for_rows(begin, end, [&](std::size_t thread, int64 i) {
      int64 const length = c.row_map[i + 1] - c.row_map[i];
      int const* const row_columns = columns.data() + (c.row_map[i] - first);
      double const* const row_values = values.data() + (c.row_map[i] - first);
      for (int64 k = 0; k < length; ++k) {
        if (row_columns[k] < 0 || row_columns[k] >= cols)
          return problem.add(i, text("row ", i, " has column ", row_columns[k], " of ", cols));
        if (k > 0 && row_columns[k - 1] >= row_columns[k]) sorted = false;
      }
      std::string what;
      if (full || sampled[static_cast<std::size_t>(i)])
        what = check_row(in_, limit, i, slots[thread], row_columns, row_values, length);
      if (!full && what.empty()) what = sums->check(limit, i, row_columns, row_values, length);
      if (!what.empty()) problem.add(i, what);
    });
  }
  result.sorted = sorted;
  result.problem = problem.what();
  result.verified = !problem.found();
  return result;
}

verdict reference::check(dense_result const& y) const {
  tolerance const limit(in_.single_precision);
  auto const& a = in_.a;
  first_problem problem;
  for_rows(0, a.num_rows, [&](std::size_t, int64 i) {
    int64 const length = a.row_map[i + 1] - a.row_map[i];
    for (int64 c = 0; c < in_.columns; ++c) {
      double sum = 0.0;
      double absolute = 0.0;
      for (int64 k = a.row_map[i]; k < a.row_map[i + 1]; ++k) {
        double const term = a.values[k] * in_.x[a.entries[k] * in_.columns + c];
        sum += term;
        absolute += std::abs(term);
      }
      double const computed = y[i * in_.columns + c];
      if (!is_close(limit, computed, sum, absolute, length))
        return problem.add(i, text("y(", i, ", ", c, ") is ", computed, ", expected ", sum));
    }
  });
  verdict result;
  result.kind = "full";
  result.problem = problem.what();
  result.verified = !problem.found();
  return result;
}

verdict reference::check(vertex_result const& x) const {
  auto const& expected = vertices_->values;
  verdict result;
  result.kind = "full";
  if (x.values.size() != expected.size()) {
    result.problem =
        text("there are ", x.values.size(), " values for ", expected.size(), " vertices");
    return result;
  }
  for (std::size_t v = 0; v < expected.size(); ++v) {
    double const bound = std::isfinite(expected[v]) ? relative_error_ * std::abs(expected[v]) : 0.0;
    if (x.values[v] == expected[v] || std::abs(x.values[v] - expected[v]) <= bound) continue;
    result.problem = text("vertex ", v, " has ", x.values[v], ", expected ", expected[v]);
    return result;
  }
  result.verified = true;
  return result;
}

}  // namespace araios::bench
