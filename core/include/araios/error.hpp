// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

namespace araios::impl {

/// The text of an error: its parts streamed one after the other.
template <class... Parts>
std::string text(Parts const&... parts) {
  std::ostringstream stream;
  (stream << ... << parts);
  return stream.str();
}

/// Throws `Exception` with the given text if a precondition does not hold. The parts are only put
/// together when it fails.
template <class Exception = std::invalid_argument, class... Parts>
void require(bool holds, Parts const&... parts) {
  if (!holds) throw Exception(text(parts...));
}

}  // namespace araios::impl
