// SPDX-License-Identifier: Apache-2.0
// Tests jobs with their work on another file system than their output: the real programs, killed,
// with folders that disappear and disks that are full.
#include <filesystem>
#include <memory>

#include <gmock/gmock.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/scenarios/scenario.h"

namespace weft::scenarios {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

dev_t file_system_of(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? info.st_dev : 0;
}

class WorkDirTest : public ScenarioTest {
 protected:
  WorkDirTest() {
    std::string name = "/dev/shm/weft-work-XXXXXX";
    if (::mkdtemp(name.data()) != nullptr) work_ = name;
  }
  ~WorkDirTest() override {
    daemon_.reset();
    ::umount2(work_.c_str(), MNT_DETACH);
    std::error_code error;
    if (!work_.empty()) fs::remove_all(work_, error);
  }
  void SetUp() override {
    if (work_.empty() || file_system_of(work_) == file_system_of(folder()))
      GTEST_SKIP() << "/dev/shm and the folder of temporary files are one file system here";
  }

  void start(const std::vector<std::string>& more = {}) {
    make_daemon(more);
    ASSERT_TRUE(daemon_->start());
    ASSERT_TRUE(wait_until([&] {
      const auto device = daemon_->device("cpu");
      return device && device->state() == v1::DEVICE_STATE_IN_SERVICE;
    }));
  }
  void make_daemon(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"--device", "cpu"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    daemon_ = std::make_unique<Daemon>(path("daemon"), arguments);
  }
  v1::SubmitJobRequest request_in(const std::string& work_dir, int seconds = 2) const {
    v1::SubmitJobRequest result = request(clip(seconds), path("out.mkv"));
    result.mutable_settings()->set_work_dir(work_dir);
    return result;
  }
  // Returns the message of a refused submit.
  std::string refusal(const std::string& work_dir) {
    v1::SubmitJobResponse response;
    return daemon_->submit(request_in(work_dir), &response).error_message();
  }
  std::vector<std::string> left_in_work() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(work_)) names.push_back(entry.path().filename().string());
    return names;
  }
  int weft(std::vector<std::string> arguments, std::string* output) const {
    arguments.insert(arguments.begin(), {WEFT, "--server", daemon_->address()});
    return run(arguments, output);
  }

  std::string work_;
  std::unique_ptr<Daemon> daemon_;
};

TEST_F(WorkDirTest, TheOutputIsThatOfAJobWithoutIt) {
  start();
  std::string said;
  EXPECT_EQ(
      weft({"submit", "bwdif", clip(2), "-o", path("out.mkv"), "--work-dir", work_, "--dry-run"}, &said), 0);
  EXPECT_THAT(said, HasSubstr("in " + work_));
  const std::string id = daemon_->submit(request_in(work_));
  const v1::Job job = daemon_->wait_for_end_of(id);
  ASSERT_EQ(job.state(), v1::JOB_STATE_SUCCEEDED) << job.error().message();
  EXPECT_TRUE(read_file(path("out.mkv")) == undisturbed(clip(2)));
  EXPECT_THAT(leftovers(), IsEmpty());
  EXPECT_THAT(left_in_work(), IsEmpty());
}

TEST_F(WorkDirTest, WhatCannotBeAFolderForWorkIsRefusedWithWords) {
  start();
  write_file(path("file"), "no folder");
  EXPECT_THAT(refusal("scratch"), HasSubstr("is relative"));
  EXPECT_THAT(refusal(path("none")), HasSubstr("The folder for work does not exist (" + path("none") + ")"));
  EXPECT_THAT(refusal(path("file")), HasSubstr("has a part that is not a folder (" + path("file") + ")"));
  EXPECT_THAT(refusal("/proc"), HasSubstr("/proc"));
}

