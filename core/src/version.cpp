// SPDX-License-Identifier: BSD-3-Clause
#include <araios/config.hpp>
#include <araios/version.hpp>

namespace araios {

std::string_view version() noexcept { return ARAIOS_VERSION_STRING; }

}  // namespace araios
