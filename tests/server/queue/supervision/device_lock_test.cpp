// SPDX-License-Identifier: Apache-2.0
// Tests device locks between users: permission, the named holder, and override. Processes of the
// test act as the other users, so the test must run as root.
#include "server/queue/supervision/device_lock.h"

#include <csignal>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <grp.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/server/queue/queue_fixture.h"

namespace weft::queue {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Users and groups of every Debian system. kUser may use the GPU, kStranger may not.
constexpr uid_t kUser = 5;      // games
constexpr gid_t kGroup = 60;    // games: the group of the GPU's device node
constexpr uid_t kStranger = 1;  // daemon
constexpr gid_t kStrangers = 1;

// A process of another user that holds the lock of a file until this object is destroyed.
class Holder {
 public:
  // `user` 0 is the user of the test. An existing file is opened; otherwise the file is made with
  // `mode`.
  Holder(const std::string& path, uid_t user, gid_t group, mode_t mode = 0600) {
    int ready[2] = {};
    EXPECT_EQ(::pipe2(ready, O_CLOEXEC), 0);
    process_ = ::fork();
    if (process_ == 0) hold(path, user, group, mode, ready[1]);
    ::close(ready[1]);
    char said = 0;
    holds_ = ::read(ready[0], &said, 1) == 1 && said == 'y';
    ::close(ready[0]);
  }
  ~Holder() {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;
  bool holds() const { return holds_; }
  pid_t process() const { return process_; }

 private:
  [[noreturn]] static void hold(const std::string& path, uid_t user, gid_t group, mode_t mode, int ready) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::prctl(PR_SET_NAME, "idler");
    if (user != 0 && (::setgroups(0, nullptr) != 0 || ::setgid(group) != 0 || ::setuid(user) != 0))
      ::_exit(1);
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    const int lock = file >= 0 ? file : ::open(path.c_str(), O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    const bool holds = lock >= 0 && ::flock(lock, LOCK_EX | LOCK_NB) == 0;
    if (::write(ready, holds ? "y" : "n", 1) != 1) ::_exit(1);
    while (true) ::pause();
  }

  pid_t process_ = -1;
  bool holds_ = false;
};

class DeviceLockTest : public testing::Test {
 protected:
  DeviceLockTest() {
    request_.folder = folder_.path() + "/locks";
    request_.nodes = folder_.path() + "/dev";
    request_.holder = "weftd, process 42, unix:/x";
    std::filesystem::create_directory(request_.nodes);
    ::chmod(folder_.path().c_str(), 0755);
    use("cpu", v1::DEVICE_KIND_CPU);
  }
  void use(const std::string& id, v1::DeviceKind kind) {
    request_.device = make_device(id, kind);
    request_.device.set_uuid("uuid of " + id);
  }
  // Uses a GPU with a device node that only its group may open.
  void use_gpu(mode_t mode = 0660) {
    use("cuda:0", v1::DEVICE_KIND_CUDA);
    const std::string node = request_.nodes + "/nvidia0";
    std::ofstream(node).put('x');
    ASSERT_EQ(::chown(node.c_str(), 0, kGroup), 0);
    ASSERT_EQ(::chmod(node.c_str(), mode), 0);
  }
  void make_lock_folder() {
    std::filesystem::create_directory(request_.folder);
    ASSERT_EQ(::chmod(request_.folder.c_str(), 01777), 0);
  }
  std::string lock_path() const { return request_.folder + "/" + lock_name(request_.device); }
  struct stat info() const {
    struct stat result {};
    EXPECT_EQ(::stat(lock_path().c_str(), &result), 0);
    return result;
  }

  TemporaryFolder folder_;
  LockRequest request_;
};

// Tests that need processes of other users.
class DeviceLockOfUsersTest : public DeviceLockTest {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "Only root can be other users.";
  }
};

TEST_F(DeviceLockTest, OneAtATimeAndTheNextSaysWhoHasIt) {
  use("cuda:0", v1::DEVICE_KIND_CUDA);
  request_.device.set_uuid("GPU-12/../34");
  EXPECT_EQ(lock_name(request_.device), "GPU-12____34.lock");
  {
    const auto first = DeviceLock::take(request_);
    ASSERT_THAT(first, IsOk());
    EXPECT_THAT(DeviceLock::take(request_), StatusIs(StatusCode::kAborted, "weftd, process 42, unix:/x"));
    EXPECT_TRUE(first->is_valid());
    LockRequest other = request_;
    other.device = make_device("cpu");
    EXPECT_THAT(DeviceLock::take(other), IsOk());
  }
  EXPECT_THAT(DeviceLock::take(request_), IsOk());
  request_.folder = "/proc/none";
  EXPECT_THAT(DeviceLock::take(request_), StatusIs(StatusCode::kFailedPrecondition, "/proc/none"));
}

// A daemon under systemd runs with UMask=0027, a daemon of a user with any mask. Each daemon must
// see the locks of the other.
TEST_F(DeviceLockTest, EveryUserMayOpenTheCpusWhateverTheUmask) {
  const auto mode_of = [](const std::string& path) {
    struct stat info {};
    EXPECT_EQ(::stat(path.c_str(), &info), 0) << path;
    return info.st_mode & 07777;
  };
  const mode_t before = ::umask(0027);
  EXPECT_THAT(DeviceLock::take(request_), IsOk());
  EXPECT_EQ(mode_of(request_.folder), 01777u);
  EXPECT_EQ(mode_of(lock_path()), 0666u);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(request_.folder), {}), 1)
      << "nothing is left beside it";
  // A daemon leaves this mode if it ends after it makes the file and before it gives all users
  // access.
  ::chmod(lock_path().c_str(), 0640);
  EXPECT_THAT(DeviceLock::take(request_), IsOk());
  EXPECT_EQ(mode_of(lock_path()), 0666u);
  ::umask(before);
}