TEST_F(WorkDirTest, ADaemonKilledDuringItsCopyEndsItLater) {
  for (const char* point :
       {"publish.before_copy:1", "publish.between_copy_and_check:1", "publish.before_note_of_copies:1",
        "publish.before_rename:1", "queue.publish.after_rename:1", "queue.discard.after:1"}) {
    SCOPED_TRACE(point);
    make_daemon({"--work-dir", work_});
    daemon_->spawn({std::string("WEFT_KILL_AT=") + point});
    ASSERT_TRUE(daemon_->wait_until_it_answers());
    const std::string id = daemon_->submit(request(clip(2), path("out.mkv")));
    const int status = daemon_->wait_for_end();
    if (status != 128 + SIGKILL) GTEST_SKIP() << "this build has no fault points";
    start();  // without work_dir: the job keeps the folder of its submit
    const v1::Job job = daemon_->wait_for_end_of(id);
    EXPECT_EQ(job.state(), v1::JOB_STATE_SUCCEEDED) << job.error().message();
    EXPECT_TRUE(read_file(path("out.mkv")) == undisturbed(clip(2)));
    EXPECT_THAT(leftovers(), IsEmpty());
    EXPECT_THAT(left_in_work(), IsEmpty());
    daemon_->stop();
    fs::remove(path("out.mkv"));
  }
}

