// SPDX-License-Identifier: BSD-3-Clause
// Calls what the compiled library offers through the installed headers.
#include <araios/config.hpp>
#include <araios/version.hpp>
#include <iostream>

int main() {
  std::cout << "Araios " << araios::version() << '\n';
  return araios::version() == ARAIOS_VERSION_STRING ? 0 : 1;
}
