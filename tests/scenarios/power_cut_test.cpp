// SPDX-License-Identifier: Apache-2.0
// Tests the real daemon on a disk that loses its power again and again, with all unsynced data.
// Afterwards acknowledged jobs exist, and finished ones are finished. The others are made with the
// bytes of a run without faults, and no file is left over.
//
// WEFT_POWER_CUT_SEED=n repeats a run, as far as threads allow it; WEFT_POWER_CUTS=n sets the
// number of cuts.
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include "tests/scenarios/power_cut_mount.h"
#include "tests/scenarios/scenario.h"

namespace weft::scenarios {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kCuts = 20;
constexpr int kPriority = 77;

unsigned number_of(const char* variable, unsigned otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : unsigned(std::strtoul(text, nullptr, 10));
}

class PowerCutTest : public ScenarioTest {
 protected:
  // Answers to the clients in one round.
  struct Submitted {
    std::map<std::string, std::string> outputs;  // outputs of acknowledged jobs, by id
    std::set<std::string> done;                  // jobs that a client saw succeed
    std::string cancelled;
    std::string changed;  // job with a changed priority
  };

  void SetUp() override {
    if (!disk_.is_there()) GTEST_SKIP() << disk_.why_not();
    for (const char* name : {"state", "out"}) fs::create_directory(disk_.path(name));
    const int root = ::open(disk_.mount_point().c_str(), O_RDONLY | O_CLOEXEC);
    ASSERT_EQ(::fsync(root), 0);
    ::close(root);
    daemon_.keep_state_in(disk_.path("state"));
  }

  // Returns a job of two segments and a shorter third one.
  v1::SubmitJobRequest job(const std::string& output) const {
    v1::SubmitJobRequest result = request(clip(1), disk_.path("out/" + output));
    result.mutable_spec()->mutable_video()->mutable_encoding()->set_segment_frames(10);
    return result;
  }
  // Submits until the power cut; later submits fail.
  Submitted submit_jobs(unsigned round) {
    Submitted submitted;
    for (const bool is_cancelled : {false, true}) {
      const v1::SubmitJobRequest wanted =
          job(fmt::format("{}-{}.mkv", round, is_cancelled ? "cancelled" : "kept"));
      v1::SubmitJobResponse response;
      if (!daemon_.submit(wanted, &response).ok()) return submitted;
      const std::string id = response.job().id();
      submitted.outputs[id] = wanted.spec().video().output();
      if (is_cancelled && cancel(id)) submitted.cancelled = id;
      if (!is_cancelled && change_priority(id)) submitted.changed = id;
    }
    return submitted;
  }
  bool cancel(const std::string& id) {
    v1::CancelJobRequest wanted;
    wanted.set_id(id);
    v1::CancelJobResponse response;
    return daemon_.jobs().CancelJob(call_context().get(), wanted, &response).ok();
  }
  bool change_priority(const std::string& id) {
    v1::ChangeJobPriorityRequest wanted;
    wanted.set_id(id);
    wanted.set_priority(kPriority);
    v1::ChangeJobPriorityResponse response;
    return daemon_.jobs().ChangeJobPriority(call_context().get(), wanted, &response).ok();
  }
  std::map<std::string, v1::Job> all_jobs() {
    std::map<std::string, v1::Job> jobs;
    const v1::ListJobsResponse list = daemon_.list();
    for (const v1::Job& each : list.jobs()) jobs[each.id()] = each;
    return jobs;
  }
  // Follows the jobs until the power is cut or all have ended.
  void follow(Submitted& submitted) {
    EXPECT_TRUE(wait_until([&] {
      bool all_ended = true;
      const std::map<std::string, v1::Job> jobs = all_jobs();
      for (const auto& [id, output] : submitted.outputs) {
        const auto found = jobs.find(id);
        if (found != jobs.end() && found->second.state() == v1::JOB_STATE_SUCCEEDED)
          submitted.done.insert(id);
        all_ended = all_ended && found != jobs.end() && has_ended(found->second);
      }
      return all_ended || disk_.is_cut();
    }));
  }
  void expect_outputs(const std::set<std::string>& ids, const Submitted& submitted) const {
    for (const std::string& id : ids)
      EXPECT_TRUE(read_file(submitted.outputs.at(id)) == undisturbed_)
          << submitted.outputs.at(id) << " is wrong";
  }
  // Checks the jobs in the daemon of the next period.
  void expect_all_of(const Submitted& submitted) {
    for (const auto& [id, output] : submitted.outputs) {
      const std::map<std::string, v1::Job> jobs = all_jobs();
      const auto found = jobs.find(id);
      if (found == jobs.end()) {
        ADD_FAILURE() << "The job that writes " << output << " was acknowledged and is lost.";
        continue;
      }
      if (submitted.done.contains(id)) {
        EXPECT_EQ(found->second.state(), v1::JOB_STATE_SUCCEEDED) << output;
      }
      if (id == submitted.changed) {
        EXPECT_EQ(found->second.settings().priority(), kPriority) << output;
      }
      const v1::Job end = daemon_.wait_for_end_of(id);
      if (id == submitted.cancelled) {
        EXPECT_EQ(end.state(), v1::JOB_STATE_CANCELLED) << output;
      } else if (end.state() != v1::JOB_STATE_CANCELLED) {
        // Another job may be cancelled if its cancel was not acknowledged.
        EXPECT_EQ(end.state(), v1::JOB_STATE_SUCCEEDED) << end.DebugString();
        EXPECT_TRUE(read_file(output) == undisturbed_) << output << " is wrong";
      }
    }
  }
  std::vector<std::string> left_behind() const {
    std::vector<std::string> names;
    for (const char* folder : {"out", "state/work"}) {
      std::error_code error;
      for (const auto& entry : fs::directory_iterator(disk_.path(folder), error))
        if (entry.path().filename().string().starts_with('.')) names.push_back(entry.path().string());
    }
    return names;
  }

