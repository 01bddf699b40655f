// SPDX-License-Identifier: Apache-2.0
// Tests the search for the fastest shape on a simulated device with noisy times.
#include "server/tuning/shape_sweep.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace weft::tuning {
namespace {

// A device on which shape i takes times[i]. Each run takes up to `noise` of that longer, and some
// runs are disturbed.
class NoisyDevice {
 public:
  NoisyDevice(std::vector<double> times, double noise, int seed)
      : times_(std::move(times)), noise_(noise), random_(unsigned(seed)) {}

  double run(int shape) {
    runs_++;
    const double slower = std::abs(std::normal_distribution(0.0, noise_)(random_));
    const bool is_disturbed = std::uniform_int_distribution(0, 19)(random_) == 0;
    return times_[size_t(shape)] * (1 + slower) * (is_disturbed ? 3 : 1);
  }
  int runs() const { return runs_; }

 private:
  std::vector<double> times_;
  double noise_;
  std::mt19937 random_;
  int runs_ = 0;
};

SweepResult sweep_on(NoisyDevice& device, ShapeSweep& sweep) {
  while (!sweep.is_done()) {
    for (const int shape : sweep.round()) sweep.add(shape, device.run(shape));
    sweep.end_round();
  }
  return sweep.result();
}

std::vector<double> times_with(int shapes, double planted_gain) {
  std::vector<double> times(size_t(shapes), 1e-4);
  for (size_t i = 1; i < times.size(); i++) times[i] = 1e-4 * (1.05 + 0.1 * double(i));
  if (planted_gain != 0) times[size_t(shapes) / 2] = 1e-4 * (1 - planted_gain);
  return times;
}

TEST(SignTest, IsTheBinomialTail) {
  EXPECT_NEAR(sign_test(0, 5), 1, 1e-12);
  EXPECT_NEAR(sign_test(5, 5), 1.0 / 32, 1e-12);
  EXPECT_NEAR(sign_test(8, 10), (45 + 10 + 1) / 1024.0, 1e-12);
  EXPECT_EQ(sign_test(6, 5), 0);
}

TEST(ShapeSweep, FindsThePlantedShape) {
  for (int seed = 0; seed < 50; seed++) {
    NoisyDevice device(times_with(10, 0.1), 0.01, seed);
    ShapeSweep sweep(10);
    const SweepResult found = sweep_on(device, sweep);
    EXPECT_EQ(found.chosen, 5) << "seed " << seed;
    EXPECT_GE(found.confidence, 0.95);
    EXPECT_NEAR(found.gain, 0.1, 0.02);
    EXPECT_NEAR(found.default_seconds, 1e-4, 3e-6);
    EXPECT_GE(found.worst, 7);  // The shape was dropped after few runs.
  }
}

TEST(ShapeSweep, DropsSlowShapesAfterAFewRounds) {
  NoisyDevice device(times_with(10, 0.2), 0.002, 7);
  ShapeSweep sweep(10);
  sweep_on(device, sweep);
  const SweepRules rules;
  EXPECT_LT(device.runs(), 10 * rules.probe_rounds + 4 * rules.most_rounds);
}

TEST(ShapeSweep, EndsEarlyWhereNoShapeCanBeFastEnough) {
  for (int seed = 0; seed < 50; seed++) {
    NoisyDevice device(std::vector<double>(10, 1e-4), 0.0005, seed);
    ShapeSweep sweep(10);
    EXPECT_EQ(sweep_on(device, sweep).chosen, 0);
    EXPECT_LE(device.runs(), 10 * (SweepRules().probe_rounds + 1));
  }
}

// The gain is just above the smallest one that is used.
TEST(ShapeSweep, FindsASmallGain) {
  int found = 0;
  for (int seed = 0; seed < 100; seed++) {
    NoisyDevice device(times_with(10, 0.03), 0.005, seed);
    ShapeSweep sweep(10);
    if (sweep_on(device, sweep).chosen == 5) found++;
  }
  EXPECT_GE(found, 95);
}

TEST(ShapeSweep, KeepsTheDefaultWhereNothingIsFaster) {
  int changed = 0;
  for (int seed = 0; seed < 400; seed++) {
    NoisyDevice device(std::vector<double>(10, 1e-4), 0.05, seed);
    ShapeSweep sweep(10);
    if (sweep_on(device, sweep).chosen != 0) changed++;
  }
  EXPECT_LE(changed, 400 * 0.05);
}

TEST(ShapeSweep, KeepsTheDefaultWhereTheGainIsTooSmall) {
  for (int seed = 0; seed < 50; seed++) {
    NoisyDevice device(times_with(6, 0.01), 0.001, seed);
    ShapeSweep sweep(6);
    EXPECT_EQ(sweep_on(device, sweep).chosen, 0);
  }
}

TEST(ShapeSweep, LeavesOutAShapeThatFails) {
  NoisyDevice device(times_with(10, 0.1), 0.01, 3);
  ShapeSweep sweep(10);
  int rounds = 0;
  while (!sweep.is_done()) {
    for (const int shape : sweep.round()) {
      if (shape == 2) {
        sweep.fail(2, "It gives other bytes.");
      } else if (shape != 3 || rounds < 2) {  // The third shape stops answering.
        sweep.add(shape, device.run(shape));
      }
    }
    sweep.end_round();
    rounds++;
  }
  EXPECT_EQ(sweep.result().chosen, 5);
  EXPECT_EQ(sweep.fault(2), "It gives other bytes.");
  EXPECT_NE(sweep.fault(3), "");
  const std::vector<std::string> names = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};
  EXPECT_NE(sweep.reason(names).find("c is left out: It gives other bytes."), std::string::npos);
}

TEST(ShapeSweep, EndsWhenTheDefaultFails) {
  ShapeSweep sweep(4);
  sweep.fail(0, "The device is lost.");
  EXPECT_TRUE(sweep.is_done());
  EXPECT_TRUE(sweep.round().empty());
  EXPECT_EQ(sweep.result().chosen, 0);
  EXPECT_EQ(sweep.reason({"a", "b", "c", "d"}), "The default fails: The device is lost.");
}

TEST(ShapeSweep, OneShapeNeedsNoRuns) {
  ShapeSweep sweep(1);
  EXPECT_TRUE(sweep.is_done());
  EXPECT_EQ(sweep.result().chosen, 0);
}

TEST(ShapeSweep, EachShapeComesFirstInTurn) {
  ShapeSweep sweep(4);
  for (int i = 0; i < 4; i++) {
    const std::vector<int> order = sweep.round();
    ASSERT_EQ(order.size(), 4u);
    EXPECT_EQ(order.front(), i);
    for (const int shape : order) sweep.add(shape, 1e-3);
    sweep.end_round();
  }
}

TEST(ShapeSweep, EndsAfterSoManySeconds) {
  // twice as fast, but without the time for a second run of each
  NoisyDevice device({8, 4}, 0.001, 1);
  ShapeSweep sweep(2, {.most_seconds = 20});
  const SweepResult result = sweep_on(device, sweep);
  EXPECT_LE(device.runs(), 4);
  EXPECT_EQ(result.chosen, 0);  // Two rounds are not enough to choose a shape.
  EXPECT_GT(result.default_seconds, result.worst_seconds - 1e-9);
}

}  // namespace
}  // namespace weft::tuning
