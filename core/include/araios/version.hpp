// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace araios {

/// The version of the compiled library, such as "0.1.0". A patch number of 99 marks a state between
/// two releases. Compare with `ARAIOS_VERSION_STRING` of <araios/config.hpp> to find out whether
/// the library and the headers belong together.
std::string_view version() noexcept;

}  // namespace araios