  PowerCutMount disk_{path("disk")};
  Daemon daemon_{path("daemon")};
  std::string undisturbed_;
};

TEST_F(PowerCutTest, NothingIsLostWhateverSyncThePowerIsCutAt) {
  const unsigned seed = number_of("WEFT_POWER_CUT_SEED", std::random_device()());
  const unsigned cuts = number_of("WEFT_POWER_CUTS", kCuts);
  fmt::print("WEFT_POWER_CUT_SEED={} WEFT_POWER_CUTS={}\n", seed, cuts);
  ASSERT_TRUE(daemon_.start());
  const int before = disk_.syncs();
  Submitted submitted = submit_jobs(0);
  follow(submitted);
  ASSERT_EQ(submitted.done.size(), 1u);
  undisturbed_ = read_file(submitted.outputs.at(*submitted.done.begin()));
  expect_outputs(submitted.done, submitted);
  const int syncs = disk_.syncs() - before;
  std::minstd_rand random(seed + 1);
  for (unsigned round = 1; round <= cuts; round++) {
    // Each cut is in a different part of the syncs of a round.
    const double part = (double(round - 1) + double(random() % 1000) / 1000) / cuts;
    const int at = 1 + int(part * syncs);
    const char* left = round % 2 == 0 ? "nothing" : random() % 4 == 0 ? "all" : "some";
    SCOPED_TRACE(fmt::format("cut {} of {}: at sync {} of {}, {} is left", round, cuts, at, syncs, left));
    disk_.cut_at_sync(at, fmt::format("{} {}", left, random()));
    submitted = submit_jobs(round);
    follow(submitted);
    if (!disk_.is_cut()) disk_.order(fmt::format("cut {} {}", left, random()));
    daemon_.kill();
    disk_.turn_on();
    expect_outputs(submitted.done, submitted);
    ASSERT_TRUE(daemon_.start());
    expect_all_of(submitted);
    EXPECT_TRUE(wait_until([&] { return left_behind().empty(); })) << testing::PrintToString(left_behind());
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace weft::scenarios
