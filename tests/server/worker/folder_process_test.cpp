// SPDX-License-Identifier: Apache-2.0
// Tests a separate process that opens, renames and removes files by the system's calls, as long as
// the names stay beneath their folder.
#include "server/worker/folder_process.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/media/file.h"
#include "server/worker/confine.h"

namespace weft::worker {
namespace {

class FolderProcessTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/weft-folders-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    path_ = name;
    std::filesystem::create_directories(path_ + "/work/images");
    std::ofstream(path_ + "/secret") << "secret";
    std::ofstream(path_ + "/work/frame.png") << "frame";
    folder_.reset(::open((path_ + "/work").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    auto started = FolderProcess::start(4);
    ASSERT_THAT(started.status(), IsOk());
    process_ = *std::move(started);
  }
  void TearDown() override {
    const pid_t pid = process_ ? process_->pid() : 0;
    process_.reset();
    if (pid > 0) {
      EXPECT_EQ(::waitpid(pid, nullptr, 0), pid) << "it ends when nobody asks it any more";
    }
    std::filesystem::remove_all(path_);
  }
  // Returns 0, or errno if the file cannot be opened.
  int open(const std::string& name, int flags) {
    const channel::FileDescriptor file(process_->open(folder_.get(), name, flags, 0600));
    return file.is_open() ? 0 : errno;
  }

  std::string path_;
  channel::FileDescriptor folder_;
  std::unique_ptr<FolderProcess> process_;
};

TEST_F(FolderProcessTest, OpensRenamesMakesAndRemoves) {
  channel::FileDescriptor made(
      process_->open(folder_.get(), "images/one", O_WRONLY | O_CREAT | O_EXCL, 0640));
  ASSERT_TRUE(made.is_open()) << errno;
  EXPECT_EQ(::write(made.get(), "hello", 5), 5);
  struct stat info {};
  ASSERT_EQ(::fstat(made.get(), &info), 0);
  EXPECT_EQ(info.st_mode & 0137, 0u) << "no more than was asked for";
  EXPECT_EQ(process_->rename(folder_.get(), "images/one", "images/two"), 0);
  EXPECT_EQ(std::filesystem::file_size(path_ + "/work/images/two"), 5u);
  EXPECT_EQ(process_->examine(folder_.get(), "images/two"), 0);
  EXPECT_EQ(process_->examine(folder_.get(), "images/one"), -1);
  EXPECT_EQ(errno, ENOENT);
  EXPECT_EQ(process_->remove(folder_.get(), "images/two", 0), 0);
  EXPECT_EQ(process_->remove(folder_.get(), "images", 0), -1);
  EXPECT_EQ(errno, EISDIR);
  EXPECT_EQ(process_->remove(folder_.get(), "images", AT_REMOVEDIR), 0);
  EXPECT_EQ(process_->make_folder(folder_.get(), "frames", 0777), 0);
  EXPECT_EQ(process_->make_folder(folder_.get(), "frames", 0777), -1);
  EXPECT_EQ(errno, EEXIST);
  EXPECT_EQ(open(".", O_RDONLY | O_DIRECTORY), 0);
  EXPECT_EQ(open("frame.png", O_RDONLY), 0);
  EXPECT_EQ(open("no.png", O_RDONLY), ENOENT);
}

TEST_F(FolderProcessTest, NoNameLeadsOutOfItsFolder) {
  const std::string absolute = path_ + "/secret";
  for (const std::string& name :
       {std::string("../secret"), std::string(".."), std::string("images/../../secret"), absolute,
        std::string(), std::string("images/..")}) {
    EXPECT_NE(open(name, O_RDONLY), 0) << name;
    EXPECT_EQ(process_->rename(folder_.get(), "frame.png", name), -1) << name;
    EXPECT_EQ(process_->remove(folder_.get(), name, 0), -1) << name;
    EXPECT_EQ(process_->make_folder(folder_.get(), name, 0777), -1) << name;
    EXPECT_EQ(process_->examine(folder_.get(), name), -1) << name;
  }
  EXPECT_TRUE(std::filesystem::exists(path_ + "/secret"));
  EXPECT_TRUE(std::filesystem::exists(path_ + "/work/frame.png"));
}

TEST_F(FolderProcessTest, OnlyAFrameThatIsReadMayBeALink) {
  std::filesystem::create_symlink("../secret", path_ + "/work/link.png");
  std::filesystem::create_symlink("..", path_ + "/work/above");
  EXPECT_EQ(open("link.png", O_RDONLY), 0);
  EXPECT_EQ(open("link.png", O_RDONLY | O_NOFOLLOW), ELOOP);
  EXPECT_EQ(open("link.png", O_WRONLY), ELOOP);
  EXPECT_EQ(open("link.png", O_RDWR), ELOOP);
  EXPECT_EQ(open("link.png", O_WRONLY | O_CREAT | O_TRUNC), ELOOP);
  EXPECT_EQ(open("above/secret", O_RDONLY), ELOOP);
  EXPECT_EQ(open("above", O_RDONLY | O_DIRECTORY), ENOTDIR);
  EXPECT_EQ(std::filesystem::file_size(path_ + "/secret"), 6u);
}

TEST_F(FolderProcessTest, ManyThreadsAskAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> failed{0};
  for (int i = 0; i < 16; i++)
    threads.emplace_back([&, i] {
      for (int k = 0; k < 50; k++) {
        const std::string name = std::to_string(i) + "-" + std::to_string(k);
        const channel::FileDescriptor file(process_->open(folder_.get(), name, O_WRONLY | O_CREAT, 0600));
        const bool is_right =
            file.is_open() &&
            std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(file.get())).filename() == name;
        failed += int(!is_right || process_->remove(folder_.get(), name, 0) != 0);
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 0);
}

// The worker is confined, so the other process opens files for it.
TEST_F(FolderProcessTest, AConfinedProcessWorksInTheFoldersThatItHas) {
  const pid_t child = ::fork();
  if (child == 0) {
    auto started = FolderProcess::start(2);
    if (!started.ok()) ::_exit(1);
    media::use_folder_calls(started->get());
    static_cast<void>(confine(Confinement::kComputing, ""));
    if (!media::write_whole_file({folder_.get(), "images/whole"}, "text").ok()) ::_exit(2);
    const auto names = media::list_in(folder_.get(), "images");
    if (!names.ok() || *names != std::vector<std::string>{"whole"}) ::_exit(3);
    if (media::open_in(folder_.get(), "../secret", O_RDONLY) >= 0) ::_exit(4);
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

// The folder process has an end of the pipe, which is closed when that process ends.
TEST_F(FolderProcessTest, EndsWithTheWorker) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDERR_FILENO);  // The folder process inherits the descriptor.
    ::close(ends[1]);
    auto started = FolderProcess::start(2);
    ::kill(::getpid(), started.ok() ? SIGKILL : SIGABRT);
  }
  ::close(ends[1]);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  char byte = 0;
  EXPECT_EQ(::read(ends[0], &byte, 1), 0);
  ::close(ends[0]);
}

}  // namespace
}  // namespace weft::worker
