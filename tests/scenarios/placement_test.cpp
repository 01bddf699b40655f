// SPDX-License-Identifier: Apache-2.0
// Tests the placement of jobs, and its explanation by `weft explain`, with the real programs.
#include <chrono>

#include <gmock/gmock.h>
#include <google/protobuf/util/time_util.h>

#include "base/status.h"
#include "tests/scenarios/scenario.h"

namespace weft::scenarios {
namespace {

using google::protobuf::util::TimeUtil;
using testing::HasSubstr;

class PlacementTest : public ScenarioTest {
 protected:
  v1::SubmitJobRequest request_on(const std::string& device, const std::string& input,
                                  const std::string& output) const {
    v1::SubmitJobRequest order = request(input, path(output));
    order.mutable_settings()->set_device(device);
    return order;
  }
  v1::ExplainJobResponse explain(const std::string& id) {
    v1::ExplainJobRequest request;
    request.set_id(id);
    v1::ExplainJobResponse response;
    EXPECT_TRUE(daemon_.jobs().ExplainJob(call_context().get(), request, &response).ok());
    return response;
  }
  // Returns the daemon's explanation of a waiting job, once its devices have learnt its cost.
  v1::ExplainJobResponse explain_with_costs(const std::string& id) {
    v1::ExplainJobResponse explained;
    EXPECT_TRUE(wait_until([&] {
      explained = explain(id);
      return explained.job().state() != v1::JOB_STATE_QUEUED ||
             (explained.predictions_size() > 0 && explained.predictions(0).has_finish() &&
              explained.predictions(0).unit_cost_source() == "learnt there");
    }));
    return explained;
  }

  Daemon daemon_{path("daemon"), {"--device", "cpu", "--device", "vulkan:0"}};
};

TEST_F(PlacementTest, ADeviceLearnsWhatWorkCostsAndExplainTellsWhenAJobWillBeDone) {
  ASSERT_TRUE(daemon_.start());
  EXPECT_TRUE(wait_until([&] {
    const auto cpu = daemon_.device("cpu");
    return cpu && cpu->rates().bytes_per_second() > 0;
  }));
  const std::string first = daemon_.submit(request_on("", clip(120), "first.mkv"));
  const std::string second = daemon_.submit(request_on("", clip(10), "second.mkv"));
  const v1::ExplainJobResponse waiting = explain_with_costs(second);
  ASSERT_EQ(waiting.job().state(), v1::JOB_STATE_QUEUED);
  ASSERT_EQ(waiting.predictions_size(), 1) << "software Vulkan takes only jobs that name it";
  const v1::DevicePrediction& prediction = waiting.predictions(0);
  EXPECT_EQ(prediction.device(), "cpu");
  EXPECT_TRUE(prediction.chosen());
  EXPECT_EQ(prediction.units(), 250);
  EXPECT_GT(TimeUtil::DurationToNanoseconds(prediction.running()), 0);
  EXPECT_EQ(TimeUtil::DurationToNanoseconds(prediction.ahead()), 0);
  EXPECT_NEAR(TimeUtil::DurationToMicroseconds(prediction.finish()),
              TimeUtil::DurationToMicroseconds(prediction.running() + prediction.own()), 2);
  EXPECT_GE(TimeUtil::DurationToNanoseconds(prediction.own()),
            250 * TimeUtil::DurationToNanoseconds(prediction.unit_cost()) - 1000);
  // The command line prints the same, in words and as JSON.
  std::string text;
  ASSERT_EQ(run({WEFT, "--server", daemon_.address(), "explain", second}, &text), 0);
  EXPECT_THAT(text, HasSubstr("- cpu: done in about "));
  EXPECT_THAT(text, HasSubstr("for its own 250 frames"));
  std::string json;
  ASSERT_EQ(run({WEFT, "--server", daemon_.address(), "--json", "explain", second}, &json), 0);
  EXPECT_THAT(json, HasSubstr(R"("predictions": [{"device": "cpu", "chosen": true, "finish": )"));
}

TEST_F(PlacementTest, AJobThatRunsIsExplainedByWhatWasPredictedWhenItWasPlaced) {
  ASSERT_TRUE(daemon_.start());
  const auto is_decided = [&] {
    const auto device = daemon_.device("vulkan:0");
    return !device || device->state() != v1::DEVICE_STATE_STARTING;
  };
  ASSERT_TRUE(wait_until(is_decided));
  if (!daemon_.device("vulkan:0")) GTEST_SKIP() << "There is no Vulkan device.";
  const std::string named = daemon_.submit(request_on("vulkan:0", clip(60), "named.mkv"));
  const std::string free = daemon_.submit(request_on("", clip(60), "free.mkv"));
  for (const std::string& id : {named, free})
    daemon_.wait_for(id, [](const v1::Job& job) { return job.state() == v1::JOB_STATE_RUNNING; });
  EXPECT_THAT(explain(named).reasons(1), "It was given to vulkan:0: its settings name that device.");
  const v1::ExplainJobResponse running = explain(free);
  EXPECT_THAT(running.reasons(1), "It was given to cpu: no other device takes it.");
  ASSERT_EQ(running.predictions_size(), 1);
  EXPECT_TRUE(running.predictions(0).has_finish());
}

}  // namespace
}  // namespace weft::scenarios
