// SPDX-License-Identifier: Apache-2.0
// Tests permissions with real users: the test must run as root to act as them.
#include <csignal>
#include <filesystem>

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/media/image/image_file.h"
#include "tests/scenarios/scenario.h"

namespace weft::scenarios {
namespace {

using ::testing::HasSubstr;

constexpr int kDone = 0;
constexpr int kRefused = 4;

// A user of every Debian system.
struct User {
  const char* name;
  int number;
  int group;
};
constexpr User kOwner{"nobody", 65534, 65534};
constexpr User kOther{"daemon", 1, 1};
constexpr User kOperator{"games", 5, 60};  // member of the group of that name

std::string make_png() {
  media::ImageInfo info;
  info.data = info.display = {0, 0, 32, 32};
  info.samples = media::SampleType::kFloat;
  media::Image image = media::make_image(info).value();
  for (size_t i = 0; i < image.sample_count(); i++) image.float_samples()[i] = 0.25f;
  return media::encode_image(image, {.format = media::ImageFormat::kPng}).value();
}

class PermissionsTest : public ScenarioTest {
 protected:
  PermissionsTest()
      : daemon_(path("daemon"), {"--device", "cpu", "--socket-mode", "0666", "--operators", "games"}) {}

  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "Only root can be other users.";
    std::filesystem::create_directory(path("daemon"));
    for (const std::string& each : {folder(), path("daemon")}) ASSERT_EQ(::chmod(each.c_str(), 0755), 0);
    std::filesystem::copy_file(clip(2), path("everybodys.ts"));
    ASSERT_EQ(::chmod(path("everybodys.ts").c_str(), 0644), 0);
    std::filesystem::create_directory(path("his"));
    give("his", kOwner, 0755);
    // Other users may have no access to the source folder.
    std::filesystem::copy_file(WEFT, path("weft"));
    ASSERT_TRUE(daemon_.start());
    ASSERT_TRUE(wait_until([&] {
      const auto device = daemon_.device("cpu");
      return device && device->state() == v1::DEVICE_STATE_IN_SERVICE;
    }));
  }

  // Returns the exit status of a `weft` that the user runs.
  int weft(const User& user, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"setpriv", "--reuid=" + std::to_string(user.number),
                                         "--regid=" + std::to_string(user.group), "--init-groups", "env",
                                         "HOME=/nonexistent", path("weft"), "--server", daemon_.address()});
    return run(arguments, &words_);
  }
  void give(const std::string& name, const User& user, mode_t mode) const {
    ASSERT_EQ(::chown(path(name).c_str(), uid_t(user.number), gid_t(user.group)), 0);
    ASSERT_EQ(::chmod(path(name).c_str(), mode), 0);
  }
  int deinterlace(const User& user, const std::string& input, const std::string& output) {
    return weft(user, {"--json", "submit", "bwdif", input, "-o", output, "--encoder", "ffv1"});
  }
  void drain() {
    v1::DrainDevicesResponse drained;
    EXPECT_TRUE(daemon_.devices().DrainDevices(call_context().get(), {}, &drained).ok());
  }
  void resume() {
    v1::ResumeDevicesResponse resumed;
    EXPECT_TRUE(daemon_.devices().ResumeDevices(call_context().get(), {}, &resumed).ok());
  }
  // Submits a job of the owner, which waits. Returns its id.
  std::string submit() {
    drain();
    EXPECT_EQ(deinterlace(kOwner, path("everybodys.ts"), path("his/out.mkv")), kDone) << words_;
    const v1::ListJobsResponse jobs = daemon_.list();
    EXPECT_EQ(jobs.jobs_size(), 1);
    EXPECT_EQ(jobs.jobs(0).settings().owner(), kOwner.name);
    return jobs.jobs(0).id();
  }

  Daemon daemon_;
  std::string words_;
};

