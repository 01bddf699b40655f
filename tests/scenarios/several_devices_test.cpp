// SPDX-License-Identifier: Apache-2.0
// Tests one video on several devices with the real programs: the CPU, and Vulkan in software.
#include <csignal>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/scenarios/scenario.h"

namespace weft::scenarios {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SeveralDevicesTest : public ScenarioTest {
 protected:
  void SetUp() override {
    ASSERT_TRUE(daemon_.start());
    ASSERT_TRUE(wait_until([&] {
      const auto device = daemon_.device("vulkan:0");
      return !device || device->state() == v1::DEVICE_STATE_IN_SERVICE;
    }));
    if (!daemon_.device("vulkan:0")) GTEST_SKIP() << "There is no Vulkan device.";
  }
  v1::SubmitJobRequest shared(const std::string& input, const std::string& output) const {
    v1::SubmitJobRequest submitted = request(input, output);
    submitted.mutable_settings()->set_devices("cpu,vulkan:0");
    return submitted;
  }
  std::string weft(std::vector<std::string> words, int expected = 0) {
    words.insert(words.begin(), {WEFT, "--server", daemon_.address()});
    std::string said;
    EXPECT_EQ(run(words, &said), expected) << said;
    return said;
  }
  static const v1::JobTask* task_of(const v1::Job& job) {
    if (job.attempts().empty() || job.attempts().rbegin()->tasks().empty()) return nullptr;
    return &*job.attempts().rbegin()->tasks().rbegin();
  }

  Daemon daemon_{path("daemon"), {"--device", "cpu", "--device", "vulkan:0"}};
};

TEST_F(SeveralDevicesTest, RenderOneVideoWithTheBytesOfOneDevice) {
  const std::string id = daemon_.submit(shared(clip(24), path("out.mkv")));
  const v1::Job running = daemon_.wait_for(
      id, [](const v1::Job& job) { return task_of(job) != nullptr && job.progress().units_done() > 50; });
  EXPECT_NE(task_of(running)->device(), running.device());
  // The attempt's own worker stands still until the task has a segment, so that both have a part.
  const auto own = daemon_.device(running.device());
  ASSERT_TRUE(own && own->worker_pid() > 0);
  ::kill(pid_t(own->worker_pid()), SIGSTOP);
  const std::string rendered = task_of(running)->device() + ": Segment ";
  EXPECT_TRUE(wait_until([&] { return weft({"logs", id}).find(rendered) != std::string::npos; }));
  ::kill(pid_t(own->worker_pid()), SIGCONT);
  const v1::Job job = daemon_.wait_for_end_of(id);
  EXPECT_EQ(job.state(), v1::JOB_STATE_SUCCEEDED) << job.DebugString();
  EXPECT_TRUE(read_file(path("out.mkv")) == undisturbed(clip(24)));
  EXPECT_EQ(job.result().units_in(), 600);
  EXPECT_EQ(job.result().segments(), 24);
  EXPECT_TRUE(task_of(job)->has_end_time());
  EXPECT_FALSE(task_of(job)->has_error()) << task_of(job)->error().message();
  EXPECT_THAT(weft({"show", id}), HasSubstr("1.1  " + task_of(job)->device()));
  EXPECT_THAT(leftovers(), IsEmpty());
}

// The worker of the task is killed, then that of the attempt.
TEST_F(SeveralDevicesTest, KilledWorkersGiveTheSameBytes) {
  const std::string id = daemon_.submit(shared(clip(24), path("out.mkv")));
  const auto has_work_and_task = [](const v1::Job& job) {
    return task_of(job) != nullptr && job.progress().units_done() > 50;
  };
  const auto kill_worker = [&](const std::string& device) {
    const auto status = daemon_.device(device);
    ASSERT_TRUE(status && status->worker_pid() > 0);
    ::kill(pid_t(status->worker_pid()), SIGKILL);
  };
  v1::Job job = daemon_.wait_for(id, has_work_and_task);
  kill_worker(task_of(job)->device());
  job = daemon_.wait_for(
      id, [](const v1::Job& now) { return now.attempt() > 1 || task_of(now)->has_end_time(); });
  EXPECT_EQ(job.attempt(), 1) << "the attempt goes on without its task";
  kill_worker(job.device());
  job = daemon_.wait_for_end_of(id);
  EXPECT_EQ(job.state(), v1::JOB_STATE_SUCCEEDED) << job.DebugString();
  EXPECT_TRUE(read_file(path("out.mkv")) == undisturbed(clip(24)));
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_F(SeveralDevicesTest, ACancelledJobLeavesNothing) {
  const std::string id = daemon_.submit(shared(clip(60), path("out.mkv")));
  daemon_.wait_for(
      id, [](const v1::Job& job) { return task_of(job) != nullptr && job.progress().units_done() > 50; });
  weft({"cancel", id});
  const v1::Job job = daemon_.wait_for_end_of(id);
  EXPECT_EQ(job.state(), v1::JOB_STATE_CANCELLED);
  EXPECT_TRUE(wait_until([&] { return leftovers().empty(); }));
}

TEST_F(SeveralDevicesTest, AChainWithFloatsIsRefusedOnDevicesThatDiffer) {
  const std::string said =
      weft({"submit", "bwdif,bloom", clip(1), "-o", path("out.mkv"), "--devices", "cpu,vulkan:0"}, 4);
  EXPECT_THAT(said, HasSubstr("the filter bloom computes with floating-point numbers"));
  EXPECT_THAT(
      weft({"submit", "bwdif", clip(1), "-o", path("out.mkv"), "--devices", "cpu", "--device", "cpu"}, 4),
      HasSubstr("leave one out"));
}

}  // namespace
}  // namespace weft::scenarios
