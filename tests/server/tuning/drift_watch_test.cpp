// SPDX-License-Identifier: Apache-2.0
// Drift of launches, on a simulated device whose runs have noise.
#include "server/tuning/drift_watch.h"

#include <chrono>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "server/device/shapes.h"

namespace weft::tuning {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

const TunedPlace kPlace{"video/bob.uint8_t", 20};

// Launches of 2^20 to 2^21 lanes that take `per_lane` each, up to some noise longer; one in twenty is disturbed.
class NoisyWork {
 public:
  explicit NoisyWork(int seed) : random_(unsigned(seed)) {}
  DriftWatch::Launch launch(double per_lane) {
    const double lanes = std::uniform_real_distribution(1048576.0, 2097151.0)(random_);
    const double slower = std::abs(std::normal_distribution(0.0, 0.1)(random_));
    const bool is_disturbed = std::uniform_int_distribution(0, 19)(random_) == 0;
    return {lanes, lanes * per_lane * (1 + slower) * (is_disturbed ? 5 : 1)};
  }

 private:
  std::mt19937 random_;
};

class DriftWatchTest : public testing::Test {
 protected:
  DriftWatchTest() { watch_.know(kPlace, 1.5e-4); }
  void run(double per_lane, int launches, int seed = 1) {
    NoisyWork work(seed);
    for (int i = 0; i < launches; i++) watch_.add(kPlace, work.launch(per_lane));
  }

  DriftWatch watch_;
  TimePoint now_{};
};

TEST_F(DriftWatchTest, NoiseIsNoDrift) {
  for (int seed = 0; seed < 100; seed++) {
    DriftWatch watch;
    watch.know(kPlace, 1.5e-4);
    NoisyWork work(seed);
    for (int i = 0; i < 300; i++) {
      watch.add(kPlace, work.launch(1e-10));
      ASSERT_FALSE(watch.drift(now_).has_value()) << "seed " << seed;
    }
  }
}

TEST_F(DriftWatchTest, LaunchesThatTakeFarLongerThanTheTableSaysDrift) {
  run(4e-10, 15);
  const auto drift = watch_.drift(now_);
  ASSERT_TRUE(drift.has_value());
  EXPECT_EQ(drift->place, kPlace);
  EXPECT_TRUE(drift->is_of_table);
  EXPECT_GT(drift->ratio, 2);
  EXPECT_NE(drift->why().find("as long as the table says"), std::string::npos);
}

TEST_F(DriftWatchTest, LaunchesThatGetSlowerDrift) {
  run(1e-10, 60);
  EXPECT_FALSE(watch_.drift(now_).has_value());
  run(1.9e-10, 30, 2);  // of two sizes, in a window of any mixture
  const auto drift = watch_.drift(now_);
  ASSERT_TRUE(drift.has_value());
  EXPECT_FALSE(drift->is_of_table);
  EXPECT_NEAR(drift->ratio, 1.9, 0.25);
  EXPECT_NE(drift->why().find("as long as earlier launches"), std::string::npos);
  run(1e-10, 15, 3);  // it passed
  EXPECT_FALSE(watch_.drift(now_).has_value());
}

TEST_F(DriftWatchTest, APlaceIsTriedOnceForWhatStaysAsItIs) {
  run(4e-10, 15);
  ASSERT_TRUE(watch_.drift(now_).has_value());
  watch_.tried(kPlace, now_);
  now_ += minutes(60);
  run(4e-10, 300);
  EXPECT_FALSE(watch_.drift(now_).has_value());
  watch_.know(kPlace, 1e-4);  // as what was found says
  run(4e-10, 300);
  EXPECT_FALSE(watch_.drift(now_).has_value());
  run(8e-10, 15);
  EXPECT_TRUE(watch_.drift(now_).has_value());
}

TEST_F(DriftWatchTest, TriesAreFarApart) {
  const DriftRules rules;
  run(4e-10, 15);
  watch_.tried(kPlace, now_);
  run(4e-10, 15);
  run(8e-10, 15);
  EXPECT_FALSE(watch_.drift(now_ + rules.between_same - seconds(1)).has_value());
  EXPECT_TRUE(watch_.drift(now_ + rules.between_same).has_value());

  const TunedPlace other{"video/weave.uint8_t", 20};
  watch_.know(other, 1e-6);
  for (int i = 0; i < 15; i++) watch_.add(other, {1, 1});
  EXPECT_FALSE(watch_.drift(now_ + rules.between_tries - seconds(1)).has_value());
  EXPECT_EQ(watch_.drift(now_ + rules.between_tries)->place, other);
}

TEST_F(DriftWatchTest, PlacesThatTheTableHasNotAreNotWatched) {
  const TunedPlace other{"video/weave.uint8_t", 20};
  EXPECT_FALSE(watch_.knows(other));
  for (int i = 0; i < 30; i++) watch_.add(other, {1, double(i)});
  EXPECT_FALSE(watch_.drift(now_).has_value());
  watch_.know(other, 0);  // a table that does not say
  EXPECT_FALSE(watch_.knows(other));
}

TEST(NeighboursOf, AreOneStepAway) {
  const std::vector<device::BlockShape> shapes = {{64, 4}, {32, 1}, {32, 2},  {32, 4},  {32, 8},
                                                  {64, 1}, {64, 2}, {128, 1}, {128, 2}, {256, 1}};
  EXPECT_EQ(neighbours_of(shapes, {64, 4}), (std::vector<int>{0, 3, 4, 6, 8}));
  EXPECT_EQ(neighbours_of(shapes, {256, 1}), (std::vector<int>{9, 0, 7, 8}));
  EXPECT_TRUE(neighbours_of(shapes, {512, 1}).empty());
}

}  // namespace
}  // namespace weft::tuning
