// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace support {

using engine = std::mt19937_64;

/// The seed of this run: ARAIOS_TEST_SEED if it is set, else a fresh one.
inline std::uint64_t seed() {
  static std::uint64_t const value = [] {
    if (char const* text = std::getenv("ARAIOS_TEST_SEED")) return std::uint64_t(std::stoull(text));
    return std::uint64_t(std::random_device{}());
  }();
  return value;
}

/// Base of all tests with random input: `random` starts from the seed of the run in every test, so
/// a failure can be repeated alone with the seed that it prints.
class random_test : public ::testing::Test {
 protected:
  engine random{seed()};

  ~random_test() override {
    if (HasFailure()) std::cerr << "repeat with ARAIOS_TEST_SEED=" << seed() << '\n';
  }
};

/// Between first and last, both included.
inline std::int64_t draw(engine& random, std::int64_t first, std::int64_t last) {
  return std::uniform_int_distribution<std::int64_t>(first, last)(random);
}

/// A number in [0.5, 1.5) with either sign: never zero, so that a lost term shows.
inline double draw_number(engine& random) {
  double const size = std::uniform_real_distribution<double>(0.5, 1.5)(random);
  return random() % 2 == 0 ? size : -size;
}

/// A random value of type `Value`: whole for integers, with an imaginary part for complex numbers.
template <class Value>
Value draw_value(engine& random) {
  if constexpr (std::is_integral_v<Value>)
    return static_cast<Value>(draw(random, 1, 9) * (random() % 2 == 0 ? 1 : -1));
  else if constexpr (requires(Value v) { v.imag(); })
    return Value(draw_number(random), draw_number(random));
  else
    return static_cast<Value>(static_cast<float>(draw_number(random)));
}
template <>
inline double draw_value<double>(engine& random) {
  return draw_number(random);
}

template <class Value>
std::vector<Value> draw_values(engine& random, std::int64_t size) {
  std::vector<Value> values;
  values.reserve(static_cast<std::size_t>(size));
  for (std::int64_t i = 0; i < size; ++i) values.push_back(draw_value<Value>(random));
  return values;
}

}  // namespace support
