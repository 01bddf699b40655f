// SPDX-License-Identifier: Apache-2.0
// Tests the planning of device memory with the real daemon and command line. The worker is a
// program that acts as that of a GPU with memory for jobs of 8 GB. The first word of a job's input
// is its device memory in MB.
#include <gmock/gmock.h>

#include "base/status.h"
#include "tests/scenarios/scenario.h"

namespace weft::scenarios {
namespace {

using testing::HasSubstr;

class DeviceMemoryScenario : public ScenarioTest {
 protected:
  DeviceMemoryScenario() {
    EXPECT_TRUE(daemon_.start());
    EXPECT_TRUE(wait_until([&] {
      const auto gpu = daemon_.device("cuda:0");
      return gpu && gpu->state() == v1::DEVICE_STATE_IN_SERVICE;
    }));
  }

  std::string input(const std::string& name, const std::string& word) const {
    write_file(path(name + ".ts"), word + "\n");
    return path(name + ".ts");
  }
  std::string submit(const std::string& name, const std::string& word) {
    v1::SubmitJobRequest order = request(input(name, word), path(name + ".mkv"));
    order.mutable_settings()->set_max_attempts(1);
    return daemon_.submit(order);
  }
  std::string weft(std::vector<std::string> words, int expected_status = 0) {
    words.insert(words.begin(), {WEFT, "--server", daemon_.address()});
    std::string output;
    EXPECT_EQ(run(words, &output), expected_status) << output;
    return output;
  }
  bool runs(const std::string& id) { return daemon_.get(id).state() == v1::JOB_STATE_RUNNING; }
  void cancel(const std::string& id) {
    weft({"cancel", id});
    EXPECT_TRUE(has_ended(daemon_.wait_for_end_of(id)));
  }

  Daemon daemon_{path("daemon"), {"--worker", FAKE_WORKER, "--device", "cuda:0", "--jobs-per-device", "2"}};
};

TEST_F(DeviceMemoryScenario, AJobThatNeverFitsIsRefusedWithTheNumbers) {
  constexpr int kRefused = 4;  // exit code
  EXPECT_THAT(weft({"submit", "bwdif", input("a", "needs=12000,9000"), "-o", path("a.mkv")}, kRefused),
              HasSubstr("it needs at least 9 GB of a device's memory, and cuda:0 has 8 GB for jobs"));
  const std::string dry =
      weft({"submit", "--dry-run", "bwdif", input("b", "needs=6000,1500"), "-o", path("b.mkv")});
  EXPECT_THAT(dry, HasSubstr("There it needs 6 GB of the device's memory, 8 GB of 8 GB are free."));
  EXPECT_THAT(dry, HasSubstr("of a device's own memory"));
}

TEST_F(DeviceMemoryScenario, AJobThatDoesNotFitNowWaitsAndSaysSo) {
  const std::string first = submit("first", "needs=5000");
  EXPECT_TRUE(wait_until([&] { return runs(first); }));
  EXPECT_THAT(weft({"devices"}), HasSubstr("7.7 GiB, 2.8 GiB free"));
  const std::string second = submit("second", "needs=6000,4000");
  const std::string reason =
      "Waits for memory of cuda:0: it needs 4 GB of the device's memory, 3 GB of 8 GB are free";
  EXPECT_THAT(daemon_.get(second).waiting_reason(), HasSubstr(reason));
  EXPECT_THAT(weft({"explain", second}), HasSubstr(reason));
  EXPECT_THAT(weft({"explain", first}), HasSubstr("5 GB of the memory of cuda:0 are planned for it."));
  // A job that fits passes it, with smaller batches.
  const std::string third = submit("third", "shrinks=8000,5500,2000");
  const v1::Job ended = daemon_.wait_for_end_of(third);
  EXPECT_THAT(ended.error().message(), HasSubstr("Its batches are halved 2 times."));
  EXPECT_EQ(ended.attempts(0).device_bytes(), 2'000'000'000);
  EXPECT_FALSE(runs(second));
  cancel(first);
  EXPECT_TRUE(wait_until([&] { return runs(second); }));
  cancel(second);
}

TEST_F(DeviceMemoryScenario, MemoryOfOtherProgramsIsNotGiven) {
  daemon_.wait_for_end_of(submit("others", "others=5000"));
  const std::string waits = submit("waits", "needs=4000");
  EXPECT_TRUE(wait_until([&] {
    return daemon_.get(waits).waiting_reason().find("other programs and the driver use 5 GB") !=
           std::string::npos;
  })) << daemon_.get(waits).waiting_reason();
  daemon_.wait_for_end_of(submit("fewer", "others=1000"));
  EXPECT_TRUE(wait_until([&] { return runs(waits); }));
  cancel(waits);
}

}  // namespace
}  // namespace weft::scenarios
