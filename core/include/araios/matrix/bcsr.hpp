// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tuple>

#include <araios/impl/stored.hpp>

namespace araios {

/// A matrix of dense blocks as kernels see it. Bits say which slots of a block hold entries.
template <class Ordinal, class Offset, class Value, class MemorySpace, int BlockSize = 0>
struct bcsr_view {
  using ordinal_type = Ordinal;
  using value_type = Value;
  using memory_space = MemorySpace;

  Ordinal num_rows = 0;
  Ordinal num_cols = 0;
  bcsr_tiles<Ordinal, Offset, BlockSize> all;
  Ordinal const* entries = nullptr;
  Value const* values = nullptr;
  std::uint64_t const* present = nullptr;

  auto tiles() const { return all; }
  KOKKOS_FUNCTION Ordinal column(Ordinal, std::size_t slot) const {
    auto const size = static_cast<std::size_t>(all.size());
    auto const block = slot / (size * size);
    auto const bit = slot - block * size * size;
    auto const word = present[block * ((size * size + 63) / 64) + bit / 64];
    if ((word >> bit % 64 & 1u) == 0) return static_cast<Ordinal>(-1);
    return static_cast<Ordinal>(entries[block] * all.size() + static_cast<Ordinal>(bit % size));
  }
  KOKKOS_FUNCTION Value value(std::size_t slot) const { return values[slot]; }
};

/// Block compressed row storage (BCSR): dense square blocks of `block_size()` x `block_size()`, each
/// stored row by row, at columns that are multiples of the block size. The size is a template
/// parameter, or given at run time (0). `present` has a bit for each slot that holds an entry, in
/// ceil(size * size / 64) words a block; the others are zero and are never multiplied. `to_bcsr`
/// makes one; duplicates are added.
/// Invariants: row_map has ceil(num_rows / block_size) + 1 elements (or none) and counts blocks;
/// entries(b) is the block column of block b, ascending within a block row; values has block_size^2
/// elements a block.
template <class Value, class Ordinal = int, class Offset = std::size_t,
          class MemorySpace = Kokkos::DefaultExecutionSpace::memory_space, int BlockSize = 0>
class bcsr_matrix : public impl::stored<Value, Ordinal, Offset, MemorySpace> {
  using base = impl::stored<Value, Ordinal, Offset, MemorySpace>;

 public:
  typename base::offsets_view row_map;
  typename base::entries_view entries;
  typename base::values_view values;
  Kokkos::View<std::uint64_t*, MemorySpace> present;

  bcsr_matrix() = default;
  /// `atoms`: slots of the rows that exist.
  bcsr_matrix(Ordinal num_rows, Ordinal num_cols, Offset nnz, Ordinal block_size,
              std::int64_t atoms)
      : base(num_rows, num_cols, nnz), block_size_(block_size), atoms_(atoms) {}

  Ordinal block_size() const { return BlockSize > 0 ? Ordinal{BlockSize} : block_size_; }
  auto parts() const {
    return std::tuple(bcsr_view<Ordinal, Offset, Value, MemorySpace, BlockSize>{
        this->num_rows(),
        this->num_cols(),
        {this->num_rows(), block_size_, atoms_, row_map.data()},
        entries.data(),
        values.data(),
        present.data()});
  }
  std::size_t bytes() const { return impl::bytes_of(row_map, entries, values, present); }

 private:
  Ordinal block_size_ = 1;
  std::int64_t atoms_ = 0;
};

}  // namespace araios
