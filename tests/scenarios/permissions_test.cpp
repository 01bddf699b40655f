// SPDX-License-Identifier: Apache-2.0
// Who may do what, with real users: the test has to be root to become them.
#include <filesystem>

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

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

class PermissionsTest : public ScenarioTest {
 protected:
  PermissionsTest()
      : daemon_(path("daemon"), {"--device", "cpu", "--socket-mode", "0666", "--operators", "games"}) {}

  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "Only root can be other users.";
    std::filesystem::create_directory(path("daemon"));
    for (const std::string& each : {folder(), path("daemon")}) ASSERT_EQ(::chmod(each.c_str(), 0755), 0);
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
  // A job of the owner's that waits.
  std::string submit() {
    v1::DrainDevicesResponse drained;
    EXPECT_TRUE(daemon_.devices().DrainDevices(call_context().get(), {}, &drained).ok());
    EXPECT_EQ(weft(kOwner,
                   {"--json", "submit", "deinterlace", clip(2), "-o", path("out.mkv"), "--encoder", "ffv1"}),
              kDone)
        << words_;
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

}  // namespace
}  // namespace weft::scenarios
