// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

namespace araios::impl {

/// A set of keys in memory that its users share: open addressing, linear probing, at most one pass
/// over the slots. A key is looked up and claimed by one compare-and-swap per probe. The slot count
/// is a power of two. Source: OpSparse (Du et al., 2022), section 5.3.
template <class Key>
struct hash_table {
  static constexpr Key empty = static_cast<Key>(-1);

  Key* slots;
  int size;

  struct insertion {
    int slot;    ///< where the key is, or -1 if the table is full
    bool fresh;  ///< whether this call put it there
  };

  /// Multiplicative hashing by the golden ratio: the high bits of the product, so that keys at any
  /// stride, powers of two included, spread over the table.
  KOKKOS_FUNCTION int first_slot(Key key) const {
    if constexpr (sizeof(Key) <= 4) {
      auto const mixed = static_cast<std::uint32_t>(key) * std::uint32_t{0x9e3779b1u};
      return static_cast<int>((std::uint64_t{mixed} * static_cast<std::uint32_t>(size)) >> 32);
    } else {
      auto const mixed = static_cast<std::uint64_t>(key) * std::uint64_t{0x9e3779b97f4a7c15u};
      return static_cast<int>((mixed >> 32) * static_cast<std::uint32_t>(size) >> 32);
    }
  }

  KOKKOS_FUNCTION insertion insert(Key key) const {
    int slot = first_slot(key);
    for (int probes = 0; probes < size; ++probes) {
      Key const found = Kokkos::atomic_compare_exchange(&slots[slot], empty, key);
      if (found == empty) return {slot, true};
      if (found == key) return {slot, false};
      slot = (slot + 1) & (size - 1);
    }
    return {-1, false};
  }

  /// The slot of a key, or -1. No key is put in at the same time.
  KOKKOS_FUNCTION int find(Key key) const {
    int slot = first_slot(key);
    for (int probes = 0; probes < size; ++probes) {
      if (slots[slot] == key) return slot;
      if (slots[slot] == empty) return -1;
      slot = (slot + 1) & (size - 1);
    }
    return -1;
  }
};

/// *target += value while others may do the same; nobody reads in between.
template <class T>
KOKKOS_FUNCTION void accumulate(T* target, T const& value) {
  Kokkos::atomic_add(target, value);
}
template <class T>
KOKKOS_FUNCTION void accumulate(Kokkos::complex<T>* target, Kokkos::complex<T> const& value) {
  T* const parts = reinterpret_cast<T*>(target);
  Kokkos::atomic_add(parts, value.real());
  Kokkos::atomic_add(parts + 1, value.imag());
}

}  // namespace araios::impl
