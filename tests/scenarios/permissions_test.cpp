// SPDX-License-Identifier: Apache-2.0
// Who may do what, with real users: the test has to be root to become them.
#include <filesystem>

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/media/image/image.h"
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
constexpr User kOperator{"games", 5, 60};  // of the group of that name

std::string make_png() {
  media::ImageFacts facts;
  facts.data = facts.display = {0, 0, 32, 32};
  facts.samples = media::SampleType::kFloat;
  media::Image image = media::make_image(facts).value();
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
    std::filesystem::copy_file(WEFT, path("weft"));  // others may not reach a checkout
    ASSERT_TRUE(daemon_.start());
    ASSERT_TRUE(wait_until([&] {
      const auto device = daemon_.device("cpu");
      return device && device->state() == v1::DEVICE_STATE_IN_SERVICE;
    }));
  }

  // The exit status of a `weft` that the user runs.
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
    return weft(user, {"--json", "submit", "deinterlace", input, "-o", output, "--encoder", "ffv1"});
  }
  void drain() {
    v1::DrainDevicesResponse drained;
    EXPECT_TRUE(daemon_.devices().DrainDevices(call_context().get(), {}, &drained).ok());
  }
  void resume() {
    v1::ResumeDevicesResponse resumed;
    EXPECT_TRUE(daemon_.devices().ResumeDevices(call_context().get(), {}, &resumed).ok());
  }
  // A job of the owner's that waits.
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
                                                                                      {"retry", id}}) {
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
  struct stat facts {};
  ASSERT_EQ(::lstat(path("his/out.mkv").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_uid, uid_t(kOwner.number));
  EXPECT_EQ(facts.st_gid, gid_t(kOwner.group));
}

// Between submit and start files change, and so may their rights; the ids outlive the daemon.
TEST_F(PermissionsTest, RightsAreThoseOfTheMomentAndOfTheSubmitter) {
  std::filesystem::copy_file(clip(2), path("his/in.ts"));
  drain();
  ASSERT_EQ(deinterlace(kOwner, path("his/in.ts"), path("his/out.mkv")), kDone) << words_;
  const std::string id = daemon_.list().jobs(0).id();
  ASSERT_EQ(::chmod(path("his/in.ts").c_str(), 0600), 0);  // root's
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

TEST_F(PermissionsTest, TheDaemonsOwnFilesAreNobodys) {
  const User root{"root", 0, 0};
  EXPECT_NE(deinterlace(root, daemon_.state_folder() + "/jobs.db", path("out.mkv")), kDone);
  EXPECT_THAT(words_, HasSubstr("lies in a folder of the daemon's own"));
  EXPECT_NE(deinterlace(root, clip(2), daemon_.state_folder() + "/out.mkv"), kDone);
  EXPECT_THAT(words_, HasSubstr("lies in a folder of the daemon's own"));
}

}  // namespace
}  // namespace weft::scenarios
