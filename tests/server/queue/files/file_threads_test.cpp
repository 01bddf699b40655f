// SPDX-License-Identifier: Apache-2.0
// Tests work that waits for file systems. A file system that hangs blocks only a few threads, by
// any path to it.
#include "server/queue/files/file_threads.h"

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <future>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>

#include "server/queue/files/mount_table.h"
#include "tests/server/queue/queue_fixture.h"

namespace weft::queue {
namespace {

constexpr const char* kOtherMount = "/dev/shm";

TEST(MountTableTest, TheLongestMountPointCounts) {
  const MountTable table = MountTable::parse(
      "21 1 254:0 / / rw - ext4 /dev/vda rw\n"
      "30 21 0:30 / /mnt/films rw,relatime shared:1 - nfs server:/films rw\n"
      "31 21 0:31 / /mnt/a\\040b rw - nfs server:/a rw\n"
      "32 30 0:32 / /mnt/films/old rw - nfs server:/old rw");
  EXPECT_EQ(table.mount_of("/home/anna/in.ts"), "/");
  EXPECT_EQ(table.mount_of("/mnt/films"), "/mnt/films");
  EXPECT_EQ(table.mount_of("/mnt/films/"), "/mnt/films");
  EXPECT_EQ(table.mount_of("/mnt/films/a/b.ts"), "/mnt/films");
  EXPECT_EQ(table.mount_of("/mnt/filmsb.ts"), "/");
  EXPECT_EQ(table.mount_of("/mnt/films/old/b.ts"), "/mnt/films/old");
  EXPECT_EQ(table.mount_of("/mnt/a b/c"), "/mnt/a b");
  EXPECT_EQ(table.mount_of(""), "/");
  EXPECT_EQ(MountTable::parse("").mount_of("/x"), "/");
}

TEST(MountTableTest, LinksAreFollowedToTheNextMountAndNoFurther) {
  const TemporaryFolder folder;
  const std::string root = std::filesystem::canonical(folder.path()).string();
  namespace fs = std::filesystem;
  fs::create_directories(root + "/mount/films");
  fs::create_directories(root + "/plain");
  fs::create_directory_symlink("mount/films", root + "/relative");
  fs::create_directory_symlink(root + "/mount", root + "/absolute");
  fs::create_directory_symlink(root + "/plain", root + "/inside");
  fs::create_directory_symlink(root + "/plain", root + "/mount/back");
  fs::create_directory_symlink("loop", root + "/loop");
  const MountTable table = MountTable::parse("1 0 0:1 / / rw\n2 1 0:2 / " + root + "/mount rw");
  EXPECT_EQ(table.follow(root + "/plain/x"), root + "/plain/x");
  EXPECT_EQ(table.follow(root + "/inside/./x"), root + "/plain/x");
  EXPECT_EQ(table.follow(root + "/inside/../none/x"), root + "/none/x");
  EXPECT_EQ(table.follow(root + "/relative/x"), root + "/mount/films/x");
  EXPECT_EQ(table.follow(root + "/absolute/y/z"), root + "/mount/y/z");
  EXPECT_EQ(table.follow(root + "/mount/back/x"), root + "/plain/x");
  EXPECT_EQ(table.follow(root + "/mount/../plain"), root + "/plain");
  EXPECT_FALSE(table.follow(root + "/loop/x").empty());
  EXPECT_EQ(table.follow("/"), "/");
}

// Counts the pieces of work that wait at a gate.
class FileThreadsTest : public testing::Test {
 protected:
  FileThreadsTest() {
    const auto mounts = current_mounts();
    other_ = kOtherMount;
    has_other_ = mounts->mount_of(other_) == other_ &&
                 mounts->mount_of(std::filesystem::canonical(folder_.path()).string()) != other_;
  }
  ~FileThreadsTest() override { open(); }

  void open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    changed_.notify_all();
  }
  // Returns work that waits at the gate, as it does for a file system that hangs.
  FileThreads::Work waiting_work() {
    return [this] {
      std::unique_lock lock(mutex_);
      at_gate_++;
      changed_.notify_all();
      changed_.wait(lock, [this] { return is_open_; });
      done_++;
      changed_.notify_all();
    };
  }
  void wait_for(int& count, int wanted) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, kDeadline, [&] { return count >= wanted; })) << count;
  }
  int at_gate() {
    const std::lock_guard lock(mutex_);
    return at_gate_;
  }
  // Expects that work at `path` is done while other work waits.
  void expect_work_at(const std::string& path) {
    std::promise<void> done;
    threads_.add({path}, [&] { done.set_value(); });
    EXPECT_EQ(done.get_future().wait_for(kDeadline), std::future_status::ready) << path;
  }

  TemporaryFolder folder_;
  std::string other_;
  bool has_other_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_open_ = false;
  int at_gate_ = 0;
  int done_ = 0;
  FileThreads threads_{2};
};

