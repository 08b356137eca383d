// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tuple>

#include <araios/impl/stored.hpp>

namespace araios {

/// A matrix of diagonals as kernels see it. Bits say which slots hold entries.
template <class Ordinal, class Value, class MemorySpace>
struct dia_view {
  using ordinal_type = Ordinal;
  using value_type = Value;
  using memory_space = MemorySpace;
  static constexpr bool side_by_side = true;

  Ordinal num_rows = 0;
  Ordinal num_cols = 0;
  dia_tiles<Ordinal> all;
  std::int64_t const* distances = nullptr;
  Value const* values = nullptr;
  std::uint32_t const* present = nullptr;

  auto tiles() const { return all; }
  KOKKOS_FUNCTION Ordinal column(Ordinal row, std::size_t slot) const {
    if ((present[slot / 32] >> slot % 32 & 1u) == 0) return static_cast<Ordinal>(-1);
    auto const diagonal =
        (slot - static_cast<std::size_t>(row)) / static_cast<std::size_t>(num_rows);
    return static_cast<Ordinal>(static_cast<std::int64_t>(row) + distances[diagonal]);
  }
  KOKKOS_FUNCTION Value value(std::size_t slot) const { return values[slot]; }
};

/// Diagonals (DIA), each with a slot for every row: slot d * num_rows() + i is the entry of row i in
/// column i + distances(d). `present` has a bit for each slot that holds an entry; the others are
/// zero and are never multiplied. `to_dia` makes one; duplicates are added.
/// Invariants: distances ascend; values has distances * num_rows() elements, present one for 32 of
/// them, rounded up.
template <class Value, class Ordinal = int, class Offset = std::size_t,
          class MemorySpace = Kokkos::DefaultExecutionSpace::memory_space>
class dia_matrix : public impl::stored<Value, Ordinal, Offset, MemorySpace> {
  using base = impl::stored<Value, Ordinal, Offset, MemorySpace>;

 public:
  Kokkos::View<std::int64_t*, MemorySpace> distances;
  typename base::values_view values;
  Kokkos::View<std::uint32_t*, MemorySpace> present;

  using base::base;
  auto parts() const {
    return std::tuple(dia_view<Ordinal, Value, MemorySpace>{
        this->num_rows(),
        this->num_cols(),
        {this->num_rows(), static_cast<Ordinal>(distances.extent(0))},
        distances.data(),
        values.data(),
        present.data()});
  }
  std::size_t bytes() const { return impl::bytes_of(distances, values, present); }
};

}  // namespace araios
