// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "case.hpp"
#include "verify.hpp"

namespace araios::bench {

/// What came out of one implementation on one case.
struct measurement {
  std::vector<double> seconds;  ///< per call, one element for each repeat
  std::int64_t peak_bytes = 0;  ///< device memory allocated by preparation and first run, at most
  std::string schedule;         ///< in use
  std::optional<std::int64_t> matrix_bytes;
  std::optional<double> fill;
  verdict check;
  std::string failure;  ///< what was thrown, if anything; then nothing else counts

  double median() const;
  double spread() const;  ///< third minus first quartile, relative to the median
};

/// Makes the candidate, runs it once, checks that result and then measures repeats. Short SpMV and
/// SpMM calls are put into batches of two milliseconds, so that launches queue up as they do in an
/// application; everything else is timed by itself, since it hands out a new result.
/// Repeats take about half a second (5 to 50 of them), `options.repeat` overrides; `options.budget`
/// limits the sum. A first run beyond the budget is the only one, and its time is taken as it is.
measurement measure(implementation const& what, inputs const& in, options const& opt,
                    std::string const& title, reference const& expected);

}  // namespace araios::bench
