// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <araios/matrix/host.hpp>

namespace araios::bench {

/// The matrix that FILE or `gallery:SPEC` names. Throws input_error with one line of explanation,
/// also for complex files: what they hold cannot be had with real scalars.
host_crs<double> load(std::string const& source);

/// Finds what can be found wrong with a source without reading or generating all of it.
void check_source(std::string const& source);

/// The short name for tables: the file without folder, the spec without `gallery:`.
std::string name_of(std::string const& source);

/// The sources of a suite, `small`, `anchors` or `graphs`, that the operation can be tried on.
std::vector<std::string> suite(std::string const& name, std::string const& operation);

host_crs<double> transposed(host_crs<double> const& a);

}  // namespace araios::bench
