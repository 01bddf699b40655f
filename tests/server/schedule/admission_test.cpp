// SPDX-License-Identifier: Apache-2.0
#include "server/schedule/admission.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/schedule/simulated_device.h"

namespace weft::schedule {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using Kind = AdmissionRefusal::Kind;

TEST(AdmissionDecision, ASumOfLoadsBelowTheLimitIsAdmitted) {
  const std::vector<StreamLoad> streams = {{milliseconds(20), milliseconds(6), {}}};
  const AdmissionDecision fits = admit(streams, {milliseconds(20), milliseconds(8), {}}, 0.1);
  EXPECT_TRUE(fits.admitted);
  EXPECT_NEAR(fits.load, 0.8, 1e-9);
}

TEST(AdmissionDecision, PastTheLimitTheRefusalNamesTheNumbers) {
  const std::vector<StreamLoad> streams = {{milliseconds(20), milliseconds(10), {}}};
  const AdmissionDecision refused = admit(streams, {milliseconds(20), milliseconds(8), {}}, 0);
  ASSERT_FALSE(refused.admitted);
  EXPECT_EQ(refused.refusal.kind, Kind::kLoad);
  const Status status = refused.refusal.to_status();
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  for (const char* text : {"90%", "limit 85%", "35% are free", "8.00 ms", "at least 22.86 ms"})
    EXPECT_THAT(std::string(status.message()), HasSubstr(text));
  const AdmissionDecision slower =
      admit(streams, {refused.refusal.fitting_period + microseconds(1), milliseconds(8), {}}, 0);
  EXPECT_TRUE(slower.admitted) << "what is said to fit does";
}

TEST(AdmissionDecision, AFrameOfEachMustFitTheShortestDeadline) {
  const std::vector<StreamLoad> streams = {{milliseconds(4), milliseconds(1), {}}};
  const AdmissionDecision refused = admit(streams, {milliseconds(100), milliseconds(5), {}}, 0);
  ASSERT_FALSE(refused.admitted) << "six milliseconds of frames, four of time";
  EXPECT_EQ(refused.refusal.kind, Kind::kDelay);
  EXPECT_THAT(std::string(refused.refusal.to_status().message()), HasSubstr("6.00 ms"));
}

TEST(AdmissionDecision, AnUnknownCostIsNotGuessed) {
  const AdmissionDecision refused = admit({}, {milliseconds(4), Duration(0), {}}, 0);
  ASSERT_FALSE(refused.admitted);
  EXPECT_EQ(refused.refusal.kind, Kind::kCostUnknown);
  EXPECT_EQ(refused.refusal.to_status().code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(admit({}, {Duration(0), milliseconds(1), {}}, 0).refusal.to_status().code(),
            StatusCode::kInvalidArgument);
}

TEST(AdmissionDecision, ADeviceCountsItsStreamsAndOthersLoad) {
  SimulatedDevice device(1);
  EXPECT_TRUE(device.add_stream(stream_of(1, milliseconds(10), milliseconds(4))));
  EXPECT_FALSE(device.add_stream(stream_of(2, milliseconds(10), milliseconds(5))));
  EXPECT_TRUE(device.add_stream(stream_of(3, milliseconds(10), milliseconds(4))));
  device.post(StopAsked{1});
  device.run_for(milliseconds(20));
  device.post(Presence{true, 0.5, device.now()});
  EXPECT_FALSE(device.add_stream(stream_of(4, milliseconds(10), milliseconds(1)))) << "0.4 + 0.5 + 0.1";
  EXPECT_NEAR(predicted_load(device.state(), device.now()), 0.9, 1e-6);
}

// Admitted streams meet their deadlines as long as their costs are as measured.
TEST(AdmissionDecision, AdmittedStreamsKeepTheirDeadlines) {
  for (unsigned seed = 1; seed <= 40; seed++) {
    std::mt19937 random(seed);
    SimulatedDevice device(seed);
    int admitted = 0;
    for (SourceId id = 1; id <= 8; id++) {
      const Duration period = microseconds(4'000 + random() % 40'000);
      const Duration cost = microseconds(200 + random() % 6'000);
      SimulatedStream stream = stream_of(id, period, cost);
      stream.spec.first_frame = device.now() + period;  // known phase, so that no frame may be late
      admitted += device.add_stream(stream) ? 1 : 0;
      device.run_for(microseconds(random() % 50'000));
    }
    ASSERT_GE(admitted, 1);
    SimulatedJob job = job_of(100, microseconds(100), 64);
    for (const int n : {1, 2, 4, 8, 16, 32})
      device.state().costs[job.spec.cost_key].learn(n, microseconds(100) * n);
    device.add_job(job);
    device.run_for(seconds(10));
    EXPECT_EQ(device.state().period.totals().misses, 0) << "seed " << seed << ", " << admitted << " streams";
    EXPECT_GT(device.state().period.totals().frames, 100);
  }
}

}  // namespace
}  // namespace weft::schedule
