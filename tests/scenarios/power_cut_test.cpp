// SPDX-License-Identifier: Apache-2.0
// The real daemon on a disk that loses its power again and again, and forgets what was not synced: what was acknowledged is there
// afterwards, what was done is done, the rest is made with the bytes of an undisturbed run, and nothing is left behind.
//
// WEFT_POWER_CUT_SEED=n repeats a run, as far as threads let it; WEFT_POWER_CUTS=n makes more cuts than the usual.
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
  // What the clients of a round were told.
  struct Told {
    std::map<std::string, std::string> outputs;  // of jobs that were acknowledged, by id
    std::set<std::string> done;                  // that were seen to have succeeded
    std::string cancelled;
    std::string changed;  // in its priority
  };

  void SetUp() override {
    if (!disk_.is_there()) GTEST_SKIP() << disk_.why_not();
    for (const char* name : {"state", "out"}) fs::create_directory(disk_.path(name));
    const int root = ::open(disk_.mount_point().c_str(), O_RDONLY | O_CLOEXEC);
    ASSERT_EQ(::fsync(root), 0);
    ::close(root);
    daemon_.keep_state_in(disk_.path("state"));
  }

  // Two segments and a rest.
  v1::SubmitJobRequest job(const std::string& output) const {
    v1::SubmitJobRequest result = request(clip(1), disk_.path("out/" + output));
    result.mutable_spec()->mutable_video()->mutable_encoding()->set_segment_frames(10);
    return result;
  }
  // Those that the power lets be acknowledged; whatever comes after the cut fails.
  Told submit_jobs(unsigned round) {
    Told told;
    for (const bool is_cancelled : {false, true}) {
      const v1::SubmitJobRequest wanted =
          job(fmt::format("{}-{}.mkv", round, is_cancelled ? "cancelled" : "kept"));
      v1::SubmitJobResponse response;
      if (!daemon_.submit(wanted, &response).ok()) return told;
      const std::string id = response.job().id();
      told.outputs[id] = wanted.spec().video().output();
      if (is_cancelled && cancel(id)) told.cancelled = id;
      if (!is_cancelled && change_priority(id)) told.changed = id;
    }
    return told;
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
  // Until the power is cut or everything has ended.
  void follow(Told& told) {
    EXPECT_TRUE(wait_until([&] {
      bool all_ended = true;
      const std::map<std::string, v1::Job> jobs = all_jobs();
      for (const auto& [id, output] : told.outputs) {
        const auto found = jobs.find(id);
        if (found != jobs.end() && found->second.state() == v1::JOB_STATE_SUCCEEDED) told.done.insert(id);
        all_ended = all_ended && found != jobs.end() && has_ended(found->second);
      }
      return all_ended || disk_.is_cut();
    }));
  }
  void expect_outputs(const std::set<std::string>& ids, const Told& told) const {
    for (const std::string& id : ids)
      EXPECT_TRUE(read_file(told.outputs.at(id)) == undisturbed_) << told.outputs.at(id) << " is wrong";
  }
  // The daemon of the next period.
  void expect_all_of(const Told& told) {
    for (const auto& [id, output] : told.outputs) {
      const std::map<std::string, v1::Job> jobs = all_jobs();
      const auto found = jobs.find(id);
      if (found == jobs.end()) {
        ADD_FAILURE() << "The job that writes " << output << " was acknowledged and is lost.";
        continue;
      }
      if (told.done.contains(id)) {
        EXPECT_EQ(found->second.state(), v1::JOB_STATE_SUCCEEDED) << output;
      }
      if (id == told.changed) {
        EXPECT_EQ(found->second.settings().priority(), kPriority) << output;
      }
      const v1::Job end = daemon_.wait_for_end_of(id);
      if (id == told.cancelled) {
        EXPECT_EQ(end.state(), v1::JOB_STATE_CANCELLED) << output;
      } else if (end.state() != v1::JOB_STATE_CANCELLED) {  // asked for, and not answered
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
  Told told = submit_jobs(0);
  follow(told);
  ASSERT_EQ(told.done.size(), 1u);
  undisturbed_ = read_file(told.outputs.at(*told.done.begin()));
  expect_outputs(told.done, told);
  const int syncs = disk_.syncs() - before;
  std::minstd_rand random(seed + 1);
  for (unsigned round = 1; round <= cuts; round++) {
    // Each cut in a part of its own of a round's syncs.
    const double part = (double(round - 1) + double(random() % 1000) / 1000) / cuts;
    const int at = 1 + int(part * syncs);
    const char* left = round % 2 == 0 ? "nothing" : random() % 4 == 0 ? "all" : "some";
    SCOPED_TRACE(fmt::format("cut {} of {}: at sync {} of {}, {} is left", round, cuts, at, syncs, left));
    disk_.cut_at_sync(at, fmt::format("{} {}", left, random()));
    told = submit_jobs(round);
    follow(told);
    if (!disk_.is_cut()) disk_.order(fmt::format("cut {} {}", left, random()));
    daemon_.kill();
    disk_.turn_on();
    expect_outputs(told.done, told);
    ASSERT_TRUE(daemon_.start());
    expect_all_of(told);
    EXPECT_TRUE(wait_until([&] { return left_behind().empty(); })) << testing::PrintToString(left_behind());
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace weft::scenarios