TEST_F(DeviceLockOfUsersTest, AnotherUsersDaemonSeesWhoHasTheDevice) {
  const auto held = DeviceLock::take(request_);
  ASSERT_THAT(held, IsOk());
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setuid(kStranger) != 0) ::_exit(2);
    const auto taken = DeviceLock::take(request_);
    const bool seen = taken.status().code() == StatusCode::kAborted &&
                      message_of(taken.status()).find("process 42") != std::string::npos;
    ::_exit(seen ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
}

TEST_F(DeviceLockOfUsersTest, IsOpenToThoseWhoMayUseTheDevice) {
  ASSERT_THAT(DeviceLock::take(request_), IsOk());
  EXPECT_EQ(info().st_mode & 07777, 0666u) << "everybody may use the CPU";
  use_gpu();
  ASSERT_THAT(DeviceLock::take(request_), IsOk());
  EXPECT_EQ(info().st_mode & 07777, 0660u);
  EXPECT_EQ(info().st_gid, kGroup);
  {
    const Holder stranger(lock_path(), kStranger, kStrangers);
    EXPECT_FALSE(stranger.holds());
  }
  {
    const Holder user(lock_path(), kUser, kGroup);
    EXPECT_TRUE(user.holds());
  }
  use_gpu(0666);
  ASSERT_THAT(DeviceLock::take(request_), IsOk());
  EXPECT_EQ(info().st_mode & 07777, 0666u) << "this node is open to everybody";
}

// Before the daemon starts, a user without access to the GPU makes the lock file and locks it.
TEST_F(DeviceLockOfUsersTest, AFileOfSomebodyWithoutTheRightIsReplaced) {
  use_gpu();
  make_lock_folder();
  const Holder stranger(lock_path(), kStranger, kStrangers);
  ASSERT_TRUE(stranger.holds());
  const auto lock = DeviceLock::take(request_);
  ASSERT_THAT(lock, IsOk());
  EXPECT_TRUE(lock->is_valid());
  EXPECT_EQ(info().st_uid, 0u);
  EXPECT_THAT(DeviceLock::take(request_), StatusIs(StatusCode::kAborted, "is taken by"));
}

// An older daemon left a file that all users may open.
TEST_F(DeviceLockOfUsersTest, AHolderWithoutTheRightIsOverridden) {
  use_gpu();
  make_lock_folder();
  std::ofstream(lock_path()).put('x');
  ASSERT_EQ(::chmod(lock_path().c_str(), 0666), 0);
  const Holder stranger(lock_path(), kStranger, kStrangers);
  ASSERT_TRUE(stranger.holds());
  const auto lock = DeviceLock::take(request_);
  ASSERT_THAT(lock, IsOk());
  EXPECT_TRUE(lock->is_valid());
}

TEST_F(DeviceLockOfUsersTest, AHolderWithoutAWorkerIsNamedAndOverriddenByOrder) {
  use_gpu();
  make_lock_folder();
  const Holder user(lock_path(), kUser, kGroup, 0660);
  ASSERT_TRUE(user.holds());
  for (int i = 0; i < 2; i++)
    EXPECT_THAT(DeviceLock::take(request_),
                StatusIs(StatusCode::kAborted,
                         fmt::format("process {} (idler) of games (user id 5), which runs no worker",
                                     user.process())));
  EXPECT_TRUE(is_held_without_worker(request_));
  LockRequest order = request_;
  order.by_order = true;
  const auto lock = DeviceLock::take(order);
  ASSERT_THAT(lock, IsOk());
  EXPECT_TRUE(lock->is_valid());
  EXPECT_FALSE(DeviceLock::take(request_).ok()) << "and it is a lock again";
  const auto second = DeviceLock::take(order);
  ASSERT_THAT(second, IsOk());
  EXPECT_FALSE(lock->is_valid()) << "the other daemon sees that it was taken";
}

// A daemon that may not remove the file of another user can at least lock out daemons of its own
// user.
TEST_F(DeviceLockOfUsersTest, AnUnprivilegedDaemonTakesByOrderALockOfItsUser) {
  make_lock_folder();
  const Holder stranger(lock_path(), kStranger, kStrangers, 0666);
  ASSERT_TRUE(stranger.holds());
  ASSERT_EQ(::chmod(lock_path().c_str(), 0666), 0);
  LockRequest order = request_;
  order.by_order = true;
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setgroups(0, nullptr) != 0 || ::setgid(kGroup) != 0 || ::setuid(kUser) != 0) ::_exit(10);
    const auto lock = DeviceLock::take(order);
    if (!lock.ok() || !lock->is_valid()) ::_exit(11);
    if (::access((request_.folder + "/uuid_of_cpu-5.lock").c_str(), F_OK) != 0) ::_exit(12);
    ::_exit(DeviceLock::take(order).status().code() == StatusCode::kAborted ? 0 : 13);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
}

TEST_F(DeviceLockOfUsersTest, WhoWorksIsNoIdler) {
  use_gpu();
  make_lock_folder();
  request_.worker = "idler";  // name of the child process
  const auto lock = DeviceLock::take(request_);
  ASSERT_THAT(lock, IsOk());
  EXPECT_TRUE(is_held_without_worker(request_)) << "no worker runs yet";
  const Holder worker(folder_.path() + "/other", 0, 0);
  EXPECT_FALSE(is_held_without_worker(request_));
  EXPECT_THAT(DeviceLock::take(request_), StatusIs(StatusCode::kAborted, "gives it jobs"));
}

}  // namespace
}  // namespace weft::queue
