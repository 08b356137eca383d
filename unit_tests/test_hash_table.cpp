// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <limits>
#include <set>
#include <vector>

#include <araios/impl/hash_table.hpp>
#include <araios/tuning/spgemm.hpp>

namespace {

using Space = Kokkos::DefaultExecutionSpace;
using MemorySpace = Space::memory_space;

/// What a kernel saw: for every insertion the slot it was given, and how many were fresh.
template <class Key>
struct outcome {
  std::vector<Key> slots;
  std::vector<int> slot_of;  // of insertion i
  int fresh = 0;
};

/// Teams of one league insert the keys into one table, each team all of them, in an order of its
/// own.
template <class Key>
struct insert_keys {
  Kokkos::View<Key*, MemorySpace> slots;
  Kokkos::View<Key const*, MemorySpace> keys;
  Kokkos::View<int**, MemorySpace> slot_of;
  Kokkos::View<int, MemorySpace> fresh;

  KOKKOS_FUNCTION void operator()(Kokkos::TeamPolicy<Space>::member_type const& member) const {
    araios::impl::hash_table<Key> const table{slots.data(), static_cast<int>(slots.extent(0))};
    int const count = static_cast<int>(keys.extent(0));
    int const team = member.league_rank();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, count), [&](int i) {
      int const at = static_cast<int>((i + std::int64_t{team} * 7919) % count);
      auto const found = table.insert(keys(at));
      slot_of(team, at) = found.slot;
      if (found.fresh) Kokkos::atomic_inc(&fresh());
    });
  }
};

/// The outcome, after checking that all teams were given the same slots.
template <class Key>
outcome<Key> insert(int table_size, std::vector<Key> const& keys, int teams = 8) {
  Space const space;
  Kokkos::View<Key*, MemorySpace> const slots("slots", table_size);
  Kokkos::View<Key*, MemorySpace> const device_keys("keys", keys.size());
  Kokkos::View<int**, MemorySpace> const slot_of("slot_of", teams, keys.size());
  Kokkos::View<int, MemorySpace> const fresh("fresh");
  Kokkos::deep_copy(slots, araios::impl::hash_table<Key>::empty);
  Kokkos::deep_copy(
      device_keys,
      Kokkos::View<Key const*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
          keys.data(), keys.size()));
  Kokkos::parallel_for("test::insert_keys", Kokkos::TeamPolicy<Space>(space, teams, Kokkos::AUTO),
                       insert_keys<Key>{slots, device_keys, slot_of, fresh});
  space.fence();

  outcome<Key> result;
  auto const host_slots = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, slots);
  auto const host_slot_of = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, slot_of);
  result.slots.assign(host_slots.data(), host_slots.data() + table_size);
  Kokkos::deep_copy(result.fresh, fresh);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    result.slot_of.push_back(host_slot_of(0, i));
    for (int team = 1; team < teams; ++team)
      EXPECT_EQ(host_slot_of(team, i), host_slot_of(0, i))
          << "key " << keys[i] << ", team " << team;
  }
  return result;
}

/// Every key got one slot that holds it; no slot holds anything else.
template <class Key>
void expect_all_in(outcome<Key> const& result, std::vector<Key> const& keys) {
  std::set<Key> const distinct(keys.begin(), keys.end());
  EXPECT_EQ(result.fresh, static_cast<int>(distinct.size()));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    ASSERT_GE(result.slot_of[i], 0) << "key " << keys[i] << " found no slot";
    ASSERT_LT(result.slot_of[i], static_cast<int>(result.slots.size()));
    EXPECT_EQ(result.slots[static_cast<std::size_t>(result.slot_of[i])], keys[i]);
  }
  std::set<Key> stored;
  for (Key const slot : result.slots) {
    if (slot == araios::impl::hash_table<Key>::empty) continue;
    EXPECT_TRUE(stored.insert(slot).second) << "key " << slot << " is stored twice";
  }
  EXPECT_EQ(stored, distinct);
}

