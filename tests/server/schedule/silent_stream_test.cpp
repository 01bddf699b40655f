// SPDX-License-Identifier: Apache-2.0
// Tests REALTIME streams without frames. The device is reserved for them for a while, then
// available to all sources, and reserved again from their next frame on.
#include <gtest/gtest.h>

#include "server/schedule/stream_load.h"
#include "tests/server/schedule/simulated_device.h"

namespace weft::schedule {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Returns a stream of 400 frames a second that take 0.8 ms each, with a deadline of 2 ms. A unit of
// 5 ms of a job makes a frame late whenever it runs.
SimulatedStream fast_stream(SourceId id) {
  SimulatedStream stream = stream_of(id, milliseconds_of(2.5), milliseconds_of(0.8));
  stream.spec.deadline = milliseconds(2);
  return stream;
}
constexpr Duration kUnit = milliseconds(5);

class SilentStream : public testing::Test {
 protected:
  void add(SimulatedStream stream, bool is_silent) {
    if (is_silent) stream.drop_chance = 1;
    ASSERT_TRUE(device_.add_stream(std::move(stream)));
  }
  // Adds a job with a known cost, so that no batch is needed to measure it.
  void add_job(Duration unit) {
    SimulatedJob job = job_of(kJob, unit, 4);
    for (int i = 0; i < 12; i++) device_.state().costs[job.spec.cost_key].learn(1, unit);
    device_.add_job(job);
  }
  // Returns the job's device time during the next `time`, as a fraction of it.
  double part_used(Duration time) {
    const Duration before = device_.used(kJob);
    device_.run_for(time);
    return double((device_.used(kJob) - before).count()) / double(time.count());
  }
  SimulatedDevice device_{1};
};

TEST_F(SilentStream, ReservesNothingAfterASecond) {
  add(fast_stream(1), true);
  add(fast_stream(3), true);
  add_job(kUnit);
  EXPECT_LT(part_used(kLeastSilence - milliseconds(1)), 0.02) << "frames may come";
  EXPECT_GT(part_used(seconds(10)), 0.98);
}

TEST_F(SilentStream, ReservesNothingAfterTenPeriodsThatAreLonger) {
  SimulatedStream slow = stream_of(kStream, milliseconds(400), milliseconds(300));
  slow.spec.deadline = milliseconds(302);
  add(slow, true);
  add_job(milliseconds(25));  // more than the permitted delay of a frame, a twentieth of its period
  EXPECT_LT(part_used(kSilentPeriods * milliseconds(400) - milliseconds(1)), 0.02);
  EXPECT_GT(part_used(seconds(10)), 0.98);
}

TEST_F(SilentStream, HasItsTimeAgainFromItsNextFrameOn) {
  add(fast_stream(kStream), false);
  add_job(kUnit);
  device_.run_for(seconds(3));
  device_.stream(kStream).drop_chance = 1;
  device_.run_for(seconds(3));
  EXPECT_GT(part_used(seconds(2)), 0.98);
  const size_t before = device_.frames(kStream).size();
  device_.stream(kStream).drop_chance = 0;
  device_.run_for(seconds(3));
  const auto& frames = device_.frames(kStream);
  ASSERT_GT(frames.size(), before + 1000);
  size_t late = 0;
  for (size_t i = before; i < frames.size(); i++)
    late += frames[i].end - frames[i].arrival > milliseconds(2) ? 1 : 0;
  // Frames may be late if they arrive while the device ends its current work, within the schedule's
  // reaction time, or if they wait for such frames.
  EXPECT_LE(late, size_t(2 * device_.state().limits.reaction / milliseconds_of(2.5)));
  EXPECT_LT(part_used(milliseconds(500)), 0.02) << "a unit would make a frame late again";
}

TEST_F(SilentStream, LeavesTheTimeOfOthersAlone) {
  add(fast_stream(1), true);
  SimulatedStream other = fast_stream(3);
  other.spec.first_frame = device_.now();
  add(other, false);
  add_job(kUnit);
  device_.run_for(seconds(5));
  for (const auto& frame : device_.frames(3)) EXPECT_LE(frame.end - frame.arrival, milliseconds(2));
}

TEST_F(SilentStream, IsSaidToReserveNothing) {
  add(fast_stream(kStream), true);
  device_.run_for(milliseconds(900));
  EXPECT_NEAR(predicted_load(device_.state(), device_.now()), 0.32, 1e-6);
  EXPECT_NEAR(reservation_of(device_.state(), kStream, device_.now()).load, 0.32, 1e-6);
  EXPECT_EQ(reservation_of(device_.state(), kStream, device_.now()).silent, milliseconds(900));
  device_.run_for(milliseconds(200));
  EXPECT_EQ(predicted_load(device_.state(), device_.now()), 0);
  EXPECT_EQ(reservation_of(device_.state(), kStream, device_.now()).load, 0);
  EXPECT_EQ(reservation_of(device_.state(), kStream, device_.now()).silent, milliseconds(1100));
  EXPECT_TRUE(keeps_deadlines(device_.state(), seconds(10), device_.now())) << "there is none";
}

TEST_F(SilentStream, KeepsItsPlaceAmongStreams) {
  add(fast_stream(1), true);
  add(fast_stream(3), true);
  device_.run_for(seconds(5));
  EXPECT_FALSE(device_.add_stream(fast_stream(5))) << "three do not fit once they send again";
}

}  // namespace
}  // namespace weft::schedule
