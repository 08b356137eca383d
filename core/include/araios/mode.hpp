// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace araios {

/// What is applied to the matrix before the product: op(A) = A, A^T, conj(A) or conj(A)^T.
enum class mode : char { none = 'N', transpose = 'T', conjugate = 'C', conjugate_transpose = 'H' };

/// op with one more transposition.
constexpr mode transposed(mode op) {
  switch (op) {
    case mode::none:
      return mode::transpose;
    case mode::transpose:
      return mode::none;
    case mode::conjugate:
      return mode::conjugate_transpose;
    case mode::conjugate_transpose:
      return mode::conjugate;
  }
  return op;
}

constexpr bool transposes(mode m) { return m == mode::transpose || m == mode::conjugate_transpose; }
constexpr bool conjugates(mode m) { return m == mode::conjugate || m == mode::conjugate_transpose; }

}  // namespace araios