/// The keys 0, stride, 2 stride, ... as long as they fit their type.
template <class Key>
std::vector<Key> strided_keys(int count, Key stride) {
  std::vector<Key> keys;
  for (Key i = 0; i < count && i <= std::numeric_limits<Key>::max() / stride; ++i)
    keys.push_back(i * stride);
  return keys;
}

template <class Key>
class HashTable : public testing::Test {};
using Keys = testing::Types<int, std::int64_t>;
TYPED_TEST_SUITE(HashTable, Keys);

TYPED_TEST(HashTable, HoldsManyKeysThatRepeat) {
  std::vector<TypeParam> keys;
  for (int i = 0; i < 5000; ++i) keys.push_back(static_cast<TypeParam>((i * 37LL) % 611));
  for (int const size : {1024, 2048}) expect_all_in(insert(size, keys), keys);
}

TYPED_TEST(HashTable, TakesTheLargestKeys) {
  auto const largest = std::numeric_limits<TypeParam>::max();
  std::vector<TypeParam> const keys = {0, 1, largest, largest - 1, largest / 2};
  expect_all_in(insert(8, keys), keys);
}

// Contracts F04, F18: every table size in use, one key less than it has slots, as many, one more.
TYPED_TEST(HashTable, IsFullAtItsSizeAndNotBefore) {
  for (auto const bin : araios::tuning::spgemm_symbolic_bins) {
    for (int const count : {bin.table_size - 1, bin.table_size}) {
      auto const keys = strided_keys<TypeParam>(count, 3);
      expect_all_in(insert(bin.table_size, keys, 2), keys);
    }
  }
}

TYPED_TEST(HashTable, ReportsTheKeyThatDoesNotFit) {
  for (auto const bin : araios::tuning::spgemm_symbolic_bins) {
    auto const keys = strided_keys<TypeParam>(bin.table_size + 1, 3);
    auto const result = insert(bin.table_size, keys, 2);
    EXPECT_EQ(result.fresh, bin.table_size);
    int refused = 0;
    for (int const slot : result.slot_of) refused += slot == -1;
    EXPECT_EQ(refused, 1) << "of " << keys.size() << " keys in " << bin.table_size << " slots";
  }
}

// A full table ends every search, however many keys come.
TYPED_TEST(HashTable, EndsWhenFarTooManyKeysCome) {
  auto const keys = strided_keys<TypeParam>(4096, 1);
  auto const result = insert(32, keys, 2);
  EXPECT_EQ(result.fresh, 32);
  int refused = 0;
  for (int const slot : result.slot_of) refused += slot == -1;
  EXPECT_EQ(refused, 4096 - 32);
}

TYPED_TEST(HashTable, OfOneSlotHoldsOneKey) {
  EXPECT_EQ(insert<TypeParam>(1, {7}).fresh, 1);
  EXPECT_EQ(insert<TypeParam>(1, {7, 7, 7}).fresh, 1);
  EXPECT_EQ(insert<TypeParam>(1, {7, 8}).fresh, 1);
}

// Columns at a stride that is a power of two are what grids and blocks give. They must not meet in
// few slots.
TYPED_TEST(HashTable, SpreadsKeysAtStridesOfPowersOfTwo) {
  for (int const size : {32, 256, 8192}) {
    for (int power = 0; power < std::numeric_limits<TypeParam>::digits - 1; ++power) {
      auto const keys = strided_keys<TypeParam>(size / 2, TypeParam{1} << power);
      araios::impl::hash_table<TypeParam> const table{nullptr, size};
      std::set<int> first_slots;
      for (auto const key : keys) {
        int const slot = table.first_slot(key);
        ASSERT_GE(slot, 0);
        ASSERT_LT(slot, size);
        first_slots.insert(slot);
      }
      EXPECT_GE(4 * first_slots.size(), keys.size())
          << keys.size() << " keys at stride 2^" << power << " in " << size << " slots";
    }
  }
}

TYPED_TEST(HashTable, IsFilledByKeysAtStridesOfPowersOfTwo) {
  for (int const power : {1, 5, 10, 20}) {
    auto const keys = strided_keys<TypeParam>(512, TypeParam{1} << power);
    expect_all_in(insert(512, keys, 2), keys);
  }
}

}  // namespace
