// SPDX-License-Identifier: Apache-2.0
// Tests streams while the daemon stops, and on a device that is drained.
#include <csignal>

#include <gmock/gmock.h>

#include "tests/scenarios/stream_scenario.h"

namespace weft::scenarios {
namespace {

class StoppingScenario : public StreamScenario {
 protected:
  explicit StoppingScenario(const std::string& drain_timeout = "100000")
      : StreamScenario({"--device", "cpu", "--drain-timeout", drain_timeout}) {}

  void SetUp() override {
    StreamScenario::SetUp();
    auto opened = open_small(v1::STREAM_CLASS_NORMAL);
    ASSERT_THAT(opened, IsOk());
    stream_ = *std::move(opened);
    push(*stream_);
    push(*stream_);
    ASSERT_THAT(stream_->pull(), IsOk());
  }
  // Pulls all pictures. Returns the status at the end of the stream.
  Status end() {
    while (true) {
      const auto picture = stream_->pull();
      if (!picture.ok()) return picture.status();
      if (!picture->has_value()) return ok_status();
    }
  }

  std::unique_ptr<client::FrameStream> stream_;
};

TEST_F(StoppingScenario, AStreamThatLivesIsWaitedForAndNoneBegins) {
  daemon_.signal(SIGTERM);
  Status refused;
  ASSERT_TRUE(wait_until([&] { return !(refused = open_small(v1::STREAM_CLASS_NORMAL).status()).ok(); }));
  EXPECT_THAT(refused, StatusIs(StatusCode::kUnavailable, "The daemon stops"));
  push(*stream_);
  ASSERT_THAT(stream_->finish(), IsOk());
  EXPECT_THAT(end(), IsOk());
  EXPECT_EQ(stream_->report().frames_in(), 3);
  EXPECT_EQ(daemon_.wait_for_end(), 0);
}

TEST_F(StoppingScenario, ToldAgainTheDaemonEndsStreamsWithWords) {
  daemon_.signal(SIGTERM);
  ASSERT_TRUE(wait_until([&] { return !open_small(v1::STREAM_CLASS_NORMAL).ok(); }));
  daemon_.signal(SIGTERM);
  EXPECT_THAT(end(), StatusIs(StatusCode::kUnavailable, "The daemon stops"));
  EXPECT_EQ(daemon_.wait_for_end(), 0);
}

class ImpatientScenario : public StoppingScenario {
 protected:
  ImpatientScenario() : StoppingScenario("1") {}
};

TEST_F(ImpatientScenario, AfterTheDrainTimeStreamsEndWithWords) {
  daemon_.signal(SIGTERM);
  EXPECT_THAT(end(), StatusIs(StatusCode::kUnavailable, "The daemon stops"));
  EXPECT_EQ(daemon_.wait_for_end(), 0);
}

TEST_F(StoppingScenario, ADrainedDeviceIsDrainingWhileAStreamLivesOnIt) {
  ASSERT_EQ(shell("weft drain cpu"), 0);
  const auto draining = daemon_.device("cpu");
  ASSERT_TRUE(draining);
  EXPECT_EQ(draining->state(), v1::DEVICE_STATE_DRAINING);
  EXPECT_EQ(draining->reason(), "It finishes what it has (jobs: 0, streams: 1) and takes nothing else.");
  EXPECT_THAT(open_small(v1::STREAM_CLASS_NORMAL).status(), StatusIs(StatusCode::kUnavailable));
  ASSERT_THAT(stream_->finish(), IsOk());
  EXPECT_THAT(end(), IsOk());
  EXPECT_TRUE(wait_until([this] { return daemon_.device("cpu")->state() == v1::DEVICE_STATE_DRAINED; }));
}

}  // namespace
}  // namespace weft::scenarios
