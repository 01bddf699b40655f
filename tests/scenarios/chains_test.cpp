// SPDX-License-Identifier: Apache-2.0
// Tests jobs with a chain of filters, one of them with an analysis of the whole clip. They are
// disturbed during the analysis and while they make pictures. Their output has the bytes of a run
// without faults, and finished parts of the analysis are not repeated.
#include <csignal>
#include <filesystem>
#include <map>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/scenarios/scenario.h"
#include "tests/set_filters.h"

namespace weft::scenarios {
namespace {

constexpr int kSegmentFrames = 10;

// Names and identities of the durable files of an analysis.
using Records = std::map<std::string, std::pair<ino_t, int64_t>>;

enum class Disturbance { kWorkerKilled, kDaemonKilled, kPaused };

struct Disturbed {
  const char* name;
  Disturbance disturbance;
  const char* from = "";
  const char* to = "";
  int frames = 500;
};

class ChainsTest : public ScenarioTest, public testing::WithParamInterface<Disturbed> {
 protected:
  // Analyses of earlier jobs are not used, so that every job measures.
  ChainsTest() : daemon_(path("daemon"), {"--device", "cpu", "--analysis-cache-bytes", "0"}) {}

  v1::SubmitJobRequest chained(const std::string& output) const {
    v1::SubmitJobRequest submitted = request(clip(20), path(output));
    v1::VideoJob& job = *submitted.mutable_spec()->mutable_video();
    job.clear_filters();
    set_filters(job, "yadif=field,decimate,resize=160x120");
    job.mutable_encoding()->set_segment_frames(kSegmentFrames);
    job.set_from(GetParam().from);
    job.set_to(GetParam().to);
    return submitted;
  }

  // Disturbs the job, which is stopped in the middle of its work, and lets it continue.
  void disturb(const std::string& id) {
    switch (GetParam().disturbance) {
      case Disturbance::kWorkerKilled:
        ASSERT_EQ(::kill(pid_t(daemon_.device("cpu")->worker_pid()), SIGKILL), 0);
        return;
      case Disturbance::kDaemonKilled:
        daemon_.kill();
        ASSERT_TRUE(daemon_.start());
        return;
      case Disturbance::kPaused:
        v1::PauseJobRequest pause;
        pause.set_id(id);
        v1::PauseJobResponse paused;
        ASSERT_TRUE(daemon_.jobs().PauseJob(call_context().get(), pause, &paused).ok());
        EXPECT_EQ(paused.job().state(), v1::JOB_STATE_PAUSED);
        v1::ResumeJobRequest resume;
        resume.set_id(id);
        v1::ResumeJobResponse resumed;
        ASSERT_TRUE(daemon_.jobs().ResumeJob(call_context().get(), resume, &resumed).ok());
    }
  }

  Records records() const {
    Records found;
    for (const std::string& work : leftovers())
      for (const auto& entry : std::filesystem::directory_iterator(path(work))) {
        const std::string name = entry.path().filename();
        struct stat info {};
        if (name.starts_with("analysis-") && name.ends_with(".weft") &&
            ::stat(entry.path().c_str(), &info) == 0)
          found[name] = {info.st_ino, info.st_mtim.tv_sec * 1'000'000'000 + info.st_mtim.tv_nsec};
      }
    return found;
  }

  Daemon daemon_;
};

TEST_P(ChainsTest, ADisturbedJobGivesTheSameBytesAndAnalysesOnce) {
  ASSERT_TRUE(daemon_.start());
  const v1::Job whole = daemon_.wait_for_end_of(daemon_.submit(chained("whole.mkv")));
  ASSERT_EQ(whole.state(), v1::JOB_STATE_SUCCEEDED) << whole.DebugString();
  EXPECT_EQ(whole.result().units_in(), GetParam().frames);

  const std::string id = daemon_.submit(chained("disturbed.mkv"));
  Records analysed;
  ASSERT_TRUE(wait_until([&] { return (analysed = records()).size() >= 3; }));
  EXPECT_LT(int(analysed.size()), GetParam().frames / kSegmentFrames) << "in the middle of the analysis";
  disturb(id);
  const auto makes_pictures = [](const v1::Job& job) {
    return has_ended(job) ||
           (job.progress().stage() == "processing" && job.progress().units_done() > 3 * kSegmentFrames);
  };
  ASSERT_FALSE(has_ended(daemon_.wait_for(id, makes_pictures)));
  const Records kept = records();
  EXPECT_EQ(int(kept.size()), (GetParam().frames + kSegmentFrames - 1) / kSegmentFrames);
  for (const auto& [name, file] : analysed) EXPECT_EQ(kept.at(name), file) << name << " was made again";
  disturb(id);

  const v1::Job job = daemon_.wait_for_end_of(id);
  ASSERT_EQ(job.state(), v1::JOB_STATE_SUCCEEDED) << job.DebugString();
  EXPECT_EQ(job.attempt(), 3);
  EXPECT_GE(job.result().segments_resumed(), 1);
  EXPECT_EQ(job.result().units_in(), GetParam().frames);
  EXPECT_EQ(job.result().first_frame(), whole.result().first_frame());
  EXPECT_TRUE(read_file(path("disturbed.mkv")) == read_file(path("whole.mkv")));
  EXPECT_TRUE(wait_until([&] { return leftovers().empty(); }));
}

INSTANTIATE_TEST_SUITE_P(Jobs, ChainsTest,
                         testing::Values(Disturbed{"WorkerKilled", Disturbance::kWorkerKilled},
                                         Disturbed{"DaemonKilled", Disturbance::kDaemonKilled},
                                         Disturbed{"Paused", Disturbance::kPaused},
                                         Disturbed{"PartDaemonKilled", Disturbance::kDaemonKilled, "2.5",
                                                   "400f", 337}),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace weft::scenarios
