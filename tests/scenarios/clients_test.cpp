// SPDX-License-Identifier: Apache-2.0
// Tests clients that watch, vanish, never read, or send broken files.
#include <filesystem>
#include <random>
#include <thread>

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "base/status.h"
#include "tests/scenarios/scenario.h"

namespace weft::scenarios {
namespace {

using ClientsTest = ScenarioTest;

// Returns the revisions of all state changes that a watch reports until the job ends.
std::vector<int64_t> watch_to_the_end(Daemon& daemon, const std::string& id) {
  const auto stub = v1::JobService::NewStub(daemon.new_channel());
  const auto context = call_context();
  const auto reader = stub->WatchJobs(context.get(), {});
  std::vector<int64_t> revisions;
  for (v1::WatchJobsResponse event; reader->Read(&event);) {
    if (event.kind() == v1::WatchJobsResponse::KIND_CHANGED) revisions.push_back(event.job().revision());
    if (event.job().id() == id && has_ended(event.job())) break;
  }
  context->TryCancel();
  return revisions;
}

TEST_F(ClientsTest, TwoClientsSeeTheSameChanges) {
  Daemon daemon(path("daemon"));
  ASSERT_TRUE(daemon.start());
  // The job is submitted while the devices are drained, so that both clients watch before it
  // starts.
  v1::DrainDevicesResponse drained;
  ASSERT_TRUE(daemon.devices().DrainDevices(call_context().get(), {}, &drained).ok());
  const std::string id = daemon.submit(request(clip(2), path("out.mkv")));
  const auto start_from = daemon.list().resume_token();
  std::vector<std::vector<int64_t>> seen(2);
  std::vector<std::thread> threads;
  for (auto& each : seen)
    threads.emplace_back([&] {
      const auto stub = v1::JobService::NewStub(daemon.new_channel());
      const auto context = call_context();
      v1::WatchJobsRequest watch;
      watch.set_resume_token(start_from);
      const auto reader = stub->WatchJobs(context.get(), watch);
      for (v1::WatchJobsResponse event; reader->Read(&event);) {
        if (event.kind() == v1::WatchJobsResponse::KIND_CHANGED) each.push_back(event.job().revision());
        if (has_ended(event.job())) break;
      }
      context->TryCancel();
    });
  v1::ResumeDevicesResponse resumed;
  ASSERT_TRUE(daemon.devices().ResumeDevices(call_context().get(), {}, &resumed).ok());
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(seen[0], seen[1]);
  EXPECT_GE(seen[0].size(), 2u);
  EXPECT_TRUE(std::is_sorted(seen[0].begin(), seen[0].end()));
  EXPECT_EQ(daemon.get(id).state(), v1::JOB_STATE_SUCCEEDED);
}

TEST_F(ClientsTest, AClientThatVanishesLeavesNothingBehindAndItsJobGoesOn) {
  Daemon daemon(path("daemon"));
  ASSERT_TRUE(daemon.start());
  const std::string id = daemon.submit(request(clip(60), path("out.mkv")));
  daemon.wait_for(id, [](const v1::Job& job) { return job.progress().units_done() > 0; });
  const int before = open_descriptors(daemon.pid());
  for (int i = 0; i < 100; i++) {
    const auto stub = v1::JobService::NewStub(daemon.new_channel());
    const auto context = call_context();
    const auto reader = stub->WatchJobs(context.get(), {});
    v1::WatchJobsResponse event;
    ASSERT_TRUE(reader->Read(&event));
    // The call's objects are destroyed in the middle of the call.
    context->TryCancel();
  }
  EXPECT_TRUE(wait_until([&] { return open_descriptors(daemon.pid()) <= before + 2; }))
      << open_descriptors(daemon.pid());
  EXPECT_EQ(daemon.wait_for_end_of(id).state(), v1::JOB_STATE_SUCCEEDED);
}

TEST_F(ClientsTest, AWatcherThatNeverReadsCostsLittleAndDelaysNobody) {
  Daemon daemon(path("daemon"));
  ASSERT_TRUE(daemon.start());
  const auto silent_stub = v1::JobService::NewStub(daemon.new_channel());
  const auto silent = call_context();
  const auto reader = silent_stub->WatchJobs(silent.get(), {});
  const int64_t before = resident_bytes(daemon.pid());
  const std::string id = daemon.submit(request(clip(60), path("out.mkv")));
  EXPECT_FALSE(watch_to_the_end(daemon, id).empty());
  EXPECT_LT(resident_bytes(daemon.pid()), before + (int64_t{64} << 20));
  silent->TryCancel();
}

// --- Broken inputs
// ------------------------------------------------------------------------------------------

struct BrokenInput {
  std::string name;
  std::string bytes;
  // The job may also succeed, since errors in a video are concealed and counted.
  bool may_succeed = false;
};

// Returns 46 files made from a valid one. A folder, a pipe, a device and a missing file make them
// 50.
std::vector<BrokenInput> broken_inputs(const std::string& good) {
  std::vector<BrokenInput> inputs{
      {"empty.ts", ""},
      {"text.ts", std::string(10'000, 'x') + "\nThis is not a video.\n"},
      {"zeros.mkv", std::string(100'000, '\0')},
      {"header-only.y4m", "YUV4MPEG2 W64 H64 F25:1 It A1:1 C420\n"},
      {"absurd.y4m", "YUV4MPEG2 W1000000 H1000000 F25:1 It A1:1 C420\nFRAME\n" + std::string(1000, 'x')},
      {"negative.y4m", "YUV4MPEG2 W-5 H-5 F25:1 It A1:1 C420\nFRAME\n" + std::string(1000, 'x')},
      {"no-rate.y4m", "YUV4MPEG2 W64 H64 F0:0 It A1:1 C420\nFRAME\n" + std::string(64 * 64 * 3 / 2, 'x'),
       true},
      {"picture.png", "\x89PNG\r\n\x1a\n" + std::string(1000, 'x')},
  };
  std::mt19937 random(1);
  for (int i = 0; i < 10; i++)
    inputs.push_back({fmt::format("cut-{}.ts", i), good.substr(0, size_t(1) << (2 * i)), true});
  for (int i = 0; i < 14; i++) {
    std::string bytes = good;
    for (int k = 0; k < (1 << i); k++) bytes[random() % bytes.size()] ^= char(1 << (random() % 8));
    inputs.push_back({fmt::format("flipped-{}.ts", i), std::move(bytes), true});
  }
  for (int i = 0; i < 14; i++) {
    std::string bytes = good;
    const size_t begin = random() % bytes.size();
    const size_t length = std::min(bytes.size() - begin, bytes.size() / 14 * size_t(i + 1));
    std::fill_n(bytes.begin() + std::ptrdiff_t(begin), length, char(random()));
    inputs.push_back({fmt::format("blotted-{}.ts", i), std::move(bytes), true});
  }
  return inputs;
}

TEST_F(ClientsTest, FiftyBrokenInputsAreAClearErrorEach) {
  Daemon daemon(path("daemon"));
  ASSERT_TRUE(daemon.start());
  std::filesystem::create_directory(path("folder.ts"));
  ASSERT_EQ(::mkfifo(path("pipe.ts").c_str(), 0600), 0);
  std::vector<BrokenInput> inputs = broken_inputs(read_file(clip(2)));
  for (const BrokenInput& input : inputs) write_file(path(input.name), input.bytes);
  for (const char* name : {"folder.ts", "pipe.ts", "none.ts", "../../dev/zero"}) inputs.push_back({name, ""});
  ASSERT_EQ(inputs.size(), 50u);

  int refused = 0, failed = 0, concealed = 0;
  for (const BrokenInput& input : inputs) {
    const std::string output = path("out-" + std::to_string(refused + failed + concealed) + ".mkv");
    v1::SubmitJobRequest broken = request(path(input.name), output);
    broken.mutable_settings()->set_max_attempts(2);
    v1::SubmitJobResponse response;
    const grpc::Status status = daemon.submit(broken, &response);
    if (!status.ok()) {
      EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT)
          << input.name << ": " << status.error_message();
      EXPECT_GT(status.error_message().size(), 20u) << input.name;
      refused++;
      continue;
    }
    EXPECT_TRUE(input.may_succeed) << input.name;
    const v1::Job job = daemon.wait_for_end_of(response.job().id());
    if (job.state() == v1::JOB_STATE_SUCCEEDED) {
      concealed++;
      EXPECT_TRUE(std::filesystem::exists(output)) << input.name;
    } else {
      failed++;
      EXPECT_GT(job.error().message().size(), 20u) << input.name;
      EXPECT_FALSE(std::filesystem::exists(output)) << input.name;
    }
  }
  RecordProperty("refused", refused);
  RecordProperty("failed", failed);
  RecordProperty("concealed", concealed);
  printf("%d refused, %d failed, %d concealed\n", refused, failed, concealed);
  EXPECT_TRUE(wait_until([&] { return leftovers().empty(); }, std::chrono::seconds(10))) << leftovers()[0];
  EXPECT_TRUE(daemon.is_running());
  EXPECT_EQ(daemon.wait_for_end_of(daemon.submit(request(clip(2), path("good.mkv")))).state(),
            v1::JOB_STATE_SUCCEEDED);
}

}  // namespace
}  // namespace weft::scenarios