TEST_F(PermissionsTest, AJobIsItsOwnersAndOperatorsAlone) {
  const std::string id = submit();
  for (const std::vector<std::string>& change : std::vector<std::vector<std::string>>{{"pause", id},
                                                                                      {"resume", id},
                                                                                      {"priority", "5", id},
                                                                                      {"logs", id},
                                                                                      {"cancel", id},
                                                                                      {"retry", id},
                                                                                      {"forget", id}}) {
    EXPECT_EQ(weft(kOther, change), kRefused) << change[0] << ": " << words_;
    EXPECT_THAT(words_, HasSubstr("is nobody's, and ")) << change[0];
    EXPECT_THAT(words_, HasSubstr("by daemon;")) << change[0];
  }
  EXPECT_EQ(weft(kOther, {"show", id}), kDone) << "the list is everybody's: " << words_;
  EXPECT_EQ(daemon_.get(id).state(), v1::JOB_STATE_QUEUED);
  EXPECT_EQ(weft(kOwner, {"logs", id}), kDone) << words_;
  EXPECT_EQ(weft(kOwner, {"pause", id}), kDone) << words_;
  EXPECT_EQ(weft(kOperator, {"resume", id}), kDone) << words_;
  EXPECT_EQ(weft(kOperator, {"logs", id}), kDone) << words_;
  EXPECT_EQ(weft(kOperator, {"cancel", id}), kDone) << words_;
  EXPECT_EQ(daemon_.get(id).state(), v1::JOB_STATE_CANCELLED);
  EXPECT_EQ(weft(kOwner, {"forget", id}), kDone) << words_;
  EXPECT_EQ(weft(kOwner, {"show", id}), kRefused) << words_;
}

// A priority comes before the sharing among owners, so no user may take precedence over all others
// with it.
TEST_F(PermissionsTest, OnlyOperatorsGoBeyondTheOrdinaryPriorities) {
  const std::string id = submit();
  const auto submit_at = [&](const User& user, const char* priority, const char* output) {
    return weft(user, {"submit", "bwdif", path("everybodys.ts"), "-o", path(output), "--encoder", "ffv1",
                       "--priority", priority});
  };
  EXPECT_EQ(submit_at(kOwner, "1000", "his/first.mkv"), kRefused) << words_;
  EXPECT_THAT(words_, HasSubstr("The priority (1000) is out of range for nobody (-100 to 100)"));
  EXPECT_EQ(weft(kOwner, {"priority", "101", id}), kRefused) << words_;
  EXPECT_THAT(words_, HasSubstr("The priority (101) is out of range for nobody (-100 to 100)"));
  EXPECT_EQ(daemon_.get(id).settings().priority(), 0);
  EXPECT_EQ(weft(kOwner, {"priority", "100", id}), kDone) << words_;
  EXPECT_EQ(weft(kOperator, {"priority", "1000", id}), kDone) << words_;
  EXPECT_EQ(daemon_.get(id).settings().priority(), 1000);
}

TEST_F(PermissionsTest, DevicesAreOperatorsAlone) {
  for (const User& user : {kOwner, kOther}) {
    EXPECT_EQ(weft(user, {"drain", "cpu"}), kRefused) << words_;
    EXPECT_THAT(words_, HasSubstr("Devices cannot be drained by " + std::string(user.name)));
  }
  EXPECT_EQ(daemon_.device("cpu")->state(), v1::DEVICE_STATE_IN_SERVICE);
  EXPECT_EQ(weft(kOperator, {"drain", "cpu"}), kDone) << words_;
  EXPECT_EQ(daemon_.device("cpu")->state(), v1::DEVICE_STATE_DRAINED);
}

