// SPDX-License-Identifier: Apache-2.0
#include "server/worker/scratch_folder.h"

#include <csignal>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/worker/confine.h"
#include "tests/server/media/clips.h"

namespace weft::worker {
namespace {

namespace fs = std::filesystem;

size_t entries_in(const std::string& folder) {
  return size_t(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(ScratchFolder, IsRemovedWithItsFiles) {
  const media::TestFolder parent;
  {
    const auto scratch = ScratchFolder::make(parent.path("cache"));
    ASSERT_THAT(scratch, IsOk());
    media::write_file((*scratch)->path() + "/file", "bytes");
    EXPECT_EQ(fs::status((*scratch)->path()).permissions(), fs::perms::owner_all);
    EXPECT_EQ(entries_in(parent.path("cache")), 1u);
  }
  EXPECT_EQ(entries_in(parent.path("cache")), 0u);
}

TEST(ScratchFolder, OfAKilledWorkerIsRemovedByTheNextOne) {
  const media::TestFolder parent;
  const std::string cache = parent.path("cache");
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto scratch = ScratchFolder::make(cache);
    if (scratch.ok()) media::write_file((*scratch)->path() + "/file", "bytes");
    if (::write(ready[1], "r", 1) == 1) ::pause();
    ::_exit(1);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  const auto another = ScratchFolder::make(cache);
  ASSERT_THAT(another, IsOk());
  EXPECT_EQ(entries_in(cache), 2u) << "the folder of a living worker stays";
  ::kill(child, SIGKILL);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_EQ(entries_in(cache), 2u);
  const auto next = ScratchFolder::make(cache);
  ASSERT_THAT(next, IsOk());
  EXPECT_EQ(entries_in(cache), 2u) << "that of the killed one is gone";
  EXPECT_TRUE(fs::exists((*another)->path()));
  ::close(ready[0]);
  ::close(ready[1]);
}

// A library writes a file, renames it, and a later instance reads and removes it.
TEST(ScratchFolder, AConfinedProcessUsesItAlone) {
  const media::TestFolder parent;
  const pid_t child = ::fork();
  if (child == 0) {
    const auto scratch = ScratchFolder::make(parent.path("cache"));
    if (!scratch.ok()) ::_exit(1);
    const std::string path = (*scratch)->path();
    for (const std::string& lacking : confine(Confinement::kComputing, "", path))
      if (lacking.find("Landlock") != std::string::npos) ::_exit(77);
    std::error_code error;
    media::write_file(path + "/a.temp", "bytes");
    fs::rename(path + "/a.temp", path + "/a", error);
    if (error || media::read_file(path + "/a") != "bytes" || !fs::remove(path + "/a", error)) ::_exit(2);
    media::write_file(parent.path("outside"), "bytes");
    ::_exit(fs::exists(parent.path("outside"), error) ? 3 : 0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "the kernel has no Landlock here";
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(fs::exists(parent.path("outside")));
}

}  // namespace
}  // namespace weft::worker
