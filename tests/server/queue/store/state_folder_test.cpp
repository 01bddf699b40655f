// SPDX-License-Identifier: Apache-2.0
// Tests the state folder: its owner, its permissions, and its removal.
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/queue/store/store.h"
#include "tests/server/queue/queue_fixture.h"

namespace weft::queue {
namespace {

StoreChange one_job() {
  auto record = std::make_shared<JobRecord>();
  record->job.set_id("01ARZ3NDEKTSV4RRFFQ69G5FAV");
  return {{record}, 1, "", nullptr};
}

TEST(Store, NothingIsTakenThatLiesInARemovedFolder) {
  TemporaryFolder folder;
  const std::string state = folder.path() + "/state";
  const auto lock = StateLock::take(state);
  ASSERT_TRUE(lock.ok()) << lock.status();
  auto store = Store::open(state).value();
  const StoreChange change = one_job();
  ASSERT_THAT(store->commit(change), IsOk());
  std::filesystem::rename(state, folder.path() + "/away");
  EXPECT_THAT(store->commit(change), StatusIs(StatusCode::kDataLoss, "is gone, or another one"));
  std::filesystem::create_directory(state);
  std::ofstream(state + "/jobs.db") << "another file";
  EXPECT_THAT(store->commit(change), StatusIs(StatusCode::kDataLoss, "is gone, or another one"));
  std::filesystem::remove_all(state);
  std::filesystem::rename(folder.path() + "/away", state);
  EXPECT_THAT(store->commit(change), IsOk()) << "put back";
}
mode_t mode_of(const std::string& path) {
  struct stat info {};
  EXPECT_EQ(::stat(path.c_str(), &info), 0) << path;
  return info.st_mode & 07777;
}

TEST(StateLock, TheFolderIsClosedToOthers) {
  TemporaryFolder folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  std::ofstream(folder.path() + "/jobs.db.version-5") << "a copy";
  ASSERT_EQ(::chmod((folder.path() + "/jobs.db.version-5").c_str(), 0644), 0);
  const mode_t before = ::umask(0);
  {
    const auto lock = StateLock::take(folder.path());
    ASSERT_TRUE(lock.ok()) << lock.status();
    auto store = Store::open(folder.path()).value();
    ASSERT_THAT(store->commit(one_job()), IsOk());
    EXPECT_EQ(mode_of(folder.path()), 0700u);
    for (const char* name : {"jobs.db", "jobs.db-wal", "jobs.db-shm", "jobs.db.version-5", "weftd.lock"})
      EXPECT_EQ(mode_of(folder.path() + "/" + name), 0600u) << name;
  }
  ::umask(before);
  if (::geteuid() != 0) GTEST_SKIP() << "Only root can give the folder away.";
  ASSERT_EQ(::chown(folder.path().c_str(), 2001, 2001), 0);
  EXPECT_THAT(StateLock::take(folder.path()),
              StatusIs(StatusCode::kFailedPrecondition, "belongs to another user"));
}

TEST(StateLock, NamesWhoHasIt) {
  TemporaryFolder folder;
  {
    const auto lock = StateLock::take(folder.path() + "/a/b");
    ASSERT_THAT(lock, IsOk());
    EXPECT_THAT(StateLock::take(folder.path() + "/a/b"),
                StatusIs(StatusCode::kAborted, fmt::format("(pid {})", getpid())));
  }
  EXPECT_THAT(StateLock::take(folder.path() + "/a/b"), IsOk());
  EXPECT_EQ(std::filesystem::status(folder.path() + "/a/b").permissions(), std::filesystem::perms::owner_all);
  EXPECT_THAT(StateLock::take("/proc/none"), StatusIs(StatusCode::kFailedPrecondition, "/proc/none"));
}

}  // namespace
}  // namespace weft::queue
