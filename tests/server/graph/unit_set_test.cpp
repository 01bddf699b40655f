// SPDX-License-Identifier: Apache-2.0
#include "server/graph/unit_set.h"

#include <random>
#include <set>

#include <gtest/gtest.h>

namespace weft::graph {
namespace {

constexpr int64_t kUnits = 60;  // number of units that are compared

// A set by its definition, unit by unit. It is large enough for windows that reach in from outside.
using Plain = std::set<int64_t>;
Plain plain_of(const UnitSet& set) {
  Plain plain;
  for (int64_t unit = -kUnits; unit < 2 * kUnits; unit++)
    if (set.has(unit)) plain.insert(unit);
  return plain;
}

UnitSet random_set(std::mt19937& random) {
  if (random() % 3 == 0) return UnitSet::of_every(1 + int64_t(random() % 6));
  UnitSet set;
  for (int64_t unit = 0; unit < kUnits; unit++)
    if (random() % 5 == 0) set.add(unit, unit + 1 + int64_t(random() % 3));
  return set;
}

TEST(UnitSet, AWindowTakesEachUnitThatItLooksAt) {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; i++) {
    const UnitSet set = random_set(random);
    const Window window{int(random() % 5), int(random() % 5)};
    const UnitSet around = set.around(window);
    const Plain plain = plain_of(set);
    for (int64_t unit = 0; unit < kUnits; unit++) {
      bool is_read = false;
      for (int64_t of = unit - window.after; of <= unit + window.before; of++)
        is_read = is_read || plain.contains(of);
      ASSERT_EQ(around.has(unit), is_read) << i << ", unit " << unit;
    }
  }
}

TEST(UnitSet, AUnionHasTheUnitsOfBoth) {
  std::mt19937 random(2);
  for (int i = 0; i < 2000; i++) {
    const UnitSet a = random_set(random), b = random_set(random);
    UnitSet both = a;
    both.add(b);
    for (int64_t unit = 0; unit < kUnits; unit++) {
      if (a.has(unit) || b.has(unit)) {
        ASSERT_TRUE(both.has(unit)) << i << ", unit " << unit;
      } else {
        ASSERT_TRUE(both.is_all() || !both.has(unit)) << i << ", unit " << unit;
      }
    }
  }
}

TEST(UnitSet, AScaledSetHasTheMultiplesOfItsUnits) {
  std::mt19937 random(3);
  for (int i = 0; i < 500; i++) {
    const UnitSet set = random_set(random);
    const int64_t factor = 1 + int64_t(random() % 4);
    const UnitSet scaled = set.scaled(factor);
    for (int64_t unit = 0; unit < kUnits; unit++)
      ASSERT_EQ(scaled.has(unit), unit % factor == 0 && set.has(unit / factor)) << i << ", unit " << unit;
  }
}

TEST(UnitSet, EveryUnitIsAll) {
  EXPECT_TRUE(UnitSet::of_every(1).is_all());
  EXPECT_TRUE(UnitSet::of_every(3).around({1, 1}).is_all());
  EXPECT_TRUE(UnitSet::of_every(UnitSet::kMostPeriod + 1).is_all()) << "a period beyond the limit";
  EXPECT_TRUE(UnitSet().is_none());
}

}  // namespace
}  // namespace weft::graph