TEST_F(PermissionsTest, TheDaemonOpensWhatTheCallerCouldOpenHimself) {
  std::filesystem::copy_file(clip(2), path("private.ts"));
  ASSERT_EQ(::chmod(path("private.ts").c_str(), 0600), 0);
  EXPECT_NE(deinterlace(kOwner, path("private.ts"), path("his/out.mkv")), kDone);
  EXPECT_THAT(words_, HasSubstr("may not be used by whoever submits (user id 65534)"));
  EXPECT_NE(deinterlace(kOwner, path("everybodys.ts"), path("out.mkv")), kDone);
  EXPECT_THAT(words_, HasSubstr("The output's folder is not writable"));
  EXPECT_NE(deinterlace(kOther, path("everybodys.ts"), path("his/out.mkv")), kDone);
  EXPECT_THAT(words_, HasSubstr("The output's folder is not writable"));

  give("private.ts", kOwner, 0600);
  EXPECT_NE(deinterlace(kOther, path("private.ts"), path("out.mkv")), kDone);
  ASSERT_EQ(deinterlace(kOwner, path("private.ts"), path("his/out.mkv")), kDone) << words_;
  const std::string id = daemon_.list().jobs(0).id();
  EXPECT_EQ(daemon_.wait_for_end_of(id).state(), v1::JOB_STATE_SUCCEEDED);
  struct stat info {};
  ASSERT_EQ(::lstat(path("his/out.mkv").c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, uid_t(kOwner.number));
  EXPECT_EQ(info.st_gid, gid_t(kOwner.group));
}

// Files and their permissions may change between submit and start. The user ids remain after the
// daemon ends.
TEST_F(PermissionsTest, RightsAreThoseOfTheMomentAndOfTheSubmitter) {
  std::filesystem::copy_file(clip(2), path("his/in.ts"));
  drain();
  ASSERT_EQ(deinterlace(kOwner, path("his/in.ts"), path("his/out.mkv")), kDone) << words_;
  const std::string id = daemon_.list().jobs(0).id();
  ASSERT_EQ(::chmod(path("his/in.ts").c_str(), 0600), 0);  // now only for root
  daemon_.kill();
  ASSERT_TRUE(daemon_.start());
  resume();
  const v1::Job job = daemon_.wait_for_end_of(id);
  EXPECT_EQ(job.state(), v1::JOB_STATE_FAILED);
  EXPECT_THAT(job.error().message(), HasSubstr("may not be used by whoever submits"));
}

TEST_F(PermissionsTest, FramesOfASequenceAreOpenedAsOtherFilesAre) {
  for (const char* frame : {"his/in.1.png", "his/in.2.png"}) {
    write_file(path(frame), make_png());
    give(frame, kOwner, 0600);
  }
  const auto bloom = [&](const std::string& output) {
    return weft(kOwner, {"submit", "bloom", path("his/in.%d.png"), "-o", path(output)});
  };
  ASSERT_EQ(bloom("his/first.%d.png"), kDone) << words_;
  EXPECT_EQ(daemon_.wait_for_end_of(daemon_.list().jobs(0).id()).state(), v1::JOB_STATE_SUCCEEDED);
  drain();
  ASSERT_EQ(bloom("his/second.%d.png"), kDone) << words_;
  ASSERT_EQ(::chown(path("his/in.2.png").c_str(), 0, 0), 0);
  EXPECT_NE(bloom("his/third.%d.png"), kDone);
  EXPECT_THAT(words_, HasSubstr("A frame of the input may not be read by whoever submits"));
  resume();
  words_.clear();
  const auto has_failed = [&] {
    const v1::ListJobsResponse list = daemon_.list();
    for (const v1::Job& job : list.jobs())
      if (job.state() == v1::JOB_STATE_FAILED) words_ = job.error().message();
    return words_.find("A frame of the input may not be read by whoever submits") != std::string::npos;
  };
  EXPECT_TRUE(wait_until(has_failed)) << words_;
  std::filesystem::remove(path("his/in.2.png"));
  write_file(path("other.png"), make_png());
  std::filesystem::create_symlink(path("other.png"), path("his/in.2.png"));
  EXPECT_NE(bloom("his/third.%d.png"), kDone);
  EXPECT_THAT(words_, HasSubstr("is a symbolic link"));
}

// In a group's folder a user replaces the work folder of another user's job by that of his own job,
// which may replace files. A symbolic link of his leads to the other user's folder meanwhile.
TEST_F(PermissionsTest, AnExchangedWorkFolderIsNotPublished) {
  for (const char* name : {"shared", "his/own", "others"}) std::filesystem::create_directory(path(name));
  give("shared", kOther, 0777);
  give("his/own", kOwner, 0700);
  give("others", kOther, 0755);
  write_file(path("his/own/o.mkv"), "precious");
  give("his/own/o.mkv", kOwner, 0600);
  std::filesystem::create_directory_symlink(path("shared"), path("others/link"));
  write_file(path("shared/in.mkv"), read_file(clip(2)));

  // The job of the other user fails because its output exists, so that its work folder and note
  // stay.
  drain();
  ASSERT_EQ(deinterlace(kOther, path("everybodys.ts"), path("others/link/o.mkv")), kDone) << words_;
  const std::string his = daemon_.list().jobs(0).id();
  write_file(path("shared/o.mkv"), "in the way");
  resume();
  ASSERT_EQ(daemon_.wait_for_end_of(his).state(), v1::JOB_STATE_FAILED);
  drain();
  ASSERT_EQ(weft(kOwner, {"--json", "submit", "bwdif", path("shared/in.mkv"), "-o", path("shared/a.mkv"),
                          "--encoder", "ffv1", "-y"}),
            kDone)
      << words_;
  const std::string mine = daemon_.list().jobs(0).id();
  const std::string work = path("shared/.a.mkv.weft-" + mine);
  std::filesystem::rename(path("shared/.o.mkv.weft-" + his), work);
  std::filesystem::remove(path("others/link"));
  std::filesystem::create_directory_symlink(path("his/own"), path("others/link"));
  resume();
  v1::Job job = daemon_.wait_for_end_of(mine);
  EXPECT_EQ(job.state(), v1::JOB_STATE_FAILED);
  EXPECT_THAT(job.error().message(), HasSubstr("somebody exchanged it"));
  EXPECT_EQ(read_file(path("his/own/o.mkv")), "precious");
  EXPECT_FALSE(std::filesystem::exists(path("shared/a.mkv")));

  // The same while the job runs. The worker is stopped meanwhile.
  std::filesystem::rename(work, path("shared/taken"));
  const pid_t worker = pid_t(daemon_.device("cpu")->worker_pid());
  ASSERT_EQ(::kill(worker, SIGSTOP), 0);
  ASSERT_EQ(weft(kOwner, {"retry", mine}), kDone) << words_;
  ASSERT_TRUE(wait_until([&] { return std::filesystem::exists(work); }));
  std::filesystem::rename(work, path("shared/moved"));
  std::filesystem::rename(path("shared/taken"), work);
  ASSERT_EQ(::kill(worker, SIGCONT), 0);
  job = daemon_.wait_for_end_of(mine);
  EXPECT_EQ(job.state(), v1::JOB_STATE_FAILED);
  EXPECT_THAT(job.error().message(), HasSubstr("somebody exchanged it"));
  EXPECT_EQ(read_file(path("his/own/o.mkv")), "precious");
  EXPECT_FALSE(std::filesystem::exists(path("shared/a.mkv")));
  std::filesystem::rename(work, path("shared/taken"));
  std::filesystem::rename(path("shared/moved"), work);
  ASSERT_EQ(weft(kOwner, {"retry", mine}), kDone) << words_;
  EXPECT_EQ(daemon_.wait_for_end_of(mine).state(), v1::JOB_STATE_SUCCEEDED);
  EXPECT_TRUE(std::filesystem::exists(path("shared/a.mkv")));
}

TEST_F(PermissionsTest, TheDaemonsOwnFilesAreNobodys) {
  const User root{"root", 0, 0};
  EXPECT_NE(deinterlace(root, daemon_.state_folder() + "/jobs.db", path("out.mkv")), kDone);
  EXPECT_THAT(words_, HasSubstr("lies in a folder of the daemon's own"));
  EXPECT_NE(deinterlace(root, clip(2), daemon_.state_folder() + "/out.mkv"), kDone);
  EXPECT_THAT(words_, HasSubstr("lies in a folder of the daemon's own"));
}

TEST_F(PermissionsTest, AFolderForWorkIsOneWhereItsUserMayCreateFiles) {
  std::filesystem::create_directory(path("work"));
  give("work", kOther, 0755);
  const std::vector<std::string> words = {
      "submit",    "bwdif", path("everybodys.ts"), "-o",         path("his/out.mkv"),
      "--encoder", "ffv1",  "--work-dir",          path("work"), "--wait"};
  EXPECT_EQ(weft(kOwner, words), kRefused);
  EXPECT_THAT(words_, HasSubstr("The folder for work may not be used by whoever submits (user id 65534)"));
  EXPECT_THAT(words_, HasSubstr(path("work")));
  give("work", kOwner, 0700);
  EXPECT_EQ(weft(kOwner, words), kDone) << words_;
  EXPECT_TRUE(std::filesystem::is_empty(path("work")));
}

}  // namespace
}  // namespace weft::scenarios
