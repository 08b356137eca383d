// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <exception>
#include <initializer_list>
#include <string>

namespace support {

/// Does f() throw an `Exception` whose text has all of these parts?
template <class Exception, class F>
::testing::AssertionResult throws(F const& f, std::initializer_list<std::string> parts) {
  try {
    f();
  } catch (Exception const& e) {
    std::string const text = e.what();
    for (auto const& part : parts)
      if (text.find(part) == std::string::npos)
        return ::testing::AssertionFailure() << "'" << text << "' does not say '" << part << "'";
    return ::testing::AssertionSuccess();
  } catch (std::exception const& e) {
    return ::testing::AssertionFailure() << "another exception was thrown: " << e.what();
  }
  return ::testing::AssertionFailure() << "nothing was thrown";
}

}  // namespace support
