// SPDX-License-Identifier: Apache-2.0
#include "server/worker/device/readings_watch.h"

#include <atomic>
#include <semaphore>

#include <gtest/gtest.h>

namespace weft::worker {
namespace {

// Returns temperatures of 1, 2, 3 ... degrees. Each read waits for permission.
class Steps final : public device::ReadingsSource {
 public:
  struct Gate {
    std::counting_semaphore<> may_read{0};
    std::atomic<int> reads = 0;  // number of reads that have begun
  };
  explicit Steps(Gate& gate) : gate_(gate) {}
  device::Readings read() override {
    const int number = ++gate_.reads;
    gate_.may_read.acquire();
    device::Readings readings;
    readings.temperature_celsius = number;
    return readings;
  }

 private:
  Gate& gate_;
};

TEST(ReadingsWatch, GivesTheNewestUntilItIsOld) {
  Steps::Gate gate;
  ReadingsWatch watch(std::make_unique<Steps>(gate), Duration(0));
  const auto now = [] { return std::chrono::steady_clock::now(); };
  EXPECT_FALSE(watch.latest(now())) << "a driver that does not answer keeps nobody waiting";
  gate.may_read.release(2);
  // The third read has begun, so the second result is stored.
  while (gate.reads < 3) std::this_thread::yield();
  const auto latest = watch.latest(now());
  ASSERT_TRUE(latest);
  EXPECT_EQ(latest->temperature_celsius, 2);
  EXPECT_FALSE(latest->power_watts);
  EXPECT_FALSE(watch.latest(now() + ReadingsWatch::kOld + std::chrono::seconds(1)));
  gate.may_read.release(1000000);  // lets the watch end
}

}  // namespace
}  // namespace weft::worker