TEST_F(FileThreadsTest, AFileSystemThatHangsKeepsAFewThreads) {
  if (!has_other_) GTEST_SKIP() << "There are no two file systems here.";
  for (int i = 0; i < 50; i++) threads_.add({other_ + "/film" + std::to_string(i)}, waiting_work());
  wait_for(at_gate_, 2);
  for (int i = 0; i < 20; i++) expect_work_at(folder_.path() + "/x");
  EXPECT_EQ(at_gate(), 2);
  open();
  wait_for(done_, 50);
}

TEST_F(FileThreadsTest, ALinkToItKeepsNoMore) {
  if (!has_other_) GTEST_SKIP() << "There are no two file systems here.";
  std::filesystem::create_directory_symlink(other_, folder_.path() + "/link");
  for (int i = 0; i < 50; i++) threads_.add({folder_.path() + "/link/film"}, waiting_work());
  wait_for(at_gate_, 2);
  for (int i = 0; i < 20; i++) expect_work_at(folder_.path() + "/x");
  EXPECT_EQ(at_gate(), 2);
  open();
  wait_for(done_, 50);
}

TEST_F(FileThreadsTest, WorkWithTwoFileSystemsIsWithBoth) {
  if (!has_other_) GTEST_SKIP() << "There are no two file systems here.";
  for (int i = 0; i < 2; i++) threads_.add({folder_.path() + "/in", other_ + "/out"}, waiting_work());
  wait_for(at_gate_, 2);
  std::atomic<int> begun{0};
  threads_.add({other_ + "/x"}, [&] { begun++; });
  threads_.add({folder_.path() + "/x"}, [&] { begun++; });
  threads_.add({}, waiting_work());  // work without a file system
  wait_for(at_gate_, 3);
  EXPECT_EQ(begun, 0);
  open();
  wait_for(done_, 3);
  threads_.stop();
}

TEST_F(FileThreadsTest, WhatHasNotBegunIsDropped) {
  std::atomic<int> dropped{0};
  for (int i = 0; i < 5; i++) threads_.add({folder_.path()}, waiting_work(), [&] { dropped++; });
  wait_for(at_gate_, 2);
  std::thread stopping([&] { threads_.stop(); });
  // Once the object refuses new work, it only waits for the work that has begun.
  const auto deadline = std::chrono::steady_clock::now() + kDeadline;
  while (threads_.add({folder_.path()}, [] {}) && std::chrono::steady_clock::now() < deadline) {
  }
  open();
  stopping.join();
  EXPECT_EQ(dropped, 3);
  EXPECT_EQ(done_, 2);
}

TEST_F(FileThreadsTest, TooManyAreRefused) {
  FileThreads few(1, 2);
  few.add({folder_.path()}, waiting_work());
  wait_for(at_gate_, 1);
  EXPECT_TRUE(few.add({folder_.path()}, [] {}));
  EXPECT_TRUE(few.add({folder_.path()}, [] {}));
  EXPECT_FALSE(few.add({folder_.path()}, [] {}));
  open();
}

TEST_F(FileThreadsTest, KeptFilesAreClosedOnTheThreads) {
  struct File {
    std::promise<std::thread::id> closed_on;
    bool is_moved = false;
    explicit File(std::promise<std::thread::id> promise) : closed_on(std::move(promise)) {}
    File(File&& other) noexcept : closed_on(std::move(other.closed_on)) { other.is_moved = true; }
    ~File() {
      if (!is_moved) closed_on.set_value(std::this_thread::get_id());
    }
  };
  std::promise<std::thread::id> promise;
  auto closed_on = promise.get_future();
  auto kept = threads_.keep({folder_.path()}, File(std::move(promise)));
  kept.reset();
  ASSERT_EQ(closed_on.wait_for(kDeadline), std::future_status::ready);
  EXPECT_TRUE(closed_on.get() != std::this_thread::get_id());
  // Without threads the file is closed at once, by the caller.
  std::promise<std::thread::id> second;
  closed_on = second.get_future();
  kept = threads_.keep({folder_.path()}, File(std::move(second)));
  threads_.stop();
  kept.reset();
  EXPECT_TRUE(closed_on.get() == std::this_thread::get_id());
}

}  // namespace
}  // namespace weft::queue
