// SPDX-License-Identifier: BSD-3-Clause
#include "vectors.hpp"

namespace araios::bench {

implementations araios_spmv(std::vector<std::string> const& schedules) {
  return araios_vectors(schedules,
                        [](inputs const& in, auto const& f) { return with_vector(in, f); });
}

}  // namespace araios::bench
