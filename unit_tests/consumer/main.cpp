// SPDX-License-Identifier: BSD-3-Clause
// Calls what is compiled into the library through the installed headers: a generated matrix must
// come back from a file as it was written.
#include <araios/config.hpp>
#include <araios/gallery.hpp>
#include <araios/matrix/host.hpp>
#include <araios/matrix_market.hpp>
#include <araios/version.hpp>
#include <iostream>
#include <sstream>

int main() {
  auto const written = araios::gallery::make("laplace_2d_5pt:4:3");
  std::ostringstream out;
  araios::write_matrix_market(out, written);
  auto const read = araios::to_host_crs(araios::parse_matrix_market<double>(out.str(), "memory"));

  bool const same = read.row_map == written.row_map && read.entries == written.entries &&
                    read.values == written.values;
  std::cout << "Araios " << araios::version() << ": " << read.num_rows << " rows, " << read.nnz()
            << " entries, " << (same ? "the same" : "DIFFERENT") << '\n';
  return same && araios::version() == ARAIOS_VERSION_STRING ? 0 : 1;
}