TEST_F(WorkDirTest, ACancelledJobLeavesNothing) {
  start();
  const std::string id = daemon_->submit(request_in(work_, 30));
  daemon_->wait_for(id, [](const v1::Job& job) { return job.progress().units_done() > 0; });
  EXPECT_FALSE(left_in_work().empty());
  std::string said;
  EXPECT_EQ(weft({"cancel", id}, &said), 0) << said;
  EXPECT_TRUE(wait_until([this] { return left_in_work().empty(); }));
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_F(WorkDirTest, ImagesAndAPreviewInAnotherFolderAreThoseOfAJobWithoutIt) {
  start();
  ASSERT_EQ(run({"ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=96x64:rate=5:duration=1",
                 path("in.%04d.png")}),
            0);
  std::string said;
  for (const char* name : {"plain", "worked"}) {
    fs::create_directories(path(name) + "/previews");
    std::vector<std::string> words = {"submit",
                                      "resize=48x-1",
                                      path("in.%04d.png"),
                                      "-o",
                                      path(name) + "/out.%04d.png",
                                      "--preview",
                                      path(name) + "/previews/p.png",
                                      "--wait"};
    if (name == std::string("worked")) words.insert(words.end(), {"--work-dir", work_});
    ASSERT_EQ(weft(words, &said), 0) << said;
  }
  EXPECT_EQ(run({"diff", "-r", path("plain"), path("worked")}, &said), 0) << said;
  EXPECT_EQ(std::distance(fs::directory_iterator(path("worked")), {}), 6) << "five images and a folder";
  EXPECT_THAT(left_in_work(), IsEmpty());
}

TEST_F(WorkDirTest, AJobWithoutItsWorkFolderStartsOver) {
  start();
  const std::string id = daemon_->submit(request_in(work_, 30));
  daemon_->wait_for(id, [](const v1::Job& job) { return job.progress().units_done() > 0; });
  fs::remove_all(work_ + "/.out.mkv.weft-" + id);
  const v1::Job job = daemon_->wait_for_end_of(id);
  ASSERT_EQ(job.state(), v1::JOB_STATE_SUCCEEDED) << job.error().message();
  ASSERT_GE(job.attempts_size(), 2);
  EXPECT_THAT(job.attempts(0).error().message(), HasSubstr("The work folder was removed while the job ran"));
  EXPECT_TRUE(read_file(path("out.mkv")) == undisturbed(clip(30)));
  EXPECT_THAT(left_in_work(), IsEmpty());
}

TEST_F(WorkDirTest, AFolderForWorkThatIsRemovedFailsTheJobWithWords) {
  start();
  fs::create_directory(work_ + "/inner");
  const std::string id = daemon_->submit(request_in(work_ + "/inner", 30));
  daemon_->wait_for(id, [](const v1::Job& job) { return job.progress().units_done() > 0; });
  fs::remove_all(work_ + "/inner");
  const v1::Job job = daemon_->wait_for_end_of(id);
  EXPECT_EQ(job.state(), v1::JOB_STATE_FAILED);
  EXPECT_THAT(job.error().message(), HasSubstr("The work folder cannot be made (" + work_ + "/inner"));
  EXPECT_FALSE(fs::exists(path("out.mkv")));
  EXPECT_THAT(leftovers(), IsEmpty());
  fs::create_directory(work_ + "/inner");
  std::string said;
  EXPECT_EQ(weft({"retry", id}, &said), 0) << said;
  EXPECT_EQ(daemon_->wait_for_end_of(id).state(), v1::JOB_STATE_SUCCEEDED);
  EXPECT_TRUE(read_file(path("out.mkv")) == undisturbed(clip(30)));
}

TEST_F(WorkDirTest, AJobWaitsForSpaceForItsWork) {
  if (::geteuid() != 0 || ::mount("none", work_.c_str(), "tmpfs", 0, "size=32m") != 0)
    GTEST_SKIP() << "this user may not mount a file system";
  start();
  write_file(work_ + "/other", std::string(30 << 20, 'x'));
  const std::string id = daemon_->submit(request_in(work_));
  const v1::Job waits =
      daemon_->wait_for(id, [](const v1::Job& job) { return !job.waiting_reason().empty(); });
  EXPECT_THAT(waits.waiting_reason(), HasSubstr("space"));
  EXPECT_THAT(waits.waiting_reason(), HasSubstr(work_));
  std::string said;
  for (const char* command : {"explain", "show"}) {
    EXPECT_EQ(weft({command, id}, &said), 0);
    EXPECT_THAT(said, HasSubstr(work_ + "/.out.mkv.weft-" + id)) << command;
  }
  fs::remove(work_ + "/other");
  const v1::Job job = daemon_->wait_for_end_of(id);
  EXPECT_EQ(job.state(), v1::JOB_STATE_SUCCEEDED) << job.error().message();
  EXPECT_TRUE(read_file(path("out.mkv")) == undisturbed(clip(2)));
  EXPECT_THAT(left_in_work(), IsEmpty());
}

TEST_F(WorkDirTest, TheConfiguredFolderMustBeThere) {
  start({"--work-dir", work_ + "/later"});
  v1::SubmitJobResponse response;
  const v1::SubmitJobRequest submitted = request(clip(2), path("out.mkv"));
  const grpc::Status refused = daemon_->submit(submitted, &response);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(refused.error_message(),
              HasSubstr("The daemon's folder for work does not exist (" + work_ + "/later"));
  fs::create_directory(work_ + "/later");
  const std::string id = daemon_->submit(submitted);
  EXPECT_EQ(daemon_->wait_for_end_of(id).state(), v1::JOB_STATE_SUCCEEDED);
  EXPECT_EQ(daemon_->get(id).work_location(), work_ + "/later");
}

// The store is replaced by an older copy, which does not know the job.
TEST_F(WorkDirTest, TheWorkFolderOfAnUnknownJobIsRemoved) {
  start({"--work-dir", work_});
  daemon_->stop();
  fs::copy(daemon_->state_folder(), path("copy"), fs::copy_options::recursive);
  make_daemon({"--work-dir", work_});
  daemon_->spawn();
  ASSERT_TRUE(daemon_->wait_until_it_answers());
  const std::string id = daemon_->submit(request(clip(30), path("out.mkv")));
  daemon_->wait_for(id, [](const v1::Job& job) { return job.progress().units_done() > 0; });
  daemon_->kill();
  ASSERT_EQ(left_in_work().size(), 1u);
  fs::remove_all(daemon_->state_folder());
  fs::rename(path("copy"), daemon_->state_folder());
  start({"--work-dir", work_});
  EXPECT_TRUE(wait_until([this] { return left_in_work().empty(); }));
}

}  // namespace
}  // namespace weft::scenarios
