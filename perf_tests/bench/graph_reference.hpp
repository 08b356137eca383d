// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "case.hpp"

namespace araios::bench {

/// What a graph algorithm must find, by a plain loop on one host thread.
struct graph_answer {
  vertex_result expected;
  double relative_error = 0.0;  ///< of values that are not exact
  std::int64_t reached = 0;     ///< vertices, by a search
  std::int64_t edges = 0;  ///< that leave them; those of all vertices in all iterations otherwise
};
graph_answer solve(std::string const& operation, inputs const& in);

}  // namespace araios::bench
