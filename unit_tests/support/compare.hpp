// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <ostream>
#include <type_traits>
#include <vector>

#ifdef __NVCC__  // FIXME_NVCC what constexpr members of std::vector call counts as device code
#pragma nv_diag_suppress 20208
#endif

namespace support {

/// A complex number in long double, for references. Not std::complex: nvcc takes its constexpr
/// members for device code, which has no long double, and warns where nothing can switch it off.
class wide {
 public:
  wide(long double real = 0.0L, long double imag = 0.0L) : real_(real), imag_(imag) {}

  long double real() const { return real_; }
  long double imag() const { return imag_; }
  wide& operator+=(wide const& b) {
    real_ += b.real_;
    imag_ += b.imag_;
    return *this;
  }

  friend wide operator-(wide const& a, wide const& b) {
    return {a.real_ - b.real_, a.imag_ - b.imag_};
  }
  friend wide operator*(wide const& a, wide const& b) {
    return {a.real_ * b.real_ - a.imag_ * b.imag_, a.real_ * b.imag_ + a.imag_ * b.real_};
  }
  friend bool operator==(wide const& a, wide const& b) {
    return a.real_ == b.real_ && a.imag_ == b.imag_;
  }
  friend wide conj(wide const& a) { return {a.real_, -a.imag_}; }
  friend long double abs(wide const& a) {  // without hypot, which is slow, for real numbers
    return a.imag_ == 0.0L ? std::abs(a.real_) : std::hypot(a.real_, a.imag_);
  }
  friend long double norm(wide const& a) { return a.real_ * a.real_ + a.imag_ * a.imag_; }
  friend std::ostream& operator<<(std::ostream& out, wide const& a) {
    return a.imag_ == 0.0L ? out << a.real_ : out << '(' << a.real_ << ", " << a.imag_ << ')';
  }

 private:
  long double real_, imag_;
};

/// Any real or complex number in the type of the references.
template <class Value>
wide widen(Value const& value) {
  if constexpr (requires { value.imag(); })
    return {static_cast<long double>(value.real()), static_cast<long double>(value.imag())};
  else if constexpr (std::is_arithmetic_v<Value>)
    return static_cast<long double>(value);
  else
    return static_cast<long double>(static_cast<float>(value));  // half and bfloat16
}

/// The distance from one to the next number of a type; zero for whole numbers, which are exact.
template <class Value>
inline constexpr double epsilon_of = 0.0;
template <>
inline constexpr double epsilon_of<float> = 0x1p-23;
template <>
inline constexpr double epsilon_of<double> = 0x1p-52;
template <class Real>
inline constexpr double epsilon_of<Kokkos::complex<Real>> = epsilon_of<Real>;
#if !KOKKOS_HALF_T_IS_FLOAT
template <>
inline constexpr double epsilon_of<Kokkos::Experimental::half_t> = 0x1p-10;
#endif
#if !KOKKOS_BHALF_T_IS_FLOAT
template <>
inline constexpr double epsilon_of<Kokkos::Experimental::bhalf_t> = 0x1p-7;
#endif

/// A right result, with what decides how exact a computed one can be: the sum of the sizes of all
/// terms, and their number.
struct expected_value {
  wide value;
  long double magnitude;
  std::int64_t terms;

  expected_value(wide const& v = {}, long double m = 0.0L, std::int64_t n = 0)
      : value(v), magnitude(m), terms(n) {}

  void add(wide term) {
    value += term;
    magnitude += abs(term);
    ++terms;
  }
};

/// How far rounding may lead away from `e` if it is summed with precision `sum_epsilon` and stored
/// with `store_epsilon`: summing n terms in any order errs by at most n * epsilon * (sum of their
/// sizes). The factor 4 covers products, scalars and complex numbers. A lost, doubled or misplaced
/// term is off by about magnitude / terms, far more for the sizes tested here.
inline long double error_bound(expected_value const& e, long double sum_epsilon,
                               long double store_epsilon) {
  return 4.0L * static_cast<long double>(e.terms + 1) * sum_epsilon * e.magnitude +
         store_epsilon * abs(e.value);
}

/// Are all computed values right up to rounding? If not, names the worst one. `computed(i)` or
/// `computed[i]` gives value i.
template <class Computed>
::testing::AssertionResult close(Computed const& computed,
                                 std::vector<expected_value> const& expected,
                                 long double sum_epsilon, long double store_epsilon = 0.0L) {
  auto const at = [&](std::size_t i) {
    if constexpr (requires { computed(i); })
      return widen(computed(i));
    else
      return widen(computed[i]);
  };
  std::size_t worst = 0, wrong = 0;
  long double worst_excess = -1.0L;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    auto const error = abs(at(i) - expected[i].value);
    auto const bound = error_bound(expected[i], sum_epsilon, store_epsilon);
    if (error <= bound) continue;  // false also for NaN
    ++wrong;
    auto const excess = bound > 0.0L ? error / bound : error;
    if (worst_excess < 0.0L || !(excess <= worst_excess)) {
      worst = i;
      worst_excess = std::isnan(excess) ? std::numeric_limits<long double>::infinity() : excess;
    }
  }
  if (wrong == 0) return ::testing::AssertionSuccess();
  auto const& e = expected[worst];
  return ::testing::AssertionFailure()
         << wrong << " of " << expected.size() << " values are wrong, worst is " << worst << ": "
         << at(worst) << " instead of " << e.value << " (" << e.terms << " terms, error "
         << abs(at(worst) - e.value) << ", bound " << error_bound(e, sum_epsilon, store_epsilon)
         << ")";
}

}  // namespace support
