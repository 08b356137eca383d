// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "case.hpp"

/// The commands of `araios-bench`; each returns the exit code. `table` is in report.hpp.
namespace araios::bench {

/// All but info and table: measures all matrices with all implementations, prints the table and
/// writes the JSON file after each matrix. 1 if a result of Araios is wrong or missing. Starts
/// Kokkos with its own arguments (program name first), once everything else is known to be right.
int run(options const& opt, std::vector<std::string> const& kokkos_arguments);

/// info: what a matrix looks like and what its square costs.
int info(std::string const& source);

}  // namespace araios::bench
