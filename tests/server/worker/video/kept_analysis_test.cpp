// SPDX-License-Identifier: Apache-2.0
// Tests that the records of an analysis serve later jobs of the same owner, and only those with the
// same input and filters.
#include <filesystem>
#include <fstream>
#include <thread>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/worker/video/video_runner.h"
#include "tests/server/worker/jobs.h"
#include "tests/set_filters.h"

namespace weft::worker {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kUsed = "The analysis of an earlier job";
constexpr int64_t kAmple = 1 << 30;

class KeptAnalysisTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directory(cache_);
    clip_ = make_interlaced(folder_, "clip.ts", 60);
  }
  TestJob job_of(const std::string& name, const std::string& filters = "yadif=frame,decimate") {
    TestJob job(folder_, name, clip_);
    set_filters(job.video(), filters);
    job.video().mutable_encoding()->set_encoder(v1::ENCODER_FFV1);
    job.video().mutable_encoding()->set_segment_frames(20);
    return job;
  }
  Ran run(const TestJob& job, int64_t most_bytes = kAmple) {
    JobOrder order = job.start();
    order.analyses = channel::FileDescriptor(::open(cache_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    order.analysis_cache_bytes = most_bytes;
    Ran ran = run_order(std::move(order), {}, cpu_device(), caches(), 1);
    EXPECT_THAT(ran.end.status, IsOk());
    return ran;
  }
  static bool was_used(const Ran& ran) {
    return std::ranges::any_of(ran.log,
                               [](const std::string& line) { return line.find(kUsed) != line.npos; });
  }
  std::vector<fs::path> entries() const {
    std::vector<fs::path> paths;
    for (const auto& entry : fs::directory_iterator(cache_))
      if (entry.path().extension() == ".analysis") paths.push_back(entry.path());
    return paths;
  }
  std::string bytes_without_cache(const TestJob& like) {
    TestJob job = job_of(like.name + "-alone");
    job.spec = like.spec;
    job.video().set_output(job.work_folder + ".mkv");
    EXPECT_THAT(run_attempt(job, {}, nullptr, 1).end.status, IsOk());
    return media::read_file(job.finished_path());
  }

  media::TestFolder folder_;
  const std::string cache_ = folder_.path("analyses");
  std::string clip_;
};

TEST_F(KeptAnalysisTest, ASecondEncodeDoesNotMeasureAgain) {
  EXPECT_FALSE(was_used(run(job_of("first"))));
  EXPECT_EQ(entries().size(), 1u);
  TestJob second = job_of("second", "yadif=frame,decimate,resize=96x80");
  second.video().mutable_encoding()->set_encoder(v1::ENCODER_X264);
  second.video().mutable_encoding()->set_segment_frames(13);
  const Ran ran = run(second);
  EXPECT_TRUE(was_used(ran));
  EXPECT_EQ(ran.end.result.segments_resumed(), 0);
  EXPECT_EQ(ran.end.result.stages(0).units(), 60) << "the frames are decoded once";
  EXPECT_TRUE(same_bytes(media::read_file(second.finished_path()), bytes_without_cache(second)));
}

// The records of both analyses serve other modes; a decision is made from them for each job.
TEST_F(KeptAnalysisTest, OptionsThatChangeNoRecordAreNotMeasuredAgain) {
  EXPECT_FALSE(was_used(run(job_of("first", "kfm=preset=draft"))));
  const TestJob second = job_of("second", "kfm=24p:preset=ultra-fast:nr=yes,resize=96x80");
  const Ran ran = run(second);
  EXPECT_TRUE(was_used(ran));
  EXPECT_EQ(ran.end.result.stages(0).units(), 60) << "the frames are decoded once";
  EXPECT_TRUE(same_bytes(media::read_file(second.finished_path()), bytes_without_cache(second)));
  EXPECT_FALSE(was_used(run(job_of("third", "kfm=24p:preset=draft:ucf=yes"))));
}

TEST_F(KeptAnalysisTest, OtherFiltersPartsAndOptionsAreMeasured) {
  run(job_of("first"));
  EXPECT_FALSE(was_used(run(job_of("filters", "bwdif=frame,decimate"))));
  EXPECT_FALSE(was_used(run(job_of("options", "yadif=frame,decimate=cycle=4"))));
  TestJob part = job_of("part");
  part.video().set_from("20f");
  EXPECT_FALSE(was_used(run(part)));
  TestJob again = job_of("part-again");
  again.video().set_from("20f");
  const Ran ran = run(again);
  EXPECT_TRUE(was_used(ran));
  EXPECT_EQ(ran.end.result.stages(0).units(), 40);
  EXPECT_TRUE(same_bytes(media::read_file(again.finished_path()), media::read_file(part.finished_path())));
}

TEST_F(KeptAnalysisTest, AChangedInputIsMeasured) {
  run(job_of("first"));
  fs::last_write_time(clip_, fs::last_write_time(clip_) + std::chrono::seconds(1));
  EXPECT_FALSE(was_used(run(job_of("touched"))));
  EXPECT_TRUE(was_used(run(job_of("same"))));
  const auto time = fs::last_write_time(clip_);
  std::string bytes = media::read_file(clip_);
  bytes[bytes.size() - 100] ^= 1;
  media::write_file(clip_, bytes);
  fs::last_write_time(clip_, time);
  EXPECT_FALSE(was_used(run(job_of("edited"))));
  // A copy is another file.
  fs::copy_file(clip_, folder_.path("copy.ts"));
  fs::last_write_time(folder_.path("copy.ts"), time);
  clip_ = folder_.path("copy.ts");
  EXPECT_FALSE(was_used(run(job_of("copied"))));
}

TEST_F(KeptAnalysisTest, ADamagedEntryIsMeasuredAgainAndReplaced) {
  const TestJob first = job_of("first");
  run(first);
  const fs::path entry = entries().at(0);
  const std::string whole = media::read_file(entry);
  for (size_t at = 0; at < whole.size(); at += whole.size() / 9 + 1) {
    SCOPED_TRACE(at);
    std::string damaged = whole;
    damaged[at] = char(damaged[at] ^ 0x20);
    media::write_file(entry, damaged);
    const TestJob job = job_of(fmt::format("damaged-{}", at));
    const Ran ran = run(job);
    EXPECT_FALSE(was_used(ran));
    EXPECT_TRUE(same_bytes(media::read_file(job.finished_path()), media::read_file(first.finished_path())));
    EXPECT_EQ(media::read_file(entry), whole);
  }
  media::write_file(entry, whole.substr(0, whole.size() / 2));
  EXPECT_FALSE(was_used(run(job_of("short"))));
  EXPECT_TRUE(was_used(run(job_of("mended"))));
}

TEST_F(KeptAnalysisTest, TheEntriesUsedLeastRecentlyAreRemoved) {
  run(job_of("a", "yadif=frame,decimate"));
  const int64_t bytes = int64_t(fs::file_size(entries().at(0)));
  const auto text = int64_t(fs::file_size(cache_ + "/decisions-a.json"));
  const int64_t most = 2 * bytes + 3 * text + bytes / 2;  // two entries
  run(job_of("b", "bwdif=frame,decimate"), most);
  EXPECT_TRUE(was_used(run(job_of("a2", "yadif=frame,decimate"), most)));
  fs::remove(cache_ + "/decisions-a2.json");
  run(job_of("c", "bob,decimate"), most);
  EXPECT_TRUE(was_used(run(job_of("a3", "yadif=frame,decimate"), most))) << "it was used after b";
  EXPECT_FALSE(was_used(run(job_of("b2", "bwdif=frame,decimate"), most)));
  int64_t total = 0;
  for (const auto& entry : fs::directory_iterator(cache_)) total += int64_t(entry.file_size());
  EXPECT_LE(total, most);
}

TEST_F(KeptAnalysisTest, AnEntryAboveTheLimitIsNotKept) {
  run(job_of("a"), 1000);
  EXPECT_TRUE(fs::is_empty(cache_));
  EXPECT_FALSE(was_used(run(job_of("b"), 1000)));
}

TEST_F(KeptAnalysisTest, WithoutAFolderEveryJobMeasures) {
  const TestJob a = job_of("a"), b = job_of("b");
  EXPECT_THAT(run_attempt(a).end.status, IsOk());
  EXPECT_FALSE(was_used(run_attempt(b)));
}

TEST_F(KeptAnalysisTest, JobsAtTheSameTimeKeepOneEntry) {
  std::vector<TestJob> jobs;
  for (int i = 0; i < 3; i++) jobs.push_back(job_of(fmt::format("job-{}", i)));
  {
    std::vector<std::jthread> threads;
    for (const TestJob& job : jobs) threads.emplace_back([this, &job] { run(job); });
  }
  EXPECT_EQ(entries().size(), 1u);
  for (const TestJob& job : jobs)
    EXPECT_TRUE(same_bytes(media::read_file(job.finished_path()), media::read_file(jobs[0].finished_path())));
  EXPECT_TRUE(was_used(run(job_of("later"))));
}

TEST_F(KeptAnalysisTest, TheDecisionsAreKeptAsTheFileOfTheAnalysis) {
  run(job_of("encode"));
  TestJob analysis(folder_, "analysis", clip_, "out.json");
  set_filters(analysis.video(), "yadif=frame,decimate");
  const Ran ran = run(analysis);
  EXPECT_TRUE(was_used(ran));
  EXPECT_EQ(media::read_file(cache_ + "/decisions-encode.json"), media::read_file(analysis.finished_path()));
}

}  // namespace
}  // namespace weft::worker
