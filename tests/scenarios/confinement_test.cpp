// SPDX-License-Identifier: Apache-2.0
// Tests the limits of a malicious file: it uses no more than its share of memory and time, and
// affects only its own worker.
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "tests/scenarios/scenario.h"

namespace weft::scenarios {
namespace {

using ::testing::HasSubstr;

class ConfinementTest : public ScenarioTest {
 protected:
  // Returns a line of a process's status, such as "CapEff".
  static std::string status_of(pid_t pid, const std::string& name) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/status");
    for (std::string line; std::getline(file, line);)
      if (line.starts_with(name + ":")) return line.substr(name.size() + 2);
    return "";
  }
  // Returns the folder process of a worker.
  static pid_t child_of(pid_t pid) {
    const std::string id = std::to_string(pid);
    return pid_t(std::atoi(read_file("/proc/" + id + "/task/" + id + "/children").c_str()));
  }
};

TEST_F(ConfinementTest, WorkersAreConfinedAndSayWhatIsLacking) {
  Daemon daemon(folder());
  ASSERT_TRUE(daemon.start()) << daemon.log();
  std::optional<v1::DeviceStatus> device;
  ASSERT_TRUE(wait_until([&] {
    device = daemon.device("cpu");
    return device.has_value() && device->state() == v1::DEVICE_STATE_IN_SERVICE;
  }));
  const auto worker = pid_t(device->worker_pid());
  EXPECT_EQ(status_of(worker, "Seccomp"), "2");
  EXPECT_EQ(status_of(worker, "NoNewPrivs"), "1");
  EXPECT_EQ(std::stoull(status_of(worker, "CapEff"), nullptr, 16), 0u);
  const pid_t folders = child_of(worker);
  ASSERT_GT(folders, 0);
  EXPECT_EQ(status_of(folders, "Name"), "weft-folders");
  EXPECT_EQ(status_of(folders, "Seccomp"), "2");
  EXPECT_EQ(status_of(folders, "NoNewPrivs"), "1");
  // The log contains each sentence as well.
  for (const std::string& lacking : device->not_confined()) EXPECT_THAT(daemon.log(), HasSubstr(lacking));
  // The signal also ends the folder process of the worker. The next worker runs.
  ::kill(worker, SIGKILL);
  EXPECT_TRUE(wait_until([&] { return ::kill(folders, 0) != 0; }));
  EXPECT_EQ(daemon.wait_for_end_of(daemon.submit(request(clip(2), path("out.mkv")))).state(),
            v1::JOB_STATE_SUCCEEDED);
}

// The sparse file has a few bytes on the disk and a declared size of three gigabytes.
TEST_F(ConfinementTest, AnInputThatNeedsTooMuchMemoryIsRefusedAndOthersGoOn) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer needs the address space";
#endif
  Daemon daemon(folder(), {"--device", "cpu", "--probe-memory-bytes", std::to_string(int64_t{512} << 20)});
  ASSERT_TRUE(daemon.start()) << daemon.log();
  write_file(path("large.png"), "\x89PNG\r\n\x1a\n");
  std::filesystem::resize_file(path("large.png"), uint64_t{3} << 30);
  v1::SubmitJobRequest large;
  large.mutable_spec()->mutable_image()->set_input(path("large.png"));
  large.mutable_spec()->mutable_image()->set_output(path("small.png"));
  v1::SubmitJobResponse response;
  const grpc::Status refused = daemon.submit(large, &response);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(refused.error_message(), HasSubstr("large.png) needs more than 0.5 GiB of memory"));
  EXPECT_EQ(daemon.wait_for_end_of(daemon.submit(request(clip(2), path("out.mkv")))).state(),
            v1::JOB_STATE_SUCCEEDED);
}

}  // namespace
}  // namespace weft::scenarios
