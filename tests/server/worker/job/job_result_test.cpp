// SPDX-License-Identifier: Apache-2.0
#include "server/worker/job/job_result.h"

#include <gtest/gtest.h>

#include "server/worker/job/limit_meter.h"
#include "server/worker/job/rate_meter.h"

namespace weft::worker {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(JobResult, AttemptsAddUpAndCountsOfTheWholeJobDoNot) {
  JobMeter first;
  first.decode.units = 10;
  first.decode.busy_ns = Duration(seconds(2)).count();
  first.device_ns = Duration(seconds(1)).count();
  first.units_done = 9;
  first.outputs_done = 18;
  const v1::JobResult earlier = add_up({}, first, seconds(5));
  JobMeter second;
  second.decode.units = 7;
  second.decode.busy_ns = Duration(milliseconds(500)).count();
  second.units_done = 15;
  second.outputs_done = 30;
  const v1::JobResult result = add_up(earlier, second, seconds(3));
  EXPECT_EQ(result.units_in(), 15);
  EXPECT_EQ(result.units_out(), 30);
  EXPECT_EQ(result.wall_time().seconds(), 8);
  EXPECT_EQ(result.gpu_time().seconds(), 1);
  ASSERT_EQ(result.stages_size(), 4);
  EXPECT_EQ(result.stages(0).stage(), "decode");
  EXPECT_EQ(result.stages(0).units(), 17);
  EXPECT_EQ(result.stages(0).busy().seconds(), 2);
  EXPECT_EQ(result.stages(0).busy().nanos(), 500'000'000);
}

TEST(Progress, HasATimeToGoOnlyWhenTotalAndRateAreKnown) {
  JobMeter meter;
  meter.units_done = 50;
  EXPECT_FALSE(progress_of(meter, 10, "processing").has_eta());
  meter.units_total = 100;
  EXPECT_FALSE(progress_of(meter, 0, "processing").has_eta());
  const v1::JobProgress progress = progress_of(meter, 10, "processing");
  EXPECT_EQ(progress.eta().seconds(), 5);
  EXPECT_EQ(progress.units_total(), 100);
}

TEST(Progress, AnEstimateThatWasTooLowIsForgotten) {
  JobMeter meter;
  meter.units_done = 120;
  meter.units_total = 100;
  const v1::JobProgress progress = progress_of(meter, 10, "processing");
  EXPECT_EQ(progress.units_total(), 0);
  EXPECT_FALSE(progress.has_eta());
}

TEST(Progress, IsNeverNoTimeFromAnEndThatIsNotThere) {
  JobMeter meter;
  meter.units_total = 100;
  meter.units_done = 99;
  EXPECT_EQ(progress_of(meter, 1000, "processing").eta().seconds(), 1);
  meter.units_done = 100;
  const v1::JobProgress progress = progress_of(meter, 1000, "finishing");
  EXPECT_EQ(progress.units_total(), 100);
  EXPECT_FALSE(progress.has_eta());
}

// A job opens its files and its device before the first unit.
TEST(RateMeter, TheTimeBeforeTheFirstUnitDoesNotCount) {
  RateMeter meter(seconds(5));
  const TimePoint begin{};
  for (int tenth = 0; tenth <= 30; tenth++) EXPECT_EQ(meter.update(0, begin + milliseconds(100 * tenth)), 0);
  EXPECT_EQ(meter.update(20, begin + milliseconds(3200)), 0) << "the window is too short";
  EXPECT_DOUBLE_EQ(meter.update(100, begin + milliseconds(4000)), 100);
}

TEST(RateMeter, IsTheRateOverTheLastSeconds) {
  RateMeter meter(seconds(5));
  TimePoint now{};
  EXPECT_EQ(meter.update(0, now), 0);
  int64_t units = 0;
  for (int i = 0; i < 100; i++) meter.update(units += 10, now += milliseconds(100));
  EXPECT_NEAR(meter.update(units += 10, now += milliseconds(100)), 100, 3);
  for (int i = 0; i < 100; i++) meter.update(units += 1, now += milliseconds(100));
  EXPECT_NEAR(meter.update(units, now), 10, 1) << "what was more than five seconds ago is forgotten";
}

// Returns the reported limit after each stage has worked for this time in every second.
std::string_view limit_after(LimitMeter& limit, JobMeter& meter, milliseconds decoding, milliseconds device,
                             milliseconds encoding) {
  TimePoint now{};
  std::string_view reported = limit.update(meter, now);
  EXPECT_EQ(reported, "");
  for (int i = 0; i < 100; i++) {
    meter.decode.busy_ns += Duration(decoding).count() / 10;
    meter.device_ns += Duration(device).count() / 10;
    meter.encode.busy_ns += Duration(encoding).count() / 10;
    reported = limit.update(meter, now += milliseconds(100));
  }
  return reported;
}

TEST(LimitMeter, IsTheStageThatIsAtWorkForMostOfTheTime) {
  const auto reported = [](int decoding, int device, int encoding) {
    LimitMeter limit;
    JobMeter meter;
    return limit_after(limit, meter, milliseconds(decoding), milliseconds(device), milliseconds(encoding));
  };
  EXPECT_EQ(reported(950, 20, 300), "decoding");
  EXPECT_EQ(reported(100, 980, 300), "device");
  EXPECT_EQ(reported(100, 400, 700), "encoding");
  EXPECT_EQ(reported(100, 400, 450), "") << "nobody is busy";
}

TEST(LimitMeter, IsTheDiskWhereFileCallsTakeMostOfAStage) {
  LimitMeter limit;
  JobMeter meter;
  const media::WatchFileCalls watch(&meter.file_calls);
  const TimePoint begin = std::chrono::steady_clock::now();
  EXPECT_EQ(limit.update(meter, begin), "");
  const media::FileCall call("read", "a.ts");
  meter.decode.busy_ns = Duration(seconds(2)).count();
  EXPECT_EQ(limit.update(meter, begin + seconds(2)), "disk") << "the call lasts";
}

}  // namespace
}  // namespace weft::worker
