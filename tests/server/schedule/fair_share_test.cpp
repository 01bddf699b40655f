// SPDX-License-Identifier: Apache-2.0
// Tests the shares of an overloaded device: weights, owners, classes, priorities and aging.
#include <gtest/gtest.h>

#include "server/schedule/durations.h"
#include "tests/server/schedule/simulated_device.h"

namespace weft::schedule {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

SimulatedJob job(SourceId id, const std::string& owner, Duration unit) {
  SimulatedJob result = job_of(id, unit, 64);
  result.spec.owner = owner;
  result.cost.noise = 0.1;
  return result;
}

TEST(FairShares, EqualOwnersGetEqualTimeWhateverTheirUnitsCost) {
  SimulatedDevice device(1);
  for (SourceId i = 1; i <= 5; i++)
    device.add_job(job(i, "owner " + std::to_string(i), microseconds(300 * i * i)));
  device.run_for(seconds(60));
  std::vector<double> shares;
  for (SourceId i = 1; i <= 5; i++) shares.push_back(seconds_of(device.used(i)));
  EXPECT_GE(jain(shares), 0.99);
}

TEST(FairShares, WeightsAreKeptWithinTwoPoints) {
  SimulatedDevice device(2);
  SimulatedJob heavy = job(1, "a", milliseconds(3)), light = job(2, "b", microseconds(700));
  heavy.spec.owner_weight = 3;
  device.add_job(heavy);
  device.add_job(light);
  device.run_for(seconds(60));
  EXPECT_NEAR(seconds_of(device.used(1)) / 60, 0.75, 0.02);
  EXPECT_NEAR(seconds_of(device.used(2)) / 60, 0.25, 0.02);
}

TEST(FairShares, AnOwnerGainsNothingByManyJobsAndSharesHisPartAmongThem) {
  SimulatedDevice device(3);
  for (SourceId i = 1; i <= 4; i++) {
    SimulatedJob mine = job(i, "busy", milliseconds(1));
    if (i == 4) mine.spec.weight = 2;
    device.add_job(mine);
  }
  device.add_job(job(9, "modest", milliseconds(1)));
  device.run_for(seconds(60));
  EXPECT_NEAR(seconds_of(device.used(9)) / 60, 0.5, 0.02);
  EXPECT_NEAR(seconds_of(device.used(1)) / 60, 0.1, 0.02);
  EXPECT_NEAR(seconds_of(device.used(4)) / 60, 0.2, 0.02);
}

TEST(FairShares, HoldBesideAStreamToo) {
  SimulatedDevice device(4);
  ASSERT_TRUE(device.add_stream(stream_of(50, milliseconds(10), milliseconds(4))));
  SimulatedJob heavy = job(1, "a", microseconds(200)), light = job(2, "b", microseconds(100));
  heavy.spec.owner_weight = 3;
  device.add_job(heavy);
  device.add_job(light);
  device.run_for(seconds(60));
  const double a = seconds_of(device.used(1)), b = seconds_of(device.used(2));
  EXPECT_NEAR(a / (a + b), 0.75, 0.02);
}

TEST(FairShares, WhoPausedHasSavedNothingUp) {
  SimulatedDevice device(5);
  device.add_job(job(1, "a", milliseconds(2)));
  device.add_job(job(2, "b", milliseconds(2)));
  device.post(UnitsReady{2, 0});
  device.run_for(seconds(20));
  device.post(UnitsReady{2, 1 << 30});
  const Duration before = device.used(1);
  device.run_for(seconds(10));
  EXPECT_NEAR(seconds_of(device.used(1) - before) / 10, 0.5, 0.02);
}

TEST(FairShares, WhoseUnitsComeSlowlyGetsThemAllDone) {
  SimulatedDevice device(6);
  SimulatedJob slow = job(1, "a", milliseconds(5));
  slow.units = 200;
  slow.unit_interval = milliseconds(50);
  device.add_job(slow);
  device.add_job(job(2, "b", milliseconds(2)));
  device.run_for(seconds(11));
  EXPECT_EQ(device.done(1), 200);
  EXPECT_TRUE(device.drained(1));
}

TEST(Classes, NormalGoesBeforeSpareAndHigherPriorityFirst) {
  SimulatedDevice device(7);
  SimulatedJob spare = job(1, "a", milliseconds(2)), normal = job(2, "b", milliseconds(2)), urgent = normal;
  spare.spec.work_class = SourceClass::kSpare;
  spare.spec.priority = 1000;
  urgent.spec.id = 3;
  urgent.spec.priority = 5;
  urgent.units = 2000;
  device.add_job(spare);
  device.add_job(normal);
  device.add_job(urgent);
  device.run_for(seconds(3));
  const Duration first = device.used(1) + device.used(2);
  EXPECT_LE(first, milliseconds(100)) << "what was started before";
  device.run_for(seconds(10));
  EXPECT_EQ(device.done(3), 2000);
  EXPECT_LE(device.used(1), milliseconds(50));
  EXPECT_GE(device.used(2), seconds(8));
}

TEST(Classes, AChangeOfPriorityActsWithinTheReactionTime) {
  SimulatedDevice device(8);
  for (SourceId i = 1; i <= 2; i++) {
    SimulatedJob one = job(i, "a", milliseconds(2));
    one.cost.noise = 0;
    one.spec.priority = int(10 - i);
    device.add_job(one);
  }
  device.run_for(seconds(5));
  const TimePoint changed = device.now();
  const size_t before = device.started().size();
  device.post(SourceChanged{2, SourceClass::kNormal, 100, 1, 1});
  device.run_for(seconds(1));
  EXPECT_LE(device.started()[before].time - changed, milliseconds(50));
  for (size_t i = before; i < device.started().size(); i++) EXPECT_EQ(device.started()[i].source, 2u);
  EXPECT_LE(device.started()[before].end - changed, milliseconds(50) + milliseconds(20));
}

TEST(Classes, AStopActsWithinTheReactionTime) {
  SimulatedDevice device(9);
  device.add_job(job(1, "a", milliseconds(2)));
  device.run_for(seconds(5));
  device.post(StopAsked{1});
  device.run_for(milliseconds(55));
  EXPECT_TRUE(device.drained(1));
}

TEST(Aging, NobodyWaitsPastTheLimit) {
  SimulatedDevice device(10);
  device.state().limits.aging = seconds(3);
  device.add_job(job(1, "a", milliseconds(2)));
  for (SourceId i = 2; i <= 6; i++) {
    SimulatedJob low = job(i, "low " + std::to_string(i), milliseconds(2));
    low.spec.work_class = SourceClass::kSpare;
    low.spec.priority = -int(i);
    device.add_job(low);
  }
  device.run_for(seconds(60));
  std::map<SourceId, TimePoint> last;
  for (const auto& batch : device.started()) {
    EXPECT_LE(batch.time - last[batch.source], seconds(3) + milliseconds(200)) << batch.source;
    last[batch.source] = batch.time;
  }
  for (SourceId i = 1; i <= 6; i++) EXPECT_GE(last[i], TimePoint{} + seconds(56)) << i;
  EXPECT_GE(device.used(1), seconds(57)) << "aging costs the others little";
}

}  // namespace
}  // namespace weft::schedule
