// SPDX-License-Identifier: Apache-2.0
// Tests jobs that share the sessions of a GPU's encoder, with the real programs and a worker with a
// stand-in for NVENC (nvenc_stand_in.cpp).
#include <csignal>

#include <gmock/gmock.h>

#include "tests/scenarios/scenario.h"

namespace weft::scenarios {
namespace {

using testing::HasSubstr;

class EncoderSessionsTest : public ScenarioTest {
 protected:
  void start(int sessions, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"--device",      "cpu", "--jobs-per-device", "3",
                                          "--cpu-threads", "1",   "--worker",          STAND_IN_WORKER,
                                          "--cpu-slots",   "100"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    daemon_ = std::make_unique<Daemon>(path("daemon"), arguments);
    daemon_->spawn({"WEFT_STAND_IN_SESSIONS=" + std::to_string(sessions)});
    ASSERT_TRUE(daemon_->wait_until_it_answers());
  }
  // Returns the id of a job that one failure ends.
  std::string submit(const std::string& output) {
    v1::SubmitJobRequest order = request(clip(60), path(output));
    v1::VideoEncoding& encoding = *order.mutable_spec()->mutable_video()->mutable_encoding();
    encoding.set_encoder(v1::ENCODER_H264_NVENC);
    encoding.set_segment_frames(2000);  // no segments at the same time
    order.mutable_settings()->set_max_attempts(1);
    return daemon_->submit(order);
  }
  // Waits until the job has a finished segment, so that its encoder is open or was open.
  void wait_until_it_encodes(const std::string& id) {
    daemon_->wait_for(id, [](const v1::Job& job) { return job.progress().outputs_done() > 0; });
  }

  std::unique_ptr<Daemon> daemon_;
};

TEST_F(EncoderSessionsTest, AJobThatIsRefusedASessionWaitsForOneAndSucceeds) {
  start(2);
  const std::string first = submit("1.mkv"), second = submit("2.mkv");
  wait_until_it_encodes(first);
  wait_until_it_encodes(second);
  const std::string third = submit("3.mkv");
  const v1::Job waiting = daemon_->wait_for(third, [](const v1::Job& job) {
    return has_ended(job) || job.waiting_reason().find("Waits for an encoder session") == 0;
  });
  ASSERT_FALSE(has_ended(waiting)) << waiting.DebugString();
  EXPECT_THAT(waiting.waiting_reason(),
              HasSubstr("jobs have 2 of 2 sessions of the encoder of cpu (learnt "));
  ASSERT_EQ(waiting.attempts_size(), 1);
  EXPECT_THAT(waiting.attempts(0).error().message(), HasSubstr("OpenEncodeSessionEx failed: out of memory"));
  EXPECT_EQ(daemon_->device("cpu")->encoder_session_limit(), 2);
  std::string json;
  ASSERT_EQ(run({WEFT, "--server", daemon_->address(), "--json", "devices"}, &json), 0);
  EXPECT_THAT(json, HasSubstr("\"encoder_session_limit\": 2"));
  std::string text;
  ASSERT_EQ(run({WEFT, "--server", daemon_->address(), "explain", third}, &text), 0);
  EXPECT_THAT(text, HasSubstr("Waits for an encoder session: jobs have 2 of 2 sessions"));
  for (const std::string& id : {first, second, third}) {
    const v1::Job job = daemon_->wait_for_end_of(id);
    EXPECT_EQ(job.state(), v1::JOB_STATE_SUCCEEDED) << job.DebugString();
  }
  EXPECT_EQ(daemon_->get(third).attempt(), 2);
  EXPECT_TRUE(read_file(path("1.mkv")) == read_file(path("3.mkv")));
}

TEST_F(EncoderSessionsTest, AConfiguredLimitKeepsJobsFromARefusal) {
  start(1, {"--encoder-sessions", "1"});
  const std::string first = submit("1.mkv");
  wait_until_it_encodes(first);
  const std::string second = submit("2.mkv");
  EXPECT_THAT(daemon_->get(second).waiting_reason(),
              HasSubstr("jobs have 1 of 1 sessions of the encoder of cpu (encoder_sessions)"));
  for (const std::string& id : {first, second}) {
    const v1::Job job = daemon_->wait_for_end_of(id);
    EXPECT_EQ(job.state(), v1::JOB_STATE_SUCCEEDED) << job.DebugString();
    EXPECT_EQ(job.attempt(), 1);
  }
}

TEST_F(EncoderSessionsTest, ARefusalWhileNoSessionIsOpenIsAnError) {
  start(0);
  const v1::Job job = daemon_->wait_for_end_of(submit("1.mkv"));
  EXPECT_EQ(job.state(), v1::JOB_STATE_FAILED);
  EXPECT_THAT(job.error().message(), HasSubstr("The encoder h264-nvenc cannot be opened"));
  EXPECT_EQ(daemon_->device("cpu")->encoder_session_limit(), 0);
}

}  // namespace
}  // namespace weft::scenarios
